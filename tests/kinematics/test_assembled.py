"""Machines that deviate from their files, beside files that say the same."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import linkwork as lw
from linkwork.core.rotations import rotation_of
from linkwork.kinematics.assembled import Assembled
from linkwork.kinematics.redrawn import redrawn
from linkwork.model.robot_files import robot_document

ROBOTS = (
    "ur5", "stanford", "simona", "delta", "tricept", "rotary-hexapod", "five-bar", "4-puu",
    "palletizer", "excavator", "gripper", "par4", "two-arms",
)  # fmt: skip


def _values(machine: Assembled, **given: float) -> np.ndarray:
    values = np.zeros(len(machine.deviations))
    for name, value in given.items():
        values[machine.names.index(name)] = value
    return values


@pytest.mark.parametrize("name", ROBOTS)
def test_the_machine_of_the_file_closes_wherever_it_goes(name: str) -> None:
    robot = lw.load(name)
    c, _, _ = robot.random_states(6)
    assert np.abs(Assembled(robot).gaps(c)).max() < 1e-12


@pytest.mark.parametrize("name", ["ur5", "simona", "delta", "palletizer", "rotary-hexapod"])
def test_derivatives_are_those_of_solved_machines(name: str) -> None:
    """What is left beside them falls as the square of the deviations."""
    robot = lw.load(name)
    machine = Assembled(robot)
    c, _, _ = robot.random_states(3)
    here, S = machine.sensitivities(c)
    e = 1e-4 * np.random.default_rng(0).normal(size=(3, len(machine.deviations)))
    left = [
        np.abs(machine.solved(c, share * e).error_from(here) - share * (S @ e[..., None])[..., 0]).max()
        for share in (1.0, 0.5)
    ]
    assert left[0] < 1e-2 * np.abs(S @ e[..., None]).max()
    assert left[1] == pytest.approx(left[0] / 4, rel=0.05)


def test_an_arm_with_other_rows_of_its_table() -> None:
    arm = lw.load_arm("ur5")
    document = robot_document(arm.model)
    document["links"][1]["a"] += 3e-4
    document["links"][3]["d"] += -2e-4
    document["links"][2]["theta"] = document["links"][2].get("theta", 0.0) + 1e-3
    other = lw.load_arm(document)
    machine = Assembled(arm)
    frames = arm.link_frames(np.zeros(6))
    names = arm.joint_names
    # The next joint is a along x and d along the joint's axis away.
    a, d = 3e-4 * frames[1][:3, 0], -2e-4 * frames[2][:3, 2]
    values = _values(machine, **{f"{names[2]}.offset": 1e-3})
    for vector, joint in ((a, names[2]), (d, names[4])):
        for letter, part in zip("xyz", vector, strict=True):
            values[machine.names.index(f"{joint}.{letter}")] += part
    q = np.random.default_rng(1).uniform(-2, 2, (5, 6))
    found, wanted = machine.solved(q, np.tile(values, (5, 1))), other.forward_kinematics(q)
    np.testing.assert_allclose(found.tool, wanted[:, :3, 3], atol=1e-12)
    np.testing.assert_allclose(found.axes, wanted[:, :3, :3], atol=1e-12)


def test_a_platform_with_other_points_and_lengths() -> None:
    platform = lw.load_platform("simona")
    rng = np.random.default_rng(2)
    base, points = (1e-3 * rng.normal(size=(6, 3)) for _ in range(2))
    offsets = 1e-3 * rng.normal(size=6)
    document = robot_document(platform.model)
    R = rotation_of(platform.home)
    document.pop("geometry", None)
    own = platform.model
    document["home"] = [*platform.home[:3].tolist(), 0.0, 0.0, 0.0]
    for k, leg in enumerate(document["legs"]):
        leg["base_point"] = (own.legs[k].base_point + base[k]).tolist()
        leg["platform_point"] = (own.legs[k].platform_point + R.T @ points[k]).tolist()
        leg["fixed_axis"] = own.legs[k].fixed_axis.tolist()
    other = lw.load_platform(document)
    machine = Assembled(platform)
    values = np.zeros(len(machine.deviations))
    for k, leg in enumerate(own.leg_names):
        for j, letter in enumerate("xyz"):
            values[machine.names.index(f"{leg}.start.{letter}")] = base[k, j]
            values[machine.names.index(f"{leg}.end.{letter}")] = points[k, j]
        values[machine.names.index(f"{leg}.offset")] = offsets[k]
    c, _, _ = platform.random_states(4)
    pose = other.forward_kinematics(platform.leg_lengths(c) + offsets, guess=c)
    found = machine.solved(c, np.tile(values, (4, 1)))
    np.testing.assert_allclose(found.tool, pose[:, :3], atol=1e-11)
    np.testing.assert_allclose(found.axes, rotation_of(pose), atol=1e-11)


@pytest.mark.parametrize("name", ["ur5", "simona", "delta", "tricept"])
def test_a_machine_drawn_anew_is_the_same_machine(name: str, tmp_path: Path) -> None:
    """By the kernels of its own file, which know nothing of deviations."""
    robot = lw.load(name)
    machine = Assembled(robot)
    values = 1e-3 * np.random.default_rng(3).normal(size=len(machine.deviations))
    values[:6] = 0.0  # the frame of measurement is no part of a robot
    lw.write_robot(redrawn(machine, values), tmp_path / "other.yaml")
    other = Assembled(lw.load(tmp_path / "other.yaml"))
    c, _, _ = robot.random_states(3)
    away = robot.actuator_motion(c).position - machine.zero
    here, _ = other.nominal(other.coordinates(away + other.zero))
    found = machine.solved(c, np.tile(values, (3, 1)))
    np.testing.assert_allclose(here.tool, found.tool, atol=1e-11)
    np.testing.assert_allclose(here.axes, found.axes, atol=1e-11)
    assert np.abs(found.tool - machine.nominal(c)[0].tool).max() > 1e-4


def test_what_rigid_parts_cannot_do() -> None:
    """A palletizer's links cannot close when their axes are not parallel: it has no file."""
    machine = Assembled(lw.load("palletizer"))
    values = np.full(len(machine.deviations), 1e-3)
    with pytest.raises(lw.LinkworkError, match="rigid parts miss each other by"):
        redrawn(machine, values)
    assert np.isfinite(machine.solved(machine.robot.home[None], values[None]).tool).all()
