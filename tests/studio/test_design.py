"""Designs: edits are checked as files are, can be saved, and points can be dragged."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import yaml

import linkwork as lw
from linkwork.core.errors import InputError
from linkwork.studio.controls import home_of
from linkwork.studio.design import (
    BASE_POINT,
    BASE_RADIUS,
    HEIGHT,
    LEG_FIELDS,
    PLATFORM,
    EditedRobot,
    axis_of,
    changes_for,
    place_of,
    points_of,
)
from linkwork.studio.robot_file import RobotSource
from linkwork.studio.session import Session
from tests.studio.running import SHOWN


def _saved(design: EditedRobot, folder: Path) -> lw.Robot:
    file = folder / "edited.yaml"
    file.write_text(design.text(), encoding="utf-8")
    robot: lw.Robot = lw.load(file)
    return robot


@pytest.mark.parametrize("name", SHOWN)
def test_every_number_can_be_edited_and_saved(name: str, tmp_path: Path) -> None:
    design = EditedRobot(lw.load(name))
    part = design.parts[-1 if name == "delta" else 1]  # rods in pairs are thin, see below
    for field in design.fields(part):
        value = design.value(part, field)
        wanted = value + (np.array([0.003, 0.002, 0.001]) if field.is_vector else 0.004)
        design.edit(part, {field: wanted})
        np.testing.assert_allclose(design.value(part, field), wanted, atol=1e-12)
    again = _saved(design, tmp_path)
    position = home_of(again)
    still = np.zeros(len(again.velocities))
    expected = design.robot.inverse_dynamics(position, still, still)
    assert np.abs(expected - lw.load(name).inverse_dynamics(position, still, still)).max() > 1e-9
    np.testing.assert_allclose(again.inverse_dynamics(position, still, still), expected, atol=1e-9)


def test_an_edit_that_the_robot_cannot_be_is_refused() -> None:
    """A forearm of two rods has its mass on the line between its joints."""
    design = EditedRobot(lw.load("delta"))
    rods = design.parts[1]
    mass, center = design.fields(rods)[:2]
    with pytest.raises(lw.InputError, match="two rods side by side"):
        design.edit(rods, {center: design.value(rods, center) + 0.003})
    design.edit(rods, {mass: 0.5})
    assert design.value(rods, mass) == 0.5


def test_an_edit_changes_the_forces_to_those_of_the_new_robot(tmp_path: Path) -> None:
    session = Session(RobotSource("dasgupta1998"))
    before = session.read().effort
    session.design.edit("leg1", {BASE_POINT: [0.65, 0.25, 0.02]})
    session.design_changed()
    found = session.read().effort
    robot = _saved(session.design, tmp_path)
    expected = robot.inverse_dynamics(session.state.position, np.zeros(6), np.zeros(6))
    np.testing.assert_allclose(found, expected, rtol=1e-10)
    assert np.abs(found - before).max() > 1


def test_masses_of_all_legs_at_once() -> None:
    design = EditedRobot(lw.load("simona"))
    mass = next(field for field in LEG_FIELDS if field.name == "lower part mass")
    design.edit("leg1", {mass: 99.0}, everywhere=True)
    assert [leg.lower.mass for leg in design.model.legs] == [99.0] * 6
    design.edit("leg2", {mass: 98.0})
    assert [leg.lower.mass for leg in design.model.legs] == [99.0, 98.0, 99.0, 99.0, 99.0, 99.0]


@pytest.mark.parametrize(
    ("part", "field", "value", "words"),
    [
        ("leg1", "fixed axis", [0, 0, 0], "fixed_axis"),
        ("leg1", "lower part mass", -1.0, "mass"),
        ("leg1", "base point", [np.nan, 0, 0], "finite"),
        (PLATFORM, "mass", -3.0, "mass"),
    ],
)
def test_what_a_file_may_not_say_is_refused_and_changes_nothing(
    part: str, field: str, value: object, words: str
) -> None:
    design = EditedRobot(lw.load("dasgupta1998"))
    before = design.text()
    chosen = next(found for found in design.fields(part) if found.name == field)
    with pytest.raises(InputError, match=words):
        design.edit(part, {chosen: value})
    assert design.text() == before
    assert not design.changed


@pytest.mark.parametrize(
    "name",
    [
        "dasgupta1998",
        "stanford",
        *(pytest.param(each, marks=pytest.mark.long) for each in ("puma560", "ur5")),
    ],
)
def test_a_dragged_point_stands_where_it_was_dragged_to(name: str) -> None:
    session = Session(RobotSource(name))
    for part in session.design.parts[1:4]:
        for point in points_of(session.design, part):
            reading = session.read()
            place = place_of(session.design, part, point, reading)
            goal = place + np.array([0.01, -0.02, 0.015])
            if session.design.is_table:  # the frame can go along two directions only
                step = axis_of(session.design, part, reading)
                goal = place + 0.02 * step
            session.design.edit(part, changes_for(session.design, part, point, goal, reading))
            session.design_changed()
            moved = place_of(session.design, part, point, session.read())
            np.testing.assert_allclose(moved, goal, atol=1e-9)


def test_back_to_the_file() -> None:
    session = Session(RobotSource("dasgupta1998"))
    before = session.read().effort
    session.design.edit("leg1", {BASE_POINT: [0.65, 0.25, 0.02]})
    session.design_changed()
    session.reload()
    np.testing.assert_array_equal(session.read().effort, before)
    assert not session.design.changed


def test_radii_and_height_of_a_platform_are_numbers_to_change() -> None:
    design = EditedRobot(lw.load("pi-h811"))
    before = dict(design.shape)
    design.reshape("base radius", 1.5 * before["base radius"])
    assert design.shape["base radius"] == pytest.approx(1.5 * before["base radius"])
    assert design.shape["height at home"] == pytest.approx(before["height at home"])
    design.reshape("height at home", before["height at home"] + 0.01)
    home = np.asarray(design.robot.home)
    np.testing.assert_allclose(home, [0, 0, 0.01, 1, 0, 0, 0], atol=1e-12)
    low, high = design.robot.limits.position.T  # the actuators keep their stroke
    np.testing.assert_allclose(high - low, 0.0996 - 0.0869, atol=1e-12)
    with pytest.raises(InputError, match="above 0"):
        design.reshape("platform radius", -1.0)
    assert EditedRobot(lw.load("ur5")).shape == {}


def test_a_geometry_stays_in_the_file_while_the_legs_stand_on_it() -> None:
    file = Path(__file__).parents[2] / "examples" / "flight-simulator.yaml"
    design = EditedRobot(lw.load(file))
    before = design.model.geometry  # type: ignore[union-attr]
    mass = next(field for field in design.fields("platform") if field.name == "mass")
    design.edit("platform", {mass: 1600.0})
    assert design.model.geometry == before  # type: ignore[union-attr]
    design.reshape(BASE_RADIUS, 1.7)
    design.reshape(HEIGHT, 2.1)
    written = yaml.safe_load(design.text())
    assert written["geometry"]["base_radius"] == pytest.approx(1.7, rel=1e-12)
    assert written["geometry"]["height"] == pytest.approx(2.1, rel=1e-12)
    assert "base_point" not in design.text()
    np.testing.assert_allclose(lw.load(written).home[2], 2.1, rtol=1e-12)
    design.edit("leg1", {BASE_POINT: [1.8, 0.4, 0.0]})
    assert "geometry" not in yaml.safe_load(design.text())
    assert yaml.safe_load(design.text())["legs"][0]["base_point"] == [1.8, 0.4, 0.0]
