"""From the numbers of a robot's position and velocity to the coordinates of its mechanism, and back.

Joint coordinates count from home, pose coordinates are absolute. A body with all six pose coordinates
has a twist for velocity. Where roll, pitch and yaw of a body are coordinates one after the other, a
unit quaternion w x y z may stand in their place; velocities are then angular, in the axes that the pose
is seen from. A position has quaternions for no such body, for those with all six, or for all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import casadi as ca
import numpy as np

from linkwork.core.rotations import from_angles
from linkwork.mechanics.expressions import SX, quaternion_rate, rotation_wxyz, turned_by, zeros
from linkwork.mechanics.mechanism.planning.spanning import home_value
from linkwork.mechanics.mechanism.state import Inputs
from linkwork.model.geometry import Array
from linkwork.model.mechanism import POSE, MechanismModel

ROTATIONS = POSE[3:]


def names_of(model: MechanismModel) -> tuple[str, ...]:
    return tuple(each.name for each in model.coordinates)


def turned_bodies(model: MechanismModel) -> dict[str, int]:
    """Bodies whose roll, pitch and yaw follow each other in the coordinates, and the place of roll."""
    poses = [(each.of, each.pose) for each in model.coordinates]
    return {
        body: k
        for k, (body, pose) in enumerate(poses)
        if pose == ROTATIONS[0] and poses[k : k + 3] == [(body, name) for name in ROTATIONS]
    }


def free_bodies(model: MechanismModel) -> frozenset[str]:
    """Bodies with all six pose coordinates, whose velocities are twists."""
    counts: dict[str, int] = {}
    for each in model.coordinates:
        if each.pose is not None:
            counts[each.of] = counts.get(each.of, 0) + 1
    return frozenset(body for body, count in counts.items() if count == len(POSE))


@dataclass(frozen=True, eq=False)
class CoordinateLayout:
    """Where the numbers of a position of one size stand: coordinates by number, quaternions by body."""

    model: MechanismModel
    places: tuple[int, ...]
    quaternions: Mapping[str, int]
    size: int

    @staticmethod
    def of(model: MechanismModel, size: int) -> CoordinateLayout:
        """The layout of positions of a size that is one of `sizes`."""
        extra = size - len(model.coordinates)
        turned, free = turned_bodies(model), free_bodies(model)
        six = [body for body in turned if body in free]
        chosen = {0: [], len(turned): list(turned), len(six): six}[extra]
        places, quaternions, shift = [], {}, 0
        for k in range(len(model.coordinates)):
            body = next((each for each in chosen if turned[each] == k), None)
            if body is not None:
                quaternions[body] = k + shift
            places.append(k + shift)
            if any(turned[each] + 2 == k for each in chosen):
                shift += 1
        return CoordinateLayout(model, tuple(places), quaternions, size)

    @property
    def spins(self) -> frozenset[str]:
        """Bodies whose velocities of rotation are angular velocities."""
        return free_bodies(self.model) | frozenset(self.quaternions)

    @cached_property
    def four(self) -> tuple[slice, ...]:
        """Where quaternions stand."""
        return tuple(slice(k, k + 4) for k in self.quaternions.values())

    def inputs(self, c: SX, cd: SX | None = None) -> Inputs:
        names = names_of(self.model)
        values = {name: c[place] for name, place in zip(names, self.places, strict=True)}
        matrices = {}
        for body, place in self.quaternions.items():
            R = matrices[body] = rotation_wxyz(c[place : place + 4])
            for pose, angle in zip(ROTATIONS, _angles(R), strict=True):
                values[f"{body}.{pose}"] = angle
        rates = {} if cd is None else by_name(self.model, cd)
        return Inputs(values, rates, {}, matrices, self.spins)

    def tangents(self, c: SX) -> SX:
        """How the numbers of a position change with the velocities, (size, d)."""
        d = len(self.model.coordinates)
        T, turned = SX.zeros(self.size, d), turned_bodies(self.model)
        for k, place in enumerate(self.places):
            T[place, k] = 1
        for body, place in self.quaternions.items():
            rows, first = slice(place, place + 4), turned[body]
            for j in range(3):
                T[rows, first + j] = quaternion_rate(c[rows], SX.eye(3)[:, j])
        return T

    def rate(self, c: SX, cd: SX) -> SX:
        """Of the numbers of a position."""
        return self._filled(c, cd, lambda four, w: quaternion_rate(four, w), zeros(self.size))

    def stepped(self, c: SX, step: SX) -> SX:
        """A position after a small motion."""
        return self._filled(c, step, turned_by, c)

    def _filled(self, c: SX, d: SX, turn: Callable[[SX, SX], SX], start: SX) -> SX:
        found, turned = SX(start), turned_bodies(self.model)
        skipped = {turned[body] + j for body in self.quaternions for j in range(3)}
        for k, place in enumerate(self.places):
            if k not in skipped:
                found[place] = found[place] + d[k]
        for body, place in self.quaternions.items():
            first = turned[body]
            found[place : place + 4] = turn(c[place : place + 4], d[first : first + 3])
        return found


def _angles(R: SX) -> tuple[SX, SX, SX]:
    level = ca.sqrt(R[0, 0] ** 2 + R[1, 0] ** 2)
    return ca.atan2(R[2, 1], R[2, 2]), ca.atan2(-R[2, 0], level), ca.atan2(R[1, 0], R[0, 0])


def sizes(model: MechanismModel) -> tuple[int, ...]:
    """Allowed sizes of a position."""
    d, turned, free = len(model.coordinates), turned_bodies(model), free_bodies(model)
    six = sum(body in free for body in turned)
    return tuple(sorted({d, d + six, d + len(turned)}))


def home_size(model: MechanismModel) -> int:
    """Of positions with quaternions for the bodies that have all six pose coordinates."""
    free = free_bodies(model)
    return len(model.coordinates) + sum(body in free for body in turned_bodies(model))


def home_angles(model: MechanismModel) -> Array:
    """The coordinates at home, rotations by angles."""
    return np.array([home_value(model, each) for each in model.coordinates])


def with_quaternions(model: MechanismModel, c: Array, size: int) -> Array:
    """Positions whose rotations are angles, (..., d), in the form of another size."""
    layout, turned = CoordinateLayout.of(model, size), turned_bodies(model)
    if c.shape[-1] == size:
        return c
    found = np.zeros((*c.shape[:-1], size))
    found[..., list(layout.places)] = c
    for body, place in layout.quaternions.items():
        first = turned[body]
        found[..., place : place + 4] = from_angles(c[..., first : first + 3])
    return found


def by_name(model: MechanismModel, values: SX) -> dict[str, SX]:
    """Rows by the names of the coordinates."""
    return {name: values[k, :] for k, name in enumerate(names_of(model))}
