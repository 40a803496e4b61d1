"""Scalar equations that close loops, each with the wrench pair that it may exert.

A closure between bodies a and b says what must vanish, how fast that changes with their motion, and what
a unit multiplier puts on both: the rate is the power of that wrench pair, which is why the backward
sweep of forces is the transpose of the forward sweep of velocities.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from linkwork.mechanics.expressions import SX, cross, number
from linkwork.mechanics.mechanism.planning.spanning import AXES, two_normals
from linkwork.mechanics.mechanism.universal import Tie
from linkwork.model.geometry import Array
from linkwork.model.mechanism import Cylinder, MechanismJoint, MechanismModel, Rod

if TYPE_CHECKING:
    from linkwork.mechanics.mechanism.state import MechanismState, SeenPoint
    from linkwork.mechanics.mechanism.wrenches import Wrenches


class Closure(ABC):
    """One scalar equation between the two bodies that an element of the mechanism joins."""

    element: Rod | Cylinder | MechanismJoint

    @property
    @abstractmethod
    def what(self) -> object:
        """Which of the element's equations it is."""

    @property
    def key(self) -> tuple[str, object]:
        return self.element.name, self.what

    @property
    def joins(self) -> tuple[str, str]:
        return self.element.joins

    @property
    def bodies(self) -> set[str]:
        return set(self.joins)

    @abstractmethod
    def unit(self, size: float) -> float:
        """What its rate is compared with, for a machine of a size."""

    @abstractmethod
    def home_wrenches(self, C: Array) -> Iterator[tuple[str, Array]]:
        """Body, and force and moment about the base origin that a unit multiplier puts on it at home.

        C are the axes of the frame in which both bodies are seen.
        """

    @abstractmethod
    def residual(self, state: MechanismState) -> SX: ...

    @abstractmethod
    def rate(self, state: MechanismState) -> SX: ...

    @abstractmethod
    def change(self, state: MechanismState) -> SX:
        """Second time derivative."""

    @abstractmethod
    def put(self, wrenches: Wrenches, multiplier: SX) -> None:
        """What the multiplier puts on both bodies."""


def _pair(
    joins: tuple[str, str], force: Array, at: Array, moment: Array | None = None
) -> Iterator[tuple[str, Array]]:
    turning = np.cross(at, force) if moment is None else moment
    wrench = np.concatenate([force, turning])
    yield joins[1], wrench
    yield joins[0], -wrench


@dataclass(frozen=True, eq=False)
class Length(Closure):
    """A rod, or a cylinder whose length is a coordinate: half the square of a distance is given."""

    element: Rod | Cylinder
    what = "length"

    def unit(self, size: float) -> float:
        return self.element.length * size

    def home_wrenches(self, C: Array) -> Iterator[tuple[str, Array]]:
        yield from _pair(self.joins, self.element.end - self.element.start, self.element.end)

    def residual(self, state: MechanismState) -> SX:
        a, b = state.both(self.element)
        return (ca.sumsqr(b.p - a.p) - state.length(self.element) ** 2) / 2

    def rate(self, state: MechanismState) -> SX:
        a, b = state.both(self.element)
        given = state.length(self.element) * state.length_rate(self.element)
        return ca.dot(b.p - a.p, b.v - a.v) - given

    def change(self, state: MechanismState) -> SX:
        a, b = state.both(self.element)
        v, Ld = b.v - a.v, state.length_rate(self.element)
        given = state.length(self.element) * state.length_acceleration(self.element) + Ld * Ld
        return ca.dot(b.p - a.p, b.a - a.a) + ca.sumsqr(v) - given

    def put(self, wrenches: Wrenches, multiplier: SX) -> None:
        a, b = wrenches.state.both(self.element)
        wrenches.add_pair(a, b, multiplier * (b.p - a.p))
        if isinstance(self.element, Cylinder):
            wrenches.felt(self.element.name, -wrenches.state.length(self.element) * multiplier)


