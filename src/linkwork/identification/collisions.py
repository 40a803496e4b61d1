"""Collisions in the residuals of an observer: thresholds, false alarms and delays.

A threshold of every coordinate comes from the residuals of logs in which nothing touches the robot: the
peaks above a level follow an exponential tail (peaks over threshold, Pickands 1975), which is continued
to the false alarms that are allowed; no threshold is below what was seen. Thresholds of some of the logs
are tried on the others. Delays are those of pushes that are added to the logs, whose residuals stay as
they are: the residual is linear in what acts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linkwork.control.observers import MomentumObserver, push_columns
from linkwork.core.arguments import numbers
from linkwork.core.errors import InputError
from linkwork.core.text import number
from linkwork.identification.logs import Log
from linkwork.robot.robot import Array, Robot

TAIL = 0.9  # share of a log's residuals below the level of its peaks
LEAST_PEAKS = 5  # that a tail is known from
HOUR = 3600.0
PUSHES, WINDOW = 400, 1.0  # how many are tried of each force, and for how long [s]
STEPS = (1.0, 2.0, 4.0)  # of the forces that are tried, in what is just felt in the middle
LONELY = 1.5  # a peak beyond so many times the threshold of the others is told


@dataclass(frozen=True, eq=False)
class ObservedLog:
    """A log as the observer sees it; `alarms` are times of first rows above a threshold."""

    source: str
    time: Array
    residual: Array  # (N, d)
    wrench: Array  # (N, 6); NaN near positions where it does not follow from the residual
    settled: NDArray[np.bool_]
    alarms: tuple[float, ...]
    free: bool  # whether thresholds are from it

    @property
    def hours(self) -> float:
        """For how long residuals count."""
        period = float(np.median(np.diff(self.time))) if len(self.time) > 1 else 0.0
        return float(self.settled.sum()) * period / HOUR


class Push(NamedTuple):
    """Pushes of one force [N] on the tool, in any direction and at any time of the free logs: the share
    that is detected within a second, and the delays [s] of half and of 95 % of all."""

    force: float
    detected: float
    median: float
    late: float


def _peaks(values: Array, level: float, apart: int) -> Array:
    """Greatest values of runs above a level; runs nearer than `apart` rows are one."""
    above = np.flatnonzero(values > level)
    if not len(above):
        return np.empty(0)
    starts = np.flatnonzero(np.diff(above, prepend=above[0] - apart - 1) > apart)
    return np.maximum.reduceat(values[above], starts)


def tails(logs: Sequence[ObservedLog], bandwidth: float, false_alarms: float) -> tuple[Array, Array]:
    """The largest residual of every coordinate, and what is exceeded as often as its share of the false
    alarms allows, as the tail of the others' peaks is continued."""
    hours = sum(log.hours for log in logs)
    d = logs[0].residual.shape[1]
    highest, continued = np.empty(d), np.empty(d)
    for k in range(d):
        sizes = [np.abs(log.residual[log.settled, k]) for log in logs]
        highest[k] = continued[k] = max(float(each.max()) for each in sizes if len(each))
        level = float(np.quantile(np.concatenate(sizes), TAIL))
        peaks = np.concatenate(
            [
                _peaks(each, level, _rows_apart(log, bandwidth))
                for each, log in zip(sizes, logs, strict=True)
            ]
        )
        if len(peaks) >= LEAST_PEAKS:
            rarer = max(len(peaks) / hours * d / false_alarms, 1.0)
            continued[k] = level + float((peaks - level).mean()) * np.log(rarer)
    return highest, continued


def lonely_peaks(
    robot: Robot, logs: Sequence[ObservedLog], largest: Array, continued: Array
) -> list[str]:
    """Peaks that no tail explains: something that touched the robot, or a fault of the log."""
    found = []
    for k, name in enumerate(robot.velocities.names):
        if largest[k] > LONELY * continued[k]:
            row, log = max(
                (
                    (int(np.argmax(np.where(log.settled, np.abs(log.residual[:, k]), 0))), log)
                    for log in logs
                ),
                key=lambda each: abs(float(each[1].residual[each[0], k])),
            )
            found.append(
                f"{name}: its threshold is that of one peak of {number(float(largest[k]), 3)} at "
                f"{number(float(log.time[row]), 5)} s of {Path(log.source).name}; its other residuals "
                f"ask for {number(float(continued[k]), 3)}. If something touched the robot there, or "
                "the log is faulty, cut it out"
            )
    return found


