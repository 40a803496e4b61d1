"""Every quantity that a platform can compute, as a CasADi function of the state."""

from __future__ import annotations

from dataclasses import dataclass, replace

import casadi as ca

from linkwork.mechanics.expressions import SX, cross, number, stack, times
from linkwork.mechanics.linear import solve_orthogonal
from linkwork.mechanics.methods import Expression, Method, Outputs, Symbols, express_method
from linkwork.mechanics.parameters import symbolic
from linkwork.mechanics.platform import (
    body_motion,
    derivatives,
    forward_kinematics,
    legs,
    margins,
    regressor,
)
from linkwork.mechanics.platform.demand import demand
from linkwork.mechanics.platform.dynamics import Formulation, PlatformDynamics
from linkwork.mechanics.platform.pose import place_of
from linkwork.mechanics.platform.reactions import Reactions
from linkwork.mechanics.platform.snapshot import of_platform
from linkwork.mechanics.platform.stiffness import stiffness
from linkwork.mechanics.snapshot import PAYLOAD, SNAPSHOT, WEIGHT, scaled_gravity
from linkwork.mechanics.snapshot import SIZES as SNAPSHOT_SIZES
from linkwork.robots.platform import LEGS, PlatformModel

SIZES = {
    "twist": 6,
    "acceleration": 6,
    "force": 6,
    "wrench": 6,
    "lengths": 6,
    "rates": 6,
    "gravity": 3,
    "base_motion": 9,
}
SIZES |= {"settings": len(margins.SETTINGS), **SNAPSHOT_SIZES}
NEWTON_STEPS = 6


@dataclass(frozen=True)
class Options:
    """What is folded into an expression. `deviations` None: as the formulation has them.

    `runtime` lists the optional inputs that the kernel takes; `gravity` replaces the robot's own;
    `parameters` are fields of the robot that are inputs.
    """

    pose_size: int = 7
    runtime: tuple[str, ...] = ()
    friction: bool = True
    formulation: str = "exact"
    deviations: tuple[str, ...] | None = None
    form: str = "closed"
    frames: str = "printed"
    gravity: tuple[float, float, float] | None = None
    parameters: tuple[str, ...] = ()

    def chosen(self) -> Formulation:
        return Formulation(self.formulation, self.deviations, self.form, self.frames)


def _inverse_dynamics(platform: PlatformDynamics, s: Symbols, options: Options) -> Outputs:
    return {"force": (platform.inverse(s["acceleration"], options.chosen()), (LEGS,))}


def _force_parts(platform: PlatformDynamics, s: Symbols, options: Options) -> Outputs:
    """Massless legs, the legs' mass, and friction: D 4.4."""
    acceleration = s["acceleration"]
    total = platform.inverse(acceleration)
    smooth = replace(platform, friction=False).inverse(acceleration)
    massless = platform.massless(acceleration)
    return {
        "total": (total, (LEGS,)),
        "massless": (massless, (LEGS,)),
        "leg_inertia": (smooth - massless, (LEGS,)),
        "friction": (total - smooth, (LEGS,)),
    }


def _forward_dynamics(platform: PlatformDynamics, s: Symbols, options: Options) -> Outputs:
    return {"acceleration": (platform.forward(s["force"], options.chosen()), (6,))}


def _inverse_dynamics_derivatives(platform: PlatformDynamics, s: Symbols, options: Options) -> Outputs:
    found = derivatives.of_inverse(platform, s["acceleration"])
    return {name: (value, (6, 6)) for name, value in zip(OF_INVERSE, found, strict=True)}


def _forward_dynamics_derivatives(platform: PlatformDynamics, s: Symbols, options: Options) -> Outputs:
    found = derivatives.of_forward(platform, s["force"])
    return {name: (value, (6, 6)) for name, value in zip(OF_FORWARD, found, strict=True)}


def _regressor(platform: PlatformDynamics, s: Symbols, options: Options) -> Outputs:
    Y = regressor.regressor(platform, s["acceleration"])
    return {"Y": (Y, (Y.size1(), Y.size2()))}


def _stiffness(platform: PlatformDynamics, s: Symbols, options: Options) -> Outputs:
    return {"K": (stiffness(platform), (6, 6))}


