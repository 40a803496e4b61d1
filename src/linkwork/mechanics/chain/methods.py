"""Every quantity that an arm can compute, as a CasADi function of the state."""

from __future__ import annotations

from collections.abc import Callable

import casadi as ca

from linkwork.mechanics.bodies import WrenchColumns, wrench_columns
from linkwork.mechanics.chain import kinematics, lagrange, natural_complement, newton_euler, strobing
from linkwork.mechanics.chain.chain import Chain, ChainLayout, layout
from linkwork.mechanics.chain.dynamics import FORWARD, MASS_MATRICES, MINIMAL, NAMES, ArmDynamics
from linkwork.mechanics.chain.kinematics import link_velocities
from linkwork.mechanics.expressions import SX, cross, number, stack, times, zeros
from linkwork.mechanics.friction import friction_columns, stribeck_shape
from linkwork.mechanics.linear import solve_symmetric
from linkwork.mechanics.methods import (
    Expression,
    Method,
    Options,
    Outputs,
    Symbols,
    express_method,
    symbolic,
)
from linkwork.model.families.arm import ArmModel
from linkwork.model.geometry import Transform
from linkwork.model.parameters import BODY, JOINT

RUNTIME_SIZES = {"gravity": 3, "tip_wrench": 6, "base_motion": 9}


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
    found = derivatives_of_inverse(arm, s["qd"], s["qdd"], options.formulation)
    return {name: (value, (arm.model.n,) * 2) for name, value in zip(OF_INVERSE, found, strict=True)}


def _forward_dynamics_derivatives(arm: ArmDynamics, s: Symbols, options: Options) -> Outputs:
    found = derivatives_of_forward(arm, s["qd"], s["tau"])
    return {name: (value, (arm.model.n,) * 2) for name, value in zip(OF_FORWARD, found, strict=True)}


def _forward_dynamics(arm: ArmDynamics, s: Symbols, options: Options) -> Outputs:
    return {"qdd": (arm.forward(s["qd"], s["tau"], options.formulation), (arm.model.n,))}


def _regressor(arm: ArmDynamics, s: Symbols, options: Options) -> Outputs:
    Y = regressor(arm, s["qd"], s["qdd"])
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
    frame = arm.model.n - 1 if options.link is None else options.link
    return kinematics.jacobian(arm.chain, layout(arm.model), frame)


def _jacobian(arm: ArmDynamics, s: Symbols, options: Options) -> Outputs:
    return {"J": (_frame_jacobian(arm, options), (6, arm.model.n))}


def _jacobian_rate(arm: ArmDynamics, s: Symbols, options: Options) -> Outputs:
    J = _frame_jacobian(arm, options)
    rate = ca.reshape(ca.jtimes(ca.vec(J), s["q"], s["qd"]), J.shape)
    return {"J_rate": (rate, (6, arm.model.n))}


def _link_motion(arm: ArmDynamics, s: Symbols, options: Options) -> Outputs:
    found = link_velocities(arm.chain, layout(arm.model), s["qd"], s["qdd"])
    return {name: (stack(each), (len(each), each[0].numel())) for name, each in found.items()}


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
    if (shares := arm.load_shares(s["qd"])) is not None:
        friction = friction + shares * ca.fabs(arm.rigid(s["qd"], s["qdd"]))
    parts = natural_complement.complement(arm.chain, s["qd"], s["qdd"], friction)
    return {
        name: (value, (6 * n,) if name.endswith("_wrench") else value.shape)
        for name, value in parts.items()
    }


def derivatives_of_inverse(
    arm: ArmDynamics, qd: SX, qdd: SX, formulation: str | None = None
) -> tuple[SX, SX, SX]:
    """Of tau(q, qd, qdd); by qdd it is the mass matrix."""
    tau = arm.inverse(qd, qdd, formulation)
    return ca.jacobian(tau, arm.q), ca.jacobian(tau, qd), arm.mass_matrix_felt(qd, qdd)


def derivatives_of_forward(arm: ArmDynamics, qd: SX, tau: SX) -> tuple[SX, SX, SX]:
    """Of qdd(q, qd, tau): M dqdd = dtau - tau_q dq - tau_qd dqd, those of the inverse at this qdd."""
    a = SX.sym("qdd", arm.model.n)
    by_q, by_qd, M = derivatives_of_inverse(arm, qd, a)
    n, shares = arm.model.n, arm.load_shares(qd)
    right = ca.horzcat(-by_q, -by_qd, SX.eye(n))
    if shares is not None:
        carried = arm.rigid(qd, a) + arm.rotor_inertias * a
        M, right = arm.mass_matrix(), ca.diag(1 / (1 + shares * ca.sign(carried))) @ right
    solved = solve_symmetric(M, ca.substitute([right], [a], [arm.forward(qd, tau)])[0])
    return solved[:, 0:n], solved[:, n : 2 * n], solved[:, 2 * n :]


