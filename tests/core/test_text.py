"""Numbers as people read them."""

from __future__ import annotations

import math

import pytest

from linkwork.core.text import number, shown, with_unit


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (21434.5, "21 430"),
        (2107.4, "2107"),
        (-0.25, "-0.25"),
        (100.0, "100"),
        (0.0, "0"),
        (2.107e-8, "2.107e-8"),
        (9999.96, "10 000"),
        (1.5e9, "1.5e9"),
        (None, "-"),
        (math.nan, "-"),
        (math.inf, "inf"),
    ],
)
def test_numbers(value: float | None, text: str) -> None:
    assert number(value) == text


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (21434.5, "N", "21 430 N"),
        (120e3, "N", "120 kN"),
        (2.5e-4, "rad", "0.25 mrad"),
        (2.107e-8, "rad", "21.07 nrad"),
        (0.005, "m", "5 mm"),
        (0.005, "kg", "0.005 kg"),
        (-3.2, "", "-3.2"),
    ],
)
def test_units_get_the_prefix_that_suits(value: float, unit: str, text: str) -> None:
    assert with_unit(value, unit) == text


def test_angles_are_shown_in_degrees_unless_the_robot_file_has_radians() -> None:
    assert shown(math.pi / 4, "rad") == "45 deg"
    assert shown(math.pi / 4, "rad", "rad") == "0.7854 rad"
    assert shown(0.3, "m", "rad") == "0.3 m"
    assert shown(math.pi, "rad/s") == "180 deg/s"
    assert shown(0.3, "m") == "0.3 m"


def test_rounding_is_nothing_beside_numbers_of_its_motion() -> None:
    assert number(3.9e-15, scale=15.0) == "0"
    assert number(3.9e-15) == "3.9e-15"
