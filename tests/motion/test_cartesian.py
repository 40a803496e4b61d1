"""Motions of an arm that are planned for its tool."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork.core.rotations import quaternion_of
from linkwork.motion.bundled import motion_for

Q = np.array([0.3, -1.2, 1.4, -0.8, 1.1, 0.2])


@pytest.fixture(scope="module")
def ur5() -> lw.Arm:
    return lw.load_arm("ur5")


def tool_pose(arm: lw.Arm, q: np.ndarray) -> np.ndarray:
    T = arm.forward_kinematics(q)
    return np.concatenate([T[:3, 3], quaternion_of(T[:3, :3])])


def moved(pose: np.ndarray, way) -> np.ndarray:
    return np.concatenate([pose[:3] + way, pose[3:]])


def check_derivatives(motion, h: float = 1e-4) -> None:
    """Velocities and accelerations are the derivatives of the positions."""
    t = np.linspace(0.07, 0.93, 23) * motion.duration
    before, now, after = (motion.at(t + shift) for shift in (-h, 0.0, h))
    np.testing.assert_allclose((after.q - before.q) / (2 * h), now.qd, atol=3e-6)
    np.testing.assert_allclose((after.qd - before.qd) / (2 * h), now.qdd, atol=3e-5)


@pytest.mark.parametrize("name", ["ur5", "panda"])
def test_a_straight_line_of_the_tool(name) -> None:
    arm = lw.load(name)
    q = Q if name == "ur5" else np.array([0.1, -0.4, 0.2, -1.9, 0.1, 1.6, 0.3])
    start = tool_pose(arm, q)
    turn = tool_pose(arm, q + 0.1)[3:]
    motion = lw.CartesianLine(arm, start, np.concatenate([start[:3] + 0.1, turn]), 2.0, q)
    t = np.linspace(0, 2, 41)
    found = motion.at(t)
    T = arm.forward_kinematics(found.q)
    wanted = motion.poses.at(t)
    np.testing.assert_allclose(T[:, :3, 3], wanted.pose[:, :3], atol=1e-11)
    twist = np.einsum("nij,nj->ni", arm.jacobian(found.q), found.qd)
    np.testing.assert_allclose(twist, wanted.twist, atol=1e-10)
    np.testing.assert_allclose(found.q[0], q, atol=1e-9 if arm.n == 6 else 1e-6)
    check_derivatives(motion)
    assert np.abs(found.qd[[0, -1]]).max() < 1e-6
    tau = arm.inverse_dynamics(*found)
    assert np.isfinite(tau).all()


def test_a_path_with_corners_and_a_circle(ur5) -> None:
    start = tool_pose(ur5, Q)
    corners = [start, moved(start, [0.1, 0, 0]), moved(start, [0.1, 0.1, 0]), moved(start, [0, 0.1, 0])]
    stopping = lw.ToolPath(corners, 3.0)
    assert stopping.length == pytest.approx(0.3)
    assert np.abs(stopping.at([1.0, 2.0]).twist).max() < 1e-9  # it stops at the corners
    rounded = lw.CartesianPath(ur5, corners, 3.0, blend=0.03, joints=Q)
    assert rounded.poses.length == pytest.approx(0.3 - 2 * (2 - np.pi / 2) * 0.03)  # type: ignore[attr-defined]
    t = np.linspace(0, 3, 301)
    speed = np.linalg.norm(rounded.poses.at(t).twist[:, :3], axis=1)
    assert speed[50:250].min() > 0.05
    np.testing.assert_allclose(
        ur5.forward_kinematics(rounded.at(t).q)[:, :3, 3], rounded.poses.at(t).pose[:, :3], atol=1e-11
    )
    with pytest.raises(lw.InputError, match="expected up to"):
        lw.ToolPath(corners, 3.0, blend=0.2)
    circle = lw.ToolPath(
        [start, lw.CircularArc(start[:3] + np.array([0.1, 0.1, 0]), moved(start, [0.2, 0, 0]))], 1.0
    )
    assert circle.length == pytest.approx(np.pi * 0.1)
    center = start[:3] + np.array([0.1, 0, 0])
    radii = np.linalg.norm(circle.at(np.linspace(0, 1, 20)).pose[:, :3] - center, axis=1)
    np.testing.assert_allclose(radii, 0.1, atol=1e-12)


def test_twists_of_a_tool_path_are_derivatives() -> None:
    poses = [[0, 0, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0.5], [1, 1, 0, 0.4, 0, 0.5], [1, 1, 1, 0, 0, 0]]
    path = lw.ToolPath(poses, 4.0, blend=0.2)
    t, h = np.linspace(0.2, 3.8, 37), 1e-5
    before, now, after = (path.at(t + shift) for shift in (-h, 0.0, h))
    np.testing.assert_allclose((after.pose - before.pose)[:, :3] / (2 * h), now.twist[:, :3], atol=1e-7)
    w = 2 * lw_multiply((after.pose - before.pose)[:, 3:] / (2 * h), now.pose[:, 3:])
    np.testing.assert_allclose(w, now.twist[:, 3:], atol=1e-7)


def lw_multiply(rate: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Vector part of rate conj(q)."""
    from linkwork.core.rotations import inverse, multiply

    return multiply(rate, inverse(q))[:, 1:]


def test_a_file_of_poses_moves_an_arm(ur5, tmp_path) -> None:
    """x, y, z and roll, pitch, yaw, or a quaternion: in every command that takes a motion."""
    line = lw.CartesianLine(ur5, tool_pose(ur5, Q), moved(tool_pose(ur5, Q), [0.1, 0.1, 0]), 1.0, Q)
    t = np.linspace(0, 1, 51)
    table = np.column_stack([t, line.poses.at(t).pose])
    file = tmp_path / "path.csv"
    header = "t,x,y,z,qw,qx,qy,qz"
    np.savetxt(file, table, delimiter=",", header=header, comments="")
    motion = motion_for(ur5, str(file))
    np.testing.assert_allclose(
        ur5.forward_kinematics(motion.at(t).q)[:, :3, 3], table[:, 1:4], atol=1e-9
    )
    with pytest.raises(lw.InputError, match="six joints or more"):
        lw.CartesianMotion(lw.load("planar-2r"), line.poses)
    far = moved(tool_pose(ur5, Q), [5.0, 0, 0])
    with pytest.raises(lw.LinkworkError, match="edge of its reach"):
        lw.CartesianLine(ur5, tool_pose(ur5, Q), far, 1.0, Q)
