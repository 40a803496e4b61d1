"""The exact rigid-body model of the 6-UPS (and 6-SPS) platform.

The equations of Dasgupta and Mruthyunjaya (D) with their deviations removed: the true spin of the
legs, the universal joint's moment along the normal of its cross, every inertia counted once.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from linkwork.mechanics.bodies import CompositeBody
from linkwork.mechanics.expressions import SX, cross, number, skew, times, zeros
from linkwork.mechanics.linear import solve_orthogonal, solve_symmetric
from linkwork.mechanics.platform import leg_dynamics as dynamics
from linkwork.mechanics.platform import legs
from linkwork.robots.platform import PlatformModel


@dataclass(frozen=True)
class State:
    """Symbols of one state and the geometry they give. `wrench` acts on the platform, in its axes."""

    model: PlatformModel
    R: SX
    twist: SX
    wrench: SX
    gravity: SX
    legs: tuple[legs.Geometry, ...]
    friction: bool = True
    load: CompositeBody | None = None  # on the platform, about its reference point in its axes

    def H(self) -> list[SX]:
        """Columns [s; q x s], D (36): what unit forces along the legs do to the platform."""
        return [ca.vertcat(at.s, cross(at.q, at.s)) for at in self.legs]


def platform_load(state: State, acceleration: SX) -> SX:
    """What the platform itself needs: inertia, gravity and the external wrench, at its origin."""
    body = state.model.platform
    W, al = state.twist[3:6], acceleration[3:6]
    Rc = times(state.R, number(body.center_of_mass))
    a = acceleration[0:3] + cross(al, Rc) + cross(W, cross(W, Rc))
    force = body.mass * (a - state.gravity)
    # Inertia acts in platform axes, where it is constant.
    inertia = number(body.inertia)
    w, b = times(state.R.T, W), times(state.R.T, al)
    turning = times(state.R, times(inertia, b) + cross(w, times(inertia, w)) - state.wrench[3:6])
    own = ca.vertcat(force - times(state.R, state.wrench[0:3]), cross(Rc, force) + turning)
    if state.load is None:
        return own
    m, h, J = state.load.m, times(state.R, state.load.h), state.load.J
    lifted = acceleration[0:3] - state.gravity
    push = m * lifted + cross(al, h) + cross(W, cross(W, h))
    spin = times(state.R, times(J, b) + cross(w, times(J, w)))
    return own + ca.vertcat(push, cross(h, lifted) + spin)


def leg_load(state: State, at: legs.Geometry, acceleration: SX) -> SX:
    """Wrench at the reference point that one leg needs from actuators: [K + D s; q x (K + D s) - f]."""
    rate = legs.rates(at, state.twist)
    motion = legs.accelerations(at, rate, state.twist, acceleration)
    W = state.twist[3:6]
    need = dynamics.demand(at, rate, motion, state.gravity, W, state.friction)
    force = dynamics.transverse(at, need.N)
    force[0] = need.D
    force = times(at.T, force)
    moment = cross(at.q, force)
    if state.friction:
        moment = moment - times(at.T, dynamics.spherical_moment(at, rate, W))
    return ca.vertcat(force, moment)


def load(state: State, acceleration: SX) -> SX:
    """H F for this motion."""
    total = platform_load(state, acceleration)
    for at in state.legs:
        total = total + leg_load(state, at, acceleration)
    return total


def actuator_forces(state: State, acceleration: SX) -> SX:
    """F: positive pushes the parts of a leg apart."""
    return solve_orthogonal(state.H(), load(state, acceleration))


def massless_leg_forces(state: State, acceleration: SX) -> SX:
    """F0, D (41): legs without mass, joints without friction."""
    return solve_orthogonal(state.H(), platform_load(state, acceleration))


def mass_matrix(state: State) -> SX:
    """M(X): platform plus sum of G' Q G with G = [E, -q~]."""
    body = state.model.platform
    Rc = skew(times(state.R, number(body.center_of_mass)))
    inertia = times(times(state.R, number(body.inertia)), state.R.T)
    linear, coupling = body.mass * SX.eye(3), body.mass * Rc
    angular = inertia - body.mass * times(Rc, Rc)
    if state.load is not None:
        linear = linear + state.load.m * SX.eye(3)
        coupling = coupling + skew(times(state.R, state.load.h))
        angular = angular + times(times(state.R, state.load.J), state.R.T)
    for at in state.legs:
        Q = times(times(at.T, dynamics.apparent_mass(at)), at.T.T)
        q = skew(at.q)
        qQ = times(q, Q)
        linear, coupling, angular = linear + Q, coupling + qQ, angular - times(qQ, q)
    return ca.vertcat(ca.horzcat(linear, coupling.T), ca.horzcat(coupling, angular))


def bias(state: State) -> SX:
    """h: H F at rest of acceleration."""
    return load(state, zeros(6))


def generalised(state: State, force: SX) -> SX:
    """H F: what actuator forces do to the platform."""
    total = zeros(6)
    for k, column in enumerate(state.H()):
        total = total + column * force[k]
    return total


def platform_acceleration(state: State, force: SX, carried: SX | None = None) -> SX:
    """[tdd; al] under actuator forces; `carried` is what the motion of the base needs of them."""
    free = generalised(state, force) - bias(state)
    return solve_symmetric(mass_matrix(state), free if carried is None else free - carried)


def energies(state: State) -> tuple[SX, SX]:
    """Kinetic and potential energy; the potential is zero with all mass at the base origin."""
    kinetic = ca.dot(state.twist, times(mass_matrix(state), state.twist)) / 2
    body = state.model.platform
    position = state.legs[0].S - state.legs[0].q + number(state.legs[0].leg.base_point)
    centre = position + times(state.R, number(body.center_of_mass))
    potential = -body.mass * ca.dot(state.gravity, centre)
    if state.load is not None:
        weight = state.load.m * position + times(state.R, state.load.h)
        potential = potential - ca.dot(state.gravity, weight)
    for at in state.legs:
        leg = at.leg
        first_moment = times(at.T, dynamics.together(at).h)
        mass = leg.lower.mass + leg.upper.mass
        weight = first_moment + mass * number(leg.base_point)
        potential = potential - ca.dot(state.gravity, weight)
    return kinetic, potential
