"""A robot at a glance: a live figure, joints, limits and bodies."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from linkwork.analysis.study import study
from linkwork.motion.bundled import BUNDLED
from linkwork.reports.inverse import add_mechanism, add_robot
from linkwork.reports.page import Page
from linkwork.robot.robot import Robot

MOTION = "home-quintic"  # any robot has it
SAMPLES = 201


def robot_report(
    robot: Robot, command: str | None = None, advance: Callable[[int], None] = lambda done: None
) -> Page:
    """A page with the robot as a live figure: the reader moves it along a motion or by hand."""
    motion = BUNDLED[MOTION].make(robot)
    time = np.linspace(0.0, motion.duration, SAMPLES)
    page = Page(robot.name, "", command, advance)
    add_mechanism(page, study(robot, MOTION, time, motion.at(time)))
    add_robot(page, robot)
    return page
