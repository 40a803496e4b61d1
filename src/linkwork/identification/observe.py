"""What a momentum observer tells along logs, and collisions: thresholds, false alarms and delays.

The residuals of every log; how collisions are told from them is in `collisions.py`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linkwork.control.observers import WRENCH, MomentumObserver, push_columns
from linkwork.core.arguments import positive, whole
from linkwork.core.checked import checked
from linkwork.core.errors import InputError
from linkwork.core.table_files import write_table
from linkwork.identification.collisions import (
    ObservedLog,
    Push,
    held_back,
    judged,
    lonely_peaks,
    pushed,
    tails,
)
from linkwork.identification.gains import Gains, gains_of, with_gains
from linkwork.identification.identify import Sources, logs_of
from linkwork.identification.logs import Log
from linkwork.robot.robot import Array, Robot

NEAR_SINGULAR = 100.0  # condition number of what a wrench does to the coordinates
ROUNDING = 1e-9
SETTLING = 3.0  # periods of the bandwidth, after which the residual has forgotten its start


@dataclass(frozen=True, eq=False)
class Observation:
    """Logs seen by an observer. `held_back` are the alarms in free logs by thresholds of the others,
    over `held_back_hours`; `false_alarms` is what was allowed per hour."""

    observer: MomentumObserver
    logs: tuple[ObservedLog, ...]
    thresholds: Array  # (d,)
    largest: Array  # (d,) of the free logs
    false_alarms: float
    held_back: int
    held_back_hours: float
    pushes: tuple[Push, ...]
    gains: Gains | None
    notes: tuple[str, ...]

    @property
    def robot(self) -> Robot:
        """The robot that was observed."""
        return self.observer.robot

    @property
    def bound(self) -> float:
        """False alarms per hour that the held back logs allow at 95 % confidence, were they random."""
        from scipy.stats import chi2

        return float(chi2.ppf(0.95, 2 * (self.held_back + 1))) / 2 / self.held_back_hours

    def __str__(self) -> str:
        seen = sum(len(log.alarms) for log in self.logs if log.free)
        minutes = 60 * sum(log.hours for log in self.logs if log.free)
        return (
            f"{self.robot.name}: {seen} alarms in {minutes:.3g} min of free motion, {self.held_back} by "
            "thresholds of the other logs or half"
        )


@checked
def observe(
    robot: Robot,
    logs: Sources,
    *,
    free: Sources = (),
    bandwidth: float = 10.0,
    order: int = 2,
    moments: bool = True,
    false_alarms: float = 1.0,
    pushes: ArrayLike | None = None,
    gains: ArrayLike | None = None,
    columns: Mapping[str, str] | None = None,
    seed: int = 0,
) -> Observation:
    """Forces from outside along logs, with thresholds of a collision, false alarms and delays.

    Args:
        robot: as it was identified; what it lacks is in the residuals.
        logs: as `identify` takes them.
        free: logs in which nothing touches the robot, for the thresholds; `logs` themselves if none.
        bandwidth, order, moments: as of `MomentumObserver`.
        false_alarms: that are allowed per hour, by all coordinates together.
        pushes: forces on the tool [N] that are tried; if None, those that are just felt in the middle,
            twice and four times as large.
        gains: of the drives [N m/A or N/A] if logs have currents.
        columns: which columns of the files are meant, as in `read_log`.
        seed: of times and directions of the pushes.
    """
    given, calm = (logs_of(robot, some, columns) for some in (logs, free))
    every = [*given, *calm]
    if not given:
        raise InputError("observe needs at least one log.")
    notes = [note for log in every for note in log.notes]
    drives = gains_of(robot, calm or given, gains, (), None)
    every = [with_gains(log, drives, notes) for log in every]
    rate = min(1 / log.period for log in every)
    if positive(bandwidth, "bandwidth", "Hz") >= rate / 4:
        raise InputError(
            f"bandwidth = {bandwidth:g} Hz: expected less than a quarter of the logs' "
            f"{rate:.4g} samples per second, {rate / 4:.3g} Hz."
        )
    positive(false_alarms, "false_alarms", "1/h")
    whole(seed, "seed", 0)
    observer = MomentumObserver(robot, every[0].period, bandwidth, order, moments)
    seen = [_seen(observer, log, k >= len(given) or not calm) for k, log in enumerate(every)]
    calm_logs = [log for log in seen if log.free]
    if not any(log.hours for log in calm_logs):
        raise InputError(
            f"{calm_logs[0].source}: too short for a bandwidth of {bandwidth:g} Hz; record a longer "
            "motion."
        )
    largest, continued = tails(calm_logs, bandwidth, false_alarms)
    thresholds = np.nextafter(np.maximum(largest, continued), np.inf)
    notes += lonely_peaks(robot, calm_logs, largest, continued)
    tried, hours = held_back(calm_logs, bandwidth, false_alarms)
    told = tuple(judged(log, thresholds, bandwidth) for log in seen)
    found = pushed(observer, every, told, thresholds, pushes, seed)
    if not found:
        notes.append("a force on the tool does no work on this robot: no pushes are tried")
    return Observation(
        observer,
        told,
        thresholds,
        largest,
        false_alarms,
        tried,
        hours,
        found,
        drives,
        tuple(notes),
    )


def write_observed(found: Observation, log: ObservedLog, path: str | os.PathLike[str]) -> None:
    """Write time, residuals and wrench of a log as .csv, .parquet, .npz or .json; rows before the
    observer has settled are left out."""
    kept = log.settled
    columns = {"time": log.time[kept]}
    for name, values in zip(found.robot.velocities.names, log.residual[kept].T, strict=True):
        columns[f"residual_{name}"] = values
    for name, values in zip(WRENCH, log.wrench[kept].T, strict=True):
        columns[f"external_wrench_{name}"] = values
    write_table(path, columns)


def _seen(observer: MomentumObserver, log: Log, free: bool) -> ObservedLog:
    """Residuals of a log, every part from its own start."""
    rows: list[tuple[Array, Array, NDArray[np.bool_]]] = []
    coordinates = observer.robot.coordinates
    for part in log.parts:
        velocity = part.velocity
        if velocity is None:  # as a controller has it: the last difference
            moved = coordinates.difference(part.position[1:], part.position[:-1]) / log.period
            velocity = np.concatenate([moved[:1], moved])
        acted = np.concatenate([part.effort[:1], (part.effort[1:] + part.effort[:-1]) / 2])
        here = _at(observer, log.period).over(part.position, velocity, acted)
        settled = part.time - part.time[0] > SETTLING / observer.bandwidth
        known = _told(observer, part.position)
        rows.append((here.residual, np.where(known[:, None], here.wrench, np.nan), settled))
    residual, wrench, settled = (np.concatenate(each) for each in zip(*rows, strict=True))
    return ObservedLog(log.source, log.time, residual, wrench, settled, (), free)


def _told(observer: MomentumObserver, position: Array) -> NDArray[np.bool_]:
    """Where the residual tells the wrench: far from positions that are singular for it."""
    columns = push_columns(observer, position) / [1, 1, 1, *[observer.robot.size] * 3]
    sizes = np.linalg.svd(columns[..., : 6 if observer.moments else 3], compute_uv=False)
    rank = int((sizes > ROUNDING * sizes[:, :1]).sum(axis=1).max())
    return np.asarray(sizes[:, max(rank, 1) - 1] > sizes[:, 0] / NEAR_SINGULAR)


def _at(observer: MomentumObserver, period: float) -> MomentumObserver:
    """The observer at the period of another log."""
    if period == observer.period:
        return observer
    return MomentumObserver(observer.robot, period, observer.bandwidth, observer.order, observer.moments)
