"""What the readings of every kind of robot share: efforts, reactions and limits of one state."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from linkwork.errors import InputError, LinkworkError
from linkwork.formatting import shown
from linkwork.interface.limits import LimitBreak, limit_report
from linkwork.interface.modes import Modes
from linkwork.interface.quantity import Quantity
from linkwork.interface.robot import Array, Robot
from linkwork.studio.reading import BrokenLimit, Reading, State


class Probe(ABC):
    """Reads a robot in one state.

    `length` [m] is typical of the robot: a turn counts as the way at this distance.
    """

    robot: Robot
    length: float
    is_arm = False  # whether positions are those of joints
    carrier = "Leg"  # what the efforts act on
    effort_title = "Leg forces"
    moved = "Pose of the platform"  # what sliders move
    loaded = "On the platform, in its axes."  # where a load acts
    remark = ""  # about the reactions
    stiffness_field: str | None = None  # of the robot file; None if nothing tells of vibrations
    has_workspace = False  # whether a surface can show where it ends

    def __init__(self, robot: Robot) -> None:
        self.freedom = len(robot.velocities)
        self.efforts = robot.efforts
        self.allowed = robot.limits.effort
        still = np.zeros((1, self.freedom))
        at_home = robot.quantities(robot.home[None], still, np.zeros((1, robot.n)))
        self.has_limits = any(what.bounded for what in at_home)

    @abstractmethod
    def read(self, state: State, wrench: Array | None = None) -> Reading:
        """Everything about one state."""

    @abstractmethod
    def conditions(self, positions: Array) -> Array:
        """Condition numbers along a motion (N,); NaN where there is none."""

    @abstractmethod
    def handle(self, position: Array) -> Array:
        """The pose (4, 4) of what a person drags: the platform, or the tip of an arm."""

    @abstractmethod
    def dragged(self, position: Array, target: Array, turn: bool) -> Array:
        """The position that brings what is dragged to a pose (4, 4), as near as it can."""

    def modes(self, position: Array, wrench: Array) -> Modes:
        """Small vibrations under a load; NaN where there are none."""
        raise InputError(f"{self.robot.name} is of a kind that has no stiffness.")

    def dynamics(self, state: State, wrench: Array | None) -> tuple[Array, Any, str | None]:
        """Efforts, reactions as the robot gives them, and why there are none."""
        motion = (state.position, state.velocity, state.acceleration)
        options: dict[str, Any] = {} if wrench is None else {self.robot.wrench_option: wrench}
        try:
            effort = self.robot.inverse_dynamics(*motion, **options)
            return effort, self.robot.reactions(*motion, wrench), None
        except LinkworkError as error:
            return np.full(self.robot.n, np.nan), None, str(error)

    def measured(self, state: State, effort: Array) -> tuple[Quantity, ...]:
        """Positions, velocities, efforts and angles with their limits, (1, n) each."""
        given = effort[None] if np.isfinite(effort).all() else None
        try:
            return self.robot.quantities(state.position[None], state.velocity[None], given)
        except LinkworkError:  # no such position: the fault of the reading tells
            return ()

    def broken(self, measured: tuple[Quantity, ...]) -> tuple[BrokenLimit, ...]:
        """Limits that the state breaks."""
        if not measured:
            return ()
        return tuple(self._sentence(found) for found in limit_report(measured, (1,), None).breaks)

    def _sentence(self, found: LimitBreak) -> BrokenLimit:
        side = "below" if found.value < found.allowed else "above"
        what = found.limit.replace("_", " ").replace("rate", "velocity")
        value, allowed = (
            shown(x, found.unit, self.robot.angle_unit) for x in (found.value, found.allowed)
        )
        text = f"{found.name}: {what} {value}, {side} {allowed}"
        return BrokenLimit(self.number(found.name), found.limit, text)

    def number(self, name: str) -> int:
        """Which effort belongs to a joint or leg, by its name."""
        return self.efforts.names.index(name)
