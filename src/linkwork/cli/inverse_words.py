"""Inverse dynamics in a few numbers: peaks, differences of formulations, broken limits."""

from __future__ import annotations

from dataclasses import asdict, astuple
from typing import TYPE_CHECKING, Any

from linkwork.cli.description import effort_limits, effort_units, number
from linkwork.cli.inverse_columns import labels_of
from linkwork.cli.output import print_table

if TYPE_CHECKING:
    from linkwork.interface.robot import Array
    from linkwork.motion.bundled import Robot


def inverse_facts(robot: Robot, time: Array, efforts: dict[str, Array]) -> dict[str, Any]:
    """Peaks of the first formulation, and how far the others are from it."""
    import numpy as np

    from linkwork.analysis.averages import root_mean_square

    first, *others = efforts
    values = efforts[first]
    peaks = []
    for k, (label, unit, limit) in enumerate(
        zip(labels_of(robot), effort_units(robot.model), effort_limits(robot.model), strict=True)
    ):
        channel = values[:, k]
        at = int(np.argmax(np.abs(channel)))
        peaks.append(
            {
                "name": label,
                "unit": unit,
                "peak": float(channel[at]),
                "time": float(time[at]),
                "lowest": float(channel.min()),
                "highest": float(channel.max()),
                "rms": root_mean_square(time, channel),
                "limit": limit,
            }
        )
    differences = {}
    for name in others:
        gap = np.abs(efforts[name] - values)
        row, column = np.unravel_index(np.argmax(gap), gap.shape)
        differences[name] = {
            "largest": float(gap[row, column]),
            "time": float(time[row]),
            "name": labels_of(robot)[column],
            "relative": float(gap.max() / (np.abs(values).max() or 1.0)),
        }
    return {
        "robot": robot.name,
        "duration": float(time[-1]),
        "samples": len(time),
        "formulation": first,
        "peaks": peaks,
        "differences": differences,
    }


def broken_limits(robot: Robot, time: Array, moved: Any, effort: Array) -> list[dict[str, Any]]:
    """Every limit that the motion breaks."""
    if not _has_limits(robot):
        return []
    from linkwork.reports.tables import violations

    position, velocity, _ = moved
    measured = robot.quantities(position, velocity, effort)
    return [asdict(found) for found in violations(time, measured)]


def limit_in_words(found: dict[str, Any]) -> str:
    return (
        "{channel}: {quantity} {value:.4g} {unit} at t = {at:.4g} s is beyond its limit {limit:.4g} "
        "{unit}, for {duration:.3g} s from t = {first:.4g} s on"
    ).format(**found)


def worst_condition(robot: Robot, time: Array, moved: Any) -> dict[str, Any] | None:
    """A platform's greatest condition number, lengths in its radius; leg forces grow with it."""
    import numpy as np

    from linkwork.analysis.singularity import NEAR_SINGULAR
    from linkwork.interface.arm import Arm

    if isinstance(robot, Arm):
        return None
    numbers = robot.condition_number(moved.pose, "platform")
    at = int(np.argmax(numbers))
    worst = float(numbers[at])
    return {"largest": worst, "time": float(time[at]), "near_singular": worst >= NEAR_SINGULAR}


def condition_in_words(found: dict[str, Any]) -> str:
    return (
        "close to a singular pose at t = {time:.4g} s (condition number {largest:.3g}), where leg "
        "forces grow without bound; the peaks tell how near a sample comes to it"
    ).format(**found)


def _has_limits(robot: Robot) -> bool:
    from linkwork.interface.arm import Arm

    parts = robot.model.joints if isinstance(robot, Arm) else robot.model.legs
    return any(bound is not None for part in parts for bound in astuple(part.limits))


def show_inverse(facts: dict[str, Any], stderr: bool) -> None:
    """Tables for a person; on standard error if standard output carries the data."""
    title = (
        f"{facts['robot']} along {facts['motion']}: {facts['duration']:g} s, "
        f"{facts['samples']} samples, {facts['formulation']}"
    )
    print_table(
        ("name", "unit", "peak", "at [s]", "lowest", "highest", "RMS", "limit"),
        [
            (
                row["name"],
                row["unit"],
                number(row["peak"]),
                f"{row['time']:.4g}",
                number(row["lowest"]),
                number(row["highest"]),
                number(row["rms"]),
                number(row["limit"]),
            )
            for row in facts["peaks"]
        ],
        title=title,
        left=("unit",),
        stderr=stderr,
    )
    if facts["differences"]:
        print_table(
            ("formulation", "largest difference", "at [s]", "of", "relative"),
            [
                (
                    name,
                    f"{row['largest']:.3g}",
                    f"{row['time']:.4g}",
                    row["name"],
                    f"{row['relative']:.1e}",
                )
                for name, row in facts["differences"].items()
            ],
            title=f"Differences from {facts['formulation']}",
            left=("of",),
            stderr=stderr,
        )
