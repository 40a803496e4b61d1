"""Control of platforms and mechanisms in their coordinates: by a model, or PD with gravity."""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from linkwork.control.base import (
    CompiledController,
    State,
    Trajectory,
    check_integral,
    check_period,
    check_trajectory,
)
from linkwork.control.feedback import feedback_gains
from linkwork.control.measuring import from_actuators
from linkwork.control.platform_law import (
    exact_law_function,
    holding_law_function,
    platform_law_function,
)
from linkwork.errors import InputError
from linkwork.interface.options import RuntimeInputs, flag
from linkwork.interface.platform import Platform
from linkwork.interface.platform_options import EXACT, platform_options
from linkwork.interface.robot import Array, Robot
from linkwork.mechanics.closed_chain import ClosedChainPlant
from linkwork.mechanics.published.formulation import Formulation
from linkwork.names import one_of

MEASUREMENTS = ("legs", "pose")


def closed_chain(robot: Any) -> ClosedChainPlant:
    """The plant of a platform or mechanism with a motor for every freedom, or an InputError."""
    plant = robot.plant() if isinstance(robot, Robot) else None
    if not isinstance(plant, ClosedChainPlant):
        raise InputError(
            f"this controller is for Stewart platforms and mechanisms, not for {robot!r}; an arm takes "
            "ComputedTorque."
        )
    if plant.effort_size < plant.velocity_size:
        raise InputError(
            f"{robot.name} has {plant.effort_size} motors for {plant.velocity_size} freedoms: no effort "
            "holds it on a trajectory."
        )
    return plant


class TaskSpaceController(CompiledController):
    """What controllers in the coordinates of a platform share: gains, and how they see the state."""

    def __init__(
        self,
        robot: Robot,
        trajectory: Trajectory,
        kp: ArrayLike,
        kv: ArrayLike,
        period: float | None,
        measured: str,
        ki: ArrayLike,
        accelerations: bool = True,
    ) -> None:
        closed_chain(robot)
        if measured not in MEASUREMENTS:
            raise InputError(f"measured = {measured!r}: allowed are {', '.join(MEASUREMENTS)}.")
        self.robot: Robot = robot
        self.trajectory = check_trajectory(trajectory, len(robot.home), robot.name)
        freedoms = len(robot.velocities)
        self.kp, self.kv = feedback_gains(kp, kv, freedoms, accelerations=accelerations)
        self.period = check_period(period)
        self.ki = check_integral(ki, freedoms, self.period)
        self.measured = measured
        self.start()

    def start(self) -> None:
        super().start()
        self._pose: Array | None = None

    def _measure(self, state: State) -> State:
        if self.measured == "pose":
            return state
        seen = from_actuators(self.robot, state, self._pose)
        self._pose = seen.position
        return seen._replace(wrench=state.wrench)

    def effort(self, time: float, state: State) -> Array:
        seen = self._measure(state)
        force, nonfinite = self.answer(time, seen)
        if nonfinite:  # let the robot say what is wrong with the pose
            self.robot.inverse_dynamics(seen.pose, seen.twist, np.zeros(len(self.kp)))
        return force


class TaskSpaceControl(TaskSpaceController):
    """F from the inverse dynamics at the acceleration a_ref + kv ed + kp e.

    Args:
        robot: the platform, parallel robot or mechanism as the controller models it.
        trajectory: poses to follow, or the coordinates of another robot.
        kp, kv: gains, one number, one for each freedom (linear, then angular), or matrices that fulfil
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
    """

    def __init__(
        self,
        robot: Robot,
        trajectory: Trajectory,
        kp: ArrayLike = 100.0,
        kv: ArrayLike = 20.0,
        period: float | None = 0.001,
        *,
        measured: str = "legs",
        formulation: str | None = None,
        form: str = "closed",
        frames: str = "printed",
        ki: ArrayLike = 0.0,
        force_feedback: bool = False,
    ) -> None:
        super().__init__(robot, trajectory, kp, kv, period, measured, ki)
        self.force_feedback = flag(force_feedback, "force_feedback")
        if isinstance(robot, Platform):
            options = platform_options(
                robot.model,
                "inverse_dynamics",
                RuntimeInputs((), None),
                formulation=formulation,
                form=form,
                frames=frames,
            )
            self.formulation = options.chosen()
        else:
            name = one_of(formulation or EXACT, robot.formulations, "formulation")
            self.formulation = Formulation(name)

    @property
    def ingredients(self) -> tuple[Any, ...]:
        return ("task space", self.robot.model, self.formulation, self.inputs)

    def law_function(self) -> ca.Function:
        if isinstance(self.robot, Platform):
            plant = closed_chain(self.robot)
            return platform_law_function(self.robot.model, plant, self.formulation, self.inputs)
        return exact_law_function(closed_chain(self.robot), self.inputs)


class TaskSpacePD(TaskSpaceController):
    """Proportional-derivative control of the coordinates plus the efforts that hold the robot's weight.

    Here kp [N/m, N m/rad], kv and ki act as forces and moments on the coordinates. No more of the model
    is used than its statics: a motion is followed with an error, a place at rest is reached. Matrices
    must be symmetric, kp positive definite and kv not negative.

    Args:
        measured: as in `TaskSpaceControl`.
        gravity: False leaves the weight to the springs kp.
    """

    def __init__(
        self,
        robot: Robot,
        trajectory: Trajectory,
        kp: ArrayLike,
        kv: ArrayLike,
        period: float | None = 0.001,
        *,
        measured: str = "legs",
        gravity: bool = True,
        ki: ArrayLike = 0.0,
    ) -> None:
        super().__init__(robot, trajectory, kp, kv, period, measured, ki, accelerations=False)
        self.gravity = flag(gravity, "gravity")

    @property
    def ingredients(self) -> tuple[Any, ...]:
        return ("task space PD", self.robot.model, self.gravity, self.inputs)

    def law_function(self) -> ca.Function:
        return holding_law_function(closed_chain(self.robot), self.gravity, self.inputs)
