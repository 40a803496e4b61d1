"""From a robot's coordinates to the motion of its platform: V = T cd, A = A0 + T cdd.

All six freedoms: the pose (quaternion, or roll pitch yaw), and velocities are twists. Fewer: the
declared coordinates and their derivatives; w = E (roll pitch yaw)', R = Rz Ry Rx. A robot with all three
rotations may take a quaternion for them, with the angular velocity and acceleration as derivatives.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from linkwork.mechanics.expressions import SX, zeros
from linkwork.mechanics.pose import rotation_rpy, rotation_wxyz
from linkwork.robots.parallel import ParallelModel

ROTATIONS = (3, 4, 5)


def takes_quaternion(model: ParallelModel) -> bool:
    """Whether the three rotations may be given by a quaternion."""
    return model.independent[-3:] == ROTATIONS and not model.parasitic


def by_twist(model: ParallelModel, size: int) -> bool:
    """Whether velocities of this form of the coordinates are angular velocities."""
    return model.freedoms == 6 or size == model.freedoms + 1


@dataclass(frozen=True)
class Pose:
    """The platform's place and the columns that its velocity consists of.

    `B` (6 x 6) takes derivatives of x y z roll pitch yaw (or, by twist, the twist itself) to the twist.
    """

    position: SX
    R: SX
    angles: SX | None

    @property
    def B(self) -> SX:
        if self.angles is None:
            return SX.eye(6)
        cy, sy = ca.cos(self.angles[1]), ca.sin(self.angles[1])
        cz, sz = ca.cos(self.angles[2]), ca.sin(self.angles[2])
        E = ca.horzcat(ca.vertcat(cz * cy, sz * cy, -sy), ca.vertcat(-sz, cz, 0), ca.vertcat(0, 0, 1))
        return ca.diagcat(SX.eye(3), E)

    def drift(self, rates: SX) -> SX:
        """A of coordinates x y z roll pitch yaw that move with `rates` (6) and do not accelerate."""
        if self.angles is None:
            return zeros(6)
        cy, sy = ca.cos(self.angles[1]), ca.sin(self.angles[1])
        cz, sz = ca.cos(self.angles[2]), ca.sin(self.angles[2])
        roll, pitch, yaw = rates[3], rates[4], rates[5]
        first = ca.vertcat(
            -sz * cy * yaw - cz * sy * pitch, cz * cy * yaw - sz * sy * pitch, -cy * pitch
        )
        second = ca.vertcat(-cz * yaw, -sz * yaw, 0)
        return ca.vertcat(zeros(3), first * roll + second * pitch)


def pose_of(model: ParallelModel, c: SX, parasitic: SX | None = None) -> Pose:
    """The platform at coordinates c; `parasitic` are the values of those that follow."""
    size, d = c.numel(), model.freedoms
    six = SX(ca.DM(model.home))
    for k, place in enumerate(model.independent):
        if not (size == d + 1 and place in ROTATIONS):
            six[place] = c[k]
    for k, place in enumerate(model.dependent):
        assert parasitic is not None
        six[place] = parasitic[k]
    if size == d + 1:
        return Pose(six[0:3], rotation_wxyz(c[d - 3 : d + 1]), None)
    return Pose(six[0:3], rotation_rpy(six[3:6]), None if d == 6 else six[3:6])


def chosen(B: SX, places: tuple[int, ...]) -> SX:
    """Columns of B."""
    if not places:
        return SX(6, 0)
    return ca.horzcat(*[B[:, place] for place in places])


def spread(places: tuple[int, ...], values: SX) -> SX:
    """Six values from some of them; the others are zero."""
    six = zeros(6)
    for k, place in enumerate(places):
        six[place] = values[k]
    return six
