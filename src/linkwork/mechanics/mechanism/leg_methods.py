"""What a parallel robot computes by its legs: their joints one by one, also those that are one here.

A universal joint with axes k1 (fixed in the body before) and k2 at home turns a direction s of the link
after it to t = R1(q1) R2(q2) s. With k = R1 k2 and g = k.(k1 x t) its rates follow from the change of t:
q1' = k.t' / g, q2' = -k1.t' / g.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import casadi as ca

from linkwork.mechanics.expressions import SX, cross, number, times, zeros
from linkwork.mechanics.mechanism.coordinates import by_name
from linkwork.mechanics.mechanism.methods import ACTING, MOTION, PARTS, guarded, tool_motion
from linkwork.mechanics.mechanism.motion import Displacement, displaced
from linkwork.mechanics.mechanism.reactions import Reactions
from linkwork.mechanics.mechanism.regressor import regressor
from linkwork.mechanics.mechanism.robot_dynamics import MechanismDynamics
from linkwork.mechanics.mechanism.state import MechanismState
from linkwork.mechanics.mechanism.struts import Strut, strut_axes
from linkwork.mechanics.methods import Method, Options, Outputs, Symbols
from linkwork.mechanics.snapshot import home_axes
from linkwork.model.families.parallel import (
    JointView,
    LegView,
    ParallelModel,
    leg_view,
    mechanism_of_parallel,
)
from linkwork.model.geometry import Array
from linkwork.model.mechanism import PLATFORM, Cylinder, MechanismJoint, Rod
from linkwork.model.parameters import mechanism_parameters, parallel_parameters


def leg_methods(family: ParallelModel) -> Mapping[str, Method[MechanismDynamics]]:
    """The methods whose form is that of the legs in the file."""

    def joints(robot: MechanismDynamics, s: Symbols, options: Options) -> Outputs:
        return _joints(robot, family, s["cdd"])

    def joint_reactions(robot: MechanismDynamics, s: Symbols, options: Options) -> Outputs:
        return _joint_reactions(robot, family, s["cdd"])

    def by_parameters(robot: MechanismDynamics, s: Symbols, options: Options) -> Outputs:
        return _regressor(robot, family, s["cdd"])

    return {
        "joints": Method(MOTION, guarded(joints)),
        "joint_reactions": Method(MOTION, guarded(joint_reactions), PARTS, ACTING),
        "regressor": Method(MOTION, guarded(by_parameters), (), ("gravity",)),
    }


def _joints(robot: MechanismDynamics, family: ParallelModel, cdd: SX) -> Outputs:
    """All joints of all legs, universal joints as two, and the platform."""
    state = robot.moving(cdd)
    views = [view for leg in family.legs for view in leg_view(leg).joints]
    if any(view.where == "free" for view in views):  # the axes of a ball, which is one joint here
        spread = MechanismDynamics(mechanism_of_parallel(family, spread=True), robot.c, robot.cd)
        moving = spread.moving(cdd)
        found = [spread.dynamics.joint_motion(joint.name, moving) for joint in family.joints]
    else:
        found = [joint_of_leg(robot, state, view) for view in views]
    result: Outputs = {
        name: (ca.vertcat(*[motion[k] for motion in found]), (len(found),))
        for k, name in enumerate(("q", "qd", "qdd"))
    }
    return {**result, **tool_motion(robot, state)}


def _joint_reactions(robot: MechanismDynamics, family: ParallelModel, cdd: SX) -> Outputs:
    """Two solutions where statics leaves many: what they agree on is determinate."""
    found = Reactions(robot.but(), by_name(robot.model, cdd))
    state, legs = robot.moving(cdd), [leg_view(leg) for leg in family.legs]
    outputs: Outputs = {}
    for suffix, wrenches in found.solutions():
        held = {name: (F, N) for name, F, N in wrenches}
        joints = [_through(state, held, leg) for leg in legs]
        rows = [row for some in joints for row in some]
        outputs["joint_wrench" + suffix] = ca.vertcat(*rows), (len(rows), 6)
        closures = [_at_platform(robot, state, held, leg, family) for leg in legs]
        outputs["closure_wrench" + suffix] = ca.vertcat(*closures), (len(closures), 6)
    return outputs


def _through(state: MechanismState, held: dict[str, tuple[SX, SX]], leg: LegView) -> list[SX]:
    """Force and moment of every joint of a leg, about the joint's point."""
    rows = []
    for view in leg.joints:
        F, N = held[view.reaction]
        if view.part in leg.pair:
            F, N = _of_pair(state, held, leg, "start", view.joint.at)
        if isinstance(view.part, Cylinder) and view.slides_in_cylinder:
            N = N - cross(slide_arm(state, view.part, view.joint.at), F)
        rows.append(ca.vertcat(F, N).T)
    return rows


