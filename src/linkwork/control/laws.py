"""Control laws of arms as expressions, so that a loop can be compiled as a whole.

A law takes q, qd, the reference (q, qd, qdd) and its gains, and gives torques by the model it is told.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

import casadi as ca

from linkwork.mechanics.arm.dynamics import ArmDynamics
from linkwork.mechanics.expressions import SX, zeros
from linkwork.robots.arm import ArmModel


@dataclass(frozen=True)
class Signals:
    """Symbols of one control sample."""

    q: SX
    qd: SX
    q_ref: SX
    qd_ref: SX
    qdd_ref: SX
    kp: SX
    kv: SX


class Law(Protocol):
    """An expression of torques; frozen data, so that kernels can be named by it."""

    def torque(self, model: ArmModel, signals: Signals) -> SX: ...


def predicted(s: Signals, ahead: float) -> Signals:
    """The state as it will be `ahead` seconds later if the reference acceleration is met."""
    if not ahead:
        return s
    return replace(s, q=s.q + ahead * s.qd + ahead**2 / 2 * s.qdd_ref, qd=s.qd + ahead * s.qdd_ref)


def _correction(s: Signals) -> SX:
    """qdd_ref + Kv ed + Kp e, L (4.14)."""
    return s.qdd_ref + s.kv * (s.qd_ref - s.qd) + s.kp * (s.q_ref - s.q)


@dataclass(frozen=True)
class ComputedTorqueLaw:
    """Lee 4.4: the correction goes through the recursion of inverse dynamics; no M is formed.

    Friction is taken at the reference velocity: at the measured one its sign would chatter at rest.
    """

    friction: bool = True
    rotors: bool = True
    lookahead: float = 0.0
    formulation: str | None = None

    def torque(self, model: ArmModel, signals: Signals) -> SX:
        signals = predicted(signals, self.lookahead)
        qdd = _correction(signals)
        arm = ArmDynamics(model, signals.q, self.friction, self.rotors)
        return arm.inverse(signals.qd, qdd, self.formulation, friction_velocity=signals.qd_ref)


@dataclass(frozen=True)
class MatrixTorqueLaw:
    """Lee (4.1): M (qdd_ref + Kv ed + Kp e) + H + G with M formed; equal to the recursion."""

    friction: bool = True
    rotors: bool = True
    lookahead: float = 0.0
    formulation: str | None = None

    def torque(self, model: ArmModel, signals: Signals) -> SX:
        signals = predicted(signals, self.lookahead)
        qdd = _correction(signals)
        arm = ArmDynamics(model, signals.q, self.friction, self.rotors)
        bias = arm.rigid(signals.qd, zeros(model.n), self.formulation)
        bias = bias + arm.friction_torques(signals.qd_ref)
        return ca.mtimes(arm.mass_matrix(self.formulation), qdd) + bias


@dataclass(frozen=True)
class GravityLaw:
    """Proportional-derivative control with gravity compensation (gains act as torques)."""

    gravity: bool = True
    formulation: str | None = None

    def torque(self, model: ArmModel, signals: Signals) -> SX:
        s = signals
        pull = s.kp * (s.q_ref - s.q) + s.kv * (s.qd_ref - s.qd)
        if not self.gravity:
            return pull
        arm, still = ArmDynamics(model, s.q), zeros(model.n)
        if self.formulation is None:
            return pull + arm.gravity_load()
        return pull + arm.rigid(still, still, self.formulation)


def is_ours(law: Law) -> bool:
    """Whether a law's code belongs to this package, so that the kernel index knows it."""
    return type(law).__module__.startswith("linkwork.")


def signals_of(n: int) -> Signals:
    return Signals(*[SX.sym(name, n) for name in Signals.__dataclass_fields__])


def law_function(model: ArmModel, law: Law) -> ca.Function:
    """Torques of a law as a function of its signals."""
    signals = signals_of(model.n)
    names = list(Signals.__dataclass_fields__)
    symbols = [getattr(signals, name) for name in names]
    return ca.Function("law", symbols, [law.torque(model, signals)], names, ["tau"])
