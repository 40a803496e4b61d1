"""Every command on mechanisms of all sorts."""

from __future__ import annotations

import json

import numpy as np
import pytest

import linkwork as lw
from linkwork.rotations import rotation_of
from tests.bundled import representative
from tests.cli.process import run
from tests.cli.test_commands import columns_of

MECHANISMS = representative(lw.bundled_names("mechanism"))


@pytest.mark.parametrize(
    ("robot", "words"),
    [
        (
            "palletizer",
            ["= drive - shoulder", "level-1b", "redundant constraints: 10", "2803 N m (drive)"],
        ),
        ("gripper", ["closed form, dyad", "couplings: right + left = 0", "freedoms: 1 (left)"]),
        ("hexapod-with-arm", ["coordinates x, y, z, roll, pitch, yaw", "leg-b-3", "motors: 12"]),
    ],
)
def test_show_tells_what_was_found(tmp_path, robot, words) -> None:
    text = run("show", robot, cwd=tmp_path).stdout
    for word in words:
        assert word in text


@pytest.mark.parametrize("name", MECHANISMS)
def test_inverse_with_everything(tmp_path, name) -> None:
    words = ("inverse", name, "-m", "home-quintic", "--state", "--parts", "--reactions")
    run(*words, "--plot", "p.png", "--report", "r.html", "-o", "all.csv", cwd=tmp_path)
    data, robot = columns_of(tmp_path / "all.csv"), lw.load(name)
    c, cd, cdd = (
        np.stack([data[f"{word}{k}"] for k in range(1, robot.freedoms + 1)], 1)
        for word in ("q", "qd", "qdd")
    )
    if not robot.coordinates.quaternions:  # else files have rates of roll, pitch and yaw
        efforts = robot.inverse_dynamics(c, cd, cdd)
        for k, motor in enumerate(robot.efforts.names):
            np.testing.assert_allclose(data[f"effort_{motor}"], efforts[:, k], atol=1e-9)
    last = robot.efforts.names[-1]
    others = ("effort", "reaction")
    parts = [v for n, v in data.items() if n.endswith(f"_{last}") and not n.startswith(others)]
    np.testing.assert_allclose(sum(parts), data[f"effort_{last}"], atol=1e-6)
    joint = robot.model.joints[0].name
    assert {f"reaction_{joint}_fx", f"reaction_{joint}_mz"} <= data.keys()
    # The file is a motion again.
    run("inverse", name, "-m", "all.csv", "-o", "again.csv", cwd=tmp_path, code=2)
    state = ("inverse", name, "-m", "home-quintic", "--state", "-o", "state.csv")
    run(*state, cwd=tmp_path)
    run("inverse", name, "-m", "state.csv", "-o", "again.csv", cwd=tmp_path)
    again = columns_of(tmp_path / "again.csv")[f"effort_{last}"]
    np.testing.assert_allclose(again, data[f"effort_{last}"], rtol=0, atol=1e-5 * np.abs(again).max())
    assert (tmp_path / "p.png").stat().st_size > 10_000
    assert (tmp_path / "r.html").stat().st_size > 100_000


@pytest.mark.parametrize("name", MECHANISMS)
def test_commands_on_a_mechanism(tmp_path, name) -> None:
    assert json.loads(run("check", name, "--states", "20", "--json", cwd=tmp_path).stdout)["ok"]
    facts = json.loads(run("workspace", name, "--tolerance", "0.1", "--json", cwd=tmp_path).stdout)
    assert [one["axis"] for one in facts["excursions"]] == list(
        lw.load(name).coordinates.by_angles.names
    )
    run("convert", name, "copy.yaml", cwd=tmp_path)
    run("convert", name, "copy.urdf", cwd=tmp_path, code=2)
    words = ("simulate", "copy.yaml", "-m", "home-quintic", "--duration", "0.1", "--json")
    facts = json.loads(run(*words, cwd=tmp_path).stdout)
    assert facts["largest_error"] < 1e-3
    sized = json.loads(run("size", name, "-m", "home-quintic", "--json", cwd=tmp_path).stdout)
    assert [one["name"] for one in sized["actuators"]] == list(lw.load(name).efforts.names)
    assert json.loads(run("count", name, "--json", cwd=tmp_path).stdout)["counts"]
    assert "takes a Stewart platform" in run("poses", name, cwd=tmp_path, code=2).stderr


def test_friction_and_rotors_are_left_out(tmp_path) -> None:
    words = ("inverse", "palletizer", "-m", "home-quintic", "--no-friction", "--no-rotors", "--parts")
    run(*words, "--gravity", "0,0,-1.62", "-o", "moon.csv", cwd=tmp_path)
    data = columns_of(tmp_path / "moon.csv")
    assert "springs_shoulder" in data
    assert not {"friction_shoulder", "rotors_shoulder"} & data.keys()


def test_every_column_of_reactions_is_that_of_its_joint(tmp_path) -> None:
    """Of a Delta, from the file: what acts on arms, rods and platform is mass times acceleration."""
    words = ("inverse", "delta", "-m", "home-quintic", "--state", "--reactions", "-o", "f.csv")
    run(*words, cwd=tmp_path)
    data, robot = columns_of(tmp_path / "f.csv"), lw.load_parallel("delta")
    c, cd, cdd = (np.stack([data[f"{word}{k}"] for k in (1, 2, 3)], 1) for word in ("q", "qd", "qdd"))
    motion, model = robot.joint_motion(c, cd, cdd), robot.mechanism
    columns = {name for name in data if name.startswith("reaction_")}

    def force(joint: str) -> np.ndarray:
        names = [f"reaction_{joint}_f{axis}" for axis in "xyz"]
        columns.difference_update(names, [name.replace("_f", "_m") for name in names])
        return np.stack([data[name] for name in names], 1)

    def acceleration(body: str, at: np.ndarray) -> np.ndarray:
        """Less gravity, of a point at home."""
        k = robot.bodies.index(body)
        pose, twist, change = motion.poses[:, k], motion.twists[:, k, 3:], motion.accelerations[:, k]
        frame = model.part(body).frame
        arm = rotation_of(pose) @ (frame.R.T @ (at - frame.p))
        turning = np.cross(change[:, 3:], arm) + np.cross(twist, np.cross(twist, arm))
        return change[:, :3] + turning - model.gravity

    on_platform = np.zeros_like(c)
    for leg in robot.leg_names:
        arm = model.part(f"{leg} R1")
        on_arm = force(f"{leg} R1")
        for rod in (each for each in model.rods if each.name.startswith(leg)):
            start, end = force(f"{rod.name} start"), force(f"{rod.name} end")
            ends = acceleration(arm.name, rod.start), acceleration("platform", rod.end)
            np.testing.assert_allclose(start - end, rod.mass * sum(ends) / 2, atol=1e-6)
            on_arm, on_platform = on_arm - start, on_platform + end
        wanted = arm.body.mass * acceleration(arm.name, arm.body.center_of_mass)
        np.testing.assert_allclose(on_arm, wanted, atol=1e-6)
    body = model.part("platform").body
    wanted = body.mass * acceleration("platform", body.center_of_mass)
    np.testing.assert_allclose(on_platform, wanted, atol=1e-6)
    assert not columns
