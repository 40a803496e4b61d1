"""What is said of the faults of Stewart platform files."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from linkwork.model.robot_files import load_model
from tests.model.faults import assert_beginnings, faults, faults_of_text
from tests.model.platform_description import HOME, SYMMETRIC, leg, platform, without

LEG_FAULTS = [
    ({"base_point": [0, 0]}, "base_point: [0, 0] has 2 items; allowed: three numbers [m]"),
    ({"platform_point": 3}, "platform_point: 3 is not a list; allowed: three numbers [m]"),
    ({"base_point": [0, 0, math.nan]}, "base_point: nan is not finite; allowed: a number [m]"),
    ({"platform_point": [0, math.inf, 0]}, "platform_point: inf is not finite"),
    (
        {"fixed_axis": [0, 0, 0]},
        "fixed_axis: [0, 0, 0] has no direction; allowed: three numbers, not all",
    ),
    (
        {"fixed_axis": None},
        "fixed_axis: is missing; a UPS leg needs the axis of its universal joint that",
    ),
    ({"joints": "USP"}, "joints: 'USP' is not known; allowed: UPS, SPS"),
    ({"joints": "ups"}, "joints: 'ups' is not known; allowed: UPS, SPS"),
    ({"name": 5}, "name: 5 is not a text"),
    ({"lower": 3}, "lower: 3 is not a mapping; allowed: fields mass, center_of_mass, inertia"),
    ({"lower": {"mass": -1}}, "lower.mass: -1 is negative; allowed: a number >= 0 [kg]"),
    (
        {"upper": {"inertia": [1, 2]}},
        "upper.inertia: [1, 2] has 2 items; allowed: three numbers (a diag",
    ),
    (
        {"upper": {"weight": 1}},
        "upper.weight: unknown field (did you mean 'mass'?); allowed: mass, center_of_mass, inertia",
    ),
    (
        {"friction": {"universal": -1}},
        "friction.universal: -1 is negative; allowed: a number >= 0 [N m s]",
    ),
    (
        {"friction": {"prismatic": "x"}},
        "friction.prismatic: 'x' is not a number; allowed: a number >= 0 [N",
    ),
    (
        {"friction": {"viscous": 1}},
        "friction.viscous: unknown field; allowed: universal, prismatic, sph",
    ),
    ({"limits": {"length": [0, 1]}}, "limits.length: 0 is not positive; allowed: a number > 0 [m]"),
    (
        {"limits": {"length": [2, 1]}},
        "limits.length: [2, 1] is not in order; allowed: [lowest, highest]",
    ),
    (
        {"limits": {"length": 2}},
        "limits.length: 2 is not a list; allowed: [lowest, highest] with lowest",
    ),
    ({"limits": {"rate": 0}}, "limits.rate: 0 is not positive; allowed: a number > 0 [m/s]"),
    ({"limits": {"force": [-1, 1]}}, "limits.force: [-1, 1] is not a number; allowed: a number > 0 [N]"),
    (
        {"limits": {"forse": 1}},
        "limits.forse: unknown field (did you mean 'force'?); allowed: length, rate",
    ),
    ({"limits": {"universal_angle": 0}}, "limits.universal_angle: 0 is out of range; allowed: above 0"),
    (
        {"limits": {"spherical_angle": "180 deg"}},
        "limits.spherical_angle: '180 deg' is out of range; all",
    ),
    (
        {"limits": {"spherical_angle": "wide"}},
        "limits.spherical_angle: 'wide' is not an angle; allowed:",
    ),
    (
        {"basepoint": [0, 0, 0]},
        "basepoint: unknown field (did you mean 'base_point'?); allowed: name, joints",
    ),
]


@pytest.mark.parametrize(("written", "expected"), LEG_FAULTS)
def test_a_fault_of_a_leg(written: dict[str, Any], expected: str) -> None:
    (fault,) = faults(platform(written, home=HOME))
    assert fault.startswith(f"legs[0] {expected}")


@pytest.mark.parametrize("field", ["base_point", "platform_point"])
def test_a_leg_without_an_end(field: str) -> None:
    given = platform()
    del given["legs"][4][field]
    assert faults(given) == (f"legs[4] {field}: is missing; add {field}: ...",)


def test_what_is_no_leg() -> None:
    given = platform(leg_defaults={"lower": SYMMETRIC})
    given["legs"][2] = 7
    assert_beginnings(faults(given), ["legs[2]: 7 is not a mapping; allowed: fields name, joints,"])


@pytest.mark.parametrize("angle", ["universal_angle", "spherical_angle"])
def test_angle_limits_need_home(angle: str) -> None:
    limits = {angle: "45 deg"}
    (fault,) = faults(platform({"limits": limits}))
    assert fault == (
        f"legs[0] limits.{angle}: is measured from the leg's direction at home, which is not given;"
        " add home: [x, y, z, roll, pitch, yaw] to the file, or "
        f"{angle.removesuffix('_angle')}_axis: [x, y, z]"
    )
    assert_beginnings(
        faults(platform(leg_defaults={"limits": limits})),
        [f"leg_defaults.limits.{angle}: is measured from the leg's direction at home"],
    )


FILE_FAULTS = [
    ({"home": [0, 0, 1]}, "home: [0, 0, 1] has 3 items; allowed: six numbers: x, y, z [m], then roll,"),
    ({"home": [0, 0, "1 deg", 0, 0, 0]}, "home: '1 deg' is not a number; allowed: a number [m]"),
    ({"home": [0, 0, 1, "x", 0, 0]}, "home: 'x' is not an angle; allowed: a number [rad] or a text"),
    ({"home": 3}, "home: 3 is not a list; allowed: six numbers"),
    ({"gravity": [0]}, "gravity: [0] has 1 items; allowed: three numbers [m/s^2]"),
    ({"source": 3}, "source: 3 is not a text; allowed: where the numbers come from"),
    ({"inertia_as_published": "yes"}, "inertia_as_published: 'yes' is neither true nor false; allowed:"),
    ({"inertia_as_published": 1}, "inertia_as_published: 1 is neither true nor false"),
    ({"platform": None}, "platform: nothing is not a mapping; allowed: fields mass, center_of_mass,"),
    ({"platform": {"mass": 1}}, "platform.inertia: is missing; add inertia: ..."),
    ({"platform": {"inertia": [1, 1, 1]}}, "platform.mass: is missing; add mass: ..."),
    ({"platform": {"mass": -1, "inertia": [1, 1, 1]}}, "platform.mass: -1 is negative; allowed: a"),
    ({"platform": {"mass": 1, "inertia": 1}}, "platform.inertia: 1 is not a list; allowed: three num"),
    (
        {"platform": {"mass": 0, "inertia": [1, 1, 1]}},
        "platform.mass: platform and legs weigh nothing; allowed: at least one mass > 0",
    ),
    ({"leg_defaults": 4}, "leg_defaults: 4 is not a mapping; allowed: fields joints, fixed_axis,"),
    ({"legs": "six"}, "legs: 'six' is not a list; allowed: a list of 6 legs"),
    ({"legs": []}, "legs: there are 0 legs; allowed: exactly 6"),
    ({"legs": [leg(k) for k in range(5)]}, "legs: there are 5 legs; allowed: exactly 6"),
    ({"legs": [leg(k % 6) for k in range(8)]}, "legs: there are 8 legs; allowed: exactly 6"),
    ({"leg": []}, "leg: unknown field (did you mean 'legs'?); allowed: kind, name, gravity, source,"),
    ({"convention": "standard"}, "convention: unknown field; allowed: kind, name, gravity, source,"),
]  # fmt: skip


@pytest.mark.parametrize(("fields", "expected"), FILE_FAULTS)
def test_a_fault_of_the_file(fields: dict[str, Any], expected: str) -> None:
    (fault,) = faults(platform(**fields))
    assert fault.startswith(expected)


@pytest.mark.parametrize("missing", ["name", "platform", "legs"])
def test_a_missing_field(missing: str) -> None:
    assert faults(without(platform(), missing)) == (f"{missing}: is missing; add {missing}: ...",)


@pytest.mark.parametrize("name", ["leg3", "front"])
def test_names_are_unique(name: str) -> None:
    given = platform({"name": name})
    if name != "leg3":
        given["legs"][2]["name"] = name
    place = "legs[2]" if name == "leg3" else "legs[2] (front)"
    assert faults(given) == (
        f"{place} name: {name!r} is also the name of legs[0]; names must be unique",
    )


class TestPlaces:
    """Joints where no legs, or not these, can hold the platform."""

    @staticmethod
    def moved(field: str, points: list[list[float]]) -> dict[str, Any]:
        legs = [{**leg(index), field: point} for index, point in enumerate(points)]
        return platform(legs=legs)

    @pytest.mark.parametrize("side", ["base", "platform"])
    @pytest.mark.parametrize(
        ("points", "shape"),
        [
            ([[0, 0, 0]] * 6, "coincide"),
            ([[1, 2, 3]] * 6, "coincide"),
            ([[0.1 * k, 0.3 * k, 1 - 0.7 * k] for k in range(6)], "are on one line"),
            ([[0, 0, 0]] * 5 + [[1, 1, 1]], "are on one line"),
        ],
    )
    def test_points_that_span_no_plane(self, side: str, points: list[list[float]], shape: str) -> None:
        assert_beginnings(
            faults(self.moved(f"{side}_point", points)),
            [f"legs: all {side} points {shape}; no legs could keep the platform from turning there;"],
        )

    def test_three_points_shared_in_pairs_are_fine(self) -> None:
        corners = [[1, 0, 0], [0, 1, 0], [-1, -1, 0]]
        load_model(self.moved("base_point", [corners[k // 2] for k in range(6)]))

    def test_coincident_legs(self) -> None:
        given = platform()
        given["legs"][4] = {**leg(1), "name": "twin"}
        assert faults(given) == (
            "legs[4] (twin): has the base point and the platform point of legs[1];"
            " move one of the two legs",
        )

    @pytest.mark.parametrize("scale", [1e-150, 1e-3, 1e3, 1e90])
    def test_size_does_not_matter(self, scale: float) -> None:
        given = platform()
        for one in given["legs"]:
            for end in ("base_point", "platform_point"):
                one[end] = [scale * x for x in one[end]]
        load_model(given)
        load_model({**given, "home": [0, 0, scale, 0, 0, 0]})


class TestHome:
    def test_a_leg_without_length(self) -> None:
        first = {"base_point": [1, 0, 0], "platform_point": [0.5, 0, 0]}
        assert faults(platform(first, home=[0.5, 0, 0, 0, 0, 0])) == (
            "home: puts the platform point of leg 'leg1' on its base point; give another pose",
        )

    def test_a_leg_along_its_fixed_axis(self) -> None:
        first = {"base_point": [1, 0, 0], "platform_point": [0.5, 0, 0], "fixed_axis": [-0.5, 0, 1]}
        assert faults(platform(first, home=HOME)) == (
            "legs[0] fixed_axis: is the direction of the leg at home, where its universal joint cannot"
            " turn; turn the axis",
        )

    def test_a_leg_out_of_its_limits(self) -> None:
        first = {"base_point": [1, 0, 0], "platform_point": [1, 0, 0], "limits": {"length": [0.2, 0.8]}}
        assert faults(platform(first, home=HOME)) == (
            "home: leg 'leg1' is 1 m long at home, outside its limits.length [0.2, 0.8];"
            " correct the pose or the limits",
        )

    def test_a_limit_may_be_reached(self) -> None:
        first = {"base_point": [1, 0, 0], "platform_point": [1, 0, 0], "limits": {"length": [0.2, 1]}}
        load_model(platform(first, home=HOME))


def test_every_fault_at_once_with_its_line(tmp_path: Path) -> None:
    text = """\