@dataclass(frozen=True, eq=False)
class Gap(Closure):
    """One component of the distance between two points that a joint holds together.

    `direction` counts axes of the frame in which both bodies are seen.
    """

    element: MechanismJoint
    direction: int

    @property
    def what(self) -> int:
        return self.direction

    def unit(self, size: float) -> float:
        return size

    def home_wrenches(self, C: Array) -> Iterator[tuple[str, Array]]:
        yield from _pair(self.joins, C[:, self.direction], self.element.at)

    def residual(self, state: MechanismState) -> SX:
        a, b = state.both(self.element)
        return (b.p - a.p)[self.direction]

    def rate(self, state: MechanismState) -> SX:
        a, b = state.both(self.element)
        return (b.v - a.v)[self.direction]

    def change(self, state: MechanismState) -> SX:
        a, b = state.both(self.element)
        return (b.a - a.a)[self.direction]

    def put(self, wrenches: Wrenches, multiplier: SX) -> None:
        force = SX.zeros(3, 1)
        force[self.direction] = multiplier
        wrenches.add_pair(*wrenches.state.both(self.element), force)


@dataclass(frozen=True, eq=False)
class Plane(Closure):
    """A cylinder on a pin stays in the plane across the pin, which is fixed in a."""

    element: Cylinder
    what = "plane"

    @property
    def axis(self) -> Array:
        assert self.element.axis is not None
        return self.element.axis

    def unit(self, size: float) -> float:
        return size

    def home_wrenches(self, C: Array) -> Iterator[tuple[str, Array]]:
        yield from _pair(self.joins, self.axis, self.element.end)

    def _motion(self, state: MechanismState) -> tuple[SeenPoint, SeenPoint, SX]:
        a, b = state.both(self.element)
        return a, b, state.seen_direction(a, self.axis)

    def residual(self, state: MechanismState) -> SX:
        a, b, k = self._motion(state)
        level = float(self.axis @ (self.element.end - self.element.start))
        return ca.dot(k, b.p - a.p) - level

    def rate(self, state: MechanismState) -> SX:
        a, b, k = self._motion(state)
        return ca.dot(k, b.v - a.v) + ca.dot(cross(a.w, k), b.p - a.p)

    def change(self, state: MechanismState) -> SX:
        a, b, k = self._motion(state)
        kd = cross(a.w, k)
        kdd = cross(a.al, k) + cross(a.w, kd)
        return ca.dot(k, b.a - a.a) + 2 * ca.dot(kd, b.v - a.v) + ca.dot(kdd, b.p - a.p)

    def put(self, wrenches: Wrenches, multiplier: SX) -> None:
        a, b, k = self._motion(wrenches.state)
        force = multiplier * k
        wrenches.add(b, force)
        wrenches.add(a, -force, -cross(b.p - a.p, force))


@dataclass(frozen=True, eq=False)
class Level(Closure):
    """The cosine between a direction of a and one of b is that at home."""

    element: MechanismJoint
    of_a: Array
    of_b: Array

    @property
    def what(self) -> object:
        return tuple(self.of_a), tuple(self.of_b)

    def unit(self, size: float) -> float:
        return 1.0

    def home_wrenches(self, C: Array) -> Iterator[tuple[str, Array]]:
        yield from _pair(self.joins, np.zeros(3), self.element.at, np.cross(self.of_b, self.of_a))

    def _motion(self, state: MechanismState) -> tuple[SeenPoint, SeenPoint, SX, SX]:
        a, b = state.both(self.element)
        return a, b, state.seen_direction(a, self.of_a), state.seen_direction(b, self.of_b)

    def residual(self, state: MechanismState) -> SX:
        _, _, n, m = self._motion(state)
        return ca.dot(n, m) - float(self.of_a @ self.of_b)

    def rate(self, state: MechanismState) -> SX:
        a, b, n, m = self._motion(state)
        return ca.dot(b.w - a.w, cross(m, n))

    def change(self, state: MechanismState) -> SX:
        a, b, n, m = self._motion(state)
        nd, md = cross(a.w, n), cross(b.w, m)
        fast = ca.dot(cross(a.w, nd), m) + 2 * ca.dot(nd, md) + ca.dot(n, cross(b.w, md))
        return ca.dot(b.al - a.al, cross(m, n)) + fast

    def put(self, wrenches: Wrenches, multiplier: SX) -> None:
        a, b, n, m = self._motion(wrenches.state)
        wrenches.add_pair(a, b, SX.zeros(3, 1), multiplier * cross(m, n))


