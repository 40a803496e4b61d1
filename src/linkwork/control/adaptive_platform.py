"""Task-space control that learns its load: the mass, centre and inertia of what a platform carries.

With s = ed + lam e, the force is the model's for the acceleration a_ref + kv ed + kp e, the load's ten
parameters included, and these follow phi' = Gamma Y' s as in Slotine and Li's law, where Y takes them to
the wrench on the platform. No acceleration is measured. Other than in the arm's law, Coriolis terms are
those of the twist itself, so the errors are sure to die out only while k M is above half the rate of M;
M of a platform changes little.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any

import casadi as ca
import numpy as np

from linkwork.checks import not_negative, positive
from linkwork.control.adaptive import error_rates, learning_of
from linkwork.control.base import Controller, State, Trajectory, check_period, check_trajectory
from linkwork.control.platform_law import rubbing_as
from linkwork.errors import InputError
from linkwork.interface.platform import Platform
from linkwork.interface.robot import Array
from linkwork.kernels import Kernel, Recipe
from linkwork.kernels.recipes import Expression
from linkwork.mechanics.bodies import PARAMETERS, body_of
from linkwork.mechanics.expressions import SX
from linkwork.mechanics.mechanism.plant import MechanismPlant


def adaptive_platform_expression(plant: MechanismPlant) -> Expression:
    """Force and the load's influence Y' s, from state, reference, gains and estimate."""
    sizes = {"pose": 7, "twist": 6, "pose_ref": 7, "twist_ref": 6, "acceleration_ref": 6, "rates": 2}
    symbols = {name: SX.sym(name, size) for name, size in {**sizes, "phi": PARAMETERS}.items()}
    pose, twist, pose_ref, twist_ref, acceleration_ref, rates, phi = symbols.values()
    k, lam = rates[0], rates[1]
    error = plant.position_error(pose_ref, pose)
    error_rate = twist_ref - twist
    s = error_rate + lam * error
    wanted = acceleration_ref + lam * error_rate + k * s
    x = ca.vertcat(pose, twist)
    # Dry friction as of the reference: at the measured velocity its sign would chatter at rest.
    robot = replace(rubbing_as(plant, x, twist_ref, None), load=body_of(phi))
    influence = ca.jtimes(robot.need(wanted), phi, s, True)  # Y' s; the need is linear in phi
    outputs = [robot.inverse(wanted), influence]
    function = ca.Function(
        "adaptive", list(symbols.values()), outputs, list(symbols), ["force", "influence"]
    )
    return function, ((6,), (PARAMETERS,))


class AdaptiveTaskSpaceControl(Controller):
    """Task-space control of a platform whose load is unknown; the estimate is in `load`.

    Args:
        robot: the platform as the controller models it, without the load.
        trajectory: poses to follow.
        kp, kv: as in TaskSpaceControl, one number each; kv^2 >= 4 kp.
        learning_rate: how fast the load is learned [kg per N of mismatch]; 0 does not learn.
    """

    def __init__(
        self,
        robot: Platform,
        trajectory: Trajectory,
        kp: float = 100.0,
        kv: float = 20.0,
        period: float = 0.001,
        *,
        learning_rate: float = 100.0,
    ) -> None:
        if not isinstance(robot, Platform):
            raise InputError(f"this controller is for Stewart platforms, not for {robot!r}.")
        self.robot = robot
        self.trajectory = check_trajectory(trajectory, len(robot.home), "a platform")
        self.period = check_period(positive(period, "period", "s"))
        self._rates = error_rates(kp, kv)
        self._learning = learning_of(not_negative(learning_rate, "learning_rate", "kg per N"))
        self.start()

    @cached_property
    def kernel(self) -> Kernel:
        """Force and the load's influence, compiled."""
        model, plant = self.robot.model, self.robot.plant()
        return Kernel.from_recipe(
            Recipe(("adaptive platform", model), lambda: adaptive_platform_expression(plant))
        )

    def __getstate__(self) -> dict[str, Any]:
        """Copies and pickles leave the kernel behind; it is made anew where it is needed."""
        return {name: value for name, value in self.__dict__.items() if name != "kernel"}

    def start(self) -> None:
        self.load: Array = np.zeros(PARAMETERS)

    @property
    def center(self) -> Array:
        """Where the load is, in the platform's axes [m]; NaN while it weighs nothing."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(self.load[1:4] / self.load[0])

    def effort(self, time: float, state: State) -> Array:
        assert self.trajectory is not None
        assert self.period is not None
        reference = self.trajectory.at(time)
        arrays = (state.pose, state.twist, *reference, self._rates, self.load)
        (force, influence), nonfinite = self.kernel.evaluate(arrays)
        if nonfinite:  # let the robot say what is wrong with the pose
            self.robot.inverse_dynamics(state.pose, state.twist, np.zeros(6))
        self.load = self.load + self.period * self._learning * influence
        self.load[0] = max(self.load[0], 0.0)  # no load weighs less than nothing
        return np.asarray(force)
