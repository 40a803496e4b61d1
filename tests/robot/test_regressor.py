"""Efforts are the regressor times the parameters; other parameters give another robot."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from tests.random_arms import random_arm
from tests.random_arms import random_state as arm_state
from tests.random_platforms import random_platform, random_state


@pytest.mark.parametrize("name", ["puma560", "stanford", "panda"])
def test_arms(name: str) -> None:
    arm = lw.load_arm(name)
    q, qd, qdd = np.random.default_rng(0).uniform(-1, 1, (3, 4, arm.n))
    expected = arm.inverse_dynamics(q, qd, qdd)
    found = arm.regressor(q, qd, qdd) @ arm.parameters.values
    np.testing.assert_allclose(found, expected, atol=1e-12 * np.abs(expected).max())


@pytest.mark.parametrize(("seed", "convention"), [(0, "standard"), (1, "modified"), (2, "general")])
def test_random_arms(seed: int, convention: str) -> None:
    arm = lw.Arm(random_arm(seed, 4, convention))
    q, qd, qdd = arm_state(seed, (5, arm.n))
    gravity = [1.0, -2.0, 3.0]
    expected = arm.inverse_dynamics(q, qd, qdd, gravity=gravity)
    found = arm.regressor(q, qd, qdd, gravity=gravity) @ arm.parameters.values
    np.testing.assert_allclose(found, expected, atol=1e-12 * np.abs(expected).max())


@pytest.fixture(scope="module")
def platform() -> lw.Platform:
    return lw.Platform(random_platform(2, friction=True))


def test_platforms(platform: lw.Platform) -> None:
    states = [random_state(seed)[:3] for seed in range(5)]
    pose, twist, acceleration = (np.array(part) for part in zip(*states, strict=True))
    expected = platform.inverse_dynamics(pose, twist, acceleration)
    found = platform.regressor(pose, twist, acceleration) @ platform.parameters.values
    np.testing.assert_allclose(found, expected, atol=1e-11 * np.abs(expected).max())


@pytest.mark.long
def test_legs_with_spherical_joints_at_both_ends() -> None:
    hexapod = lw.load_platform("pi-h811")
    motion = np.random.default_rng(1).uniform(-0.2, 0.2, (2, 6))
    expected = hexapod.inverse_dynamics(hexapod.home, *motion)
    found = hexapod.regressor(hexapod.home, *motion) @ hexapod.parameters.values
    np.testing.assert_allclose(found, expected, atol=1e-12 * np.abs(expected).max())


def test_other_parameters_give_another_robot(platform: lw.Platform) -> None:
    rng = np.random.default_rng(3)
    for robot, motion in (
        (lw.load_arm("puma560"), rng.uniform(0.1, 1, (3, 6))),
        (platform, random_state(1)[:3]),
    ):
        own = robot.parameters
        changed = own.values * rng.uniform(0.9, 1.1, len(own))
        other = robot.with_parameters(changed)
        np.testing.assert_allclose(other.parameters.values, changed, rtol=1e-12, atol=1e-15)
        expected = robot.regressor(*motion) @ changed
        np.testing.assert_allclose(other.inverse_dynamics(*motion), expected, atol=1e-9)


def test_the_same_parameters_give_the_same_robot() -> None:
    arm = lw.load_arm("puma560")
    same = arm.with_parameters(arm.parameters.values)
    motion = np.random.default_rng(4).uniform(-1, 1, (3, 6))
    np.testing.assert_allclose(same.inverse_dynamics(*motion), arm.inverse_dynamics(*motion), atol=1e-11)


def test_an_offset_is_felt_whichever_way_the_joint_moves(tmp_path) -> None:
    text = """
kind: arm
name: slider
convention: standard
gravity: [0, 0, -9.81]
links:
  - {joint: prismatic, mass: 2, friction: {viscous: 1, coulomb: 3, offset: 0.5}}
"""
    path = tmp_path / "slider.yaml"
    path.write_text(text)
    arm = lw.load_arm(path)
    found = arm.inverse_dynamics([[0.0]] * 3, [[1.0], [0.0], [-1.0]], [[0.0]] * 3)
    np.testing.assert_allclose(found[:, 0] - 2 * 9.81, [4.5, 0.5, -3.5], atol=1e-12)
    lw.write_robot(arm.model, tmp_path / "again.yaml")
    assert lw.load_arm(tmp_path / "again.yaml").model.joints[0].friction.offset == 0.5


def test_wrong_parameters_are_named(platform: lw.Platform) -> None:
    arm = lw.load_arm("planar-2r")
    values = arm.parameters.values.copy()
    with pytest.raises(lw.InputError, match="30 numbers"):
        arm.with_parameters(values[:-1])
    values[3] = np.nan
    with pytest.raises(lw.InputError, match=arm.parameters.names[3]):
        arm.with_parameters(values)
    values[:4] = 0, 1, 0, 0
    with pytest.raises(lw.InputError, match="not a rigid body"):
        arm.with_parameters(values)
