"""Calibrations of machines whose deviations are known, because they are simulated."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

import linkwork as lw
from linkwork.cli.running import run
from linkwork.core.rotations import from_angles, from_vector, multiply, quaternion_of, rotation_of
from linkwork.kinematics.assembled import Assembled
from linkwork.kinematics.deviations import carried_by, tool_of

PLACE, ANGLE = 3e-5, 5e-5  # noise of a tracker [m, rad]
POSES = {"ur5": 40, "simona": 60, "delta": 60}


def coordinates(robot: lw.Robot, count: int, rng: np.random.Generator) -> np.ndarray:
    """Spread over the workspace."""
    if isinstance(robot, lw.Arm):
        return rng.uniform(-2, 2, (count, robot.n))
    home = robot.coordinates.to_angles(robot.home)
    reach = {3: [0.15, 0.15, 0.1], 6: [0.3, 0.3, 0.2, 0.15, 0.15, 0.15]}[len(home)]
    return robot.coordinates.from_angles(home + rng.uniform(-1, 1, (count, len(home))) * reach)


def simulated(
    name: str, seed: int, noise: float = 1.0, count: int | None = None
) -> tuple[lw.Robot, dict[str, np.ndarray], dict[str, float]]:
    """A robot, what is measured of a machine that deviates from it, and by what it does."""
    rng = np.random.default_rng(seed)
    robot = lw.load(name)
    machine = Assembled(robot)
    c = coordinates(robot, count or POSES[name], rng)
    sizes = np.array([3e-4 if each.unit == "m" else 1e-3 for each in machine.deviations])
    values = sizes * rng.normal(size=len(sizes))
    model = robot.mechanism
    values[: 6 if tool_of(model)[0] in carried_by(model) else 12] = 0.0
    found = machine.solved(c, np.tile(values, (len(c), 1)))
    turn = from_vector(noise * ANGLE * rng.normal(size=found.tool.shape))
    poses = np.concatenate(
        [
            found.tool + noise * PLACE * rng.normal(size=found.tool.shape),
            multiply(turn, quaternion_of(found.axes)),
        ],
        axis=1,
    )
    measured = {"readings": robot.actuator_motion(c).position, "poses": poses}
    return robot, measured, dict(zip(machine.names, values, strict=True))


def covered(found: lw.Calibration, true: dict[str, float]) -> np.ndarray:
    """Which intervals contain the true combinations."""
    sums = found.matrix @ [true[each.name] for each in found.deviations]
    low, high = found.interval.T
    return np.asarray((low <= sums) & (sums <= high))


def coverage(name: str, seeds: range) -> float:
    hits = []
    for seed in seeds:
        robot, measured, true = simulated(name, seed)
        hits.append(covered(lw.calibrate(robot, measured), true))
    return float(np.concatenate(hits).mean())


def test_intervals_of_a_platform_contain_the_truth() -> None:
    assert 0.90 <= coverage("simona", range(5)) <= 0.99


@pytest.mark.long
@pytest.mark.parametrize("name", POSES)
def test_intervals_contain_the_truth_in_95_of_100(name: str) -> None:
    assert coverage(name, range(100)) == pytest.approx(0.95, abs=0.015)


@pytest.mark.parametrize(
    ("name", "rank"),
    [("ur5", 4 * 6 + 6), ("stanford", 4 * 5 + 2 + 6), ("simona", 6 * (3 + 3 + 1))],
)
def test_as_many_combinations_as_theory_has(name: str, rank: int) -> None:
    """4 for each revolute joint and 2 for each prismatic one, 6 for the tool (Mooring, Roth, Driels
    1991); of a platform both points and the length of every leg."""
    robot, measured, _ = simulated(name, 0, count=50)
    found = lw.calibrate(robot, measured)
    assert found.rank == rank
    assert found.noise.position == pytest.approx(PLACE, rel=0.2)
    assert found.noise.angle == pytest.approx(ANGLE, rel=0.2)
    assert all(word != "not at all" for word in found.shown.values())


@pytest.mark.parametrize("name", ["ur5", "simona", pytest.param("delta", marks=pytest.mark.long)])
def test_the_calibrated_robot_goes_where_the_machine_goes(name: str, tmp_path: Path) -> None:
    """At other poses than those measured, by the robot's own kernels, to what noise leaves."""
    robot, measured, true = simulated(name, 3)
    found = lw.calibrate(robot, measured)
    lw.write_robot(found.calibrated, tmp_path / "calibrated.yaml")
    machine, other = Assembled(robot), Assembled(lw.load(tmp_path / "calibrated.yaml"))
    c = coordinates(robot, 5, np.random.default_rng(9))
    here = machine.solved(c, np.tile([*true.values()], (5, 1)))
    readings = robot.actuator_motion(c).position - machine.zero + other.zero
    there, _ = other.nominal(other.coordinates(readings))
    off = np.abs(machine.nominal(c)[0].tool - here.tool).max()
    assert off > 3e-4
    np.testing.assert_allclose(there.tool, here.tool, atol=3 * PLACE)
    np.testing.assert_allclose(there.axes, here.axes, atol=3 * ANGLE)


