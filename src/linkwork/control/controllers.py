"""Controllers in a robot's coordinates: by its model, or PD with gravity compensation.

The same laws have two names: `ComputedTorque` and `GravityCompensation` where coordinates are plain
numbers, as the joints of an arm; `TaskSpaceControl` and `TaskSpacePD` where they are not the motors'
own, as a platform's pose, which is then found from the motors in the loop.
"""

from __future__ import annotations

from functools import cached_property

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from linkwork.control.base import (
    Reference,
    RobotController,
    State,
    jointed,
    posed,
    state_of_actuators,
)
from linkwork.control.feedback import between, feedback_gains, per_freedom, unwound
from linkwork.control.laws import (
    JOINTS,
    POSES,
    HoldingLaw,
    Law,
    LawInputs,
    ModelLaw,
    Names,
    law_function,
)
from linkwork.control.observers import Observing
from linkwork.control.payload_observer import PayloadObserver
from linkwork.core.arguments import flag, not_negative, one_of, real
from linkwork.core.checked import checked
from linkwork.core.errors import InputError
from linkwork.kernels import Kernel
from linkwork.mechanics.chain.dynamics import MASS_MATRICES, MINIMAL
from linkwork.mechanics.plant import Plant
from linkwork.robot.compiled import recipe_of
from linkwork.robot.robot import Array, Robot

FORMS = ("newton-euler", "matrix")
WITH_MATRIX = (*MASS_MATRICES, MINIMAL, "exact")
MEASUREMENTS = ("legs", "pose")


