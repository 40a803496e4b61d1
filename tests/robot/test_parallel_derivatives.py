"""Derivatives of both dynamics of parallel robots against central differences."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import linkwork as lw
from linkwork.core.rotations import from_vector, multiply
from linkwork.model.robot_files import load_model
from linkwork.studio.design import interpreted

H = 1e-3
WEIGHTS = {1: 4 / 5, 2: -1 / 5, 3: 4 / 105, 4: -1 / 280}  # of eighth order


def moved(robot: lw.ParallelRobot, c: np.ndarray, step: np.ndarray) -> np.ndarray:
    if len(c) == robot.dof:
        return c + step
    turned = multiply(from_vector(step[-3:]), c[-4:])
    return np.concatenate([c[:-4] + step[:-3], turned])


def differences(value: Callable[[np.ndarray], np.ndarray], d: int) -> np.ndarray:
    """Derivative by a step (d), one column each."""
    columns = []
    for unit in np.eye(d):
        parts = [w * (value(k * H * unit) - value(-k * H * unit)) / H for k, w in WEIGHTS.items()]
        columns.append(sum(parts))
    return np.array(columns).T


@pytest.mark.parametrize("name", ["delta", "3-rps", "agile-eye", "rotary-hexapod"])
def test_against_differences(name: str) -> None:
    """A Delta, parasitic coordinates, legs by Newton's method (and a quaternion), a pose."""
    robot = interpreted(load_model(name))
    assert isinstance(robot, lw.ParallelRobot)
    rng, d = np.random.default_rng(3), robot.dof
    c = robot.home.copy()
    if name == "agile-eye":
        c = np.array([1.0, 0.0, 0.0, 0.0])
    c = moved(robot, c, 0.02 * rng.uniform(-1, 1, d))
    cd, cdd, load = rng.normal(size=d), rng.normal(size=d), rng.normal(size=6)
    found = robot.inverse_dynamics_derivatives(c, cd, cdd, load)
    cases = (
        (found.dq, lambda s: robot.inverse_dynamics(moved(robot, c, s), cd, cdd, load)),
        (found.dqd, lambda s: robot.inverse_dynamics(c, cd + s, cdd, load)),
        (found.dqdd, lambda s: robot.inverse_dynamics(c, cd, cdd + s, load)),
    )
    for ours, value in cases:
        theirs = differences(value, d)
        assert np.abs(ours - theirs).max() < 1e-8 * np.abs(theirs).max()
    tau = robot.inverse_dynamics(c, cd, cdd, load)
    back = robot.forward_dynamics_derivatives(c, cd, tau, load)
    # At the same state the two are inverse functions of each other.
    scale = np.abs(back.dtau).max() * np.abs(found.dq).max()
    np.testing.assert_allclose(back.dtau @ found.dqdd, np.eye(d), atol=1e-8)
    np.testing.assert_allclose(back.dq, -back.dtau @ found.dq, atol=1e-9 * scale)
    np.testing.assert_allclose(back.dqd, -back.dtau @ found.dqd, atol=1e-9 * scale)
