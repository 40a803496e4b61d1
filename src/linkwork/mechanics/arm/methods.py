"""Every quantity that an arm can compute, as a CasADi function of the state."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import casadi as ca

from linkwork.mechanics.arm import (
    derivatives,
    kinematics,
    lagrange,
    natural_complement,
    newton_euler,
    regressor,
    strobing,
)
from linkwork.mechanics.arm.chain import Chain, layout
from linkwork.mechanics.arm.dynamics import FORWARD, MASS_MATRICES, ArmDynamics
from linkwork.mechanics.arm.formulations import MINIMAL, NAMES
from linkwork.mechanics.arm.link_velocities import link_velocities
from linkwork.mechanics.arm.stiffness import stiffness
from linkwork.mechanics.expressions import SX, stack, times
from linkwork.mechanics.methods import Expression, Method, Outputs, Symbols, express_method
from linkwork.mechanics.parameters import symbolic
from linkwork.robots.arm import ArmModel

RUNTIME_SIZES = {"gravity": 3, "tip_wrench": 6, "base_motion": 9}


@dataclass(frozen=True)
class Options:
    """What is folded into an expression.

    `runtime` lists the optional inputs that the kernel takes; `gravity` replaces the robot's own;
    `frame` is the index of a link frame, None the last; `parameters` are fields that are inputs.
    """

    friction: bool = False
    rotors: bool = False
    formulation: str | None = None
    gravity: tuple[float, float, float] | None = None
    runtime: tuple[str, ...] = ()
    frame: int | None = None
    parameters: tuple[str, ...] = ()


OF_INVERSE, OF_FORWARD = ("dq", "dqd", "dqdd"), ("dq", "dqd", "dtau")
CORIOLIS_MATRICES: dict[str, Callable[[Chain], list[SX]]] = {
    "strobing": lambda chain: strobing.coriolis_matrices(chain, newton_euler.torques),
    "lagrange": lagrange.coriolis_matrices,
}


def _inverse_dynamics(arm: ArmDynamics, s: Symbols, options: Options) -> Outputs:
    return {"tau": (arm.inverse(s["qd"], s["qdd"], options.formulation), (arm.model.n,))}


def _bias(arm: ArmDynamics, s: Symbols, options: Options) -> Outputs:
    return {"bias": (arm.bias(s["qd"], options.formulation), (arm.model.n,))}


def _inverse_dynamics_derivatives(arm: ArmDynamics, s: Symbols, options: Options) -> Outputs:
    found = derivatives.of_inverse(arm, s["qd"], s["qdd"], options.formulation)
    return {name: (value, (arm.model.n,) * 2) for name, value in zip(OF_INVERSE, found, strict=True)}


def _forward_dynamics_derivatives(arm: ArmDynamics, s: Symbols, options: Options) -> Outputs:
    found = derivatives.of_forward(arm, s["qd"], s["tau"])
    return {name: (value, (arm.model.n,) * 2) for name, value in zip(OF_FORWARD, found, strict=True)}


def _forward_dynamics(arm: ArmDynamics, s: Symbols, options: Options) -> Outputs:
    return {"qdd": (arm.forward(s["qd"], s["tau"], options.formulation), (arm.model.n,))}


def _regressor(arm: ArmDynamics, s: Symbols, options: Options) -> Outputs:
    Y = regressor.regressor(arm, s["qd"], s["qdd"])
    return {"Y": (Y, (Y.size1(), Y.size2()))}


def _stiffness(arm: ArmDynamics, s: Symbols, options: Options) -> Outputs:
    return {"K": (stiffness(arm), (arm.model.n,) * 2)}


def _mass_matrix(arm: ArmDynamics, s: Symbols, options: Options) -> Outputs:
    return {"M": (arm.mass_matrix(options.formulation), (arm.model.n,) * 2)}


def _coriolis_matrices(arm: ArmDynamics, s: Symbols, options: Options) -> Outputs:
    matrices = CORIOLIS_MATRICES[options.formulation or "strobing"](arm.chain)
    return {"C": (stack(matrices), (arm.model.n,) * 3)}


def _gravity_load(arm: ArmDynamics, s: Symbols, options: Options) -> Outputs:
    return {"g": (arm.gravity_load(), (arm.model.n,))}


def _forward_kinematics(arm: ArmDynamics, s: Symbols, options: Options) -> Outputs:
    return {"T": (kinematics.link_frames(arm.chain, layout(arm.model))[-1], (4, 4))}


def _link_frames(arm: ArmDynamics, s: Symbols, options: Options) -> Outputs:
    frames = kinematics.link_frames(arm.chain, layout(arm.model))
    return {"T": (stack(frames), (arm.model.n, 4, 4))}


def _frame_jacobian(arm: ArmDynamics, options: Options) -> SX:
    frame = arm.model.n - 1 if options.frame is None else options.frame
    return kinematics.jacobian(arm.chain, layout(arm.model), frame)


def _jacobian(arm: ArmDynamics, s: Symbols, options: Options) -> Outputs:
    return {"J": (_frame_jacobian(arm, options), (6, arm.model.n))}


def _jacobian_rate(arm: ArmDynamics, s: Symbols, options: Options) -> Outputs:
    J = _frame_jacobian(arm, options)
    rate = ca.reshape(ca.jtimes(ca.vec(J), s["q"], s["qd"]), J.shape)
    return {"J_rate": (rate, (6, arm.model.n))}


def _link_motion(arm: ArmDynamics, s: Symbols, options: Options) -> Outputs:
    found = link_velocities(arm.chain, layout(arm.model), s["qd"], s["qdd"])
    n = arm.model.n
    return {
        "velocity": (stack(found.velocity), (n, 6)),
        "acceleration": (stack(found.acceleration), (n, 6)),
        "center_velocity": (stack(found.center_velocity), (n, 3)),
        "center_acceleration": (stack(found.center_acceleration), (n, 3)),
        "center": (stack(found.center), (n, 3)),
    }


def _joint_wrenches(arm: ArmDynamics, s: Symbols, options: Options) -> Outputs:
    """Turned from frame i, which may look along the next joint, to the link's own frame."""
    rows = []
    pairs = newton_euler.wrenches(arm.chain, s["qd"], s["qdd"])
    for (f, n), far_end in zip(pairs, layout(arm.model).far_ends, strict=True):
        R = SX(ca.DM(far_end.R))
        rows.append(ca.vertcat(times(R, f), times(R, n)))
    return {"wrench": (stack(rows), (arm.model.n, 6))}


