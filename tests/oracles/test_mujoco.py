"""MuJoCo on random arms and on bundled ones: a second engine that nobody here wrote."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

import linkwork as lw
from tests.oracles.mujoco_arm import mujoco_model
from tests.random_arms import CONVENTIONS, random_arm


def compare(arm: lw.Arm, tolerance: float) -> None:
    model = mujoco_model(arm.model)
    data = mujoco.MjData(model)
    for q, qd, qdd in zip(*arm.random_states(5, 0), strict=True):
        data.qpos[:] = q
        data.qvel[:] = qd
        data.qacc[:] = qdd
        mujoco.mj_inverse(model, data)
        tau = arm.inverse_dynamics(q, qd, qdd, friction=False, rotors=False)
        scale = np.abs(tau).max()
        np.testing.assert_allclose(tau, data.qfrc_inverse, atol=tolerance * scale)
        M = np.zeros((arm.n, arm.n))
        mujoco.mj_fullM(model, data, M)
        np.testing.assert_allclose(arm.mass_matrix(q, rotors=False), M, atol=tolerance * np.abs(M).max())


@pytest.mark.parametrize("convention", CONVENTIONS)
@pytest.mark.parametrize("n", [1, 3, *(pytest.param(n, marks=pytest.mark.long) for n in (6, 8))])
def test_random_arms(n, convention) -> None:
    compare(lw.Arm(random_arm(7, n, convention)), 1e-10)


@pytest.mark.parametrize("name", ["ur5", "ur10", "iiwa14", "panda"])
def test_bundled_arms(name) -> None:
    compare(lw.load(name), 1e-10)
