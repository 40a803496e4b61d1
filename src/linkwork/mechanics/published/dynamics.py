"""A platform in one state by the equations that the papers print: task space and joint reactions.

H F = M(X) a + h: P (48) and (51) as printed; D's follow from its (33)-(37) in the same way, since its
equations are linear in the accelerations. Reactions by D 3.3: (21), (26), (27), (29) and (17); P prints
(37), (38) or (41) for the universal and the spherical joint, and leaves the others to them.

A base that moves is added. Relative to the base a body has c, c' and w; in space its center of mass also
has a0 + al0 x c + w0 x (w0 x c) + 2 w0 x c', and its angular momentum changes by what w0 and al0 add.
All in base axes. Every formulation writes its own w and inertias into this: its equations are linear in
forces and moments, so that what the base adds stands beside what the motion relative to the base needs.
Friction knows relative velocities only. Legs without spin (SPS, D) have none relative to the base.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import casadi as ca

from linkwork.mechanics.expressions import SX, cross, number, place_of, times, zeros
from linkwork.mechanics.linear import solve_orthogonal
from linkwork.mechanics.published import pedrammehr2012, stepwise
from linkwork.mechanics.published.stepwise import (
    Deviations,
    Geometry,
    LegMotion,
    PlatformState,
    geometry,
)
from linkwork.model.families.stewart import LEGS, PlatformModel

FORMULATIONS = ("exact", "dasgupta1998", "pedrammehr2012")


def deviations_of(
    formulation: str,
    deviations: tuple[str, ...] | None = None,
    form: str = "closed",
    frames: str = "printed",
) -> Deviations | None:
    """Of a formulation from the exact equations, None for those; its own unless others are given."""
    if deviations is not None:
        return Deviations(deviations, frames == "local")
    if formulation == "dasgupta1998":
        return stepwise.DASGUPTA1998
    return pedrammehr2012.as_published(form, frames) if formulation == "pedrammehr2012" else None


@dataclass(frozen=True)
class PublishedDynamics:
    """At a pose (7 or 6 numbers), moving with a twist. The models always have viscous friction.

    Args:
        deviations: which from the exact equations there are.
        gravity, wrench, base_motion: as those of `MechanismDynamics`.
        slip: the twist by whose leg rates dry friction has its signs; the twist itself if None.
    """

    model: PlatformModel
    pose: SX
    deviations: Deviations
    twist: SX | None = None
    gravity: SX | None = None
    wrench: SX | None = None
    base_motion: SX | None = None
    slip: SX | None = None

    @cached_property
    def state(self) -> PlatformState:
        position, R = place_of(self.pose)
        return PlatformState(
            model=self.model,
            R=R,
            twist=zeros(6) if self.twist is None else self.twist,
            wrench=zeros(6) if self.wrench is None else self.wrench,
            gravity=number(self.model.gravity) if self.gravity is None else self.gravity,
            legs=tuple(geometry(leg, position, R) for leg in self.model.legs),
            deviations=self.deviations,
        )

    @property
    def _carried(self) -> SX:
        """H F that the motion of the base needs."""
        return zeros(6) if self.base_motion is None else added_load(self.state, self.base_motion)

    def _coulomb(self) -> SX:
        """What dry friction along the legs takes of the actuator forces; the papers have none."""
        if not self.model.has_coulomb:
            return zeros(LEGS)
        twist = self.state.twist if self.slip is None else self.slip
        rates = times(ca.horzcat(*self.state.H()).T, twist)
        return ca.sign(rates) * ca.vertcat(*[leg.friction.coulomb for leg in self.model.legs])

    def _rotors(self, acceleration: SX) -> SX:
        """What the rotors of the motors take of the actuator forces; the papers have none."""
        if not self.model.has_rotors:
            return zeros(LEGS)
        moving = [stepwise.leg_motion(self.state, at, acceleration) for at in self.state.legs]
        return ca.vertcat(
            *[at.leg.rotor * leg.Ldd for at, leg in zip(self.state.legs, moving, strict=True)]
        )

    def inverse(self, acceleration: SX) -> SX:
        """Actuator forces of a motion."""
        return self._smooth_inverse(acceleration) + self._rotors(acceleration) + self._coulomb()

    def _smooth_inverse(self, acceleration: SX) -> SX:
        """D (35)-(37), P (40); or P's closed form, (48) and (51)."""
        if self.base_motion is not None:
            return solve_orthogonal(self.state.H(), demand(self.state, acceleration) + self._carried)
        if "dropped-terms" in self.deviations:
            return pedrammehr2012.closed_form_forces(self.state, acceleration)
        return stepwise.actuator_forces(self.state, acceleration)

    def bias(self) -> SX:
        """h, in task space."""
        drives = times(ca.horzcat(*self.state.H()), self._coulomb() + self._rotors(zeros(6)))
        return demand(self.state, zeros(6)) + self._carried + drives

    def mass_matrix(self) -> SX:
        """M(X): what the demand, linear in it, has of the acceleration. P's is not symmetric."""
        a = SX.sym("a", 6)
        rotors = times(ca.horzcat(*self.state.H()), self._rotors(a))
        return ca.jacobian(demand(self.state, a) + rotors, a)

    def forward(self, force: SX) -> SX:
        """Acceleration under actuator forces: M(X)^-1 (H F - h)."""
        free, M = force - self._coulomb() - self._rotors(zeros(6)), self.mass_matrix()
        right = times(ca.horzcat(*self.state.H()), free) - demand(self.state, zeros(6)) - self._carried
        return solve_orthogonal([M[:, k] for k in range(6)], right)

    def leg_kinematics(self, acceleration: SX) -> list[LegKinematics]:
        """How every leg moves: D (4)-(9) without spin, P (4)-(25)."""
        found = []
        for at in self.state.legs:
            leg = stepwise.leg_motion(self.state, at, acceleration)
            found.append(LegKinematics(at.L, leg.Ld, leg.Ldd, at.s, leg.w, leg.A))
        return found

    def reactions(self, acceleration: SX) -> list[LegReactions]:
        """Forces and moments in the joints of every leg, under the actuator forces of the motion."""
        state, forces = self.state, self._smooth_inverse(acceleration)
        carried: list[CarriedLeg | None] = [None] * LEGS
        if self.base_motion is not None:
            carried = [*carried_legs(state, self.base_motion)]
        return [
            leg_reactions(state, at, acceleration, forces[k], carried[k])
            for k, at in enumerate(state.legs)
        ]


