"""URDF arms of the example-robot-data package: our reading and dynamics against Pinocchio's own."""

from __future__ import annotations

from importlib.metadata import files
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pinocchio", reason="there is no Pinocchio for this system")

import pinocchio as pin

import linkwork as lw

ROBOTS = {Path(str(path)).name: path.locate() for path in files("example-robot-data") or ()}
ARMS = [
    "ur3_robot.urdf",
    "ur5_robot.urdf",
    "ur10_robot.urdf",
    "ur5_joint_limited_robot.urdf",
    "z1.urdf",
    "xarm7.urdf",
    "kinova.urdf",
    "double_pendulum.urdf",
    "double_pendulum_continuous.urdf",
    "TwoDofs.urdf",
    "talos_left_arm.urdf",
]


@pytest.mark.parametrize("name", ARMS)
def test_dynamics(name) -> None:
    path = Path(str(ROBOTS[name]))
    model = pin.buildModelFromUrdf(str(path))
    arm = lw.load(path)
    data = model.createData()
    rng = np.random.default_rng(0)
    assert arm.n == model.nv
    for _ in range(5):
        angles, qd, qdd = rng.uniform(-2, 2, (3, arm.n))
        q = pin.integrate(model, pin.neutral(model), angles)
        expected = pin.rnea(model, data, q, qd, qdd)
        scale = np.abs(expected).max()
        for formulation in arm.formulations:
            tau = arm.inverse_dynamics(
                angles, qd, qdd, friction=False, rotors=False, formulation=formulation
            )
            np.testing.assert_allclose(tau, expected, atol=1e-12 * scale)
        back = arm.forward_dynamics(angles, qd, expected, friction=False, rotors=False)
        np.testing.assert_allclose(back, pin.aba(model, data, q, qd, expected), atol=1e-8)
