"""Every quantity that an arm can compute, as a CasADi function of the state.

A method has state inputs (q, qd, ...), options that shape the expression, and optional run-time
inputs (gravity, tip_wrench, base_motion) that are constants or absent unless asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import casadi as ca
import numpy as np

from linkwork.mechanics.arm import (
    articulated,
    composite,
    kinematics,
    lagrange,
    natural_complement,
    newton_euler,
    strobing,
)
from linkwork.mechanics.arm.chain import Chain, chain_of, layout
from linkwork.mechanics.arm.formulations import FORMULATIONS, MINIMAL, NAMES
from linkwork.mechanics.arm.joint_forces import friction_torques, rotor_inertias
from linkwork.mechanics.arm.link_velocities import link_velocities
from linkwork.mechanics.arm.rigid import rigid_mass_matrix, rigid_torques
from linkwork.mechanics.expressions import SX, stack, times, zeros
from linkwork.mechanics.linear import solve_symmetric
from linkwork.robots.arm import ArmModel

RUNTIME_SIZES = {"gravity": 3, "tip_wrench": 6, "base_motion": 9}


@dataclass(frozen=True)
class Options:
    """What is folded into an expression.

    `runtime` lists the optional inputs that the kernel takes; `gravity` replaces the robot's own;
    `frame` is the index of a link frame, None the last.
    """

    friction: bool = False
    rotors: bool = False
    formulation: str | None = None
    gravity: tuple[float, float, float] | None = None
    runtime: tuple[str, ...] = ()
    frame: int | None = None


class Trace:
    """Symbols of one method call and the chain they make."""

    def __init__(self, model: ArmModel, options: Options, state: tuple[str, ...]) -> None:
        self.model = model
        self.options = options
        self.state = [SX.sym(name, model.n) for name in state]
        self.runtime = {name: SX.sym(name, RUNTIME_SIZES[name]) for name in options.runtime}
        own = model.gravity if options.gravity is None else np.array(options.gravity)
        self.gravity = self.runtime.get("gravity", SX(ca.DM(own)))
        self.chain: Chain = chain_of(
            model,
            self.state[0],
            gravity=self.gravity,
            tip_wrench=self.runtime.get("tip_wrench"),
            base_motion=self.runtime.get("base_motion"),
        )

    def torques(self, qd: SX, qdd: SX, formulation: str | None = None) -> SX:
        q = self.state[0]
        if formulation in (None, MINIMAL):
            return rigid_torques(self.model, q, qd, qdd, self.options.gravity, self.runtime)
        return ca.vertcat(*FORMULATIONS[formulation](self.chain, q, qd, qdd))

    def mass_matrix(self) -> SX:
        """The cheapest one."""
        return rigid_mass_matrix(self.model, self.state[0], self.chain)

    def friction(self, qd: SX) -> SX:
        if not self.options.friction:
            return zeros(self.model.n)
        return ca.vertcat(*friction_torques(self.model, qd))

    def rotors(self) -> SX:
        n = self.model.n
        return SX(ca.DM(rotor_inertias(self.model))) if self.options.rotors else zeros(n)


MASS_MATRICES: dict[str, Callable[[Chain], SX]] = {
    "composite": composite.mass_matrix,
    "strobing": lambda chain: strobing.mass_matrix(chain, newton_euler.torques),
    "lagrange": lagrange.mass_matrix,
    "natural-complement": natural_complement.generalised_inertia,
}
CORIOLIS_MATRICES: dict[str, Callable[[Chain], list[SX]]] = {
    "strobing": lambda chain: strobing.coriolis_matrices(chain, newton_euler.torques),
    "lagrange": lagrange.coriolis_matrices,
}

# M qdd = b, with rotor inertias on the diagonal of M. Up to this many joints, forming M costs less.
LONGEST_COMPOSITE = 16
SOLVERS = ("composite", "articulated")

Outputs = dict[str, tuple[SX, tuple[int, ...]]]


def _inverse_dynamics(trace: Trace) -> Outputs:
    _, qd, qdd = trace.state
    rigid = trace.torques(qd, qdd, trace.options.formulation)
    tau = rigid + trace.rotors() * qdd + trace.friction(qd)
    return {"tau": (tau, (trace.model.n,))}


def _bias(trace: Trace) -> Outputs:
    _, qd = trace.state
    rigid = trace.torques(qd, zeros(trace.model.n), trace.options.formulation)
    bias = rigid + trace.friction(qd)
    return {"bias": (bias, (trace.model.n,))}


def _forward_dynamics(trace: Trace) -> Outputs:
    _, qd, tau = trace.state
    n = trace.model.n
    b = tau - trace.torques(qd, zeros(n)) - trace.friction(qd)
    name = trace.options.formulation or ("composite" if n <= LONGEST_COMPOSITE else "articulated")
    if name == "composite":
        qdd = solve_symmetric(trace.mass_matrix() + ca.diag(trace.rotors()), b)
    else:
        qdd = articulated.accelerations(trace.chain, b, trace.rotors())
    return {"qdd": (qdd, (n,))}


def _mass_matrix(trace: Trace) -> Outputs:
    name = trace.options.formulation
    M = trace.mass_matrix() if name in (None, MINIMAL) else MASS_MATRICES[name](trace.chain)
    return {"M": (M + ca.diag(trace.rotors()), (trace.model.n,) * 2)}


def _coriolis_matrices(trace: Trace) -> Outputs:
    matrices = CORIOLIS_MATRICES[trace.options.formulation or "strobing"](trace.chain)
    return {"C": (stack(matrices), (trace.model.n,) * 3)}


def _gravity_load(trace: Trace) -> Outputs:
    load = strobing.gravity_load(trace.chain, newton_euler.torques)
    return {"g": (ca.vertcat(*load), (trace.model.n,))}


def _forward_kinematics(trace: Trace) -> Outputs:
    return {"T": (kinematics.link_frames(trace.chain, layout(trace.model))[-1], (4, 4))}


def _link_frames(trace: Trace) -> Outputs:
    frames = kinematics.link_frames(trace.chain, layout(trace.model))
    return {"T": (stack(frames), (trace.model.n, 4, 4))}


def _frame_jacobian(trace: Trace) -> SX:
    frame = trace.model.n - 1 if trace.options.frame is None else trace.options.frame
    return kinematics.jacobian(trace.chain, layout(trace.model), frame)


def _jacobian(trace: Trace) -> Outputs:
    return {"J": (_frame_jacobian(trace), (6, trace.model.n))}


def _jacobian_rate(trace: Trace) -> Outputs:
    q, qd = trace.state
    J = _frame_jacobian(trace)
    rate = ca.reshape(ca.jtimes(ca.vec(J), q, qd), J.shape)
    return {"J_rate": (rate, (6, trace.model.n))}


def _link_motion(trace: Trace) -> Outputs:
    _, qd, qdd = trace.state
    found = link_velocities(trace.chain, layout(trace.model), qd, qdd)
    n = trace.model.n
    return {
        "velocity": (stack(found.velocity), (n, 6)),
        "acceleration": (stack(found.acceleration), (n, 6)),
        "center_velocity": (stack(found.center_velocity), (n, 3)),
        "center_acceleration": (stack(found.center_acceleration), (n, 3)),
    }


def _joint_wrenches(trace: Trace) -> Outputs:
    """Turned from frame i, which may look along the next joint, to the link's own frame."""
    _, qd, qdd = trace.state
    rows = []
    pairs = newton_euler.wrenches(trace.chain, qd, qdd)
    for (f, n), far_end in zip(pairs, layout(trace.model).far_ends, strict=True):
        R = SX(ca.DM(far_end.R))
        rows.append(ca.vertcat(times(R, f), times(R, n)))
    return {"wrench": (stack(rows), (trace.model.n, 6))}


