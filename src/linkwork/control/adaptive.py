"""Control by a model that learns its load: the papers' future work.

Slotine and Li's adaptive law. With s = ed + lam e and the reference velocity qd_r = qd_ref + lam e, the
effort is the model's for (q, qd, qd_r, qdd_r) plus k M s, and the ten inertial parameters of the load
follow phi' = Gamma Y' s, where Y takes them to forces on the coordinates. No acceleration is measured.
A load that changes has to be unlearned: forgetting adds -sigma phi, a reset sets phi to zero when the
gripper is known to open. With k + lam = kv and k lam = kp the error of a known load decays as under
computed torque.
"""

from __future__ import annotations

from functools import cached_property

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from linkwork.control.base import Reference, RobotController, State, jointed, posed
from linkwork.control.laws import JOINTS
from linkwork.core.arguments import flag, not_negative, numbers, positive
from linkwork.core.checked import checked
from linkwork.core.errors import InputError
from linkwork.kernels import Kernel
from linkwork.kernels.recipes import Expression
from linkwork.mechanics.bodies import PARAMETERS
from linkwork.mechanics.expressions import SX, named_function
from linkwork.mechanics.plant import ChosenFormulation, Plant, ReferenceMotion
from linkwork.robot.compiled import recipe_of
from linkwork.robot.robot import Array, Robot

# How fast each parameter may learn, relative to the learning rate: a load's mass in kilograms, its first
# moment in some decimeters, its inertia in some hundredths.
LEARNING_SCALE = np.array([1.0, *[0.1] * 3, *[0.01] * 6])
INSTANT = 1e-9  # s: samples nearer than this are at the same time


def adaptive_expression(plant: Plant, formulation: ChosenFormulation = None) -> Expression:
    """Effort and the load's influence Y' s, from state, reference, gains and estimate."""
    symbols = JOINTS.symbols(plant) | {"rates": SX.sym("rates", 2), "phi": SX.sym("phi", PARAMETERS)}
    q, qd, q_ref, qd_ref, qdd_ref, rates, phi = symbols.values()
    k, lam = rates[0], rates[1]
    error, error_rate = plant.position_error(q_ref, q), qd_ref - qd
    s = error_rate + lam * error
    wanted = ReferenceMotion(qd_ref + lam * error, qdd_ref + lam * error_rate, k * s, qd_ref)
    effort, felt = plant.adaptive_effort(ca.vertcat(q, qd), wanted, phi, formulation)
    influence = ca.jtimes(felt, phi, s, True)  # Y' s; what is felt is linear in phi
    function = named_function("adaptive", symbols, {"tau": effort, "influence": influence})
    return function, ((plant.effort_size,), (PARAMETERS,))