def _margins(platform: PlatformDynamics, s: Symbols, options: Options) -> Outputs:
    found = margins.margins(platform, s["settings"])
    return {name: (value, ()) for name, value in found.items()}


def _demand(platform: PlatformDynamics, s: Symbols, options: Options) -> Outputs:
    found = demand(platform, s["acceleration"])
    return {name: (value, (LEGS,) if name == "square" else ()) for name, value in found.items()}


def _mass_matrix(platform: PlatformDynamics, s: Symbols, options: Options) -> Outputs:
    return {"M": (platform.mass_matrix(options.chosen()), (6, 6))}


def _bias(platform: PlatformDynamics, s: Symbols, options: Options) -> Outputs:
    return {"bias": (platform.bias(options.chosen()), (6,))}


def _task_space(platform: PlatformDynamics, s: Symbols, options: Options) -> Outputs:
    chosen = options.chosen()
    return {"M": (platform.mass_matrix(chosen), (6, 6)), "h": (platform.bias(chosen), (6,))}


def _gravity_load(platform: PlatformDynamics, s: Symbols, options: Options) -> Outputs:
    return {"force": (platform.gravity_load(), (LEGS,))}


def _joint_reactions(platform: PlatformDynamics, s: Symbols, options: Options) -> Outputs:
    found = platform.reactions(s["acceleration"], options.chosen())
    names = Reactions.__dataclass_fields__
    return {name: (stack([getattr(leg, name) for leg in found]), (LEGS, 3)) for name in names}


LEG_KINEMATICS = (
    "length",
    "rate",
    "extension_acceleration",
    "direction",
    "angular_velocity",
    "angular_acceleration",
)


def _leg_kinematics(platform: PlatformDynamics, s: Symbols, options: Options) -> Outputs:
    state = platform.state
    parts: dict[str, list[SX]] = {name: [] for name in LEG_KINEMATICS}
    for at in state.legs:
        rate = legs.rates(at, state.twist)
        motion = legs.accelerations(at, rate, state.twist, s["acceleration"])
        values = (at.L, rate.Ld, motion.Ldd, at.s, times(at.T, rate.w), times(at.T, motion.A))
        for name, value in zip(LEG_KINEMATICS, values, strict=True):
            parts[name].append(value)
    shapes = ((LEGS,),) * 3 + ((LEGS, 3),) * 3
    return {
        name: (stack(values), shape) for (name, values), shape in zip(parts.items(), shapes, strict=True)
    }


def _link_motion(platform: PlatformDynamics, s: Symbols, options: Options) -> Outputs:
    found = body_motion.body_motions(platform.state, s["acceleration"])
    names = body_motion.BodyMotion.__dataclass_fields__
    return {name: (stack([getattr(body, name) for body in found]), (len(found), 3)) for name in names}


def _columns(platform: PlatformDynamics) -> list[SX]:
    """Columns [s; q x s] without the universal joints, which do not enter them."""
    position, R = place_of(platform.pose)
    columns = []
    for leg in platform.model.legs:
        q = times(R, number(leg.platform_point))
        S = q + position - number(leg.base_point)
        s = S / ca.norm_2(S)
        columns.append(ca.vertcat(s, cross(q, s)))
    return columns


def _jacobian(platform: PlatformDynamics, s: Symbols, options: Options) -> Outputs:
    return {"J": (ca.horzcat(*_columns(platform)).T, (LEGS, 6))}


def _jacobian_rate(platform: PlatformDynamics, s: Symbols, options: Options) -> Outputs:
    J = ca.horzcat(*_columns(platform)).T
    return {"J_rate": (derivatives.jacobian_rate(J, platform.pose, s["twist"]), (LEGS, 6))}


def _leg_lengths(platform: PlatformDynamics, s: Symbols, options: Options) -> Outputs:
    position, R = place_of(platform.pose)
    lengths = [
        ca.norm_2(times(R, number(leg.platform_point)) + position - number(leg.base_point))
        for leg in platform.model.legs
    ]
    return {"lengths": (ca.vertcat(*lengths), (LEGS,))}


def _energy(platform: PlatformDynamics, s: Symbols, options: Options) -> Outputs:
    kinetic, potential = platform.energy()
    return {"kinetic": (kinetic, ()), "potential": (potential, ())}


