"""The bundled Stewart platforms: their sources' numbers, and home poses that are sound."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from linkwork.core.rotations import rotation_rpy
from linkwork.model.bundled import bundled_names
from linkwork.model.families.stewart import PlatformModel
from linkwork.model.robot_files import load_model

NAMES = ("dasgupta1998", "pedrammehr2012", "pi-h811", "simona", "small-hexapod")
PUBLISHED = NAMES[:2]  # with inertias that no body has


def at(model: PlatformModel, pose: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """H at a pose, with a column [s; q x s] per leg, and the lengths of the legs."""
    base, points = model.points()
    arms = points @ rotation_rpy(*pose[3:]).T
    vectors = arms + pose[:3] - base
    lengths = np.linalg.norm(vectors, axis=1)
    directions = vectors / lengths[:, None]
    return np.vstack([directions.T, np.cross(arms, directions).T]), lengths


def polar(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Radii and angles [deg] of points about the z axis."""
    return np.hypot(points[:, 0], points[:, 1]), np.degrees(np.arctan2(points[:, 1], points[:, 0])) % 360


def test_all_are_there() -> None:
    assert bundled_names("stewart-platform") == NAMES


@pytest.mark.parametrize("name", NAMES)
class TestHome:
    def test_is_far_from_singular(self, name: str) -> None:
        """Moments in units of the platform's size, so that the condition number has no unit."""
        model = load_model(name)
        H, _ = at(model, model.home)
        H[3:] /= np.linalg.norm(model.points()[1], axis=1).mean()
        assert np.linalg.cond(H) < 20

    def test_is_within_limits_and_not_at_their_edge(self, name: str) -> None:
        model = load_model(name)
        _, lengths = at(model, model.home)
        for leg, length in zip(model.legs, lengths, strict=True):
            low, high = leg.limits.length or (0.0, math.inf)
            assert low * 1.05 < length < high / 1.05

    def test_has_no_leg_near_its_fixed_axis(self, name: str) -> None:
        model = load_model(name)
        H, _ = at(model, model.home)
        for leg, direction in zip(model.legs, H[:3].T, strict=True):
            assert np.linalg.norm(leg.fixed_axis) == pytest.approx(1, abs=1e-14)
            assert np.linalg.norm(np.cross(leg.fixed_axis, direction)) > 0.5


@pytest.mark.parametrize("name", [name for name in NAMES if name not in PUBLISHED])
def test_inertia_is_physical(name: str) -> None:
    model = load_model(name)
    for body in (model.platform, *(part for leg in model.legs for part in (leg.lower, leg.upper))):
        low, middle, high = np.linalg.eigvalsh(body.inertia)
        assert body.mass > 0
        assert low >= 0
        assert high <= (low + middle) * (1 + 1e-9)


class TestDasgupta:
    model = load_model("dasgupta1998")

    def test_joints_are_those_of_the_appendix(self) -> None:
        base, platform = self.model.points()
        np.testing.assert_array_equal(
            base.T,
            [
                [0.6, 0.1, -0.3, -0.3, 0.2, 0.5],
                [0.2, 0.5, 0.3, -0.4, -0.3, -0.2],
                [0, 0.1, 0.1, 0, -0.05, 0],
            ],
        )
        np.testing.assert_array_equal(
            platform.T,
            [
                [0.3, 0.3, 0, -0.2, -0.15, 0.15],
                [0, 0.2, 0.3, 0.1, -0.2, -0.15],
                [0.1, 0, 0, -0.1, -0.05, -0.05],
            ],
        )

    def test_fixed_axes_are_normalized(self) -> None:
        printed = np.array([-0.8141, 0.2714, 0])
        assert np.linalg.norm(printed) == pytest.approx(0.858, abs=5e-4)
        np.testing.assert_allclose(self.model.legs[0].fixed_axis, printed / np.linalg.norm(printed))

    def test_each_part_has_its_own_inertia(self) -> None:
        leg = self.model.legs[5]
        assert (leg.lower.mass, leg.upper.mass) == (3, 1)
        assert (leg.lower.inertia[0, 0], leg.upper.inertia[0, 0]) == (0.01, 0.005)
        np.testing.assert_array_equal(leg.upper.center_of_mass, [-0.6, -0.08, 0.08])
        assert np.linalg.eigvalsh(leg.lower.inertia)[0] < 0

    def test_condition_number_is_that_of_path_1(self) -> None:
        """Path I passes through home; computed along all of it, cond H is between 34.7 and 47.2."""
        H, _ = at(self.model, self.model.home)
        assert 34.7 < np.linalg.cond(H) < 47.2


