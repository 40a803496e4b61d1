"""The public face of a platform: the papers' figures, laws of mechanics, shapes and errors."""

from __future__ import annotations

import copy
import pickle
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import linkwork as lw
from linkwork.core.rotations import quaternion_of, rotation_of, with_quaternion
from linkwork.mechanics.published.stepwise import DEVIATIONS
from linkwork.model.families.stewart import LegLimits, leg_columns
from linkwork.model.geometry import Body, frozen
from linkwork.robot.platform import Platform
from tests.oracles.test_stewart_reference import DATA, motion
from tests.random_platforms import random_platform, random_state

ZERO = np.zeros(6)


@pytest.fixture(scope="module")
def hexapod() -> Platform:
    return lw.load_platform("dasgupta1998")


def rms(values: np.ndarray) -> float:
    return float(np.sqrt(np.mean(values**2)))


# physics: largest difference [N] and RMS ratio, on Path I and Path II
HOW_FAR_OFF = {
    "dasgupta1998": ({"formulation": "dasgupta1998"}, (27.7, 0.0192), (103.9, 0.0577)),
    "closed, printed": ({"formulation": "pedrammehr2012"}, (1.31, 0.00077), (131.0, 0.0575)),
    "closed, local": (
        {"formulation": "pedrammehr2012", "frames": "local"},
        (2.23, 0.00144),
        (223.3, 0.108),
    ),
}


@pytest.mark.parametrize("name", HOW_FAR_OFF)
def test_how_far_the_papers_are_off(hexapod, name) -> None:
    options, *expected = HOW_FAR_OFF[name]
    for path, (largest, ratio) in zip(("I", "II"), expected, strict=True):
        state = motion(path)
        exact = hexapod.inverse_dynamics(*state)
        difference = hexapod.inverse_dynamics(*state, **options) - exact
        assert np.abs(difference).max() == pytest.approx(largest, rel=5e-3)
        assert rms(difference) / rms(exact) == pytest.approx(ratio, rel=1e-2)


@pytest.mark.parametrize(
    ("deviation", "slow", "fast"),
    [
        ("no-spin", 0.16, 16.1),
        ("moment-along-leg", 28.3, 43.1),
        ("upper-inertia-at-base", 1.04, 103.7),
        ("parallel-axis-lower", 1.09, 109),
        ("equation-25", 0.0034, 0.34),
        ("dropped-terms", 0.157, 15.7),
    ],
)
def test_one_deviation_at_a_time(hexapod, deviation, slow, fast) -> None:
    for path, expected in (("I", slow), ("II", fast)):
        state = motion(path)
        difference = hexapod.inverse_dynamics(*state, deviations=[deviation])
        difference = difference - hexapod.inverse_dynamics(*state)
        assert np.abs(difference).max() == pytest.approx(expected, rel=1.5e-2)


def test_at_rest_pedrammehr_is_exact_and_dasgupta_is_not(hexapod) -> None:
    pose = motion("I")[0]
    exact = hexapod.inverse_dynamics(pose, ZERO, ZERO)
    new = hexapod.inverse_dynamics(pose, ZERO, ZERO, formulation="pedrammehr2012")
    old = hexapod.inverse_dynamics(pose, ZERO, ZERO, formulation="dasgupta1998")
    np.testing.assert_allclose(new, exact, atol=1e-11)
    assert np.abs(old - exact).max() == pytest.approx(28.2, rel=5e-3)


def test_figures_of_the_paths(hexapod) -> None:
    peaks = {"I": (1434, 1419, 2), "II": (2133, 2211, 2), "III": (9.73e5, 9.60e5, 1)}
    conditions = {"I": (34.7, 47.2), "II": (34.7, 47.2), "III": (289, 21048)}
    fractions = {"I": (0.207, 0.188), "II": (0.236, 0.277), "III": (0.174, None)}
    for path in ("I", "II", "III"):
        state = motion(path)
        exact = hexapod.inverse_dynamics(*state)
        published = hexapod.inverse_dynamics(*state, formulation="dasgupta1998")
        peak, old_peak, leg = peaks[path]
        assert np.abs(exact).max() == pytest.approx(peak, rel=2e-3)
        assert np.abs(published).max() == pytest.approx(old_peak, rel=2e-3)
        assert np.unravel_index(np.abs(exact).argmax(), exact.shape)[1] == leg
        condition = hexapod.condition_number(state[0], length_scale=1.0)
        assert (condition.min(), condition.max()) == pytest.approx(conditions[path], rel=2e-3)
        parts = hexapod.effort_breakdown(*state)
        median, old_median = fractions[path]
        assert np.median(np.abs(parts.dynamic_fraction)) == pytest.approx(median, abs=6e-4)
        if old_median is not None:
            old = (published - parts.massless) / published
            assert np.median(np.abs(old)) == pytest.approx(old_median, abs=6e-4)


