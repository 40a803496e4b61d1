"""Parallel robots against MuJoCo's mass matrix, bias and constraint Jacobian."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork.analysis.agreement import random_states
from linkwork.studio.design import interpreted
from tests.oracles.mujoco_parallel import MujocoParallel
from tests.oracles.test_pinocchio_parallel import state
from tests.random_parallel import random_parallel

# MuJoCo's rods need a little inertia about their axes, which light robots notice.
TOLERANCES = {"delta": 1e-11, "3-rps": 1e-11, "five-bar": 1e-10}


@pytest.mark.parametrize("name", TOLERANCES)
def test_efforts(name: str) -> None:
    robot, rng = lw.load_parallel(name), np.random.default_rng(1)
    c = random_states(robot, 1, seed=1)[0][0]
    cd, cdd = rng.normal(size=(2, robot.dof))
    motion = robot.joints(c, cd, cdd)
    theirs = MujocoParallel(robot, c).inverse(cd, cdd, motion.qd, motion.qdd)
    ours = robot.inverse_dynamics(c, cd, cdd, friction=False)
    assert np.abs(ours - theirs).max() < TOLERANCES[name] * np.abs(theirs).max()


def compare(seed: int) -> None:
    robot = interpreted(random_parallel(seed))
    assert isinstance(robot, lw.ParallelRobot)
    for share in (1.0, 0.1, 0.01):
        c, cd, cdd = state(robot.model, seed, share)
        motion = robot.joints(c, cd, cdd, errors="nan")
        if np.isfinite(motion.q).all():
            break
    theirs = MujocoParallel(robot, c).inverse(cd, cdd, motion.qd, motion.qdd)
    ours = robot.inverse_dynamics(c, cd, cdd, friction=False)
    assert np.abs(ours - theirs).max() < 1e-9 * np.abs(theirs).max()


@pytest.mark.parametrize("seed", range(1, 6))
def test_random_robots(seed: int) -> None:
    compare(seed)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(100, 400))
def test_many_random_robots(seed: int) -> None:
    compare(seed)
