"""Parts of an effort add up to it, and each is what its name says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import linkwork as lw
from linkwork.analysis.effort_parts import effort_parts
from linkwork.interface.arm import Arm
from linkwork.interface.platform import Platform
from linkwork.motion import PoseLine, QuinticProfile
from tests import random_platforms
from tests.random_arms import random_arm, random_state
from tests.reports.motions import samples, sweep


@pytest.mark.parametrize("wrench", [None, [3.0, -2.0, 5.0, 0.4, 0.2, -0.3]])
@pytest.mark.parametrize("name", lw.bundled_names())
def test_parts_add_up(name: str, wrench: Any) -> None:
    robot = lw.load(name)
    if isinstance(robot, Arm):
        state = samples(sweep(robot))[1]
        total = robot.inverse_dynamics(*state, tip_wrench=wrench)
    else:
        x, y, z, *_ = robot.home
        end = (x, y, z + 0.01, 0.02, 0.01, 0.03)
        state = samples(PoseLine((x, y, z, 0, 0, 0), end, QuinticProfile(0.5)))[1]
        total = robot.inverse_dynamics(*state, wrench)
    parts = effort_parts(robot, *state, wrench)
    assert ("external wrench" in parts or "tip wrench" in parts) == (wrench is not None)
    scale = sum(np.abs(part) for part in parts.values()).max()
    np.testing.assert_allclose(sum(parts.values()), total, rtol=0, atol=1e-13 * scale)


def test_parts_of_an_arm_are_those_of_its_equation() -> None:
    arm = lw.load("puma560")
    q, qd, qdd = samples(sweep(arm))[1]
    parts = effort_parts(arm, q, qd, qdd)
    M, C = arm.mass_matrix(q, rotors=False), arm.coriolis_matrices(q)
    rotors = [joint.rotor.reflected for joint in arm.model.joints]
    expected = {
        "gravity": arm.gravity_load(q),
        "inertia": np.einsum("nij,nj->ni", M, qdd),
        "Coriolis and centrifugal": np.einsum("nj,nijk,nk->ni", qd, C, qd),
        "rotors": rotors * qdd,
    }
    for name, values in expected.items():
        np.testing.assert_allclose(parts[name], values, rtol=0, atol=1e-11)


def test_parts_of_a_platform_at_rest_are_its_weight() -> None:
    platform = lw.load("dasgupta1998")
    pose = platform.home
    parts = effort_parts(platform, pose, np.zeros(6), np.zeros(6))
    for name in ("inertia of the platform", "inertia of the legs", "friction"):
        np.testing.assert_array_equal(parts[name], 0)
    # The legs' forces along z carry the platform's weight.
    direction = platform.leg_kinematics(pose, np.zeros(6), np.zeros(6)).direction
    lift = float(parts["weight of the platform"] @ direction[:, 2])
    assert lift == pytest.approx(platform.model.platform.mass * 9.81, rel=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_parts_of_random_robots_add_up(seed: int) -> None:
    arm = Arm(random_arm(seed, 4, "general"))
    state = random_state(seed, (5, 4))
    parts = effort_parts(arm, *state)
    assert set(parts) == {"gravity", "inertia", "Coriolis and centrifugal"}
    np.testing.assert_allclose(sum(parts.values()), arm.inverse_dynamics(*state), atol=1e-11)
    platform = Platform(random_platforms.random_platform(seed))
    *place, wrench = random_platforms.random_state(seed)
    parts = effort_parts(platform, *place, wrench)
    np.testing.assert_allclose(
        sum(parts.values()), platform.inverse_dynamics(*place, wrench), atol=1e-10
    )