def test_first_forces_of_the_paths(hexapod) -> None:
    expected = {
        "I": [411.529329, -1146.668146, 1434.067588, -616.937155, -68.992835, 370.536408],
        "II": [304.887015, -1580.076393, 2133.406514, -901.693623, -354.577719, 899.371229],
    }
    for path, forces in expected.items():
        found = hexapod.inverse_dynamics(*(part[0] for part in motion(path)))
        np.testing.assert_allclose(found, forces, atol=6e-7)


def test_singular_instant_of_path_three(hexapod) -> None:
    """det H changes sign at t* = 3.670504 s; the force grows as 2.85e4 / |t - t*|."""
    start, end = np.array([0.4, 1.4, 1.2, 0.1, 0.2, 0.0]), np.array([0.8, 1.8, 1.8, 0.3, 0.4, 0.0])
    way = end - start
    blends = 6 - np.array([np.linalg.norm(way[:3]) / 0.2, np.linalg.norm(way[3:]) / 0.08])

    def covered(t: float, blend: float) -> float:
        """Linear in time with a parabolic blend at the end; t is past the first blend."""
        over = max(t - (6 - blend), 0.0)
        return (t - blend / 2 - over**2 / (2 * blend)) / (6 - blend)

    def pose(t: float) -> np.ndarray:
        return start + way * np.repeat([covered(t, blend) for blend in blends], 3)

    def side(t: float) -> float:
        return float(np.linalg.det(hexapod.jacobian(pose(t))))

    low, high = 3.6, 3.7
    assert side(low) * side(high) < 0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if side(low) * side(middle) > 0 else (low, middle)
    assert low == pytest.approx(3.670504, abs=1e-6)
    assert low == pytest.approx(float(DATA["pathIII_singular_time"]), abs=1e-6)
    with pytest.raises(lw.LinkworkError, match=r"singularity between samples 36 and 37"):
        hexapod.follow(hexapod.leg_lengths(motion("III")[0]), motion("III")[0][0])


def test_power_balance_with_friction() -> None:
    """Power of actuators and wrench = rate of energy + what friction takes; by finite differences."""
    for seed in range(4):
        platform = Platform(random_platform(seed))
        pose, twist, acceleration, wrench = random_state(seed)
        force = platform.inverse_dynamics(pose, twist, acceleration, wrench)
        legs = platform.leg_kinematics(pose, twist, acceleration)
        R = rotation_of(pose)
        supplied = force @ legs.rate + (R @ wrench[:3]) @ twist[:3] + (R @ wrench[3:]) @ twist[3:]
        lost = 0.0
        for k, leg in enumerate(platform.model.legs):
            w = legs.angular_velocity[k]
            lost += leg.friction.universal * w @ w + leg.friction.prismatic * legs.rate[k] ** 2
            lost += leg.friction.spherical * (w - twist[3:]) @ (w - twist[3:])

        def energy(t: float, pose=pose, twist=twist, a=acceleration, platform=platform) -> float:
            turn = twist[3:] * t + a[3:] * t * t / 2
            half = turn / 2
            q = np.concatenate(
                [[pose[3] - half @ pose[4:]], pose[4:] + pose[3] * half + np.cross(half, pose[4:])]
            )
            moved = np.concatenate([pose[:3] + twist[:3] * t + a[:3] * t * t / 2, q / np.linalg.norm(q)])
            return float(platform.energy(moved, twist + a * t).total)

        h = 1e-6
        rate = (energy(h) - energy(-h)) / (2 * h)
        assert supplied - lost == pytest.approx(rate, rel=1e-7, abs=1e-5)


