"""Splines through waypoints and samples, and Fourier excitation."""

from __future__ import annotations

import numpy as np
import pytest

from linkwork import InputError
from linkwork.core.rotations import from_angles, from_vector, multiply
from linkwork.motion import (
    Excitation,
    PoseWaypoints,
    SampledPoses,
    SampledTrajectory,
    Trapezoid,
    Waypoints,
)
from tests.motion.catalog import POINTS, POSES, TIMES, smooth_poses


@pytest.mark.parametrize("ends", ["rest", "natural", "periodic"])
def test_through_all_points_with_continuous_acceleration(ends) -> None:
    motion = Waypoints(POINTS, TIMES, ends=ends)
    np.testing.assert_allclose(motion.at(TIMES).q, POINTS, atol=1e-12)
    inner = TIMES[1:-1]
    before, after = motion.at(inner - 1e-9).qdd, motion.at(inner + 1e-9).qdd
    np.testing.assert_allclose(before, after, atol=1e-4)


def test_ends() -> None:
    rest = Waypoints(POINTS, TIMES).at([0.0, 2.4])
    np.testing.assert_allclose([rest.qd, rest.qdd], 0, atol=1e-10)
    natural = Waypoints(POINTS, TIMES, ends="natural").at([0.0, 2.4])
    np.testing.assert_allclose(natural.qdd, 0, atol=1e-10)
    assert np.abs(natural.qd).min() > 0.01
    periodic = Waypoints(POINTS, TIMES, ends="periodic").at([0.0, 2.4])
    np.testing.assert_allclose(periodic.qd[0], periodic.qd[1], atol=1e-10)
    np.testing.assert_allclose(periodic.qdd[0], periodic.qdd[1], atol=1e-9)


def test_two_points_are_a_quintic() -> None:
    motion = Waypoints([[0.0], [1.0]], duration=1.0)
    assert motion.at(0.3).q == pytest.approx(0.3**3 * (10 - 15 * 0.3 + 6 * 0.09))


def test_times_from_a_duration() -> None:
    motion = Waypoints([[0.0], [1.0], [5.0]], duration=3.0)
    assert motion.times == pytest.approx([0, 1, 3])


@pytest.mark.parametrize(
    ("points", "given", "message"),
    [
        (POINTS, {}, "either times or a duration"),
        (POINTS, {"times": TIMES, "duration": 1.0}, "either times or a duration"),
        (POINTS, {"times": TIMES[:-1]}, "one time per row"),
        (POINTS, {"times": TIMES + 1}, "begin at 0"),
        (POINTS, {"times": [0, 1, 1, 2, 3, 4]}, r"times\[2\] = 1 s does not come after"),
        (POINTS, {"duration": 1.0, "ends": "restt"}, "Did you mean 'rest'"),
        (POINTS[:1], {"duration": 1.0}, "at least 2"),
        (POINTS[0], {"duration": 1.0}, r"\(N, n\)"),
        (POINTS[[0, 1, 1]], {"duration": 1.0}, "points 1 and 2 are equal"),
        (POINTS[:-1], {"duration": 1.0, "ends": "periodic"}, "6 points"),
        (POINTS + np.eye(6)[:, -1:], {"duration": 1.0, "ends": "periodic"}, "first one again"),
        (np.where(POINTS == 0.5, np.nan, POINTS), {"duration": 1.0}, r"nan at \(1, 0\)"),
    ],
)
def test_wrong_waypoints(points, given, message) -> None:
    with pytest.raises(InputError, match=message):
        Waypoints(points, **given)


