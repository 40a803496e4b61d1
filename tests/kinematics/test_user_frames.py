"""User frames, object frames and pivots against matrices; axis limits against the limits themselves."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import linkwork as lw
from linkwork.core.errors import InputError
from linkwork.core.rotations import to_angles
from linkwork.motion.bundled import motion_for

USER, OBJECT = [0.1, -0.2, 0.3, 0.2, -0.1, 0.4], [0.01, 0.02, 0.05, -0.3, 0.1, 0.2]
AXES = ("x", "y", "z", "roll", "pitch", "yaw")


def _matrix(pose: np.ndarray) -> np.ndarray:
    """By scipy: extrinsic x, y, z of roll, pitch, yaw, or its scalar-last quaternion."""
    T = np.eye(4)
    T[:3, 3] = pose[:3]
    turn = Rotation.from_quat(np.roll(pose[3:], -1)) if len(pose) == 7 else Rotation.from_euler(
        "xyz", pose[3:]
    )  # fmt: skip
    T[:3, :3] = turn.as_matrix()
    return T


def test_poses_are_those_of_chained_matrices() -> None:
    frames, random = lw.UserFrames(USER, OBJECT), np.random.default_rng(1)
    poses = random.uniform(-1, 1, (20, 6))
    for pose, found in zip(poses, frames.to_base(poses), strict=True):
        wanted = _matrix(np.array(USER)) @ _matrix(pose) @ np.linalg.inv(_matrix(np.array(OBJECT)))
        np.testing.assert_allclose(_matrix(found), wanted, atol=1e-14)
        np.testing.assert_allclose(_matrix(frames.from_base(found)), _matrix(pose), atol=1e-14)


def test_a_pivot_stands_still_when_the_platform_turns_about_it() -> None:
    robot, pivot = lw.load("simona"), np.array([0.1, -0.3, 0.4])
    frames = lw.UserFrames.about(pivot, robot)
    np.testing.assert_allclose(frames.to_base(np.zeros(6)), robot.home, atol=1e-15)
    stands = _matrix(robot.home) @ [*pivot, 1]
    for turn in np.eye(3):
        turned = _matrix(frames.to_base([0, 0, 0, *(0.2 * turn)]))
        np.testing.assert_allclose(turned @ [*pivot, 1], stands, atol=1e-14)
    moved = frames.to_base([0.05, 0, 0, 0, 0, 0])
    np.testing.assert_allclose(moved[:3] - robot.home[:3], [0.05, 0, 0], atol=1e-15)


def test_motion_files_move_in_frames(tmp_path: Path) -> None:
    file = tmp_path / "motion.yaml"
    sine = "amplitude: [0.02, 0, 0, 5 deg, 0, 8 deg], frequency: 0.5, duration: 4, fade: 0"
    file.write_text(f"kind: in-frames\npivot: [0.1, -0.3, 0.4]\nparts: [{{kind: sine, {sine}}}]\n")
    robot = lw.load("simona")
    motion, t, h = motion_for(robot, str(file)), np.linspace(0.3, 3.7, 9), 1e-5
    frames = lw.UserFrames.about([0.1, -0.3, 0.4], robot)
    pose, twist, acceleration = motion.at(t)
    written = np.array([to_angles(row[3:]) for row in frames.from_base(pose)])
    np.testing.assert_allclose(written[:, 0], np.radians(5) * np.sin(np.pi * t), atol=1e-12)
    before, after = motion.at(t - h), motion.at(t + h)
    np.testing.assert_allclose((after[0] - before[0])[:, :3] / (2 * h), twist[:, :3], atol=1e-8)
    np.testing.assert_allclose((after[1] - before[1]) / (2 * h), acceleration, atol=1e-7)
    turned = [
        Rotation.from_quat(np.roll(b, -1)) * Rotation.from_quat(np.roll(a, -1)).inv()
        for a, b in zip(before[0][:, 3:], after[0][:, 3:], strict=True)
    ]
    np.testing.assert_allclose([each.as_rotvec() / (2 * h) for each in turned], twist[:, 3:], atol=1e-8)


@pytest.mark.parametrize("name", ["pi-h811", "hexaglide"])
def test_an_axis_ends_where_its_limit_breaks(name: str) -> None:
    robot = lw.load(name)
    frames = lw.UserFrames.about([0.0, 0.01, 0.02], robot) if name == "pi-h811" else lw.UserFrames()
    start = np.zeros(6)
    for k, found in enumerate(lw.axis_limits(robot, start, frames)):
        assert found.axis == AXES[k]
        for end, why, sign in (
            (found.lowest, found.lowest_limit, -1),
            (found.highest, found.highest_limit, 1),
        ):
            inner, outer = start.copy(), start.copy()
            inner[k], outer[k] = end - 1e-6 * sign, end + 1e-5 * sign
            assert robot.margins(frames.to_base(inner)).least > 0
            if why:
                assert robot.margins(frames.to_base(outer), errors="nan").least < 0
            if ":" in why:
                breaks = robot.check_limits(frames.to_base(outer)).breaks
                assert why.split(":")[0] in {each.name for each in breaks}


def test_frames_are_for_robots_with_poses() -> None:
    with pytest.raises(InputError, match="not placed by a whole pose"):
        lw.UserFrames.about([0, 0, 0], lw.load("ur5"))
    with pytest.raises(InputError, match="not placed by a whole pose"):
        lw.axis_limits(lw.load("delta"))
    with pytest.raises(InputError, match="cannot stand at this pose: leg"):
        lw.axis_limits(lw.load("pi-h811"), [0, 0, 0.05, 0, 0, 0])
