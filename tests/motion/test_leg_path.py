"""Plans in leg lengths: exact poses and rates, branches, singularities."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork.core.rotations import from_vector, multiply
from linkwork.motion import LegLengthTrajectory, Quintic, SampledTrajectory, published_path
from tests.motion.catalog import POSES, hexapod, legs


def test_legs_move_as_planned() -> None:
    plan = legs()
    path = LegLengthTrajectory(hexapod(), plan, POSES[0], samples=20)
    t = np.linspace(0, plan.duration, 173)
    motion = path.at(t)
    found = hexapod().leg_kinematics(*motion)
    np.testing.assert_allclose(found.length, plan.at(t).q, atol=1e-12)
    np.testing.assert_allclose(found.rate, plan.at(t).qd, atol=1e-12)
    np.testing.assert_allclose(found.acceleration, plan.at(t).qdd, atol=1e-11)
    np.testing.assert_allclose(motion.pose[0, :3], POSES[0, :3], atol=1e-10)


def test_back_to_the_pose_path_it_was_made_from() -> None:
    line = published_path("dasgupta-I")
    t = np.linspace(0, 6, 601)
    plan = SampledTrajectory(t, hexapod().leg_lengths(line.at(t).pose))
    path = LegLengthTrajectory(hexapod(), plan, line.start)
    np.testing.assert_allclose(path.at(t).pose, line.at(t).pose, atol=1e-10)
    np.testing.assert_allclose(path.at(3.0).twist, line.at(3.0).twist, atol=1e-6)


def test_a_singularity_on_the_way() -> None:
    line = published_path("dasgupta-III")
    t = np.linspace(0, 6, 301)
    plan = SampledTrajectory(t, hexapod().leg_lengths(line.at(t).pose))
    with pytest.raises(lw.LinkworkError, match=r"every 0\.03 s.*singularity"):
        LegLengthTrajectory(hexapod(), plan, line.start)


@pytest.mark.parametrize("count", [60, 201])
def test_paths_through_singularities_are_errors(count) -> None:
    """Turning back at the singularity has the same leg lengths, and must not pass for going through."""
    platform, random = hexapod(), np.random.default_rng(3)
    s = np.linspace(0, 1, count)[:, None]
    crossed = 0
    for _ in range(12):
        way, turn = random.normal(size=3) * 0.5, random.normal(size=3) * 0.8
        turned = multiply(from_vector(s * turn), np.broadcast_to(platform.home[3:], (count, 4)))
        poses = np.concatenate([platform.home[:3] + s * way, turned], axis=1)
        lengths = platform.leg_lengths(poses)
        sides = np.sign(np.linalg.det(platform.jacobian(poses)))
        last = int(np.argmax(sides != sides[0])) if (sides != sides[0]).any() else 0
        if not 3 < last < count - 3:
            continue
        crossed += 1
        with pytest.raises(lw.LinkworkError, match="meets a singularity between samples"):
            platform.follow(lengths, platform.home)
        with pytest.raises(lw.LinkworkError, match="singularity"):
            LegLengthTrajectory(platform, SampledTrajectory(s[:, 0], lengths), platform.home)
    assert crossed >= 4


def test_wrong_plans() -> None:
    for plan in (Quintic([1.0], [2.0], 1.0), published_path("dasgupta-I"), None):
        with pytest.raises(lw.InputError, match="n = 6"):
            LegLengthTrajectory(hexapod(), plan)
    with pytest.raises(lw.InputError, match="platform"):
        LegLengthTrajectory(lw.load("ur5"), legs())
    with pytest.raises(lw.InputError, match="7"):
        LegLengthTrajectory(hexapod(), legs(), start=[0.0, 1.0])
    with pytest.raises(lw.InputError, match="samples"):
        LegLengthTrajectory(hexapod(), legs(), samples=1)
    with pytest.raises(lw.LinkworkError, match="have no pose"):
        LegLengthTrajectory(hexapod(), Quintic(np.full(6, 0.01), np.full(6, 0.02), 1.0))
