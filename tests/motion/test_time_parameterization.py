"""Time-optimal timing: known optima, limits kept and used, the way kept, errors that name the joint."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import linkwork as lw
from linkwork.model.joint import Friction, Limits
from linkwork.motion import (
    Excitation,
    JointLine,
    PoseLine,
    Quintic,
    QuinticProfile,
    UniformProfile,
    Waypoints,
    published_path,
    time_optimal,
)
from linkwork.motion.trajectory import CoordinatePath
from linkwork.robot.limits import envelope_share
from tests.motion.catalog import hexapod
from tests.motion.random_paths import excess, random_case, worst_excess
from tests.oracles.toppra_path import by_toppra

FROM, TO = [0.0, -1.5, 1.0, 0.0, 0.0, 0.0], [1.5, -0.5, -1.0, 1.0, 0.5, 2.0]
WEAK = np.array([40.0, 70.0, 30.0, 5.0, 5.0, 5.0])


@pytest.fixture(scope="module")
def planar() -> lw.Arm:
    return lw.load_arm("planar-2r")


@pytest.fixture(scope="module")
def ur5() -> lw.Arm:
    return lw.load_arm("ur5")


def test_bang_bang_of_a_double_integrator(planar) -> None:
    path = Quintic([0.0, 0.0], [1.0, -2.0], 5.0)
    fastest = time_optimal(planar, path, velocity=math.inf, acceleration=8.0, effort=math.inf)
    assert fastest.duration == pytest.approx(2 * math.sqrt(2.0 / 8.0), rel=1e-4)
    capped = time_optimal(planar, path, velocity=1.0, acceleration=8.0, effort=math.inf)
    assert capped.duration == pytest.approx(2.0 / 1.0 + 1.0 / 8.0, rel=1e-3)


def test_pendulum_against_quadrature(planar) -> None:
    """One joint under gravity and a torque limit: energy gives the optimum."""
    limit = 60.0
    path = Quintic([0.0, 0.0], [1.0, 0.0], 1.0)
    arm = planar
    fastest = time_optimal(arm, path, velocity=math.inf, effort=[limit, math.inf])
    q = np.linspace(0, 1, 20001)
    states = np.stack([q, 0 * q], axis=1)
    inertia = arm.mass_matrix(states)[:, 0, 0]
    load = arm.gravity_load(states)[:, 0]
    step = q[1]
    push, brake = (sign * limit - load for sign in (1, -1))

    def energy(torque):  # by the trapezoid rule, from the start
        return np.concatenate([[0], np.cumsum((torque[1:] + torque[:-1]) / 2 * step)])

    up = energy(push)
    down = energy(brake) - energy(brake)[-1]
    rate = np.sqrt(2 * np.minimum(up, down) / inertia)
    duration = 2 * step * (1 / (rate[1:] + rate[:-1])).sum()
    assert fastest.duration == pytest.approx(duration, rel=2e-4)


def shares(robot, fastest, velocity, effort):
    t = np.linspace(0, fastest.duration, 4001)
    motion = fastest.at(t)
    rate = motion[1] if fastest.kind == "joint" else robot.leg_kinematics(*motion).rate
    return np.abs(robot.inverse_dynamics(*motion)) / effort, np.abs(rate) / velocity


def assert_kept_and_used(robot, fastest, velocity, effort) -> None:
    load, rate = shares(robot, fastest, velocity, effort)
    assert load.max() <= 1 + 1e-6
    assert rate.max() <= 1 + 1e-6
    busiest = np.maximum(load.max(axis=1), rate.max(axis=1))
    assert (busiest > 0.97).mean() > 0.95


@pytest.mark.parametrize(
    "path",
    [
        Quintic(FROM, TO, 2.0),
        JointLine(FROM, TO, UniformProfile(2.0)),
        Waypoints([FROM, [1.0, -1.0, 0.0, 1.0, 0.0, 1.0], TO], duration=2.0),
    ],
)
def test_arm(ur5, path) -> None:
    own = time_optimal(ur5, path)
    assert_kept_and_used(ur5, own, math.pi, [150, 150, 150, 28, 28, 28])
    weak = time_optimal(ur5, path, velocity=math.inf, effort=WEAK)
    assert_kept_and_used(ur5, weak, math.inf, WEAK)
    t = np.linspace(0, own.duration, 500)
    ends = own.at([0.0, own.duration])
    np.testing.assert_allclose(ends.q, [FROM, TO], atol=1e-12)
    np.testing.assert_allclose(ends.qd, 0, atol=1e-12)
    # on the way: near some point of the path
    way = path.at(np.linspace(0, path.duration, 20001)).q
    off = [np.abs(way - row).max(axis=1).min() for row in own.at(t[::25]).q]
    assert max(off) < 2e-4


def test_same_way_whatever_the_timing(ur5) -> None:
    slow, quick = (time_optimal(ur5, Quintic(FROM, TO, T)).duration for T in (20.0, 0.1))
    assert slow == pytest.approx(quick, rel=1e-9)
    assert time_optimal(ur5, JointLine(FROM, TO, UniformProfile(1.0))).duration == pytest.approx(slow)


def test_friction() -> None:
    puma = lw.load("puma560")
    path = Quintic([1.5, 0, 1.5, 0, 0, 0], [0.75, 0.5, 0, 0.75, 1.0, 1.5], 2.0)
    effort = [joint.limits.effort for joint in puma.model.joints]
    fastest = time_optimal(puma, path, velocity=math.inf)
    assert_kept_and_used(puma, fastest, math.inf, effort)


@pytest.mark.parametrize(
    "path",
    [
        published_path("dasgupta-I"),
        published_path("pedrammehr-1"),
        PoseLine([0.1, 0, 0.4, 0, 0, -0.2], [0.3, 0, 0.6, 0, 0, 0.2], QuinticProfile(1.0)),
    ],
)
def test_platform(path) -> None:
    fastest = time_optimal(hexapod(), path, velocity=2.0, effort=3000.0)
    assert fastest.kind == "pose"
    assert fastest.duration < 0.5
    assert_kept_and_used(hexapod(), fastest, 2.0, 3000.0)
    np.testing.assert_allclose(
        fastest.at([0.0, fastest.duration]).pose, path.at([0.0, path.duration]).pose, atol=1e-12
    )


def test_platform_acceleration() -> None:
    path = published_path("pedrammehr-1")
    fastest = time_optimal(hexapod(), path, velocity=1.0, acceleration=5.0, effort=math.inf)
    t = np.linspace(0, fastest.duration, 2001)
    legs = hexapod().leg_kinematics(*fastest.at(t))
    assert np.abs(legs.acceleration).max() == pytest.approx(5.0, rel=0.01)
    assert np.abs(legs.rate).max() <= 1.01


def test_missing_limits_are_named(planar, ur5) -> None:
    path = Quintic([0.0, 0.0], [1.0, 1.0], 1.0)
    with pytest.raises(lw.InputError, match=r"joint 1 \(shoulder\), joint 2 \(elbow\).*velocity"):
        time_optimal(planar, path)
    with pytest.raises(lw.InputError, match=r"joint 1 \(shoulder\).*effort"):
        time_optimal(planar, path, velocity=1.0)
    with pytest.raises(lw.InputError, match=r"leg 1 \(leg1\).*velocity"):
        time_optimal(hexapod(), published_path("dasgupta-I"))
    joints = list(ur5.model.joints)
    joints[3] = replace(joints[3], limits=Limits(velocity=1.0))
    with pytest.raises(lw.InputError, match=r"^joint 4 \(wrist_1\): .*effort"):
        time_optimal(lw.Arm(replace(ur5.model, joints=tuple(joints))), Quintic(FROM, TO, 1.0))
    with pytest.raises(lw.InputError, match="nothing bounds the accelerations"):
        time_optimal(planar, path, velocity=1.0, effort=math.inf)


def test_wrong_arguments(planar, ur5) -> None:
    path = Quintic([0.0, 0.0], [1.0, 1.0], 1.0)
    with pytest.raises(lw.InputError, match="n = 6"):
        time_optimal(ur5, path)
    with pytest.raises(lw.InputError, match="pose trajectory"):
        time_optimal(hexapod(), path, velocity=1.0, effort=1e4)
    with pytest.raises(lw.InputError, match="robot"):
        time_optimal("ur5", path)
    for name, value in (
        ("velocity", -1.0),
        ("acceleration", [1, 2, 3]),
        ("effort", np.nan),
        ("grid", 3),
    ):
        given = {"velocity": 1.0, "effort": 100.0, name: value}
        with pytest.raises(lw.InputError, match=name):
            time_optimal(planar, path, **given)
    with pytest.raises(lw.InputError, match="does not move"):
        time_optimal(planar, Quintic([1.0, 1.0], [1.0, 1.0], 1.0), velocity=1.0, effort=100.0)


def test_paths_that_no_timing_helps(planar) -> None:
    path = Quintic([0.0, 0.0], [1.0, 1.0], 1.0)
    with pytest.raises(
        lw.InputError, match=r"joint 1 \(shoulder\) needs 19.62 just to stand still at 0 %"
    ):
        time_optimal(planar, path, velocity=1.0, effort=15.0)
    back = Excitation([0.0, 0.0], [1.0, 1e-9], 1.0)
    with pytest.raises(lw.InputError, match="turns sharply or back near t"):
        time_optimal(planar, back, velocity=1.0, effort=100.0)


@pytest.mark.parametrize("name", ["ur5", "puma560", "delta", "small-hexapod", "excavator"])
def test_random_paths_exceed_no_limit(name) -> None:
    assert worst_excess(name, 0, 2) <= 1e-6


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "count"),
    [
        *(("ur5", 4500), ("panda", 4500), ("puma560", 400), ("delta", 200)),
        *(("dasgupta1998", 200), ("excavator", 200)),
    ],
)
def test_ten_thousand_random_paths_exceed_no_limit(name, count) -> None:
    assert worst_excess(name, 0, count) <= 1e-6


def with_friction(arm: lw.Arm, envelope=None, **friction) -> lw.Arm:
    joints = [
        replace(
            joint, friction=Friction(**friction), limits=replace(joint.limits, effort_velocity=envelope)
        )
        for joint in arm.model.joints
    ]
    return lw.Arm(replace(arm.model, joints=tuple(joints)))


@pytest.mark.parametrize(
    "friction",
    [
        {"viscous": 8.0, "coulomb_forward": 5.0, "coulomb_backward": -3.0},
        {"viscous": 8.0, "viscous_power": 0.6},
        {"stribeck": 4.0, "stribeck_velocity": 0.2, "coulomb_forward": 2.0, "coulomb_backward": -2.0},
        {"load_friction": 0.3, "viscous": 2.0},
    ],
)
def test_friction_is_exact(planar, friction) -> None:
    """One joint against the quadrature of its own motion: dx/ds from the torque that friction leaves."""
    rough = with_friction(planar, **friction)
    path = Quintic([0.0, 0.0], [1.0, 0.0], 1.0)
    fastest = time_optimal(rough, path, velocity=math.inf, effort=[60.0, math.inf], grid=1600)
    assert fastest.duration == pytest.approx(quadrature(rough, lambda speed: 60.0), rel=1e-3)


def quadrature(arm, limit) -> float:
    """The shortest duration of one radian of the first joint, whose torque has a limit by its speed."""

    def slope(q, x, sign):
        torque = sign * limit(math.sqrt(max(x, 0.0)))
        state = np.array([q, 0.0]), np.array([math.sqrt(max(x, 1e-12)), 0.0])
        unit = arm.inverse_dynamics(*state, np.array([1.0, 0.0]))[0]
        none = arm.inverse_dynamics(*state, np.zeros(2))[0]
        # Friction under load has a corner where what the joint carries changes sign.
        u = (torque - none) / (unit - none)
        for _ in range(5):
            found = arm.inverse_dynamics(*state, np.array([u, 0.0]))[0]
            more = arm.inverse_dynamics(*state, np.array([u * (1 + 1e-6) + 1e-9, 0.0]))[0]
            u += (torque - found) * (u * 1e-6 + 1e-9) / (more - found)
        return 2 * u

    options = {"rtol": 1e-9, "atol": 1e-12, "dense_output": True, "max_step": 0.02}
    up = solve_ivp(lambda q, x: [slope(q, x[0], 1)], (0, 1), [0.0], **options)
    down = solve_ivp(lambda q, x: [slope(q, x[0], -1)], (1, 0), [0.0], **options)
    edges = np.concatenate([np.linspace(0, 1, 2001) ** 2 / 2, 1 - np.linspace(1, 0, 2001)[1:] ** 2 / 2])
    rate = np.sqrt(np.maximum(np.minimum(up.sol(edges)[0], down.sol(edges)[0]), 0.0))
    return float((2 * np.diff(edges) / (rate[1:] + rate[:-1])).sum())


def test_force_velocity_envelopes(planar) -> None:
    envelope = ((0.0, 60.0), (1.0, 50.0), (6.0, 20.0))
    arm = with_friction(planar, envelope)
    fastest = time_optimal(arm, Quintic([0.0, 0.0], [1.0, 0.0], 1.0), grid=1600)
    motion = fastest.at(np.linspace(0, fastest.duration, 20001))
    effort = arm.inverse_dynamics(*motion)
    assert envelope_share(envelope, motion.qd[:, 0], effort[:, 0]).max() <= 1 + 1e-6
    optimum = quadrature(arm, lambda speed: float(np.interp(speed, *np.transpose(envelope))))
    assert fastest.duration == pytest.approx(optimum, rel=2e-3)


def test_no_friction_of_joints_that_stand_still(planar) -> None:
    """Coulomb friction of a joint at rest would cost it all of its effort."""
    rough = with_friction(planar, coulomb_forward=29.0, coulomb_backward=-29.0)
    path = Quintic([0.3, -math.pi / 2 - 0.3], [1.0, -math.pi / 2 - 1.0], 1.0)
    still = Quintic([math.pi / 2, 0.0], [math.pi / 2, 0.2], 1.0)
    for one in (path, still):
        fastest = time_optimal(rough, one, velocity=math.inf, effort=[80.0, 60.0])
        motion = fastest.at(np.linspace(0, fastest.duration, 5001))
        assert (np.abs(rough.inverse_dynamics(*motion)) <= np.array([80.0, 60.0]) * (1 + 1e-6)).all()
    assert not motion.qd[:, 0].any()


def test_zero_inertia_and_singular_points(planar) -> None:
    """Where a joint turns back its acceleration does not depend on that of the path; there other methods
    chatter."""
    path = Waypoints([[0.0, 0.0], [0.8, 0.5], [0.0, 1.0]], duration=1.0)
    fine, coarse = (
        time_optimal(planar, path, velocity=math.inf, acceleration=5.0, effort=math.inf, grid=grid)
        for grid in (3200, 200)
    )
    assert coarse.duration == pytest.approx(fine.duration, rel=2e-3)
    rates = coarse.profile.rates
    wiggles = np.diff(np.sign(np.diff(rates)))
    assert np.count_nonzero(wiggles) <= 8


def test_orientations_beside_joints() -> None:
    robot = lw.load("hexapod-with-arm")
    home = robot.coordinates.to_angles(robot.home)
    way = np.linspace(0.01, 0.05, len(home))
    path = CoordinatePath(Quintic(home, home + way, 1.0), robot.coordinates)
    rng = np.random.default_rng(0)
    bounds = {"velocity": 1.0, "acceleration": 2.0, "effort": 1e5}
    fastest = time_optimal(robot, path, **bounds)
    assert excess(robot, fastest, bounds, rng) <= 1e-6


@pytest.mark.parametrize("seed", range(4))
def test_toppra(seed) -> None:
    """The authors' library on the same path and limits."""
    robot = lw.load("ur5")
    path, bounds = random_case(robot, np.random.default_rng(seed))
    ours = time_optimal(robot, path, **bounds, grid=2000)
    assert ours.duration == pytest.approx(by_toppra(robot, path, bounds, 2000), rel=1e-3)


def test_ruckig(ur5) -> None:
    """From point to point along a straight line, without a limit of jerk, which only Ruckig has."""
    ruckig = pytest.importorskip("ruckig", reason="ruckig has no binary package for this system")
    way = np.abs(np.subtract(TO, FROM))
    rng = np.random.default_rng(3)
    for _ in range(5):
        velocity, acceleration = rng.uniform(0.5, 3, 6), rng.uniform(1, 20, 6)
        path = JointLine(FROM, TO, UniformProfile(1.0))
        bounds = {"velocity": velocity, "acceleration": acceleration, "effort": math.inf}
        ours = time_optimal(ur5, path, **bounds)
        asked = ruckig.InputParameter(1)
        asked.target_position = [1.0]
        asked.max_velocity, asked.max_acceleration = [min(velocity / way)], [min(acceleration / way)]
        found = ruckig.Trajectory(1)
        ruckig.Ruckig(1).calculate(asked, found)
        assert ours.duration == pytest.approx(found.duration, rel=1e-3)
