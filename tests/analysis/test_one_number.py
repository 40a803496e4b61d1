"""One number, one definition: what API, reports, tables and studio tell of a state is the same."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork.analysis.study import conditioning, study
from linkwork.robot.robot import Robot
from linkwork.studio.controls import home_of
from linkwork.studio.reading import MotionState, read
from tests.bundled import representative


@pytest.mark.parametrize("name", representative(lw.bundled_names()))
def test_a_pose_has_one_condition_number(name: str) -> None:
    robot = lw.load(name)
    places = np.array([home_of(robot), robot.random_states(1, seed=3)[0][0]])
    told = robot.condition_number(places, errors="nan")
    np.testing.assert_allclose(Robot.condition_number(robot, places, errors="nan"), told, rtol=1e-9)
    np.testing.assert_array_equal(conditioning(robot, places)[0].values, told)
    for place, number in zip(places, told, strict=True):
        reading = read(robot, MotionState.at_rest(place, robot.dof))
        np.testing.assert_array_equal(reading.singularity.condition, number)


def test_platforms_and_arms_have_the_numbers_of_their_own_methods() -> None:
    platform, arm = lw.load_platform("dasgupta1998"), lw.load_arm("stanford")
    pose, q = platform.random_states(5)[0], arm.random_states(5)[0]
    expected = platform.condition_number(pose)
    np.testing.assert_allclose(conditioning(platform, pose)[0].values, expected, rtol=1e-12)
    np.testing.assert_allclose(
        conditioning(arm, q)[0].values, arm.manipulability(q).condition, rtol=1e-9
    )


def test_reactions_of_families_are_those_of_their_own_methods() -> None:
    arm, platform = lw.load_arm("puma560"), lw.load_platform("simona")
    wrench = np.array([3.0, -2.0, 5.0, 0.4, 0.2, -0.3])
    q, qd, qdd = arm.random_states(4)
    own, found = arm.joint_wrenches(q, qd, qdd, tip_wrench=wrench), arm.reactions(q, qd, qdd, wrench)
    assert found.names == arm.joint_names
    R = arm.link_frames(q)[..., :3, :3]
    for part, vectors in ((slice(0, 3), found.force), (slice(3, 6), found.moment)):
        turned = np.einsum("nkij,nkj->nki", R, own[..., part])
        np.testing.assert_allclose(vectors, turned, atol=1e-9)
    state = platform.random_states(4)
    legs, found = platform.joint_reactions(*state, wrench), platform.reactions(*state, wrench)
    rows = [found.names.index(f"{leg} end") for leg in platform.leg_names]
    scale = np.abs(legs.spherical_force).max()
    np.testing.assert_allclose(found.force[:, rows], -legs.spherical_force, atol=1e-12 * scale)
    magnitudes = study(platform, "", np.arange(4.0), state, wrench=wrench).reactions[0]
    side = legs.prismatic_force - _along(legs.prismatic_force, platform.leg_kinematics(*state).direction)
    rows = [found.names.index(f"{leg} slide") for leg in platform.leg_names]
    expected = np.linalg.norm(side, axis=-1)
    np.testing.assert_allclose(magnitudes.values[:, rows], expected, atol=1e-12 * scale)


def _along(vectors: np.ndarray, direction: np.ndarray) -> np.ndarray:
    return (vectors * direction).sum(axis=-1, keepdims=True) * direction
