"""Motions made of others: sums of excursions, and one after another."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from linkwork.core.arguments import not_negative, whole
from linkwork.core.errors import InputError
from linkwork.motion.excursions import Excursion
from linkwork.motion.spaces import Triple
from linkwork.motion.trajectory import (
    JointMotion,
    JointTrajectory,
    Motion,
    PoseMotion,
    PoseTrajectory,
    Trajectory,
    Values,
)
from linkwork.robot.robot import Array

JOINED = 1e-6  # [m], [rad] and per second: where one motion ends and the next begins
MOST = 10_000


class _Sum(Trajectory[Values]):
    parts: tuple[Trajectory[Values], ...]

    def __init__(self, parts: Sequence[Any]) -> None:
        own = _checked(self, parts)
        for number, part in enumerate(own, start=1):
            if self.space.kind == "pose" and not isinstance(part, Excursion):
                raise InputError(
                    f"sum: part {number}, {part!r}, is not an excursion about a center; expected "
                    "sine, sweep, step, circle, combined, pick-and-place and psd."
                )
        changes = [part.payload_changes for part in own if part.payload_changes]
        if len(changes) > 1:
            raise InputError("sum: several parts carry a payload; one may.")
        duration = max(part.duration for part in own)
        self._keep(parts=own, duration=duration, n=own[0].n)
        self._keep(payload_changes=changes[0] if changes else ())

    def _inside(self, t: Array) -> Triple:
        rows = [self._away(part, t) for part in self.parts]
        position, velocity, acceleration = (np.sum(each, axis=0) for each in zip(*rows, strict=True))
        first = self.parts[0]
        center = first.center if isinstance(first, Excursion) else first.at(0.0)[0]
        return self.space.of_angles(center + position, velocity, acceleration)

    def _away(self, part: Trajectory[Values], t: Array) -> Triple:
        """Displacement of a part from its center or its start; it rests when it is over."""
        over = t > part.duration
        if isinstance(part, Excursion):
            position, velocity, acceleration = part.away(np.minimum(t, part.duration))
            velocity[over] = acceleration[over] = 0.0
            return position, velocity, acceleration
        position, velocity, acceleration = part.at(t)
        return position - part.at(0.0)[0], velocity, acceleration


class JointSum(_Sum[JointMotion], JointTrajectory):
    """The first motion, and what others add to it."""


class PoseSum(_Sum[PoseMotion], PoseTrajectory):
    """An excursion of a platform, and what others add to it, by x y z roll pitch yaw."""


class _Sequence(Trajectory[Values]):
    parts: tuple[Trajectory[Values], ...]
    pause: float
    _starts: Array
    _signs: Array

    def __init__(self, parts: Sequence[Any], pause: float = 0.0, repeat: int = 1) -> None:
        own = _checked(self, parts) * whole(repeat, "repeat", 1, MOST)
        rest = not_negative(pause, "pause", "s")
        for number, (one, other) in enumerate(pairwise(own), start=1):
            self._refuse_gap(number, one, other)
        spans = [part.duration for part in own]
        starts = np.concatenate([[0.0], np.cumsum(np.array(spans[:-1]) + rest)])
        self._keep(parts=own, pause=rest, _starts=starts, n=own[0].n)
        self._keep(duration=float(starts[-1] + spans[-1]))
        self._keep(_signs=self._found_signs() if self.space.kind == "pose" else np.ones(len(own)))
        loads = tuple(
            (float(start) + when, mass)
            for start, part in zip(starts, own, strict=True)
            for when, mass in part.payload_changes
        )
        self._keep(payload_changes=loads)

    def _refuse_gap(self, number: int, one: Trajectory[Values], other: Trajectory[Values]) -> None:
        end, begin = one.at(one.duration), other.at(0.0)
        position, start = end[0], begin[0]
        if self.space.kind == "pose" and position[3:] @ start[3:] < 0:
            start = np.concatenate([start[:3], -start[3:]])
        gap = float(np.abs(position - start).max())
        jump = float(np.abs(end[1] - begin[1]).max())
        if gap > JOINED or jump > JOINED:
            what = f"{gap:.3g} away" if gap > JOINED else f"with a velocity that jumps by {jump:.3g}"
            raise InputError(
                f"sequence: part {number + 1} begins {what} from where part {number} ends; let it begin "
                "there, or put a motion between."
            )

    def _inside(self, t: Array) -> Triple:
        places = np.searchsorted(self._starts, t, side="right") - 1
        found: list[Array] = []
        for k, part in enumerate(self.parts):
            here = places == k
            position, velocity, acceleration = part.at(t[here] - self._starts[k])
            if self.space.kind == "pose":
                position[:, 3:] *= self._signs[k]
            if not found:
                found = [
                    np.empty((len(t), each.shape[1])) for each in (position, velocity, acceleration)
                ]
            for whole_array, own in zip(found, (position, velocity, acceleration), strict=True):
                whole_array[here] = own
        return found[0], found[1], found[2]

    def _found_signs(self) -> Array:
        """By which quaternions of every part go on where those before have ended."""
        signs = [1.0]
        for one, other in pairwise(self.parts):
            same = one.at(one.duration)[0][3:] @ other.at(0.0)[0][3:]
            signs.append(signs[-1] * (1.0 if same >= 0 else -1.0))
        return np.array(signs)


class JointSequence(_Sequence[JointMotion], JointTrajectory):
    """Motions of joints one after another, each from where the one before has ended."""


class PoseSequence(_Sequence[PoseMotion], PoseTrajectory):
    """Motions of a platform one after another, each from where the one before has ended."""


def _checked(made: Trajectory[Any], parts: Sequence[Any]) -> tuple[Any, ...]:
    """Motions of one kind, with as many numbers each."""
    own = tuple(parts)
    if not own:
        raise InputError("parts: there are none; expected one motion or more.")
    for part in own:
        if not isinstance(part, Trajectory) or part.space is not made.space or part.n != own[0].n:
            raise InputError(
                f"parts: {part!r} is not a {made.kind} trajectory like the first, {own[0]!r}."
            )
    return own


def summed(parts: Sequence[Motion]) -> Motion:
    """The first motion, and what the others add to it."""
    return _as(parts, PoseSum, JointSum)(parts)


def sequence(parts: Sequence[Motion], pause: float = 0.0, repeat: int = 1) -> Motion:
    """Motions one after another, with a pause [s] between, `repeat` times."""
    return _as(parts, PoseSequence, JointSequence)(parts, pause, repeat)


def _as(parts: Sequence[Motion], poses: Any, joints: Any) -> Any:
    return poses if parts and isinstance(parts[0], PoseTrajectory) else joints