class TestSimona:
    model = load_model("simona")

    @pytest.mark.parametrize(("side", "radius", "spacing"), [(0, 1.65, 0.6), (1, 1.6, 0.2)])
    def test_joint_circles(self, side: int, radius: float, spacing: float) -> None:
        points = self.model.points()[side]
        np.testing.assert_allclose(polar(points)[0], radius, atol=1e-8)
        distances = np.linalg.norm(points - np.roll(points, -1, axis=0), axis=1)
        np.testing.assert_allclose(np.sort(distances)[:3], spacing, atol=1e-8)

    def test_home_is_in_mid_stroke(self) -> None:
        low, high = self.model.legs[0].limits.length
        _, lengths = at(self.model, self.model.home)
        np.testing.assert_allclose(lengths, (low + high) / 2, atol=1e-8)

    def test_actuators_can_hold_the_cabin(self) -> None:
        H, _ = at(self.model, self.model.home)
        weight = np.array([0, 0, 9.81 * self.model.platform.mass, 0, 0, 0])
        assert np.abs(np.linalg.solve(H, weight)).max() < self.model.legs[0].limits.force / 3


class TestPhysikInstrumente:
    model = load_model("pi-h811")

    def test_legs_at_home(self) -> None:
        _, lengths = at(self.model, self.model.home)
        np.testing.assert_allclose(lengths, 0.093088, atol=5e-7)

    def test_limits_cover_the_published_travel(self) -> None:
        low, high = self.model.legs[0].limits.length
        travel = np.diag([0.017, 0.016, 0.0065, *np.radians([10, 10, 21])])
        extremes = [at(self.model, sign * pose)[1] for pose in travel for sign in (1, -1)]
        assert 0 <= np.min(extremes) - low < 1e-4
        assert 0 <= high - np.max(extremes) < 1e-4


class TestSmallHexapod:
    model = load_model("small-hexapod")

    @pytest.mark.parametrize(
        ("side", "radius", "angles"),
        [(0, 0.12, [20, 100, 140, 220, 260, 340]), (1, 0.095, [40, 80, 160, 200, 280, 320])],
    )
    def test_joint_circles(self, side: int, radius: float, angles: list[float]) -> None:
        radii, found = polar(self.model.points()[side])
        np.testing.assert_allclose(radii, radius, atol=1e-8)
        np.testing.assert_allclose(found, angles, atol=1e-5)

    def test_the_large_moment_is_about_the_vertical(self) -> None:
        np.testing.assert_array_equal(
            np.diag(self.model.platform.inertia), [0.0771931, 0.0771381, 0.1193691]
        )


def test_pedrammehrs_manipulator_is_dasguptas_but_for_one_sign() -> None:
    """Appendix 2 prints z of the upper parts' center of mass as -0.08, the other paper as +0.08."""
    own, other = load_model("pedrammehr2012"), load_model("dasgupta1998")
    for leg, theirs in zip(own.legs, other.legs, strict=True):
        np.testing.assert_array_equal(leg.upper.center_of_mass, [-0.6, -0.08, -0.08])
        upper = replace(leg.upper, center_of_mass=theirs.upper.center_of_mass)
        assert repr(replace(leg, upper=upper)) == repr(theirs)
    assert repr(own.platform) == repr(other.platform)
