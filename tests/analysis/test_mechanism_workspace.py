"""The workspace of mechanisms in their own coordinates, and the bound of their reach."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import linkwork as lw
from linkwork.analysis.reach_bound import reach_bound
from linkwork.analysis.workspace import Workspace
from linkwork.interface.robot import Mechanism
from linkwork.reports.workspace import workspace_report


def workspace(name: str, **options: float) -> Workspace:
    return lw.workspace(lw.load_mechanism(name), **options)


def test_joints_go_to_their_limits() -> None:
    found = workspace("palletizer", tolerance=0.2)
    limits = {each.name: each.limits.position for each in found.robot.elements}
    for one in found.excursions:
        low, high = limits[one.axis]
        assert (one.lowest, one.highest) == pytest.approx((low, high), abs=1e-6)
        assert one.lowest_limit == one.highest_limit == "joint limit"
        assert one.unit == "rad"
    assert found.main_axes == ("swing", "shoulder", "drive")
    box = np.prod([np.diff(limits[axis])[0] for axis in found.main_axes])
    assert found.main.content == pytest.approx(box, rel=0.1)


@pytest.mark.parametrize(
    ("name", "axis"), [("par4", "front.x"), pytest.param("excavator", "stick", marks=pytest.mark.long)]
)
def test_excursions_end_where_a_margin_does(name: str, axis: str) -> None:
    found = workspace(name)
    (one,) = (each for each in found.excursions if each.axis == axis)
    k = found.axes.index(axis)
    for end, outward in ((one.lowest, -1e-4), (one.highest, 1e-4)):
        c = np.tile(found.pose, (2, 1))
        c[:, k] = end - outward, end + outward
        least = found.margins(c).least
        assert least[0] > 0 > least[1]


def test_the_tool_stays_in_its_box() -> None:
    found = workspace("ankle")
    assert found.tool_box is not None
    low, high = found.tool_box
    places = found.robot.body_pose(found.robot.random_motion(200)[0])[:, :3]
    room = 0.02 * (high - low)
    assert ((places >= low - room) & (places <= high + room)).all()
    assert lw.workspace(lw.load("five-bar")).tool_box is None  # its coordinates tell it


@pytest.mark.parametrize("name", ["par4", "hexapod-with-arm"])
def test_reach_is_bounded(name: str) -> None:
    robot = lw.load_mechanism(name)
    body = robot.model.coordinates[0].of
    low, high = reach_bound(robot.model, body, robot.model.part(body).frame.p, "base")
    c = robot.random_motion(500)[0]
    places = robot.body_pose(c[np.isfinite(robot.inverse_kinematics(c, errors="nan")).all(-1)], body)
    assert ((places[:, :3] > low) & (places[:, :3] < high)).all()
    assert (high - low < 6 * robot.size).all()


def test_what_cannot_be_asked_is_told() -> None:
    robot = lw.load_mechanism("palletizer")
    with pytest.raises(
        lw.InputError, match="coordinates of palletizer are swing, shoulder, drive, hand"
    ):
        lw.workspace(robot, [0, 0, 0])
    with pytest.raises(lw.InputError, match="leg_diameter is of Stewart platforms"):
        lw.workspace(robot, leg_diameter=0.1)
    endless = lw.load_mechanism("hexapod-with-arm").model
    free = [replace(each, limits=replace(each.limits, position=None)) for each in endless.cylinders]
    found = lw.workspace(Mechanism(replace(endless, cylinders=tuple(free))))
    with pytest.raises(lw.InputError, match="slides without limits"):
        _ = found.excursions


def test_a_page_of_joints() -> None:
    html = workspace_report(workspace("ankle", tolerance=0.02)).html()
    assert "rad²" in html
    assert "Where the tool goes" in html
    assert "In space" not in html
