"""What a machine can do at home, one axis at a time: excursions, velocities, accelerations, as the data
sheets of motion platforms have them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from linkwork.analysis.region import Indices, first_exit
from linkwork.analysis.requirements import axes_of
from linkwork.analysis.workspace import LIMITS, Workspace
from linkwork.motion.spaces import motion_of_angles
from linkwork.robot.robot import Array, Robot

EXACT = 1e-12  # of the range that is searched
DIGITS = 9  # decimals of margins that differ: symmetric machines name the first of equal legs
LARGEST = 2.0**40  # beyond, nothing bounds it


class Reach(NamedTuple):
    """How far something goes, and which limit of which joint or leg ends it ("" if nothing does)."""

    value: float
    limit: str


@dataclass(frozen=True)
class AxisCapability:
    """What one axis does alone from home: pairs of the negative and the positive direction. Velocities
    are those without acceleration, accelerations those from rest."""

    axis: str
    unit: str
    excursion: tuple[Reach, Reach]
    velocity: tuple[Reach, Reach]
    acceleration: tuple[Reach, Reach]


def capabilities(
    robot: Robot, clearance: float = 0.0, leg_diameter: float = 0.0
) -> tuple[AxisCapability, ...]:
    """Of every axis of a robot; excursions are those of `linkwork workspace`."""
    found = []
    space = _workspace(robot, clearance, leg_diameter)
    for k, (axis, unit) in enumerate(axes_of(robot).items()):
        velocity, acceleration = (
            tuple(_greatest(robot, k, order, side) for side in (-1.0, 1.0)) for order in (1, 2)
        )
        reached = space.excursions[k]
        start = space.start(reached.axis)
        excursion = (
            Reach(reached.lowest - start, reached.lowest_limit),
            Reach(reached.highest - start, reached.highest_limit),
        )
        found.append(AxisCapability(axis, unit, excursion, velocity, acceleration))  # type: ignore[arg-type]
    return tuple(found)


def _workspace(robot: Robot, clearance: float, leg_diameter: float) -> Workspace:
    by_angles = robot.coordinates.by_angles
    home = robot.coordinates.to_angles(robot.home)
    return Workspace(robot, by_angles.names, by_angles.units, home, None, clearance, leg_diameter)


def share_of(robot: Robot, corner: dict[str, float], clearance: float, leg_diameter: float) -> Reach:
    """Which share of the way to a corner of combined excursions keeps all limits at rest; at most 10."""
    axes = [*axes_of(robot)]
    space = _workspace(robot, clearance, leg_diameter)
    way = np.array([corner.get(axis, 0.0) for axis in axes])
    kinds = [*LIMITS.values()]

    def judge(shares: Array) -> tuple[Array, Indices]:
        return space.judged(space.pose + shares * way)

    reached, kind = first_exit(judge, 0.0, 10.0, EXACT)
    return Reach(reached, "" if kind is None else kinds[kind])


def _greatest(robot: Robot, k: int, order: int, side: float) -> Reach:
    """The greatest velocity (order 1) or acceleration (2) of a coordinate at home within all limits."""
    home = robot.coordinates.to_angles(robot.home)
    names: list[str] = []

    def judge(points: Array) -> tuple[Array, Indices]:
        rows = np.zeros((3, len(points), len(home)))
        rows[0] = home
        rows[order, :, k] = side * points[:, 0]
        c, cd, cdd = motion_of_angles(robot.coordinates, *rows)
        margins, names[:] = margins_of_states(robot, c, cd, cdd)
        return margins.min(axis=1), rounded(margins).argmin(axis=1)

    far = 1.0
    while (inside := judge(np.array([[far]]))[0][0] >= 0) and far < LARGEST:
        far *= 2
    if inside:
        return Reach(side * np.inf, "")
    reached, kind = first_exit(judge, 0.0, far, EXACT * far)
    return Reach(side * reached, "" if kind is None else names[kind])


def margins_of_states(robot: Robot, c: Array, cd: Array, cdd: Array) -> tuple[Array, list[str]]:
    """Margins (N, m) of all limits, and which limit of which joint or leg each is."""
    quantities = robot.quantities(c, cd, robot.inverse_dynamics(c, cd, cdd))
    margins = np.concatenate([each.margin for each in quantities], axis=1)
    words = [
        f"{each.limit.replace('_', ' ')} of {name}" for each in quantities for name in each.channels
    ]
    return np.where(np.isfinite(margins), margins, np.inf), words


def rounded(margins: Array) -> Array:
    """Margins of which equal ones are the same number."""
    return np.maximum(margins, -1e9).round(DIGITS)