def test_energy_is_kept_along_a_free_motion() -> None:
    """Forward dynamics integrated: energy stays, so M(X), h and the energies belong together."""
    platform = lw.load("simona")
    pose, twist = platform.home.copy(), np.array([0.1, -0.05, 0.2, 0.1, 0.05, -0.1])
    hold = platform.inverse_dynamics(platform.home, ZERO, ZERO)

    def rate(x: np.ndarray) -> np.ndarray:
        p, v = x[:7], x[7:13]
        unit = np.concatenate([p[:3], p[3:] / np.linalg.norm(p[3:])])
        a = platform.forward_dynamics(unit, v, hold, friction=False)
        W = v[3:]
        turning = 0.5 * np.concatenate([[-W @ p[4:]], p[3] * W + np.cross(W, p[4:])])
        power = hold @ (platform.jacobian(unit) @ v)
        return np.concatenate([v[:3], turning, a, [power]])

    x = np.concatenate([pose, twist, [0.0]])
    before = platform.energy(pose, twist).total
    h = 0.01
    for _ in range(50):
        k1 = rate(x)
        k2 = rate(x + h / 2 * k1)
        k3 = rate(x + h / 2 * k2)
        k4 = rate(x + h * k3)
        x = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    unit = np.concatenate([x[:3], x[3:7] / np.linalg.norm(x[3:7])])
    after = platform.energy(unit, x[7:13]).total
    work = x[13]
    assert abs(work) > 100
    assert after - before == pytest.approx(work, rel=1e-7)


def test_forward_kinematics(hexapod) -> None:
    rng = np.random.default_rng(0)
    pose = motion("I")[0]
    guess = pose.copy()
    guess[:, :3] += rng.uniform(-0.02, 0.02, (61, 3))
    turns = rng.uniform(-0.05, 0.05, (61, 4))
    guess[:, 3:] = (guess[:, 3:] + turns) / np.linalg.norm(guess[:, 3:] + turns, axis=1, keepdims=True)
    lengths = hexapod.leg_lengths(pose)
    found = hexapod.forward_kinematics(lengths, guess)
    assert np.abs(hexapod.leg_lengths(found) - lengths).max() < 1e-12
    same = np.sign(np.einsum("ij,ij->i", found[:, 3:], pose[:, 3:]))[:, None]
    np.testing.assert_allclose(found[:, :3], pose[:, :3], atol=1e-11)
    np.testing.assert_allclose(found[:, 3:] * same, pose[:, 3:], atol=1e-11)
    one = hexapod.forward_kinematics(lengths[7], np.concatenate([DATA["I_t"][5], DATA["I_th"][5]]))
    np.testing.assert_allclose(one, pose[7], atol=1e-11)
    grid = hexapod.forward_kinematics(lengths[:6].reshape(2, 3, 6))
    np.testing.assert_allclose(hexapod.leg_lengths(grid), lengths[:6].reshape(2, 3, 6), atol=1e-12)


def test_newton_is_quadratic(hexapod) -> None:
    """Each step about squares the error."""
    from linkwork.kernels import Kernel
    from linkwork.mechanics.methods import Options
    from linkwork.mechanics.platform import methods

    pose = motion("I")[0][10]
    lengths = hexapod.leg_lengths(pose)
    guess = pose + np.array([0.03, -0.02, 0.04, 0, 0, 0, 0])
    errors = []
    original = methods.NEWTON_STEPS
    try:
        for steps in range(1, 5):
            methods.NEWTON_STEPS = steps
            kernel = Kernel(*methods.express(hexapod.model, hexapod.mechanism, "newton", Options(7)))
            errors.append(float(kernel(lengths, guess)[1]))
    finally:
        methods.NEWTON_STEPS = original
    for before, after in pairwise(errors):
        assert after < max(40 * before**2, 1e-14)


def test_follow_and_motion_from_legs(hexapod) -> None:
    pose, twist, acceleration = motion("I")
    np.testing.assert_allclose(hexapod.follow(hexapod.leg_lengths(pose), pose[0]), pose, atol=1e-11)
    legs = hexapod.leg_kinematics(pose, twist, acceleration)
    found = hexapod.motion_from_legs(pose, legs.rate, legs.acceleration)
    np.testing.assert_allclose(found.twist, twist, atol=1e-13)
    np.testing.assert_allclose(found.acceleration, acceleration, atol=1e-12)


