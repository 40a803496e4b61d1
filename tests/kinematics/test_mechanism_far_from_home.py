"""States that Newton's method does not reach from home are reached on a path, or refused."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork.robot.robot import Mechanism
from tests.oracles.pinocchio_mechanism import Oracle
from tests.random_mechanisms import random_mechanism, random_states


class Finer(Oracle):
    """Follows the coordinates so closely that it does not leap over a place that is nearly singular."""

    def position(self, c: np.ndarray, steps: int = 400) -> tuple[np.ndarray, float]:
        return super().position(c, steps)


def far(seed: int) -> tuple[Mechanism, tuple[np.ndarray, ...]]:
    mechanism = random_mechanism(seed)
    return Mechanism(mechanism), random_states(mechanism, np.random.default_rng(seed), 2)


@pytest.mark.parametrize("seed", [255, pytest.param(236, marks=pytest.mark.long)])
def test_a_path_reaches_what_the_kernel_does_not(seed: int):
    robot, states = far(seed)
    plain = robot.kernel("inverse_dynamics").evaluate(states)[0]
    assert np.isfinite(plain).all(axis=1).tolist() == [False, True]
    found = robot.inverse_dynamics(*states)
    assert np.array_equal(found[1], plain[1])
    oracle = Finer(robot.model)
    expected = np.array([oracle.inverse(*state) for state in zip(*states, strict=True)])
    assert np.abs(found - expected).max() < 1e-9 * np.abs(expected).max()


def test_in_any_form_of_a_call():
    robot, states = far(255)
    found = robot.inverse_dynamics(*states)
    place = np.empty((1, 2, robot.n))
    assert robot.inverse_dynamics(*(each[None] for each in states), out=place) is place
    assert np.array_equal(place[0], found)
    assert np.array_equal(robot.inverse_dynamics(*(each[0] for each in states)), found[0])
    assert np.array_equal(robot.inverse_dynamics(*states, errors="nan"), found)
    wrong = states[0].copy()
    wrong[1, 0] = np.nan
    half = robot.inverse_dynamics(wrong, *states[1:], errors="nan")
    assert np.array_equal(half[0], found[0])
    assert np.isnan(half[1]).all()
    motion = robot.joint_motion(*states)
    assert np.isfinite(motion.q).all()
    cdd = robot.forward_dynamics(*states[:2], found)
    np.testing.assert_allclose(cdd, states[2], rtol=1e-7, atol=1e-7)


@pytest.mark.long
def test_a_path_through_a_singularity_is_refused():
    """The loops fold on the way: only another branch reaches the place."""
    robot, states = far(220)
    found = robot.inverse_dynamics(*states, errors="nan")
    assert np.isfinite(found).all(axis=1).tolist() == [False, True]
    with pytest.raises(lw.LinkworkError, match="at row 0"):
        robot.inverse_dynamics(*states)


def test_a_well_conditioned_pose_far_from_home_is_reached():
    """A continuous path leads there, at a condition number of 5."""
    robot = lw.load("agile-eye")
    there = np.array([0.299, -0.301, 1.288])
    oracle = Finer(robot.mechanism)
    q, residual = oracle.position(there)
    assert residual < 1e-12
    assert np.abs(q).max() < np.pi
    assert robot.condition_number(there) == pytest.approx(5.2455, abs=1e-3)
    path = oracle.home + np.linspace(0, 1, 30)[:, None] * (there - oracle.home)
    assert np.abs(np.diff(robot.inverse_kinematics(path), axis=0)).max() < 0.15
    np.testing.assert_array_equal(robot.inverse_kinematics(there), robot.inverse_kinematics(path)[-1])
