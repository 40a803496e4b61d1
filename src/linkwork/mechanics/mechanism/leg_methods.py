"""What a parallel robot computes by its legs, from the mechanism that it is."""

from __future__ import annotations

from collections.abc import Mapping

import casadi as ca

from linkwork.mechanics.expressions import SX, cross, zeros
from linkwork.mechanics.mechanism.coordinates import by_name
from linkwork.mechanics.mechanism.leg_joints import end_friction, joint_of_leg, slide_arm
from linkwork.mechanics.mechanism.methods import ACTING, MOTION, PARTS, Options, guarded
from linkwork.mechanics.mechanism.places import displaced
from linkwork.mechanics.mechanism.reactions import Reactions
from linkwork.mechanics.mechanism.regressor import regressor
from linkwork.mechanics.mechanism.robot_dynamics import MechanismDynamics
from linkwork.mechanics.mechanism.state import State
from linkwork.mechanics.methods import Method, Outputs, Symbols
from linkwork.robots.family_parallel import PLATFORM, LegView, leg_view, mechanism_of_parallel
from linkwork.robots.geometry import Array
from linkwork.robots.mechanism import Cylinder
from linkwork.robots.mechanism_elements import tool_frame
from linkwork.robots.mechanism_parameters import mechanism_parameters
from linkwork.robots.parallel import ParallelModel
from linkwork.robots.parameters import parallel_parameters


def leg_methods(family: ParallelModel) -> Mapping[str, Method[MechanismDynamics, Options]]:
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
    name, frame = tool_frame(robot.model)
    body = displaced(state, name)
    R, p = body.frame(frame)
    twist = body.twist(frame.p)
    acceleration = ca.vertcat(body.acceleration(frame.p), body.al)
    platform: Outputs = {"position": (p, (3,)), "rotation": (R, (3, 3)), "twist": (twist, (6,))}
    return {**result, **platform, "acceleration": (acceleration, (6,))}


def _joint_reactions(robot: MechanismDynamics, family: ParallelModel, cdd: SX) -> Outputs:
    """Two solutions where statics leaves many: what they agree on is determinate."""
    found = Reactions(robot.but(), by_name(robot.model, cdd))
    state, legs = robot.moving(cdd), [leg_view(leg) for leg in family.legs]
    outputs: Outputs = {}
    for suffix in ("", "_other") if found.holds.left else ("",):
        loads = found.solved(second=bool(suffix))
        held = {name: (F, N) for name, F, N in found.joints(loads)}
        joints = [_through(state, held, leg) for leg in legs]
        rows = [row for some in joints for row in some]
        outputs["joint_wrench" + suffix] = ca.vertcat(*rows), (len(rows), 6)
        closures = [_at_platform(robot, state, held, leg, family) for leg in legs]
        outputs["closure_wrench" + suffix] = ca.vertcat(*closures), (len(closures), 6)
    return outputs


def _through(state: State, held: dict[str, tuple[SX, SX]], leg: LegView) -> list[SX]:
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
    state: State,
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
    state: State, held: dict[str, tuple[SX, SX]], leg: LegView, which: str, middle: Array
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
