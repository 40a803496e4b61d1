"""Every quantity that a parallel robot can compute, as a CasADi function of the state."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import casadi as ca

from linkwork.mechanics.expressions import SX, times
from linkwork.mechanics.methods import Expression, Method, Outputs, Symbols, express_method
from linkwork.mechanics.parallel import derivatives, forward_kinematics, jacobians, reactions, regressor
from linkwork.mechanics.parallel.newton import closure_error
from linkwork.mechanics.parallel.snapshot import of_parallel
from linkwork.mechanics.parallel.state import ParallelDynamics
from linkwork.mechanics.snapshot import PAYLOAD, SNAPSHOT, WEIGHT, scaled_gravity
from linkwork.mechanics.snapshot import SIZES as SNAPSHOT_SIZES
from linkwork.robots.parallel import ParallelModel


@dataclass(frozen=True)
class Options:
    """What is folded into an expression; `size` is that of the coordinates (quaternion or angles).

    `runtime` lists the optional inputs that the kernel takes; `gravity` replaces the robot's own.
    """

    size: int
    runtime: tuple[str, ...] = ()
    friction: bool = True
    rotors: bool = True
    gravity: tuple[float, float, float] | None = None


def _inverse_dynamics(robot: ParallelDynamics, s: Symbols, options: Options) -> Outputs:
    tau = robot.inverse(s["cdd"])
    return {"tau": (tau, (tau.numel(),))}


def _forward_dynamics(robot: ParallelDynamics, s: Symbols, options: Options) -> Outputs:
    cdd = robot.forward(s["tau"])
    return {"cdd": (cdd, (cdd.numel(),))}


def _inverse_dynamics_derivatives(robot: ParallelDynamics, s: Symbols, options: Options) -> Outputs:
    d, n = robot.model.freedoms, len(robot.model.actuators)
    found = derivatives.of_inverse(robot, s["cdd"])
    return {name: (value, (n, d)) for name, value in zip(("dc", "dcd", "dcdd"), found, strict=True)}


def _forward_dynamics_derivatives(robot: ParallelDynamics, s: Symbols, options: Options) -> Outputs:
    d, n = robot.model.freedoms, len(robot.model.actuators)
    dc, dcd, dtau = derivatives.of_forward(robot, s["tau"])
    return {"dc": (dc, (d, d)), "dcd": (dcd, (d, d)), "dtau": (dtau, (d, n))}


def _regressor(robot: ParallelDynamics, s: Symbols, options: Options) -> Outputs:
    Y = regressor.regressor(robot.true, s["cd"], s["cdd"])
    return {"Y": (Y, Y.shape)}


def _mass_matrix(robot: ParallelDynamics, s: Symbols, options: Options) -> Outputs:
    d = robot.model.freedoms
    return {"M": (robot.mass_matrix(), (d, d))}


def _bias(robot: ParallelDynamics, s: Symbols, options: Options) -> Outputs:
    return {"h": (robot.bias(), (robot.model.freedoms,))}


def _gravity_load(robot: ParallelDynamics, s: Symbols, options: Options) -> Outputs:
    tau = robot.gravity_load()
    return {"tau": (tau, (tau.numel(),))}


def _task_space(robot: ParallelDynamics, s: Symbols, options: Options) -> Outputs:
    d, n = robot.model.freedoms, len(robot.model.actuators)
    actuation = ca.horzcat(*robot.reduced.actuation).T
    return {**_mass_matrix(robot, s, options), **_bias(robot, s, options), "Ga": (actuation, (n, d))}


def _effort_parts(robot: ParallelDynamics, s: Symbols, options: Options) -> Outputs:
    """Platform, leg inertia and weight, friction, rotors: parts of the efforts by what needs them."""
    cd, cdd = s["cd"], s["cdd"]
    n = len(robot.model.actuators)
    true = robot.true
    total = true.inverse(cd, cdd)
    rigid = replace(true, load=replace(robot.acting, friction=False, rotors=False))
    with_rotors = replace(true, load=replace(robot.acting, friction=False))
    twist = robot.posture.twist(cd)
    acceleration = robot.posture.drift(cd) + robot.posture.twist(cdd)
    alone = rigid.platform_load(twist, acceleration)
    platform = rigid.efforts_for(times(robot.posture.T.T, alone))
    smooth, turning = rigid.inverse(cd, cdd), with_rotors.inverse(cd, cdd)
    parts = {
        "total": total,
        "platform": platform,
        "legs": smooth - platform,
        "rotors": turning - smooth,
        "friction": total - turning,
    }
    return {name: (value, (n,)) for name, value in parts.items()}


def _joints(robot: ParallelDynamics, s: Symbols, options: Options) -> Outputs:
    place, cd = robot.posture, s["cd"]
    twist = place.twist(cd)
    acceleration = place.drift(cd) + place.twist(s["cdd"])
    q, qd, qdd = [], [], []
    for leg in place.legs:
        q += leg.configuration.joint_coordinates()
        qd.append(robot.reduced.joint_velocities(leg, twist))
        qdd.append(robot.reduced.joint_accelerations(leg, twist, acceleration))
    n = len(q)
    return {
        "q": (ca.vertcat(*q), (n,)),
        "qd": (ca.vertcat(*qd), (n,)),
        "qdd": (ca.vertcat(*qdd), (n,)),
        "position": (place.pose.position, (3,)),
        "rotation": (place.pose.R, (3, 3)),
        "twist": (twist, (6,)),
        "acceleration": (acceleration, (6,)),
    }


def _inverse_kinematics(robot: ParallelDynamics, s: Symbols, options: Options) -> Outputs:
    q = [value for leg in robot.posture.legs for value in leg.configuration.joint_coordinates()]
    found = [value for value, joint in zip(q, robot.model.joints, strict=True) if joint.actuated]
    return {"actuators": (ca.vertcat(*found), (len(found),))}


def _energy(robot: ParallelDynamics, s: Symbols, options: Options) -> Outputs:
    kinetic, potential = robot.energy()
    return {"kinetic": (kinetic, ()), "potential": (potential, ())}


def _jacobians(robot: ParallelDynamics, s: Symbols, options: Options) -> Outputs:
    n, d = len(robot.model.actuators), robot.model.freedoms
    Jx, Jq = jacobians.of(robot.posture)
    return {"Jx": (Jx, (n, d)), "Jq": (Jq, (n,))}


def _joint_reactions(robot: ParallelDynamics, s: Symbols, options: Options) -> Outputs:
    """Two solutions where statics leaves many: what they agree on is determinate."""
    legs, joints = len(robot.model.legs), len(robot.model.joints)
    braced = reactions.tension(robot.model)
    outputs: Outputs = {}
    for suffix, chosen in (("", None), ("_other", braced)):
        if suffix and braced is None:
            continue
        found = reactions.of(robot.true, s["cd"], s["cdd"], chosen)
        outputs["joint_wrench" + suffix] = ca.vertcat(*[w.T for w in found.joints]), (joints, 6)
        outputs["closure_wrench" + suffix] = ca.vertcat(*[w.T for w in found.closures]), (legs, 6)
    return outputs


def _snapshot(robot: ParallelDynamics, s: Symbols, options: Options) -> Outputs:
    weighted = replace(robot, gravity=scaled_gravity(robot.model.gravity, s[WEIGHT]))
    return of_parallel(weighted, s["cdd"], s[PAYLOAD])


def _forward_kinematics(robot: ParallelDynamics, s: Symbols, options: Options) -> Outputs:
    found, error = forward_kinematics.newton(robot.mechanism, s["actuators"], robot.c)
    return {"solution": (found, (found.numel(),)), "error": (error, ())}


def _diagnosis(robot: ParallelDynamics, s: Symbols, options: Options) -> Outputs:
    """What tells why a state has no answer: per leg whether it reaches, how far it is from closing, and
    the side of its singularities; both Jacobians and that of the parasitic coordinates."""
    place, legs = robot.posture, len(robot.model.legs)
    tips = [ca.sum1(leg.configuration.tip_point()) for leg in place.legs]
    pose = place.pose
    errors = [closure_error(leg.configuration, pose.position, pose.R) for leg in place.legs]
    sides = [leg.side * leg.plan.home_side if leg.plan.form is None else SX(1) for leg in place.legs]
    parasitic = place.parasitic_matrix
    found: Outputs = {
        "reach": (ca.vertcat(*tips), (legs,)),
        "closure": (ca.vertcat(*[ca.norm_2(error) for error in errors]), (legs,)),
        "side": (ca.vertcat(*sides), (legs,)),
        **_jacobians(robot, s, options),
    }
    return {**found, "parasitic": (parasitic, parasitic.shape)} if robot.model.parasitic else found


Express = Callable[[ParallelDynamics, Symbols, Options], Outputs]


def _guarded(express: Express) -> Express:
    """Outputs that are finite only where all legs close on their home branches."""

    def guarded(robot: ParallelDynamics, s: Symbols, options: Options) -> Outputs:
        guard = robot.guard
        found = express(robot, s, options)
        return {name: (value * guard, shape) for name, (value, shape) in found.items()}

    return guarded


MOTION, STATE = ("c", "cd", "cdd"), ("c", "cd")
ACTING = ("wrench", "gravity", "base_motion")
PARTS = ("friction", "rotors")
METHODS: dict[str, Method[ParallelDynamics, Options]] = {
    "inverse_dynamics": Method(MOTION, _guarded(_inverse_dynamics), PARTS, ACTING, ("exact",)),
    "forward_dynamics": Method((*STATE, "tau"), _guarded(_forward_dynamics), PARTS, ACTING),
    "inverse_dynamics_derivatives": Method(
        MOTION, _guarded(_inverse_dynamics_derivatives), PARTS, ACTING
    ),
    "forward_dynamics_derivatives": Method(
        (*STATE, "tau"), _guarded(_forward_dynamics_derivatives), PARTS, ACTING
    ),
    "regressor": Method(MOTION, _guarded(_regressor), (), ("gravity",)),
    "mass_matrix": Method(("c",), _guarded(_mass_matrix), ("rotors",)),
    "bias": Method(STATE, _guarded(_bias), ("friction",), ACTING),
    "gravity_load": Method(("c",), _guarded(_gravity_load), (), ("gravity",)),
    "task_space": Method(STATE, _guarded(_task_space), PARTS, ACTING),
    "effort_parts": Method(MOTION, _guarded(_effort_parts), (), ACTING),
    "joint_reactions": Method(MOTION, _guarded(_joint_reactions), PARTS, ACTING),
    "joints": Method(MOTION, _guarded(_joints)),
    "inverse_kinematics": Method(("c",), _guarded(_inverse_kinematics)),
    "jacobians": Method(("c",), _guarded(_jacobians)),
    "energy": Method(STATE, _guarded(_energy), (), ("gravity",)),
    SNAPSHOT: Method((*MOTION, PAYLOAD, WEIGHT), _guarded(_snapshot), PARTS, ("wrench",)),
    "newton": Method(("actuators", "c"), _forward_kinematics),
    "diagnosis": Method(("c",), _diagnosis),
}


def express(model: ParallelModel, method: str, options: Options) -> Expression:
    """The CasADi function of a method and the shapes of its outputs."""
    own = None if options.gravity is None else SX(ca.DM(options.gravity))

    def dynamics(symbols: Symbols) -> ParallelDynamics:
        return ParallelDynamics(
            model,
            symbols["c"],
            symbols.get("cd"),
            friction=options.friction,
            rotors=options.rotors,
            gravity=symbols.get("gravity", own),
            wrench=symbols.get("wrench"),
            base_motion=symbols.get("base_motion"),
        )

    d, n = model.freedoms, len(model.actuators)
    sizes = {"c": options.size, "cd": d, "cdd": d, "tau": n, "actuators": n}
    sizes |= {"wrench": 6, "gravity": 3, "base_motion": 9, **SNAPSHOT_SIZES}
    return express_method(method, METHODS[method], options, sizes, dynamics)
