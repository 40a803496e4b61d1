"""Drawings of mechanisms: bodies meet in their joints, rods keep their lengths, nothing is left out."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork.analysis.shape import shape
from linkwork.analysis.skeleton import body_frames, skeleton
from linkwork.robots.mechanism import BASE
from tests.bundled import representative

ROBOTS = representative(lw.bundled_names())


@pytest.mark.parametrize("name", ROBOTS)
def test_bodies_meet_where_joints_hold_them(name: str) -> None:
    robot = lw.load(name)
    model, position = robot.mechanism, robot.random_motion(20, seed=1)[0]
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
    motion = robot.joint_motion(position, *np.zeros((2, robot.freedoms)))
    np.testing.assert_allclose(skeleton(robot, position).tip, motion.pose[:, :3], atol=1e-12)


@pytest.mark.parametrize("name", ROBOTS)
def test_every_body_and_strut_is_drawn(name: str) -> None:
    robot = lw.load(name)
    drawn = shape(robot)
    pins = [pin for rod in drawn.rods for pin in rod.pins]
    pins += [pin for plate in drawn.plates for pin in plate.pins]
    for k, part in enumerate(robot.mechanism.parts, 1):
        held = {joint.at.tobytes() for joint in robot.mechanism.joints if part.name in joint.joins}
        held.add(part.body.center_of_mass.tobytes())
        assert len(held) == 1 or k in {pin.body for pin in pins}  # a point has nothing to draw
    shown = {rod.actuator for rod in drawn.rods} | {axis.actuator for axis in drawn.axes}
    assert shown >= set(range(robot.n))
    ends = {pin.at.tobytes() for pin in drawn.joints}
    for strut in robot.mechanism.struts:
        assert {strut.start.tobytes(), strut.end.tobytes()} <= ends
