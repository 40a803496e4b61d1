"""What the studio tells of a state is what the library computes, in words that name the culprit."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork.core.rotations import rotation_of
from linkwork.studio.design import Interpreter, interpreted
from linkwork.studio.reading import MotionState, read
from tests.studio.running import SHOWN

TWIST, ACCELERATION = [0.1, -0.2, 0.05, 0.3, 0.1, -0.2], [1.0, 0.5, -2.0, 0.4, -0.3, 0.8]


def test_forces_and_reactions_of_a_platform_are_those_of_the_library() -> None:
    robot = lw.load("dasgupta1998")
    state = MotionState(robot.home, np.array(TWIST), np.array(ACCELERATION))
    load = np.array([10.0, -5.0, 3.0, 0.5, 0.2, -0.1])
    found = read(robot, state, load)
    motion = (state.position, state.velocity, state.acceleration)
    np.testing.assert_array_equal(found.effort, robot.inverse_dynamics(*motion, load))
    expected = robot.joint_reactions(*motion, load)
    by_name = {reaction.name: reaction for reaction in found.reactions}
    assert len(by_name) == 18
    base, points = robot.model.points()
    upper = points @ rotation_of(robot.home).T + robot.home[:3]
    for k, leg in enumerate(robot.leg_names):
        at_platform = by_name[f"{leg} cylinder end"]
        np.testing.assert_allclose(at_platform.force, -expected.spherical_force[k], rtol=1e-9)
        np.testing.assert_allclose(at_platform.at, upper[k])
        slide = by_name[f"{leg} slide"]
        along = (upper[k] - base[k]) / np.linalg.norm(upper[k] - base[k])
        assert slide.force @ along == pytest.approx(found.effort[k])
        # The same wrench about the base point is what the library gives.
        about_base = slide.moment + np.cross(slide.at - base[k], slide.force)
        np.testing.assert_allclose(about_base, expected.prismatic_moment[k], atol=1e-9)


def test_platform_joints_carry_the_weight() -> None:
    robot = lw.load("simona")
    found = read(robot, MotionState.at_rest(robot.home, 6))
    held = sum(r.force for r in found.reactions if r.kind == "cylinder end")
    weight = robot.model.platform.mass * robot.model.gravity
    np.testing.assert_allclose(held, -weight, atol=1e-6)
    by_base = sum(r.force for r in found.reactions if r.kind == "cylinder start")
    legs = sum(leg.lower.mass + leg.upper.mass for leg in robot.model.legs) * robot.model.gravity
    np.testing.assert_allclose(by_base, -weight - legs, atol=1e-6)


def test_limits_of_a_platform_are_named() -> None:
    robot = lw.load("pi-h811")
    pose = robot.home.copy()
    pose[1] += 0.02
    found = read(robot, MotionState.at_rest(pose, 6))
    expected = robot.check_limits(pose, np.zeros(6), np.zeros(6)).breaks
    assert [robot.leg_names[t.index] for t in found.broken_limits] == [b.name for b in expected]
    assert found.broken_limits[0].text == "leg6: length 0.1012 m, above 0.0996 m"
    assert found.broken == {5}


def test_a_pose_without_forces_says_why() -> None:
    """A platform whose joints lie in one plane with its base cannot be held."""
    robot = lw.load("pi-h811")
    flat = robot.home.copy()
    flat[2] = robot.model.legs[0].base_point[2]
    found = read(robot, MotionState.at_rest(flat, 6))
    assert found.fault is not None
    assert "singular" in found.fault
    assert np.isnan(found.effort).all()
    assert found.singularity.grade == "singular"
    assert "loses its hold" in found.singularity.text


def test_torques_reactions_and_limits_of_an_arm_are_those_of_the_library() -> None:
    arm = lw.load("puma560")
    q = np.array([0.3, 0.4, 1.2, 0.3, -0.4, 0.2])
    state = MotionState(q, np.full(6, 0.2), np.full(6, 0.5))
    found = read(arm, state)
    np.testing.assert_array_equal(
        found.effort, arm.inverse_dynamics(q, state.velocity, state.acceleration)
    )
    wrenches = arm.joint_wrenches(q, state.velocity, state.acceleration)
    frames = arm.link_frames(q)
    for k, reaction in enumerate(found.reactions):
        np.testing.assert_allclose(frames[k, :3, :3].T @ reaction.force, wrenches[k, :3], atol=1e-12)
        np.testing.assert_allclose(frames[k, :3, :3].T @ reaction.moment, wrenches[k, 3:], atol=1e-12)
    assert [t.text for t in found.broken_limits] == ["elbow: position 68.75 deg, above 45 deg"]


@pytest.mark.parametrize(
    ("name", "q", "words"),
    [
        ("puma560", [0, 0.5, 1, 0.3, 0, 0.2], "joints wrist_roll and flange work against each other"),
        ("planar-2r", [0.4, 0.0], "joints shoulder and elbow work against each other"),
    ],
)
def test_singularities_of_arms_name_the_joints(name: str, q: list[float], words: str) -> None:
    arm = lw.load(name)
    found = read(arm, MotionState.at_rest(np.array(q), arm.n)).singularity
    assert found.grade == "singular"
    assert found.text.startswith("the tool cannot follow ")
    assert words in found.text


@pytest.mark.parametrize("name", SHOWN)
def test_interpreted_robots_tell_the_same(name: str) -> None:
    robot = lw.load(name)
    copy = interpreted(robot.model)
    d = len(robot.velocities)
    position = np.full(robot.n, 0.4) if isinstance(robot, lw.Arm) else robot.home
    state = MotionState(position, np.array((TWIST * 2)[:d]), np.array((ACCELERATION * 2)[:d]))
    found, expected = read(copy, state), read(robot, state)
    scale = float(np.abs(expected.effort).max())
    np.testing.assert_allclose(found.effort, expected.effort, atol=1e-12 * scale)
    for ours, theirs in zip(found.reactions, expected.reactions, strict=True):
        np.testing.assert_allclose(ours.force, theirs.force, atol=1e-11 * scale)
    assert [t.limit for t in found.broken_limits] == [t.limit for t in expected.broken_limits]
    assert isinstance(copy.kernel("inverse_dynamics"), Interpreter)
