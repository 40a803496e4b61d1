"""Motions to choose from: those that come with the package, a tour, and from one pose to another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from linkwork.errors import InputError
from linkwork.interface.robot import Array, Robot
from linkwork.motion import PAPER_PATHS, PoseLine, PoseWaypoints, Quintic, QuinticProfile, Waypoints
from linkwork.motion.bundled import BUNDLED, Motion
from linkwork.motion.coordinate_path import moving
from linkwork.studio.controls import controls_of, home_of, position_of, values_of

SHARE = 0.45  # of a slider's half travel that a tour uses
TOUR = "tour"


@dataclass(frozen=True)
class Choice:
    """A motion by name; made when it is chosen."""

    name: str
    make: Callable[[], Motion]


def bundled_motions(robot: Robot) -> tuple[Choice, ...]:
    """The bundled motions of this robot, and a tour of all its controls.

    The paths of the papers are places in the space of the papers' platform, so only that one has them.
    """
    names = [name for name in BUNDLED if _fits(robot, name)]
    return (*(_choice(robot, name) for name in names), Choice(TOUR, lambda: _tour(robot)))


def _fits(robot: Robot, name: str) -> bool:
    if name in PAPER_PATHS:
        return robot.name == "dasgupta1998"
    return BUNDLED[name].suits(robot) and (name != "lee1982" or robot.n == 6)


def _choice(robot: Robot, name: str) -> Choice:
    return Choice(name, lambda: BUNDLED[name].make(robot))


def between(robot: Robot, start: Array, end: Array, duration: float) -> Motion:
    """From rest to rest, with smooth acceleration: joints together, or straight and about one axis."""
    if np.allclose(start, end, atol=1e-9):
        raise InputError("start and end are the same; move the robot and set one of them anew.")
    if robot.coordinates.is_pose:
        return PoseLine(start, end, QuinticProfile(duration), turning="axis")
    angles = robot.coordinates.to_angles
    return moving(robot.coordinates, Quintic(angles(start), angles(end), duration))


def _tour(robot: Robot) -> Motion:
    """Each control in turn to one side and the other and back, one second each way."""
    home = values_of(robot, home_of(robot))
    stops = [home]
    for k, control in enumerate(controls_of(robot)):
        half = min(control.high - home[k], home[k] - control.low)
        for side in (1.0, -1.0):
            stop = home.copy()
            stop[k] += side * SHARE * half
            stops.append(stop)
    stops.append(home)
    points = np.array([position_of(robot, stop) for stop in stops])
    times = np.arange(len(points), dtype=np.float64)
    if robot.coordinates.is_pose:
        return PoseWaypoints(points, times)
    angles = np.array([robot.coordinates.to_angles(point) for point in points])
    return moving(robot.coordinates, Waypoints(angles, times))
