"""Every quantity that a platform can compute, as a CasADi function of the state."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import casadi as ca

from linkwork.mechanics.expressions import SX, cross, number, stack, times, zeros
from linkwork.mechanics.linear import solve_orthogonal
from linkwork.mechanics.platform import (
    dasgupta1998,
    exact,
    forward_kinematics,
    legs,
    pedrammehr2012,
    reactions,
    stepwise,
)
from linkwork.mechanics.platform.pose import place_of
from linkwork.robots.platform import LEGS, PlatformModel

SIZES = {"twist": 6, "acceleration": 6, "force": 6, "wrench": 6, "lengths": 6, "rates": 6}
NEWTON_STEPS = 6


@dataclass(frozen=True)
class Options:
    """What is folded into an expression. `deviations` None: as the formulation has them."""

    pose_size: int = 7
    wrench: bool = False
    friction: bool = True
    formulation: str = "exact"
    deviations: tuple[str, ...] | None = None
    form: str = "closed"
    frames: str = "printed"


class Trace:
    """Symbols of one method call and the state they make."""

    def __init__(self, model: PlatformModel, options: Options, inputs: tuple[str, ...]) -> None:
        self.model = model
        self.options = options
        sizes = {**SIZES, "pose": options.pose_size}
        names = (*inputs, "wrench") if options.wrench else inputs
        self.symbols = {name: SX.sym(name, sizes[name]) for name in names}

    def __getitem__(self, name: str) -> SX:
        return self.symbols[name]

    def state(self) -> exact.State:
        position, R = place_of(self["pose"])
        return exact.State(
            model=self.model,
            R=R,
            twist=self.symbols.get("twist", zeros(6)),
            wrench=self.symbols.get("wrench", zeros(6)),
            gravity=number(self.model.gravity),
            legs=tuple(legs.geometry(leg, position, R) for leg in self.model.legs),
            friction=self.options.friction,
        )


Outputs = dict[str, tuple[SX, tuple[int, ...]]]


def _forces(trace: Trace) -> SX:
    state, acceleration, options = trace.state(), trace["acceleration"], trace.options
    if options.deviations is not None:
        reading = stepwise.Reading(frozenset(options.deviations), options.frames == "local")
        if "dropped-terms" in reading:
            return pedrammehr2012.closed_form_forces(state, acceleration, reading)
        return stepwise.actuator_forces(state, acceleration, reading)
    if options.formulation == "dasgupta1998":
        return dasgupta1998.actuator_forces(state, acceleration)
    if options.formulation == "pedrammehr2012":
        return pedrammehr2012.actuator_forces(state, acceleration, options.form, options.frames)
    return exact.actuator_forces(state, acceleration)


def _inverse_dynamics(trace: Trace) -> Outputs:
    return {"force": (_forces(trace), (LEGS,))}


def _force_parts(trace: Trace) -> Outputs:
    """Massless legs, the legs' mass, and friction: D 4.4."""
    state, acceleration = trace.state(), trace["acceleration"]
    total = exact.actuator_forces(state, acceleration)
    smooth = exact.actuator_forces(replace(state, friction=False), acceleration)
    massless = exact.massless_leg_forces(state, acceleration)
    return {
        "total": (total, (LEGS,)),
        "massless": (massless, (LEGS,)),
        "leg_inertia": (smooth - massless, (LEGS,)),
        "friction": (total - smooth, (LEGS,)),
    }


def _forward_dynamics(trace: Trace) -> Outputs:
    return {"acceleration": (exact.platform_acceleration(trace.state(), trace["force"]), (6,))}


def _task_space(trace: Trace) -> Outputs:
    state = trace.state()
    return {"M": (exact.mass_matrix(state), (6, 6)), "h": (exact.bias(state), (6,))}


def _joint_reactions(trace: Trace) -> Outputs:
    found = reactions.reactions(trace.state(), trace["acceleration"])
    names = reactions.Reactions.__dataclass_fields__
    return {name: (stack([getattr(leg, name) for leg in found]), (LEGS, 3)) for name in names}


