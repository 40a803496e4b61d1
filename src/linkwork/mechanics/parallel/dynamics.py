"""Dynamics projected on the platform's coordinates, leg by leg (Khalil and Ibrahim, 2007).

    G_a' tau = T' F_p(A) + sum_i T' P_i' K_i' h_i(q_i, qd_i, qdd_i)  =  T' load(A)
    M cdd = G_a' tau - T' load(A0),    M = T' M_p T + sum_i G_i' M_i G_i,    G_i = K_i P_i T

h_i are the efforts of all joints of leg i for its motion with a free tip. Constraint forces never enter,
so robots with more constraints than needed are no special case.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import casadi as ca
import numpy as np

from linkwork.mechanics.bodies import CompositeBody
from linkwork.mechanics.expressions import SX, cross, number, skew, times, zeros
from linkwork.mechanics.linear import solve_orthogonal, solve_symmetric
from linkwork.mechanics.parallel import leg_dynamics
from linkwork.mechanics.parallel.kinematics import Posture
from linkwork.mechanics.parallel.left_inverse import Tall
from linkwork.mechanics.parallel.leg_dynamics import Inertia
from linkwork.mechanics.parallel.leg_motion import LinkMotion, drift_at_tip, link_motions
from linkwork.mechanics.parallel.mechanism import LegState
from linkwork.robots.geometry import Body
from linkwork.robots.parallel import LegJoint


@dataclass(frozen=True)
class BaseMotion:
    """Angular velocity and acceleration of the base and the acceleration of its origin, base axes."""

    w: SX
    al: SX
    a: SX


STANDING = BaseMotion(zeros(3), zeros(3), zeros(3))


@dataclass(frozen=True, eq=False)
class Load:
    """What acts besides the actuators: `wrench` on the platform in its axes, gravity, base motion.

    `payload` is a body on the platform, about its origin in its axes; `slip` the directions in which
    joints with Coulomb friction slide, by name, if their velocities do not tell.
    """

    wrench: SX = field(default_factory=lambda: zeros(6))
    gravity: SX = field(default_factory=lambda: zeros(3))
    base: BaseMotion = STANDING
    friction: bool = True
    rotors: bool = True
    payload: CompositeBody | None = None
    slip: Mapping[str, SX] | None = None


@dataclass(frozen=True, eq=False)
class Dynamics:
    """The robot at one state. `platform` includes the masses that were moved from the legs' tips."""

    posture: Posture
    inertias: tuple[Inertia, ...]
    platform: Body
    load: Load

    @property
    def freedoms(self) -> int:
        return self.posture.mechanism.model.freedoms

    @property
    def legs(self) -> tuple[LegState, ...]:
        return self.posture.legs

    def joint_velocities(self, leg: LegState, twist: SX) -> SX:
        return leg.K.times(leg.tip_motion(twist))

    def joint_accelerations(self, leg: LegState, twist: SX, acceleration: SX) -> SX:
        needed = leg.tip_acceleration(twist, acceleration) - drift_at_tip(leg, twist)
        return leg.K.times(needed)

    def base_of(self, leg: LegState) -> LinkMotion:
        """Motion of frame 0 of a leg, gravity as an upward acceleration."""
        base, to_frame0 = self.load.base, number(leg.chain.base.R.T)
        p = number(leg.chain.base.p)
        a = base.a + cross(base.al, p) + cross(base.w, cross(base.w, p)) - self.load.gravity
        return LinkMotion(times(to_frame0, base.w), times(to_frame0, base.al), times(to_frame0, a))

    def leg_efforts(self, leg: LegState, inertia: Inertia, twist: SX, acceleration: SX) -> SX:
        """h_i with friction and rotors."""
        qd = self.joint_velocities(leg, twist)
        qdd = self.joint_accelerations(leg, twist, acceleration)
        motions = link_motions(leg.configuration, qd, qdd, self.base_of(leg))
        h = leg_dynamics.efforts(leg.configuration, inertia, motions)
        return h + self.rotor_efforts(leg, qdd) + self.friction_efforts(leg, qd)

    def rotor_efforts(self, leg: LegState, qdd: SX) -> SX:
        inertia = [joint.rotor if self.load.rotors else 0.0 for joint in leg.chain.leg.joints]
        return SX(ca.DM(inertia)) * qdd

    def friction_efforts(self, leg: LegState, qd: SX) -> SX:
        if not self.load.friction:
            return zeros(leg.chain.n)
        return ca.vertcat(
            *[
                joint.friction.offset + joint.friction.viscous * qd[k] + self._coulomb(joint, qd[k])
                for k, joint in enumerate(leg.chain.leg.joints)
            ]
        )

    def _coulomb(self, joint: LegJoint, velocity: SX) -> SX:
        if not joint.friction.is_dry:
            return SX(0)
        way = velocity if self.load.slip is None else self.load.slip[joint.name]
        forward = ca.if_else(way > 0, joint.friction.coulomb_forward, 0)
        return forward + ca.if_else(way < 0, joint.friction.coulomb_backward, 0)

    def end_friction(self, leg: LegState, twist: SX) -> tuple[SX, SX] | None:
        """Viscous moment r of a spherical joint at the tip: as efforts Jw' r, and r in frame n."""
        viscous = leg.chain.leg.end.viscous
        if not (viscous and self.load.friction):
            return None
        columns = leg.configuration.angular_columns()
        qd = self.joint_velocities(leg, twist)
        w = sum((column * qd[k] for k, column in enumerate(columns)), zeros(3))
        r = viscous * (w - leg.configuration.from_base(twist[3:6]))
        return ca.vertcat(*[ca.dot(column, r) for column in columns]), r

    def platform_load(self, twist: SX, acceleration: SX) -> SX:
        """Inertia, gravity and the external wrench of the platform, at its origin, base axes."""
        pose, base, body = self.posture.pose, self.load.base, self.platform
        p, v = pose.position, twist[0:3]
        W, al = base.w + twist[3:6], base.al + acceleration[3:6] + cross(base.w, twist[3:6])
        a = base.a + cross(base.al, p) + cross(base.w, cross(base.w, p)) + 2 * cross(base.w, v)
        Rc = times(pose.R, number(body.center_of_mass))
        a = a + acceleration[0:3] - self.load.gravity
        force = body.mass * (a + cross(al, Rc) + cross(W, cross(W, Rc)))
        inertia = number(body.inertia)
        w, b = times(pose.R.T, W), times(pose.R.T, al)
        turning = times(inertia, b) + cross(w, times(inertia, w)) - self.load.wrench[3:6]
        outer = -self.load.wrench[0:3]
        if self.load.payload is not None:
            m, h, J = self.load.payload.m, self.load.payload.h, self.load.payload.J
            lifted = times(pose.R.T, a)
            outer = outer + m * lifted + cross(b, h) + cross(w, cross(w, h))
            turning = turning + times(J, b) + cross(w, times(J, w)) + cross(h, lifted)
        return ca.vertcat(force + times(pose.R, outer), cross(Rc, force) + times(pose.R, turning))

    def total_load(self, twist: SX, acceleration: SX, by_units: bool = False) -> SX:
        """The wrench at the platform's origin that actuators must do the work of.

        `by_units`: from the wrenches of unit efforts, which the mass matrix needs anyway.
        """
        total = self.platform_load(twist, acceleration)
        for leg, inertia in zip(self.legs, self.inertias, strict=True):
            h = self.leg_efforts(leg, inertia, twist, acceleration)
            friction = self.end_friction(leg, twist)
            if friction is not None:
                h = h + friction[0]
                total = total - ca.vertcat(zeros(3), leg.configuration.to_base(friction[1]))
            if by_units:
                total = total + times(ca.horzcat(*leg.unit_wrenches), h)
            else:
                total = total + leg.at_platform(leg.K.transposed(h))
        return total

    @cached_property
    def actuation(self) -> list[SX]:
        """T' P' K' e_a: what a unit effort of every actuator does to the coordinates."""
        columns = []
        for leg in self.legs:
            for joint, wrench in zip(leg.chain.leg.joints, leg.unit_wrenches, strict=True):
                if joint.actuated:
                    columns.append(times(self.posture.T.T, wrench))
        return columns

    def generalised(self, effort: SX) -> SX:
        """G_a' tau."""
        return sum((column * effort[k] for k, column in enumerate(self.actuation)), zeros(self.freedoms))

    def efforts_for(self, generalised: SX) -> SX:
        """tau with G_a' tau = generalised; of more actuators than freedoms, the least norm."""
        if len(self.actuation) == self.freedoms:
            return solve_orthogonal(self.actuation, generalised)
        rows = ca.horzcat(*self.actuation)
        return Tall.of([rows[k, :].T for k in range(self.freedoms)]).transposed(generalised)

    def inverse(self, cd: SX, cdd: SX) -> SX:
        """tau."""
        twist = self.posture.twist(cd)
        acceleration = self.posture.drift(cd) + self.posture.twist(cdd)
        return self.efforts_for(times(self.posture.T.T, self.total_load(twist, acceleration)))

    def bias(self, cd: SX, by_units: bool = False) -> SX:
        """Generalised forces without acceleration of the coordinates."""
        load = self.total_load(self.posture.twist(cd), self.posture.drift(cd), by_units)
        return times(self.posture.T.T, load)

    def mass_matrix(self) -> SX:
        T, R, body = self.posture.T, self.posture.pose.R, self.platform
        Rc = skew(times(R, number(body.center_of_mass)))
        linear, coupling = body.mass * number(np.eye(3)), body.mass * Rc
        angular = _congruent(number(body.inertia), R.T) - body.mass * times(Rc, Rc)
        if self.load.payload is not None:
            payload = self.load.payload
            linear = linear + payload.m * number(np.eye(3))
            coupling = coupling + skew(times(R, payload.h))
            angular = angular + _congruent(payload.J, R.T)
        total = SX.zeros(self.freedoms, self.freedoms)
        for leg, inertia in zip(self.legs, self.inertias, strict=True):
            M = leg_dynamics.mass_matrix(leg.configuration, inertia)
            if self.load.rotors:
                M = M + ca.diag(ca.DM([joint.rotor for joint in leg.chain.leg.joints]))
            rows = ca.horzcat(*leg.unit_wrenches).T  # K P
            if leg.chain.leg.frame:
                total = total + _congruent(M, times(rows, T))
                continue
            Q = _congruent(M, rows[:, 0:3])  # mass that the tip feels
            b = skew(leg.b)
            bQ = times(b, Q)
            linear, coupling, angular = linear + Q, coupling + bQ, angular - times(bQ, b)
        whole = ca.vertcat(ca.horzcat(linear, coupling.T), ca.horzcat(coupling, angular))
        return total + _congruent(whole, T)

    def forward(self, cd: SX, effort: SX) -> SX:
        """cdd."""
        return solve_symmetric(
            self.mass_matrix(), self.generalised(effort) - self.bias(cd, by_units=True)
        )


def _congruent(M: SX, G: SX) -> SX:
    """G' M G, every pair of equal elements formed once."""
    MG, n = times(M, G), G.shape[1]
    result = SX.zeros(n, n)
    for i in range(n):
        for j in range(i + 1):
            result[i, j] = result[j, i] = ca.dot(G[:, i], MG[:, j])
    return result