def _at_platform(
    robot: MechanismDynamics,
    state: MechanismState,
    held: dict[str, tuple[SX, SX]],
    leg: LegView,
    family: ParallelModel,
) -> SX:
    """What the platform does to a leg; if they are one, about the platform's origin."""
    F, N = held[leg.closure]
    if leg.pair:
        F, N = _of_pair(state, held, leg, "end", leg.leg.end.at)
    F, N = -F, end_friction(robot, state, leg) - N
    if leg.leg.end.kind == "rigid":
        platform = displaced(state, PLATFORM)
        arm = platform.point(leg.closure_point) - platform.point(family.home_frame.p)
        N = N + cross(arm, F)
    return ca.vertcat(F, N).T


def _of_pair(
    state: MechanismState, held: dict[str, tuple[SX, SX]], leg: LegView, which: str, middle: Array
) -> tuple[SX, SX]:
    """Force and moment of both rods of a parallelogram, about the point between their starts or ends."""
    F, N = zeros(3), zeros(3)
    for rod in leg.pair:
        body = displaced(state, rod.joins[0 if which == "start" else 1])
        force, moment = held[f"{rod.name} {which}"]
        at = rod.start if which == "start" else rod.end
        F, N = F + force, N + moment + cross(body.point(at) - body.point(middle), force)
    return F, N


def _regressor(robot: MechanismDynamics, family: ParallelModel, cdd: SX) -> Outputs:
    """Of a mechanism in which links may have any masses, whose parameters are those of the file."""
    spread = mechanism_of_parallel(family, spread=True)
    Y = regressor(MechanismDynamics(spread, robot.c, robot.cd, gravity=robot.gravity), cdd)
    places = {name: k for k, name in enumerate(mechanism_parameters(spread).names)}
    Y = Y[:, [places[name] for name in parallel_parameters(family).names]]
    return {"Y": (Y, Y.shape)}


Motion = tuple[SX, SX, SX]


@dataclass(frozen=True)
class Direction:
    """A direction of a link, seen from the body before it in its axes at home, and how it changes."""

    home: Array
    now: SX
    rate: SX
    acceleration: SX


def joint_of_leg(robot: MechanismDynamics, state: MechanismState, view: JointView) -> Motion:
    """Coordinate, velocity and acceleration."""
    if view.where == "single":
        return robot.dynamics.joint_motion(view.part.name, state)
    if view.where == "pin":
        return _pin(number(view.joint.axis), _direction(state, view))
    one, other = (number(joint.axis) for joint in view.pair)
    if isinstance(view.part, MechanismJoint):
        both = _between_bodies(one, other, *(displaced(state, body) for body in view.part.joins))
    else:
        both = _of_direction(one, other, _direction(state, view))
    return both[0] if view.where == "first" else both[1]


def _between_bodies(k1: SX, k2: SX, a: Displacement, b: Displacement) -> tuple[Motion, Motion]:
    """Of a universal joint both of whose bodies are known."""
    R, g = times(a.R.T, b.R), ca.dot(k1, k2)
    k, back = times(R, k2), times(R.T, k1)
    q1 = ca.atan2(ca.dot(k1, cross(k2, k)), ca.dot(k2, k) - g * g)
    q2 = -ca.atan2(ca.dot(k2, cross(k1, back)), ca.dot(k1, back) - g * g)
    inverse = 1 / (1 - g * g)
    first, second = (k1 - g * k) * inverse, (k - g * k1) * inverse
    w, al = times(a.R.T, b.w - a.w), times(a.R.T, b.al - a.al - cross(a.w, b.w))
    return (q1, ca.dot(first, w), ca.dot(first, al)), (q2, ca.dot(second, w), ca.dot(second, al))


