"""Workspace and vibration in the studio: the surface that is drawn, the motion that is shown."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("viser", reason="the studio needs viser")

import linkwork as lw
from linkwork.analysis.region import find_region
from linkwork.analysis.workspace import KINDS
from linkwork.core.errors import InputError
from linkwork.core.rotations import inverse, multiply, to_vector
from linkwork.studio.reach import reach_of, surface_of
from linkwork.studio.robot_file import RobotSource
from linkwork.studio.session import AMPLITUDE, PERIOD, Session


def _silent(share: float) -> None:
    pass


def test_a_ball_cut_by_a_plane_has_its_surface_and_both_its_limits() -> None:
    def judge(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        both = np.stack([1 - np.linalg.norm(points, axis=1), 0.5 - points[:, 2]], axis=1)
        return both.min(axis=1), both.argmin(axis=1)

    region = find_region(judge, np.full(3, -1.31), np.full(3, 1.24), 0.05)
    surface = surface_of(region, judge)
    a, b, c = (surface.vertices[surface.faces[:, k]] for k in range(3))
    enclosed = np.einsum("ij,ij->", a, np.cross(b, c)) / 6  # positive if faces look outward
    cap = np.pi * 0.5**2 * (3 - 0.5) / 3
    assert enclosed == pytest.approx(4 / 3 * np.pi - cap, rel=5e-3)
    flat = surface.areas[surface.kinds == 1].sum()
    assert flat == pytest.approx(np.pi * 0.75, rel=0.05)
    round_part, _ = surface.part(0)
    assert np.abs(np.linalg.norm(round_part, axis=1) - 1).max() < 0.05
    on_plane, _ = surface.part(1)
    assert np.abs(on_plane[:, 2] - 0.5).max() < 0.05


def test_the_surface_lies_where_a_limit_is_met() -> None:
    robot = lw.load("pi-h811")
    pose = np.array([0, 0, 0, np.cos(0.05), 0, 0, np.sin(0.05)])
    reach = reach_of(robot.model, pose, _silent)
    ends = np.sort(reach.surface.faces[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
    assert np.unique(ends, axis=0, return_counts=True)[1].min() == 2  # no hole
    vertices = reach.surface.vertices[:: len(reach.surface.vertices) // 200]
    poses = np.column_stack([vertices, np.tile(pose[3:], (len(vertices), 1))])
    lengths, bounds = robot.leg_lengths(poses), robot.limits.position
    to_end = np.minimum(lengths - bounds[:, 0], bounds[:, 1] - lengths).min(axis=1)
    assert np.abs(to_end).max() < 2e-3 * lengths.mean()
    assert reach.volume == pytest.approx(lw.workspace(robot, pose).volume.content, rel=0.01)
    assert [KINDS[k] for k in reach.shares] == ["leg length"]
    assert sum(reach.shares.values()) == pytest.approx(1)
    assert reach.shown_volume.endswith("cm³")


def test_without_leg_limits_the_reason_is_told() -> None:
    robot = lw.load("dasgupta1998")
    with pytest.raises(InputError, match="slides without limits"):
        reach_of(robot.model, robot.home, _silent)


@pytest.mark.parametrize(
    ("name", "field", "stiffness"), [("simona", "legs", 2e7), ("planar-2r", "links", 3e3)]
)
def test_frequencies_are_those_of_the_library_where_the_robot_stands(
    name: str, field: str, stiffness: float
) -> None:
    session = Session(RobotSource(name))
    assert not session.has_stiffness
    session.find_vibration(stiffness)
    assert session.vibration is not None
    stiff: Any = session.robot.with_fields({f"{field}.stiffness": stiffness})
    values = session.values
    values[1] += 0.1
    for place in (session.values, values):
        session.move(place)
        found = session.vibration.modes(session.state.position, session.load)
        expected = stiff.vibration_modes(session.state.position)
        np.testing.assert_allclose(found.frequencies, expected.frequencies, rtol=1e-9)


def test_a_mode_moves_the_drawing_along_its_shape_and_nothing_else() -> None:
    session = Session(RobotSource("pi-h811"))
    session.find_vibration(1e7)
    vibration = session.vibration
    assert vibration is not None
    assert not session.advance(0.1)
    reading = session.read()
    assert session.drawn(reading) is reading
    vibration.mode = 2
    assert session.moving
    assert session.advance(PERIOD / 4)
    drawn, before = session.drawn(reading), session.state.position
    after = drawn.state.position
    motion = np.concatenate(
        [after[:3] - before[:3], to_vector(multiply(after[3:], inverse(before[3:])))]
    )
    shape = vibration.modes(before, session.load).shapes[:, 2]
    np.testing.assert_allclose(motion, shape * (motion @ shape) / (shape @ shape), atol=1e-12)
    way = max(np.abs(motion[:3]).max(), np.abs(motion[3:]).max() * session.robot.length_scale)
    assert way == pytest.approx(AMPLITUDE * session.robot.size)
    np.testing.assert_array_equal(drawn.effort, reading.effort)
    np.testing.assert_array_equal(session.read().state.position, before)
    session.find_vibration(4e7)  # another stiffness goes on with the same mode
    assert session.vibration is not None
    assert session.vibration.mode == 2


def test_arms_move_by_their_joints() -> None:
    moved = lw.load("planar-2r").coordinates.moved
    np.testing.assert_array_equal(moved(np.array([1.0, 2.0]), np.array([0.1, -0.1])), [1.1, 1.9])


def test_a_changed_design_ends_the_vibration() -> None:
    session = Session(RobotSource("pi-h811"))
    session.find_vibration(1e7)
    session.design_changed()
    assert session.vibration is None
    assert not session.moving