@dataclass(frozen=True, eq=False)
class Twist(Closure):
    """A rod between two universal joints hands on the turn about itself."""

    element: Rod
    what = "twist"

    def unit(self, size: float) -> float:
        return self.element.length

    def ties(self, state: MechanismState) -> tuple[SeenPoint, SeenPoint, Tie, Tie]:
        assert self.element.axis is not None
        assert self.element.far_axis is not None
        a, b = state.both(self.element)
        S, L = b.p - a.p, self.element.length
        near, far = (
            state.seen_direction(a, self.element.axis),
            state.seen_direction(b, self.element.far_axis),
        )
        return a, b, Tie(S, near, L), Tie(S, far, L)

    def home_wrenches(self, C: Array) -> Iterator[tuple[str, Array]]:
        rod = self.element
        assert rod.axis is not None
        assert rod.far_axis is not None
        S = number(rod.end - rod.start)
        near, far = Tie(S, number(rod.axis), rod.length), Tie(S, number(rod.far_axis), rod.length)
        force, *moments = (
            np.array(ca.DM(each)).ravel()
            for each in (near.swing - far.swing, rod.length * near.turn, -rod.length * far.turn)
        )
        for body, at, push, moment in (
            (rod.joins[0], rod.start, -force, moments[0]),
            (rod.joins[1], rod.end, force, moments[1]),
        ):
            yield body, np.concatenate([push, np.cross(at, push) + moment])

    def residual(self, state: MechanismState) -> SX:
        _, _, near, far = self.ties(state)
        rod = self.element
        assert rod.axis is not None
        assert rod.far_axis is not None
        s0 = rod.end - rod.start
        n0, f0 = np.cross(rod.axis, s0), np.cross(rod.far_axis, s0)
        cosine, sine = float(n0 @ f0), float(s0 @ np.cross(n0, f0)) / rod.length
        size = float(np.hypot(cosine, sine))
        across = ca.sqrt(near.inverse * far.inverse)
        turned = ca.dot(near.S, cross(near.n, far.n)) * (cosine / size)
        straight = rod.length * ca.dot(near.n, far.n) * (sine / size)
        return (straight - turned) * across  # its rate is L times that of the turn between both axes

    def rate(self, state: MechanismState) -> SX:
        a, b, near, far = self.ties(state)
        return near.rate(a.w, b.v - a.v) - far.rate(b.w, b.v - a.v)

    def change(self, state: MechanismState) -> SX:
        a, b, near, far = self.ties(state)
        Sd, Sdd = b.v - a.v, b.a - a.a
        one, other = (
            near.motion(a.w, a.al, a.w, a.al, Sd, Sdd),
            far.motion(b.w, b.al, b.w, b.al, Sd, Sdd),
        )
        return one.change - other.change

    def put(self, wrenches: Wrenches, multiplier: SX) -> None:
        a, b, near, far = self.ties(wrenches.state)
        force, L = multiplier * (near.swing - far.swing), self.element.length
        wrenches.add(b, force, -multiplier * L * far.turn)
        wrenches.add(a, -force, multiplier * L * near.turn)


def closures_of(model: MechanismModel, used: set[str]) -> list[Closure]:
    """Equations of everything that does not place a body, the cheapest first."""
    given = {each.name for each in model.coordinates}
    found: list[Closure] = [Length(rod) for rod in model.rods]
    found += [Length(each) for each in model.cylinders if each.name in given]
    found += [Twist(r) for r in model.rods if r.axis is not None and r.far_axis is not None]
    found += [Plane(each) for each in model.cylinders if each.hinge == "revolute"]
    closing = [joint for joint in model.joints if joint.name not in used]
    found += [Gap(joint, k) for joint in closing for k in range(3) if joint.kind != "prismatic"]
    for joint in closing:
        found += [Level(joint, a, b) for a, b in _levels(joint)]
    return found


def _levels(joint: MechanismJoint) -> list[tuple[Array, Array]]:
    """Directions of both bodies whose angle a joint keeps."""
    match joint.kind:
        case "revolute":
            return [(normal, joint.axes[0]) for normal in two_normals(joint.axes[0])]
        case "universal":
            return [(joint.axes[0], joint.axes[1])]
        case "fixed" | "prismatic":
            return [(AXES[k], AXES[(k + 1) % 3]) for k in range(3)]
        case _:
            return []
