"""Parallel robots in simulation: energy is kept, control tracks, loads are felt."""

from __future__ import annotations

import numpy as np

import linkwork as lw
from linkwork.cli.arguments import robot_of
from linkwork.motion.bundled import motion_for


def test_energy_is_kept() -> None:
    """A five-bar that swings freely, without friction."""
    robot = robot_of("five-bar", friction=False)
    assert isinstance(robot, lw.ParallelRobot)
    start = (robot.home, np.array([0.3, -0.2]))
    run = lw.simulate(robot, None, start=start, duration=0.15)
    energy = robot.energy(run.position, run.velocity).total
    assert np.abs(run.position - robot.home).max() > 0.02
    assert np.abs(energy - energy[0]).max() < 1e-9 * np.abs(energy[0])


def test_task_space_control_tracks() -> None:
    robot = lw.load_parallel("delta")
    motion = motion_for(robot, "home-quintic")
    for measured in ("pose", "legs"):
        controller = lw.TaskSpaceControl(robot, motion, measured=measured)
        run = lw.simulate(robot, controller, duration=0.1)
        assert np.abs(run.position[-1] - motion.at(0.1).q).max() < 1e-5