def test_condition_number_scales(hexapod) -> None:
    pose = motion("I")[0][:3]
    H = np.array([leg_columns(hexapod.model, row)[0] for row in pose])
    np.testing.assert_allclose(hexapod.condition_number(pose, 1.0), np.linalg.cond(H))
    scaled = H.copy()
    scaled[:, 3:] /= 0.25
    np.testing.assert_allclose(hexapod.condition_number(pose, 0.25), np.linalg.cond(scaled))
    own = hexapod.condition_number(pose)
    assert (own < hexapod.condition_number(pose, 1.0)).all()
    np.testing.assert_array_equal(hexapod.condition_number(pose, "platform"), own)


def axisymmetric(model, joints: str):
    """The same platform with legs symmetric about their axes."""
    legs = []
    for leg in model.legs:
        lower, upper = (
            Body.of(3, [0.4, 0, 0], np.diag([0.02, 0.3, 0.3])),
            Body.of(1, [-0.3, 0, 0], np.diag([0.01, 0.1, 0.1])),
        )
        legs.append(replace(leg, joints=joints, lower=lower, upper=upper))
    return Platform(replace(model, legs=tuple(legs)))


def test_spherical_joints_at_both_ends() -> None:
    """Without spin, Dasgupta's equations are exact but for eq. 16; the axis does not matter."""
    model = replace(random_platform(3, friction=False))
    pose, twist, acceleration, wrench = random_state(3)
    free = axisymmetric(model, "SPS")
    force = free.inverse_dynamics(pose, twist, acceleration, wrench)
    without_spin = free.model
    turned = replace(
        without_spin,
        legs=tuple(replace(leg, fixed_axis=frozen([0.6, 0.8, 0.0])) for leg in without_spin.legs),
    )
    np.testing.assert_allclose(
        Platform(turned).inverse_dynamics(pose, twist, acceleration, wrench), force, rtol=1e-12
    )
    held = axisymmetric(model, "UPS")
    same = held.inverse_dynamics(
        pose, twist, acceleration, wrench, deviations=["no-spin", "moment-along-leg"]
    )
    np.testing.assert_allclose(force, same, rtol=1e-11)
    reactions = free.joint_reactions(pose, twist, acceleration, wrench)
    np.testing.assert_array_equal(reactions.universal_moment, np.zeros((6, 3)))
    np.testing.assert_allclose(
        free.forward_dynamics(pose, twist, force, wrench), acceleration, atol=1e-11
    )
    with pytest.raises(lw.InputError, match="needs universal joints"):
        free.inverse_dynamics(pose, twist, acceleration, formulation="pedrammehr2012")


def test_free_legs_have_no_forbidden_direction() -> None:
    """A leg without a universal joint may stand along any axis, also the one in its description."""
    model = random_platform(3, friction=False)
    upright = axisymmetric(model, "SPS")
    leg = upright.model.legs[0]
    pose = np.concatenate([leg.base_point + 1.1 * leg.fixed_axis - leg.platform_point, [1, 0, 0, 0]])
    force = upright.inverse_dynamics(pose, ZERO, ZERO)
    assert np.isfinite(force).all()
    with pytest.raises(lw.InputError, match="a deviation needs universal joints"):
        upright.inverse_dynamics(pose, ZERO, ZERO, formulation="dasgupta1998", deviations=["no-spin"])


def test_follow_keeps_the_branch_on_coarse_paths(hexapod) -> None:
    """Two samples must lead where sixty do, or report the singularity that sixty report."""
    rng = np.random.default_rng(0)
    start = hexapod.leg_lengths(hexapod.home)
    compared = 0
    for _ in range(12):
        place = hexapod.home[:3] + rng.uniform(-0.2, 0.2, 3)
        away = np.concatenate([place, rng.uniform(-0.7, 0.7, 3)])
        end = hexapod.leg_lengths(away)
        fine_path = start + (end - start) * np.linspace(0, 1, 60)[:, None]
        ends = []
        for path in (np.stack([start, end]), fine_path):
            try:
                ends.append(hexapod.follow(path, hexapod.home)[-1])
            except lw.LinkworkError:  # the singularity that the other must meet too
                ends.append(None)
        assert (ends[0] is None) == (ends[1] is None)
        if ends[0] is not None:
            np.testing.assert_allclose(ends[0], ends[1], atol=1e-9)
            compared += 1
    assert compared >= 3


