"""Time-optimal timing: known optima, limits kept and used, the way kept, errors that name the joint."""

from __future__ import annotations

import math
import sys
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("toppra", reason="toppra has no binary package for this system")

import linkwork as lw
from linkwork.model.joint import Limits
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
from tests.motion.catalog import hexapod

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
    assert load.max() <= 1.01
    assert rate.max() <= 1.01
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


def test_without_the_library(planar, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "toppra", None)
    with pytest.raises(lw.LinkworkError, match="pip install toppra"):
        time_optimal(planar, Quintic([0.0, 0.0], [1.0, 1.0], 1.0), velocity=1.0, effort=100.0)