def stiffness(arm: ArmDynamics) -> SX:
    """K (n x n): torque per small motion of the joints, with what gravity and a tip wrench add."""
    n = arm.model.n
    given = [0.0 if joint.stiffness is None else joint.stiffness for joint in arm.model.joints]
    k = ca.vertcat(*map(number, given))
    return ca.diag(k) + ca.jacobian(arm.rigid(zeros(n), zeros(n)), arm.q)


def regressor(arm: ArmDynamics, qd: SX, qdd: SX) -> SX:
    """Y; columns of joint k from 15 k on, then those of Stribeck friction and of friction under load,
    which is linear in its coefficient with the arm's own bodies only."""
    n, size = arm.model.n, len(JOINT)
    Y = zeros(n, n * size)
    for k, columns in enumerate(_link_columns(arm, layout(arm.model), qd, qdd)):
        for j in reversed(range(k + 1)):
            link = arm.chain.links[j]
            columns = columns.about(link.r)
            row = times(link.z.T, columns.moment if link.revolute else columns.force)
            Y[j, size * k : size * k + len(BODY)] = row
            columns = columns.turned(link.rotation.matrix)
        drive = ca.horzcat(qdd[k], *friction_columns(arm.model.joints[k].friction, qd[k]))
        Y[k, size * k + len(BODY) : size * (k + 1)] = drive
    more = zeros(n, 0)
    for k, joint in enumerate(arm.model.joints):
        if joint.friction.stribeck_velocity:
            column = zeros(n)
            column[k] = stribeck_shape(joint.friction, qd[k], qd[k])
            more = ca.horzcat(more, column)
    under_load = [
        k for k, joint in enumerate(arm.model.joints) if joint.friction.load_friction is not None
    ]
    if under_load:
        carried = arm.rigid(qd, qdd) + arm.rotor_inertias * qdd
        more = ca.horzcat(more, ca.diag(ca.sign(qd) * ca.fabs(carried))[:, under_load])
    return ca.horzcat(Y, more)


def _link_columns(arm: ArmDynamics, where: ChainLayout, qd: SX, qdd: SX) -> list[WrenchColumns]:
    """Of every link, in the axes of its chain frame i and about O_i."""
    chain = arm.chain
    w, al, a = chain.w0, chain.al0, chain.a0
    found = []
    for k, (link, end) in enumerate(zip(chain.links, where.far_ends, strict=True)):
        w, al, b = link.moved(w, al, a, qd[k], qdd[k])
        a = b + cross(al, link.r) + cross(w, cross(w, link.r))
        found.append(_seen_from_far_end(w, al, a, end))
    return found


def _seen_from_far_end(w: SX, al: SX, a: SX, end: Transform) -> WrenchColumns:
    """`end` is frame i in the link's own frame, to which the parameters belong."""
    R, p = number(end.R), number(end.p)
    w, al, a = times(R, w), times(R, al), times(R, a)
    a = a - cross(al, p) - cross(w, cross(w, p))
    return wrench_columns(w, al, a).about(-p).turned(R.T)


MOTION, STATE = ("q", "qd", "qdd"), ("q", "qd")
PARTS = ("friction", "rotors")
ACTING = ("gravity", "tip_wrench")
CARRIED = (*ACTING, "base_motion")
METHODS: dict[str, Method[ArmDynamics]] = {
    "inverse_dynamics": Method(MOTION, _inverse_dynamics, PARTS, CARRIED, NAMES),
    "forward_dynamics": Method((*STATE, "tau"), _forward_dynamics, PARTS, CARRIED, tuple(FORWARD)),
    "inverse_dynamics_derivatives": Method(MOTION, _inverse_dynamics_derivatives, PARTS, ACTING, NAMES),
    "forward_dynamics_derivatives": Method(
        (*STATE, "tau"), _forward_dynamics_derivatives, PARTS, ACTING
    ),
    "regressor": Method(MOTION, _regressor, (), ("gravity",)),
    "mass_matrix": Method(("q",), _mass_matrix, ("rotors",), (), (*MASS_MATRICES, MINIMAL)),
    "coriolis_matrices": Method(("q",), _coriolis_matrices, (), (), tuple(CORIOLIS_MATRICES)),
    "stiffness": Method(("q",), _stiffness, (), ACTING),
    "gravity_load": Method(("q",), _gravity_load, (), ("gravity",)),
    "bias": Method(STATE, _bias, ("friction",), CARRIED, NAMES),
    "forward_kinematics": Method(("q",), _forward_kinematics),
    "link_frames": Method(("q",), _link_frames),
    "jacobian": Method(("q",), _jacobian, ("frame",)),
    "jacobian_dot": Method(STATE, _jacobian_rate, ("frame",)),
    "link_motion": Method(MOTION, _link_motion),
    "joint_wrenches": Method(MOTION, _joint_wrenches, (), CARRIED),
    "energy": Method(STATE, _energy, ("rotors",), ("gravity",)),
    "natural_complement": Method(MOTION, _natural_complement, ("friction",), CARRIED),
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
