"""Control laws of joints as expressions, so that a loop can be compiled as a whole.

A law takes q, qd, the reference (q, qd, qdd) and its gains, and gives torques by the model it is told.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Protocol

import casadi as ca

from linkwork.control.base import PLAIN, LawInputs
from linkwork.control.feedback import times_gain
from linkwork.control.platform_law import rubbing_as
from linkwork.mechanics.arm.dynamics import ArmDynamics
from linkwork.mechanics.expressions import SX, zeros
from linkwork.mechanics.mechanism.plant import MechanismPlant
from linkwork.mechanics.mechanism.robot_dynamics import MechanismDynamics
from linkwork.robots.arm import ArmModel
from linkwork.robots.mechanism import MechanismModel

Model = ArmModel | MechanismModel


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
    integral: SX  # ki times the integral of the error; zero without integral action
    tip_wrench: SX | None = None  # measured at the wrist, if the law uses it

    @property
    def feedback(self) -> SX:
        """Kv ed + Kp e + the integral; kp and kv are vectors or matrices."""
        pull = times_gain(self.kv, self.qd_ref - self.qd) + times_gain(self.kp, self.q_ref - self.q)
        return pull + self.integral


class Law(Protocol):
    """An expression of torques; frozen data, so that kernels can be named by it."""

    def torque(self, model: Any, signals: Signals) -> SX: ...


def predicted(s: Signals, ahead: float) -> Signals:
    """The state as it will be `ahead` seconds later if the reference acceleration is met."""
    if not ahead:
        return s
    return replace(s, q=s.q + ahead * s.qd + ahead**2 / 2 * s.qdd_ref, qd=s.qd + ahead * s.qdd_ref)


@dataclass(frozen=True)
class ComputedTorqueLaw:
    """Lee (4.4): qdd_ref + Kv ed + Kp e goes through the recursion of inverse dynamics; no M is formed.

    A wrench measured at the wrist is the recursion's f_(n+1) and n_(n+1) (Turney 3). Friction is taken
    at the reference velocity: at the measured one its sign would chatter at rest.
    """

    friction: bool = True
    rotors: bool = True
    lookahead: float = 0.0
    formulation: str | None = None

    def torque(self, model: Model, signals: Signals) -> SX:
        signals = predicted(signals, self.lookahead)
        qdd = signals.qdd_ref + signals.feedback
        if isinstance(model, MechanismModel):
            robot = _moving(MechanismPlant(model, self.friction, self.rotors), signals)
            return robot.inverse(qdd) * robot.guard
        arm = ArmDynamics(model, signals.q, self.friction, self.rotors, tip_wrench=signals.tip_wrench)
        return arm.inverse(signals.qd, qdd, self.formulation, friction_velocity=signals.qd_ref)


@dataclass(frozen=True)
class MatrixTorqueLaw:
    """Lee (4.1): M (qdd_ref + Kv ed + Kp e) + H + G with M formed; equal to the recursion."""

    friction: bool = True
    rotors: bool = True
    lookahead: float = 0.0
    formulation: str | None = None

    def torque(self, model: Model, signals: Signals) -> SX:
        signals = predicted(signals, self.lookahead)
        qdd = signals.qdd_ref + signals.feedback
        if isinstance(model, MechanismModel):
            robot = _moving(MechanismPlant(model, self.friction, self.rotors), signals)
            needed = ca.mtimes(robot.mass_matrix(), qdd) + robot.bias()
            return robot.efforts_for(needed) * robot.guard
        arm = ArmDynamics(model, signals.q, self.friction, self.rotors, tip_wrench=signals.tip_wrench)
        bias = arm.rigid(signals.qd, zeros(model.n), self.formulation)
        bias = bias + arm.friction_torques(signals.qd_ref)
        return ca.mtimes(arm.mass_matrix(self.formulation), qdd) + bias


@dataclass(frozen=True)
class GravityLaw:
    """Proportional-derivative control with gravity compensation (gains act as torques)."""

    gravity: bool = True
    formulation: str | None = None

    def torque(self, model: Model, signals: Signals) -> SX:
        s = signals
        pull = s.feedback
        if isinstance(model, MechanismModel):
            return MechanismPlant(model).holding_effort(s.q, pull, self.gravity)
        if not self.gravity:
            return pull
        arm, still = ArmDynamics(model, s.q), zeros(model.n)
        if self.formulation is None:
            return pull + arm.gravity_load()
        return pull + arm.rigid(still, still, self.formulation)


def _moving(plant: MechanismPlant, s: Signals) -> MechanismDynamics:
    return rubbing_as(plant, ca.vertcat(s.q, s.qd), s.qd_ref, s.tip_wrench)


def is_ours(law: Law) -> bool:
    """Whether a law's code belongs to this package, so that the kernel index knows it."""
    return type(law).__module__.startswith("linkwork.")


def law_function(
    model: Model, law: Law, inputs: LawInputs = PLAIN, lookahead: float = 0.0
) -> ca.Function:
    """Torques of a law as a function of its signals; with an integral also the error, at `lookahead`."""
    n = len(model.coordinates) if isinstance(model, MechanismModel) else model.n
    gains = n * n if inputs.matrices else n
    sizes = {"q": n, "qd": n, "q_ref": n, "qd_ref": n, "qdd_ref": n, "kp": gains, "kv": gains}
    if inputs.integral:
        sizes["integral"] = n
    if inputs.tip_wrench:
        sizes["tip_wrench"] = 6
    symbols = {name: SX.sym(name, size) for name, size in sizes.items()}
    signals = Signals(**{"integral": zeros(n), **symbols})
    outputs = {"tau": law.torque(model, signals)}
    if inputs.integral:
        seen = predicted(signals, lookahead)
        outputs["error"] = seen.q_ref - seen.q
    return ca.Function(
        "law", list(symbols.values()), list(outputs.values()), list(symbols), list(outputs)
    )