def test_operations_are_fewer_than_the_papers(hexapod) -> None:
    """Dasgupta 4.5 counts 4889 without friction."""
    assert hexapod.kernel("inverse_dynamics", friction=False).counts.flops < 3400
    assert hexapod.kernel("inverse_dynamics").counts.flops < 3400


def test_limits() -> None:
    platform = lw.load("simona")
    lift = np.linspace(0, 0.9, 10)
    poses = platform.home + np.outer(lift, [0, 0, 1, 0, 0, 0, 0])
    report = platform.check_limits(poses, time=np.arange(10.0))
    assert not report.ok
    broken = {item.limit for item in report.breaks}
    assert "length" in broken
    lengths = platform.leg_lengths(poses)
    first = report.breaks[0]
    high = platform.model.legs[0].limits.length[1]
    assert first.worst == 9
    assert first.value == pytest.approx(lengths[9, 0])
    assert first.excess == pytest.approx(lengths[9, 0] - high)
    assert first.first == int(np.argmax(lengths[:, 0] > high))
    assert first.first_time == first.first
    assert f"t = {first.first}" in str(report)
    assert platform.check_limits(platform.home).ok

    legs = tuple(
        replace(leg, limits=LegLimits(rate=0.1, force=10.0, universal_angle=0.01, spherical_angle=0.01))
        for leg in platform.model.legs
    )
    strict = Platform(replace(platform.model, legs=legs))
    fast = np.array([0.5, 0, 0, 0, 0, 0])
    report = strict.check_limits(poses[5] + [0.1, 0, 0, 0, 0, 0, 0], fast, ZERO)
    assert set(report.checked) == {"rate", "force", "universal_angle", "spherical_angle"}
    assert {item.limit for item in report.breaks} == set(report.checked)
    given = strict.check_limits(platform.home, effort=np.full(6, 9.0))
    assert given.ok
    for wrong in (
        {"time": [0, 1]},
        {"time": np.full(10, np.nan)},
        {"time": "a"},
        {"effort": [np.nan] * 6},
        {"effort": "a"},
        {"effort": np.ones(5)},
        {"velocity": np.zeros((4, 6))},
        {"acceleration": ZERO},
        {"wrench": ZERO},
    ):
        (name,) = wrong
        with pytest.raises(lw.InputError, match=f"check_limits|^{name} "):
            platform.check_limits(poses, **wrong)
    with pytest.raises(lw.InputError, match="no state"):
        platform.check_limits(np.zeros((0, 7)))
    assert platform.check_limits(poses[None]).mask.shape == (1, 10)


def message(call) -> str:
    with pytest.raises(lw.LinkworkError) as caught:
        call()
    return str(caught.value)


def test_bad_poses_are_named(hexapod) -> None:
    pose, twist, acceleration = motion("I")
    bad = pose.copy()
    bad[4, 3:] *= 1.1
    text = message(lambda: hexapod.inverse_dynamics(bad, twist, acceleration))
    assert "row 4" in text
    assert "norm 1.1" in text
    assert "unit quaternion" in text
    bad = pose.copy()
    bad[7, 2] = np.nan
    text = message(lambda: hexapod.inverse_dynamics(bad, twist, acceleration))
    assert "pose is nan at row 7" in text
    assert "its last axis must be 7" in message(lambda: hexapod.leg_lengths(np.zeros(5)))
    assert "its last axis must be 7" in message(lambda: hexapod.leg_lengths(1.0))
    assert "force is inf" in message(
        lambda: hexapod.forward_dynamics(pose[0], ZERO, [0, np.inf, 0, 0, 0, 0])
    )
    assert "leg 2 (leg2)" in message(
        lambda: hexapod.forward_dynamics(pose[0], ZERO, [0, np.inf, 0, 0, 0, 0])
    )


def test_leg_along_its_axis_and_zero_length(hexapod) -> None:
    leg = hexapod.model.legs[0]
    along = leg.base_point + 0.5 * leg.fixed_axis - leg.platform_point
    pose = np.concatenate([along, [1, 0, 0, 0]])
    text = message(lambda: hexapod.inverse_dynamics(pose, ZERO, ZERO))
    assert "leg 1 (leg1) lies along its fixed axis" in text
    pose = np.concatenate([leg.base_point - leg.platform_point, [1, 0, 0, 0]])
    assert "leg 1 (leg1) has length zero" in message(lambda: hexapod.inverse_dynamics(pose, ZERO, ZERO))


