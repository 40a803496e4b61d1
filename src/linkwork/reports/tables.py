"""Tables of a report: peaks, ranges beside their limits, the robot itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from linkwork.analysis.peaks import Peak, Violation
from linkwork.formatting import AngleUnit, number, shown
from linkwork.interface.quantity import Quantity
from linkwork.interface.robot import Array
from linkwork.plotting.lines import as_shown, span
from linkwork.reports.cells import NBSP


@dataclass(frozen=True)
class Table:
    """What Page.table takes."""

    header: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]
    marks: frozenset[tuple[int, int]] = frozenset()


def sentence(found: Violation, angles: AngleUnit) -> str:
    """A broken limit in words."""
    unit = found.unit
    return (
        f"{found.quantity} of {found.channel}: {shown(found.value, unit, angles)} at "
        f"t = {number(found.at)} s, limit {shown(found.limit, unit, angles)}, beyond it "
        f"for {number(found.duration, 3)} s from t = {number(found.first)} s on"
    ).replace("-", "−")


def peak_table(effort: Quantity, found: Sequence[Peak], noun: str) -> Table:
    """Peaks of the efforts, when they occur, their RMS, how much of the limit they use."""
    mixed = len(set(effort.units)) > 1
    unit = "" if mixed else f" [{effort.units[0]}]"
    powered = any(peak.power is not None for peak in found)
    header = [noun, f"peak {effort.name}{unit}", "at [s]", f"RMS{unit}"]
    header += [f"limit{unit}", "used [%]"] if effort.bounded else []
    header += ["peak power [W]", "at [s]"] if powered else []
    rows, marks = [], set()
    for k, peak in enumerate(found):
        row: list[object] = [f"{peak.name} [{peak.unit}]" if mixed else peak.name]
        row += [peak.value, peak.time, peak.rms]
        if effort.bounded:
            row += [peak.limit, None if peak.used is None else 100 * peak.used]
            if peak.used is not None and peak.used > 1:
                marks |= {(k, 1), (k, 5)}
        if powered:
            row += [peak.power, peak.power_time]
        rows.append(tuple(row))
    return Table(tuple(header), tuple(rows), frozenset(marks))


def range_table(time: Array, quantities: Sequence[Quantity], noun: str, angles: AngleUnit) -> Table:
    """Least and greatest values of what has limits, beside them, and the margin that is left."""
    header = ("quantity", noun, "least", "at [s]", "greatest", "at [s]", "allowed", "margin", "unit")
    rows: list[tuple[object, ...]] = []
    marks = set()
    for what in (as_shown(one, angles) for one in quantities):
        for k, channel in enumerate(what.channels):
            one = what.channel(k)
            if not one.bounded:
                continue
            values, low, high = one.values[:, 0], float(one.low[0]), float(one.high[0])
            a, b = int(np.argmin(values)), int(np.argmax(values))
            margin = min(float(values[a]) - low, high - float(values[b]))
            marks |= {(len(rows), 7)} if margin < 0 else set()
            marks |= {(len(rows), 2)} if values[a] < low else set()
            marks |= {(len(rows), 4)} if values[b] > high else set()
            extremes = (float(values[a]), float(time[a]), float(values[b]), float(time[b]))
            allowed = span(low, high)
            rows.append(
                (what.name.replace(" ", NBSP), channel, *extremes, allowed, margin, what.units[k])
            )
    return Table(header, tuple(rows), frozenset(marks))
