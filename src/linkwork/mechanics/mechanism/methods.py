"""Every quantity that a mechanism can compute, as a CasADi function of the state."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import casadi as ca
import numpy as np

from linkwork.mechanics.expressions import SX, stack
from linkwork.mechanics.mechanism import jacobians, regressor
from linkwork.mechanics.mechanism.applied_forces import AppliedLoads
from linkwork.mechanics.mechanism.blocks import NEWTON, STEPS, unknown_names, unknown_values
from linkwork.mechanics.mechanism.conditions import conditions
from linkwork.mechanics.mechanism.cones import cone_cosines
from linkwork.mechanics.mechanism.coordinates import by_name
from linkwork.mechanics.mechanism.motion import Displacement, displaced
from linkwork.mechanics.mechanism.planning.planner import placement_plan
from linkwork.mechanics.mechanism.reactions import Reactions
from linkwork.mechanics.mechanism.robot_dynamics import MechanismDynamics
from linkwork.mechanics.mechanism.state import MechanismState
from linkwork.mechanics.methods import (
    Expression,
    Method,
    Options,
    Outputs,
    Symbols,
    express_method,
    symbolic,
)
from linkwork.mechanics.snapshot import PAYLOAD, SNAPSHOT, WEIGHT, of_mechanism, scaled_gravity
from linkwork.mechanics.snapshot import SIZES as SNAPSHOT_SIZES
from linkwork.model.geometry import Body, Transform
from linkwork.model.mechanism import BASE, MechanismModel, elements, tool_frame

Express = Callable[[MechanismDynamics, Symbols, Options], Outputs]


def guarded(express: Express) -> Express:
    """Outputs that are finite only where all loops close on the branches of home."""

    def within(robot: MechanismDynamics, s: Symbols, options: Options) -> Outputs:
        found = express(robot, s, options)
        guard = robot.guard
        if guard.is_constant():
            return found
        return {name: (value * guard, shape) for name, (value, shape) in found.items()}

    return within


def _inverse_dynamics(robot: MechanismDynamics, s: Symbols, options: Options) -> Outputs:
    tau = robot.inverse(s["cdd"])
    return {"tau": (tau, (tau.numel(),))}


def _forward_dynamics(robot: MechanismDynamics, s: Symbols, options: Options) -> Outputs:
    cdd = robot.forward(s["tau"])
    return {"cdd": (cdd, (cdd.numel(),))}


def _inverse_dynamics_derivatives(robot: MechanismDynamics, s: Symbols, options: Options) -> Outputs:
    found = jacobians.derivatives_of_inverse(robot, s["cdd"])
    shape = (len(robot.model.effort_names), robot.dof)
    return {name: (value, shape) for name, value in zip(("dc", "dcd", "dcdd"), found, strict=True)}


def _forward_dynamics_derivatives(robot: MechanismDynamics, s: Symbols, options: Options) -> Outputs:
    d, n = robot.dof, len(robot.model.effort_names)
    dc, dcd, dtau = jacobians.derivatives_of_forward(robot, s["tau"])
    return {"dc": (dc, (d, d)), "dcd": (dcd, (d, d)), "dtau": (dtau, (d, n))}


def _regressor(robot: MechanismDynamics, s: Symbols, options: Options) -> Outputs:
    Y = regressor.regressor(robot, s["cdd"])
    return {"Y": (Y, Y.shape)}


def _mass_matrix(robot: MechanismDynamics, s: Symbols, options: Options) -> Outputs:
    return {"M": (robot.mass_matrix(), (robot.dof,) * 2)}


def _bias(robot: MechanismDynamics, s: Symbols, options: Options) -> Outputs:
    return {"h": (robot.bias(), (robot.dof,))}


def _gravity_load(robot: MechanismDynamics, s: Symbols, options: Options) -> Outputs:
    tau = robot.gravity_load()
    return {"tau": (tau, (tau.numel(),))}


def _task_space(robot: MechanismDynamics, s: Symbols, options: Options) -> Outputs:
    shape = (len(robot.model.effort_names), robot.dof)
    moving = {**_mass_matrix(robot, s, options), **_bias(robot, s, options)}
    return {**moving, "Ga": (robot.actuation, shape)}


def _effort_breakdown(robot: MechanismDynamics, s: Symbols, options: Options) -> Outputs:
    parts = effort_breakdown(robot, s["cdd"])
    return {name: (value, (value.numel(),)) for name, value in parts.items()}


def _joint_motion(robot: MechanismDynamics, s: Symbols, options: Options) -> Outputs:
    """All joints and cylinders, all bodies, and the tool."""
    state = robot.moving(s["cdd"])
    names = [each.name for each in elements(robot.model)]
    motions = [robot.dynamics.joint_motion(name, state) for name in names]
    outputs: Outputs = {
        word: (ca.vertcat(SX(0, 1), *[motion[k] for motion in motions]), (len(names),))
        for k, word in enumerate(("q", "qd", "qdd"))
    }
    frames = [(displaced(state, part.name), part.frame) for part in robot.model.parts]
    several = [_moving_frame(*each) for each in frames]
    count = len(several)
    for k, (word, shape) in enumerate(FRAME_MOTION.items()):
        outputs[f"{word}s"] = stack([each[k] for each in several]), (count, *shape)
    return outputs | tool_motion(robot, state)


FRAME_MOTION = {"position": (3,), "rotation": (3, 3), "twist": (6,), "acceleration": (6,)}


def tool_motion(robot: MechanismDynamics, state: MechanismState) -> Outputs:
    """Position, rotation, twist and acceleration of the tool's frame."""
    tool = _moving_frame(*_frame(robot, state, None))
    return {word: (value, FRAME_MOTION[word]) for word, value in zip(FRAME_MOTION, tool, strict=True)}