def _rows_apart(log: ObservedLog, bandwidth: float) -> int:
    """Rows within which a coordinate's residual is one event."""
    return max(1, round(1 / bandwidth / float(np.median(np.diff(log.time)))))


def _alarms(log: ObservedLog, thresholds: Array, bandwidth: float) -> Array:
    """Times of the first rows of runs above any threshold."""
    above = np.flatnonzero((np.abs(log.residual) > thresholds).any(axis=1) & log.settled)
    apart = _rows_apart(log, bandwidth)
    if not len(above):
        return np.empty(0)
    return np.asarray(log.time[above[np.diff(above, prepend=above[0] - apart - 1) > apart]])


def judged(log: ObservedLog, thresholds: Array, bandwidth: float) -> ObservedLog:
    times = tuple(_alarms(log, thresholds, bandwidth).tolist())
    return ObservedLog(log.source, log.time, log.residual, log.wrench, log.settled, times, log.free)


def held_back(logs: Sequence[ObservedLog], bandwidth: float, false_alarms: float) -> tuple[int, float]:
    """Alarms in each log by thresholds of the others, or in halves of a single one; and hours."""
    parts = list(logs) if len(logs) > 1 else _halves(logs[0])
    count = 0
    for k, part in enumerate(parts):
        others = [each for j, each in enumerate(parts) if j != k and each.hours]
        if others and part.hours:
            thresholds = np.maximum(*tails(others, bandwidth, false_alarms))
            count += len(_alarms(part, thresholds, bandwidth))
    return count, sum(part.hours for part in parts)


def _halves(log: ObservedLog) -> list[ObservedLog]:
    middle = len(log.time) // 2
    return [
        ObservedLog(
            log.source, log.time[at], log.residual[at], log.wrench[at], log.settled[at], (), True
        )
        for at in (slice(None, middle), slice(middle, None))
    ]


def pushed(
    observer: MomentumObserver,
    logs: Sequence[Log],
    seen: Sequence[ObservedLog],
    thresholds: Array,
    forces: ArrayLike | None,
    seed: int,
) -> tuple[Push, ...]:
    """Forces that begin at random times of the free logs and stay."""
    calm = [k for k, log in enumerate(seen) if log.free and log.hours]
    columns = {k: push_columns(observer, logs[k].position)[..., :3] for k in calm}
    rng = np.random.default_rng(seed)
    hours = np.array([seen[k].hours for k in calm])
    tries = []
    for k in rng.choice(calm, PUSHES, p=hours / hours.sum()):
        way = rng.normal(size=3)
        start = int(rng.choice(np.flatnonzero(seen[k].settled)))
        tries.append((k, start, way / np.linalg.norm(way)))
    felt = [np.abs(columns[k][start] @ way / thresholds).max() for k, start, way in tries]
    if not np.max(felt) > 0:
        return ()
    sizes = (
        np.median(1 / np.array(felt)) * np.array(STEPS) if forces is None else numbers(forces, "pushes")
    )
    if sizes.ndim != 1 or (sizes <= 0).any():
        raise InputError(f"pushes = {forces!r}: expected forces > 0 [N].")
    found = []
    for force in sizes.tolist():
        delays = np.array(
            [
                delay_of(observer, logs[k], seen[k], force * columns[k] @ way, start, thresholds)
                for k, start, way in tries
            ]
        )
        missed = np.sort(delays)  # those that are not detected are infinitely late
        middle, late = (float(missed[int(share * (PUSHES - 1))]) for share in (0.5, 0.95))
        found.append(Push(force, float(np.isfinite(delays).mean()), middle, late))
    return tuple(found)


def delay_of(
    observer: MomentumObserver,
    log: Log,
    seen: ObservedLog,
    push: Array,
    start: int,
    thresholds: Array,
) -> float:
    """From the begin of a push (N, d) on the coordinates to the first alarm; infinite without one."""
    from scipy.signal import lfilter

    end = min([each for each in (*log.starts, len(log.time)) if each > start])
    rows = slice(start, min(end, start + round(WINDOW / log.period) + 1))
    each = 2 * np.pi / np.sqrt(2 ** (1 / observer.order) - 1)
    pole = np.exp(-each * observer.bandwidth * log.period)
    answer = push[rows].copy()
    answer[0] = 0.0  # a sample tells of the time before it
    for _ in range(observer.order):
        answer = lfilter([1 - pole], [1, -pole], answer, axis=0)
    above = (np.abs(seen.residual[rows] + answer) > thresholds).any(axis=1)
    return float(np.argmax(above)) * log.period if above.any() else np.inf
