"""A joint that stands still has a velocity of exactly zero: Coulomb friction asks for its sign."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork.motion.bundled import motion_for
from linkwork.motion.inputs import instants_with_end


def friction_of(arm, motion, time) -> np.ndarray:
    q, qd, qdd = motion.at(time)
    return arm.inverse_dynamics(q, qd, qdd) - arm.inverse_dynamics(q, qd, qdd, friction=False)


@pytest.fixture(scope="module")
def puma():
    return lw.load("puma560")


def test_a_resting_joint_of_a_file_has_no_friction(tmp_path, puma) -> None:
    t = np.linspace(0, 2, 201)
    rows = np.stack([t, np.full_like(t, 0.7), 0.5 * np.sin(t), *np.full((4, len(t)), -0.3)], axis=1)
    lines = [",".join(map(repr, row)) for row in rows.tolist()]
    (tmp_path / "m.csv").write_text("\n".join(["t,q1,q2,q3,q4,q5,q6", *lines]))
    np.savez(tmp_path / "m.npz", time=t, q=rows[:, 1:])
    for name in ("m.csv", "m.npz"):
        motion = motion_for(puma, str(tmp_path / name))
        time = np.linspace(0, 2, 777)
        friction = friction_of(puma, motion, time)
        np.testing.assert_allclose(friction[:, [0, 2, 3, 4, 5]], 0.0, atol=1e-9)
        assert (np.abs(friction[time < 1.5, 1]) > 1).all()  # where it moves it rubs
        np.testing.assert_allclose(motion.at(time).qd[:, 1], 0.5 * np.cos(time), atol=1e-8)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 300.0])
@pytest.mark.parametrize("count", [4, 6, 9, 500])
def test_rest_at_any_size_and_spacing(scale, count) -> None:
    random = np.random.default_rng(count)
    t = np.concatenate([[0], np.cumsum(random.uniform(0.2, 1.0, count - 1))]) / count
    q = np.stack([np.full(count, scale / 3), t + t**2], axis=1)
    between = np.linspace(0, t[-1], 1000)
    for motion in (lw.SampledTrajectory(t, q), lw.Waypoints(q, t)):
        assert not motion.at(between).qd[:, 0].any()
        assert motion.at(between[5:-5]).qd[:, 1].all()


def test_time_optimal_leaves_resting_joints_at_rest(puma) -> None:
    path = lw.Waypoints(
        [[0, 0, 0.5, 0, 0, 0], [0, 0.4, 0.5, 0, 0, 0], [0, 0.9, 0.5, 0, 0, 0]], duration=1
    )
    fast = lw.time_optimal(puma, path, velocity=2.0, acceleration=10.0, effort=np.inf, grid=100)
    friction = friction_of(puma, fast, np.linspace(0, fast.duration, 300))
    np.testing.assert_allclose(friction[:, [0, 2, 3, 4, 5]], 0.0, atol=1e-9)


@pytest.mark.parametrize("name", ["lee1982", "home-quintic", "excitation"])
def test_a_written_motion_read_again_needs_the_same_efforts_at_its_ends(tmp_path, puma, name) -> None:
    motion = motion_for(puma, name)
    lw.write_motion(motion, tmp_path / "m.csv", 0.01)
    again = lw.read_motion(tmp_path / "m.csv")
    time = instants_with_end(motion.duration, 0.01)
    ends = time[[0, -1]]
    np.testing.assert_array_equal(again.at(ends).qd, 0.0)
    efforts = [puma.inverse_dynamics(*path.at(time)) for path in (motion, again)]
    np.testing.assert_allclose(efforts[1][[0, -1]], efforts[0][[0, -1]], atol=0.1)


def test_a_slow_motion_is_not_rest() -> None:
    t = np.linspace(0, 1, 101)
    motion = lw.SampledTrajectory(t, np.stack([1 + 1e-9 * t, 1e-7 * np.sin(t)], axis=1))
    velocity = motion.at(t).qd
    np.testing.assert_allclose(velocity[:, 0], 1e-9, rtol=1e-3)
    np.testing.assert_allclose(velocity[:, 1], 1e-7 * np.cos(t), rtol=1e-3)
