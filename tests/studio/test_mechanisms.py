"""Mechanisms in the studio: bodies that hang together, sliders, readings, dragging, motions."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("viser", reason="the studio needs viser")

import linkwork as lw
from linkwork.core.rotations import rotation_of
from linkwork.studio.motion import closed_loop, compute_series
from linkwork.studio.reading import MotionState
from linkwork.studio.robot_file import RobotSource
from linkwork.studio.scene import drawing_of
from linkwork.studio.session import Session
from tests.bundled import representative
from tests.studio.nodes import Scene

ROBOTS = representative(lw.bundled_names())


class Drawn(Session):
    """A session with its drawing in a scene of its own."""

    def __init__(self, name: str) -> None:
        super().__init__(RobotSource(name))
        self.scene = Scene()
        self.drawing = drawing_of(self.scene, self)


def session_of(name: str) -> tuple[Drawn, Scene]:
    session = Drawn(name)
    return session, session.scene


def show(session: Drawn) -> None:
    session.drawing.show(session.read(), np.ones(session.robot.n), frozenset())


@pytest.mark.parametrize("name", ROBOTS)
def test_sliders_move_all_bodies_and_struts_reach_their_ends(name: str) -> None:
    session, scene = session_of(name)
    robot = session.robot
    spans = np.array([control.high - control.low for control in session.controls])
    assert len(spans) == robot.dof
    session.move(session.values + 0.02 * spans)
    show(session)
    place = {}
    for k, body in enumerate(robot.bodies, 1):
        node, part = scene.nodes[f"/bodies/{k}"], robot.mechanism.part(body)
        R = rotation_of(np.concatenate([np.zeros(3), node.wxyz]))
        place[body] = (R, np.array(node.position))
        pose = robot.body_pose(session.state.position, body)
        np.testing.assert_allclose(R @ part.frame.p + node.position, pose[:3], atol=1e-9)
    place["base"] = np.eye(3), np.zeros(3)
    for joint in robot.mechanism.joints:
        if joint.kind not in ("prismatic", "fixed"):  # both bodies have it at one place
            ends = [place[body][0] @ joint.at + place[body][1] for body in joint.joins]
            np.testing.assert_allclose(*ends, atol=1e-9 * robot.size)
    drawn = session.drawing.shape.struts
    for strut, ends in zip(robot.mechanism.struts, drawn, strict=True):
        R, p = place[strut.joins[1]]
        node = scene.nodes[f"/struts/{ends.carriers[-1]}"]
        turn = rotation_of(np.concatenate([np.zeros(3), node.wxyz]))
        tip = turn @ strut.end + node.position
        np.testing.assert_allclose(tip, R @ strut.end + p, atol=1e-9 * robot.size)


@pytest.mark.parametrize("name", ROBOTS)
def test_readings_and_motions(name: str) -> None:
    session, _ = session_of(name)
    reading, robot = session.read(), session.robot
    assert reading.fault is None
    here = session.state.position
    np.testing.assert_allclose(reading.effort, robot.gravity_load(here), atol=1e-9)
    assert reading.reactions
    assert not reading.broken_limits
    assert reading.singularity.condition >= 1
    for choice in session.choices:
        session.choose(choice.make(), choice.name)
        session.playback.seek(0.4)
        session.follow()
        show(session)
    motion = session.choices[0].make()
    series = compute_series(session.robot, motion, robot.formulations, lambda share: None)
    assert np.isfinite(series.efforts[robot.formulations[0]]).all()
    assert series.shown.values.shape[1] == robot.dof


def test_reactions_stand_at_the_joints_and_carry_the_weight() -> None:
    session, _ = session_of("ankle")
    reading, model = session.read(), session.robot.mechanism
    held = [each for each in reading.reactions if each.owner in _on_base(model)]
    mass = sum(part.body.mass for part in model.parts) + sum(rod.mass for rod in model.rods)
    np.testing.assert_allclose(sum(each.force for each in held), -mass * model.gravity, atol=1e-9)
    places = {joint.name: joint.at for joint in model.joints}
    for each in held:
        np.testing.assert_allclose(each.at, places[each.owner], atol=1e-12)


def _on_base(model) -> set[str]:
    return {joint.name for joint in model.joints if joint.joins[0] == "base"}


@pytest.mark.parametrize("name", ["palletizer", "hexapod-with-arm"])
def test_dragging_brings_the_tool_there(name: str) -> None:
    session, _ = session_of(name)
    target = session.handle
    target[:3, 3] += 0.02 * session.robot.size * np.array([1.0, -1.0, 0.5])
    session.drag(target)
    np.testing.assert_allclose(session.handle[:3, 3], target[:3, 3], atol=1e-6)


def test_a_palletizer_keeps_its_flange_level_whatever_is_dragged() -> None:
    session, _ = session_of("palletizer")
    target = session.handle
    target[:3, :3] = [[0, 0, 1], [0, 1, 0], [-1, 0, 0]]
    target[:3, 3] += [0.1, 0.2, -0.1]
    session.drag(target)
    np.testing.assert_allclose(session.handle[:3, 3], target[:3, 3], atol=1e-6)
    np.testing.assert_allclose(session.handle[2, :3], [0, 0, 1], atol=1e-9)


def test_out_of_reach_nothing_is_drawn_and_the_reading_says_so() -> None:
    session, scene = session_of("par4")
    session.place(np.array([0.0, 0.0, -3.0, 0.0]))
    reading = session.read()
    assert reading.fault is not None
    assert np.isnan(reading.effort).all()
    show(session)
    assert not scene.nodes["/bodies/1"].visible
    np.testing.assert_allclose(session.handle[:3, 3][2], -3.0, atol=0.3)


def test_limits_name_the_motor() -> None:
    session, _ = session_of("palletizer")
    session.move([0.0, 75.0, 0.0, 0.0])
    assert [found.index for found in session.read().broken_limits][:1] == [1]
    assert "shoulder" in session.read().broken_limits[0].text


def test_a_simulation_with_joints_and_a_pose() -> None:
    session, _ = session_of("ankle")
    motion = session.choices[0].make()
    offset = np.array([0.01, 0.0])
    run = closed_loop(session.robot, motion, 2.0, 0.0, offset, lambda share: None)
    assert run.error is not None
    assert np.abs(run.error[-1]).max() < 1e-4
    session.choose(motion, "motion")
    session.simulation = run
    session.follow()
    session.drawing.show_ghost(session.ghost)
    assert MotionState.at_rest(session.state.position, 2).position.shape == (2,)