def _direction(state: MechanismState, view: JointView) -> Direction:
    """Of a rod or cylinder."""
    part = view.part
    assert isinstance(part, Rod | Cylinder)
    a, b = (displaced(state, body) for body in part.joins)
    home = (part.end - part.start) / part.length
    S = b.point(part.end) - a.point(part.start)
    Sd = b.velocity(part.end) - a.velocity(part.start)
    Sdd = b.acceleration(part.end) - a.acceleration(part.start)
    rate = Sd - cross(a.w, S)
    change = Sdd - cross(a.al, S) - cross(a.w, cross(a.w, S)) - 2 * cross(a.w, rate)
    S, rate, change = (times(a.R.T, each) for each in (S, rate, change))
    if isinstance(part, Rod):
        S, rate, change = (each / part.length for each in (S, rate, change))
    else:
        L = ca.norm_2(S)
        S, rate, change = (each / L for each in (S, rate, change))
        Ld = ca.dot(S, rate)
        Ldd = ca.dot(S, change) + ca.sumsqr(rate) - Ld * Ld
        rate = rate - Ld * S
        change = change - Ldd * S - 2 * Ld * rate
    return Direction(home, S, rate, change)


def _pin(k: SX, s: Direction) -> Motion:
    """Of a joint whose axis is across the direction."""
    home = number(s.home)
    q = ca.atan2(ca.dot(k, cross(home, s.now)), ca.dot(home, s.now))
    return q, ca.dot(k, cross(s.now, s.rate)), ca.dot(k, cross(s.now, s.acceleration))


def _of_direction(k1: SX, k2: SX, s: Direction) -> tuple[Motion, Motion]:
    home = number(s.home)
    A = ca.dot(k1, home) - ca.dot(k1, k2) * ca.dot(k2, home)
    B, C = ca.dot(k1, cross(k2, home)), ca.dot(k1, k2) * ca.dot(k2, home)
    along = (ca.dot(k1, s.now) - C) / ca.sqrt(A * A + B * B)
    side = 1.0 if float(ca.DM(B)) >= 0 else -1.0
    # The branch on which both angles are zero at home.
    q2 = ca.atan2(B, A) - side * ca.atan2(ca.sqrt(ca.fmax(1 - along * along, 0)), along)
    turned = k2 * ca.dot(k2, home)
    turned = turned + ca.cos(q2) * (home - turned) + ca.sin(q2) * cross(k2, home)
    level = ca.dot(k1, turned) * ca.dot(k1, s.now)
    q1 = ca.atan2(ca.dot(k1, cross(turned, s.now)), ca.dot(turned, s.now) - level)
    k = k1 * ca.dot(k1, k2)
    k = k + ca.cos(q1) * (k2 - k) + ca.sin(q1) * cross(k1, k2)
    inverse = 1 / ca.dot(k, cross(k1, s.now))

    def rates(change: SX) -> tuple[SX, SX]:
        return ca.dot(k, change) * inverse, -ca.dot(k1, change) * inverse

    v1, v2 = rates(s.rate)
    kd = v1 * cross(k1, k)
    fast = v1 * cross(k1, s.rate) + v2 * (cross(kd, s.now) + cross(k, s.rate))
    a1, a2 = rates(s.acceleration - fast)
    return (q1, v1, a1), (q2, v2, a2)


def slide_arm(state: MechanismState, cylinder: Cylinder, at: Array) -> SX:
    """From a cylinder's start to the point of its rod that is at `at` at home, base axes."""
    T, start, end = strut_axes(state, cylinder)
    own = home_axes(cylinder).T @ (at - cylinder.end)
    return end + times(T, number(own)) - start


def end_friction(robot: MechanismDynamics, state: MechanismState, leg: LegView) -> SX:
    """Moment of viscous friction of the joint that holds the platform, on the leg."""
    viscous, end = leg.leg.end.viscous, leg.end
    if not viscous or not robot.friction:
        return SX.zeros(3)
    a, b = (displaced(state, body) for body in end.joins)
    if isinstance(end, MechanismJoint):
        return viscous * (b.w - a.w)
    strut = Strut(end, state)
    T, _, _ = strut_axes(state, end)
    across = times(T.T, b.w - a.w) - strut.motion[2]
    if not strut.spins:
        across[0] = 0
    return viscous * times(T, across)