@dataclass(frozen=True)
class PublishedEffort:
    """A published model in a control law; frozen data, so that kernels can be named by it."""

    model: PlatformModel
    deviations: Deviations

    def effort_for(self, x: SX, acceleration: SX, sliding: SX, inputs: Mapping[str, SX]) -> SX:
        """Actuator forces at x = (pose, twist), with dry friction as of the twist `sliding`."""
        robot = PublishedDynamics(
            self.model, x[0:7], self.deviations, x[7:13], wrench=inputs.get("wrench"), slip=sliding
        )
        return robot.inverse(acceleration)


def _leg_force(state: PlatformState, leg: LegMotion, acceleration: SX) -> SX:
    """The spherical joint's force without the actuator's, K + D s of D (21), (24); P (40) or (41)."""
    if "dropped-terms" in state.deviations:
        return pedrammehr2012.closed_leg_force(state, leg, acceleration)
    K, D, _ = stepwise.leg_force(state, leg)
    return K + D * leg.at.s


def demand(state: PlatformState, acceleration: SX) -> SX:
    """H F that the motion needs."""
    total = -stepwise.platform_equations(state, acceleration)
    for at in state.legs:
        leg = stepwise.leg_motion(state, at, acceleration)
        force = _leg_force(state, leg, acceleration)
        moment = cross(at.q, force) - stepwise.spherical_drag(state, leg)
        total = total + ca.vertcat(force, moment)
    return total


class LegKinematics(NamedTuple):
    """Of one leg, vectors in base axes."""

    length: SX
    rate: SX
    extension_acceleration: SX
    direction: SX
    angular_velocity: SX
    angular_acceleration: SX


class LegReactions(NamedTuple):
    """In base axes; friction of the joint itself is not included."""

    spherical_force: SX  # platform on leg
    universal_force: SX  # base on leg
    universal_moment: SX  # base on leg, along the normal of the joint's cross
    prismatic_force: SX  # lower on upper part, actuator included
    prismatic_moment: SX  # lower on upper part, about the base point
    prismatic_moment_at_platform: SX  # the same about the platform point


def leg_reactions(
    state: PlatformState, at: Geometry, acceleration: SX, actuator: SX, carried: CarriedLeg | None
) -> LegReactions:
    """Of one leg whose actuator pushes with `actuator`; `carried` is what a moving base adds."""
    leg = stepwise.leg_motion(state, at, acceleration)
    lower, upper, friction = at.leg.lower, at.leg.upper, at.leg.friction
    a_d, a_u = stepwise.mass_center_accelerations(leg)
    N, g, s = stepwise.leg_moment(state, leg), state.gravity, at.s
    Fs = _leg_force(state, leg, acceleration) - actuator * s
    of_lower, of_upper = lower.mass * (a_d - g), upper.mass * (a_u - g)
    I_d = stepwise.part_inertias(at, leg.r_d, leg.r_u, state.deviations)[0]
    turning = times(I_d, leg.A) + cross(leg.w, times(I_d, leg.w))
    if carried is not None:
        Fs = Fs + _carried_force(leg, carried, state.deviations)
        N, turning = N + carried.N, turning + carried.lower.moment
        of_lower, of_upper = of_lower + carried.lower.force, of_upper + carried.upper.force
    Fp = of_upper - Fs + friction.prismatic * leg.Ld * s  # D (26)
    Fu = of_lower + of_upper - Fs  # D (27)
    Mu = _universal_moment(leg, N, state.deviations)
    own = cross(leg.r_d, of_lower) + turning
    Mp = Mu - own - friction.universal * leg.w  # D (17), about the base point
    return LegReactions(
        spherical_force=Fs,
        universal_force=Fu,
        universal_moment=Mu,
        prismatic_force=Fp,
        prismatic_moment=Mp,
        prismatic_moment_at_platform=Mp - cross(at.S, Fp),
    )


