"""Velocities and accelerations from measured positions, by a filter without phase."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from linkwork.core.rotations import pose_motion
from linkwork.identification.logs import Log, with_unit_quaternions
from linkwork.motion.spaces import through_samples
from linkwork.robot.robot import Array, Robot

ORDER = 4  # of the Butterworth filter, run forward and backward
HIGHEST = 0.4  # of the sampling frequency
MARGIN = 1.5  # periods of the bandwidth that are left out at either end


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


def motion_at(robot: Robot, time: Array, motion: SmoothedMotion, when: Array) -> SmoothedMotion:
    """A smoothed motion between its rows."""
    position, velocity, acceleration = (through_samples(time, rows).at(when)[0] for rows in motion)
    if robot.coordinates.is_pose:
        position = with_unit_quaternions(position)
    return SmoothedMotion(position, velocity, acceleration)


def smoothed(robot: Robot, log: Log, bandwidth: float) -> SmoothedMotion:
    """The motion of a log without gaps; velocities and accelerations from positions if not measured."""
    position = low_pass(log.position, log.period, bandwidth)
    found = SmoothedMotion(*through_samples(log.time, position).at(log.time))
    if robot.coordinates.is_pose:
        found = SmoothedMotion(*pose_motion(*found))
    if log.velocity is not None:
        velocity = low_pass(log.velocity, log.period, bandwidth)
        derived = through_samples(log.time, velocity).at(log.time)[1]
        found = found._replace(velocity=velocity, acceleration=derived)
    if log.acceleration is not None:
        measured = low_pass(log.acceleration, log.period, bandwidth)
        found = found._replace(acceleration=measured)
    return found
