"""Efforts of a log as they were measured and as robots have them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from linkwork.identification.logs import Log
from linkwork.identification.regression import moves
from linkwork.identification.smoothing import MARGIN, smoothed
from linkwork.interface.robot import Array, Robot


@dataclass(frozen=True, eq=False)
class Prediction:
    """A log's efforts as measured, by the file and by the identified robot, (N, n) each.

    RMS count where an actuator moves: nearly at rest (`moving` False) friction has no clear direction.
    """

    source: str
    time: Array
    measured: Array
    before: Array
    after: Array
    moving: NDArray[np.bool_]

    @property
    def rms(self) -> Array:
        """Of what the identified robot leaves, per actuator."""
        return self._rms(self.measured - self.after)

    @property
    def rms_before(self) -> Array:
        """Of what the file's robot leaves, per actuator."""
        return self._rms(self.measured - self.before)

    def _rms(self, wrong: Array) -> Array:
        counts = np.where(self.moving.any(axis=0), self.moving, True)  # all of one that never moves
        return np.asarray(np.sqrt((counts * wrong**2).sum(axis=0) / counts.sum(axis=0)))


def prediction(before: Robot, after: Robot, log: Log, bandwidth: float) -> Prediction:
    """Of the robot of the file and of the identified one, on the same log."""
    motion = smoothed(before, log, bandwidth)
    margin = int(MARGIN / (bandwidth * log.period)) + 1
    inside = slice(margin, len(log.time) - margin)
    part = [values[inside] for values in motion]
    velocity = before.actuator_motion(part[0], part[1]).velocity
    assert velocity is not None
    return Prediction(
        log.source,
        log.time[inside],
        log.effort[inside],
        before.inverse_dynamics(*part),
        after.inverse_dynamics(*part),
        moves(velocity),
    )
