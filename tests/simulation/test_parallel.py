"""Parallel robots in simulation: energy is kept, control tracks, loads are felt."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork.cli.arguments import robot_of
from linkwork.control import TaskSpacePD
from linkwork.motion import Quintic
from linkwork.motion.bundled import motion_for
from linkwork.simulation import DigitalLoop


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


@pytest.mark.parametrize("name", ["delta", "simona"])
def test_gravity_compensation_is_statics_and_springs(name: str) -> None:
    robot = lw.load(name)
    d = len(robot.velocities)
    rest, pushed = robot.home, robot.home.copy()
    pushed[:3] += [0.02, -0.01, 0.03]
    motion = motion_for(robot, "home-quintic")
    kp, kv = np.linspace(900.0, 1500.0, d), np.linspace(90.0, 40.0, d)
    law = TaskSpacePD(robot, motion, kp, kv, measured="pose")
    still = np.zeros(d)
    np.testing.assert_allclose(
        law.effort(0.0, lw.State(rest, still)), robot.gravity_load(rest), rtol=1e-9
    )
    velocity = 0.1 * np.arange(1.0, d + 1)
    error = np.concatenate([rest[:3] - pushed[:3], np.zeros(d - 3)])
    held = law.effort(0.0, lw.State(pushed, velocity)) - robot.gravity_load(pushed)
    moving = robot.actuator_motion(pushed, np.eye(d)).velocity  # rows of the actuators' Jacobian
    np.testing.assert_allclose(moving @ held, kp * error - kv * velocity, rtol=1e-9, atol=1e-7)
    bare = TaskSpacePD(robot, motion, kp, kv, measured="pose", gravity=False)
    np.testing.assert_allclose(bare.effort(0.0, lw.State(rest, still)), 0.0, atol=1e-9)


def test_gravity_compensation_brings_a_delta_to_rest() -> None:
    robot = robot_of("delta", friction=False)
    assert isinstance(robot, lw.ParallelRobot)
    goal = robot.home + np.array([0.05, 0.02, 0.05])
    law = TaskSpacePD(robot, Quintic(goal, goal, 1.0), 2000.0, 200.0)
    run = lw.simulate(robot, law, start=robot.home, duration=1.0)
    assert np.abs(run.position[-1] - goal).max() < 1e-3 * np.abs(run.position[0] - goal).max()


def test_rollouts_are_simulations() -> None:
    """Delta under task-space control with starts, gains and payloads of their own."""
    robot = lw.load_parallel("delta")
    motion = motion_for(robot, "home-quintic")
    law = lw.TaskSpaceControl(robot, motion, 400.0, 40.0, measured="pose")
    starts = robot.home + np.array([[0.0, 0.0, 0.0], [0.01, -0.02, 0.0], [0.0, 0.01, 0.03]])
    kp, load = np.array([[400.0], [300.0], [500.0]]) * np.ones(3), np.array([0.0, 0.4, 1.0])
    many = lw.rollout(
        robot, law, starts, duration=0.1, variations={"kp": kp, "payload": load}, record_every=100
    )
    for k, start in enumerate(starts):
        alone = lw.TaskSpaceControl(robot, motion, kp[k], 40.0, measured="pose")
        run = lw.simulate(robot, alone, start=start, duration=0.1, payload=float(load[k]))
        np.testing.assert_allclose(many.position[-1, k], run.position[-1], atol=1e-12)
        np.testing.assert_allclose(many.velocity[-1, k], run.velocity[-1], atol=1e-11)


def test_all_parts_of_a_digital_loop() -> None:
    """Sensors, computer and converters act on the motors of a Delta, whose pose is found from them."""
    robot = lw.load_parallel("delta")
    motion = motion_for(robot, "home-quintic")
    law = lw.TaskSpaceControl(robot, motion, 400.0, 40.0, ki=50.0)
    plain = lw.simulate(robot, law, duration=0.1)
    for loop in (
        DigitalLoop(resolution=1e-3, velocity="differenced"),
        DigitalLoop(noise=1e-4, bias=1e-4, seed=3),
        DigitalLoop(latency=2e-3, delay=1e-3, jitter=1e-4),
        DigitalLoop(effort_limits=True, effort_bits=8, velocity="filtered", bandwidth=100.0),
        "servo-drive",
    ):
        run = lw.simulate(robot, law, duration=0.1, loop=loop)
        off = np.abs(run.position - plain.position).max()
        assert 1e-9 < off < 5e-3, loop
