"""Orientations against scipy's, and one meaning of a unit quaternion everywhere."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import linkwork as lw
from linkwork.core.errors import LinkworkError
from linkwork.core.rotations import (
    UNIT_TOLERANCE,
    from_angles,
    from_vector,
    inverse,
    multiply,
    quaternion_of,
    rotation_of,
    rotation_rpy,
    to_angles,
    to_vector,
    unit_poses,
)

RANDOM = np.random.default_rng(5)


def wxyz(rotation: Rotation) -> np.ndarray:
    return np.roll(rotation.as_quat(), 1, axis=-1)


def same_turn(a: np.ndarray, b: np.ndarray) -> None:
    np.testing.assert_allclose(np.abs((a * b).sum(axis=-1)), 1.0, atol=1e-14)


def test_agrees_with_scipy() -> None:
    for _ in range(50):
        angles, vector = RANDOM.uniform(-1.5, 1.5, 3), RANDOM.normal(size=3)
        turn, other = Rotation.from_euler("xyz", angles), Rotation.from_rotvec(vector)
        np.testing.assert_allclose(rotation_rpy(*angles), turn.as_matrix(), atol=1e-15)
        same_turn(from_angles(angles), wxyz(turn))
        same_turn(from_vector(vector), wxyz(other))
        same_turn(quaternion_of(turn.as_matrix()), wxyz(turn))
        same_turn(multiply(from_angles(angles), from_vector(vector)), wxyz(turn * other))
        same_turn(inverse(wxyz(turn)), wxyz(turn.inv()))
        np.testing.assert_allclose(to_vector(wxyz(other)), other.as_rotvec(), atol=1e-14)
        np.testing.assert_allclose(to_angles(wxyz(turn)), angles, atol=1e-13)
        pose = np.concatenate([np.zeros(3), wxyz(turn)])
        np.testing.assert_allclose(rotation_of(pose), turn.as_matrix(), atol=1e-15)


@pytest.mark.parametrize("norm", [1 - 1.01 * UNIT_TOLERANCE, 1 + 1.01 * UNIT_TOLERANCE])
def test_a_quaternion_off_unit_is_refused_by_kernels_motions_and_guesses_alike(norm: float) -> None:
    platform = lw.load("dasgupta1998")
    pose = platform.home.copy()
    lengths = platform.leg_lengths(pose)
    pose[3:] *= norm
    for refused in (
        lambda: platform.leg_lengths(pose),
        lambda: unit_poses(pose, "pose"),
        lambda: platform.forward_kinematics(lengths, pose),
    ):
        with pytest.raises(LinkworkError, match="norm"):
            refused()
    pose[3:] *= (1 + 0.99 * np.sign(norm - 1) * UNIT_TOLERANCE) / norm
    np.testing.assert_allclose(platform.leg_lengths(pose), lengths, atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(unit_poses(pose, "pose")[3:]), 1.0, atol=1e-15)
    np.testing.assert_allclose(platform.forward_kinematics(lengths, pose)[:3], pose[:3], atol=1e-9)
