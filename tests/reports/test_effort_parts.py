"""Parts of an effort add up to it, and each is what its name says."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import linkwork as lw
from linkwork.analysis.study import effort_breakdown
from linkwork.model.families.stewart import LegFriction, PlatformModel
from linkwork.model.geometry import Body
from linkwork.motion import PoseLine, QuinticProfile
from linkwork.robot.arm import Arm
from linkwork.robot.platform import Platform
from linkwork.studio.design import interpreted
from tests import random_platforms
from tests.bundled import representative
from tests.random_arms import random_arm, random_state
from tests.reports.motions import samples, sweep

NO_BODY = Body.of(0, [0, 0, 0], np.zeros((3, 3)))


@pytest.mark.parametrize("name", representative(lw.bundled_names()))
def test_parts_add_up(name: str) -> None:
    """With rotors, springs, friction in motion and a wrench, on every robot."""
    robot = interpreted(lw.load(name).model)  # a few states: compiling takes longer
    wrench = [3.0, -2.0, 5.0, 0.4, 0.2, -0.3]
    motion = [part[:8] for part in robot.random_states(50)]
    reached = np.isfinite(robot.inverse_dynamics(*motion, errors="nan")).all(axis=-1)
    assert reached.any()
    state = [part[reached] for part in motion]
    for given in (None, wrench):
        total = robot.inverse_dynamics(*state, **{robot.wrench_option: given})
        parts = effort_breakdown(robot, *state, given)
        assert ("external wrench" in parts) == (given is not None)
        scale = sum(np.abs(part) for part in parts.values()).max()
        np.testing.assert_allclose(sum(parts.values()), total, rtol=0, atol=1e-13 * scale)


def test_coulomb_friction_is_part_of_a_platforms_forces() -> None:
    model = lw.load_platform("simona").model
    platform = Platform(_with_legs(model, friction=LegFriction(0.1, 20.0, 0.2, coulomb=150.0)))
    state = platform.random_states(5)
    parts = effort_breakdown(platform, *state)
    smooth = Platform(_with_legs(model, friction=LegFriction(0.1, 20.0, 0.2)))
    rates = platform.leg_kinematics(*state).rate
    expected = effort_breakdown(smooth, *state)["friction"] + 150.0 * np.sign(rates)
    np.testing.assert_allclose(parts["friction"], expected, rtol=1e-10)
    np.testing.assert_allclose(sum(parts.values()), platform.inverse_dynamics(*state), rtol=1e-10)


def test_parts_of_an_arm_are_those_of_its_equation() -> None:
    arm = lw.load("puma560")
    q, qd, qdd = samples(sweep(arm))[1]
    parts = effort_breakdown(arm, q, qd, qdd)
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


@pytest.mark.parametrize("name", ["dasgupta1998", pytest.param("simona", marks=pytest.mark.long)])
def test_parts_of_a_platform_are_those_of_platforms_that_lack_the_rest(name: str) -> None:
    """Without mass in the legs and friction in the joints the platform alone is left."""
    platform = lw.load_platform(name)
    x, y, z, *_ = platform.home
    motion = PoseLine((x, y, z, 0, 0, 0), (x, y, z + 0.01, 0.02, 0.01, 0.03), QuinticProfile(0.5))
    state = pose, twist, _ = samples(motion)[1]
    parts = effort_breakdown(platform, *state)
    bare = Platform(
        _with_legs(platform.model, lower=NO_BODY, upper=NO_BODY, friction=LegFriction(0, 0, 0))
    )
    legs_only = Platform(
        replace(_with_legs(platform.model, friction=LegFriction(0, 0, 0)), platform=NO_BODY)
    )
    still = np.zeros(6)
    expected = {
        "weight of the platform": bare.inverse_dynamics(pose, still, still),
        "weight of the legs": legs_only.inverse_dynamics(pose, still, still),
    }
    expected["inertia of the platform"] = (
        bare.inverse_dynamics(*state) - expected["weight of the platform"]
    )
    expected["inertia of the legs"] = legs_only.inverse_dynamics(*state) - expected["weight of the legs"]
    scale = np.abs(platform.inverse_dynamics(*state)).max()
    for cause, values in expected.items():
        np.testing.assert_allclose(parts[cause], values, rtol=0, atol=1e-12 * scale, err_msg=cause)
    legs = platform.leg_kinematics(*state)
    turned = np.einsum("nki,nki->nk", legs.angular_velocity, legs.angular_velocity)
    between = legs.angular_velocity - twist[:, None, 3:]
    slipped = np.einsum("nki,nki->nk", between, between)
    friction = platform.model.legs[0].friction  # the same in all legs
    loss = friction.prismatic * legs.rate**2 + friction.universal * turned + friction.spherical * slipped
    power = np.einsum("nk,nk->n", parts["friction"], legs.rate)
    np.testing.assert_allclose(power, loss.sum(axis=1), rtol=1e-9, atol=1e-13 * scale)


def _with_legs(model: PlatformModel, **changes: Any) -> PlatformModel:
    return replace(model, legs=tuple(replace(leg, **changes) for leg in model.legs))


def test_dry_friction_is_a_part_of_a_platform_s_forces() -> None:
    greased = LegFriction(coulomb=4.0)
    platform = Platform(_with_legs(lw.load_platform("simona").model, friction=greased))
    pose, twist, acceleration = platform.random_states(5)
    parts = effort_breakdown(platform, pose, twist, acceleration)
    np.testing.assert_array_equal(np.abs(parts["friction"]).round(6), 4.0)
    total = platform.inverse_dynamics(pose, twist, acceleration)
    np.testing.assert_allclose(sum(parts.values()), total, rtol=0, atol=1e-13 * np.abs(total).max())


def test_parts_of_a_platform_at_rest_are_its_weight() -> None:
    platform = lw.load("dasgupta1998")
    pose = platform.home
    parts = effort_breakdown(platform, pose, np.zeros(6), np.zeros(6))
    for name in ("inertia of the platform", "inertia of the legs", "friction"):
        np.testing.assert_allclose(parts[name], 0, atol=1e-15 * platform.model.platform.mass * 9.81)
    # The legs' forces along z carry the platform's weight.
    direction = platform.leg_kinematics(pose, np.zeros(6), np.zeros(6)).direction
    lift = float(parts["weight of the platform"] @ direction[:, 2])
    assert lift == pytest.approx(platform.model.platform.mass * 9.81, rel=1e-12)


@pytest.mark.parametrize("seed", [0, *(pytest.param(k, marks=pytest.mark.long) for k in (1, 2, 3))])
def test_parts_of_random_robots_add_up(seed: int) -> None:
    arm = Arm(random_arm(seed, 4, "general"))
    state = random_state(seed, (5, 4))
    parts = effort_breakdown(arm, *state)
    assert set(parts) == {"gravity", "inertia", "Coriolis and centrifugal"}
    np.testing.assert_allclose(sum(parts.values()), arm.inverse_dynamics(*state), atol=1e-11)
    platform = Platform(random_platforms.random_platform(seed))
    *place, wrench = random_platforms.random_state(seed)
    parts = effort_breakdown(platform, *place, wrench)
    np.testing.assert_allclose(
        sum(parts.values()), platform.inverse_dynamics(*place, wrench), atol=1e-10
    )
