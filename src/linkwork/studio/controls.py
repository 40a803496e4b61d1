"""The numbers by which a person moves a robot: joints and coordinates of platforms."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import singledispatch

import numpy as np

from linkwork.errors import InputError
from linkwork.formatting import shown_unit
from linkwork.interface.arm import Arm
from linkwork.interface.platform import Platform
from linkwork.interface.robot import Array, Mechanism, Robot
from linkwork.robots.parallel import COORDINATES

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
    return robot.coordinates.to_angles(position) * _scale(robot)


def position_of(robot: Robot, values: Array) -> Array:
    """The position that the sliders mean."""
    return robot.coordinates.from_angles(values / _scale(robot))


def _scale(robot: Robot) -> Array:
    """From SI units to those of the sliders."""
    units = robot.coordinates.by_angles.units
    return np.array([shown_unit(unit, robot.angle_unit)[0] for unit in units])


@controls_of.register
def _arm_controls(arm: Arm) -> tuple[Control, ...]:
    found = []
    for joint, scale in zip(arm.model.joints, _scale(arm), strict=True):
        unit = shown_unit("rad", arm.angle_unit)[1] if joint.is_revolute else "m"
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
    def actuators(poses: Array) -> Array:
        return robot.leg_lengths(poses, errors="nan")

    return _scanned(robot, float(robot.leg_lengths(robot.home).mean()), actuators)


@controls_of.register
def _mechanism_controls(robot: Mechanism) -> tuple[Control, ...]:
    def actuators(positions: Array) -> Array:
        return robot.inverse_kinematics(positions, errors="nan")

    return _scanned(robot, robot.size, actuators)


def _scanned(robot: Robot, size: float, actuators: Callable[[Array], Array]) -> tuple[Control, ...]:
    """Sliders that reach from home to where the motors' limits end or loops break, and a little more.

    A pose tilts by 45 degrees at most; a joint goes as far as its own motor's limits, or half a turn.
    """
    home, by_angles = values_of(robot, robot.home), robot.coordinates.by_angles
    low, high = robot.limits.position.T
    own = dict(zip(robot.efforts.names, robot.limits.position, strict=True))
    found = []
    for k, (name, unit) in enumerate(zip(by_angles.names, by_angles.units, strict=True)):
        factor, shown = shown_unit(unit, robot.angle_unit)
        posed = name.rpartition(".")[2] in COORDINATES
        most = size / 2 if unit == "m" else FREE_TILT if posed else FREE_TURN
        ways = np.array([-most, most])
        if name in own:
            ways = np.where(np.isfinite(own[name]), (1 + MARGIN) * own[name], ways)
        ends = []
        for way in factor * ways:
            values = np.tile(home, (len(SCAN), 1))
            values[:, k] += way * SCAN
            moved = actuators(position_of(robot, values))
            allowed = ((moved >= low) & (moved <= high)).all(axis=1) & np.isfinite(moved).all(axis=1)
            last = 1.0 if allowed.all() else float(SCAN[max(int(np.argmin(allowed)), 8)])
            ends.append(home[k] + way * min(1.0, last * (1 + MARGIN)))
        ends = [_rounded(end, rule) for end, rule in zip(ends, (math.floor, math.ceil), strict=True)]
        found.append(Control(name, shown, *ends))
    return tuple(found)


def _rounded(value: float, rule: object) -> float:
    """To two figures, outwards."""
    if value == 0:
        return 0.0
    unit = 10.0 ** (math.floor(math.log10(abs(value))) - 1)
    assert callable(rule)
    return float(round(rule(value / unit - 1e-9 * math.copysign(1, value)) * unit, 12))
