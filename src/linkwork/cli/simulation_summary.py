"""A simulation in a few numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from linkwork.cli.output import print_table
from linkwork.formatting import number

if TYPE_CHECKING:
    from linkwork.interface.robot import Robot
    from linkwork.simulation import Simulation


def simulation_facts(robot: Robot, run: Simulation, motion: str | None) -> dict[str, Any]:
    """Peaks of the efforts and of the errors, the end, and the energy."""
    import numpy as np

    names = run.names()
    efforts = [
        _peak(label, unit, run.time, run.effort[:, k])
        for k, (label, unit) in enumerate(zip(run.labels, robot.efforts.units, strict=True))
    ]
    facts: dict[str, Any] = {
        "robot": run.robot,
        "motion": motion,
        "duration": float(run.time[-1]),
        "samples": len(run.time),
        "efforts": efforts,
        "loop": run.assumptions(),
        "final_position": dict(zip(names["position"], run.position[-1].tolist(), strict=True)),
        "energy_change": float(run.energy[-1] - run.energy[0]),
    }
    if run.error is not None:
        facts["errors"] = [
            {**_peak(name, unit, run.time, run.error[:, k]), "final": float(run.error[-1, k])}
            for k, (name, unit) in enumerate(zip(names["error"], _units(robot), strict=True))
        ]
        facts["largest_error"] = float(np.abs(run.error).max())
    return facts


def _units(robot: Robot) -> list[str]:
    """Of the position error, which has as many numbers as the velocity."""
    return [unit.removesuffix("/s") for unit in robot.velocities.units]


def _peak(name: str, unit: str, time: Any, values: Any) -> dict[str, Any]:
    import numpy as np

    from linkwork.analysis.averages import root_mean_square

    k = int(np.argmax(np.abs(values)))
    rms = root_mean_square(time, values)
    return {"name": name, "unit": unit, "peak": float(values[k]), "time": float(time[k]), "rms": rms}


def show_simulation(facts: dict[str, Any], stderr: bool) -> None:
    follows = f", following {facts['motion']}" if facts["motion"] else ""
    title = f"{facts['robot']}{follows}: {number(facts['duration'])} s, {facts['samples']} samples"
    print_table(
        ("effort", "unit", "peak", "at [s]", "RMS"),
        [_cells(row) for row in facts["efforts"]],
        title=title,
        left=("unit",),
        stderr=stderr,
    )
    if "errors" in facts:
        print_table(
            ("error", "unit", "peak", "at [s]", "RMS", "at the end"),
            [(*_cells(row), number(row["final"], 3)) for row in facts["errors"]],
            left=("unit",),
            stderr=stderr,
        )
    else:
        print_table(
            ("position at the end", "value"),
            [(name, number(value, 6)) for name, value in facts["final_position"].items()],
            stderr=stderr,
        )

    print_table(
        ("loop", "as simulated"), list(facts["loop"].items()), left=("as simulated",), stderr=stderr
    )


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    return row["name"], row["unit"], number(row["peak"]), number(row["time"]), number(row["rms"], 3)