def test_singular_pose_is_reported() -> None:
    """Equal hexagons, legs parallel: the platform can slide sideways with all legs locked."""
    model = random_platform(1)
    angles = np.arange(6) * np.pi / 3
    points = np.column_stack([np.cos(angles), np.sin(angles), 0 * angles])
    axis = frozen([1.0, 0.0, 0.0])
    legs = tuple(
        replace(leg, base_point=frozen(p), platform_point=frozen(p), fixed_axis=axis)
        for leg, p in zip(model.legs, points, strict=True)
    )
    platform = Platform(replace(model, legs=legs))
    poses = np.array([[0, 0, 1.0, 1, 0, 0, 0], [0.3, 0.2, 1.0, 0.995, 0.0998749, 0, 0]])
    poses[1, 3:] /= np.linalg.norm(poses[1, 3:])
    text = message(lambda: platform.inverse_dynamics(poses[0], ZERO, ZERO))
    assert "singular" in text
    assert "condition number" in text
    nothing = platform.inverse_dynamics(poses, ZERO, ZERO, errors="nan")
    assert np.isnan(nothing[0]).all()


def test_errors_of_forward_kinematics(hexapod) -> None:
    lengths = hexapod.leg_lengths(motion("I")[0][:3])
    text = message(lambda: hexapod.forward_kinematics(np.vstack([lengths, np.full(6, 0.05)])))
    assert "no pose found at row 3" in text
    assert "guess" in text
    found = hexapod.forward_kinematics(np.vstack([lengths, np.full(6, 0.05)]), errors="nan")
    assert np.isnan(found[3]).all()
    assert np.isfinite(found[:3]).all()
    assert "lengths is nan" in message(lambda: hexapod.forward_kinematics(lengths * np.nan))
    assert "norm 2" in message(lambda: hexapod.forward_kinematics(lengths, [0, 0, 0.5, 2, 0, 0, 0]))
    for guess in ([0, 0, 1], "abc", [[1], [2, 3]], object()):
        assert "guess" in message(lambda guess=guess: hexapod.forward_kinematics(lengths, guess))
    assert "guess is nan" in message(lambda: hexapod.forward_kinematics(lengths, [np.nan] * 6))
    assert "do not fit" in message(
        lambda: hexapod.forward_kinematics(lengths, np.tile(hexapod.home, (2, 1)))
    )
    assert "(N, 6)" in message(lambda: hexapod.follow(lengths[0]))
    assert "sample 1, leg 1" in message(
        lambda: hexapod.follow(np.vstack([lengths[:1], np.full((1, 6), np.nan)]))
    )
    assert "one pose" in message(lambda: hexapod.follow(lengths, np.tile(hexapod.home, (2, 1))))
    state = motion("I")[0][0]
    assert "accelerations" in message(lambda: hexapod.motion_from_legs(state, ZERO, "a"))
    assert "accelerations" in message(lambda: hexapod.motion_from_legs(state, ZERO, [1, 2]))
    assert "accelerations" in message(lambda: hexapod.motion_from_legs(state, ZERO, ZERO * np.nan))


