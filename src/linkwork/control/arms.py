"""Controllers of joints: computed torque in two forms, and PD with gravity compensation."""

from __future__ import annotations

from typing import Any

import casadi as ca
from numpy.typing import ArrayLike

from linkwork.checks import not_negative
from linkwork.control.base import (
    CompiledController,
    State,
    Trajectory,
    check_integral,
    check_period,
    check_trajectory,
)
from linkwork.control.feedback import feedback_gains
from linkwork.control.laws import (
    ComputedTorqueLaw,
    GravityLaw,
    Law,
    MatrixTorqueLaw,
    Model,
    is_ours,
    law_function,
)
from linkwork.control.platforms import closed_chain
from linkwork.errors import InputError
from linkwork.interface.arm import Arm
from linkwork.interface.options import flag
from linkwork.interface.robot import Array, Mechanism
from linkwork.mechanics.arm.dynamics import MASS_MATRICES
from linkwork.mechanics.arm.formulations import MINIMAL
from linkwork.names import one_of

FORMS = ("newton-euler", "matrix")
WITH_MATRIX = (*MASS_MATRICES, MINIMAL, "exact")


def jointed(robot: Any) -> Arm | Mechanism:
    """An arm, or a mechanism whose coordinates are plain numbers, or an InputError."""
    if isinstance(robot, Arm):
        return robot
    if not isinstance(robot, Mechanism):
        raise InputError(
            f"{robot!r} is no serial arm or mechanism, as this controller takes; lw.load returns every "
            "kind, and TaskSpaceControl is for platforms."
        )
    if robot.coordinates.quaternions:
        raise InputError(
            f"{robot.name} has orientations among its coordinates; take TaskSpaceControl or TaskSpacePD."
        )
    closed_chain(robot)
    return robot


class LawController(CompiledController):
    """A control law with gains, following a joint trajectory; evaluated by a kernel.

    The law may be your own: an object with `torque(model, signals)` that gives CasADi expressions. It is
    compiled, and `rollout` compiles it together with the plant. The joints are those of an arm, or the
    coordinates of a mechanism, whose motors may be other joints.
    """

    def __init__(
        self,
        robot: Arm | Mechanism,
        trajectory: Trajectory,
        law: Law,
        kp: ArrayLike,
        kv: ArrayLike,
        period: float | None = 0.001,
        lookahead: float = 0.0,
        *,
        ki: ArrayLike = 0.0,
        force_feedback: bool = False,
        accelerations: bool = False,
    ) -> None:
        self.robot = jointed(robot)
        d = len(robot.velocities)
        self.trajectory = check_trajectory(trajectory, d, robot.name)
        self.law = law
        self.kp, self.kv = feedback_gains(kp, kv, d, accelerations=accelerations)
        self.period = check_period(period)
        self.ki = check_integral(ki, d, self.period)
        self.lookahead = lookahead
        self.force_feedback = flag(force_feedback, "force_feedback")
        self.start()

    @property
    def ingredients(self) -> tuple[Any, ...] | None:
        return ("law", self._modelled, self.law, self.inputs) if is_ours(self.law) else None

    @property
    def _modelled(self) -> Model:
        """What the law is of: an arm by the formulations of arms, all others by their mechanisms."""
        return self.robot.model if isinstance(self.robot, Arm) else self.robot.mechanism

    def law_function(self) -> ca.Function:
        return law_function(self._modelled, self.law, self.inputs, self.lookahead)

    def effort(self, time: float, state: State) -> Array:
        return self.answer(time, state)[0]


class ComputedTorque(LawController):
    """Lee's control law: the model cancels the arm's dynamics, kp and kv shape the error.

    Args:
        robot: the model that the controller believes in; the simulated plant may differ.
        trajectory: joint trajectory to follow.
        kp, kv: gains of e'' + kv e' + kp e = 0, one number, one per joint, or matrices that fulfil Lee's
            conditions; see `gains`.
        period: sampling time [s], with the torque held between samples; None acts without delay.
        form: "newton-euler" sends the correction through the recursion (Lee 4.4), "matrix" forms M.
        lookahead: act for the state and reference this much later [s]; half a period centres the
            torque on the time for which it is held, and cuts the error of sampling.
        friction, rotors: whether the model contains them.
        formulation: of the model, a name of the arm's `formulations`; None is the fastest. With
            form="matrix" it must be one that gives M.
        ki: gain of the integral of the error [1/s^3], one number or one per joint; it does not wind up
            while efforts saturate.
        force_feedback: whether the wrench measured at the wrist goes into the recursion, as Turney's
            f_(n+1) and n_(n+1), so that contact does not push the arm off its way.
    """

    def __init__(
        self,
        robot: Arm | Mechanism,
        trajectory: Trajectory,
        kp: ArrayLike = 100.0,
        kv: ArrayLike = 20.0,
        period: float | None = 0.01,
        *,
        form: str = "newton-euler",
        lookahead: float = 0.0,
        friction: bool = True,
        rotors: bool = True,
        formulation: str | None = None,
        ki: ArrayLike = 0.0,
        force_feedback: bool = False,
    ) -> None:
        one_of(form, FORMS, "form")
        if formulation is not None:
            names = jointed(robot).formulations
            if form == "matrix":
                names = tuple(name for name in names if name in WITH_MATRIX)
            one_of(formulation, names, f'formulation of form="{form}"')
        kind = ComputedTorqueLaw if form == "newton-euler" else MatrixTorqueLaw
        lookahead = not_negative(lookahead, "lookahead", "s")
        law = kind(flag(friction, "friction"), flag(rotors, "rotors"), lookahead, formulation)
        super().__init__(
            robot,
            trajectory,
            law,
            kp,
            kv,
            period,
            lookahead,
            ki=ki,
            force_feedback=force_feedback,
            accelerations=True,
        )


class GravityCompensation(LawController):
    """Proportional-derivative control plus the torque that holds the arm against gravity.

    Here kp [N m/rad], kv [N m s/rad] and ki [N m/(rad s)] act as torques directly. Matrices must be
    symmetric, kp positive definite and kv not negative.
    """

    def __init__(
        self,
        robot: Arm | Mechanism,
        trajectory: Trajectory,
        kp: ArrayLike,
        kv: ArrayLike,
        period: float | None = 0.001,
        *,
        gravity: bool = True,
        formulation: str | None = None,
        ki: ArrayLike = 0.0,
    ) -> None:
        if formulation is not None:
            one_of(formulation, jointed(robot).formulations, "formulation")
        law = GravityLaw(flag(gravity, "gravity"), formulation)
        super().__init__(robot, trajectory, law, kp, kv, period, ki=ki)
