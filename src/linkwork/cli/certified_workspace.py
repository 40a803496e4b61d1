"""`linkwork workspace ROBOT --certified`: volumes between proven bounds."""

from __future__ import annotations

from functools import partial
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

from linkwork.cli.output import print_json, print_table, put_data, put_report
from linkwork.core.text import number

if TYPE_CHECKING:
    from linkwork.certification.workspace import CertifiedWorkspace
    from linkwork.core.table_files import Columns
    from linkwork.robot.robot import Array, Robot

SLICE_GAP = 0.02  # of slices, which take few boxes


def certified(
    robot: Robot,
    axes: str | None,
    pose: Array | None,
    gap: float,
    condition: float | None,
    leg_diameter: float,
    output: Path | None,
    report: Path | None,
    json: bool,
) -> None:
    from linkwork.certification.workspace import certified_workspace

    prove = partial(
        certified_workspace, robot, pose=pose, condition=condition, leg_diameter=leg_diameter
    )
    found = prove(None if axes is None else [name.strip() for name in axes.split(",")], gap=gap)
    if output is not None:
        put_data(_boxes(found), output)
    if report is not None:
        from linkwork.reports.certified_workspace import certified_workspace_report

        slices = [prove(pair, gap=min(gap, SLICE_GAP)) for pair in combinations(found.axes, 2)]
        put_report(partial(certified_workspace_report, found, slices), report)
    low, high = found.volume
    if json:
        print_json(
            {
                "robot": robot.name,
                "pose": found.pose,
                "axes": found.axes,
                "unit": found.unit,
                "volume_bounds": [low, high],
                "gap": found.gap,
                "boxes": {
                    name: len(getattr(found, name)) for name in ("inside", "outside", "undecided")
                },
                "conditions": found.conditions,
                "evaluations": found.evaluations,
                "seconds": found.seconds,
            }
        )
        return
    rows = [(f"at least [{found.unit}]", number(low, 7)), (f"at most [{found.unit}]", number(high, 7))]
    rows += [("open [%]", number(100 * found.gap, 3)), ("boxes inside", str(len(found.inside)))]
    print(f"{found}\n")
    print_table(("proven", "value"), rows, left=("proven",))
    print(
        f"\nasked: {', '.join(found.conditions)}\n{found.evaluations} boxes in "
        f"{number(found.seconds, 3)} s"
    )


def _boxes(found: CertifiedWorkspace) -> Columns:
    """1 inside, 0 outside, -1 undecided, and both ends of every box."""
    import numpy as np

    parts = [(1.0, found.inside), (0.0, found.outside), (-1.0, found.undecided)]
    every = np.concatenate([boxes for _, boxes in parts])
    columns = {"inside": np.concatenate([np.full(len(boxes), value) for value, boxes in parts])}
    for k, name in enumerate(found.axes):
        columns |= {f"{name}_low": every[:, 0, k], f"{name}_high": every[:, 1, k]}
    return columns