class LawController(RobotController):
    """A control law with gains, following a trajectory of a robot's coordinates; evaluated by a kernel.

    The law may be your own: an object with `torque(model, signals)` that gives CasADi expressions. It is
    compiled, and `rollout` compiles it together with the plant. The coordinates are an arm's joints, a
    platform's pose, or those of any mechanism, whose motors may be other joints.

    The compiled law takes a position, a velocity, the reference (position, velocity, acceleration), kp
    and kv, then as `inputs` tells `integral` (ki times the integral of the error), `tip_wrench`
    (measured at the wrist) and `payload` (ten parameters). With an integral, it also gives the error.

    Args:
        measured: "pose" takes the state as it is; "legs" finds it from exact positions and velocities of
            the motors in the loop, as leg lengths, by forward kinematics from the position before.
    """

    names: Names = JOINTS

    @checked
    def __init__(
        self,
        robot: Robot,
        trajectory: Reference,
        law: Law,
        kp: ArrayLike,
        kv: ArrayLike,
        period: float | None = 0.001,
        lookahead: float = 0.0,
        *,
        ki: ArrayLike = 0.0,
        force_feedback: bool = False,
        payload_observer: PayloadObserver | None = None,
        accelerations: bool = False,
        measured: str = "pose",
        friction: bool = True,
        rotors: bool = True,
    ) -> None:
        self.follow(robot, trajectory, period)
        self.law = law
        self.measured = one_of(measured, MEASUREMENTS, "measured state")
        d = len(robot.velocities)
        self.kp, self.kv = feedback_gains(kp, kv, d, accelerations=accelerations)
        integral = per_freedom(ki, d, "ki")
        if integral.any() and self.period is None:
            raise InputError("ki: an integral adds up errors of samples; give the controller a period.")
        self.ki = integral if integral.any() else None
        self.lookahead = lookahead
        self.force_feedback = flag(force_feedback, "force_feedback")
        self.payload_observer = payload_observer
        self._friction, self._rotors = flag(friction, "friction"), flag(rotors, "rotors")
        self.start()

    @property
    def plant(self) -> Plant:
        """The robot as the law believes it to be."""
        return self.robot.plant(friction=self._friction, rotors=self._rotors)

    @property
    def inputs(self) -> LawInputs:
        """What the law takes beside states and references."""
        told = self.payload_observer is not None
        return LawInputs(self.kp.ndim == 2, self.ki is not None, self.force_feedback, told)

    @property
    def ingredients(self) -> tuple[object, ...] | None:
        """Frozen data that names the law, model included; None for a law that is not ours to know."""
        if not type(self.law).__module__.startswith("linkwork."):
            return None
        return ("law", self.plant, self.law, self.inputs, self.lookahead, self.names)

    def law_function(self) -> ca.Function:
        """The law as a CasADi function."""
        model = self.robot.model
        return law_function(self.plant, model, self.law, self.inputs, self.lookahead, self.names)

    @cached_property
    def kernel(self) -> Kernel:
        """The law alone, compiled."""
        shapes: tuple[tuple[int, ...], ...] = ((self.robot.n,),)
        if self.ki is not None:
            shapes = (*shapes, (len(self.ki),))
        ingredients = self.ingredients
        if ingredients is None:
            return Kernel(self.law_function(), shapes)
        return Kernel.from_recipe(recipe_of(ingredients, lambda: (self.law_function(), shapes)))

    def start(self) -> None:
        self._integral: Array | None = None if self.ki is None else np.zeros(len(self.ki))
        self._error: Array | None = None
        self._position: Array | None = None
        self.observing = None if self.payload_observer is None else Observing(self.payload_observer)

    @property
    def load(self) -> Array | None:
        """Ten parameters of the load as the observer in the loop has found them; None without one."""
        return None if self.observing is None else self.observing.told["load"]

    def reference(self, time: ArrayLike) -> tuple[Array, Array, Array]:
        """The trajectory as this controller uses it: seen ahead by `lookahead`."""
        assert self.trajectory is not None
        return self.trajectory.at(real(time, "time") + self.lookahead)

    def _measure(self, state: State) -> State:
        """The state, or what exact positions and velocities of the actuators tell of it."""
        if self.measured == "pose":
            return state
        readings = self.robot.actuator_motion(state.position, state.velocity)
        assert readings.velocity is not None
        near = state.position if self._position is None else self._position
        seen = state_of_actuators(self.robot, readings.position, readings.velocity, near)
        self._position = seen.position
        return seen._replace(wrench=state.wrench)

    @checked
    def effort(self, time: float, state: State) -> Array:
        seen = self._measure(state)
        arrays = [*seen[:2], *self.reference(time), self.kp.ravel(), self.kv.ravel()]
        if self.ki is not None:
            assert self._integral is not None
            arrays.append(self.ki * self._integral)
        if self.force_feedback:
            arrays.append(np.zeros(6) if seen.wrench is None else seen.wrench)
        if self.observing is not None:
            arrays.append(self.observing.sample(seen)["carried"])
        found, nonfinite = self.kernel.evaluate(tuple(arrays))
        if self.ki is not None:
            found, self._error = found  # the error waits for `effort_applied`
        if nonfinite:
            self.refuse(seen)
        return np.asarray(found)

    def effort_applied(self, wanted: Array, bound: Array) -> None:
        if self.observing is not None:
            self.observing.acted = between(wanted, -bound, bound)
        if self._error is None or self._integral is None or self.period is None:
            return
        error = unwound(self._error, wanted, bound, self.robot.plant().actuated_coordinates)
        self._integral = self._integral + self.period * error


class ComputedTorque(LawController):
    """Lee's control law: the model cancels the robot's dynamics, kp and kv shape the error.

    Args:
        robot: the model that the controller believes in; the simulated plant may differ.
        trajectory: joint trajectory to follow.
        kp, kv: gains of e'' + kv e' + kp e = 0, one number, one per joint, or matrices that fulfill
            Lee's conditions; see `pd_gains`.
        period: sampling time [s], with the torque held between samples; None: continuous.
        form: "newton-euler" sends the correction through the recursion (Lee 4.4), "matrix" forms M.
        lookahead: act for the state and reference this much later [s]; half a period centers the
            torque on the time for which it is held, and cuts the error of sampling.
        friction, rotors: whether the model contains them.
        formulation: of the model, a name of the robot's `formulations`; None is the fastest. With
            form="matrix" it must be one that gives M.
        ki: gain of the integral of the error [1/s^3], one number or one per joint; it does not wind up
            while efforts saturate.
        force_feedback: whether the wrench measured at the wrist goes into the model, as Turney's
            f_(n+1) and n_(n+1), so that contact does not push the robot off its way.
        payload_observer: finds the load in the loop, and the model is told of it; of the same period.
    """

    def __init__(
        self,
        robot: Robot,
        trajectory: Reference,
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
        payload_observer: PayloadObserver | None = None,
    ) -> None:
        names = jointed(robot).formulations
        if one_of(form, FORMS, "form") == "matrix":
            names = tuple(name for name in names if name in WITH_MATRIX)
        if formulation is not None:
            one_of(formulation, names, f'formulation of form="{form}"')
        lookahead = not_negative(lookahead, "lookahead", "s")
        law = ModelLaw(lookahead, robot.chosen_formulation(formulation), form == "matrix")
        super().__init__(
            robot, trajectory, law, kp, kv, period, lookahead, ki=ki, force_feedback=force_feedback,
            payload_observer=payload_observer, accelerations=True, friction=friction, rotors=rotors,
        )  # fmt: skip


