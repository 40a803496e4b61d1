"""Workspaces between two bounds: boxes that are proven to belong to them, and boxes that do not."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from linkwork.analysis.region import coordinate_range
from linkwork.certification.boxes import ROUNDING, Array, Boxes, joined
from linkwork.certification.certify import load_range
from linkwork.certification.checks import checks_of
from linkwork.certification.enclosed import Demands, Enclosed
from linkwork.certification.search import sorted_out
from linkwork.certification.tolerances import Given, tolerances_of
from linkwork.core.arguments import not_negative, numbers, one_of, positive, whole
from linkwork.core.checked import checked
from linkwork.core.errors import InputError
from linkwork.core.progress import progress_bar
from linkwork.core.text import number
from linkwork.robot.platform import Platform
from linkwork.robot.robot import Robot

MOST_AXES = 3
STEPS = 1000  # of the progress bar


@dataclass(frozen=True, eq=False)
class CertifiedWorkspace:
    """Where `axes` may be, the other coordinates as they are at `pose`.

    inside, outside, undecided: boxes (N, 2, k), lower and upper ends: every position keeps everything in
    `conditions`; none does, for any value of what has tolerances; or it is not known. Together they fill
    the box from `low` to `high`.
    volume: lower and upper bound of length, area or volume, in the units of the axes.
    """

    robot: Robot
    axes: tuple[str, ...]
    units: tuple[str, ...]
    pose: Array
    low: Array
    high: Array
    inside: Array
    outside: Array
    undecided: Array
    conditions: tuple[str, ...]
    evaluations: int
    seconds: float

    @property
    def volume(self) -> tuple[float, float]:
        """Proven lower and upper bound, in the product of the coordinates' units."""
        known, open_ = (
            float((part[:, 1] - part[:, 0]).prod(axis=1).sum()) for part in (self.inside, self.undecided)
        )
        slack = 1 + ROUNDING + 1e-15 * (len(self.inside) + len(self.undecided))
        return known / slack, (known + open_) * slack

    @property
    def gap(self) -> float:
        """What is not known, as a share of the upper bound."""
        low, high = self.volume
        return 0.0 if high == 0 else 1 - low / high

    @property
    def unit(self) -> str:
        """Of the volume."""
        kinds = dict.fromkeys(self.units)
        return " ".join(f"{each}^{k}" if (k := self.units.count(each)) > 1 else each for each in kinds)

    def __str__(self) -> str:
        low, high = self.volume
        return (
            f"{self.robot.name}: {', '.join(self.axes)} reach between {number(low, 6)} and "
            f"{number(high, 6)} {self.unit}, proven ({len(self.conditions)} conditions, "
            f"{self.evaluations} boxes)"
        )


@checked
def certified_workspace(
    robot: Robot,
    axes: Sequence[str] | None = None,
    *,
    pose: ArrayLike | None = None,
    gap: float = 0.05,
    condition: float | None = None,
    singularities: bool | None = None,
    leg_diameter: float = 0.0,
    wrench: ArrayLike | None = None,
    acceleration: ArrayLike | None = None,
    tolerances: Given | None = None,
    boxes: int = 2_000_000,
    progress: bool | None = None,
) -> CertifiedWorkspace:
    """The workspace in one to three coordinates, with inner and outer boxes that are proven.

    Args:
        axes: names of coordinates; by default the first three lengths, or angles without them.
        pose: the other coordinates, rotations by roll, pitch and yaw; home by default.
        gap: what may be left open, as a share of the upper bound of the volume.
        condition, singularities, leg_diameter, wrench, acceleration, tolerances: as `certify` has them.
            Inside means: on home's side of the singularities, by the sign of the determinant.
        boxes: evaluations at most; the gap may then be wider.
    """
    names, units = robot.coordinates.by_angles.names, robot.coordinates.by_angles.units
    if axes is None:
        axes = (
            tuple(n for n, u in zip(names, units, strict=True) if u == "m")[:MOST_AXES]
            or names[:MOST_AXES]
        )
    chosen = tuple(one_of(axis, names, f"coordinate of {robot.name}") for axis in axes)
    if not 1 <= len({*chosen}) == len(chosen) <= MOST_AXES:
        raise InputError(f"axes = {list(axes)!r}: expected one to three different coordinates.")
    home = np.array(robot.coordinates.to_angles(np.asarray(robot.home, dtype=float)))
    at = home if pose is None else numbers(pose, "pose")
    if at.shape != home.shape:
        raise InputError(f"pose has shape {at.shape}: expected {home.shape}, {', '.join(names)}.")
    wanted, limit = positive(gap, "gap", "1"), whole(boxes, "boxes", 1)
    thick = not_negative(leg_diameter, "leg_diameter", "m")
    if thick and not isinstance(robot, Platform):
        raise InputError(f"leg_diameter: {robot.name} is not a Stewart platform.")
    asked = not robot.moved_by_motors if singularities is None else singularities
    most = np.inf if condition is None else positive(condition, "condition", "1")
    known = tolerances_of(robot, tolerances)
    demands = Demands(
        most if asked or condition is not None else None,
        thick,
        load_range(wrench, "wrench", 6),
        load_range(acceleration, "acceleration", robot.dof),
    )
    started = time.perf_counter()
    enclosed = Enclosed(robot, known)
    checks = checks_of(enclosed, demands)
    if not checks:
        raise InputError(f"{robot.name} has no limits that end its workspace; add them to its file.")
    places = [names.index(axis) for axis in chosen]
    low, high = np.array([coordinate_range(robot, k, at) for k in places]).T

    def positions(part: Boxes) -> Boxes:
        ends = [np.tile(np.concatenate([at, end]), (part.count, 1)) for end in known.ends]
        ends[0][:, places], ends[1][:, places] = part.low, part.high
        return enclosed.loops.closed(Boxes(ends[0], ends[1]))

    with progress_bar(STEPS, "known", progress) as tell:
        found = sorted_out(
            checks,
            Boxes(low[None], high[None]),
            positions,
            enclosed.weights[places],
            limit,
            wanted,
            lambda share: tell(round(STEPS * share)),
        )

    def stacked(parts: list[Boxes]) -> Array:
        if not parts:
            return np.empty((0, 2, len(places)))
        every = joined(parts)
        return np.stack([every.low, every.high], axis=1)

    return CertifiedWorkspace(
        robot=robot,
        axes=chosen,
        units=tuple(units[k] for k in places),
        pose=at,
        low=low,
        high=high,
        inside=stacked(found.inside),
        outside=stacked(found.outside),
        undecided=stacked(found.undecided),
        conditions=tuple(part for check in checks for part in check.parts),
        evaluations=found.evaluations,
        seconds=time.perf_counter() - started,
    )
