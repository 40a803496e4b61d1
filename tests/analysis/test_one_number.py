"""One number, one definition: what API, reports, tables and studio tell of a state is the same."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

import linkwork as lw
from linkwork.analysis.conditioning import conditioning
from linkwork.analysis.study import study
from linkwork.cli.running import run
from linkwork.interface.robot import Robot
from linkwork.motion.bundled import motion_for
from linkwork.studio.controls import home_of
from linkwork.studio.probe import Probe
from linkwork.studio.reading import State


@pytest.mark.parametrize("name", lw.bundled_names())
def test_a_pose_has_one_condition_number(name: str) -> None:
    robot = lw.load(name)
    places = np.array([home_of(robot), robot.random_motion(1, seed=3)[0][0]])
    told = robot.condition_number(places, robot.length_scale, errors="nan")
    np.testing.assert_allclose(Robot.condition_number(robot, places, errors="nan"), told, rtol=1e-9)
    np.testing.assert_array_equal(conditioning(robot, places)[0].values, told)
    probe = Probe(robot)
    np.testing.assert_array_equal(probe.conditions(places), told)
    for place, number in zip(places, told, strict=True):
        reading = probe.read(State.at_rest(place, probe.freedom))
        np.testing.assert_array_equal(reading.singularity.condition, number)


def test_platforms_and_arms_have_the_numbers_of_their_own_methods() -> None:
    platform, arm = lw.load_platform("dasgupta1998"), lw.load_arm("stanford")
    pose, q = platform.random_motion(5)[0], arm.random_motion(5)[0]
    expected = platform.condition_number(pose, "platform")
    np.testing.assert_allclose(conditioning(platform, pose)[0].values, expected, rtol=1e-12)
    np.testing.assert_allclose(
        conditioning(arm, q)[0].values, arm.manipulability(q).condition, rtol=1e-9
    )


@pytest.mark.parametrize("name", ["delta", "simona", "puma560", "excavator"])
def test_columns_of_reactions_are_named_by_joints(name: str, tmp_path: Path) -> None:
    path = tmp_path / "f.csv"
    assert run(["inverse", name, "-m", "home-quintic", "--reactions", "-o", str(path)]) == 0
    robot, motion = lw.load(name), motion_for(lw.load(name), "home-quintic")
    with path.open() as file:
        rows = [row for row in csv.reader(file) if not row[0].startswith("#")]
    columns = dict(zip(rows[0], np.array(rows[1:], dtype=np.float64).T, strict=True))
    found = robot.reactions(*motion.at(columns["time"]))
    assert len({*found.names}) == len(found.names)
    told = [column for column in columns if column.startswith("reaction_")]
    assert len(told) == 6 * len(found.names)
    scale = np.nanmax(np.abs(found.force))
    for k, joint in enumerate(found.names):
        for letter, vectors in (("f", found.force), ("m", found.moment)):
            for j, axis in enumerate("xyz"):
                column = columns[f"reaction_{joint}_{letter}{axis}"]
                np.testing.assert_allclose(column, vectors[:, k, j], rtol=0, atol=1e-9 * scale)


def test_reactions_of_families_are_those_of_their_own_methods() -> None:
    arm, platform = lw.load_arm("puma560"), lw.load_platform("simona")
    wrench = np.array([3.0, -2.0, 5.0, 0.4, 0.2, -0.3])
    q, qd, qdd = arm.random_motion(4)
    own, found = arm.joint_wrenches(q, qd, qdd, tip_wrench=wrench), arm.reactions(q, qd, qdd, wrench)
    assert found.names == arm.joint_names
    R = arm.link_frames(q)[..., :3, :3]
    for part, vectors in ((slice(0, 3), found.force), (slice(3, 6), found.moment)):
        turned = np.einsum("nkij,nkj->nki", R, own[..., part])
        np.testing.assert_allclose(vectors, turned, atol=1e-9)
    state = platform.random_motion(4)
    legs, found = platform.joint_reactions(*state, wrench), platform.reactions(*state, wrench)
    rows = [found.names.index(f"{leg} end") for leg in platform.leg_names]
    scale = np.abs(legs.spherical_force).max()
    np.testing.assert_allclose(found.force[:, rows], -legs.spherical_force, atol=1e-12 * scale)
    magnitudes = study(platform, "", np.arange(4.0), state, wrench=wrench).reactions[0]
    side = legs.prismatic_force - _along(legs.prismatic_force, platform.leg_kinematics(*state).direction)
    rows = [found.names.index(f"{leg} slide") for leg in platform.leg_names]
    expected = np.linalg.norm(side, axis=-1)
    np.testing.assert_allclose(magnitudes.values[:, rows], expected, atol=1e-12 * scale)


def _along(vectors: np.ndarray, direction: np.ndarray) -> np.ndarray:
    return (vectors * direction).sum(axis=-1, keepdims=True) * direction
