"""Pieces of the page: numbers to read, and no markup from robot files."""

from __future__ import annotations

import math

import numpy as np
import pytest

from linkwork.core.rotations import rotation_rpy
from linkwork.robot.coordinates import Coordinates
from linkwork.robot.limits import quantity
from linkwork.studio import readouts
from linkwork.studio.reading import BrokenLimit, ConditionReading, MotionState, StateReading
from linkwork.studio.readouts import BROKEN, IDLE, PULL, PUSH, effort_color
from linkwork.studio.units import Units

HOSTILE = '<img src=x onerror="alert(1)">'


def _reading(effort: list[float], broken: tuple[BrokenLimit, ...] = ()) -> StateReading:
    state = MotionState.at_rest(np.zeros(2), 2)
    return StateReading(state, np.array(effort), ConditionReading(3.0, "good", HOSTILE), broken, ())


def _efforts(*names: str) -> Coordinates:
    return Coordinates(names, names, ("N",) * len(names))


def test_bars_of_forces_are_red_for_forces_only() -> None:
    red = readouts.RED
    short = _reading([1.0, 2.0], (BrokenLimit(0, "length", "too short"),))
    assert red not in readouts.bars(short, _efforts("a", "b"), np.full(2, 5.0), "forces")
    weak = _reading([1.0, 9.0], (BrokenLimit(1, "force", "too weak"),))
    assert red in readouts.bars(weak, _efforts("a", "b"), np.full(2, 5.0), "forces")


def test_strokes_and_velocities_are_shown_with_their_limits() -> None:
    stroke = quantity("position", ("a", "b"), ("rad", "m"), np.array([[1.0, 0.7]]),
                      np.array([[-np.pi, np.pi], [0.0, 0.5]]))  # fmt: skip
    text = readouts.strokes(stroke, "Joint positions", Units("deg"))
    assert "57.3 deg" in text
    assert "0.7 m" in text
    assert text.count(readouts.RED) == 2  # bar and number of the second only
    fast = quantity("velocity", ("a",), "m/s", np.array([[-0.02]]), np.array([0.05]))
    assert "-0.02 m/s" in readouts.velocities(fast, "Velocities", Units("deg"))


def test_the_pose_of_the_tip_is_told_in_degrees() -> None:
    pose = np.eye(4)
    pose[:3, :3] = rotation_rpy(0.0, 0.0, np.pi / 2)
    pose[:3, 3] = [0.25, -1.0, 0.0]
    text = readouts.pose(pose, "Tip", Units("deg"))
    assert "0.25 -1 0" in text
    assert "0 0 90" in text


def test_names_from_robot_files_are_shown_not_run() -> None:
    reading = _reading([1.0, -2.0], (BrokenLimit(0, "length", HOSTILE),))
    pieces = [
        readouts.bars(reading, _efforts(HOSTILE, "b"), np.ones(2), HOSTILE),
        readouts.gauge(reading.singularity),
        readouts.limits(reading, True),
        readouts.alarm(HOSTILE, [HOSTILE]),
        readouts.note(HOSTILE),
    ]
    for piece in pieces:
        assert "<img" not in piece
        assert "&lt;img" in piece


def test_bars_hold_the_number_with_all_digits() -> None:
    text = readouts.bars(_reading([1 / 3, math.nan]), _efforts("a", "b"), np.ones(2), "t")
    assert f'data-value="{1 / 3!r}"' in text
    assert "0.3333 N" in text
    assert ">none<" in text


@pytest.mark.parametrize(
    ("value", "scale", "shown"),
    [(1e-14, 10.0, "0 N"), (123.456, 200.0, "123.5 N"), (-0.00123, 1.0, "-1.23 mN")],
)
def test_small_numbers_are_short(value: float, scale: float, shown: str) -> None:
    assert f">{shown}<" in readouts.bars(
        _reading([value, 0.0]), _efforts("a", "b"), np.full(2, scale), "t"
    )


def test_full_bars_are_limits_or_round_numbers() -> None:
    scale = readouts.effort_scale(np.array([3.0, -42.0]), np.array([np.inf, 100.0]))
    np.testing.assert_array_equal(scale, [50.0, 100.0])


def test_colors_tell_sign_size_and_limits() -> None:
    assert effort_color(0.0, 1.0, False) == IDLE
    assert effort_color(2.0, 1.0, False) == PUSH
    assert effort_color(-2.0, 1.0, False) == PULL
    assert effort_color(0.1, 1.0, True) == BROKEN
    assert effort_color(math.nan, 1.0, False) == IDLE


@pytest.mark.parametrize(("condition", "shown"), [(12.345, "12.3"), (math.inf, "infinite")])
def test_the_gauge_tells_the_number(condition: float, shown: str) -> None:
    assert f">{shown}</span>" in readouts.gauge(ConditionReading(condition, "poor", "weak"))
