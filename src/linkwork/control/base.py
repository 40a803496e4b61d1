"""What a controller is: from time and measured state to actuator efforts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike

from linkwork.core.arguments import positive
from linkwork.core.errors import InputError
from linkwork.robot.robot import Array, Robot

if TYPE_CHECKING:
    from linkwork.control.observers import Observing


class ByOwnNames:
    """Position and velocity by the names that arms and platforms have for them."""

    position: Array
    velocity: Array

    @property
    def q(self) -> Array:
        """The position, as arms call it."""
        return self.position

    @property
    def qd(self) -> Array:
        """The velocity, as arms call it."""
        return self.velocity

    @property
    def pose(self) -> Array:
        """The position, as platforms call it."""
        return self.position

    @property
    def twist(self) -> Array:
        """The velocity, as platforms call it."""
        return self.velocity


class _StateFields(NamedTuple):
    position: Array
    velocity: Array
    wrench: Array | None = None  # that a force-torque sensor measures, if there is one


class State(_StateFields, ByOwnNames):
    """A robot at one moment: position and velocity of its coordinates, a pose with a quaternion."""


class Reference(Protocol):
    """A motion to follow, such as a Trajectory; `at(t)` gives positions, velocities, accelerations."""

    @property
    def duration(self) -> float: ...
    def at(self, t: ArrayLike) -> tuple[Array, Array, Array]: ...


class Controller(ABC):
    """A control law. `period` [s] is its sampling time; None: it is continuous."""

    trajectory: Reference | None = None
    period: float | None = None
    observing: Observing | None = None  # an observer of its own

    def start(self) -> None:
        """Forget what a former run has left; called when a simulation begins."""
        return None

    @abstractmethod
    def effort(self, time: float, state: State) -> Array:
        """Torques of an arm or forces of a platform for the state measured at `time`."""

    def effort_applied(self, wanted: Array, bound: Array) -> None:
        """Told after every sample: the effort that was wanted, and the greatest that there is."""
        return None


class FunctionController(Controller):
    """A plain function f(time, state) -> effort as a controller."""

    def __init__(
        self, function: Callable[[float, State], ArrayLike], period: float | None = None
    ) -> None:
        self.function = function
        self.period = check_period(period)

    def effort(self, time: float, state: State) -> Array:
        return np.asarray(self.function(time, state), dtype=np.float64)


class RobotController(Controller):
    """A controller of a robot that a kernel evaluates."""

    robot: Robot

    def __getstate__(self) -> dict[str, object]:
        """Copies and pickles leave the kernel behind; it is made anew where it is needed."""
        return {name: value for name, value in self.__dict__.items() if name != "kernel"}

    def follow(self, robot: Robot, trajectory: Reference, period: float | None) -> None:
        """Set up for a robot and the motion of its coordinates."""
        self.robot = driven(robot)
        if not (hasattr(trajectory, "at") and hasattr(trajectory, "duration")):
            raise InputError(f"trajectory is {trajectory!r}: expected a motion with duration and at(t).")
        found, size = np.shape(trajectory.at(0.0)[0]), len(robot.home)
        if found != (size,):
            raise InputError(f"the trajectory gives positions {found}; {robot.name} needs ({size},).")
        self.trajectory, self.period = trajectory, check_period(period)

    def refuse(self, state: State) -> None:
        """Where the kernel has no finite effort: let the robot say what is wrong with the position."""
        self.robot.inverse_dynamics(*state[:2], np.zeros(len(self.robot.velocities)))


def check_period(period: float | None) -> float | None:
    return None if period is None else positive(period, "period", "s")


def driven(robot: object) -> Robot:
    """A robot with a motor for every freedom, or an InputError."""
    found = Robot.expect(robot, "this controller")
    if found.n < len(found.velocities):
        raise InputError(
            f"{found.name} has {found.n} motors for {len(found.velocities)} freedoms: no effort holds "
            "it on a trajectory."
        )
    return found


def jointed(robot: object) -> Robot:
    """A robot whose coordinates are plain numbers, or an InputError."""
    found = driven(robot)
    if found.coordinates.quaternions:
        raise InputError(
            f"{robot!r} is not a serial arm or a mechanism of joints: it has orientations among its "
            "coordinates; take TaskSpaceControl or TaskSpacePD."
        )
    return found


def posed(robot: object) -> Robot:
    """A robot whose coordinates are not its motors, or an InputError."""
    found = driven(robot)
    if found.plant().actuated_coordinates:
        raise InputError(
            "this controller is for Stewart platforms and mechanisms, whose coordinates are not their "
            f"motors, not for {robot!r}; take ComputedTorque or GravityCompensation."
        )
    return found


def state_of_actuators(robot: Robot, position: Array, velocity: Array, near: Array) -> State:
    """The state that actuator positions and velocities tell.

    Where actuators are not the coordinates, as in a platform, the pose near `near` is found by forward
    kinematics and the velocity from the velocities of the actuators there.
    """
    if robot.efforts.names == robot.coordinates.names:
        return State(position, velocity)
    found = robot.forward_kinematics(position, near)
    per_velocity = robot.actuator_motion(found, np.eye(len(robot.velocities))).velocity
    assert per_velocity is not None
    twist = np.linalg.lstsq(np.asarray(per_velocity.T), velocity, rcond=None)[0]
    return State(found, np.asarray(twist, dtype=np.float64))
