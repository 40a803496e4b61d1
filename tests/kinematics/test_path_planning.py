"""Ways between poses of a platform that are proven to be free of singularities."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest

import linkwork as lw
from linkwork.kinematics.singularity import dimensionless_jacobian


@pytest.fixture(scope="module")
def hexapod() -> lw.Platform:
    return lw.load_platform("dasgupta1998")


@pytest.fixture(scope="module")
def path_one(hexapod) -> lw.Plan:
    line = lw.published_path("dasgupta-I")
    return hexapod.plan(line.start, line.end, clearance=0.01)


def least_singular_values(platform: lw.Platform, poses: np.ndarray) -> np.ndarray:
    return np.linalg.svd(dimensionless_jacobian(platform, poses), compute_uv=False)[:, -1]


def test_a_plan_keeps_its_clearance_and_beats_the_straight_line(hexapod, path_one) -> None:
    line = lw.published_path("dasgupta-I")
    s = np.linspace(0, 1, 2001)
    poses = path_one.poses(s)
    assert least_singular_values(hexapod, poses).min() > path_one.clearance >= 0.01
    straight = hexapod.condition_number(line.at(6 * s).pose).max()
    assert path_one.condition <= straight
    np.testing.assert_allclose(poses[0], line.start, atol=1e-12)
    np.testing.assert_allclose(poses[-1], line.end, atol=1e-12)
    assert "proven to exceed" in str(path_one)


def test_a_plan_becomes_a_motion(hexapod, path_one) -> None:
    motion = lw.PlannedMotion(path_one, 6.0)
    t, h = np.linspace(0.5, 5.5, 21), 1e-5
    before, now, after = (motion.at(t + shift) for shift in (-h, 0.0, h))
    np.testing.assert_allclose((after.pose - before.pose)[:, :3] / (2 * h), now.twist[:, :3], atol=1e-8)
    np.testing.assert_allclose((after.twist - before.twist) / (2 * h), now.acceleration, atol=1e-7)
    assert np.isfinite(hexapod.inverse_dynamics(*now)).all()
    with pytest.raises(lw.InputError, match="what platform"):
        lw.PlannedMotion("there", 1.0)


def test_the_ends_of_path_three_are_parted_by_a_singularity(hexapod) -> None:
    """det J has different signs at its ends: no path at all between them is free of singularities."""
    line = lw.published_path("dasgupta-III")
    with pytest.raises(lw.LinkworkError, match="every path between these poses meets a singularity"):
        hexapod.plan(line.start, line.end)


@pytest.mark.long
def test_path_three_to_the_pose_with_the_same_lengths_on_its_own_side(hexapod) -> None:
    line = lw.published_path("dasgupta-III")
    modes = hexapod.assembly_modes(hexapod.leg_lengths(line.end))
    assert modes.complete
    side = np.sign(np.linalg.det(hexapod.jacobian(line.start)))
    end = modes.poses[modes.side == side][0]
    plan = hexapod.plan(line.start, end)
    assert plan.clearance > 0
    t = np.linspace(0, 6, 601)
    forces = hexapod.inverse_dynamics(*lw.PlannedMotion(plan, 6.0).at(t))
    assert np.abs(forces).max() < 1e5
    assert np.abs(hexapod.inverse_dynamics(*line.at(t))).max() > 1e5


@pytest.fixture(scope="module")
def turned(hexapod) -> np.ndarray:
    """Another pose with the lengths of home, turned by 118 deg, on the side of home."""
    modes = hexapod.assembly_modes(hexapod.leg_lengths(hexapod.home))
    assert modes.side[4] == modes.side[0]
    assert 2 * np.degrees(np.arccos(abs(modes.poses[4, 3:] @ hexapod.home[3:]))) > 100
    return modes.poses[4]


@pytest.mark.long
def test_large_turns_are_planned(hexapod, turned) -> None:
    plan = hexapod.plan(hexapod.home, turned, clearance=0.01)
    assert least_singular_values(hexapod, plan.poses(np.linspace(0, 1, 2001))).min() > 0.01


def test_a_path_beyond_the_limits_is_refused(hexapod, turned) -> None:
    """Both ends keep the limits, no way between them does."""
    tight = tuple(
        replace(leg, limits=replace(leg.limits, length=(length - 1e-6, length + 1e-6)))
        for leg, length in zip(hexapod.model.legs, hexapod.leg_lengths(hexapod.home), strict=True)
    )
    stuck = lw.Platform(replace(hexapod.model, legs=tight))
    with pytest.raises(lw.LinkworkError, match="no path within limits was found"):
        stuck.plan(hexapod.home, turned)


def test_what_cannot_be_planned_says_why(hexapod) -> None:
    line = lw.published_path("dasgupta-I")
    with pytest.raises(lw.LinkworkError, match="the start itself has a least singular value"):
        hexapod.plan(line.start, line.end, clearance=0.5)
    with pytest.raises(lw.InputError, match="objective"):
        hexapod.plan(line.start, line.end, objective="beauty")


def test_joint_angles_and_their_limits() -> None:
    simona = lw.load("simona")
    at_home = simona.joint_angles(simona.home)
    assert np.abs(at_home.universal).max() < 1e-6
    assert at_home.within.all()
    turned = simona.home.copy()
    turned[3:] = [np.cos(0.1), np.sin(0.1), 0, 0]
    moved = simona.joint_angles(np.stack([simona.home, turned]))
    assert moved.spherical.shape == (2, 6)
    assert (moved.spherical[1] > 0.01).all()
    assert at_home.universal_limit.shape == (6,)


def test_a_pose_on_another_branch_than_home_is_told(hexapod) -> None:
    """Newton's method from home may end beyond a singularity; without a guess that is a warning."""
    home = hexapod.home
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        hexapod.forward_kinematics(hexapod.leg_lengths(home))
    rng = np.random.default_rng(0)
    poses = np.repeat(home[None], 300, axis=0)
    poses[:, :3] += 0.4 * rng.normal(size=(300, 3))
    poses[:, 3:] += 0.5 * rng.normal(size=(300, 4))
    poses[:, 3:] /= np.linalg.norm(poses[:, 3:], axis=1, keepdims=True)
    lengths = hexapod.leg_lengths(poses)
    with pytest.warns(lw.BranchWarning, match="not on the branch of home"):
        found = hexapod.forward_kinematics(lengths, errors="nan")
    found = found[np.isfinite(found).all(axis=1)]
    sides = np.sign(np.linalg.det(hexapod.jacobian(found)))
    assert set(sides) == {-1.0, 1.0}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        hexapod.forward_kinematics(hexapod.leg_lengths(found), found)


def test_a_certified_plan_keeps_its_limits_everywhere() -> None:
    """Or is refused by name: here in a time that takes more force than the legs have."""
    simona = lw.load_platform("simona")
    home = np.asarray(simona.home)
    end = home + np.array([0.1, 0, 0.05, 0, 0, 0, 0])
    plan = simona.plan(home, end, duration=4.0, certified=True)
    assert plan.clearance > 0
    with pytest.raises(lw.LinkworkError, match=r"does not keep \|effort of leg.*of 0.05 s"):
        simona.plan(home, end, duration=0.05, certified=True)
