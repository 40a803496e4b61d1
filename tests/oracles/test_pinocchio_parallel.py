"""Random parallel robots against Pinocchio's closed mechanisms."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest

from linkwork.core.rotations import from_vector, multiply, quaternion_of, with_quaternion
from linkwork.kernels.recipes import Expression
from linkwork.mechanics.methods import Options
from linkwork.model.families.parallel import ParallelModel, is_point
from linkwork.robot.parallel import ParallelRobot
from tests.oracles.pinocchio_parallel import PinocchioParallel
from tests.random_parallel import random_parallel

TOLERANCE = 1e-9


@lru_cache(maxsize=4)
def robot_of(model: ParallelModel) -> ParallelRobot:
    """One for all methods: its plan is found once."""
    return ParallelRobot(model)


@lru_cache(maxsize=8)
def expression(model: ParallelModel, method: str, size: int) -> Expression:
    return robot_of(model)._express(method, Options(size))


def interpreted(model: ParallelModel, method: str, *arrays: np.ndarray) -> list[np.ndarray]:
    """A method without machine code: a robot is asked for a few states only."""
    function, shapes = expression(model, method, len(arrays[0]))
    found = function.call([np.asarray(array) for array in arrays])
    return [np.array(value).ravel().reshape(shape) for value, shape in zip(found, shapes, strict=True)]


def state(model: ParallelModel, seed: int, share: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    d = model.dof
    step = (
        0.05
        * share
        * rng.uniform(-1, 1, d)
        * np.where(np.array(model.independent) < 3, model.size() / 2, 1)
    )
    if d == 6:
        home = with_quaternion(model.home)
        turned = multiply(from_vector(step[3:]), home[3:])
        c = np.concatenate([home[:3] + step[:3], turned])
    else:
        c = model.home[list(model.independent)] + step
    return c, rng.normal(size=d), rng.normal(size=d)


def assert_close(ours: np.ndarray, theirs: np.ndarray, scale: float = 0.0) -> None:
    assert np.abs(ours - theirs).max() <= TOLERANCE * max(np.abs(theirs).max(), scale)


def compare(seed: int) -> None:
    model = random_parallel(seed)
    for share in (1.0, 0.1, 0.01):  # a random home may be next to the edge of reach
        c, cd, cdd = state(model, seed, share)
        q, qd, qdd, position, R, twist, acceleration = interpreted(model, "joints", c, cd, cdd)
        if np.isfinite(q).all():
            break
    pose = np.concatenate([position, quaternion_of(R)])
    oracle = PinocchioParallel(model, q, pose, twist, is_point(model))
    assert oracle.residual < 1e-9
    assert_close(qd, oracle.v[oracle.own])
    tau, their_qdd = oracle.inverse(acceleration)
    assert oracle.residual < 1e-8 * max(1.0, float(np.abs(their_qdd).max()))
    assert_close(qdd, their_qdd)
    (ours,) = interpreted(model, "inverse_dynamics", c, cd, cdd)
    assert_close(ours, tau)
    other = ours + np.random.default_rng(seed).normal(size=len(ours))
    (forward,) = interpreted(model, "forward_dynamics", c, cd, other)
    moved = interpreted(model, "joints", c, cd, forward)[-1]
    theirs = oracle.forward(other)
    if is_point(model):
        moved, theirs = moved[:3], theirs[:3]
    assert_close(moved, theirs, float(np.abs(acceleration).max()))


@pytest.mark.parametrize("seed", range(1, 6))
def test_random_robots(seed: int) -> None:
    compare(seed)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(100, 400))
def test_many_random_robots(seed: int) -> None:
    compare(seed)
