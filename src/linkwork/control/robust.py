"""Computed torque with an observer of what the model does not know: a load, friction, contact.

After a sample of T, the joints have gained (qd - qd_before) / T on average. What that has more than the
acceleration asked for, passed through a filter of the observer's bandwidth, is what the model missed; it
is taken off the next acceleration (time-delay control, Youcef-Toumi and Ito 1990). Nothing is assumed of
the disturbance but that it changes slower than the observer; no load is named or learned.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from linkwork.control.base import Reference, RobotController, State
from linkwork.control.controllers import ComputedTorque
from linkwork.core.arguments import positive
from linkwork.robot.robot import Array, Robot


class RobustComputedTorque(RobotController):
    """Computed torque that observes and cancels disturbances; the estimate is in `disturbance`.

    Args:
        robot, trajectory, kp, kv, period, friction, rotors, formulation: as of ComputedTorque.
        bandwidth: of the observer [rad/s]; higher is faster and passes more of the velocities' noise.
    """

    def __init__(
        self,
        robot: Robot,
        trajectory: Reference,
        kp: ArrayLike = 100.0,
        kv: ArrayLike = 20.0,
        period: float = 0.01,
        *,
        bandwidth: float = 20.0,
        friction: bool = True,
        rotors: bool = True,
        formulation: str | None = None,
    ) -> None:
        self.follow(robot, trajectory, positive(period, "period", "s"))
        self.law = ComputedTorque(
            robot, trajectory, kp, kv, period,
            friction=friction, rotors=rotors, formulation=formulation,
        )  # fmt: skip
        self.bandwidth = positive(bandwidth, "bandwidth", "rad/s")
        self.start()

    def start(self) -> None:
        self.disturbance: Array = np.zeros(self.robot.n)  # [rad/s^2 or m/s^2]
        self._before: tuple[Array, Array] | None = None  # velocity, and acceleration asked for

    def effort(self, time: float, state: State) -> Array:
        assert self.period is not None
        if self._before is not None:
            velocity, asked = self._before
            missed = (state.velocity - velocity) / self.period - asked
            share = 1.0 - np.exp(-self.bandwidth * self.period)
            self.disturbance = self.disturbance + share * (missed - self.disturbance)
        q, qd, qdd = self.law.reference(time)
        reference = qdd - self.disturbance
        kp, kv = (gain if gain.ndim == 2 else np.diag(gain) for gain in (self.law.kp, self.law.kv))
        asked = reference + kv @ (qd - state.velocity) + kp @ (q - state.position)
        self._before = np.array(state.velocity), asked
        arrays = (*state[:2], q, qd, reference, self.law.kp.ravel(), self.law.kv.ravel())
        found, nonfinite = self.law.kernel.evaluate(arrays)
        if nonfinite:
            self.refuse(state)
        return np.asarray(found)

    def effort_applied(self, wanted: Array, bound: Array) -> None:
        if (np.abs(wanted) > bound).any():  # the joints did not get what was asked for
            self._before = None
