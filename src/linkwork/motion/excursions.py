"""Excursions from a center: amplitudes of joints, or of x y z roll pitch yaw, times signals."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from linkwork.errors import InputError
from linkwork.interface.robot import Array
from linkwork.motion.inputs import vector
from linkwork.motion.signals import Signal, Step, Sweep, Turns
from linkwork.motion.trajectory import JointTrajectory, PoseTrajectory
from linkwork.robots.geometry import frozen
from linkwork.rotations import angular_motion, from_angles, to_angles

Parts = tuple[tuple[Array, Signal], ...]


def _parts(center: Array, parts: list[tuple[ArrayLike, Signal]]) -> Parts:
    if len({signal.duration for _, signal in parts}) != 1:
        raise InputError("the signals of an excursion must last equally long.")
    return tuple((vector(amplitude, "amplitude", like=center), signal) for amplitude, signal in parts)


def _sum(center: Array, parts: Parts, t: Array) -> tuple[Array, Array, Array]:
    values = [(amplitude, signal.at(t)) for amplitude, signal in parts]
    position, velocity, acceleration = (
        sum(part[k][:, None] * amplitude for amplitude, part in values) for k in range(3)
    )
    return np.asarray(center + position), np.asarray(velocity), np.asarray(acceleration)


class Excursion(JointTrajectory):
    """Joints about a center: the sum of amplitudes (n,), each times a signal."""

    center: Array

    def __init__(self, center: ArrayLike, *parts: tuple[ArrayLike, Signal]) -> None:
        middle = vector(center, "center")
        kept = _parts(middle, list(parts))
        self._keep(center=middle, _parts=kept, duration=kept[0][1].duration, n=len(middle))

    def _inside(self, t: Array) -> tuple[Array, Array, Array]:
        return _sum(self.center, self._parts, t)  # type: ignore[attr-defined]


class PoseExcursion(PoseTrajectory):
    """A platform about a center pose: amplitudes of x y z roll pitch yaw, each times a signal."""

    center: Array

    def __init__(self, center: ArrayLike, *parts: tuple[ArrayLike, Signal]) -> None:
        middle = six_numbers(center)
        kept = _parts(middle, list(parts))
        self._keep(center=middle, _parts=kept, duration=kept[0][1].duration)

    def _inside(self, t: Array) -> tuple[Array, Array, Array]:
        position, velocity, acceleration = _sum(self.center, self._parts, t)  # type: ignore[attr-defined]
        turning, second = angular_motion(position[:, 3:], velocity[:, 3:], acceleration[:, 3:])
        return (
            np.concatenate([position[:, :3], from_angles(position[:, 3:])], axis=1),
            np.concatenate([velocity[:, :3], turning], axis=1),
            np.concatenate([acceleration[:, :3], second], axis=1),
        )


def six_numbers(pose: ArrayLike) -> Array:
    """A pose as x y z roll pitch yaw."""
    row = vector(pose, "center")
    if len(row) == 7:
        return frozen(np.concatenate([row[:3], to_angles(row[3:])]))
    if len(row) != 6:
        raise InputError(f"center has {len(row)} numbers; a pose has x y z roll pitch yaw.")
    return row


Center = ArrayLike
Either = Excursion | PoseExcursion


def sine(
    kind: type[Either], center: Center, amplitude: ArrayLike, frequency: float, duration: float,
    fade: float | None = None,
) -> Either:  # fmt: skip
    """A sine that grows from rest and fades to it, each over one period unless said."""
    return sweep(kind, center, amplitude, frequency, frequency, duration, fade)


def sweep(
    kind: type[Either], center: Center, amplitude: ArrayLike, frequency: float, last_frequency: float,
    duration: float, fade: float | None = None,
) -> Either:  # fmt: skip
    """A sine whose frequency goes from one value to another: a chirp."""
    faded = min(1 / frequency, duration / 2) if fade is None and frequency > 0 else fade or 0.0
    return kind(center, (amplitude, Sweep(duration, frequency, last_frequency, faded)))


def step(
    kind: type[Either], center: Center, amplitude: ArrayLike, rise: float, duration: float,
    delay: float = 0.0,
) -> Either:  # fmt: skip
    """By the amplitude from one place to another, and staying there."""
    return kind(center, (amplitude, Step(duration, rise, delay)))


def circle(
    kind: type[Either], center: Center, amplitude: ArrayLike, across: ArrayLike, duration: float,
    turns: float = 1.0,
) -> Either:  # fmt: skip
    """Once or more around the center, from rest to rest; `amplitude` and `across` span the ellipse.

    It starts at center + amplitude.
    """
    start = np.asarray(center) if kind is Excursion else six_numbers(center)
    first = vector(amplitude, "amplitude", like=vector(start, "center"))
    parts = ((first, Turns(duration, turns, cosine=True)), (across, Turns(duration, turns)))
    return kind(start + first, *parts)
