"""Velocities and accelerations from measured positions, by a filter without phase.

The bandwidth is the one with the least expected error of the accelerations: what the filter takes from
the motion against what noise it lets through, both from the spectrum of the positions themselves.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from linkwork.core.rotations import pose_motion
from linkwork.identification.logs import Log
from linkwork.motion.spaces import through_samples
from linkwork.robot.robot import Array, Robot

ORDER = 4  # of the Butterworth filter, run forwards and backwards
CANDIDATES = 80
HIGHEST = 0.4  # of the sampling frequency
LOWEST_CYCLES = 8.0  # in the whole log
MARGIN = 1.5  # periods of the bandwidth that are left out at either end
LEAST_MOVING = 1e-9  # of the greatest coordinate: rest
# Quantised positions repeat; the spectrum of noise is looked at above this share of all frequencies.
NOISE_BAND = 0.6
DISAGREEMENT = 0.5  # of the RMS: velocities that were measured and those of the positions


class SmoothedMotion(NamedTuple):
    """Position, velocity and acceleration at the times of a log."""

    position: Array
    velocity: Array
    acceleration: Array


def gain(frequency: Array, bandwidth: float) -> Array:
    """Of the filter, run both ways."""
    return np.asarray(1 / (1 + (frequency / bandwidth) ** (2 * ORDER)))


def chosen_bandwidth(log: Log) -> float:
    """The bandwidth [Hz] with the least expected error of the accelerations."""
    from scipy.signal import welch

    rate = 1 / log.period
    second = np.diff(log.position, 2, axis=0) * rate**2
    parts = min(len(second), max(256, len(second) // 4))
    frequency, power = welch(second, rate, nperseg=parts, axis=0)
    frequency, power = frequency[1:], power[1:]
    # White noise of a position has this spectrum in its second differences.
    shape = (2 * np.sin(np.pi * frequency / rate)) ** 4
    high = frequency > NOISE_BAND * frequency[-1]
    noise = shape[:, None] * np.median(power[high] / shape[high][:, None], axis=0)
    motion = np.maximum(power - 3 * noise, 0.0)
    total = motion.sum(axis=0)
    moving = total > LEAST_MOVING * total.max(initial=0.0)
    motion, noise = motion[:, moving] / total[moving], noise[:, moving] / total[moving]
    lowest = LOWEST_CYCLES / (log.period * len(log.position))
    candidates = np.geomspace(lowest, HIGHEST * rate, CANDIDATES)
    errors = []
    for candidate in candidates:
        passed = gain(frequency, float(candidate))[:, None]
        errors.append(float(((1 - passed) ** 2 * motion + passed**2 * noise).sum()))
    return float(candidates[int(np.argmin(errors))])


def low_pass(rows: Array, period: float, bandwidth: float) -> Array:
    """Rows (N, ...) without what changes faster than the bandwidth [Hz], not delayed."""
    from scipy.signal import butter, sosfiltfilt

    sections = butter(ORDER, bandwidth, fs=1 / period, output="sos")
    padding = min(len(rows) - 1, int(3 / (bandwidth * period)))
    return np.asarray(sosfiltfilt(sections, rows, axis=0, padlen=padding))


def smoothed(robot: Robot, log: Log, bandwidth: float) -> SmoothedMotion:
    """The motion of a log; velocities and accelerations of its positions unless it has them."""
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
        if wrong[k] > DISAGREEMENT * size[k] and size[k] > 1e-3 * size.max():
            raise InputError(
                f"{log.source}: the velocity column of {name} is not the derivative of its position "
                f"(RMS {np.sqrt((log.velocity[:, k] ** 2).mean()):.4g}, the position changes by "
                f"{size[k]:.4g} {robot.velocities.units[k]}). Check its unit, or leave the column out."
            )
