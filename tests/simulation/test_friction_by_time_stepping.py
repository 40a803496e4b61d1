"""Both integrators with Coulomb friction against Moreau's time-stepping, on robots of every kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import linkwork as lw
from linkwork.simulation import simulate
from tests.moreau import joints_with_friction, time_stepping, with_coulomb
from tests.random_arms import CONVENTIONS, random_arm
from tests.random_parallel import random_parallel
from tests.random_platforms import random_platform

ARMS = ("puma560", "ur5", "panda", "stanford", "planar-2r", "iiwa14", "ur10")
PLATFORMS = ("simona", "dasgupta1998", "hexaglide")
DURATION = 0.2

Case = tuple[Any, np.ndarray, Callable[[float], np.ndarray]]


def case(smooth: Any, seed: int) -> Case:
    """A robot without Coulomb friction, sizes of it for two thirds of its joints, and efforts that hold
    its weight at home and swing about that, so that joints stop, turn and break away."""
    rng = np.random.default_rng([seed, 5])
    n = joints_with_friction(smooth)
    smooth = with_coulomb(smooth, np.zeros(n))
    load = np.asarray(smooth.gravity_load(smooth.home))
    rough = np.where(rng.random(n) < 0.7, rng.uniform(0.05, 0.4, n), 0.0)
    swing, frequency = rng.uniform(0.3, 1.0, load.shape), rng.uniform(10, 40, load.shape)
    phase = rng.uniform(0, 2 * np.pi, load.shape)
    size = np.abs(load).max() or 1.0
    if isinstance(smooth, lw.Arm):  # efforts of joints differ as what they carry
        size = 20 * np.diag(smooth.mass_matrix(smooth.home))
    return smooth, size * rough, lambda time: load + size * swing * np.sin(frequency * time + phase)


def agree(smooth: Any, seed: int, steps: int, duration: float = DURATION) -> None:
    smooth, sizes, effort = case(smooth, seed)
    robot, law = with_coulomb(smooth, sizes), lambda time, state: effort(time)
    start = (robot.home, np.zeros(len(robot.velocities)))
    exact = simulate(robot, law, duration=duration, step=2e-3, integrator="adaptive")
    fixed = simulate(robot, law, duration=duration, step=2e-4)
    way = max(np.abs(exact.position - start[0]).max(), 1e-6)  # some robots are held by friction
    assert np.abs(fixed.position[-1] - exact.position[-1]).max() < 1e-3 * way
    position, _ = time_stepping(smooth, sizes, effort, start, duration, steps)
    assert np.abs(position - exact.position[-1]).max() < 1e-2 * way


def test_an_arm_whose_joints_break_away() -> None:
    """A shoulder that sticks for 0.4 s and then gives way, under constant torques."""
    arm = lw.load_arm("puma560")
    torque = np.array([-69.8, 30.9, -24.7, -2.2, -1.6, -0.9])
    law = lambda time, state: torque  # noqa: E731
    start = np.zeros(6)
    exact = simulate(arm, law, duration=0.5, start=start, step=0.01, integrator="adaptive")
    fixed = simulate(arm, law, duration=0.5, start=start, step=5e-4)
    stuck = exact.qd[:, 1] == 0
    assert stuck[exact.time < 0.4].all()
    assert not stuck[exact.time > 0.42].any()
    np.testing.assert_allclose(fixed.q[-1], exact.q[-1], atol=1e-6)
    assert (exact.qd <= 0).all()  # so that friction the other way does not matter
    sizes = np.array([-joint.friction.coulomb_backward for joint in arm.model.joints])
    smooth = with_coulomb(arm, np.zeros(6))
    position, _ = time_stepping(smooth, sizes, lambda time: torque, (start, start), 0.5, 250)
    np.testing.assert_allclose(position, exact.q[-1], atol=1e-4)


def test_a_parallel_robot_with_more_sticking_joints_than_freedoms() -> None:
    agree(lw.ParallelRobot(random_parallel(4)), 4, 400)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(18))
def test_arms(seed: int) -> None:
    random = random_arm(seed, 2 + seed % 5, CONVENTIONS[seed % 3])
    agree(lw.load(ARMS[seed]) if seed < len(ARMS) else lw.Arm(random), seed, 1000)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(8))
def test_hexapods(seed: int) -> None:
    bundled = seed < len(PLATFORMS)
    robot = lw.load(PLATFORMS[seed]) if bundled else lw.Platform(random_platform(seed))
    agree(robot, seed, 300, 0.05)  # later some of them have come to singular poses


@pytest.mark.long
@pytest.mark.parametrize("seed", range(30))
def test_parallel_robots(seed: int) -> None:
    agree(lw.ParallelRobot(random_parallel(seed)), seed, 1000)
