"""The regressor against Pinocchio's, column by column."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("pinocchio", reason="there is no Pinocchio for this system")

import pinocchio as pin

from linkwork.robot.arm import Arm
from tests.oracles.pinocchio_arm import PinocchioArm
from tests.random_arms import CONVENTIONS, random_arm, random_state

BODY, JOINT = 10, 15


def in_joint_frame(R: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Our parameters, of a frame placed at (R, p) in Pinocchio's joint frame, per its parameters."""
    columns = []
    for unit in np.eye(BODY):
        m, h = unit[0], unit[1:4]
        xx, xy, yy, xz, yz, zz = unit[4:]
        # integral of x x' dm, which moves between frames like a pseudo-inertia
        J = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        S = np.trace(J) / 2 * np.eye(3) - J
        moved = S - np.outer(h, p) - np.outer(p, h) + m * np.outer(p, p)
        first, S = R.T @ (h - m * p), R.T @ moved @ R
        J = np.trace(S) * np.eye(3) - S
        columns.append([m, *first, J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]])
    return np.array(columns).T


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.long)])
@pytest.mark.parametrize("convention", CONVENTIONS)
def test_columns(seed: int, convention: str) -> None:
    model = random_arm(seed, 4, convention)
    arm, oracle = Arm(model), PinocchioArm(model)
    q, qd, qdd = random_state(seed, (arm.n,))
    theirs = pin.computeJointTorqueRegressor(oracle.model, oracle.data, oracle.position(q), qd, qdd)
    ours = arm.regressor(q, qd, qdd)
    for k, joint in enumerate(model.joints):
        mine = ours[:, JOINT * k : JOINT * k + BODY]
        there = mine @ in_joint_frame(joint.after.R, joint.after.p)
        expected = theirs[:, BODY * k : BODY * (k + 1)]
        np.testing.assert_allclose(there, expected, atol=1e-11 * max(1.0, np.abs(expected).max()))
