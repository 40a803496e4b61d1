"""Sums, sequences, combined excursions and columns of other names, beside direct calculations."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linkwork as lw
from linkwork.cli.running import run
from linkwork.core.rotations import from_angles, to_angles
from linkwork.motion.bundled import motion_for
from linkwork.motion.composed import summed
from linkwork.motion.excursions import sine

SIMONA = "simona"


def written(folder: Path, text: str, name: str = "motion.yaml") -> str:
    (folder / name).write_text(text)
    return str(folder / name)


def angles(motion: Any, t: np.ndarray) -> np.ndarray:
    pose = motion.at(t).pose
    return np.array([[*row[:3], *to_angles(row[3:])] for row in pose])


def test_every_axis_has_its_frequency_and_phase(tmp_path) -> None:
    robot = lw.load(SIMONA)
    text = (
        "kind: sine\namplitude: [0.05, 0, 0.03, 0, 2 deg, 0]\nfrequency: [0.5, 1, 1, 1, 0.8, 1]\n"
        "phase: [0, 0, 90 deg, 0, -30 deg, 0]\nduration: 12\n"
    )
    motion = motion_for(robot, written(tmp_path, text))
    t = np.linspace(3, 9, 200)  # where all have grown
    away = angles(motion, t) - robot.coordinates.to_angles(robot.home)
    np.testing.assert_allclose(away[:, 0], 0.05 * np.sin(np.pi * t), atol=1e-12)
    np.testing.assert_allclose(away[:, 2], 0.03 * np.cos(2 * np.pi * t), atol=1e-12)
    wave = np.radians(2) * np.sin(1.6 * np.pi * t - np.pi / 6)
    np.testing.assert_allclose(away[:, 4], wave, atol=1e-12)
    assert np.abs(away[:, [1, 3, 5]]).max() < 1e-12
    every = motion.at(np.linspace(0, 12, 20001))
    asked = [0.05 * np.pi**2, 0.0, 0.03 * (2 * np.pi) ** 2]
    assert (np.abs(every.acceleration[:, :3]).max(axis=0) <= np.array(asked) * (1 + 1e-9) + 1e-9).all()
    for edge in (0, -1):
        assert np.abs(every.twist[edge]).max() < 1e-12
        assert np.abs(every.acceleration[edge]).max() < 1e-9


def test_a_sum_is_what_its_parts_do(tmp_path) -> None:
    robot = lw.load(SIMONA)
    one = "{kind: sine, amplitude: [0.05, 0, 0, 0, 0, 0], frequency: 0.5, duration: 8}"
    other = "{kind: step, amplitude: [0, 0, 0.02, 3 deg, 0, 0], rise: 1, delay: 1, duration: 5}"
    parts = [motion_for(robot, written(tmp_path, each, "p.yaml")) for each in (one, other)]
    motion = motion_for(robot, written(tmp_path, f"kind: sum\nparts: [{one}, {other}]\n"))
    t = np.linspace(0, 8, 161)
    home = robot.coordinates.to_angles(robot.home)
    wanted = home + sum(angles(part, t) - home for part in parts)
    assert motion.duration == 8
    np.testing.assert_allclose(angles(motion, t), wanted, atol=1e-12)
    # Velocities and accelerations are derivatives of the positions.
    h = 1e-5
    for at in (1.4, 3.3, 6.0):
        before, here, after = (motion.at(at + each) for each in (-h, 0.0, h))
        np.testing.assert_allclose((after.twist - before.twist) / (2 * h), here.acceleration, atol=1e-6)
        np.testing.assert_allclose((after.pose - before.pose)[:3] / (2 * h), here.twist[:3], atol=1e-8)


def test_sums_of_joints_take_any_motion() -> None:
    line = lw.Quintic([0.1, 0.2], [0.5, -0.2], 2.0)
    wave = sine([0.3, 0.3], [0.02, 0.0], 2.0, 3.0)
    both = summed([line, wave])
    t = np.linspace(0, 3, 50)
    wanted = line.at(t).q + wave.at(t).q - [0.3, 0.3]
    np.testing.assert_allclose(both.at(t).q, wanted, atol=1e-15)
    np.testing.assert_allclose(both.at(t).qdd, line.at(t).qdd + wave.at(t).qdd, atol=1e-12)


def test_a_sequence_goes_from_part_to_part(tmp_path) -> None:
    robot = lw.load("delta")
    pick = (
        "{kind: pick-and-place, pick: [-0.1, 0, -1.3], place: [0.1, 0, -1.3], lift: [0, 0, 0.03],"
        " duration: 0.5, payload: 0.4}"
    )
    back = "{kind: quintic, start: [0.1, 0, -1.3], end: [-0.1, 0, -1.3], duration: 0.4}"
    text = f"kind: sequence\nparts: [{pick}, {back}]\npause: 0.1\nrepeat: 2\n"
    motion = motion_for(robot, written(tmp_path, text))
    assert motion.duration == pytest.approx(2 * (0.5 + 0.1 + 0.4) + 0.1)
    single = motion_for(robot, written(tmp_path, pick, "pick.yaml"))
    t = np.linspace(0.0, 0.5, 21)
    for start in (0.0, 1.1):
        np.testing.assert_allclose(motion.at(start + t[:-1]).q, single.at(t[:-1]).q, atol=1e-12)
    np.testing.assert_allclose(motion.at([0.55, 1.05]).q, [[0.1, 0, -1.3], [-0.1, 0, -1.3]], atol=1e-12)
    assert motion.at(0.55).qd.tolist() == [0, 0, 0]
    np.testing.assert_allclose(motion.payload_at([0.2, 0.58, 0.8, 1.3, 2.0]), [0.4, 0, 0, 0.4, 0])
    apart = back.replace("start: [0.1", "start: [0.12")
    with pytest.raises(lw.LinkworkError, match=r"part 2 begins 0\.02 away from where part 1 ends"):
        motion_for(robot, written(tmp_path, f"kind: sequence\nparts: [{pick}, {apart}]\n"))


def test_combined_excursions_reach_every_corner(tmp_path) -> None:
    robot = lw.load(SIMONA)
    text = "kind: combined\namplitude: [0.1, 0, 0.05, 0, 4 deg, 0]\nrise: 1.5\ndwell: 0.5\n"
    motion = motion_for(robot, written(tmp_path, text))
    assert motion.duration == pytest.approx((2**3 + 1) * 2.0)
    stops = np.arange(1, 9) * 2.0 - 0.25  # at rest at a corner
    away = angles(motion, stops) - robot.coordinates.to_angles(robot.home)
    found = {tuple(row) for row in np.sign(np.round(away[:, [0, 2, 4]], 9)).astype(int).tolist()}
    assert found == set(itertools.product((-1, 1), repeat=3))
    np.testing.assert_allclose(np.abs(away[:, [0, 2, 4]]), np.tile([0.1, 0.05, np.radians(4)], (8, 1)))
    assert np.abs(motion.at(stops).twist).max() == 0
    changes = (np.abs(np.diff(away, axis=0)) > 1e-9).sum(axis=1)
    assert changes.tolist() == [1] * 7
    np.testing.assert_allclose(motion.at(motion.duration).pose, robot.home, atol=1e-12)


def test_columns_of_other_names(tmp_path, capsys: pytest.CaptureFixture[str]) -> None:
    robot = lw.load(SIMONA)
    t = np.linspace(0, 2, 41)
    bump = 0.5 - 0.5 * np.cos(np.pi * t)
    rows = np.column_stack([t, 50 * bump, 0 * t, 2400 + 0 * t, 2 * bump, 0 * t, 0 * t])
    header = "time,LongPos_mm,LatPos_mm,HeavePos [mm],RollAng deg,PitchAng deg,YawAng deg"
    lines = [header, *(",".join(f"{x:.9f}" for x in row) for row in rows)]
    file = written(tmp_path, "\n".join(lines) + "\n", "log.csv")
    names = {
        "surge": "LongPos_mm", "sway": "LatPos_mm", "heave": "HeavePos [mm]",
        "roll": "RollAng deg", "pitch": "PitchAng deg", "yaw": "YawAng deg",
    }  # fmt: skip
    motion = motion_for(robot, file, names)
    np.testing.assert_allclose(motion.at(1.0).pose[:3], [0.05, 0, 2.4], atol=1e-9)
    np.testing.assert_allclose(motion.at(1.0).pose[3:], from_angles(np.radians([2.0, 0, 0])), atol=1e-9)
    columns = ",".join(f"{ours}={theirs}" for ours, theirs in names.items())
    arguments = ["inverse", SIMONA, "-m", file, "--columns", columns, "-o", str(tmp_path / "f.csv")]
    assert run(arguments) == 0
    text = f"kind: recorded\nfile: log.csv\ncolumns: {{{columns.replace('=', ': ')}}}\n".replace(
        "HeavePos [mm]", "'HeavePos [mm]'"
    )
    again = motion_for(robot, written(tmp_path, text))
    np.testing.assert_allclose(again.at(t).pose, motion.at(t).pose, atol=1e-15)
    assert run([*arguments[:5], "surge=Long", "-o", str(tmp_path / "f.csv")]) != 0
    assert "no column 'Long' for surge" in capsys.readouterr().err


def test_a_load_of_the_command_is_that_of_the_robot(tmp_path, capsys) -> None:
    """A load at the tool in `inverse` and `size`: the same forces as of the robot with it."""
    robot = lw.load_platform(SIMONA)
    motion = motion_for(robot, "heave")
    _, path = motion.sample(0.01)
    heavy = robot.with_payload(500.0, (0.1, 0.0, 0.3))
    wanted = heavy.inverse_dynamics(path.pose, path.twist, path.acceleration)
    table = tmp_path / "forces.csv"
    load = ["--payload", "500,0.1,0,0.3"]
    assert run(["inverse", SIMONA, "-m", "heave", *load, "-o", str(table)]) == 0
    forces = np.loadtxt(table, delimiter=",", skiprows=1)[:, 1:7]
    np.testing.assert_allclose(forces, wanted, rtol=1e-9)
    capsys.readouterr()
    assert run(["size", SIMONA, "-m", "heave", *load, "--json"]) == 0
    assert f"{np.abs(wanted).max():.6g}"[:5] in capsys.readouterr().out
    assert run(["inverse", SIMONA, "-m", "heave", "--payload", "500,0.1", "-o", str(table)]) != 0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("kind: sum\nparts: []\n", "motions: mappings"),
        ("kind: sum\nparts: [{kind: sin}]\n", "parts, 1: .*did you mean"),
        ("kind: sum\nparts: [7]\n", "is not a motion"),
        ("kind: combined\namplitude: [0, 0, 0, 0, 0, 0]\nrise: 1\n", "0 coordinates move"),
        (
            "kind: sine\namplitude: [1, 0, 0, 0, 0, 0]\nfrequency: [1, 2]\nduration: 3\n",
            "frequency has shape",
        ),
        ("kind: sequence\nrelative: home\nparts: [{kind: sine}]\n", "write it in the parts"),
    ],
)
def test_what_is_refused(tmp_path, text: str, words: str) -> None:
    with pytest.raises(lw.LinkworkError, match=words):
        motion_for(lw.load(SIMONA), written(tmp_path, text))