def test_poses_are_reached_at_rest() -> None:
    motion = PoseWaypoints(POSES, [0.0, 0.6, 1.3, 2.0])
    pose = motion.at(motion.times).pose
    np.testing.assert_allclose(pose[:, :3], POSES[:, :3], atol=1e-12)
    cosines = (pose[:, 3:] * from_angles(POSES[:, 3:])).sum(axis=1)
    np.testing.assert_allclose(np.abs(cosines), 1, atol=1e-12)
    ends = motion.at([0.0, 2.0])
    np.testing.assert_allclose([ends.twist, ends.acceleration], 0, atol=1e-9)
    before, after = (motion.at([0.6 + step, 1.3 + step]).acceleration for step in (-1e-9, 1e-9))
    np.testing.assert_allclose(before, after, atol=1e-4)


def test_pose_waypoints_do_not_depend_on_the_base_axes() -> None:
    turn = from_vector(np.array([0.4, -1.2, 0.7]))
    poses = np.concatenate([POSES[:, :3], from_angles(POSES[:, 3:])], axis=1)
    moved = np.concatenate([poses[:, :3], multiply(np.tile(turn, (4, 1)), poses[:, 3:])], axis=1)
    moved[2, 3:] *= -1  # the sign of a quaternion means nothing
    t = np.linspace(0, 2, 30)
    times = [0.0, 0.6, 1.3, 2.0]
    ours, theirs = PoseWaypoints(moved, times).at(t), PoseWaypoints(poses, times).at(t)
    turned = multiply(np.tile(turn, (30, 1)), theirs.pose[:, 3:])
    np.testing.assert_allclose(ours.pose[:, 3:], turned, atol=1e-12)


def test_turns_that_could_go_either_way() -> None:
    half = np.array([[0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 3.0]], dtype=float)
    with pytest.raises(InputError, match=r"poses 0 and 1 are 171\.9 deg apart"):
        PoseWaypoints(half, duration=1.0)
    circle = np.zeros((9, 6))
    circle[:, 5] = np.linspace(0, 2 * np.pi, 9)
    with pytest.raises(InputError, match="full turn"):
        PoseWaypoints(circle, duration=1.0, ends="periodic")


def test_times_so_uneven_that_the_orientation_swings() -> None:
    turned = np.array(
        [
            [0.664, 0.687, 0.241, 0.172],
            [0.238, 0.958, 0.124, -0.101],
            [0.789, 0.446, -0.051, 0.42],
            [0.629, 0.275, -0.281, 0.671],
            [0.388, 0.735, -0.222, 0.51],
        ]
    )
    turned /= np.linalg.norm(turned, axis=1, keepdims=True)
    poses = np.concatenate([np.zeros((5, 3)), turned], axis=1)
    with pytest.raises(InputError, match="swings too far near t = "):
        PoseWaypoints(poses, [0, 3.769, 4.396, 5.028, 5.349])
    PoseWaypoints(poses, duration=5.0)


def test_samples_of_a_smooth_motion_give_its_derivatives() -> None:
    t = np.linspace(0, 2, 101)
    motion = SampledTrajectory(
        t, np.sin(3 * t)[:, None], 3 * np.cos(3 * t)[:, None], -9 * np.sin(3 * t)[:, None]
    )
    between = np.linspace(0, 2, 77)
    np.testing.assert_allclose(motion.at(between).q[:, 0], np.sin(3 * between), atol=1e-9)
    np.testing.assert_allclose(motion.at(between).qd[:, 0], 3 * np.cos(3 * between), atol=1e-7)
    np.testing.assert_allclose(motion.at(between).qdd[:, 0], -9 * np.sin(3 * between), atol=1e-4)


def test_few_samples() -> None:
    t = np.linspace(0, 1, 4)
    assert SampledTrajectory(t, t[:, None] ** 3).at(0.5).qdd == pytest.approx(3.0)
    with pytest.raises(InputError, match="at least 4"):
        SampledTrajectory(t[:3], t[:3, None])


