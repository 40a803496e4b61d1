"""Motions of mechanisms: in joints, in poses, and in both together."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork.motion import Quintic, time_optimal
from linkwork.motion.bundled import expected_of, motion_for
from linkwork.motion.plausibility import motion_findings
from linkwork.motion.tables import write_motion
from linkwork.motion.trajectory import CoordinatePath
from tests.bundled import representative

NAMES = ("palletizer", "excavator", "par4", "ankle", "gripper", "two-arms", "hexapod-with-arm")


@pytest.mark.parametrize("name", representative(NAMES))
@pytest.mark.parametrize("what", ["home-quintic", "excitation"])
def test_bundled_motions_keep_limits_and_go_through_files(name, what, tmp_path) -> None:
    robot = lw.load(name)
    motion = motion_for(robot, what)
    time, (position, velocity, acceleration) = motion.sample(0.02)
    assert np.abs(position - robot.home).max() > 1e-3
    assert robot.check_limits(position, velocity, acceleration).ok
    np.testing.assert_allclose(position[0], robot.home, atol=1e-12)
    file = tmp_path / "motion.csv"
    write_motion(motion, file, 0.02)
    back = motion_for(robot, str(file))
    for ours, theirs in zip(motion.at(time), back.at(time), strict=True):
        np.testing.assert_allclose(theirs, ours, atol=1e-5 * np.abs(ours).max())
    assert not motion_findings(robot, back, str(file))


def test_columns_have_the_names_of_the_coordinates(tmp_path) -> None:
    robot = lw.load("excavator")
    file = tmp_path / "dig.csv"
    rows = ["t,boom [deg],bucket [deg],stick_deg,swing"]
    rows += [f"{t},{10 * t},{-5 * t},{3 * t},{0.1 * t}" for t in np.linspace(0, 1, 21)]
    file.write_text("\n".join(rows))
    end = motion_for(robot, str(file)).at(1.0)[0]
    np.testing.assert_allclose(end, [0.1, *np.radians([10, 3, -5])], atol=1e-12)
    (tmp_path / "wrong.csv").write_text("t,boom,arm\n0,0,0\n1,1,1\n")
    with pytest.raises(lw.InputError, match="swing, boom, stick, bucket"):
        motion_for(robot, str(tmp_path / "wrong.csv"))
    with pytest.raises(lw.InputError, match="a motion of platforms; excavator is a mechanism"):
        motion_for(robot, "surge")


def test_joints_beside_a_pose_have_a_quaternion() -> None:
    robot = lw.load("hexapod-with-arm")
    assert expected_of(robot).names == robot.coordinates.by_angles.names
    way = np.linspace(0.05, 0.2, 12)
    home = robot.coordinates.to_angles(robot.home)
    path = CoordinatePath(Quintic(home, home + way, 1.0), robot.coordinates)
    h, t = 1e-5, np.array([0.3, 0.6])
    position, velocity, acceleration = path.at(t)
    assert position.shape == (2, 13)
    np.testing.assert_allclose(np.linalg.norm(position[:, 3:7], axis=1), 1.0, atol=1e-12)
    before, after = path.at(t - h), path.at(t + h)
    change = robot.coordinates.difference(after[0], before[0]) / (2 * h)
    np.testing.assert_allclose(velocity, change, atol=1e-8)
    np.testing.assert_allclose(acceleration, (after[1] - before[1]) / (2 * h), atol=1e-7)
    with pytest.raises(lw.InputError, match="12 are needed"):
        CoordinatePath(Quintic(np.zeros(6), np.ones(6), 1.0), robot.coordinates)


def test_the_fastest_way_of_a_mechanism() -> None:
    """Limits are those of its cylinders, not of its coordinates."""
    robot = lw.load("excavator")
    fast = time_optimal(robot, motion_for(robot, "home-quintic"), grid=60)
    _, motion = fast.sample(fast.duration / 200)
    report = robot.check_limits(*motion)
    used = max(
        float(np.abs(each.values / np.where(np.isfinite(each.high), each.high, np.inf)).max())
        for each in robot.quantities(motion[0], motion[1], robot.inverse_dynamics(*motion))
        if each.name in ("velocity", "effort")
    )
    assert report.ok or used < 1.01
    assert used > 0.95
