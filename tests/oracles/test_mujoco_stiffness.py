"""Stiffness and natural frequencies against differences of MuJoCo's dynamics."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

import linkwork as lw
from linkwork.core.rotations import from_vector, multiply
from tests.oracles.mujoco_arm import mujoco_model
from tests.oracles.mujoco_platform import MujocoPlatform
from tests.random_arms import random_arm
from tests.random_platforms import random_platform, random_state

STEP = 1e-3
STILL = np.zeros(6)


def moved(pose: np.ndarray, way: np.ndarray) -> np.ndarray:
    return np.concatenate([pose[:3] + way[:3], multiply(from_vector(way[3:]), pose[3:])])


def slope(function, n: int) -> np.ndarray:
    """Derivatives at zero by differences of the eighth order."""
    weights = {1: 4 / 5, 2: -1 / 5, 3: 4 / 105, 4: -1 / 280}
    columns = []
    for unit in np.eye(n) * STEP:
        columns.append(sum(w * (function(k * unit) - function(-k * unit)) for k, w in weights.items()))
    return np.array(columns).T / STEP


def frequencies(K: np.ndarray, M: np.ndarray) -> np.ndarray:
    return np.sort(np.sqrt(np.linalg.eigvals(np.linalg.solve(M, K)).real)) / (2 * np.pi)


@pytest.mark.parametrize("name", ["simona", 0, 1])
def test_platforms(name: str | int) -> None:
    if isinstance(name, str):
        robot = lw.load(name)
        pose = moved(robot.home, np.array([0.1, -0.05, 0.1, 0.1, 0.2, -0.1]))
    else:
        robot, pose = lw.Platform(random_platform(name, friction=False)), random_state(name)[0]
    stiff = 1e5 * np.abs(robot.gravity_load(pose)).max() * np.arange(1, 7)
    robot = robot.with_fields({"legs.stiffness": stiff})
    J = robot.jacobian(pose)

    def holding(way: np.ndarray, acceleration: np.ndarray = STILL) -> np.ndarray:
        oracle = MujocoPlatform(robot.model, moved(pose, way))
        oracle.set_motion(np.zeros(6))
        return oracle.inverse(acceleration)

    K = J.T @ (stiff[:, None] * J + slope(holding, 6))
    M = J.T @ np.array([holding(np.zeros(6), unit) - holding(np.zeros(6)) for unit in np.eye(6)]).T
    scale = np.abs(K).max()
    np.testing.assert_allclose(robot.stiffness(pose), K, atol=1e-9 * scale, rtol=0)
    found = robot.vibration_modes(pose)
    np.testing.assert_allclose(found.frequencies, frequencies(K, M), rtol=1e-7)
    product = robot.mass_matrix(pose) @ found.shapes * (2 * np.pi * found.frequencies) ** 2
    np.testing.assert_allclose(
        robot.stiffness(pose) @ found.shapes, product, atol=1e-9 * np.abs(product).max()
    )
    assert found.stable


@pytest.mark.parametrize("seed", range(3))
def test_arms(seed: int) -> None:
    rng = np.random.default_rng(seed)
    robot = lw.Arm(random_arm(seed, 5, "standard")).with_fields({"links.stiffness": 1e4})
    model = mujoco_model(robot.model)
    data = mujoco.MjData(model)
    q = rng.normal(size=robot.n)

    def holding(way: np.ndarray) -> np.ndarray:
        data.qpos[:] = q + way
        data.qvel[:] = 0
        mujoco.mj_forward(model, data)
        return data.qfrc_bias.copy()

    K = 1e4 * np.eye(robot.n) + slope(holding, robot.n)
    holding(np.zeros(robot.n))
    M = np.zeros((robot.n, robot.n))
    mujoco.mj_fullM(model, data, M)
    np.testing.assert_allclose(robot.stiffness(q), K, atol=1e-10 * np.abs(K).max())
    np.testing.assert_allclose(robot.vibration_modes(q).frequencies, frequencies(K, M), rtol=1e-6)


def test_a_load_outweighs_a_soft_spring() -> None:
    """A pendulum upright on a spring softer than m g l falls; hanging, it swings faster."""
    link = {"joint": "revolute", "a": 1.0, "mass": 2.0, "inertia": [0, 0, 0], "stiffness": 5.0}
    robot = lw.load(
        {
            "kind": "arm",
            "name": "pendulum",
            "convention": "standard",
            "gravity": [0, -9.81, 0],
            "links": [link],
        }
    )
    weight = 2.0 * 9.81
    up, down = robot.vibration_modes([[np.pi / 2], [-np.pi / 2]])[0][:, 0]
    assert np.isnan(up)
    assert down == pytest.approx(np.sqrt((5.0 + weight) / 2.0) / (2 * np.pi), rel=1e-12)


def test_a_robot_without_stiffness() -> None:
    with pytest.raises(lw.InputError, match="have no stiffness"):
        lw.load("ur5").stiffness(np.zeros(6))