@pytest.mark.parametrize("period", [0.01, 0.037])
def test_recorded_jumps_of_acceleration_are_accepted(period) -> None:
    """A trapezoid's acceleration jumps between samples; a fault of the same size is still refused."""
    plan = Trapezoid([0.0, 1.0], [2.0, 0.0], velocity=2.0, acceleration=4.0)
    time, (q, qd, qdd) = plan.sample(period)
    between = time[:-1] + 0.4 * period
    np.testing.assert_allclose(
        SampledTrajectory(time, q, qd, qdd).at(between).q, plan.at(between).q, atol=2 * period**2
    )
    middle = len(time) // 2  # at constant velocity
    for wrong, name in ((qd, "qd"), (qdd, "qdd")):
        recorded = {"qd": qd, "qdd": qdd, name: wrong.copy()}
        recorded[name][middle, 0] += 1.0
        with pytest.raises(InputError, match=f"{name} of joint 1 .* at sample {middle} "):
            SampledTrajectory(time, q, recorded["qd"], recorded["qdd"])


@pytest.mark.parametrize("factor", [np.rad2deg(1.0), -1.0, 0.8])
def test_rates_that_contradict_the_positions(factor) -> None:
    t = np.linspace(0, 2, 101)
    q = np.stack([np.sin(t), t**2], axis=1)
    qd = np.stack([np.cos(t), 2 * t], axis=1)
    qdd = np.stack([-np.sin(t), 2 + 0 * t], axis=1)
    with pytest.raises(InputError, match=r"qd of joint 1 .* at sample 0 \(t = 0 s\)"):
        SampledTrajectory(t, q, factor * qd)
    with pytest.raises(InputError, match=r"qdd of joint 2 .* at sample 0"):
        SampledTrajectory(t, q, qd, qdd * [1, factor])
    with pytest.raises(InputError, match="qd has shape"):
        SampledTrajectory(t, q, qd[:, :1])


def test_sampled_poses_check_their_twist() -> None:
    t = np.linspace(0, 1, 60)
    exact = SampledPoses(t, smooth_poses(t)).at(t)
    SampledPoses(t, *exact)
    with pytest.raises(InputError, match="twist of wy"):
        SampledPoses(t, exact.pose, exact.twist * [1, 1, 1, 1, -1, 1])
    with pytest.raises(InputError, match="quaternion in row 3 has norm 2"):
        SampledPoses(t, exact.pose * np.where(np.arange(60) == 3, 2, 1)[:, None])


def test_excitation() -> None:
    center, amplitude = np.array([0.5, -1.0, 0.0]), np.array([0.3, 1.0, 2.0])
    motion = Excitation(center, amplitude, 0.2, 6, seed=7, periods=2)
    assert motion.duration == pytest.approx(10.0)
    q, qd, qdd = motion.at(np.linspace(0, 10, 20001))
    reach = np.abs(q - center).max(axis=0)
    assert (reach <= amplitude).all()
    assert (reach >= 0.998 * amplitude).all()
    for end in (0, 10000, -1):
        np.testing.assert_allclose(q[end], center, atol=1e-12)
        np.testing.assert_allclose([qd[end], qdd[end]], 0, atol=1e-11)
    np.testing.assert_allclose(q[:10000], q[10000:-1], atol=1e-11)


def test_excitation_is_reproducible() -> None:
    one, again, other = (Excitation([0.0], 1.0, 1.0, 5, seed).at(0.3).q for seed in (1, 1, 2))
    assert one == again
    assert one != other


@pytest.mark.parametrize(
    ("argument", "value"),
    [
        ("center", [np.nan]),
        ("amplitude", 0.0),
        ("amplitude", np.inf),
        ("amplitude", [1.0, 2.0]),
        ("base_frequency", -1.0),
        ("harmonics", 2),
        ("harmonics", 5.0),
        ("seed", -1),
        ("periods", 0),
    ],
)
def test_wrong_excitation(argument, value) -> None:
    given = {"center": [0.0], "amplitude": 1.0, "base_frequency": 1.0, "harmonics": 5, "seed": 0}
    with pytest.raises(InputError, match=argument):
        Excitation(**{**given, argument: value})
