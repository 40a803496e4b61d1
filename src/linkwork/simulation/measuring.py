"""What a controller is told in a single run: the digital loop's sensors with their memory."""

from __future__ import annotations

import numpy as np

from linkwork.control.base import Controller, State
from linkwork.control.measuring import state_of_actuators
from linkwork.interface.robot import Array, Robot
from linkwork.simulation.digital_loop import DigitalLoop
from linkwork.simulation.instruments import Estimate, Instruments


class Measuring:
    """Sensors of one robot under one controller; `start` forgets a former run."""

    def __init__(self, loop: DigitalLoop, robot: Robot, controller: Controller) -> None:
        self.loop, self.robot, self.controller = loop, robot, controller
        self.instruments = Instruments.of(loop, robot, controller.period)

    def start(self, state: State) -> None:
        self._noise = np.random.default_rng(self.loop.seed)
        self._wrist = np.random.default_rng([self.loop.seed, 2])
        self._near = state.position
        self._before: Estimate | None = None

    def seen(self, time: float, state: State, wrench: Array | None = None) -> State:
        """The state as the computer knows it from its readings, with the wrench at the wrist if any."""
        if wrench is not None:
            wrench = self.instruments.wrist(wrench, self._wrist.standard_normal(6))
        if self.loop.exact_sensors:
            return state._replace(wrench=wrench)
        tools = self.instruments
        actual = self.robot.actuator_motion(state.position, state.velocity)
        assert actual.velocity is not None
        reading = tools.reading(actual.position, self._noise.standard_normal(self.robot.n))
        if self._before is None:
            self._before = tools.first(reading, actual.velocity)
        now = tools.estimate(reading, actual.velocity, self._acceleration(time), self._before)
        self._before = now
        found = state_of_actuators(self.robot, now.position, now.velocity, self._near)
        self._near = found.position
        return found._replace(wrench=wrench)

    def _acceleration(self, time: float) -> Array:
        """Of the actuators, along the reference."""
        trajectory = self.controller.trajectory
        if trajectory is None or self.loop.velocity != "observer":
            return np.zeros(self.robot.n)
        found = self.robot.actuator_motion(*trajectory.at(time)).acceleration
        assert found is not None
        return found
