"""Excursions from a center: amplitudes of joints, or of x y z roll pitch yaw, times signals."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from linkwork.core.arguments import not_negative, numbers, positive
from linkwork.core.errors import InputError
from linkwork.motion.inputs import vector
from linkwork.motion.profiles import ROUNDING, Signal, SmoothStep, SmoothSteps, SweptSine, Turns
from linkwork.motion.spaces import JOINTS, POSES, Triple
from linkwork.motion.trajectory import (
    JointMotion,
    JointTrajectory,
    PoseMotion,
    PoseTrajectory,
    Trajectory,
    Values,
)
from linkwork.robot.robot import Array, Robot

MOST_COMBINED = 6  # coordinates: 64 corners


class Excursion(Trajectory[Values]):
    """Coordinates about a center."""

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
        position, velocity, acceleration = self.away(t)
        return self.space.of_angles(self.center + position, velocity, acceleration)

    def away(self, t: Array) -> Triple:
        """Displacement from the center, by joints or by x y z roll pitch yaw, at times (N,) within the
        duration, with its two derivatives."""
        values = [(amplitude, signal.at(t)) for amplitude, signal in self._parts]
        position, velocity, acceleration = (
            np.asarray(sum(part[k][:, None] * amplitude for amplitude, part in values)) for k in range(3)
        )
        return position, velocity, acceleration


class JointExcursion(Excursion[JointMotion], JointTrajectory):
    """Joints about a center: the sum of amplitudes (n,), each times a signal."""


class PoseExcursion(Excursion[PoseMotion], PoseTrajectory):
    """A platform about a center pose: amplitudes of x y z roll pitch yaw, each times a signal."""


Either = JointExcursion | PoseExcursion


def _about(poses: bool, center: ArrayLike, *parts: tuple[ArrayLike, Signal]) -> Either:
    return (PoseExcursion if poses else JointExcursion)(center, *parts)


def at_rest(robot: Robot, duration: float = 1.0) -> Either:
    """A motion that stays at home, for what is asked of a controller about rest."""
    pose = robot.coordinates.is_pose
    home = robot.coordinates.to_angles(robot.home) if pose else robot.home
    return _about(pose, home, (np.zeros(len(home)), SmoothStep(duration, duration)))


def sine(
    center: ArrayLike, amplitude: ArrayLike, frequency: ArrayLike, duration: float,
    fade: float | None = None, phase: ArrayLike = 0.0, poses: bool = False,
) -> Either:  # fmt: skip
    """A sine that grows from rest and fades to it, over its first and last period unless said.

    Frequency [Hz] and phase [rad] are one number or one for each coordinate.
    """
    return sweep(center, amplitude, frequency, frequency, duration, fade, phase, poses)


def sweep(
    center: ArrayLike, amplitude: ArrayLike, frequency: ArrayLike, last_frequency: ArrayLike,
    duration: float, fade: float | None = None, phase: ArrayLike = 0.0, poses: bool = False,
) -> Either:  # fmt: skip
    """A sine whose frequency goes from one value to another: a chirp."""
    sizes = vector(amplitude, "amplitude")
    given = (("frequency", frequency), ("last_frequency", last_frequency), ("phase", phase))
    rows = np.stack([_of_each(value, name, len(sizes)) for name, value in given], axis=1)
    alike: dict[tuple[float, ...], Array] = {}
    for k in np.flatnonzero(sizes).tolist() or [0]:
        alike.setdefault(tuple(rows[k].tolist()), np.zeros(len(sizes)))[k] = sizes[k]
    parts = [
        (part, SweptSine(duration, first, last, fade, start))
        for (first, last, start), part in alike.items()
    ]
    return _about(poses, center, *parts)


def _of_each(value: ArrayLike, name: str, count: int) -> Array:
    """One number for each coordinate."""
    found = numbers(value, name)
    if found.shape not in ((), (count,)):
        raise InputError(
            f"{name} has shape {found.shape}; expected one number or {count}, one for each coordinate."
        )
    return np.broadcast_to(found, (count,))


def combined(
    center: ArrayLike, amplitude: ArrayLike, rise: float, dwell: float = 0.0, poses: bool = False
) -> Either:
    """To every corner of combined excursions and back: all coordinates at an end at once.

    From corner to corner one coordinate goes from one end to the other (a Gray code); every move takes
    `rise` [s], at every corner it rests for `dwell` [s].
    """
    sizes = vector(amplitude, "amplitude")
    moving = np.flatnonzero(sizes).tolist()
    if not 0 < len(moving) <= MOST_COMBINED:
        raise InputError(
            f"amplitude: {len(moving)} coordinates move; expected 1 to {MOST_COMBINED} together."
        )
    pace = positive(rise, "rise", "s") + not_negative(dwell, "dwell", "s")
    codes = [k ^ (k >> 1) for k in range(2 ** len(moving))]
    corners = [[0.0] * len(moving)]
    corners += [[1.0 if code >> j & 1 == 0 else -1.0 for j in range(len(moving))] for code in codes]
    corners.append(corners[0])
    duration = (len(corners) - 1) * pace
    parts = []
    for j, k in enumerate(moving):
        steps = tuple(
            (number * pace, rise, after[j] - before[j])
            for number, (before, after) in enumerate(pairwise(corners))
            if after[j] != before[j]
        )
        parts.append((sizes[k] * np.eye(len(sizes))[k], SmoothSteps(duration, steps)))
    return _about(poses, center, *parts)


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


class JointPickAndPlace(Excursion[JointMotion], JointTrajectory):
    """Pick and place by joints."""


class PosePickAndPlace(Excursion[PoseMotion], PoseTrajectory):
    """Pick and place by poses."""


def pick_and_place(
    pick: ArrayLike, place: ArrayLike, lift: ArrayLike, duration: float | None = None,
    per_minute: float | None = None, round_trip: bool = False, cycles: int = 1, blend: float = 0.5,
    dwell: float = 0.0, payload: float = 0.0, poses: bool = False,
) -> JointPickAndPlace | PosePickAndPlace:  # fmt: skip
    """From `pick` over `lift` above both to `place`, at rest at both ends; of joints or of poses.

    Up, across and down are steps of least jerk, each as long as its peak acceleration is that of the
    others. They are added, so that no height or way is exceeded, and overlap by the share `blend` of
    the time that going up takes: 0 stops at the corners, 1 goes up and across at once.

    Args:
        duration: [s] of a cycle; or
        per_minute: cycles per minute.
        round_trip: back the same way, without load, as part of the cycle.
        cycles: one after another, each of which begins at `pick`; more than one needs `round_trip`.
        dwell: [s] at rest at `pick` before and at `place` after the way there.
        payload: [kg] at the tool, on the way from `pick` to `place` only.
    """
    if duration is not None and per_minute is None:
        cycle = positive(duration, "duration", "s")
    elif per_minute is not None and duration is None:
        cycle = 60 / positive(per_minute, "per_minute", "1/min")
    else:
        raise InputError("a pick and place takes either duration or per_minute.")
    if cycles > 1 and not round_trip:
        raise InputError(f"cycles = {cycles} begin where they end; add round_trip: true.")
    space = POSES if poses else JOINTS
    first = space.center(pick)
    up = vector(lift, "lift", like=first)
    across = vector(space.center(place), "place", like=first) - first
    way = (cycle - 2 * dwell) / (2 if round_trip else 1)
    if way <= 0:
        raise InputError(f"dwell = {dwell:g} s: two of them take all of a cycle of {cycle:g} s.")
    high, far = (float(np.sqrt(np.linalg.norm(each))) for each in (up, across))
    scale = way / (2 * high * (1 - blend) + far) if high or far else 0.0
    rise, over = scale * high, scale * far
    if 2 * rise > way * (1 + ROUNDING):
        most = far / (2 * high)
        raise InputError(
            f"blend = {blend:g}: down would begin before up has ended; expected up to {most:.3g}."
        )
    heights, ways, carried = [], [], []
    for k in range(cycles):
        start = k * cycle + dwell
        carried.append(((start, payload), (start + way, 0.0)))
        for direction in (1.0, -1.0) if round_trip else (1.0,):
            heights += [(start, rise, 1.0), (start + way - rise, rise, -1.0)]
            ways.append((start + rise * (1 - blend), over, direction))
            start += way + dwell
    total = cycles * cycle
    parts = [
        (size, SmoothSteps(total, tuple(step for step in steps if step[1])))
        for size, steps in ((up, heights), (across, ways))
        if np.any(size)
    ]
    if not parts:
        raise InputError("pick and place are the same place, and lift is nothing.")
    motion = (PosePickAndPlace if poses else JointPickAndPlace)(first, *parts)
    if payload:
        motion._keep(payload_changes=tuple(change for span in carried for change in span))
    return motion
