"""All poses of a platform with the same leg lengths, and what is proven about them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import linkwork as lw
from linkwork.core.rotations import rotation_of
from linkwork.kinematics.segments import segment_distances
from linkwork.model.geometry import frozen

# Dietmaier, The Stewart-Gough platform of general geometry can have 40 real postures, 1998
BASE = np.array(
    [
        [0, 0, 0],
        [1.107915, 0, 0],
        [0.549094, 0.756063, 0],
        [0.735077, -0.223935, 0.525991],
        [0.514188, -0.526063, -0.368418],
        [0.590473, 0.094733, -0.205018],
    ]
)
POINTS = np.array(
    [
        [0, 0, 0],
        [0.542805, 0, 0],
        [0.956919, -0.528915, 0],
        [0.665885, -0.353482, 1.402538],
        [0.478359, 1.158742, 0.107672],
        [-0.137087, -0.235121, 0.353913],
    ]
)
LENGTHS = np.array([1, 0.645275, 1.086284, 1.503439, 1.281933, 0.771071])


def platform_of(base: np.ndarray, points: np.ndarray) -> lw.Platform:
    model = lw.load("dasgupta1998").model
    legs = tuple(
        replace(leg, base_point=frozen(a), platform_point=frozen(b))
        for leg, a, b in zip(model.legs, base, points, strict=True)
    )
    return lw.Platform(replace(model, legs=legs, home=None))


def random_pose(rng: np.random.Generator) -> np.ndarray:
    turn = rng.normal(size=4)
    return np.concatenate([rng.normal(size=3), turn / np.linalg.norm(turn)])


def lengths_of(platform: lw.Platform, pose: np.ndarray) -> np.ndarray:
    """By matrices: a kernel for every random platform would take longer than its poses."""
    base, points = platform.model.points()
    return np.linalg.norm(points @ rotation_of(pose).T + pose[:3] - base, axis=1)


def check(platform: lw.Platform, pose: np.ndarray, near: float = 1e-8) -> lw.AssemblyModes:
    """The pose that made the lengths is among those found, and all have these lengths."""
    lengths = lengths_of(platform, pose)
    modes = platform.assembly_modes(lengths)
    for found in modes.poses:
        assert np.abs(lengths_of(platform, found) - lengths).max() < 1e-12 * max(1, lengths.max())
    away = np.abs(modes.poses[:, :3] - pose[:3]).max(axis=1)
    away += 1 - np.abs(modes.poses[:, 3:] @ pose[3:])
    assert away.min() < near
    return modes


def test_dietmaiers_platform_has_forty_poses() -> None:
    modes = platform_of(BASE, POINTS).assembly_modes(LENGTHS)
    assert modes.poses.shape == (40, 7)
    assert modes.complete
    assert modes.solutions == 40
    platform = modes.platform
    assert np.abs(platform.leg_lengths(modes.poses) - LENGTHS).max() < 1e-14
    distances = np.linalg.norm(modes.poses[:, None] - modes.poses, axis=2) + 9 * np.eye(40)
    assert distances.min() > 1e-3
    assert set(modes.side) == {-1.0, 1.0}
    assert "complete: 40 complex solutions" in str(modes)


@pytest.mark.parametrize("count", [30, pytest.param(1000, marks=pytest.mark.long)])
def test_general_platforms_are_complete(count) -> None:
    rng = np.random.default_rng(1)
    for _ in range(count):
        platform = platform_of(rng.normal(size=(6, 3)), 0.7 * rng.normal(size=(6, 3)))
        modes = check(platform, random_pose(rng))
        assert modes.complete
        assert modes.solutions == 40
        assert len(modes.poses) % 2 == 0  # complex solutions come in pairs


@pytest.mark.parametrize("count", [4, pytest.param(200, marks=pytest.mark.long)])
def test_special_geometries_are_complete_or_say_that_they_are_not(count) -> None:
    """Planar base and platform, and legs that meet in three points of the platform."""
    rng = np.random.default_rng(2)
    flat = np.array([1.0, 1.0, 0.0])
    for _ in range(count):
        base = rng.normal(size=(6, 3)) * flat
        planar = check(platform_of(base, rng.normal(size=(6, 3)) * flat), random_pose(rng))
        assert planar.complete == (planar.solutions == 40)
        triangle = platform_of(base, np.repeat(rng.normal(size=(3, 3)), 2, axis=0))
        modes = check(triangle, random_pose(rng))
        assert modes.complete == (modes.solutions == 16)


def test_a_regular_hexagon_is_not_proven_complete() -> None:
    simona = lw.load("simona")
    modes = check(simona, simona.home)
    assert not modes.complete
    assert "special" in modes.reason
    np.testing.assert_allclose(modes.poses[0], simona.home, atol=1e-9)
    # Base and platform are flat: every pose has its mirror image below the base.
    below = modes.poses[:, :3] * [1, 1, -1]
    apart = np.linalg.norm(below[:, None] - modes.poses[:, :3], axis=2).min(axis=1)
    assert apart.max() < 1e-9
    assert modes.within_limits[0]
    assert not modes.within_limits[1:].any()


def determinant(platform: lw.Platform, pose: np.ndarray) -> float:
    """Of J, by matrices."""
    base, points = platform.model.points()
    arms = points @ rotation_of(pose).T
    legs = arms + pose[:3] - base
    s = legs / np.linalg.norm(legs, axis=1, keepdims=True)
    return float(np.linalg.det(np.concatenate([s, np.cross(arms, s)], axis=1)))


def singular_pose(platform: lw.Platform, rng: np.random.Generator) -> np.ndarray:
    """By bisection of a straight way between poses on different sides."""

    def between(fraction: float) -> np.ndarray:
        pose = (1 - fraction) * one + fraction * other
        return np.concatenate([pose[:3], pose[3:] / np.linalg.norm(pose[3:])])

    while True:
        one, other = random_pose(rng), random_pose(rng)
        side = determinant(platform, one)
        if side * determinant(platform, other) < 0:
            break
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (
            (middle, high) if side * determinant(platform, between(middle)) > 0 else (low, middle)
        )
    return between(low)


@pytest.mark.parametrize("count", [4, pytest.param(100, marks=pytest.mark.long)])
def test_singular_poses_are_found_and_not_called_proven(count) -> None:
    """In a singular pose two solutions meet: it is extrapolated, the 38 others are proven."""
    rng = np.random.default_rng(3)
    for _ in range(count):
        platform = platform_of(rng.normal(size=(6, 3)), 0.7 * rng.normal(size=(6, 3)))
        pose = singular_pose(platform, rng)
        # Along the singular direction lengths grow with the square: their rounding is 1e-8 of the pose.
        modes = check(platform, pose, near=1e-6)
        assert not modes.complete
        assert modes.solutions == 38
        assert "the other 2 meet" in modes.reason
        double = modes.multiplicity == 2
        assert double.sum() == 1
        assert modes.side[double] == 0
        assert "singular" in str(modes)
        assert np.abs(modes.poses[double][0, :3] - pose[:3]).max() < 1e-6


def test_legs_that_pass_each_other() -> None:
    hexapod = lw.load("small-hexapod")
    lengths = hexapod.leg_lengths(hexapod.home)
    modes = hexapod.assembly_modes(lengths)
    assert modes.leg_diameter == 0  # rods without thickness in the file
    assert not modes.legs_cross[0]
    assert modes.legs_cross.any()
    thick = hexapod.assembly_modes(lengths, leg_diameter=0.1)
    assert thick.legs_cross.all()
    simona = lw.load("simona")  # cylinders of 120 kg and 160 mm
    assert simona.assembly_modes(simona.leg_lengths(simona.home)).leg_diameter == pytest.approx(0.16)
    with pytest.raises(lw.InputError, match="six lengths above 0"):
        hexapod.assembly_modes(-lengths)
    with pytest.raises(lw.InputError, match="leg_diameter"):
        hexapod.assembly_modes(lengths, leg_diameter=-1)


def test_distances_of_segments() -> None:
    rng = np.random.default_rng(0)
    a, b, c, d = rng.normal(size=(4, 50, 3))
    found = segment_distances(a, b, c, d)
    s = np.linspace(0, 1, 101)
    first = a[:, None] + s[:, None] * (b - a)[:, None]
    second = c[:, None] + s[:, None] * (d - c)[:, None]
    sampled = np.linalg.norm(first[:, :, None] - second[:, None], axis=3).min(axis=(1, 2))
    assert (sampled >= found - 1e-12).all()
    assert (sampled - found).max() < 0.06
    along = np.array([1.0, 0, 0])
    parallel = segment_distances(0 * along, along, along * 3 + [0, 1, 0], along * 5 + [0, 1, 0])
    assert parallel == pytest.approx(np.sqrt(5))


def test_rotations_of_poses_are_rotations() -> None:
    modes = platform_of(BASE, POINTS).assembly_modes(LENGTHS)
    for pose in modes.poses:
        R = rotation_of(pose)
        np.testing.assert_allclose(POINTS @ R.T + pose[:3] - BASE, _legs(modes, pose), atol=1e-12)


def _legs(modes: lw.AssemblyModes, pose: np.ndarray) -> np.ndarray:
    motion = modes.platform.leg_kinematics(pose, np.zeros(6), np.zeros(6))
    return motion.length[:, None] * motion.direction
