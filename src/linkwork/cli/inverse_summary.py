"""Inverse dynamics in a few numbers: peaks, strokes, differences of formulations, broken limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from linkwork.cli.output import print_table
from linkwork.formatting import AngleUnit, number, shown, shown_unit

if TYPE_CHECKING:
    from linkwork.analysis.study import Study
    from linkwork.interface.quantity import Quantity
    from linkwork.interface.robot import Array


def inverse_facts(found: Study, efforts: Mapping[str, Array]) -> dict[str, Any]:
    """What `--json` prints: peaks of the first formulation, how far the others are from it, ranges.

    Args:
        found: the study of the first formulation.
        efforts: by formulation, as asked for.
    """
    import numpy as np

    first, *others = efforts
    values = efforts[first]
    differences = {}
    for name in others:
        gap = np.abs(efforts[name] - values)
        row, column = np.unravel_index(np.argmax(gap), gap.shape)
        differences[name] = {
            "largest": float(gap[row, column]),
            "time": float(found.time[row]),
            "name": found.effort.channels[column],
            "relative": float(gap.max() / (np.abs(values).max() or 1.0)),
        }
    peaks = [
        {("peak" if key == "value" else key): value for key, value in asdict(peak).items()}
        for peak in found.peaks
    ]
    return {
        "robot": found.robot.name,
        "duration": float(found.time[-1]),
        "samples": len(found.time),
        "formulation": first,
        "peaks": peaks,
        "ranges": {what.name: _ranges(what) for what in found.moving},
        "differences": differences,
        "broken_limits": [asdict(one) for one in found.violations],
        "condition": worst_condition(found),
    }


def _ranges(what: Quantity) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "unit": what.units[k],
            "lowest": float(what.values[:, k].min()),
            "highest": float(what.values[:, k].max()),
            "limits": [float(what.low[k]), float(what.high[k])],
        }
        for k, name in enumerate(what.channels)
    ]


def limit_in_words(found: Mapping[str, Any], angles: AngleUnit) -> str:
    """A broken limit as a warning tells it."""
    unit = found["unit"]
    return (
        f"{found['channel']}: {found['quantity']} {shown(found['value'], unit, angles)} at "
        f"t = {number(found['at'])} s is beyond its limit {shown(found['limit'], unit, angles)}, for "
        f"{number(found['duration'], 3)} s from t = {number(found['first'])} s on"
    )


def worst_condition(found: Study) -> dict[str, Any] | None:
    """The greatest condition number where efforts grow with it: in loops, not in an arm's joints."""
    import numpy as np

    from linkwork.interface.singularity import NEAR_SINGULAR

    if not found.conditioning or not found.conditioning[0].of_efforts:
        return None
    numbers = found.conditioning[0].values
    at = int(np.argmax(numbers))
    worst = float(numbers[at])
    time = float(found.time[at])
    return {"largest": worst, "time": time, "near_singular": worst >= NEAR_SINGULAR}


def condition_in_words(found: Mapping[str, Any]) -> str:
    return (
        f"close to a singular pose at t = {number(found['time'])} s (condition number "
        f"{number(found['largest'], 3)}), where efforts grow without bound; the peaks tell how near "
        "a sample comes to it"
    )


def show_inverse(facts: Mapping[str, Any], angles: AngleUnit, stderr: bool) -> None:
    """Tables for a person; on standard error if standard output carries the data."""
    title = (
        f"{facts['robot']} along {facts['motion']}: {number(facts['duration'])} s, "
        f"{facts['samples']} samples, {facts['formulation']}"
    )
    print_table(
        ("name", "unit", "peak", "at [s]", "lowest", "highest", "RMS", "limit", "peak power [W]"),
        [
            (
                row["name"],
                row["unit"],
                number(row["peak"]),
                number(row["time"]),
                number(row["lowest"], scale=abs(row["peak"])),
                number(row["highest"], scale=abs(row["peak"])),
                number(row["rms"]),
                number(row["limit"]),
                number(row["power"]),
            )
            for row in facts["peaks"]
        ],
        title=title,
        left=("unit",),
        stderr=stderr,
    )
    _show_ranges(facts["ranges"], angles, stderr)
    if facts["differences"]:
        print_table(
            ("formulation", "largest difference", "at [s]", "of", "relative"),
            [
                (
                    name,
                    number(row["largest"], 3),
                    number(row["time"]),
                    row["name"],
                    f"{row['relative']:.1e}",
                )
                for name, row in facts["differences"].items()
            ],
            title=f"Differences from {facts['formulation']}",
            left=("of",),
            stderr=stderr,
        )


def _show_ranges(ranges: Mapping[str, list[dict[str, Any]]], angles: AngleUnit, stderr: bool) -> None:
    """Strokes and velocities of joints or legs; everything else that is measured is for reports."""
    (where, stroke), (how_fast, speed) = list(ranges.items())[:2]
    rows = []
    for place, fast in zip(stroke, speed, strict=True):
        factor, unit = shown_unit(place["unit"], angles)
        faster, per_second = shown_unit(fast["unit"], angles)
        low, high = factor * place["lowest"], factor * place["highest"]
        most = faster * max(-fast["lowest"], fast["highest"])
        stroke_shown = [number(value, scale=high - low) for value in (low, high, high - low)]
        rows.append((place["name"], unit, *stroke_shown, number(most), per_second))
    headers = ("name", "unit", f"lowest {where}", f"highest {where}", "stroke", f"peak {how_fast}", "")
    print_table(headers, rows, left=("unit", ""), stderr=stderr)