def test_errors_of_names(hexapod) -> None:
    state = tuple(part[0] for part in motion("I"))
    assert "Did you mean 'dasgupta1998'" in message(
        lambda: hexapod.inverse_dynamics(*state, formulation="dasgupta98")
    )
    assert "unknown deviation" in message(lambda: hexapod.inverse_dynamics(*state, deviations=["spin"]))
    assert "unknown form" in message(
        lambda: hexapod.inverse_dynamics(*state, formulation="pedrammehr2012", form="open")
    )
    assert "exact formulation only" in message(
        lambda: hexapod.inverse_dynamics(*state, formulation="dasgupta1998", friction=False)
    )
    assert "length_scale" in message(lambda: hexapod.condition_number(state[0], -1.0))
    assert "unknown length scale" in message(lambda: hexapod.condition_number(state[0], "base"))
    for scale in ([1], object(), 1j, np.ones(2)):
        assert "length_scale" in message(lambda scale=scale: hexapod.condition_number(state[0], scale))
    assert "unknown option" in message(lambda: hexapod.kernel("inverse_dynamics", rotor=True))
    assert "unknown option" in message(lambda: hexapod.kernel("jacobian", wrench=True))
    assert "unknown option" in message(lambda: hexapod.kernel("link_motion", formulation="exact"))
    assert "pose_size" in message(lambda: hexapod.kernel("energy", pose_size=5))
    for name in ("coriolis_matrices", "newton"):
        assert "unknown method" in message(lambda name=name: hexapod.kernel(name))
    still = np.zeros((3, 6)), np.zeros((4, 6))
    assert "do not fit" in message(lambda: hexapod.motion_from_legs(hexapod.home, *still))
    for wrong in (5, "no-spin", [1, "no-spin"], [["no-spin"]]):
        assert "a list of names" in message(
            lambda wrong=wrong: hexapod.inverse_dynamics(*state, deviations=wrong)
        )
    assert hexapod.kernel("inverse_dynamics", deviations=["no-spin"]).counts.flops > 0
    for pose in ([[1, 2], [3]], "a", object()):
        assert "pose" in message(lambda pose=pose: hexapod.leg_lengths(pose))
    assert "True and False" in message(lambda: hexapod.inverse_dynamics(*state, friction="no"))
    assert "PlatformModel" in message(lambda: lw.Platform(None))


def test_diagnoses(hexapod) -> None:
    huge = np.array([1e300, 0, 0, 1, 0, 0, 0])
    assert "too large" in message(lambda: hexapod.inverse_dynamics(huge, ZERO, ZERO))
    bodies = {
        "lower": Body.of(0, np.zeros(3), np.zeros((3, 3))),
        "upper": Body.of(0, np.zeros(3), np.zeros((3, 3))),
    }
    legs = tuple(replace(leg, **bodies) for leg in hexapod.model.legs)
    point = Body.of(1.0, np.zeros(3), np.zeros((3, 3)))
    bare = Platform(replace(hexapod.model, legs=legs, platform=point))
    assert "mass matrix is singular" in message(
        lambda: bare.forward_dynamics(hexapod.home, ZERO, np.ones(6))
    )


def test_platforms_can_be_copied(hexapod) -> None:
    expected = hexapod.leg_lengths(hexapod.home)
    for twin in (copy.deepcopy(hexapod), pickle.loads(pickle.dumps(hexapod))):
        np.testing.assert_array_equal(twin.leg_lengths(hexapod.home), expected)


def test_shapes_and_kernels(hexapod) -> None:
    pose, twist, acceleration = motion("I")
    assert hexapod.inverse_dynamics(pose[:, None], twist[:4], acceleration[0]).shape == (61, 4, 6)
    assert hexapod.joint_reactions(pose, twist, acceleration).spherical_force.shape == (61, 6, 3)
    assert hexapod.task_space(pose, twist).mass_matrix.shape == (61, 6, 6)
    assert hexapod.condition_number(pose[0]).shape == ()
    kernel = hexapod.kernel("inverse_dynamics", pose_size=6, wrench=True)
    assert list(kernel.inputs) == ["pose", "twist", "acceleration", "wrench"]
    loop = hexapod.kernel("inverse_dynamics").bind()
    loop.pose, loop.twist, loop.acceleration = pose[3], twist[3], acceleration[3]
    assert not loop()
    np.testing.assert_array_equal(
        loop.force, hexapod.inverse_dynamics(pose[3], twist[3], acceleration[3])
    )
    assert hexapod.formulations == ("exact", "dasgupta1998", "pedrammehr2012")
    assert "dasgupta1998" in repr(hexapod)
    assert len(DEVIATIONS) == 8


def test_quaternions_of_rotations() -> None:
    rng = np.random.default_rng(0)
    for _ in range(200):
        q = rng.normal(size=4)
        q /= np.linalg.norm(q)
        found = quaternion_of(rotation_of(np.concatenate([np.zeros(3), q])))
        assert min(np.abs(found - q).max(), np.abs(found + q).max()) < 1e-14
    for axis in np.eye(3):
        half_turn = np.concatenate([np.zeros(3), [0.0], axis])
        found = quaternion_of(rotation_of(half_turn))
        np.testing.assert_allclose(np.abs(found), np.abs(half_turn[3:]), atol=1e-15)
    assert with_quaternion(np.zeros((2, 3, 6))).shape == (2, 3, 7)
