"""Control laws as expressions, so that a loop can be compiled as a whole.

A law takes position, velocity, the reference (position, velocity, acceleration) and its gains, and gives
efforts by the plant it believes in: of an arm q and qd, of a platform its pose and twist, of any
mechanism its coordinates.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple, Protocol

import casadi as ca

from linkwork.control.feedback import times_gain
from linkwork.mechanics.bodies import PARAMETERS
from linkwork.mechanics.expressions import SX, named_function, zeros
from linkwork.mechanics.plant import ChosenFormulation, Plant

if TYPE_CHECKING:
    from linkwork.model.robot_files import Model


class Names(NamedTuple):
    """What the kernel of a law calls its inputs and its effort."""

    state: tuple[str, str]
    reference: tuple[str, str, str]
    effort: str

    def symbols(self, plant: Plant) -> dict[str, SX]:
        """Of the state and the reference, in this order."""
        size, d = plant.position_size, plant.velocity_size
        sizes = zip((*self.state, *self.reference), (size, d, size, d, d), strict=True)
        return {name: SX.sym(name, count) for name, count in sizes}


JOINTS = Names(("q", "qd"), ("q_ref", "qd_ref", "qdd_ref"), "tau")
POSES = Names(("pose", "twist"), ("pose_ref", "twist_ref", "acceleration_ref"), "force")


@dataclass(frozen=True)
class Signals:
    """Symbols of one control sample, and the robot that the law believes in."""

    plant: Plant
    q: SX
    qd: SX
    q_ref: SX
    qd_ref: SX
    qdd_ref: SX
    kp: SX
    kv: SX
    integral: SX  # ki times the integral of the error; zero without integral action
    tip_wrench: SX | None = None  # measured at the wrist, if the law uses it
    payload: SX | None = None  # ten parameters of what the tool carries, if the law is told

    @property
    def error(self) -> SX:
        """From the position to the reference, in the axes of the velocity."""
        return self.plant.position_error(self.q_ref, self.q)

    @property
    def feedback(self) -> SX:
        """Kv ed + Kp e + the integral; kp and kv are vectors or matrices."""
        pull = times_gain(self.kv, self.qd_ref - self.qd) + times_gain(self.kp, self.error)
        return pull + self.integral


@dataclass(frozen=True)
class LawInputs:
    """What a compiled law takes beside states and references."""

    matrices: bool = False
    integral: bool = False
    tip_wrench: bool = False
    payload: bool = False


PLAIN = LawInputs()


class Law(Protocol):
    """An expression of efforts; frozen data, so that kernels can be named by it."""

    def torque(self, model: Model, signals: Signals) -> SX: ...


def predicted(s: Signals, ahead: float) -> Signals:
    """The state as it will be `ahead` seconds later if the reference acceleration is met."""
    if not ahead:
        return s
    return replace(s, q=s.q + ahead * s.qd + ahead**2 / 2 * s.qdd_ref, qd=s.qd + ahead * s.qdd_ref)


@dataclass(frozen=True)
class ModelLaw:
    """Inverse dynamics at qdd_ref + Kv ed + Kp e, with friction at the reference velocity.

    Lee (4.4) sends it through the recursion at once; `by_matrix` is his (4.1), M (...) + H + G, which is
    equal. A measured wrench and a known load go into the model.
    """

    lookahead: float = 0.0
    formulation: ChosenFormulation = None  # as `Robot.chosen_formulation` gives it
    by_matrix: bool = False

    def torque(self, model: Model, signals: Signals) -> SX:
        s = predicted(signals, self.lookahead)
        x, wanted = ca.vertcat(s.q, s.qd), s.qdd_ref + s.feedback
        told = {"wrench": s.tip_wrench, "payload": s.payload}
        inputs = {name: value for name, value in told.items() if value is not None}
        options = self.formulation, self.by_matrix
        return s.plant.effort_for(x, wanted, s.qd_ref, inputs, *options)


@dataclass(frozen=True)
class HoldingLaw:
    """Proportional-derivative control with gravity compensation (gains act as efforts)."""

    gravity: bool = True
    formulation: ChosenFormulation = None

    def torque(self, model: Model, signals: Signals) -> SX:
        return signals.plant.holding_effort(signals.q, signals.feedback, self.gravity, self.formulation)


def law_function(
    plant: Plant,
    model: Model,
    law: Law,
    inputs: LawInputs = PLAIN,
    lookahead: float = 0.0,
    names: Names = JOINTS,
) -> ca.Function:
    """Efforts of a law as a function of its signals; with an integral also the error, at `lookahead`."""
    d = plant.velocity_size
    gains = d * d if inputs.matrices else d
    sizes = {"kp": gains, "kv": gains}
    sizes |= {"integral": d} if inputs.integral else {}
    sizes |= {"tip_wrench": 6} if inputs.tip_wrench else {}
    sizes |= {"payload": PARAMETERS} if inputs.payload else {}
    symbols = names.symbols(plant) | {name: SX.sym(name, count) for name, count in sizes.items()}
    q, qd, q_ref, qd_ref, qdd_ref, kp, kv = list(symbols.values())[:7]
    others = symbols.get("integral", zeros(d)), symbols.get("tip_wrench"), symbols.get("payload")
    signals = Signals(plant, q, qd, q_ref, qd_ref, qdd_ref, kp, kv, *others)
    outputs = {names.effort: law.torque(model, signals)}
    if inputs.integral:
        outputs["error"] = predicted(signals, lookahead).error
    return named_function("law", symbols, outputs)
