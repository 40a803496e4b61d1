"""The exact platform model against MuJoCo's mass matrix, bias and constraint Jacobian."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork.robot.platform import Platform
from tests.oracles.mujoco_platform import MujocoPlatform
from tests.random_platforms import random_platform, random_state


def compare(platform: Platform, pose, twist, acceleration) -> None:
    oracle = MujocoPlatform(platform.model, pose)
    oracle.set_motion(twist)
    expected = oracle.inverse(acceleration)
    force = platform.inverse_dynamics(pose, twist, acceleration, friction=False)
    assert np.abs(force - expected).max() <= 1e-10 * np.abs(expected).max()


@pytest.mark.parametrize("seed", range(5))
def test_random_platforms(seed) -> None:
    pose, twist, acceleration, _ = random_state(seed)
    compare(Platform(random_platform(seed)), pose, twist, acceleration)


@pytest.mark.parametrize("name", ["simona", "pi-h811"])
def test_bundled_platforms_with_physical_inertia(name) -> None:
    platform = lw.load(name)
    rng = np.random.default_rng(0)
    compare(platform, platform.home, 0.1 * rng.normal(size=6), rng.normal(size=6))