def _leg_kinematics(trace: Trace) -> Outputs:
    state = trace.state()
    parts: dict[str, list[SX]] = {name: [] for name in LEG_KINEMATICS}
    for at in state.legs:
        rate = legs.rates(at, state.twist)
        motion = legs.accelerations(at, rate, state.twist, trace["acceleration"])
        values = (at.L, rate.Ld, motion.Ldd, at.s, times(at.T, rate.w), times(at.T, motion.A))
        for name, value in zip(LEG_KINEMATICS, values, strict=True):
            parts[name].append(value)
    shapes = ((LEGS,),) * 3 + ((LEGS, 3),) * 3
    return {
        name: (stack(values), shape) for (name, values), shape in zip(parts.items(), shapes, strict=True)
    }


LEG_KINEMATICS = (
    "length",
    "rate",
    "extension_acceleration",
    "direction",
    "angular_velocity",
    "angular_acceleration",
)


def _jacobian(trace: Trace) -> Outputs:
    return {"J": (ca.horzcat(*_columns(trace)).T, (LEGS, 6))}


def _columns(trace: Trace) -> list[SX]:
    """Columns [s; q x s] without the universal joints, which do not enter them."""
    position, R = place_of(trace["pose"])
    columns = []
    for leg in trace.model.legs:
        q = times(R, number(leg.platform_point))
        S = q + position - number(leg.base_point)
        s = S / ca.norm_2(S)
        columns.append(ca.vertcat(s, cross(q, s)))
    return columns


def _leg_lengths(trace: Trace) -> Outputs:
    position, R = place_of(trace["pose"])
    lengths = [
        ca.norm_2(times(R, number(leg.platform_point)) + position - number(leg.base_point))
        for leg in trace.model.legs
    ]
    return {"lengths": (ca.vertcat(*lengths), (LEGS,))}


def _energy(trace: Trace) -> Outputs:
    kinetic, potential = exact.energies(trace.state())
    return {"kinetic": (kinetic, ()), "potential": (potential, ())}


def _newton(trace: Trace) -> Outputs:
    pose, error = forward_kinematics.newton(trace.model, trace["lengths"], trace["pose"], NEWTON_STEPS)
    return {"solution": (pose, (7,)), "error": (error, ())}


def _twist_from_rates(trace: Trace) -> Outputs:
    J = ca.horzcat(*_columns(trace)).T
    return {"twist": (solve_orthogonal([J[:, k] for k in range(6)], trace["rates"]), (6,))}


@dataclass(frozen=True)
class Method:
    """A computable quantity: its inputs, how to express it, and whether a wrench may act."""

    inputs: tuple[str, ...]
    express: Callable[[Trace], Outputs]
    takes_wrench: bool = False


MOTION = ("pose", "twist", "acceleration")
METHODS: dict[str, Method] = {
    "inverse_dynamics": Method(MOTION, _inverse_dynamics, True),
    "forward_dynamics": Method(("pose", "twist", "force"), _forward_dynamics, True),
    "force_parts": Method(MOTION, _force_parts, True),
    "joint_reactions": Method(MOTION, _joint_reactions, True),
    "task_space": Method(("pose", "twist"), _task_space, True),
    "leg_kinematics": Method(MOTION, _leg_kinematics),
    "energy": Method(("pose", "twist"), _energy),
    "jacobian": Method(("pose",), _jacobian),
    "leg_lengths": Method(("pose",), _leg_lengths),
    "newton": Method(("lengths", "pose"), _newton),
    "twist_from_rates": Method(("pose", "rates"), _twist_from_rates),
}


def express(
    model: PlatformModel, method: str, options: Options
) -> tuple[ca.Function, tuple[tuple[int, ...], ...]]:
    """The CasADi function of a method and the shapes of its outputs."""
    spec = METHODS[method]
    trace = Trace(model, options, spec.inputs)
    outputs = spec.express(trace)
    function = ca.Function(
        method,
        list(trace.symbols.values()),
        [stack([value]) for value, _ in outputs.values()],
        list(trace.symbols),
        list(outputs),
    )
    return function, tuple(shape for _, shape in outputs.values())