def _frame(
    robot: MechanismDynamics, state: MechanismState, body: str | None
) -> tuple[Displacement, Transform]:
    """A body and its frame at home; the tool's if no body is named."""
    if body == BASE:
        return displaced(state, BASE), Transform()
    name, frame = tool_frame(robot.model) if body is None else (body, robot.model.part(body).frame)
    return displaced(state, name), frame


def _moving_frame(body: Displacement, frame: Transform) -> tuple[SX, SX, SX, SX]:
    R, p = body.frame(frame)
    return p, R, body.twist(frame.p), ca.vertcat(body.acceleration(frame.p), body.al)


def _body_pose(robot: MechanismDynamics, s: Symbols, options: Options) -> Outputs:
    body, frame = _frame(robot, robot.place, options.body)
    R, p = body.frame(frame)
    return {"position": (p, (3,)), "rotation": (R, (3, 3))}


def _jacobian(robot: MechanismDynamics, s: Symbols, options: Options) -> Outputs:
    """Twists of a body's frame under unit velocities, which are accelerations from rest."""
    columns = []
    for unit in robot.units:
        body, frame = _frame(robot, unit, options.body)
        columns.append(ca.vertcat(body.acceleration(frame.p), body.al))
    return {"J": (ca.horzcat(*columns), (6, robot.dof))}


def _inverse_kinematics(robot: MechanismDynamics, s: Symbols, options: Options) -> Outputs:
    q = robot.actuators(robot.place)[0]
    return {"actuators": (q, (q.numel(),))}


def _energy(robot: MechanismDynamics, s: Symbols, options: Options) -> Outputs:
    kinetic, potential = robot.energy()
    return {"kinetic": (kinetic, ()), "potential": (potential, ())}


def _jacobians(robot: MechanismDynamics, s: Symbols, options: Options) -> Outputs:
    n = len(robot.model.effort_names)
    Jx, Jq = jacobians.jacobians(robot)
    return {"Jx": (Jx, (n, robot.dof)), "Jq": (Jq, (n,))}


def _cones(robot: MechanismDynamics, s: Symbols, options: Options) -> Outputs:
    found = cone_cosines(robot)
    return {"cosines": (ca.vertcat(SX(0, 1), *found), (len(found),))}


