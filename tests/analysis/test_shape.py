"""Shapes of robots: bodies meet in their joints, struts keep their lengths, nothing is left out."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork.drawing.shape import body_frames, placed, shape, turn_between
from linkwork.model.mechanism import BASE
from tests.bundled import representative

ROBOTS = representative(lw.bundled_names())


@pytest.mark.parametrize("name", ROBOTS)
def test_bodies_meet_where_joints_hold_them(name: str) -> None:
    robot = lw.load(name)
    model, position = robot.mechanism, robot.random_states(20, seed=1)[0]
    frames = body_frames(robot, position)
    number = {BASE: 0, **{part.name: k for k, part in enumerate(model.parts, 1)}}

    def places(body: str, point: np.ndarray) -> np.ndarray:
        return frames[:, number[body], :, :3] @ point + frames[:, number[body], :, 3]

    for joint in model.joints:
        if joint.kind != "prismatic":
            one, other = (places(body, joint.at) for body in joint.joins)
            np.testing.assert_allclose(one, other, atol=1e-12 * model.size, err_msg=joint.name)
    for rod in model.rods:
        ends = places(rod.joins[1], rod.end) - places(rod.joins[0], rod.start)
        np.testing.assert_allclose(np.linalg.norm(ends, axis=1), rod.length, rtol=1e-12)
    motion = robot.joint_motion(position, *np.zeros((2, robot.dof)))
    drawn = placed(robot, position)
    np.testing.assert_allclose(drawn.at(drawn.shape.tip), motion.pose[:, :3], atol=1e-12)


@pytest.mark.parametrize("name", ROBOTS)
def test_struts_keep_their_parts_between_their_ends(name: str) -> None:
    robot = lw.load(name)
    drawn = placed(robot, robot.random_states(5, seed=2)[0])
    for solid in drawn.shape.of("rod"):
        if solid.role in ("motor", "piston"):
            points = drawn.points(solid)
            strut = next(each for each in drawn.shape.struts if solid.carrier in each.carriers)
            start, end = drawn.at(strut.start), drawn.at(strut.end)
            along = (end - start) / np.linalg.norm(end - start, axis=1, keepdims=True)
            off = np.cross(points - start[:, None], along[:, None])
            np.testing.assert_allclose(off, 0.0, atol=1e-12 * drawn.shape.size)
            held = points[:, 0] - start if solid.role == "motor" else points[:, 1] - end
            np.testing.assert_allclose(held, 0.0, atol=1e-12 * drawn.shape.size)


def test_struts_turn_round_whole() -> None:
    ends = np.eye(3)[0], np.array([[1.0, 0, 0], [0, 2, 0], [-3, 0, 0]])
    turns = turn_between(*ends)
    np.testing.assert_allclose(turns @ ends[0], [[1, 0, 0], [0, 1, 0], [-1, 0, 0]], atol=1e-15)
    np.testing.assert_allclose(np.linalg.det(turns), 1.0)


@pytest.mark.parametrize("name", ROBOTS)
def test_every_body_and_strut_is_drawn(name: str) -> None:
    robot = lw.load(name)
    drawn = shape(robot)
    lines = drawn.of("rod", "plate")
    shown = {anchor.carrier for solid in lines for anchor in solid.anchors}
    for k, part in enumerate(robot.mechanism.parts, 1):
        held = {joint.at.tobytes() for joint in robot.mechanism.joints if part.name in joint.joins}
        held.add(part.body.center_of_mass.tobytes())
        assert len(held) == 1 or k in shown  # a point has nothing to draw
    assert shown >= {carrier for strut in drawn.struts for carrier in strut.carriers}
    assert {*drawn.labels} == set(range(robot.n)) == {each.actuator for each in drawn.solids} - {None}
    ends = {ball.anchors[0].at.tobytes() for ball in drawn.of("ball")}
    for strut in robot.mechanism.struts:
        assert {strut.start.tobytes(), strut.end.tobytes()} <= ends


def test_links_around_a_point_are_arcs_that_meet_in_their_joints() -> None:
    robot = lw.load("agile-eye")
    rods = [solid.points for solid in shape(robot).of("rod")]
    assert len(rods) == 6
    for points in rods:
        assert len(points) > 5
        assert np.linalg.norm(points, axis=1).min() > 0.04
    ends = {tuple(point.round(9)) for points in rods for point in points[[0, -1]]}
    assert len(ends) == 9
