"""Stops: paths that end at rest, simulations that balance energy, brakes that hold what they can."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import linkwork as lw
from linkwork.analysis.requirement_parts import RequiredStops
from linkwork.analysis.stops import PathStop, Stops, felt_inertia, path_stops
from linkwork.motion.bundled import motion_for

DRIVEN = Path(__file__).parents[2] / "examples" / "driven-simulator.yaml"


def stops_of(robot: lw.Robot, name: str, **asked: float) -> Stops:
    sizing = lw.size_actuators(robot, [name], period=0.02)
    return Stops(robot, RequiredStops(**asked), sizing.studies, (motion_for(robot, name),))


def test_a_stop_along_the_path_is_the_motion_ever_slower() -> None:
    """Velocities and accelerations are derivatives of the positions, and all of them are on the path."""
    arm = lw.load("ur5")
    motion = motion_for(arm, "home-quintic")
    stop = PathStop(motion, 0.8, 0.4, reaction=0.1)
    t, h = np.linspace(0.0, 0.6, 25), 1e-6
    q, qd, qdd = stop.at(t)
    np.testing.assert_allclose(q[t <= 0.1], motion.at(0.8 + t[t <= 0.1])[0], rtol=1e-14)
    rate = (stop.at(t + h)[0] - stop.at(t - h)[0]) / (2 * h)
    smooth = np.abs(t - 0.1) > 2 * h
    np.testing.assert_allclose(qd[1:][smooth[1:]], rate[1:][smooth[1:]], atol=1e-8)
    change = (stop.at(t + h)[1] - stop.at(t - h)[1]) / (2 * h)
    np.testing.assert_allclose(qdd[1:][smooth[1:]], change[1:][smooth[1:]], atol=2e-5)
    assert not qd[t >= 0.5].any()
    # Half of the stop's duration is gone along the path when it has ended.
    np.testing.assert_allclose(q[-1], motion.at(np.array([0.8 + 0.1 + 0.2]))[0][0], rtol=1e-12)


def test_stops_that_begin_anywhere_are_those_of_single_instants() -> None:
    robot = lw.load("delta")
    motion = motion_for(robot, "home-quintic")
    c, cd, _ = path_stops(motion, 0.3)
    begin = motion.at(np.linspace(0, motion.duration, len(c) // 25))
    np.testing.assert_allclose(c[::25], begin[0], rtol=1e-14)
    np.testing.assert_allclose(cd[::25], begin[1], rtol=1e-14)
    assert not cd[24::25].any()


def test_felt_inertias_are_those_of_actuators_alone() -> None:
    """A unit effort of one actuator accelerates it by the reciprocal, all others free."""
    robot = lw.load("simona")
    bare = robot.with_drives(None)
    still, none = np.zeros(6), np.zeros(3)
    felt = felt_inertia(bare, bare.home)
    for k, push in enumerate(np.eye(6)):
        rate = bare.forward_dynamics(bare.home, still, push, gravity=none)
        moved = bare.actuator_motion(bare.home, still, rate).acceleration
        assert moved[k] == pytest.approx(1 / felt[k], rel=1e-9)


@pytest.fixture(scope="module")
def braked() -> Stops:
    return stops_of(lw.load(DRIVEN), "heave", brake_delay=0.05)


def test_brakes_take_the_energy_of_the_fall(braked: Stops) -> None:
    """Without power: what is lost of kinetic and potential energy is the work of brakes and friction."""
    stop = next(each for each in braked.simulated if each.case == "loss of power")
    assert stop.holds
    robot = braked.robot
    energy = [robot.energy(stop.position[k], stop.velocity[k]) for k in (0, -1)]
    lost = sum(energy[0]) - sum(energy[1])
    rate = robot.actuator_motion(stop.position, stop.velocity).velocity
    model = robot.model.legs[0]
    held = braked.braked.model.legs[0].friction
    brake = held.coulomb - model.friction.coulomb
    assert brake == pytest.approx(model.drive.motor.brake_torque * model.drive.ratio)
    middle, steps = (rate[1:] + rate[:-1]) / 2, np.diff(stop.time)
    dry = model.friction.coulomb + brake * (stop.time[1:] > 0.05 + 1e-6)
    power = (model.friction.prismatic * middle**2 + dry[:, None] * np.abs(middle)).sum(axis=1)
    assert lost == pytest.approx(power @ steps, rel=1e-4)
    assert np.abs(rate[-1]).max() < braked.still


@pytest.fixture(scope="module")
def simona() -> Stops:
    return stops_of(lw.load_platform("simona"), "heave")


def test_a_fall_without_brakes_ends_at_a_limit(simona: Stops) -> None:
    """The path is that of forward dynamics without efforts, integrated by SciPy."""
    from scipy.integrate import solve_ivp

    robot = simona.robot
    stop = next(each for each in simona.simulated if each.case == "loss of power")
    assert not stop.holds
    assert stop.rest is None
    low, high = robot.limits.position.T
    lengths = robot.leg_lengths(stop.position)
    assert ((lengths[-1] < low) | (lengths[-1] > high)).any()
    assert ((lengths[:-1] >= low) & (lengths[:-1] <= high)).all()
    assert "reaches its limit" in stop.ended

    def rate(_, x):  # in heave alone nothing turns
        pose = np.concatenate([stop.position[0][:2], x[:1], stop.position[0][3:]])
        twist = np.array([0, 0, x[1], 0, 0, 0])
        return [x[1], robot.forward_dynamics(pose, twist, np.zeros(6))[2]]

    begin = [stop.position[0, 2], stop.velocity[0, 2]]
    expected = solve_ivp(rate, (0, stop.time[-1]), begin, rtol=1e-10, atol=1e-12, t_eval=stop.time)
    np.testing.assert_allclose(stop.position[:, 2], expected.y[0], atol=1e-7)
    assert stop.distance == pytest.approx(np.abs(expected.y[0] - begin[0]).max(), abs=1e-6)


def test_a_dead_drive_gives_nothing_and_working_ones_their_limits_at_most(simona: Stops) -> None:
    robot = simona.robot
    names = robot.efforts.names
    for stop in simona.simulated:
        for k, name in enumerate(names):
            if stop.case == f"{name} dead":
                assert stop.effort[k] < 1e-3 * stop.effort.max()
        if stop.case != "loss of power":
            assert (stop.effort <= robot.limits.effort * (1 + 1e-3)).all()
    first = simona.simulated[0]
    assert first.case == "emergency stop"
    assert first.holds
    reference = PathStop(first.onset.motion, first.onset.time, 0.3)
    wanted = reference.at(first.time)[0]
    behind = np.abs(robot.leg_lengths(first.position) - robot.leg_lengths(wanted)).max()
    assert behind < 2e-3  # the loops follow the path
    assert first.rest <= first.time[-1]
