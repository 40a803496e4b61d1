"""The numbers by which a person moves a robot: joints, or position and angles of a platform."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import singledispatch

import numpy as np

from linkwork.errors import InputError
from linkwork.interface.arm import Arm
from linkwork.interface.platform import Platform
from linkwork.interface.robot import Array, Robot
from linkwork.rotations import from_angles, to_angles

MARGIN = 0.15  # of the travel: how far a slider goes beyond a limit, so that it can be seen to break
FREE_TURN = 180.0  # degrees
FREE_TILT = 45.0
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


@singledispatch
def values_of(robot: Robot, position: Array) -> Array:
    """What the sliders show for joint positions or a pose (7)."""
    return np.concatenate([position[:3], np.degrees(to_angles(position[3:]))])


@values_of.register
def _(robot: Arm, position: Array) -> Array:
    return position * _arm_scale(robot)


@singledispatch
def position_of(robot: Robot, values: Array) -> Array:
    """Joint positions or the pose (7) that the sliders mean."""
    return np.concatenate([values[:3], from_angles(np.radians(values[3:]))])


@position_of.register
def _(robot: Arm, values: Array) -> Array:
    return values / _arm_scale(robot)


def _arm_scale(arm: Arm) -> Array:
    return np.array([180 / math.pi if joint.is_revolute else 1.0 for joint in arm.model.joints])


@controls_of.register
def _arm_controls(arm: Arm) -> tuple[Control, ...]:
    found = []
    for joint, scale in zip(arm.model.joints, _arm_scale(arm), strict=True):
        unit = "deg" if joint.is_revolute else "m"
        if joint.limits.position is None:
            reach = FREE_TURN if joint.is_revolute else 1.0
            low, high = -reach, reach
        else:
            low, high = (scale * bound for bound in joint.limits.position)
            beyond = MARGIN * (high - low) / 2
            low, high = low - beyond, high + beyond
        found.append(Control(joint.name, unit, _rounded(low, math.floor), _rounded(high, math.ceil)))
    return tuple(found)


@controls_of.register
def _platform_controls(platform: Platform) -> tuple[Control, ...]:
    home = values_of(platform, platform.home)
    size = float(platform.leg_lengths(platform.home).mean())
    found = []
    for k, name in enumerate(("x", "y", "z", "roll", "pitch", "yaw")):
        most = size / 2 if k < 3 else FREE_TILT
        low, high = (
            home[k] + sign * _travel(platform, home, k, sign * most) * most for sign in (-1.0, 1.0)
        )
        unit = "m" if k < 3 else "deg"
        found.append(Control(name, unit, _rounded(low, math.floor), _rounded(high, math.ceil)))
    return tuple(found)


def _travel(platform: Platform, home: Array, axis: int, way: float) -> float:
    """Share of `way` along one axis until a leg leaves its length limits, and a little more."""
    low, high = platform.limits.position.T
    values = np.tile(home, (len(SCAN), 1))
    values[:, axis] += way * SCAN
    poses = np.array([position_of(platform, row) for row in values])
    lengths = platform.leg_lengths(poses, errors="nan")
    inside = ((lengths >= low) & (lengths <= high)).all(axis=1)
    last = 1.0 if inside.all() else float(SCAN[max(int(np.argmin(inside)), 8)])
    return min(1.0, last * (1 + MARGIN))


def _rounded(value: float, rule: object) -> float:
    """To two figures, outwards."""
    if value == 0:
        return 0.0
    unit = 10.0 ** (math.floor(math.log10(abs(value))) - 1)
    assert callable(rule)
    return float(round(rule(value / unit - 1e-9 * math.copysign(1, value)) * unit, 12))
