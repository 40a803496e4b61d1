"""Every quantity that a mechanism can compute, as a CasADi function of the state."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import casadi as ca

from linkwork.mechanics.expressions import SX, stack
from linkwork.mechanics.mechanism import derivatives, forward_kinematics, jacobians, newton, regressor
from linkwork.mechanics.mechanism.coordinates import by_name
from linkwork.mechanics.mechanism.effort_parts import effort_parts
from linkwork.mechanics.mechanism.places import Displacement, displaced
from linkwork.mechanics.mechanism.reactions import Reactions
from linkwork.mechanics.mechanism.robot_dynamics import MechanismDynamics, planned
from linkwork.mechanics.mechanism.snapshot import of_mechanism
from linkwork.mechanics.mechanism.state import State
from linkwork.mechanics.methods import Expression, Method, Outputs, Symbols, express_method
from linkwork.mechanics.parameters import symbolic
from linkwork.mechanics.snapshot import PAYLOAD, SNAPSHOT, WEIGHT, scaled_gravity
from linkwork.mechanics.snapshot import SIZES as SNAPSHOT_SIZES
from linkwork.robots.geometry import Transform
from linkwork.robots.mechanism import BASE, MechanismModel
from linkwork.robots.mechanism_elements import elements, tool_frame


@dataclass(frozen=True)
class Options:
    """What is folded into an expression; `size` is that of the coordinates (quaternions or angles).

    `runtime` lists the optional inputs that the kernel takes; `gravity` replaces the robot's own. `body`
    names the body that is asked about, None the tool.
    """

    size: int
    runtime: tuple[str, ...] = ()
    friction: bool = True
    rotors: bool = True
    gravity: tuple[float, float, float] | None = None
    body: str | None = None
    parameters: tuple[str, ...] = ()  # fields of the robot that are inputs


def _inverse_dynamics(robot: MechanismDynamics, s: Symbols, options: Options) -> Outputs:
    tau = robot.inverse(s["cdd"])
    return {"tau": (tau, (tau.numel(),))}


def _forward_dynamics(robot: MechanismDynamics, s: Symbols, options: Options) -> Outputs:
    cdd = robot.forward(s["tau"])
    return {"cdd": (cdd, (cdd.numel(),))}


def _inverse_dynamics_derivatives(robot: MechanismDynamics, s: Symbols, options: Options) -> Outputs:
    found = derivatives.of_inverse(robot, s["cdd"])
    shape = (len(robot.model.effort_names), robot.freedoms)
    return {name: (value, shape) for name, value in zip(("dc", "dcd", "dcdd"), found, strict=True)}


def _forward_dynamics_derivatives(robot: MechanismDynamics, s: Symbols, options: Options) -> Outputs:
    d, n = robot.freedoms, len(robot.model.effort_names)
    dc, dcd, dtau = derivatives.of_forward(robot, s["tau"])
    return {"dc": (dc, (d, d)), "dcd": (dcd, (d, d)), "dtau": (dtau, (d, n))}


def _regressor(robot: MechanismDynamics, s: Symbols, options: Options) -> Outputs:
    Y = regressor.regressor(robot, s["cdd"])
    return {"Y": (Y, Y.shape)}


def _mass_matrix(robot: MechanismDynamics, s: Symbols, options: Options) -> Outputs:
    return {"M": (robot.mass_matrix(), (robot.freedoms,) * 2)}


def _bias(robot: MechanismDynamics, s: Symbols, options: Options) -> Outputs:
    return {"h": (robot.bias(), (robot.freedoms,))}


def _gravity_load(robot: MechanismDynamics, s: Symbols, options: Options) -> Outputs:
    tau = robot.gravity_load()
    return {"tau": (tau, (tau.numel(),))}


def _task_space(robot: MechanismDynamics, s: Symbols, options: Options) -> Outputs:
    shape = (len(robot.model.effort_names), robot.freedoms)
    moving = {**_mass_matrix(robot, s, options), **_bias(robot, s, options)}
    return {**moving, "Ga": (robot.actuation, shape)}


def _effort_parts(robot: MechanismDynamics, s: Symbols, options: Options) -> Outputs:
    parts = effort_parts(robot, s["cdd"])
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
    shapes = {"position": (3,), "rotation": (3, 3), "twist": (6,), "acceleration": (6,)}
    for k, (word, shape) in enumerate(shapes.items()):
        outputs[f"{word}s"] = stack([each[k] for each in several]), (count, *shape)
    tool = _moving_frame(*_frame(robot, state, None))
    return outputs | {word: (tool[k], shape) for k, (word, shape) in enumerate(shapes.items())}


def _frame(robot: MechanismDynamics, state: State, body: str | None) -> tuple[Displacement, Transform]:
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
    return {"J": (ca.horzcat(*columns), (6, robot.freedoms))}


def _inverse_kinematics(robot: MechanismDynamics, s: Symbols, options: Options) -> Outputs:
    q = robot.actuators(robot.place)[0]
    return {"actuators": (q, (q.numel(),))}


def _energy(robot: MechanismDynamics, s: Symbols, options: Options) -> Outputs:
    kinetic, potential = robot.energy()
    return {"kinetic": (kinetic, ()), "potential": (potential, ())}


def _jacobians(robot: MechanismDynamics, s: Symbols, options: Options) -> Outputs:
    n = len(robot.model.effort_names)
    Jx, Jq = jacobians.of(robot)
    return {"Jx": (Jx, (n, robot.freedoms)), "Jq": (Jq, (n,))}


def _joint_reactions(robot: MechanismDynamics, s: Symbols, options: Options) -> Outputs:
    """Two solutions where statics leaves many: what they agree on is determinate."""
    found = Reactions(robot.but(), by_name(robot.model, s["cdd"]))
    outputs: Outputs = {}
    for suffix in ("", "_other") if found.holds.left else ("",):
        loads = found.solved(second=bool(suffix))
        wrenches = [ca.vertcat(F, N).T for _, F, N in found.joints(loads)]
        outputs["joint_wrench" + suffix] = ca.vertcat(*wrenches), (len(wrenches), 6)
    return outputs


def _snapshot(robot: MechanismDynamics, s: Symbols, options: Options) -> Outputs:
    weighted = replace(robot, gravity=scaled_gravity(robot.model.gravity, s[WEIGHT]))
    return of_mechanism(weighted, s["cdd"], s[PAYLOAD])


def _newton(robot: MechanismDynamics, s: Symbols, options: Options) -> Outputs:
    found, error = forward_kinematics.newton(robot, s["actuators"], NEWTON_STEPS)
    return {"solution": (found, (found.numel(),)), "error": (error, ())}


def _loops(robot: MechanismDynamics, s: Symbols, options: Options) -> Outputs:
    """What Newton's method solves for, to begin from when the coordinates have moved on."""
    found = newton.values(robot.place)
    return {"unknowns": (found, (found.numel(),))}


