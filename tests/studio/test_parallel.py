"""Parallel robots in the studio: legs that hang together, reactions, limits, three singularities."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("viser", reason="the studio needs viser")

import linkwork as lw
from linkwork.core.rotations import rotation_of
from linkwork.studio.reading import CONSTRAINT, PARALLEL, SERIAL, MotionState, read
from linkwork.studio.robot_file import RobotSource
from linkwork.studio.scene import RobotScene
from linkwork.studio.session import Session
from tests.studio.nodes import Scene

AWAY = {"delta": [0.1, -0.05, -1.1], "3-rps": [0.63, 0.15, -0.1]}


def test_reactions_stand_at_the_joints_and_carry_the_weight() -> None:
    robot = lw.load_parallel("3-rps")
    reading = read(robot, MotionState.at_rest(np.array(AWAY["3-rps"]), 3))
    on_base = [r for r in reading.reactions if r.kind == "cylinder start"]
    mass = robot.model.platform.mass + sum(joint.body.mass for joint in robot.model.joints)
    held = sum(reaction.force for reaction in on_base)
    np.testing.assert_allclose(held, -mass * robot.model.gravity, atol=1e-9 * mass)
    for reaction, leg in zip(on_base, robot.model.legs, strict=True):
        np.testing.assert_allclose(reaction.at, leg.joints[0].at, atol=1e-12)
    held = sum(reaction.force for reaction in reading.reactions if reaction.kind == "cylinder end")
    np.testing.assert_allclose(held, -robot.model.platform.mass * robot.model.gravity, atol=1e-9)


def test_singularities_are_told_apart() -> None:
    robot = lw.load_parallel("3-rps")
    good = read(robot, MotionState.at_rest(robot.home, 3))
    assert [one.title for one in (good.singularity, *good.others)] == [PARALLEL, CONSTRAINT]
    assert {one.grade for one in (good.singularity, *good.others)} == {"good"}
    delta = lw.load_parallel("delta")
    stretched = read(delta, MotionState.at_rest(np.array([0.0, 0.0, -1.763]), 3))
    serial = stretched.others[0]
    assert serial.title == SERIAL
    assert serial.condition > 10
    assert "leg-" in serial.text
    far = read(delta, MotionState.at_rest(np.array([0.0, 0.0, -3.0]), 3))
    assert far.fault is not None
    assert far.frames is None
    assert np.isnan(far.effort).all()
    assert far.singularity.grade == "singular"


def test_limits_name_the_actuator() -> None:
    session = Session(RobotSource("delta"))
    session.move([0.0, 0.0, -0.72])
    reading = session.read()
    expected = session.robot.check_limits([0.0, 0.0, -0.72], np.zeros(3), np.zeros(3)).breaks
    assert reading.broken_limits
    assert [b.name for b in expected] == [
        session.robot.efforts.names[t.index] for t in reading.broken_limits
    ]


def test_dragging_keeps_to_the_coordinates_of_the_robot() -> None:
    session = Session(RobotSource("delta"))
    target = session.handle
    target[:3, 3] += [0.05, -0.02, 0.1]
    target[:3, :3] = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]  # a Delta cannot follow a turn
    session.drag(target)
    np.testing.assert_allclose(session.handle[:3, 3], target[:3, 3], atol=1e-12)
    np.testing.assert_allclose(session.handle[:3, :3], np.eye(3), atol=1e-12)


@pytest.mark.parametrize("name", ["delta", "3-rps"])
def test_the_scene_moves_and_hides_legs_that_do_not_reach(name: str) -> None:
    robot, scene = lw.load_parallel(name), Scene()
    drawing = RobotScene(scene, robot)
    away = read(robot, MotionState.at_rest(np.array(AWAY[name]), robot.dof))
    drawing.show(away, np.ones(robot.n), frozenset())
    assert away.frames is not None
    platform = scene.nodes[f"/bodies/{len(robot.bodies)}"]
    np.testing.assert_array_equal(platform.position, away.frames[-1, :, 3])
    strut = drawing.shape.struts[1]
    link = scene.nodes[f"/struts/{strut.carriers[0]}"]
    foot, turn = away.frames[strut.start.carrier], rotation_of(np.array([0.0, 0.0, 0.0, *link.wxyz]))
    here = turn @ strut.start.at + link.position
    np.testing.assert_allclose(here, foot[:, :3] @ strut.start.at + foot[:, 3], atol=1e-12)
    home = robot.model.home_frame
    if name == "delta":  # it does not turn
        np.testing.assert_allclose(platform.position, AWAY[name] - home.p, atol=1e-12)
    colors = {tuple(node.color) for nodes in drawing.colored.values() for node in nodes if node.color}
    assert colors
    assert {label.text for label, _ in drawing.labels.values()} == {*robot.leg_names}
    if name == "3-rps":  # its legs stretch as far as one likes
        return
    far = np.array([0.0, 0.0, -5.0])
    drawing.show(read(robot, MotionState.at_rest(far, robot.dof)), np.ones(robot.n), frozenset())
    assert not link.visible
    assert not platform.visible
