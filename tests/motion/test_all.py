"""What every trajectory must be: consistent, continuous, at rest outside, frozen, strict."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from linkwork import InputError
from linkwork.core.rotations import inverse, multiply
from linkwork.motion.spaces import SLOW
from tests.motion.catalog import BUILD, JUMPS, trajectory_of

EACH = pytest.mark.parametrize("name", BUILD)
H = 1e-5


def clear_times(name: str) -> np.ndarray:
    """Times inside the motion, clear of its ends and jumps."""
    trajectory = trajectory_of(name)
    t = np.linspace(3 * H, trajectory.duration - 3 * H, 193)
    jumps = list(JUMPS.get(name, []))
    if name in ("RpyLine", "SlerpLine", "RetimedPoses"):
        line = getattr(trajectory, "path", trajectory)
        for part in line._segments:
            jumps += [part.profile.blend, line.duration - part.profile.blend]
        if name == "RetimedPoses":
            jumps = [float(np.interp(j, trajectory.profile.at(t)[0] * line.duration, t)) for j in jumps]  # type: ignore[attr-defined]
            t = t[np.abs(t[:, None] - jumps).min(axis=1) > 0.01]
    if jumps:
        t = t[np.abs(t[:, None] - jumps).min(axis=1) > 4 * H]
    return t


def change(kind: str, before: np.ndarray, after: np.ndarray) -> np.ndarray:
    if kind == "joint":
        return after - before
    turn = multiply(after[..., 3:], inverse(before[..., 3:]))
    return np.concatenate([after[..., :3] - before[..., :3], 2 * turn[..., 1:]], axis=-1)


@EACH
def test_rates_and_accelerations_are_derivatives(name) -> None:
    trajectory, t = trajectory_of(name), clear_times(name)
    before, now, after = (trajectory.at(t + step) for step in (-H, 0.0, H))
    scale = np.abs(now[1]).max() + np.abs(now[2]).max()
    rate = change(trajectory.kind, before[0], after[0]) / (2 * H)
    if name == "SampledTrajectory":  # what its samples cannot tell from rest is rest
        rest = now[1] == 0
        assert (np.abs(rate[rest]) <= SLOW * np.abs(now[1]).max()).all()
        rate[rest] = 0.0
    np.testing.assert_allclose(rate, now[1], atol=1e-7 * scale)
    acceleration = (after[1] - before[1]) / (2 * H)
    moving = (before[1] != 0) & (after[1] != 0) if name == "SampledTrajectory" else np.s_[:]
    np.testing.assert_allclose(acceleration[moving], now[2][moving], atol=1e-6 * scale)


@EACH
def test_position_and_rate_are_continuous(name) -> None:
    trajectory = trajectory_of(name)
    t = np.linspace(0, trajectory.duration, 20001)
    motion = trajectory.at(t)
    step = t[1]
    fastest, sharpest = np.abs(motion[1]).max(), np.abs(motion[2]).max()
    assert np.abs(np.diff(motion[0], axis=0)).max() <= 1.01 * fastest * step + 1e-12
    assert np.abs(np.diff(motion[1], axis=0)).max() <= 1.01 * sharpest * step + 1e-12
    if trajectory.kind == "pose":
        np.testing.assert_allclose(np.linalg.norm(motion[0][:, 3:], axis=1), 1, atol=1e-14)


@EACH
def test_rest_outside(name) -> None:
    trajectory = trajectory_of(name)
    T = trajectory.duration
    outside = trajectory.at([-1e9, -1e-6, T + 1e-6, 1e9])
    ends = trajectory.at([0.0, 0.0, T, T])
    np.testing.assert_array_equal(outside[0], ends[0])
    assert not outside[1].any()
    assert not outside[2].any()


@EACH
def test_rounding_does_not_leave_the_motion(name) -> None:
    trajectory = trajectory_of(name)
    T = trajectory.duration
    np.testing.assert_array_equal(trajectory.at(T * (1 + 1e-15))[2], trajectory.at(T)[2])


@EACH
def test_shapes(name) -> None:
    trajectory = trajectory_of(name)
    whole = trajectory.at(np.linspace(-0.1, trajectory.duration, 6))
    for shape in ((), (0,), (2, 3)):
        t = np.linspace(-0.1, trajectory.duration, 6)[: int(np.prod(shape))].reshape(shape)
        for part, all_rows in zip(trajectory.at(t), whole, strict=True):
            assert part.shape == (*shape, all_rows.shape[-1])
            assert part.dtype == np.float64
            flat = part.reshape(-1, all_rows.shape[-1])
            np.testing.assert_allclose(flat, all_rows[: len(flat)], rtol=1e-12, atol=1e-12)


@EACH
@pytest.mark.parametrize("t", [np.nan, [0.0, np.inf], "soon", None, [[0.0], [1.0, 2.0]]])
def test_times_must_be_finite_numbers(name, t) -> None:
    with pytest.raises(InputError, match=r"^t "):
        trajectory_of(name).at(t)


@EACH
def test_samples(name) -> None:
    trajectory = trajectory_of(name)
    T = trajectory.duration
    times, motion = trajectory.sample(T / 300)
    assert len(times) == 301
    assert times[0] == 0
    assert times[-1] == pytest.approx(T, rel=1e-15)
    np.testing.assert_array_equal(motion[0], trajectory.at(times)[0])
    times, _ = trajectory.sample(T / 7.5)
    assert len(times) == 9
    assert times[-1] == T
    assert times[-1] - times[-2] == pytest.approx(T / 15)
    for period in (0, -1.0, np.nan, np.inf, 1e-9 * T, "often", [0.1]):
        with pytest.raises(InputError, match="period"):
            trajectory.sample(period)


@EACH
def test_frozen_but_free_to_travel(name) -> None:
    trajectory = trajectory_of(name)
    with pytest.raises(AttributeError, match="frozen"):
        trajectory.duration = 1.0
    if name == "LegLengthTrajectory":  # holds a platform, whose kernels stay where they are
        return
    for twin in (copy.deepcopy(trajectory), pickle.loads(pickle.dumps(trajectory))):
        for ours, theirs in zip(twin.at(0.3), trajectory.at(0.3), strict=True):
            np.testing.assert_array_equal(ours, theirs)
    assert type(trajectory).__name__ in repr(trajectory)