def test_a_frame_that_is_not_known_is_found() -> None:
    arm, measured, _ = simulated("ur5", 5)
    pose = np.array([0.7, -1.2, 0.4, *from_angles(np.array([0.3, -0.2, 2.5]))])
    R = rotation_of(pose)
    seen = {
        **measured,
        "poses": np.concatenate(
            [
                (measured["poses"][:, :3] - pose[:3]) @ R,
                multiply(
                    np.broadcast_to(pose[3:] * [1, -1, -1, -1], (len(measured["poses"]), 4)),
                    measured["poses"][:, 3:],
                ),
            ],
            axis=1,
        ),
    }
    found = lw.calibrate(arm, seen, frame=True)
    assert found.rank == 30  # the frame takes what the first joint's place had
    np.testing.assert_allclose(found.frame[:3], pose[:3], atol=3e-3)
    assert np.linalg.norm(found.left_out[:, :3], axis=1).max() < 5 * PLACE
    with pytest.raises(lw.LinkworkError, match="frame of measurement"):
        lw.calibrate(arm, seen)


def test_what_places_alone_tell() -> None:
    """A turn of the last joint's zero moves no tool on its axis."""
    arm, measured, true = simulated("ur5", 6)
    found = lw.calibrate(arm, {**measured, "poses": measured["poses"][:, :3]})
    assert found.rank < 30
    assert found.shown["wrist_3.offset"] == "not at all"
    assert found.noise.angle is None
    assert covered(found, true).mean() > 0.8


def test_command_and_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arm, measured, _ = simulated("ur5", 0, count=15)
    poses = measured["poses"]
    file, page, out = (tmp_path / name for name in ("seen.csv", "page.html", "out.yaml"))
    with file.open("w", newline="") as stream:
        writer = csv.writer(stream)
        header = [f"A{k}" for k in range(1, 7)]
        writer.writerow([*header, "X_mm", "y [mm]", "z [mm]", "qw", "qx", "qy", "qz", "operator"])
        for q, pose in zip(measured["readings"], poses, strict=True):
            writer.writerow([*np.degrees(q), *1e3 * pose[:3], *pose[3:], 7])
    columns = "q# [deg]=A#,x [mm]=X_mm,y [mm]=y [mm],z [mm]=z [mm],qw=qw,qx=qx,qy=qy,qz=qz"
    arguments = ["calibrate", "ur5", str(file), "--columns", columns]
    assert run([*arguments, "--json", "--report", str(page), "-o", str(out)]) == 0
    told = json.loads(capsys.readouterr().out)
    found = lw.calibrate(arm, measured)
    assert [each["name"] for each in told["combinations"]] == list(found.names)
    assert told["combinations"][3]["estimate"] == pytest.approx(found.values[3], rel=1e-6)
    assert "30 combinations of 42 deviations are told" in page.read_text()
    written = lw.load_arm(out)
    wanted = found.calibrated.forward_kinematics(arm.home)  # type: ignore[attr-defined]
    np.testing.assert_allclose(written.forward_kinematics(arm.home), wanted, atol=1e-9)
    assert run(arguments) == 0
    assert "shoulder_pan.z + shoulder_lift.z" in capsys.readouterr().out
    assert run(["calibrate", "ur5", str(file)]) != 0
    assert "no column for q1" in capsys.readouterr().err.replace("shoulder_pan", "q1")


@pytest.mark.parametrize(
    ("measured", "words"),
    [
        ({"readings": np.zeros((3, 6))}, "expected readings"),
        ({"readings": np.zeros((3, 5)), "poses": np.zeros((3, 3))}, "readings"),
        ({"readings": np.zeros((3, 6)), "poses": np.zeros((2, 3))}, "poses has shape"),
        ({"readings": np.zeros((2, 6)), "poses": np.ones((2, 3))}, "measure more poses"),
    ],
)
def test_what_cannot_be_calibrated(measured: dict[str, np.ndarray], words: str) -> None:
    with pytest.raises(lw.LinkworkError, match=words):
        lw.calibrate(lw.load("ur5"), measured)
