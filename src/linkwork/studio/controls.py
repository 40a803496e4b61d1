"""The numbers by which a person moves a robot: joints and coordinates of platforms."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from linkwork.drawing.shape import placed
from linkwork.kinematics.singularity import grade_of
from linkwork.kinematics.tool_placing import tool_pose
from linkwork.model.mechanism import POSE
from linkwork.robot.limits import ranges_of
from linkwork.robot.robot import Array, Robot
from linkwork.studio.units import Units

MARGIN = 0.15  # of the travel: how far a slider goes beyond a limit, so that it can be seen to break
FREE_TURN = math.pi
FREE_TILT = math.pi / 4
POSTURES = (-90.0, -45.0, 0.0, 45.0, 90.0)  # degrees: joints of an arm that is bent to be moved
DRAWN = 60  # postures of which the best conditioned above the floor is taken
FREEDOM = 1e-3  # of dimensionless singular values: less is no freedom to drag along
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
    """Where a session begins: at home; of an arm whose motors could not move the tool there, in a
    bent posture."""
    home = np.asarray(robot.home)
    if not robot.moved_by_motors or not _is_singular(robot, home):
        return home
    low, high = robot.limits.position.T
    turning = np.array([unit == "rad" for unit in robot.coordinates.units])
    with np.errstate(invalid="ignore"):  # a joint without limits
        middle = np.where(np.isfinite(low + high), (low + high) / 2, 0.0)
    draws = np.random.default_rng(0).choice(np.radians(POSTURES), (DRAWN, robot.n))
    bent = np.clip(np.where(turning, draws, middle), low, high)
    condition = np.asarray(robot.condition_number(bent, errors="nan"))
    lowest = np.array([placed(robot, q[None]).corners[0][:, 2].min() for q in bent])
    floor = min(float(placed(robot, home[None]).corners[0][:, 2].min()), 0.0)
    judged = np.where(lowest >= floor - 1e-3 * robot.size, condition, np.inf)
    best = judged if np.isfinite(judged).any() else condition
    return bent[int(np.nanargmin(best))] if np.isfinite(best).any() else home


def _is_singular(robot: Robot, position: Array) -> bool:
    return grade_of(float(robot.condition_number(position, errors="nan"))) == "singular"


class HandleFreedoms(NamedTuple):
    """Along and about which axes of the tool it can be dragged."""

    moves: tuple[bool, ...]
    turns: tuple[bool, ...]


def handle_freedoms(robot: Robot) -> HandleFreedoms:
    """Of a tool placed by coordinates those, else what its Jacobian allows; it moves first, and turns
    with what freedom is left."""
    own = {name.rpartition(".")[2] for name in robot.coordinates.by_angles.names} & {*POSE}
    if own:
        return HandleFreedoms(*(tuple(name in own for name in half) for half in (POSE[:3], POSE[3:])))
    position = home_of(robot)
    J = robot.jacobian(position, errors="nan")
    if not np.isfinite(J).all():
        return HandleFreedoms((True,) * 3, (False,) * 3)
    J = np.vstack([J[:3] / robot.length_scale, J[3:]])
    _, values, rows = np.linalg.svd(J[:3])
    free = rows[int((values > FREEDOM * max(values[0], 1e-12)).sum()) :].T
    R = tool_pose(robot, position)[:3, :3]
    return HandleFreedoms(_reached(J[:3], R), _reached(J[3:] @ free, R))


def _reached(J: Array, axes: Array) -> tuple[bool, ...]:
    """Which axes, the columns, mostly lie in the range of J."""
    if not J.size:
        return (False,) * 3
    u, values, _ = np.linalg.svd(J, full_matrices=False)
    basis = u[:, values > FREEDOM]
    return tuple(bool(np.linalg.norm(basis.T @ axis) > 0.7) for axis in axes.T)


def values_of(robot: Robot, position: Array, units: Units | None = None) -> Array:
    """What the sliders show for a position: angles, and no quaternion; in the robot file's units, if
    none are chosen."""
    return robot.coordinates.to_angles(position) * _scale(robot, units)


def position_of(robot: Robot, values: Array, units: Units | None = None) -> Array:
    """The position that the sliders mean."""
    return robot.coordinates.from_angles(values / _scale(robot, units))


def _scale(robot: Robot, units: Units | None) -> Array:
    """From SI units to those of the sliders."""
    chosen = units or Units.of(robot)
    return np.array([chosen.unit(unit)[0] for unit in robot.coordinates.by_angles.units])


def controls_of(robot: Robot, units: Units | None = None) -> tuple[Control, ...]:
    """Sliders that reach from home to where limits end or loops break, and a little more.

    A pose tilts by 45 degrees at most; a joint goes as far as its own motor's limits, or half a turn.
    """
    units = units or Units.of(robot)
    home, by_angles = values_of(robot, robot.home, units), robot.coordinates.by_angles
    own = dict(zip(robot.efforts.names, robot.limits.position, strict=True))
    found = []
    for k, (name, unit) in enumerate(zip(by_angles.names, by_angles.units, strict=True)):
        factor, shown = units.unit(unit)
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
            allowed = within_limits(robot, position_of(robot, values, units))
            last = 1.0 if allowed.all() else float(SCAN[max(int(np.argmin(allowed)), 8)])
            ends.append(_rounded(home[k] + (goal - home[k]) * min(1.0, last * (1 + MARGIN)), rule))
        found.append(Control(name, shown, *ends))
    return tuple(found)


def within_limits(robot: Robot, positions: Array) -> NDArray[np.bool_]:
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
