"""Stewart platform files: what they mean, defaults of legs, symmetric legs, doubtful inertia."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest

from linkwork.files.faults import RobotWarning
from linkwork.model.families.stewart import LegFriction, LegLimits, PlatformModel
from linkwork.model.robot_files import load_model
from tests.model.faults import assert_beginnings, faults
from tests.model.platform_description import HOME, SYMMETRIC, leg, platform, without

ODD = {"mass": 1, "inertia": [1, -0.2, 1]}
SHARED = {
    "joints": "UPS",
    "lower": SYMMETRIC,
    "friction": {"prismatic": 5, "spherical": 6},
    "limits": {"length": [0.5, 2], "rate": 1},
}


def sps(**fields: Any) -> dict[str, Any]:
    """A platform whose first leg is SPS."""
    return platform({"joints": "SPS", **fields})


class TestMeaning:
    def test_defaults(self) -> None:
        model = load_model(platform())
        assert isinstance(model, PlatformModel)
        assert model.leg_names == ("leg1", "leg2", "leg3", "leg4", "leg5", "leg6")
        assert (model.home, model.source) == (None, "")
        np.testing.assert_array_equal(model.gravity, [0, 0, -9.81])
        np.testing.assert_array_equal(model.platform.center_of_mass, [0, 0, 0])
        first = model.legs[0]
        assert first.joints == "UPS"
        assert (first.lower.mass, first.upper.mass) == (0, 0)
        assert (first.friction, first.limits) == (LegFriction(), LegLimits())

    def test_everything_that_can_be_said(self) -> None:
        limits = {
            "length": [0.5, 2], "rate": 1, "force": 300,
            "universal_angle": "60 deg", "spherical_angle": 1,
        }  # fmt: skip
        written = {
            "name": "front", "joints": "UPS", "fixed_axis": [0, 3, 4], "lower": SYMMETRIC,
            "upper": {"mass": 1}, "limits": limits,
            "friction": {"universal": 1, "prismatic": 2, "spherical": 3},
        }  # fmt: skip
        model = load_model(platform(written, home=[0, 0, 1, 0, 0, "90 deg"], gravity=[0, 0, -1.6]))
        first = model.legs[0]
        assert first.name == "front"
        np.testing.assert_allclose(first.fixed_axis, [0, 0.6, 0.8], rtol=1e-15)
        np.testing.assert_array_equal(first.lower.inertia, np.diag([0.1, 0.4, 0.4]))
        assert first.friction == LegFriction(1, 2, 3)
        assert first.limits == LegLimits((0.5, 2.0), 1.0, 300.0, math.radians(60), 1.0)
        np.testing.assert_allclose(model.home, [0, 0, 1, 0, 0, math.pi / 2])
        assert model.gravity[2] == -1.6

    def test_arrays_are_read_only(self) -> None:
        model = load_model(platform(home=HOME))
        for array in (model.home, model.gravity, model.legs[0].base_point, model.legs[0].fixed_axis):
            assert not array.flags.writeable

    def test_the_description_given_is_left_alone(self) -> None:
        defaults = {"lower": {"mass": 1}, "joints": "UPS"}
        given = platform({"lower": {"center_of_mass": [1, 0, 0]}}, leg_defaults=defaults)
        load_model(given)
        assert given == platform({"lower": {"center_of_mass": [1, 0, 0]}}, leg_defaults=defaults)

    def test_a_platform_without_mass_on_legs_with_mass(self) -> None:
        bare = {"mass": 0, "inertia": [0, 0, 0]}
        model = load_model(platform(platform=bare, leg_defaults={"lower": SYMMETRIC}))
        assert model.platform.mass == 0


class TestDefaultsOfLegs:
    def test_fill_what_a_leg_does_not_say(self) -> None:
        for got in load_model(platform(leg_defaults=SHARED)).legs:
            assert (got.lower.mass, got.friction.prismatic, got.limits.rate) == (2, 5, 1)

    def test_a_leg_overrides_them_key_by_key(self) -> None:
        own = {"lower": {"mass": 7}, "friction": {"spherical": 0}, "limits": {"rate": 3, "force": 4}}
        first, second, *_ = load_model(platform(own, leg_defaults=SHARED)).legs
        assert first.lower.mass == 7
        np.testing.assert_array_equal(first.lower.center_of_mass, [0.3, 0, 0])
        assert first.friction == LegFriction(0, 5, 0)
        assert first.limits == LegLimits((0.5, 2.0), 3.0, 4.0)
        assert second.limits == LegLimits((0.5, 2.0), 1.0)

    def test_a_leg_overrides_a_whole_field(self) -> None:
        shared = {**SHARED, "fixed_axis": [0, 0, 1], "joints": "SPS"}
        given = platform(leg_defaults=shared)
        given["legs"][0] = without(leg(0, joints="UPS"), "fixed_axis")
        first, second, *_ = load_model(given).legs
        assert (first.joints, second.joints) == ("UPS", "SPS")
        np.testing.assert_array_equal(first.fixed_axis, [0, 0, 1])
        assert second.fixed_axis[2] == 0

    def test_a_fault_in_them_is_told_once_and_where_it_stands(self) -> None:
        spoilt = {"joint": "UPS", "lower": {"mass": -1, "mas": 2}, "friction": 3}
        assert_beginnings(
            faults(platform(leg_defaults=spoilt)),
            [
                "leg_defaults.lower.mass: -1 is negative",
                "leg_defaults.lower.mas: unknown field (did you mean 'mass'?)",
                "leg_defaults.friction: 3 is not a mapping; allowed: fields universal, prismatic, sph",
                "leg_defaults.joint: unknown field (did you mean 'joints'?)",
            ],
        )

    def test_a_fault_that_every_leg_overrides_is_still_one(self) -> None:
        given = platform(leg_defaults={"lower": {"mass": "x"}})
        given["legs"] = [leg(index, lower={"mass": 1}) for index in range(6)]
        assert_beginnings(faults(given), ["leg_defaults.lower.mass: 'x' is not a number"])

    def test_ends_are_not_shared(self) -> None:
        (fault,) = faults(platform(leg_defaults={"base_point": [0, 0, 0]}))
        assert fault.startswith(
            "leg_defaults.base_point: belongs to each leg; allowed: joints, fixed_axis,"
        )


class TestSphericalAtBothEnds:
    def test_symmetric_legs_need_no_fixed_axis(self) -> None:
        given = platform(leg_defaults={"joints": "SPS", "lower": SYMMETRIC, "upper": SYMMETRIC})
        given["legs"] = [without(one, "fixed_axis") for one in given["legs"]]
        for home in (None, [0, 0, 1, 0.1, 0, 0], [5, 0, 0.1, 0, 0, 0]):
            model = load_model({**given, "home": home})
            for one in model.legs:
                assert sorted(one.fixed_axis) == [0, 0, 1]
                direction = one.platform_point + (home or HOME)[:3] - one.base_point
                turned = abs(one.fixed_axis @ direction) / np.linalg.norm(direction)
                assert turned < 0.8

    def test_a_fixed_axis_given_is_kept(self) -> None:
        first = load_model(sps(fixed_axis=[0, 0, 2])).legs[0]
        np.testing.assert_array_equal(first.fixed_axis, [0, 0, 1])

    @pytest.mark.parametrize(
        ("part", "problem"),
        [
            ({"center_of_mass": [0.3, 0.01, 0]}, "center_of_mass [0.3, 0.01, 0.0] is off the x axis"),
            ({"center_of_mass": [0, 0, 1e-11]}, "center_of_mass [0.0, 0.0, 1e-11] is off the x axis"),
            ({"inertia": [0.1, 0.4, 0.41]}, "inertia is not of the form [Ixx, It, It] without products"),
            (
                {"inertia": [[1, 0, 0], [0, 4, 0.1], [0, 0.1, 4]]},
                "inertia is not of the form [Ixx, It, It] without products",
            ),
        ],
    )
    @pytest.mark.parametrize("side", ["lower", "upper"])
    def test_mass_off_the_axis_is_refused(self, side: str, part: dict[str, Any], problem: str) -> None:
        (fault,) = faults(sps(**{side: part}))
        assert fault.startswith(f"legs[0] {side}: {problem}; a leg with spherical joints at both ends")
        assert "spins freely about its axis" in fault
        assert fault.endswith("correct it, or use joints: UPS")
        load_model(platform({side: part}))

    def test_rounding_is_no_asymmetry(self) -> None:
        load_model(sps(lower={"center_of_mass": [0.3, 1e-14, 0], "inertia": [1, 0.3, 0.1 + 0.2]}))

    def test_shared_mass_off_the_axis_is_told_once(self) -> None:
        off_axis = {"joints": "SPS", "upper": {"mass": 1, "center_of_mass": [0, 1, 0]}}
        assert_beginnings(
            faults(platform(leg_defaults=off_axis)),
            ["leg_defaults.upper: center_of_mass [0.0, 1.0, 0.0] is off the x axis"],
        )


class TestNegativeInertia:
    def test_one_warning_names_every_body(self) -> None:
        given = platform(
            platform={"mass": 1, "inertia": [1, 1, -1]},
            leg_defaults={"lower": ODD},
        )
        given["legs"][1]["upper"] = given["legs"][3]["upper"] = ODD
        with pytest.warns(RobotWarning) as caught:
            load_model(given)
        (warning,) = caught
        text = str(warning.message)
        assert text.startswith(
            "test: the inertia of platform and leg1..leg6 lower and leg2, leg4 upper is that of no body"
        )
        assert "the numbers are taken as they are" in text

    def test_a_moment_larger_than_the_other_two_together(self) -> None:
        with pytest.warns(RobotWarning, match="platform is that of no body"):
            load_model(platform(platform={"mass": 1, "inertia": [0.1, 0.1, 10]}))

    @pytest.mark.parametrize(
        "given",
        [
            platform(leg_defaults={"lower": ODD}, inertia_as_published=True),
            platform(leg_defaults={"lower": SYMMETRIC}),
            platform(platform={"mass": 1, "inertia": [2.5, 2.5, 5]}),
        ],
        ids=["published", "sound", "flat"],
    )
    def test_silence(self, given: dict[str, Any]) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            load_model(given)