class AdaptiveController(RobotController):
    """Control of a robot whose load is unknown; the estimate is in `load`."""

    def __init__(
        self,
        robot: Robot,
        trajectory: Reference,
        kp: float,
        kv: float,
        period: float,
        learning_rate: float,
        forgetting: float = 0.0,
        resets: ArrayLike = (),
        friction: bool = True,
        formulation: str | None = None,
    ) -> None:
        period = positive(period, "period", "s")
        self.follow(robot, trajectory, period)
        self._rates = error_rates(kp, kv)
        rate = not_negative(learning_rate, "learning_rate", "kg per N or N m")
        self._learning = rate * LEARNING_SCALE
        self._kept = float(np.exp(-not_negative(forgetting, "forgetting", "1/s") * period))
        self.resets = np.sort(numbers(resets, "resets").ravel())
        self.friction = flag(friction, "friction")
        self.formulation = robot.chosen_formulation(formulation)
        self.start()

    @cached_property
    def kernel(self) -> Kernel:
        """Effort and the load's influence, compiled."""
        plant, chosen = self.robot.plant(friction=self.friction), self.formulation
        return Kernel.from_recipe(
            recipe_of(("adaptive", plant, chosen), lambda: adaptive_expression(plant, chosen))
        )

    def start(self) -> None:
        self.load: Array = np.zeros(PARAMETERS)
        self._sampled = -np.inf  # time of the last sample

    @property
    def center(self) -> Array:
        """Where the load is, in the axes of the tool [m]; NaN while it weighs nothing."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(self.load[1:4] / self.load[0])

    @checked
    def effort(self, time: float, state: State) -> Array:
        assert self.trajectory is not None
        assert self.period is not None
        if ((self.resets > self._sampled) & (self.resets <= time + INSTANT)).any():
            self.load = np.zeros(PARAMETERS)
        self._sampled = time + INSTANT
        arrays = (*state[:2], *self.trajectory.at(time), self._rates, self.load)
        (effort, influence), nonfinite = self.kernel.evaluate(arrays)
        if nonfinite:
            self.refuse(state)
        self.load = self._kept * self.load + self.period * self._learning * influence
        self.load[0] = max(self.load[0], 0.0)  # no load weighs less than nothing
        return np.asarray(effort)


class AdaptiveComputedTorque(AdaptiveController):
    """Computed torque for a robot whose load is unknown; the estimate is in `load`.

    Args:
        kp, kv: as in ComputedTorque; kv^2 >= 4 kp.
        friction: whether the model contains joint friction.
        learning_rate: how fast the load is learned [kg per (N m) of mismatch]; 0 does not learn.
        forgetting: how fast the estimate decays [1/s]; 0 keeps what was learned. With more, a load that
            stays is never learned whole.
        resets: times [s] at which the load is known to be gone, such as those of the gripper's opening.
        formulation: of the model, a name of the robot's `formulations`; None is the fastest.
    """

    def __init__(
        self,
        robot: Robot,
        trajectory: Reference,
        kp: float = 100.0,
        kv: float = 20.0,
        period: float = 0.01,
        *,
        learning_rate: float = 5.0,
        forgetting: float = 0.0,
        resets: ArrayLike = (),
        friction: bool = True,
        formulation: str | None = None,
    ) -> None:
        options = learning_rate, forgetting, resets, friction, formulation
        super().__init__(jointed(robot), trajectory, kp, kv, period, *options)


class AdaptiveTaskSpaceControl(AdaptiveController):
    """Task-space control of a platform or mechanism whose load is unknown; the estimate is in `load`.

    Args:
        robot: as the controller models it, without the load.
        trajectory: poses to follow, or the coordinates of another robot.
        kp, kv: as in TaskSpaceControl, one number each; kv^2 >= 4 kp.
        learning_rate: how fast the load is learned [kg per N of mismatch]; 0 does not learn.
        forgetting: how fast the estimate decays [1/s]; 0 keeps what was learned. With more, a load that
            stays is never learned whole.
        resets: times [s] at which the load is known to be gone, such as those of the gripper's opening.
    """

    def __init__(
        self,
        robot: Robot,
        trajectory: Reference,
        kp: float = 100.0,
        kv: float = 20.0,
        period: float = 0.001,
        *,
        learning_rate: float = 100.0,
        forgetting: float = 0.0,
        resets: ArrayLike = (),
    ) -> None:
        options = learning_rate, forgetting, resets
        super().__init__(posed(robot), trajectory, kp, kv, period, *options)


def error_rates(kp: float, kv: float) -> Array:
    """k and lam with k + lam = kv and k lam = kp, both real."""
    kp, kv = positive(kp, "kp", "1/s^2"), positive(kv, "kv", "1/s")
    if not (kv * kv >= 4 * kp * (1 - 1e-12)):
        raise InputError(
            f"kp = {kp!r}, kv = {kv!r}: expected numbers > 0 with kv^2 >= 4 kp, an error without "
            "overshoot; take kv = 2 sqrt(kp)."
        )
    root = np.sqrt(max(kv * kv - 4 * kp, 0.0))
    return np.array([(kv + root) / 2, (kv - root) / 2])


def point_payload(mass: float, place: ArrayLike = (0.0, 0.0, 0.0)) -> Array:
    """The ten parameters of a point mass at `place` in the last link's frame."""
    x = numbers(place, "place")
    mass = not_negative(mass, "mass", "kg")
    if x.shape != (3,):
        raise InputError(f"place = {place!r}: expected three numbers [m].")
    J = mass * (x @ x * np.eye(3) - np.outer(x, x))
    return np.array([mass, *(mass * x), J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]])