def _joint_reactions(robot: MechanismDynamics, s: Symbols, options: Options) -> Outputs:
    """Two solutions where statics leaves many: what they agree on is determinate."""
    found = Reactions(robot.but(), by_name(robot.model, s["cdd"]))
    outputs: Outputs = {}
    for suffix, wrenches in found.solutions():
        rows = [ca.vertcat(F, N).T for _, F, N in wrenches]
        outputs["joint_wrench" + suffix] = ca.vertcat(*rows), (len(rows), 6)
    return outputs


def _snapshot(robot: MechanismDynamics, s: Symbols, options: Options) -> Outputs:
    weighted = replace(robot, gravity=scaled_gravity(robot.model.gravity, s[WEIGHT]))
    return of_mechanism(weighted, s["cdd"], s[PAYLOAD])


def _newton(robot: MechanismDynamics, s: Symbols, options: Options) -> Outputs:
    found, error = robot.from_actuators(s["actuators"], NEWTON_STEPS)
    return {"solution": (found, (found.numel(),)), "error": (error, ())}


def _loops(robot: MechanismDynamics, s: Symbols, options: Options) -> Outputs:
    """What Newton's method solves for, to begin from when the coordinates have moved on."""
    found = unknown_values(robot.place)
    return {"unknowns": (found, (found.numel(),))}


def _closing(robot: MechanismDynamics, s: Symbols, options: Options) -> Outputs:
    """What Newton's method makes zero, of the machine's size."""
    size = robot.model.size
    closures = [each for block in robot.plan.blocks if block.kind == NEWTON for each in block.closures]
    left = [each.residual(robot.place) / each.unit(size) for each in closures]
    return {"closing": (ca.vertcat(SX(0, 1), *left), (len(left),))}


def _actuation(robot: MechanismDynamics, s: Symbols, options: Options) -> Outputs:
    return {"Ga": (robot.actuation, (len(robot.model.effort_names), robot.dof))}


def _diagnosis(robot: MechanismDynamics, s: Symbols, options: Options) -> Outputs:
    return {**jacobians.block_jacobians(robot), **_jacobians(robot, s, options)}


NOTHING = Body.of(0.0, np.zeros(3), np.zeros((3, 3)))


def without_springs(model: MechanismModel) -> MechanismModel:
    return replace(
        model,
        joints=tuple(replace(joint, spring=None) for joint in model.joints),
        cylinders=tuple(replace(each, spring=None) for each in model.cylinders),
        springs=(),
    )


def tool_alone(model: MechanismModel) -> MechanismModel:
    """With mass in the tool's body only."""
    name = tool_frame(model)[0]
    return replace(
        model,
        parts=tuple(part if part.name == name else replace(part, body=NOTHING) for part in model.parts),
        rods=tuple(replace(rod, mass=0.0, axial=0.0, across=0.0) for rod in model.rods),
        cylinders=tuple(replace(each, barrel=NOTHING, rod=NOTHING) for each in model.cylinders),
    )


def effort_breakdown(robot: MechanismDynamics, cdd: SX) -> dict[str, SX]:
    """Efforts (n) by name: the total, then parts that add up to it."""
    rigid = replace(robot.acting, friction=False, rotors=False)
    turning = replace(robot.acting, friction=False)
    plain = without_springs(robot.model)

    def need(model: MechanismModel, acting: AppliedLoads) -> SX:
        found = robot.but(acting, model)
        return found.need(found.moving(by_name(model, cdd)))

    tool = need(tool_alone(plain), rigid)
    bodies, springs = need(plain, rigid), need(robot.model, rigid)
    with_rotors, total = need(robot.model, turning), need(robot.model, robot.acting)
    parts = {
        "total": total,
        "tool": tool,
        "bodies": bodies - tool,
        "springs": springs - bodies,
        "rotors": with_rotors - springs,
        "friction": total - with_rotors,
    }
    return {name: robot.efforts_for(value) for name, value in parts.items()}


