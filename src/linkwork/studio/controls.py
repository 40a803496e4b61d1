"""The numbers by which a person moves a robot: joints and coordinates of platforms."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from linkwork.core.text import shown_unit
from linkwork.kinematics.singularity import grade_of
from linkwork.model.mechanism import POSE
from linkwork.robot.limits import ranges_of
from linkwork.robot.robot import Array, Robot

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


def home_of(robot: Robot) -> Array:
    """Where a session begins: at home; where motors could not move the tool there, as those of a
    stretched arm, bent by 20 degrees within their limits."""
    home = np.asarray(robot.home)
    if (
        not robot.moved_by_motors
        or grade_of(float(robot.condition_number(home, errors="nan"))) != "singular"
    ):
        return home
    low, high = robot.limits.position.T
    turning = np.array([unit == "rad" for unit in robot.coordinates.units])
    bent = np.where(turning, np.radians(20), 0.0)
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


def controls_of(robot: Robot) -> tuple[Control, ...]:
    """Sliders that reach from home to where limits end or loops break, and a little more.

    A pose tilts by 45 degrees at most; a joint goes as far as its own motor's limits, or half a turn.
    """
    home, by_angles = values_of(robot, robot.home), robot.coordinates.by_angles
    own = dict(zip(robot.efforts.names, robot.limits.position, strict=True))
    found = []
    for k, (name, unit) in enumerate(zip(by_angles.names, by_angles.units, strict=True)):
        factor, shown = shown_unit(unit, robot.angle_unit)
        posed = name.rpartition(".")[2] in POSE
        most = robot.size / 2 if unit == "m" else FREE_TILT if posed else FREE_TURN
        goals = home[k] + factor * np.array([-most, most])
        if name in own:
            beyond = MARGIN * np.diff(own[name]) / 2 * np.array([-1.0, 1.0])
            goals = np.where(np.isfinite(own[name]), factor * (own[name] + beyond), goals)
        ends = []
        for goal, rule in zip(goals, (math.floor, math.ceil), strict=True):
            values = np.tile(home, (len(SCAN), 1))
            values[:, k] += (goal - home[k]) * SCAN
            allowed = _allowed(robot, position_of(robot, values))
            last = 1.0 if allowed.all() else float(SCAN[max(int(np.argmin(allowed)), 8)])
            ends.append(_rounded(home[k] + (goal - home[k]) * min(1.0, last * (1 + MARGIN)), rule))
        found.append(Control(name, shown, *ends))
    return tuple(found)


def _allowed(robot: Robot, positions: Array) -> NDArray[np.bool_]:
    """Whether loops close at positions (N, ...) and all joints and cylinders keep their limits."""
    still = np.zeros(robot.dof)
    q = robot.joint_motion(positions, still, still, errors="nan").q
    low, high = ranges_of(each.limits.position for each in robot.elements).T
    return np.asarray((np.isfinite(q) & (q >= low) & (q <= high)).all(axis=1))


def _rounded(value: float, rule: object) -> float:
    """To two figures, outward."""
    if value == 0:
        return 0.0
    unit = 10.0 ** (math.floor(math.log10(abs(value))) - 1)
    assert callable(rule)
    return float(round(rule(value / unit - 1e-9 * math.copysign(1, value)) * unit, 12))
