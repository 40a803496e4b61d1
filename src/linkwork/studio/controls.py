"""The numbers by which a person moves a robot: joints, or coordinates of a platform."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import singledispatch

import numpy as np

from linkwork.errors import InputError
from linkwork.formatting import shown_unit
from linkwork.interface.arm import Arm
from linkwork.interface.parallel import ParallelRobot
from linkwork.interface.platform import Platform
from linkwork.interface.robot import Array, Robot
from linkwork.robots.parallel import COORDINATES
from linkwork.rotations import from_angles, to_angles

MARGIN = 0.15  # of the travel: how far a slider goes beyond a limit, so that it can be seen to break
FREE_TURN = math.pi
FREE_TILT = math.pi / 4
SCAN = np.linspace(0.0, 1.0, 121)


@dataclass(frozen=True)
class Control:
    """One slider, in the unit shown."""

    name: str
    unit: str
    low: float
    high: float

    @property
    def step(self) -> float:
        """A round number of about a thousandth of the travel."""
        return float(10.0 ** math.floor(math.log10((self.high - self.low) / 500)))

    @property
    def label(self) -> str:
        return f"{self.name} [{self.unit}]"


@singledispatch
def controls_of(robot: Robot) -> tuple[Control, ...]:
    """The sliders of a robot."""
    raise InputError(f"the studio has no sliders for a {type(robot).__name__}.")


@singledispatch
def home_of(robot: Robot) -> Array:
    """Where a session begins: the home pose; an arm in a bent configuration within its limits."""
    return robot.home


@home_of.register
def _(robot: Arm) -> Array:
    low, high = robot.limits.position.T
    turns = np.array([unit == "rad" for unit in robot.coordinates.units])
    bent = np.where(turns, np.radians(20), 0.0)
    with np.errstate(invalid="ignore"):  # a joint without limits
        return np.where((low < bent) & (bent < high), bent, (low + high) / 2)


def values_of(robot: Robot, position: Array) -> Array:
    """What the sliders show for a position: angles in the robot file's unit, and no quaternion."""
    if robot.coordinates.is_pose:
        return np.concatenate([position[:3], _turn(robot)[0] * to_angles(position[3:])])
    return position * _scale(robot)


def position_of(robot: Robot, values: Array) -> Array:
    """The position that the sliders mean."""
    if robot.coordinates.is_pose:
        return np.concatenate([values[:3], from_angles(values[3:] / _turn(robot)[0])])
    return values / _scale(robot)


def _scale(robot: Robot) -> Array:
    """From SI units to those of the sliders."""
    return np.array([shown_unit(unit, robot.angle_unit)[0] for unit in robot.coordinates.units])


def _turn(robot: Robot) -> tuple[float, str]:
    """The unit of the sliders of angles, and the factor from radians."""
    return shown_unit("rad", robot.angle_unit)


@controls_of.register
def _arm_controls(arm: Arm) -> tuple[Control, ...]:
    found = []
    for joint, scale in zip(arm.model.joints, _scale(arm), strict=True):
        unit = _turn(arm)[1] if joint.is_revolute else "m"
        if joint.limits.position is None:
            reach = scale * FREE_TURN if joint.is_revolute else 1.0
            low, high = -reach, reach
        else:
            low, high = (scale * bound for bound in joint.limits.position)
            beyond = MARGIN * (high - low) / 2
            low, high = low - beyond, high + beyond
        found.append(Control(joint.name, unit, _rounded(low, math.floor), _rounded(high, math.ceil)))
    return tuple(found)


@controls_of.register
def _platform_controls(robot: Platform) -> tuple[Control, ...]:
    def inside(poses: Array) -> Array:
        return _within(robot, robot.leg_lengths(poses, errors="nan"))

    return _scanned(robot, COORDINATES, float(robot.leg_lengths(robot.home).mean()), inside)


@controls_of.register
def _parallel_controls(robot: ParallelRobot) -> tuple[Control, ...]:
    def inside(positions: Array) -> Array:
        return _within(robot, robot.inverse_kinematics(positions, errors="nan"))

    return _scanned(robot, robot.model.coordinates, robot.model.size(), inside)


def _within(robot: Robot, actuators: Array) -> Array:
    """Where all actuators (N, n) are within their limits; not where they are NaN."""
    low, high = robot.limits.position.T
    return ((actuators >= low) & (actuators <= high)).all(axis=1)


def _scanned(
    robot: Robot, names: Sequence[str], size: float, inside: Callable[[Array], Array]
) -> tuple[Control, ...]:
    """Sliders that reach from home to where the actuators' limits end, and a little more."""
    home = values_of(robot, robot.home)
    factor, angle = _turn(robot)
    found = []
    for k, name in enumerate(names):
        turns = name in COORDINATES[3:]
        most = factor * FREE_TILT if turns else size / 2
        ends = []
        for way in (-most, most):
            values = np.tile(home, (len(SCAN), 1))
            values[:, k] += way * SCAN
            allowed = inside(np.array([position_of(robot, row) for row in values]))
            last = 1.0 if allowed.all() else float(SCAN[max(int(np.argmin(allowed)), 8)])
            ends.append(home[k] + way * min(1.0, last * (1 + MARGIN)))
        low, high = _rounded(ends[0], math.floor), _rounded(ends[1], math.ceil)
        found.append(Control(name, angle if turns else "m", low, high))
    return tuple(found)


def _rounded(value: float, rule: object) -> float:
    """To two figures, outwards."""
    if value == 0:
        return 0.0
    unit = 10.0 ** (math.floor(math.log10(abs(value))) - 1)
    assert callable(rule)
    return float(round(rule(value / unit - 1e-9 * math.copysign(1, value)) * unit, 12))
