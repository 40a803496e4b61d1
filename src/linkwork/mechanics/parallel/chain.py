"""A leg as a chain of joint frames, and vectors that travel along it.

Frame k follows frame k-1 by Rx(alpha) Tx(a) Rz(theta) Tz(d) (common_normals.py). A revolute joint is
held as the pair (cos theta, sin theta), so that no kernel of the dynamics needs a trigonometric
function. Frame n belongs to the last link; what concerns the tip is written in it, where the Jacobian
is sparse.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np

from linkwork.mechanics.arm.minimal.common_normals import Step, skeleton
from linkwork.mechanics.arm.minimal.moments import moments
from linkwork.mechanics.expressions import SX, number, times, vector
from linkwork.robots.arm import ArmModel, Joint
from linkwork.robots.geometry import Array, Body, Transform, frozen
from linkwork.robots.parallel import ParallelLeg, ParallelModel
from linkwork.rotations import cosine_sine


@dataclass(frozen=True, eq=False)
class Chain:
    """Numbers of one leg: its steps, frame 0 in the base, and its tip in frame n.

    The tip is the point where the leg holds the platform, or the platform's frame if the leg is closed
    by six equations; `platform_point` is that point in the platform's frame.
    """

    leg: ParallelLeg
    steps: tuple[Step, ...]
    base: Transform
    tip: Transform
    platform_point: Array

    @property
    def n(self) -> int:
        return len(self.leg.joints)

    @property
    def equations(self) -> int:
        return 6 if self.leg.frame else 3

    def parameters(self) -> Array:
        """The moments of mass of all links, (steps, 10)."""
        return np.array([moments(step.body) for step in self.steps])

    def frames_at_home(self) -> list[Transform]:
        """Frames 1..n in the base."""
        here, frames = self.base, []
        for step in self.steps:
            (ct, st), (c, s) = step.twist, cosine_sine(step.theta)
            R = np.array([[c, -s, 0.0], [ct * s, ct * c, -st], [st * s, st * c, ct]])
            here = here @ Transform.of(R, [step.a, -st * step.d, ct * step.d])
            frames.append(here)
        return frames


def chain_of(leg: ParallelLeg, model: ParallelModel) -> Chain:
    frames = skeleton(_as_arm(leg, model))
    home, last = model.home_frame, leg.joints[-1].at
    at = home if leg.frame else Transform.of(None, leg.end.at)
    from_last = Transform.of(at.R, at.p - last)
    point = np.zeros(3) if leg.frame else home.R.T @ (leg.end.at - home.p)
    return Chain(leg, frames.steps, frames.base, frames.tip @ from_last, frozen(point))


def _as_arm(leg: ParallelLeg, model: ParallelModel) -> ArmModel:
    """All link frames are parallel to the base at home, at the points of the joints."""
    joints, before = [], np.zeros(3)
    for joint in leg.joints:
        body = joint.body
        carried = Body.of(body.mass, body.center_of_mass - joint.at, body.inertia)
        place = Transform.of(None, joint.at - before)
        joints.append(Joint(joint.name, joint.kind, place, joint.axis, 0.0, Transform(), carried))
        before = joint.at
    return ArmModel(leg.name, tuple(joints), model.gravity)


Turn = tuple[SX, SX]


@dataclass(frozen=True)
class Place:
    """Where the joints of a chain are: for every step the turn (c, s) and the height d."""

    turns: tuple[Turn, ...]
    heights: tuple[SX, ...]

    def with_step(self, k: int, turn: Turn | None = None, height: SX | None = None) -> Place:
        turns, heights = list(self.turns), list(self.heights)
        turns[k] = turns[k] if turn is None else turn
        heights[k] = heights[k] if height is None else height
        return Place(tuple(turns), tuple(heights))


def home_place(chain: Chain) -> Place:
    pairs = [cosine_sine(step.theta) for step in chain.steps]
    return Place(
        tuple((SX(c), SX(s)) for c, s in pairs),
        tuple(SX(step.d) for step in chain.steps),
    )


def untwisted(step: Step, v: SX) -> SX:
    """Components after the twist of a vector given before it."""
    c, s = step.twist
    return vector(v[0], c * v[1] + s * v[2], c * v[2] - s * v[1])


def twisted(step: Step, v: SX) -> SX:
    """Components before the twist of a vector given after it."""
    c, s = step.twist
    return vector(v[0], c * v[1] - s * v[2], s * v[1] + c * v[2])


def unturned(turn: Turn, v: SX) -> SX:
    """Components after a turn about z of a vector given before it."""
    c, s = turn
    return vector(c * v[0] + s * v[1], c * v[1] - s * v[0], v[2])


def turned(turn: Turn, v: SX) -> SX:
    c, s = turn
    return vector(c * v[0] - s * v[1], s * v[0] + c * v[1], v[2])


@dataclass(frozen=True, eq=False)
class Configuration:
    """A chain at a place: vectors go outwards (towards the tip) and inwards."""

    chain: Chain
    place: Place

    @property
    def steps(self) -> Sequence[Step]:
        return self.chain.steps

    def out(self, k: int, v: SX) -> SX:
        """Components in frame k of a vector in frame k-1."""
        return unturned(self.place.turns[k], untwisted(self.steps[k], v))

    def into(self, k: int, v: SX) -> SX:
        """Components in frame k-1 of a vector in frame k."""
        return twisted(self.steps[k], turned(self.place.turns[k], v))

    def origin(self, k: int) -> SX:
        """Of frame k, in frame k-1."""
        step, d = self.steps[k], self.place.heights[k]
        c, s = step.twist
        return vector(step.a, -s * d, c * d)

    def to_tip(self, v: SX, first: int = 0) -> SX:
        """Components in frame n of a vector in frame `first` - 1."""
        for k in range(first, len(self.steps)):
            v = self.out(k, v)
        return v

    def to_frame0(self, v: SX) -> SX:
        for k in reversed(range(len(self.steps))):
            v = self.into(k, v)
        return v

    def from_base(self, v: SX) -> SX:
        """Components in frame n of a vector in base axes."""
        return self.to_tip(times(number(self.chain.base.R.T), v))

    def to_base(self, v: SX) -> SX:
        return times(number(self.chain.base.R), self.to_frame0(v))

    def tips(self) -> list[SX]:
        """The tip's point seen from every frame k, in its components."""
        result = [number(self.chain.tip.p)]
        for k in reversed(range(1, len(self.steps))):
            result.append(self.origin(k) + self.into(k, result[-1]))
        return result[::-1]

    def tip_point(self) -> SX:
        """The tip's point in frame 0."""
        return self.origin(0) + self.into(0, self.tips()[0])

    def columns(self) -> list[SX]:
        """J by columns, one per joint of the leg: motion of the tip, frame n (linear, then angular)."""
        result: dict[int, SX] = {}
        for k, (step, tip) in enumerate(zip(self.steps, self.tips(), strict=True)):
            if step.kind == "fixed":
                continue
            z = step.sign * vector(0, 0, 1)
            if step.kind == "revolute":
                linear, angular = step.sign * vector(-tip[1], tip[0], 0), z
            else:
                linear, angular = z, SX.zeros(3)
            column = self.to_tip(linear, k + 1)
            if self.chain.leg.frame:
                column = ca.vertcat(column, self.to_tip(angular, k + 1))
            result[step.joint] = column
        return [result[joint] for joint in range(self.chain.n)]

    def angular_columns(self) -> list[SX]:
        """Angular velocity of the last link by joint, frame n."""
        result: dict[int, SX] = {}
        for k, step in enumerate(self.steps):
            if step.kind != "fixed":
                z = vector(0, 0, step.sign if step.kind == "revolute" else 0)
                result[step.joint] = self.to_tip(z, k + 1)
        return [result[joint] for joint in range(self.chain.n)]

    def joint_coordinates(self) -> list[SX]:
        """q of every joint, zero at home, right-handed."""
        result: dict[int, SX] = {}
        for step, (c, s), d in zip(self.steps, self.place.turns, self.place.heights, strict=True):
            if step.kind == "revolute":
                c0, s0 = cosine_sine(step.theta)
                result[step.joint] = step.sign * ca.atan2(s * c0 - c * s0, c * c0 + s * s0)
            elif step.kind == "prismatic":
                result[step.joint] = step.sign * (d - step.d)
        return [result[joint] for joint in range(self.chain.n)]
