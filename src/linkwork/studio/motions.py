"""Motions to choose from: those that come with a robot, and from one pose to another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork.arm import Arm
from linkwork.errors import InputError
from linkwork.motion import PoseWaypoints, Quintic, Waypoints, paper_path
from linkwork.motion.paper_paths import PAPER_PATHS
from linkwork.motion.pose_lines import PoseLine
from linkwork.motion.profiles import QuinticProfile
from linkwork.motion.trajectory import JointTrajectory, PoseTrajectory
from linkwork.robot import Array
from linkwork.stewart import Platform
from linkwork.studio.controls import Control, controls_of, home_of, position_of, values_of

Motion = JointTrajectory | PoseTrajectory
SHARE = 0.45  # of a slider's half travel that a tour uses
LEE = (90, 0, 90, 0, 0, 0), (45, 30, 0, 45, 60, 90)  # degrees; Lee 1982, section 5


@dataclass(frozen=True)
class Choice:
    """A motion by name; made when it is chosen."""

    name: str
    make: Callable[[], Motion]


def bundled_motions(robot: Arm | Platform) -> tuple[Choice, ...]:
    """A tour around home for every robot, and the motions that papers give for theirs."""
    found = [Choice("tour", lambda: _tour(robot, range(_freedom(robot))))]
    if isinstance(robot, Platform):
        found += [
            Choice("sway and heave", lambda: _tour(robot, range(3))),
            Choice("roll, pitch, yaw", lambda: _tour(robot, range(3, 6))),
        ]
        if robot.name == "dasgupta1998":
            found = [_paper_choice(name) for name in PAPER_PATHS] + found
    elif robot.name.startswith("puma560"):
        found.append(Choice("lee1982", lambda: Quintic(np.radians(LEE[0]), np.radians(LEE[1]), 2.0)))
    return tuple(found)


def between(robot: Arm | Platform, start: Array, end: Array, duration: float) -> Motion:
    """From rest to rest, with smooth acceleration: joints together, or straight and about one axis."""
    if np.allclose(start, end, atol=1e-9):
        raise InputError("start and end are the same; move the robot and set one of them anew.")
    if isinstance(robot, Arm):
        return Quintic(start, end, duration)
    return PoseLine(start, end, QuinticProfile(duration), turning="axis")


def fitting(robot: Arm | Platform, motion: Any, name: str) -> Motion:
    """The motion, if it is one of this robot."""
    wanted: type[Any] = JointTrajectory if isinstance(robot, Arm) else PoseTrajectory
    if not isinstance(motion, wanted):
        need = "joint positions" if isinstance(robot, Arm) else "poses (x, y, z and angles)"
        raise InputError(f"{name}: a motion of {robot.name} has {need}.")
    if isinstance(motion, JointTrajectory) and motion.n != _freedom(robot):
        raise InputError(f"{name}: {motion.n} joints where {robot.name} has {_freedom(robot)}.")
    return motion


def _freedom(robot: Arm | Platform) -> int:
    return robot.n if isinstance(robot, Arm) else 6


def _paper_choice(name: str) -> Choice:
    return Choice(name, lambda: paper_path(name))


def _tour(robot: Arm | Platform, axes: range) -> Motion:
    """Each control in turn to one side and the other and back, one second each way."""
    home = values_of(robot, home_of(robot))
    controls: tuple[Control, ...] = controls_of(robot)
    stops = [home]
    for k in axes:
        half = min(controls[k].high - home[k], home[k] - controls[k].low)
        for side in (1.0, -1.0):
            stop = home.copy()
            stop[k] += side * SHARE * half
            stops.append(stop)
    stops.append(home)
    points = np.array([position_of(robot, stop) for stop in stops])
    times = np.arange(len(points), dtype=np.float64)
    return Waypoints(points, times) if isinstance(robot, Arm) else PoseWaypoints(points, times)
