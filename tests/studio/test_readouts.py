"""Pieces of the page: numbers to read, and no markup from robot files."""

from __future__ import annotations

import math

import numpy as np
import pytest

from linkwork.studio import readouts
from linkwork.studio.colours import BROKEN, IDLE, PULL, PUSH, effort_colour
from linkwork.studio.reading import Reading, Singularity, State, Trouble

HOSTILE = '<img src=x onerror="alert(1)">'


def _reading(effort: list[float], troubles: tuple[Trouble, ...] = ()) -> Reading:
    state = State.at_rest(np.zeros(2), 2)
    return Reading(state, np.array(effort), Singularity(3.0, "good", HOSTILE), troubles, ())


def test_names_from_robot_files_are_shown_not_run() -> None:
    reading = _reading([1.0, -2.0], (Trouble(0, "length", HOSTILE),))
    pieces = [
        readouts.bars(reading, (HOSTILE, "b"), ("N", "N"), np.ones(2), HOSTILE),
        readouts.gauge(reading.singularity),
        readouts.limits(reading, True),
        readouts.alarm(HOSTILE, [HOSTILE]),
        readouts.note(HOSTILE),
    ]
    for piece in pieces:
        assert "<img" not in piece
        assert "&lt;img" in piece


def test_bars_hold_the_number_with_all_digits() -> None:
    text = readouts.bars(_reading([1 / 3, math.nan]), ("a", "b"), ("N", "N m"), np.ones(2), "t")
    assert f'data-value="{1 / 3!r}"' in text
    assert "0.3333 N" in text
    assert ">none<" in text


@pytest.mark.parametrize(
    ("value", "scale", "shown"),
    [(1e-14, 10.0, "0 N"), (123.456, 200.0, "123.5 N"), (-0.00123, 1.0, "-0.0012 N")],
)
def test_small_numbers_are_short(value: float, scale: float, shown: str) -> None:
    assert f">{shown}<" in readouts.bars(
        _reading([value, 0.0]), ("a", "b"), ("N", "N"), np.full(2, scale), "t"
    )


def test_full_bars_are_limits_or_round_numbers() -> None:
    scale = readouts.effort_scale(np.array([3.0, -42.0]), np.array([np.inf, 100.0]))
    np.testing.assert_array_equal(scale, [50.0, 100.0])


def test_colours_tell_sign_size_and_limits() -> None:
    assert effort_colour(0.0, 1.0, False) == IDLE
    assert effort_colour(2.0, 1.0, False) == PUSH
    assert effort_colour(-2.0, 1.0, False) == PULL
    assert effort_colour(0.1, 1.0, True) == BROKEN
    assert effort_colour(math.nan, 1.0, False) == IDLE


@pytest.mark.parametrize(("condition", "shown"), [(12.345, "12.3"), (math.inf, "infinite")])
def test_the_gauge_tells_the_number(condition: float, shown: str) -> None:
    assert f">{shown}</span>" in readouts.gauge(Singularity(condition, "poor", "weak"))
