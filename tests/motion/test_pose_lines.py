"""Straight lines: the papers' numbers, blend instants, what fits, and turning about one axis."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from linkwork import InputError
from linkwork.core.rotations import from_angles, rotation_of, rotation_rpy, to_angles
from linkwork.motion import (
    PAPER_PATHS,
    PoseLine,
    QuinticProfile,
    RpyLine,
    SlerpLine,
    UniformProfile,
    published_path,
)

DATA = np.load(Path(__file__).parents[1] / "data" / "stewart_reference.npz")
REFERENCE = {
    "dasgupta-I": "I",
    "dasgupta-II": "II",
    "dasgupta-III": "III",
    "pedrammehr-1": "P1",
    "pedrammehr-2": "I",
    "pedrammehr-3": "II",
}
START, END = (0.1, 0.0, 0.4, 0.0, 0.0, -0.2), (0.3, 0.0, 0.6, 0.0, 0.0, 0.2)


def close(ours: np.ndarray, theirs: np.ndarray) -> None:
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12 * max(1.0, np.abs(theirs).max()))


@pytest.mark.parametrize("name", PAPER_PATHS)
def test_paths_of_the_papers(name) -> None:
    key, path = REFERENCE[name], published_path(name)
    pose, twist, acceleration = path.at(DATA[f"{key}_time"])
    close(pose[:, :3], DATA[f"{key}_t"])
    close(np.array([rotation_of(row) for row in pose]), DATA[f"{key}_R"])
    close(twist, np.concatenate([DATA[f"{key}_td"], DATA[f"{key}_w"]], axis=1))
    close(acceleration, np.concatenate([DATA[f"{key}_tdd"], DATA[f"{key}_al"]], axis=1))
    times, motion = path.sample(path.duration / 60)
    assert len(times) == 61
    close(motion.acceleration, acceleration)


@pytest.mark.parametrize("key", ["I", "II", "III"])
def test_angles_behind_the_paths(key) -> None:
    turn = published_path(f"dasgupta-{key}")._segments[1]
    for ours, name in zip(turn.at(DATA[f"{key}_time"]), ("th", "thd", "thdd"), strict=True):
        close(ours, DATA[f"{key}_{name}"])


def test_unknown_path() -> None:
    with pytest.raises(InputError, match="Did you mean 'dasgupta-II'"):
        published_path("dasgupta_II")


def test_acceleration_at_a_blend_instant_is_that_of_the_segment_that_ends() -> None:
    line = RpyLine(START, END, 6.0, 0.08, 0.08)
    assert line.at(1.0).acceleration[5] == pytest.approx(0.08)
    assert line.at(1.0 + 1e-9).acceleration[5] == 0
    assert line.at(5.0).acceleration[5] == 0
    assert line.at(5.0 + 1e-9).acceleration[5] == pytest.approx(-0.08)
    assert line.at([0.0, 6.0]).acceleration[:, 5] == pytest.approx([0.08, -0.08])
    triangle = RpyLine(START, END, 6.0, 0.08, 0.8 / 6)
    assert triangle.at(3.0).acceleration[5] == pytest.approx(0.8 / 18)


@pytest.mark.parametrize("kind", [RpyLine, SlerpLine])
def test_what_fits(kind) -> None:
    way = np.hypot(0.2, 0.2)
    for speed in (way / 6, 0.01, 2.001 * way / 6, 5):
        with pytest.raises(
            InputError, match=r"above 0\.0471405 and up to 0\.0942809 m/s.*duration must"
        ):
            kind(START, END, 6.0, speed, 0.08)
    for rate in (0.4 / 6, 0.1334):
        with pytest.raises(InputError, match=r"turn_rate above 0\.0666667 and up to 0\.133333 rad/s"):
            kind(START, END, 6.0, 0.08, rate)
    kind(START, END, 6.0, 2 * way / 6, 0.8 / 6)
    with pytest.raises(InputError, match=r"above 1\.41421 and up to 2\.82843 s"):
        kind(START, END, 6.0, 0.2, 0.08)


@pytest.mark.parametrize("kind", [RpyLine, SlerpLine])
def test_a_part_that_rests_ignores_its_speed(kind) -> None:
    turn_only = kind(START, (*START[:3], 0, 0, 0.2), 6.0, 99.0, 0.08)
    assert not turn_only.at(2.0).twist[:3].any()
    move_only = kind(START, (*END[:3], *START[3:]), 6.0, 0.08, 99.0)
    assert not move_only.at(2.0).twist[3:].any()
    nothing = kind(START, START, 6.0, 99.0, 99.0)
    np.testing.assert_allclose(nothing.at(3.0).pose, nothing.start, atol=1e-15)


@pytest.mark.parametrize(
    ("argument", "value"),
    [
        ("start", START[:5]),
        ("start", [*START[:5], np.nan]),
        ("end", [START, END]),
        ("end", (*END[:3], 0.9, 0, 0, 0)),
        ("duration", 0.0),
        ("duration", np.inf),
        ("duration", [6.0]),
        ("speed", -0.08),
        ("speed", np.nan),
        ("turn_rate", "quick"),
    ],
)
def test_wrong_arguments_are_named(argument, value) -> None:
    given = {"start": START, "end": END, "duration": 6.0, "speed": 0.08, "turn_rate": 0.08}
    for kind in (RpyLine, SlerpLine):
        with pytest.raises(InputError, match=argument):
            kind(**{**given, argument: value})


def test_quaternions_and_angles_make_the_same_line() -> None:
    def turned(pose) -> np.ndarray:
        return np.concatenate([pose[:3], from_angles(np.array(pose[3:]))])

    t = np.linspace(0, 6, 50)
    by_angles = RpyLine(START, END, 6.0, 0.08, 0.08).at(t)
    by_quaternions = RpyLine(turned(START), turned(END), 6.0, 0.08, 0.08).at(t)
    for ours, theirs in zip(by_quaternions, by_angles, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-14)


def test_angles_of_a_quaternion_are_those_nearest_to_the_other_end() -> None:
    start = (0, 0, 0, 0, 0, 3.0)
    end = (0, 0, 0, 0, 0, 3.5)  # beyond half a turn
    turned = np.concatenate([np.zeros(3), from_angles(np.array(end[3:]))])
    for first, last in ((start, turned), (turned, start)):
        line = RpyLine(first, last, 1.0, 1.0, 0.75)
        assert abs(line._segments[1].way[2]) == pytest.approx(0.5)


def test_several_turns_by_angles() -> None:
    line = RpyLine((0, 0, 0, 0, 0, 0), (0, 0, 0, 0, 0, 6 * np.pi), 10.0, 1.0, 3.0)
    np.testing.assert_allclose(np.abs(line.at(10.0).pose[3:]), [1, 0, 0, 0], atol=1e-14)
    assert line.at(5.0).twist[5] == pytest.approx(3.0)


def test_quaternion_line_turns_about_one_axis() -> None:
    line = SlerpLine(START, (0.3, 0, 0.6, 1.0, -0.5, 2.0), 2.0, 0.2, 1.8)
    t = np.linspace(0.01, 1.99, 100)
    motion = line.at(t)
    axes = motion.twist[:, 3:] / np.linalg.norm(motion.twist[:, 3:], axis=1, keepdims=True)
    np.testing.assert_allclose(axes, axes[[0]].repeat(100, axis=0), atol=1e-12)
    assert np.linalg.norm(motion.twist[:, 3:], axis=1).max() == pytest.approx(1.8)
    np.testing.assert_allclose(rotation_of(line.at(2.0).pose), rotation_rpy(1.0, -0.5, 2.0), atol=1e-12)


def test_pose_line_with_other_profiles() -> None:
    line = PoseLine(START, END, QuinticProfile(2.0), UniformProfile(2.0))
    assert not line.at(0.0).twist[:3].any()
    assert line.at(0.0).twist[5] == pytest.approx(0.2)
    with pytest.raises(InputError, match="same duration"):
        PoseLine(START, END, QuinticProfile(2.0), UniformProfile(3.0))
    with pytest.raises(InputError, match="way of turning"):
        PoseLine(START, END, QuinticProfile(2.0), turning="axes")


def test_angles_there_and_back() -> None:
    random = np.random.default_rng(0)
    for angles in random.uniform([-3, -1.5, -3], [3, 1.5, 3], (200, 3)):
        np.testing.assert_allclose(to_angles(from_angles(angles)), angles, atol=1e-12)
    for pitch in (np.pi / 2, -np.pi / 2):
        quaternion = from_angles(np.array([0.4, pitch, 0.9]))
        again = from_angles(to_angles(quaternion))
        assert abs(again @ quaternion) == pytest.approx(1, abs=1e-14)