MOTION, STATE = ("c", "cd", "cdd"), ("c", "cd")
NEWTON_STEPS = 4  # of one call; who needs more calls again
ACTING = ("wrench", "gravity", "base_motion")
PARTS = ("friction", "rotors")
BODY = ("body",)
# Inputs of any method: where Newton's method begins, or what closes the loops, not solved for then.
LOOPS, GUESS, CLOSED = "loops", "guess", "closed"
METHODS: dict[str, Method[MechanismDynamics]] = {
    "inverse_dynamics": Method(MOTION, guarded(_inverse_dynamics), PARTS, ACTING, ("exact",)),
    "forward_dynamics": Method((*STATE, "tau"), guarded(_forward_dynamics), PARTS, ACTING),
    "inverse_dynamics_derivatives": Method(
        MOTION, guarded(_inverse_dynamics_derivatives), PARTS, ACTING
    ),
    "forward_dynamics_derivatives": Method(
        (*STATE, "tau"), guarded(_forward_dynamics_derivatives), PARTS, ACTING
    ),
    "regressor": Method(MOTION, guarded(_regressor), (), ("gravity",)),
    "mass_matrix": Method(("c",), guarded(_mass_matrix), ("rotors",)),
    "bias": Method(STATE, guarded(_bias), ("friction",), ACTING),
    "gravity_load": Method(("c",), guarded(_gravity_load), (), ("gravity",)),
    "task_space": Method(STATE, guarded(_task_space), PARTS, ACTING),
    "effort_breakdown": Method(MOTION, guarded(_effort_breakdown), (), ACTING),
    "joint_reactions": Method(MOTION, guarded(_joint_reactions), PARTS, ACTING),
    # The same; families give `joint_reactions` in forms of their own.
    "reactions": Method(MOTION, guarded(_joint_reactions), PARTS, ACTING),
    "joint_motion": Method(MOTION, guarded(_joint_motion)),
    "inverse_kinematics": Method(("c",), guarded(_inverse_kinematics)),
    "body_pose": Method(("c",), guarded(_body_pose), BODY),
    "jacobian": Method(("c",), guarded(_jacobian), BODY),
    "jacobians": Method(("c",), guarded(_jacobians)),
    "cones": Method(("c",), guarded(_cones)),
    "energy": Method(STATE, guarded(_energy), (), ("gravity",)),
    SNAPSHOT: Method((*MOTION, PAYLOAD, WEIGHT), guarded(_snapshot), PARTS, ("wrench",)),
    "newton": Method(("actuators", "c"), _newton),
    "actuation": Method(("c",), guarded(_actuation)),
    LOOPS: Method(("c",), guarded(_loops)),
    "closing": Method(("c",), _closing),
    "diagnosis": Method(("c",), _diagnosis),
    "conditions": Method(MOTION, guarded(conditions), PARTS, ("wrench", "gravity", PAYLOAD)),
}


def express(
    model: MechanismModel, name: str, options: Options, method: Method[MechanismDynamics] | None = None
) -> Expression:
    """The CasADi function of a method and the shapes of its outputs; one of `METHODS` by its name."""
    own = None if options.gravity is None else SX(ca.DM(options.gravity))

    changed, parameters = symbolic(model, options.parameters)

    def dynamics(symbols: Symbols) -> MechanismDynamics:
        return MechanismDynamics(
            changed,
            symbols["c"],
            symbols.get("cd"),
            friction=options.friction,
            rotors=options.rotors,
            gravity=symbols.get("gravity", own),
            wrench=symbols.get("wrench"),
            base_motion=symbols.get("base_motion"),
            guess=symbols.get(CLOSED, symbols.get(GUESS)),
            steps=0 if CLOSED in symbols else STEPS,
            numbers=model if parameters else None,
        )

    d, n = len(model.coordinates), len(model.effort_names)
    sizes = {"c": options.size, "cd": d, "cdd": d, "tau": n, "actuators": n}
    sizes |= {"wrench": 6, "gravity": 3, "base_motion": 9, **SNAPSHOT_SIZES}
    if loops := {GUESS, CLOSED}.intersection(options.runtime):
        sizes |= dict.fromkeys(loops, len(unknown_names(placement_plan(model))))
    return express_method(name, method or METHODS[name], options, sizes, dynamics, parameters)
