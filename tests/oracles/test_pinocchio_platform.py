"""The exact platform model against Pinocchio's closed mechanism on random platforms."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linkwork.robot.platform import Platform
from tests.oracles.pinocchio_platform import PinocchioPlatform
from tests.random_platforms import random_platform, random_state

TOLERANCE = 1e-10


def assert_close(ours, theirs, scale: float = 0.0) -> None:
    assert np.abs(ours - theirs).max() <= TOLERANCE * max(np.abs(theirs).max(), scale)


def compare(seed: int) -> None:
    model = random_platform(seed)
    pose, twist, acceleration, wrench = random_state(seed)
    platform, oracle = Platform(model), PinocchioPlatform(model, pose, twist)
    solution = oracle.inverse(acceleration, wrench)
    force = platform.inverse_dynamics(pose, twist, acceleration, wrench)
    assert_close(force, solution.force)

    reactions = platform.joint_reactions(pose, twist, acceleration, wrench)
    legs = platform.leg_kinematics(pose, twist, acceleration)
    assert_close(reactions.spherical_force, solution.spherical)
    assert_close(reactions.universal_force, solution.base_wrench[:, :3])
    turning = np.array([leg.friction.universal for leg in model.legs])[:, None] * legs.angular_velocity
    scale = np.abs(solution.base_wrench).max()
    assert_close(reactions.universal_moment - turning, solution.base_wrench[:, 3:], scale)
    sliding = np.array([leg.friction.prismatic for leg in model.legs]) * legs.rate
    pushed = reactions.prismatic_force - sliding[:, None] * legs.direction
    assert_close(pushed, solution.slider_wrench[:, :3])
    assert_close(reactions.prismatic_moment, solution.slider_wrench[:, 3:], scale)
    S = legs.length[:, None] * legs.direction
    at_platform = reactions.prismatic_moment - np.cross(S, reactions.prismatic_force)
    assert_close(reactions.prismatic_moment_at_platform, at_platform, scale)

    assert_close(platform.forward_dynamics(pose, twist, force, wrench), acceleration)
    other = force + 100 * np.random.default_rng(seed).normal(size=6)
    assert_close(platform.forward_dynamics(pose, twist, other, wrench), oracle.forward(other, wrench))
    M, h = platform.task_space(pose, twist, wrench)
    H = platform.jacobian(pose).T
    assert_close(M @ acceleration + h, H @ solution.force)
    assert_close(M, M.T)
    assert np.linalg.eigvalsh(M).min() > 0


@settings(max_examples=3)
@given(st.integers(0, 2**32 - 1))
def test_random_platforms(seed) -> None:
    compare(seed)


@pytest.mark.long
@settings(max_examples=500)
@given(st.integers(0, 2**32 - 1))
def test_many_random_platforms(seed) -> None:
    compare(seed)
