"""Base parameters: their number, what they mean, and that nothing else shows in any effort."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import linkwork as lw
from linkwork.mechanics.chain.minimal.common_normals import skeleton
from linkwork.mechanics.chain.minimal.operation_plan import in_frame
from linkwork.mechanics.chain.minimal.regrouping import Regrouping
from linkwork.model.geometry import Body
from linkwork.model.parameters import all_free
from linkwork.robot.base_parameters import base_parameters
from tests.random_arms import random_arm

# PUMA 560 with gravity along its first axis: 36, as H. Mayeda, K. Yoshida and K. Osuka (IEEE Trans.
# Robotics and Automation 6(3), 1990) and M. Gautier and W. Khalil (ibid.) have it. The number of the
# Stanford arm follows from the latter's general bound 7 Nr + 4 Np - 4, two fewer for that gravity.
# Both papers are cited from memory, not from the pages.
PUBLISHED = {"puma560": 36, "stanford": 7 * 5 + 4 - 4 - 2}


@pytest.mark.parametrize(("name", "count"), PUBLISHED.items())
def test_published_numbers(name: str, count: int) -> None:
    base = lw.load(name).base_parameters(friction=False, rotors=False)
    assert len(base) == count
    kept, left = base.gap
    assert kept > 1e10 * left


def test_planar_arm_by_hand() -> None:
    """Two parallel axes, links of 1 m whose frames stand at their ends, gravity across the axes.

    About its joint a link has the first moment mx + m and the inertia Jzz + 2 mx + m, which is
    (Jzz - m) + 2 (mx + m); the mass of the second link hangs at the end of the first.
    """
    base = lw.load_arm("planar-2r").base_parameters(friction=False, rotors=False)
    assert base.names == (
        "shoulder.mx + shoulder.m + elbow.m",
        "shoulder.my",
        "shoulder.Jzz - shoulder.m - elbow.m",
        "elbow.mx + elbow.m",
        "elbow.my",
        "elbow.Jzz - elbow.m",
    )


@pytest.mark.parametrize(
    "name", ["puma560", "stanford", "planar-2r", "panda", pytest.param("iiwa14", marks=pytest.mark.long)]
)
def test_numbers_by_the_rules_of_minimal(name: str) -> None:
    _as_minimal(lw.load_arm(name))


@pytest.mark.parametrize(("seed", "convention"), [(0, "standard"), (1, "modified"), (2, "general")])
def test_random_arms_by_the_rules_of_minimal(seed: int, convention: str) -> None:
    _as_minimal(lw.Arm(random_arm(seed, 5, convention)))


def _as_minimal(arm: lw.Arm) -> None:
    assert len(arm.base_parameters(friction=False, rotors=False)) == _by_rules(arm)


def _by_rules(arm: lw.Arm) -> int:
    bones = skeleton(arm.model)
    group = Regrouping(bones.steps, in_frame(bones.base.R, tuple(arm.model.gravity)))
    return 10 * len(bones.steps) - group.null_space.shape[1]


def test_rules_of_minimal_may_keep_more_behind_prismatic_joints() -> None:
    """Revolute, two prismatic, revolute: the rules keep two parameters that the rank says nobody sees.

    That costs operations and changes no torque. Of 60 random arms, 43 with prismatic joints, three are
    so (two of this kind, one whose third axis is parallel to the first); the others agree.
    """
    arm = lw.Arm(random_arm(12, 4, "standard"))
    base = arm.base_parameters(friction=False, rotors=False)
    assert len(base) == 14
    assert base.gap[0] > 1e10 * base.gap[1]
    assert _by_rules(arm) == 16


@pytest.mark.parametrize("name", ["puma560", "dasgupta1998"])
def test_efforts_follow_from_them(name: str) -> None:
    robot = lw.load(name)
    base = robot.base_parameters()
    motion = robot.random_states(20, seed=7)
    expected = robot.inverse_dynamics(*motion)
    found = robot.regressor(*motion) @ base.basis @ base.values
    np.testing.assert_allclose(found, expected, atol=1e-10 * np.abs(expected).max())
    np.testing.assert_allclose(base.matrix @ base.basis, np.eye(len(base)), atol=1e-9)


def test_what_they_leave_out_changes_no_effort() -> None:
    arm = lw.load_arm("ur5")
    base = arm.base_parameters()
    unseen = np.linalg.svd(base.matrix)[2][len(base) :]
    Y = arm.regressor(*arm.random_states(20, seed=3))
    assert np.abs(Y @ unseen.T).max() < 1e-10 * np.abs(Y).max()


def test_legs_that_share_their_parameters_have_fewer() -> None:
    simona = lw.load_platform("simona")
    apart, shared = simona.base_parameters(), simona.base_parameters(shared_legs=True)
    assert len(apart) == 100
    assert len(shared) < 35
    assert any("leg.lower" in name for name in shared.names)
    motion = simona.random_states(5, seed=1)
    expected = simona.inverse_dynamics(*motion)
    found = simona.regressor(*motion) @ shared.basis @ shared.values
    np.testing.assert_allclose(found, expected, atol=1e-9 * np.abs(expected).max())


def test_a_rank_that_is_not_certain_is_said() -> None:
    arm = lw.load_arm("planar-2r")
    rng = np.random.default_rng(0)
    n = len(arm.parameters)
    u, _, v = np.linalg.svd(rng.normal(size=(200, n)), full_matrices=False)
    hazy = u @ np.diag(10.0 ** -np.linspace(0, 14, n)) @ v
    with pytest.raises(lw.LinkworkError, match="not certain"):
        base_parameters(hazy, all_free(arm.parameters), arm.parameters.values)


def test_parallel_robots_have_them_too() -> None:
    robot = lw.load("five-bar")
    base = robot.base_parameters()
    motion = robot.random_states(10, seed=2)
    expected = robot.inverse_dynamics(*motion)
    found = robot.regressor(*motion) @ base.basis @ base.values
    np.testing.assert_allclose(found, expected, atol=1e-9 * np.abs(expected).max())
    excited = lw.excite(robot, candidates=20)
    assert excited.condition < excited.random.min()
    assert excited.limits.ok


def test_names_show_what_acts_together() -> None:
    base = lw.load_arm("puma560").base_parameters()
    assert any("elbow.m" in name and "shoulder" in name for name in base.names)
    assert "waist.coulomb_forward + waist.offset" in base.names
    assert all(label.count(" more") <= 1 for label in base.labels)
    assert "58 base parameters of 90" in str(base)


def test_legs_on_spherical_joints_stay_symmetric() -> None:
    """As their file must be: mass on the axis, equal moments across it."""
    model = lw.load_platform("dasgupta1998").model
    straight = Body.of(2.0, [0.3, 0, 0], np.diag([0.01, 0.2, 0.2]))
    legs = [replace(leg, joints="SPS", lower=straight, upper=straight) for leg in model.legs]
    platform = lw.Platform(replace(model, legs=tuple(legs)))
    free = platform.free_parameters(shared_legs=True)
    assert [name for name in free.names if "lower" in name] == [
        f"leg.lower.{kind}" for kind in ("m", "mx", "Jxx", "Jyy")
    ]
    change = free.matrix @ np.random.default_rng(0).uniform(0.01, 0.02, len(free))
    other = platform.with_parameters(platform.parameters.values + change)
    for leg in other.model.legs:
        np.testing.assert_allclose(leg.lower.center_of_mass[1:], 0, atol=1e-15)
        np.testing.assert_allclose(leg.lower.inertia[1, 1], leg.lower.inertia[2, 2])