def _energy(arm: ArmDynamics, s: Symbols, options: Options) -> Outputs:
    kinetic, potential = arm.energy(s["qd"])
    return {"kinetic": (kinetic, ()), "potential": (potential, ())}


def _natural_complement(arm: ArmDynamics, s: Symbols, options: Options) -> Outputs:
    n = arm.model.n
    friction = arm.friction_torques(s["qd"])
    parts = natural_complement.complement(arm.chain, s["qd"], s["qdd"], friction)
    wrenches = ("actuator", "constraint", "gravity", "external", "dissipative")
    return {
        "T": (parts.T, (6 * n, n)),
        "T_rate": (parts.T_rate, (6 * n, n)),
        "K": (parts.K, (6 * n, 6 * n)),
        "inertia": (parts.inertia, (n, n)),
        **{f"{of}_wrench": (getattr(parts, f"{of}_wrench"), (6 * n,)) for of in wrenches},
    }


MOTION, STATE = ("q", "qd", "qdd"), ("q", "qd")
METHODS: dict[str, Method[ArmDynamics, Options]] = {
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
        ("gravity", "tip_wrench", "base_motion"),
        tuple(FORWARD),
    ),
    "inverse_dynamics_derivatives": Method(
        MOTION, _inverse_dynamics_derivatives, ("friction", "rotors"), ("gravity", "tip_wrench"), NAMES
    ),
    "forward_dynamics_derivatives": Method(
        ("q", "qd", "tau"),
        _forward_dynamics_derivatives,
        ("friction", "rotors"),
        ("gravity", "tip_wrench"),
    ),
    "regressor": Method(MOTION, _regressor, (), ("gravity",)),
    "mass_matrix": Method(("q",), _mass_matrix, ("rotors",), (), (*MASS_MATRICES, MINIMAL)),
    "coriolis_matrices": Method(("q",), _coriolis_matrices, (), (), tuple(CORIOLIS_MATRICES)),
    "stiffness": Method(("q",), _stiffness, (), ("gravity", "tip_wrench")),
    "gravity_load": Method(("q",), _gravity_load, (), ("gravity",)),
    "bias": Method(STATE, _bias, ("friction",), ("gravity", "tip_wrench", "base_motion"), NAMES),
    "forward_kinematics": Method(("q",), _forward_kinematics),
    "link_frames": Method(("q",), _link_frames),
    "jacobian": Method(("q",), _jacobian, ("frame",)),
    "jacobian_rate": Method(STATE, _jacobian_rate, ("frame",)),
    "link_motion": Method(MOTION, _link_motion),
    "joint_wrenches": Method(MOTION, _joint_wrenches, (), ("gravity", "tip_wrench", "base_motion")),
    "energy": Method(STATE, _energy, ("rotors",), ("gravity",)),
    "natural_complement": Method(
        MOTION, _natural_complement, ("friction",), ("gravity", "tip_wrench", "base_motion")
    ),
}


def express(model: ArmModel, method: str, options: Options) -> Expression:
    """The CasADi function of a method and the shapes of its outputs."""
    model, parameters = symbolic(model, options.parameters)

    def dynamics(symbols: Symbols) -> ArmDynamics:
        return ArmDynamics(
            model,
            symbols["q"],
            friction=options.friction,
            rotors=options.rotors,
            gravity=symbols.get("gravity", options.gravity),
            tip_wrench=symbols.get("tip_wrench"),
            base_motion=symbols.get("base_motion"),
            reduced=not parameters,
        )

    sizes = {**dict.fromkeys(("q", "qd", "qdd", "tau"), model.n), **RUNTIME_SIZES}
    return express_method(method, METHODS[method], options, sizes, dynamics, parameters)
