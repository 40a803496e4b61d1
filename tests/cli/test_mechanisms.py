"""Commands on mechanisms: what tests/consumers does not compare."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork.core.rotations import rotation_of
from tests.cli.process import run
from tests.cli.test_commands import columns_of


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
    ends = ("", "_velocity", "_acceleration")
    c, cd, cdd = (np.stack([data[f"{axis}{end}"] for axis in "xyz"], 1) for end in ends)
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