def _energy(trace: Trace) -> Outputs:
    _, qd = trace.state
    kinetic, potential = kinematics.energies(trace.chain, trace.gravity, qd)
    kinetic = kinetic + ca.dot(trace.rotors(), qd * qd) / 2
    return {"kinetic": (kinetic, ()), "potential": (potential, ())}


def _natural_complement(trace: Trace) -> Outputs:
    _, qd, qdd = trace.state
    n = trace.model.n
    parts = natural_complement.complement(trace.chain, qd, qdd)
    return {
        "T": (parts.T, (6 * n, n)),
        "T_rate": (parts.T_rate, (6 * n, n)),
        "K": (parts.K, (6 * n, 6 * n)),
        "inertia": (parts.inertia, (n, n)),
        "actuator_wrench": (parts.actuator_wrench, (6 * n,)),
        "constraint_wrench": (parts.constraint_wrench, (6 * n,)),
    }


@dataclass(frozen=True)
class Method:
    """A computable quantity: its state inputs, the options it takes and how to express it."""

    state: tuple[str, ...]
    express: Callable[[Trace], Outputs]
    drive: tuple[str, ...] = ()  # which of friction, rotors
    runtime: tuple[str, ...] = ()
    formulations: tuple[str, ...] = ()
    frames: bool = False  # of any link frame


MOTION, RATE = ("q", "qd", "qdd"), ("q", "qd")
METHODS: dict[str, Method] = {
    "inverse_dynamics": Method(
        MOTION,
        _inverse_dynamics,
        ("friction", "rotors"),
        ("gravity", "tip_wrench", "base_motion"),
        NAMES,
    ),
    "forward_dynamics": Method(
        ("q", "qd", "tau"),
        _forward_dynamics,
        ("friction", "rotors"),
        ("gravity", "tip_wrench"),
        SOLVERS,
    ),
    "mass_matrix": Method(("q",), _mass_matrix, ("rotors",), (), (*MASS_MATRICES, MINIMAL)),
    "coriolis_matrices": Method(("q",), _coriolis_matrices, (), (), tuple(CORIOLIS_MATRICES)),
    "gravity_load": Method(("q",), _gravity_load, (), ("gravity",)),
    "bias": Method(RATE, _bias, ("friction",), ("gravity", "tip_wrench"), NAMES),
    "forward_kinematics": Method(("q",), _forward_kinematics),
    "link_frames": Method(("q",), _link_frames),
    "jacobian": Method(("q",), _jacobian, frames=True),
    "jacobian_rate": Method(RATE, _jacobian_rate, frames=True),
    "link_motion": Method(MOTION, _link_motion),
    "joint_wrenches": Method(MOTION, _joint_wrenches, (), ("gravity", "tip_wrench")),
    "energy": Method(RATE, _energy, ("rotors",), ("gravity",)),
    "natural_complement": Method(MOTION, _natural_complement, (), ("gravity", "tip_wrench")),
}


def express(
    model: ArmModel, method: str, options: Options
) -> tuple[ca.Function, tuple[tuple[int, ...], ...]]:
    """The CasADi function of a method and the shapes of its outputs."""
    spec = METHODS[method]
    trace = Trace(model, options, spec.state)
    outputs = spec.express(trace)
    function = ca.Function(
        method,
        [*trace.state, *trace.runtime.values()],
        [stack([value]) for value, _ in outputs.values()],
        [*spec.state, *trace.runtime],
        list(outputs),
    )
    return function, tuple(shape for _, shape in outputs.values())
