"""Computed torque that learns its load: the papers' future work.

Slotine and Li's adaptive law. With s = ed + lam e and the reference rate qd_r = qd_ref + lam e, the
torque is the model's for (q, qd, qd_r, qdd_r) plus k M s, and the ten inertial parameters of the load
follow phi' = Gamma Y' s. With k + lam = kv and k lam = kp the error of a known load dies out as under
computed torque.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from linkwork.checks import not_negative, numbers, positive
from linkwork.control.base import Controller, State, Trajectory, check_period, check_trajectory
from linkwork.errors import InputError
from linkwork.interface.arm import Arm
from linkwork.interface.kinds import of_kind
from linkwork.interface.options import flag
from linkwork.interface.robot import Array
from linkwork.kernels import Kernel, Recipe
from linkwork.kernels.recipes import Expression
from linkwork.mechanics.arm.dynamics import MASS_MATRICES, ArmDynamics
from linkwork.mechanics.arm.formulations import NAMES
from linkwork.mechanics.bodies import PARAMETERS, body_of
from linkwork.mechanics.expressions import SX
from linkwork.names import one_of
from linkwork.robots.arm import ArmModel

# How fast each parameter may learn, relative to the learning rate: a load's mass in kilograms, its first
# moment in some decimetres, its inertia in some hundredths.
LEARNING_SCALE = np.array([1.0, *[0.1] * 3, *[0.01] * 6])


def adaptive_expression(model: ArmModel, friction: bool, formulation: str | None) -> Expression:
    """Torque and the load's influence Y' s, from state, reference, gains and estimate."""
    n = model.n
    names = ("q", "qd", "q_ref", "qd_ref", "qdd_ref")
    q, qd, q_ref, qd_ref, qdd_ref = (SX.sym(name, n) for name in names)
    rates, phi = SX.sym("rates", 2), SX.sym("phi", PARAMETERS)
    k, lam = rates[0], rates[1]
    error, error_rate = q_ref - q, qd_ref - qd
    s = error_rate + lam * error
    qd_r, qdd_r = qd_ref + lam * error, qdd_ref + lam * error_rate
    arm = ArmDynamics(model, q, friction, load=body_of(phi))
    rigid = arm.passive_inverse(qd, qd_r, qdd_r, formulation)
    M = arm.mass_matrix(formulation if formulation in MASS_MATRICES else None)
    tau = rigid + arm.rotor_inertias * qdd_r + k * ca.mtimes(M, s)
    tau = tau + arm.friction_torques(qd_ref)
    influence = ca.jtimes(rigid, phi, s, True)  # Y' s; rigid is linear in phi
    inputs = [q, qd, q_ref, qd_ref, qdd_ref, rates, phi]
    function = ca.Function(
        "adaptive", inputs, [tau, influence], [*names, "rates", "phi"], ["tau", "influence"]
    )
    return function, ((n,), (PARAMETERS,))


class AdaptiveComputedTorque(Controller):
    """Computed torque for an arm whose load is unknown; the estimate is in `load`.

    Args:
        kp, kv: as in ComputedTorque; kv^2 >= 4 kp.
        friction: whether the model contains joint friction.
        learning_rate: how fast the load is learned [kg per (N m) of mismatch]; 0 does not learn.
        formulation: of the model, a name of the arm's `formulations`; None is the fastest.
    """

    def __init__(
        self,
        robot: Arm,
        trajectory: Trajectory,
        kp: float = 100.0,
        kv: float = 20.0,
        period: float = 0.01,
        *,
        learning_rate: float = 5.0,
        friction: bool = True,
        formulation: str | None = None,
    ) -> None:
        of_kind(robot, Arm, "this controller")
        self._rates = error_rates(kp, kv)
        learning_rate = not_negative(learning_rate, "learning_rate", "kg per N m")
        self.trajectory = check_trajectory(trajectory, robot.n, robot.name)
        self.period = check_period(period)
        self._learning = learning_of(learning_rate)
        self.robot = robot
        self.friction = flag(friction, "friction")
        if formulation is not None:
            one_of(formulation, NAMES, "formulation")
        self.formulation = formulation
        self.start()

    @cached_property
    def kernel(self) -> Kernel:
        """Torque and the load's influence, compiled."""
        model, chosen = self.robot.model, (self.friction, self.formulation)
        return Kernel.from_recipe(
            Recipe(("adaptive", model, *chosen), lambda: adaptive_expression(model, *chosen))
        )

    def __getstate__(self) -> dict[str, Any]:
        """Copies and pickles leave the kernel behind; it is made anew where it is needed."""
        return {name: value for name, value in self.__dict__.items() if name != "kernel"}

    def start(self) -> None:
        self.load: Array = np.zeros(PARAMETERS)

    def effort(self, time: float, state: State) -> Array:
        assert self.trajectory is not None
        reference = self.trajectory.at(time)
        arrays = (state.q, state.qd, *reference, self._rates, self.load)
        (tau, influence), _ = self.kernel.evaluate(arrays)
        step = self.period or 0.0
        self.load = self.load + step * self._learning * influence
        self.load[0] = max(self.load[0], 0.0)  # no load weighs less than nothing
        return np.asarray(tau)


def error_rates(kp: float, kv: float) -> Array:
    """k and lam with k + lam = kv and k lam = kp, both real."""
    kp, kv = positive(kp, "kp", "1/s^2"), positive(kv, "kv", "1/s")
    if not (kv * kv >= 4 * kp * (1 - 1e-12)):
        raise InputError(
            f"kp = {kp!r}, kv = {kv!r}: allowed are numbers > 0 with kv^2 >= 4 kp, an error without "
            "overshoot; take kv = 2 sqrt(kp)."
        )
    root = np.sqrt(max(kv * kv - 4 * kp, 0.0))
    return np.array([(kv + root) / 2, (kv - root) / 2])


def learning_of(rate: float) -> Array:
    """How fast each parameter of a load learns."""
    return np.asarray(rate * LEARNING_SCALE)


def point_load(mass: float, place: ArrayLike = (0.0, 0.0, 0.0)) -> Array:
    """The ten parameters of a point mass at `place` in the last link's frame."""
    x = numbers(place, "place")
    mass = not_negative(mass, "mass", "kg")
    if x.shape != (3,):
        raise InputError(f"place = {place!r}: allowed are three numbers [m].")
    J = mass * (x @ x * np.eye(3) - np.outer(x, x))
    return np.array([mass, *(mass * x), J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]])
