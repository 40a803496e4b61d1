"""Moving a robot: sliders, dragging, home, motions and their clock."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import linkwork as lw
from linkwork.core.errors import InputError
from linkwork.studio.controls import controls_of, home_of, position_of, values_of
from linkwork.studio.motion import Playback, between, bundled_motions
from linkwork.studio.panel_pose import mode_labels
from linkwork.studio.robot_file import RobotSource
from linkwork.studio.session import Session
from tests.studio.running import SHOWN


@pytest.mark.parametrize("name", SHOWN)
def test_sliders_show_home_and_lead_back_to_it(name: str) -> None:
    robot = lw.load(name)
    controls, home = controls_of(robot), home_of(robot)
    values = values_of(robot, home)
    np.testing.assert_allclose(position_of(robot, values), home, atol=1e-12)
    for control, value in zip(controls, values, strict=True):
        assert control.low <= value <= control.high
        assert control.unit in ("m", "deg")
        assert 100 < (control.high - control.low) / control.step < 10000


def test_sliders_reach_beyond_the_limits_that_they_come_from() -> None:
    arm = lw.load("puma560")
    waist = controls_of(arm)[0]
    assert waist.low < -160 < 160 < waist.high
    hexapod = lw.load("pi-h811")
    for k, control in enumerate(controls_of(hexapod)):
        values = values_of(hexapod, hexapod.home)
        values[k] = control.high
        assert not hexapod.check_limits(position_of(hexapod, values)).ok


@pytest.mark.parametrize("name", ["puma560", "ur5", "iiwa14", "stanford", "planar-2r"])
def test_dragging_the_tip_finds_the_joints(name: str) -> None:
    session = Session(RobotSource(name))
    arm, random = session.robot, np.random.default_rng(1)
    assert isinstance(arm, lw.Arm)
    low, high = np.clip(arm.limits.position, -2.0, 2.0).T
    for _ in range(20):
        begin = random.uniform(0.7 * low + 0.3 * high, 0.3 * low + 0.7 * high)
        session.place(begin)
        wanted = arm.forward_kinematics(np.clip(begin + random.uniform(-0.2, 0.2, arm.n), low, high))
        session.drag(wanted)
        np.testing.assert_allclose(session.handle, wanted, atol=1e-7)


def test_dragging_out_of_reach_stops_at_limits_and_stays_near() -> None:
    session = Session(RobotSource("puma560"))
    arm = session.robot
    low, high = arm.limits.position.T
    target = arm.forward_kinematics(np.array([0.3, 0.4, -0.5, 0.3, 0.4, 0.1]))
    target[:3, 3] *= 4.0
    missed = []
    for turn in (True, False):
        session.place(home_of(arm))
        session.drag(target, turn)
        q = session.state.position
        assert ((q >= low) & (q <= high)).all()
        missed.append(np.linalg.norm(session.handle[:3, 3] - target[:3, 3]))
    assert missed[0] > 0.5
    assert missed[1] <= missed[0] + 1e-9


def test_other_poses_with_the_same_lengths_are_listed() -> None:
    simona = lw.load("simona")
    lengths = simona.leg_lengths(simona.home)
    labels = mode_labels(simona.assembly_modes(lengths))
    first, *others = labels
    assert first.startswith("1: condition 2.92, limits kept")
    assert all("beyond limits" in label for label in others)
    found = simona.leg_lengths(np.array(list(labels.values())))
    assert np.abs(found - lengths).max() < 1e-9


def test_dragging_a_platform_places_it() -> None:
    session = Session(RobotSource("simona"))
    target = session.handle
    target[:3, 3] += [0.1, -0.2, 0.05]
    session.drag(target)
    np.testing.assert_allclose(session.handle, target, atol=1e-12)
    np.testing.assert_array_equal(session.state.velocity, 0)


def test_a_load_changes_the_forces() -> None:
    session = Session(RobotSource("ur5"))
    free = session.read().effort
    session.load = np.array([0, 0, 20.0, 0, 0, 0])
    pressed = session.read().effort
    robot = session.robot
    expected = robot.inverse_dynamics(
        session.state.position, np.zeros(6), np.zeros(6), tip_wrench=session.load
    )
    np.testing.assert_array_equal(pressed, expected)
    assert np.abs(pressed - free).max() > 0.1


@pytest.mark.parametrize("name", SHOWN)
def test_every_bundled_motion_can_be_followed(name: str) -> None:
    session = Session(RobotSource(name))
    assert len(session.choices) >= 3
    for choice in bundled_motions(session.robot):
        session.choose(choice.make(), choice.name)
        session.playback.seek(0.4 * session.playback.duration)
        session.follow()
        reading = session.read()
        assert np.isfinite(reading.effort).all(), choice.name
        expected = session.robot.inverse_dynamics(*session.motion.at(session.playback.time))
        np.testing.assert_allclose(reading.effort, expected, rtol=1e-12)


def test_from_here_to_there_begins_and_ends_at_rest() -> None:
    robot = lw.load("simona")
    end = robot.home + np.array([0.1, 0.2, -0.1, 0, 0, 0, 0])
    motion = between(robot, robot.home, end, 3.0)
    np.testing.assert_allclose(motion.at(3.0)[0], end, atol=1e-12)
    np.testing.assert_allclose(motion.at(0.0)[1], 0, atol=1e-12)
    with pytest.raises(InputError, match="the same"):
        between(robot, end, end, 3.0)


def test_the_clock_plays_pauses_steps_and_repeats() -> None:
    clock = Playback(2.0)
    assert not clock.advance(1.0)
    clock.toggle()
    clock.speed = 2.0
    assert clock.advance(0.75)
    assert clock.time == 1.5
    clock.advance(0.5)
    assert clock.time == pytest.approx(0.5)
    clock.step(-1)
    assert not clock.playing
    assert clock.time == pytest.approx(0.48)
    clock.repeat, clock.playing = False, True
    clock.advance(10)
    assert (clock.time, clock.playing) == (2.0, False)
    clock.toggle()
    assert (clock.time, clock.playing) == (0.0, True)


@given(st.lists(st.one_of(st.floats(-5, 5), st.integers(-300, 300)), max_size=30))
def test_the_clock_stays_within_the_motion(moves: list[float | int]) -> None:
    clock = Playback(1.7, playing=True)
    for move in moves:
        if isinstance(move, int):
            clock.step(move)
        else:
            clock.playing = True
            clock.advance(abs(move))
        assert 0 <= clock.time <= clock.duration