class GravityCompensation(LawController):
    """Proportional-derivative control plus the effort that holds the robot against gravity.

    Here kp [N m/rad], kv [N m s/rad] and ki [N m/(rad s)] act as torques directly. Matrices must be
    symmetric, kp positive definite and kv not negative.
    """

    def __init__(
        self,
        robot: Robot,
        trajectory: Reference,
        kp: ArrayLike,
        kv: ArrayLike,
        period: float | None = 0.001,
        *,
        gravity: bool = True,
        formulation: str | None = None,
        ki: ArrayLike = 0.0,
    ) -> None:
        chosen = jointed(robot).chosen_formulation(formulation)
        law = HoldingLaw(flag(gravity, "gravity"), chosen)
        super().__init__(robot, trajectory, law, kp, kv, period, ki=ki)


class TaskSpaceControl(LawController):
    """F from the inverse dynamics at the acceleration a_ref + kv ed + kp e.

    Args:
        robot: the platform, parallel robot or mechanism as the controller models it.
        trajectory: poses to follow, or the coordinates of another robot.
        kp, kv: gains, one number, one for each freedom (linear, then angular), or matrices that fulfill
            Lee's conditions.
        period: sampling time [s].
        measured: "legs" finds the pose from exact positions of the motors in the loop, as leg lengths
            (forward kinematics from the pose before), and the twist from their velocities; "pose" takes
            both as they are. Real sensors are part of the loop: `simulate(..., loop=DigitalLoop(...))`.
        formulation: the model in the controller, a name of the robot's `formulations`: "exact", or for
            a platform "dasgupta1998" or "pedrammehr2012" as published.
        form, frames: of pedrammehr2012, as in `Platform.inverse_dynamics`.
        ki: gain of the integral of the error [1/s^3]; it waits while a leg's force saturates.
        force_feedback: whether the measured wrench on the platform goes into the model.
        payload_observer: as in `ComputedTorque`; for the exact formulation.
    """

    names = POSES

    def __init__(
        self,
        robot: Robot,
        trajectory: Reference,
        kp: ArrayLike = 100.0,
        kv: ArrayLike = 20.0,
        period: float | None = 0.001,
        *,
        measured: str = "legs",
        formulation: str | None = None,
        form: str | None = None,
        frames: str | None = None,
        ki: ArrayLike = 0.0,
        force_feedback: bool = False,
        payload_observer: PayloadObserver | None = None,
    ) -> None:
        printed = {"form": form, "frames": frames}
        given = {name: value for name, value in printed.items() if value is not None}
        law = ModelLaw(formulation=posed(robot).chosen_formulation(formulation, **given))
        super().__init__(
            robot, trajectory, law, kp, kv, period, ki=ki, force_feedback=force_feedback,
            payload_observer=payload_observer, accelerations=True, measured=measured,
        )  # fmt: skip


class TaskSpacePD(LawController):
    """Proportional-derivative control of the coordinates plus the efforts that hold the robot's weight.

    Here kp [N/m, N m/rad], kv and ki act as forces and moments on the coordinates. No more of the model
    is used than its statics: a motion is followed with an error, a place at rest is reached. Matrices
    must be symmetric, kp positive definite and kv not negative.

    Args:
        measured: as in `TaskSpaceControl`.
        gravity: False leaves the weight to the springs kp.
    """

    names = POSES

    def __init__(
        self,
        robot: Robot,
        trajectory: Reference,
        kp: ArrayLike,
        kv: ArrayLike,
        period: float | None = 0.001,
        *,
        measured: str = "legs",
        gravity: bool = True,
        ki: ArrayLike = 0.0,
    ) -> None:
        law = HoldingLaw(flag(gravity, "gravity"))
        super().__init__(posed(robot), trajectory, law, kp, kv, period, ki=ki, measured=measured)