kind: stewart-platform
nam: broken
home: [0, 0, 1]
platform: {mass: 3}
leg_defaults:
  joints: SPS
  lower:
    mass: 1
    center_of_mass: [0, 1, 0]
    inertia: [1, 1, x]
  upper: {center_of_mass: [0, 1, 0]}
  limits:
    rate: -2
legs:
  - {base_point: [0, 0, 0], platform_point: [0, 1, 0]}
  - {base_point: [1, 0, 0], platform_point: [1, 1, 0]}
  - base_point: [2, 0, 0]
    platform_point: [2, 1]
    joints: UPS
  - {name: leg1, base_point: [3, 0, 0], platform_point: [3, 0, 1]}
  - {base_point: [4, 0, 0], platform_point: [4, 1, 0], limits: {rate: 1, length: [2, 1]}}
  - {base_point: [5, 0, 0], platform_point: [5, 1, 0]}
"""
    expected = [
        "line 1, name: is missing; add name: ...",
        "line 2, nam: unknown field (did you mean 'name'?)",
        "line 3, home: [0, 0, 1] has 3 items",
        "line 4, platform.inertia: is missing",
        "line 10, leg_defaults.lower.inertia: 'x' is not a number",
        "line 11, leg_defaults.upper: center_of_mass [0.0, 1.0, 0.0] is off the x axis",
        "line 13, leg_defaults.limits.rate: -2 is not positive",
        "line 14, legs: all base points are on one line",
        "line 17, legs[2] fixed_axis: is missing; a UPS leg needs",
        "line 18, legs[2] platform_point: [2, 1] has 2 items",
        "line 20, legs[3] (leg1) name: 'leg1' is also the name of legs[0]",
        "line 21, legs[4] limits.length: [2, 1] is not in order",
    ]
    assert_beginnings(faults_of_text(tmp_path, text), expected)