def _actuation(robot: MechanismDynamics, s: Symbols, options: Options) -> Outputs:
    return {"Ga": (robot.actuation, (len(robot.model.effort_names), robot.freedoms))}


def _diagnosis(robot: MechanismDynamics, s: Symbols, options: Options) -> Outputs:
    return {**jacobians.of_blocks(robot), **_jacobians(robot, s, options)}


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


MOTION, STATE = ("c", "cd", "cdd"), ("c", "cd")
NEWTON_STEPS = 4  # of one call; who needs more calls again
ACTING = ("wrench", "gravity", "base_motion")
PARTS = ("friction", "rotors")
BODY = ("body",)
LOOPS, GUESS = "loops", "guess"  # an input of any method: where Newton's method begins
METHODS: dict[str, Method[MechanismDynamics, Options]] = {
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
    "effort_parts": Method(MOTION, guarded(_effort_parts), (), ACTING),
    "joint_reactions": Method(MOTION, guarded(_joint_reactions), PARTS, ACTING),
    # The same; families give `joint_reactions` in forms of their own.
    "reactions": Method(MOTION, guarded(_joint_reactions), PARTS, ACTING),
    "joint_motion": Method(MOTION, guarded(_joint_motion)),
    "inverse_kinematics": Method(("c",), guarded(_inverse_kinematics)),
    "body_pose": Method(("c",), guarded(_body_pose), BODY),
    "jacobian": Method(("c",), guarded(_jacobian), BODY),
    "jacobians": Method(("c",), guarded(_jacobians)),
    "energy": Method(STATE, guarded(_energy), (), ("gravity",)),
    SNAPSHOT: Method((*MOTION, PAYLOAD, WEIGHT), guarded(_snapshot), PARTS, ("wrench",)),
    "newton": Method(("actuators", "c"), _newton),
    "actuation": Method(("c",), guarded(_actuation)),
    LOOPS: Method(("c",), guarded(_loops)),
    "diagnosis": Method(("c",), _diagnosis),
}


def express(
    model: MechanismModel,
    name: str,
    options: Options,
    method: Method[MechanismDynamics, Options] | None = None,
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
            guess=symbols.get(GUESS),
            numbers=model if parameters else None,
        )

    d, n = len(model.coordinates), len(model.effort_names)
    sizes = {"c": options.size, "cd": d, "cdd": d, "tau": n, "actuators": n}
    sizes |= {"wrench": 6, "gravity": 3, "base_motion": 9, **SNAPSHOT_SIZES}
    if GUESS in options.runtime:
        sizes[GUESS] = len(newton.unknown_names(planned(model)))
    return express_method(name, method or METHODS[name], options, sizes, dynamics, parameters)
