"""Excursions from a center: amplitudes of joints, or of x y z roll pitch yaw, times signals."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from linkwork.core.errors import InputError
from linkwork.motion.inputs import vector
from linkwork.motion.profiles import Signal, SmoothStep, SweptSine, Turns
from linkwork.motion.spaces import JOINTS, POSES, Triple
from linkwork.motion.trajectory import (
    JointMotion,
    JointTrajectory,
    PoseMotion,
    PoseTrajectory,
    Trajectory,
    Values,
)
from linkwork.robot.robot import Array


class _Excursion(Trajectory[Values]):
    center: Array
    _parts: tuple[tuple[Array, Signal], ...]

    def __init__(self, center: ArrayLike, *parts: tuple[ArrayLike, Signal]) -> None:
        middle = self.space.center(center)
        durations = {signal.duration for _, signal in parts}
        if len(durations) != 1:
            raise InputError("the signals of an excursion must last equally long.")
        kept = tuple((vector(size, "amplitude", like=middle), signal) for size, signal in parts)
        self._keep(center=middle, _parts=kept, duration=durations.pop(), n=len(middle))

    def _inside(self, t: Array) -> Triple:
        values = [(amplitude, signal.at(t)) for amplitude, signal in self._parts]
        position, velocity, acceleration = (
            np.asarray(sum(part[k][:, None] * amplitude for amplitude, part in values)) for k in range(3)
        )
        return self.space.of_angles(self.center + position, velocity, acceleration)


class JointExcursion(_Excursion[JointMotion], JointTrajectory):
    """Joints about a center: the sum of amplitudes (n,), each times a signal."""


class PoseExcursion(_Excursion[PoseMotion], PoseTrajectory):
    """A platform about a center pose: amplitudes of x y z roll pitch yaw, each times a signal."""


Either = JointExcursion | PoseExcursion


def _about(poses: bool, center: ArrayLike, *parts: tuple[ArrayLike, Signal]) -> Either:
    return (PoseExcursion if poses else JointExcursion)(center, *parts)


def sine(
    center: ArrayLike, amplitude: ArrayLike, frequency: float, duration: float,
    fade: float | None = None, poses: bool = False,
) -> Either:  # fmt: skip
    """A sine that grows from rest and fades to it, each over one period unless said."""
    return sweep(center, amplitude, frequency, frequency, duration, fade, poses)


def sweep(
    center: ArrayLike, amplitude: ArrayLike, frequency: float, last_frequency: float, duration: float,
    fade: float | None = None, poses: bool = False,
) -> Either:  # fmt: skip
    """A sine whose frequency goes from one value to another: a chirp."""
    faded = min(1 / frequency, duration / 2) if fade is None and frequency > 0 else fade or 0.0
    return _about(poses, center, (amplitude, SweptSine(duration, frequency, last_frequency, faded)))


def step(
    center: ArrayLike, amplitude: ArrayLike, rise: float, duration: float, delay: float = 0.0,
    poses: bool = False,
) -> Either:  # fmt: skip
    """By the amplitude from one place to another, and staying there."""
    return _about(poses, center, (amplitude, SmoothStep(duration, rise, delay)))


def circle(
    center: ArrayLike, amplitude: ArrayLike, across: ArrayLike, duration: float, turns: float = 1.0,
    poses: bool = False,
) -> Either:  # fmt: skip
    """Once or more around the center, from rest to rest; `amplitude` and `across` span the ellipse.

    It starts at center + amplitude.
    """
    start = (POSES if poses else JOINTS).center(center)
    first = vector(amplitude, "amplitude", like=start)
    parts = ((first, Turns(duration, turns, cosine=True)), (across, Turns(duration, turns)))
    return _about(poses, start + first, *parts)