def _snapshot(platform: PlatformDynamics, s: Symbols, options: Options) -> Outputs:
    weighted = replace(platform, gravity=scaled_gravity(platform.model.gravity, s[WEIGHT]))
    return of_platform(weighted, s["acceleration"], s[PAYLOAD])


def _newton(platform: PlatformDynamics, s: Symbols, options: Options) -> Outputs:
    pose, error = forward_kinematics.newton(platform.model, s["lengths"], platform.pose, NEWTON_STEPS)
    return {"solution": (pose, (7,)), "error": (error, ())}


def _twist_from_rates(platform: PlatformDynamics, s: Symbols, options: Options) -> Outputs:
    J = ca.horzcat(*_columns(platform)).T
    return {"twist": (solve_orthogonal([J[:, k] for k in range(6)], s["rates"]), (6,))}


OF_INVERSE, OF_FORWARD = ("dq", "dqd", "dqdd"), ("dq", "dqd", "dtau")
MOTION, STATE = ("pose", "twist", "acceleration"), ("pose", "twist")
ACTING = ("gravity", "wrench")
CARRIED = (*ACTING, "base_motion")
PUBLISHED = ("deviations", "form", "frames")
FORMULATIONS = ("exact", "dasgupta1998", "pedrammehr2012")
METHODS: dict[str, Method[PlatformDynamics, Options]] = {
    "inverse_dynamics": Method(
        MOTION,
        _inverse_dynamics,
        ("friction", *PUBLISHED),
        CARRIED,
        FORMULATIONS,
    ),
    "forward_dynamics": Method(
        (*STATE, "force"), _forward_dynamics, ("friction", *PUBLISHED), CARRIED, FORMULATIONS
    ),
    "inverse_dynamics_derivatives": Method(MOTION, _inverse_dynamics_derivatives, ("friction",), ACTING),
    "forward_dynamics_derivatives": Method(
        (*STATE, "force"), _forward_dynamics_derivatives, ("friction",), ACTING
    ),
    "force_parts": Method(MOTION, _force_parts, (), ACTING),
    "joint_reactions": Method(MOTION, _joint_reactions, PUBLISHED, CARRIED, FORMULATIONS),
    "task_space": Method(STATE, _task_space, PUBLISHED, CARRIED, FORMULATIONS),
    "regressor": Method(MOTION, _regressor, (), ("gravity",)),
    "demand": Method(MOTION, _demand, (), ACTING),
    "margins": Method(("pose", "settings"), _margins, (), ("gravity",)),
    "mass_matrix": Method(("pose",), _mass_matrix, PUBLISHED, (), FORMULATIONS),
    "stiffness": Method(("pose",), _stiffness, (), ACTING),
    "bias": Method(STATE, _bias, ("friction", *PUBLISHED), CARRIED, FORMULATIONS),
    "gravity_load": Method(("pose",), _gravity_load, (), ("gravity",)),
    "leg_kinematics": Method(MOTION, _leg_kinematics),
    "link_motion": Method(MOTION, _link_motion),
    "energy": Method(STATE, _energy, (), ("gravity",)),
    "jacobian": Method(("pose",), _jacobian),
    "jacobian_rate": Method(STATE, _jacobian_rate),
    "leg_lengths": Method(("pose",), _leg_lengths),
    SNAPSHOT: Method((*MOTION, PAYLOAD, WEIGHT), _snapshot, ("friction",), ("wrench",)),
    "newton": Method(("lengths", "pose"), _newton),
    "twist_from_rates": Method(("pose", "rates"), _twist_from_rates),
}


def express(model: PlatformModel, method: str, options: Options) -> Expression:
    """The CasADi function of a method and the shapes of its outputs."""
    own = None if options.gravity is None else SX(ca.DM(options.gravity))
    model, parameters = symbolic(model, options.parameters)

    def dynamics(symbols: Symbols) -> PlatformDynamics:
        return PlatformDynamics(
            model,
            symbols["pose"],
            symbols.get("twist"),
            friction=options.friction,
            gravity=symbols.get("gravity", own),
            wrench=symbols.get("wrench"),
            base_motion=symbols.get("base_motion"),
        )

    sizes = {**SIZES, "pose": options.pose_size}
    return express_method(method, METHODS[method], options, sizes, dynamics, parameters)