def _universal_moment(leg: LegMotion, N: SX, deviations: Deviations) -> SX:
    s = leg.at.s
    along = ca.dot(N, s)
    if "moment-along-leg" in deviations:
        return along * s  # D (29)
    return along / ca.dot(leg.c, s) * leg.c  # P (34), (37)


@dataclass(frozen=True)
class InertialLoad:
    """Force, and moment about the center of mass, that one body needs more than on a base at rest."""

    force: SX
    moment: SX


@dataclass(frozen=True)
class CarriedLeg:
    """What both parts of a leg need: together a moment N about the base point, D along the leg."""

    lower: InertialLoad
    upper: InertialLoad
    N: SX
    D: SX


def inertial_load(mass: float, inertia: SX, center: SX, velocity: SX, w: SX, base: SX) -> InertialLoad:
    """Of a body whose center of mass is at `center` and moves relative to the base."""
    w0, al0, a0 = base[0:3], base[3:6], base[6:9]
    force = mass * (a0 + cross(al0, center) + cross(w0, cross(w0, center) + 2 * velocity))

    def momentum(rate: SX) -> SX:
        return times(inertia, rate)

    both = w + w0
    moment = momentum(al0 + cross(w0, w)) + cross(both, momentum(both)) - cross(w, momentum(w))
    return InertialLoad(force, moment)


def carried_leg(
    at: Geometry, Ld: SX, w: SX, lower: tuple[SX, SX], upper: tuple[SX, SX], base: SX
) -> CarriedLeg:
    """A leg that lengthens with Ld and turns with w; of each part r from the base point, and inertia."""
    foot, (r_d, I_d), (r_u, I_u) = number(at.leg.base_point), lower, upper
    of_lower = inertial_load(at.leg.lower.mass, I_d, foot + r_d, cross(w, r_d), w, base)
    velocity = Ld * at.s + cross(w, r_u)
    of_upper = inertial_load(at.leg.upper.mass, I_u, foot + r_u, velocity, w, base)
    N = of_lower.moment + cross(r_d, of_lower.force) + of_upper.moment + cross(r_u, of_upper.force)
    return CarriedLeg(of_lower, of_upper, N, ca.dot(at.s, of_upper.force))  # the upper part alone slides


def carried_platform(state: PlatformState, inertia: SX, base: SX) -> SX:
    """Wrench at the reference point that the platform needs; its inertia in base axes."""
    first, body, W = state.legs[0], state.model.platform, state.twist[3:6]
    arm = times(state.R, number(body.center_of_mass))
    center = number(first.leg.base_point) + first.S - first.q + arm
    velocity = state.twist[0:3] + cross(W, arm)
    needed = inertial_load(body.mass, inertia, center, velocity, W, base)
    return ca.vertcat(needed.force, needed.moment + cross(arm, needed.force))


def carried_legs(state: PlatformState, base: SX) -> list[CarriedLeg]:
    """What a moving base adds to the legs, with the paper's angular velocities and inertias."""
    found = []
    for at in state.legs:
        leg = stepwise.leg_motion(state, at, zeros(6))
        I_d, I_u = stepwise.part_inertias(at, leg.r_d, leg.r_u, state.deviations)
        found.append(carried_leg(at, leg.Ld, leg.w, (leg.r_d, I_d), (leg.r_u, I_u), base))
    return found


def _carried_force(leg: LegMotion, carried: CarriedLeg, deviations: Deviations) -> SX:
    """K + D s of what the base adds. P's closed form leaves out nothing here: its (38), (39)."""
    return stepwise.transverse_force(leg, carried.N, deviations) + carried.D * leg.at.s


def added_load(state: PlatformState, base: SX) -> SX:
    """H F that a base motion adds."""
    total = carried_platform(state, stepwise.platform_inertia(state), base)
    for at, carried in zip(state.legs, carried_legs(state, base), strict=True):
        leg = stepwise.leg_motion(state, at, zeros(6))
        force = _carried_force(leg, carried, state.deviations)
        total = total + ca.vertcat(force, cross(at.q, force))
    return total
