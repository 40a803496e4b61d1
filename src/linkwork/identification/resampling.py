"""Rows as a robot's clock stamped them, made into parts with even steps.

Rows that repeat the one before are dropped, single wild positions too; whole turns are taken back. Short
gaps are bridged, longer ones split the log. Rest at the ends shows nothing and is cut.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from linkwork.core.text import number
from linkwork.robot.robot import Array

Rows = Mapping[str, Array]  # position, effort and, if measured, velocity and acceleration, (N, k) each
BRIDGED = 0.04  # [s]: in less time no joint of a machine leaves the curve through its neighbors
MISSED = 2.5  # usual steps that are bridged in a slow log
SHORTEST = 1.0  # [s] of a part: less than the ends of the filter
EVEN = 1e-3  # of a step: below, times are even but for rounding
REST_KEPT = 0.5  # [s] of rest at either end, for the filter
REST_WINDOW = 0.1  # [s]
REST_SHARE = 5e-3  # of the longest way in such a time: less is rest
LEAST_REST = 1.0  # [s] that is worth cutting
JUMP = 8  # of the speed that 99 % of steps stay below
MOST_SPIKES = 0.01  # of all rows
TURN = 0.1  # of a turn, by which a step may differ from whole turns


class Part(NamedTuple):
    """Rows without a gap at even times."""

    time: Array
    rows: Rows


def usual_step(time: Array) -> float:
    """Of the rows that are not bridges or repeats [s]."""
    steps = np.diff(time)
    return float(np.median(steps[steps > 0])) if (steps > 0).any() else 0.0


def longest_bridge(time: Array) -> float:
    """The longest step that is no gap [s]."""
    return max(BRIDGED, MISSED * usual_step(time))


def without_holes(time: Array, rows: Rows, notes: list[str]) -> tuple[Array, dict[str, Array]]:
    """Rows in which positions were measured; what was measured at other times, on lines between these.

    Columns that were never measured are NaN.
    """
    place = next(name for name in ("q", "pose") if name in rows)
    whole = np.flatnonzero(np.isfinite(rows[place]).all(axis=1))
    if len(whole) < len(time):
        notes.append(f"{len(time) - len(whole)} of {len(time)} rows without all positions are left out")
    found, moved = {}, 0
    for name, values in rows.items():
        found[name] = values[whole]
        for k, column in enumerate(values.T):
            known = np.isfinite(column)
            if known.any() and not known[whole].all():
                moved += 1
                found[name][:, k] = np.interp(time[whole], time[known], column[known])
    if moved:
        notes.append(
            f"{_counted(moved, 'column')} measured at other times are taken at those of positions"
        )
    return time[whole], found


def without_repeats(time: Array, rows: Rows) -> NDArray[np.int64]:
    """Rows that bring something new: a later time, and other values than the row before."""
    every = np.concatenate(list(rows.values()), axis=1)
    held = (np.diff(every, axis=0) == 0.0).all(axis=1)
    late = np.maximum.accumulate(time)[:-1] < time[1:]
    return np.flatnonzero(np.concatenate([[True], late & ~held]))


def jumps(time: Array, position: Array, units: Sequence[str]) -> NDArray[np.bool_]:
    """Steps (N - 1, k) far longer than those of all coordinates of that unit, and than those around."""
    steps = np.abs(np.diff(position, axis=0))
    speed = steps / np.maximum(np.diff(time), usual_step(time))[:, None]
    usual = np.quantile(speed, 0.99, axis=0)
    found = np.zeros(steps.shape, dtype=bool)
    for unit in set(units):
        own = [k for k, each in enumerate(units) if each == unit]
        found[:, own] = speed[:, own] > JUMP * usual[own].max()
    for row, k in np.argwhere(found):
        around = speed[max(0, row - 2) : row + 3, k]
        others = np.delete(around, min(row, 2))
        found[row, k] = 4 * np.median(others) <= speed[row, k]
    return found


def with_turns(time: Array, position: Array, units: Sequence[str]) -> tuple[Array, int]:
    """Positions whose counters do not turn over, and how often they did."""
    steps = np.diff(position, axis=0)
    turns = np.round(steps / (2 * np.pi))
    whole = (turns != 0) & (np.abs(steps / (2 * np.pi) - turns) < TURN) & jumps(time, position, units)
    whole &= np.array([unit == "rad" for unit in units])
    if not whole.any():
        return position, 0
    back = np.cumsum(np.where(whole, turns, 0.0), axis=0) * 2 * np.pi
    return np.concatenate([position[:1], position[1:] - back]), int(whole.sum())


def spikes(time: Array, position: Array, units: Sequence[str]) -> NDArray[np.bool_]:
    """Rows (N,) whose position leaves the curve and is back in the next row."""
    away = jumps(time, position, units)
    steps = np.diff(position, axis=0)
    back = away[:-1] & away[1:] & (steps[:-1] * steps[1:] < 0)
    found = np.concatenate([[False], back.any(axis=1), [False]])
    return found if found.mean() <= MOST_SPIKES else np.zeros(len(time), dtype=bool)


def even_parts(time: Array, rows: Rows, units: Sequence[str], notes: list[str]) -> list[Part]:
    """Parts between gaps, without rest at their ends, at even times; `notes` are told what was done."""
    gaps = np.flatnonzero(np.diff(time) > longest_bridge(time)) + 1
    usual = usual_step(time)
    parts, rest, short, uneven = [], 0.0, 0, np.zeros(0)
    bridged = 0
    for indices in np.split(np.arange(len(time)), gaps):
        moving = _moving(time[indices], rows["position"][indices], units)
        away = float(time[indices[-1]] - time[indices[0]] - time[moving[-1]] + time[moving[0]])
        if away > LEAST_REST:
            indices = indices[moving]
            rest += away
        if time[indices[-1]] - time[indices[0]] < SHORTEST:
            short += 1
            continue
        steps = np.diff(time[indices])
        bridged += int((steps > MISSED * usual).sum())
        if np.abs(steps - steps.mean()).max() > EVEN * steps.mean():
            uneven = np.concatenate([uneven, steps])
        parts.append((time[indices], {name: values[indices] for name, values in rows.items()}))
    least, most = 1e3 * np.quantile(uneven, (0.01, 0.99)) if len(uneven) else (0.0, 0.0)
    if most - least > EVEN * most:
        even = 1e3 * float(np.mean(np.concatenate([np.diff(t) for t, _ in parts])))
        notes.append(
            f"rows {number(least, 3)} to {number(most, 3)} ms apart are resampled every "
            f"{number(even, 3)} ms"
        )
    if bridged:
        notes.append(f"{_counted(bridged, 'short gap')} bridged")
    if len(gaps):
        longest = float(np.diff(time)[gaps - 1].max())
        first = float(time[gaps[0] - 1] - time[0])
        notes.append(
            f"{_counted(len(gaps), 'gap')} of up to {number(longest, 3)} s, the first at "
            f"{number(first, 4)} s, split{'s' if len(gaps) == 1 else ''} the log into "
            f"{_counted(len(parts), 'part')}"
        )
    if short:
        notes.append(f"{_counted(short, 'part')} below {SHORTEST:g} s or without motion left out")
    if rest:
        notes.append(f"{number(rest, 3)} s of rest at the ends cut")
    return _resampled(parts) if parts else []


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def _moving(time: Array, position: Array, units: Sequence[str]) -> NDArray[np.int64]:
    """Rows from the first motion to the last, with a little rest about them; all if nothing moves."""
    every = np.arange(len(time))
    alike = np.equal.outer(units, units)
    later = np.minimum(np.searchsorted(time, time + REST_WINDOW), len(time) - 1)
    way = np.abs(position[later] - position)
    longest = np.where(alike, way.max(axis=0), 0.0).max(axis=1)  # of any coordinate of the same unit
    far = np.flatnonzero((way > REST_SHARE * np.maximum(longest, 1e-12)).any(axis=1))
    if not len(far):
        return every
    first, last = time[far[0]] - REST_KEPT, time[later[far[-1]]] + REST_KEPT
    return np.flatnonzero((time >= first) & (time <= last))


def _resampled(parts: Sequence[tuple[Array, Rows]]) -> list[Part]:
    """All at the mean step; a part that is even already keeps its rows."""
    from scipy.interpolate import CubicSpline

    period = float(np.concatenate([np.diff(time) for time, _ in parts]).mean())
    found = []
    for time, rows in parts:
        count = int((time[-1] - time[0]) / period + 1 + 1e-6)
        even = time[0] + period * np.arange(count)
        if count == len(time) and np.abs(even - time).max() <= EVEN * period:
            found.append(Part(even, rows))
            continue
        # Efforts are noisy: a line between two never exceeds them.
        moved = {
            name: np.stack([np.interp(even, time, column) for column in values.T], axis=1)
            if name in ("effort", "saturated")
            else np.asarray(CubicSpline(time, values)(even))
            for name, values in rows.items()
        }
        found.append(Part(even, moved))
    return found
