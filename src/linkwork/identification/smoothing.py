"""Velocities and accelerations from measured positions, by a filter without phase."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from linkwork.core.rotations import pose_motion
from linkwork.identification.logs import Log
from linkwork.motion.spaces import through_samples
from linkwork.robot.robot import Array, Robot

ORDER = 4  # of the Butterworth filter, run forward and backward
HIGHEST = 0.4  # of the sampling frequency
MARGIN = 1.5  # periods of the bandwidth that are left out at either end
DISAGREEMENT = 0.5  # of the RMS: velocities that were measured and those of the positions
LEAST_SPEED = 0.02  # of the fastest: slower coordinates rest, and their noise is no motion


class SmoothedMotion(NamedTuple):
    """Position, velocity and acceleration at the times of a log."""

    position: Array
    velocity: Array
    acceleration: Array


def margin_of(log: Log, bandwidth: float) -> int:
    """Rows at either end that the filter does not know."""
    return int(MARGIN / (bandwidth * log.period)) + 1


def low_pass(rows: Array, period: float, bandwidth: float) -> Array:
    """Rows (N, ...) without what changes faster than the bandwidth [Hz], not delayed."""
    from scipy.signal import butter, sosfiltfilt

    sections = butter(ORDER, bandwidth, fs=1 / period, output="sos")
    padding = min(len(rows) - 1, int(3 / (bandwidth * period)))
    return np.asarray(sosfiltfilt(sections, rows, axis=0, padlen=padding))


def smoothed(robot: Robot, log: Log, bandwidth: float) -> SmoothedMotion:
    """The motion of a log without gaps; velocities and accelerations from positions if not measured."""
    position = low_pass(log.position, log.period, bandwidth)
    found = SmoothedMotion(*through_samples(log.time, position).at(log.time))
    if robot.coordinates.is_pose:
        found = SmoothedMotion(*pose_motion(*found))
    if log.velocity is not None:
        _refuse_disagreement(robot, log, found.velocity)
        velocity = low_pass(log.velocity, log.period, bandwidth)
        derived = through_samples(log.time, velocity).at(log.time)[1]
        found = found._replace(velocity=velocity, acceleration=derived)
    if log.acceleration is not None:
        measured = low_pass(log.acceleration, log.period, bandwidth)
        found = found._replace(acceleration=measured)
    return found


def _refuse_disagreement(robot: Robot, log: Log, derived: Array) -> None:
    """Velocities in degrees, of the motor's side or of another joint are found before they are used."""
    from linkwork.core.errors import InputError

    assert log.velocity is not None
    wrong = np.sqrt(((log.velocity - derived) ** 2).mean(axis=0))
    size = np.sqrt((derived**2).mean(axis=0))
    for k, name in enumerate(robot.velocities.names):
        if wrong[k] > DISAGREEMENT * size[k] and size[k] > LEAST_SPEED * size.max():
            raise InputError(
                f"{log.source}: the velocity column of {name} is not the derivative of its position "
                f"(RMS {np.sqrt((log.velocity[:, k] ** 2).mean()):.4g}, the position changes by "
                f"{size[k]:.4g} {robot.velocities.units[k]}). Check its unit, or leave the column out."
            )
