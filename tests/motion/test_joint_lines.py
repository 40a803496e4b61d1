"""Joint-space profiles: their ends, their bounds, and what the errors say fits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkwork import InputError
from linkwork.motion import (
    Cubic,
    JointLine,
    LinearParabolicBlend,
    Quintic,
    QuinticProfile,
    Retimed,
    RetimedPoses,
    Trapezoid,
    UniformProfile,
    published_path,
)

START, END = [0.0, 1.0, -2.0], [1.0, 1.0, 2.0]


@pytest.mark.parametrize(
    "line",
    [Quintic(START, END, 2.0), Cubic(START, END, 2.0), LinearParabolicBlend(START, END, 2.0, 0.5)],
)
def test_from_rest_to_rest(line) -> None:
    q, qd, _ = line.at([0.0, 1.0, 2.0])
    np.testing.assert_allclose(q, [START, np.add(START, END) / 2, END], atol=1e-15)
    np.testing.assert_allclose(qd[[0, 2]], 0, atol=1e-15)


def test_quintic_ends_without_acceleration() -> None:
    assert not Quintic(START, END, 2.0).at([0.0, 2.0]).qdd.any()
    assert Cubic(START, END, 2.0).at(0.0).qdd == pytest.approx([1.5, 0, 6])


def test_blend() -> None:
    line = LinearParabolicBlend(START, END, 2.0, 0.5)
    assert line.at(1.0).qd == pytest.approx([1 / 1.5, 0, 4 / 1.5])
    assert line.at([0.5, 0.5 + 1e-9, 1.5, 1.5 + 1e-9]).qdd[:, 0] == pytest.approx([4 / 3, 0, 0, -4 / 3])
    LinearParabolicBlend(START, END, 2.0, 1.0)
    for wrong in (1.1, 0.0, -1.0, np.nan):
        with pytest.raises(InputError, match="blend"):
            LinearParabolicBlend(START, END, 2.0, wrong)
    with pytest.raises(InputError, match=r"up to 1 s, or a duration from 2\.2 s on"):
        LinearParabolicBlend(START, END, 2.0, 1.1)


def test_trapezoid_of_velocity_and_acceleration_is_the_shortest() -> None:
    line = Trapezoid(START, END, velocity=[1.0, 1.0, 2.0], acceleration=[10.0, 1.0, 4.0])
    motion = line.at(np.linspace(0, line.duration, 4001))
    # joint 3 needs most: 4 rad at 2 rad/s and 4 rad/s^2
    assert line.duration == pytest.approx(4 / 2 + 2 / 4)
    assert np.abs(motion.qd).max(axis=0) == pytest.approx([0.5, 0, 2])
    assert np.abs(motion.qdd).max(axis=0) == pytest.approx([1, 0, 4])
    triangle = Trapezoid([0.0], [1.0], velocity=10.0, acceleration=4.0)
    assert triangle.duration == pytest.approx(1.0)


def test_trapezoid_of_duration_and_one_more() -> None:
    by_velocity = Trapezoid(START, END, duration=3.0, velocity=2.0)
    assert by_velocity.profile.blend == pytest.approx(1.0)  # type: ignore[attr-defined]
    by_acceleration = Trapezoid(START, END, duration=3.0, acceleration=2.0)
    assert by_acceleration.profile.blend == pytest.approx(1.0)  # type: ignore[attr-defined]
    assert Trapezoid(START, END, duration=4.0, velocity=2.0).profile.blend == pytest.approx(2.0)  # type: ignore[attr-defined]
    assert Trapezoid([0.0], [1.0], 2.0, acceleration=1.0).profile.blend == pytest.approx(1.0)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "two of"),
        ({"duration": 1.0}, "two of"),
        ({"duration": 1.0, "velocity": 1.0, "acceleration": 1.0}, "two of"),
        ({"duration": 2.0, "velocity": 2.0}, "above 2 s and up to 4 s.*above 1 and up to 2"),
        ({"duration": 4.5, "velocity": 2.0}, "above 2 s and up to 4 s"),
        ({"duration": 2.0, "acceleration": 1.0}, "4 s or more.*by 4 or more"),
        ({"velocity": -1.0, "acceleration": 1.0}, "velocity"),
        ({"velocity": [1.0, 1.0], "acceleration": 1.0}, "velocity"),
        ({"velocity": np.nan, "acceleration": 1.0}, "velocity"),
        ({"velocity": 1.0, "acceleration": np.inf}, "finite acceleration"),
        ({"duration": np.nan, "velocity": 1.0}, "duration"),
    ],
)
def test_trapezoids_that_do_not_fit(given, message) -> None:
    with pytest.raises(InputError, match=message):
        Trapezoid(START, END, **given)


def test_trapezoid_that_rests() -> None:
    assert Trapezoid(START, START, 2.0, velocity=1.0).at(1.0).q == pytest.approx(START)
    with pytest.raises(InputError, match="give a duration"):
        Trapezoid(START, START, velocity=1.0, acceleration=1.0)


@given(
    way=st.lists(st.floats(-10, 10), min_size=1, max_size=5),
    velocity=st.floats(0.01, 100),
    acceleration=st.floats(0.01, 100),
)
def test_trapezoid_keeps_its_bounds(way, velocity, acceleration) -> None:
    if max(map(abs, way)) < 1e-6:
        return
    line = Trapezoid(np.zeros(len(way)), way, velocity=velocity, acceleration=acceleration)
    _, qd, qdd = line.at(np.linspace(0, line.duration, 101))
    assert np.abs(qd).max() <= velocity * (1 + 1e-9)
    assert np.abs(qdd).max() <= acceleration * (1 + 1e-9)
    again = Trapezoid(
        np.zeros(len(way)), way, line.duration, acceleration=np.abs(qdd).max() * (1 + 1e-12)
    )
    assert again.profile.blend == pytest.approx(line.profile.blend, rel=1e-4)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("start", "end", "duration", "name"),
    [
        ([], [], 1.0, "start"),
        ([[0.0]], [[1.0]], 1.0, "start"),
        ([0.0, np.nan], [1.0, 1.0], 1.0, "start is nan at 1"),
        ([0.0], [1.0, 2.0], 1.0, "end has 2 numbers"),
        (["a"], [1.0], 1.0, "start"),
        ([0.0], [1.0], 0.0, "duration"),
        ([0.0], [1.0], None, "duration"),
    ],
)
def test_wrong_arguments_are_named(start, end, duration, name) -> None:
    for kind in (Quintic, Cubic):
        with pytest.raises(InputError, match=name):
            kind(start, end, duration)


def test_retimed_is_the_same_way() -> None:
    slow = JointLine(START, END, UniformProfile(5.0))
    quick, direct = Retimed(slow, QuinticProfile(1.0)), Quintic(START, END, 1.0)
    t = np.linspace(0, 1, 20)
    for ours, theirs in zip(quick.at(t), direct.at(t), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-12)
    with pytest.raises(InputError, match="joint trajectory"):
        Retimed(published_path("dasgupta-I"), QuinticProfile(1.0))
    with pytest.raises(InputError, match="pose trajectory"):
        RetimedPoses(slow, QuinticProfile(1.0))
