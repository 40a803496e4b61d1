"""Answers about a robot are in the unit in which its file writes angles."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import linkwork as lw
from linkwork.kernels.recipes import index_key
from linkwork.reports.tables import robot_table
from linkwork.studio.controls import controls_of
from linkwork.studio.design import EditedRobot
from tests.cli.process import run


def arm(**fields: Any) -> dict[str, Any]:
    link = {"joint": "revolute", "a": 0.5, "mass": 1.0, "inertia": [0.1, 0.1, 0.1], **fields}
    return {"kind": "arm", "name": "one", "convention": "standard", "links": [link]}


@pytest.mark.parametrize(
    ("fields", "unit"),
    [
        ({}, "deg"),
        ({"alpha": 0}, "deg"),  # zero tells nothing
        ({"alpha": 1.5}, "rad"),
        ({"alpha": "1.5 rad"}, "rad"),
        ({"alpha": "90 deg", "theta": 0.5}, "deg"),
        ({"alpha": 1.5, "limits": {"position": ["-90 deg", "90 deg"]}}, "deg"),
        ({"limits": {"position": [-2, 2]}}, "rad"),
    ],
)
def test_the_file_decides(fields: dict[str, Any], unit: str) -> None:
    assert lw.load(arm(**fields)).angle_unit == unit


@pytest.mark.filterwarnings("ignore:.*is taken as no limit")
def test_it_stays_with_the_robot(tmp_path: Path) -> None:
    robot = lw.load_arm(arm(alpha=1.5))
    for other in (
        pickle.loads(pickle.dumps(robot)),
        robot.with_fields({"links[0].mass": 2.0}),
        robot.with_parameters(robot.parameters.values),
    ):
        assert other.angle_unit == "rad"
    path = tmp_path / "puma560.urdf"
    lw.write_robot(lw.load("puma560"), path)
    assert lw.load(path).angle_unit == "rad"
    assert lw.load("puma560").angle_unit == "deg"


def test_an_edit_in_the_studio_keeps_it() -> None:
    design = EditedRobot(lw.load("planar-2r"))
    part = design.parts[0]
    mass = next(field for field in design.fields(part) if field.path == ("mass",))
    design.edit(part, {mass: 3.0})
    assert design.robot.angle_unit == "deg"


def test_kernels_do_not_depend_on_it() -> None:
    robot = lw.load_arm(arm(alpha=1.5))
    other = type(robot)(replace(robot.model, angle_unit="deg"))
    keys = {index_key(one.snapshot_recipe(), "any machine") for one in (robot, other)}
    assert len(keys) == 1


def test_terminal_reports_and_sliders_use_it(tmp_path: Path) -> None:
    limited = {"limits": {"position": [-2, 2], "velocity": 3}}
    for fields, unit in (({"alpha": 1.5}, "rad"), ({"alpha": "90 deg"}, "deg")):
        robot = lw.load(arm(**limited, **fields))
        assert controls_of(robot)[0].unit == unit
        assert any(f"{unit}/s" in str(cell) for cell in robot_table(robot).rows[0])
    path = tmp_path / "one.yaml"
    text = "kind: arm\nname: one\nconvention: standard\nlinks:\n"
    path.write_text(
        text + "- {joint: revolute, a: 0.5, alpha: 1.5, mass: 1, center_of_mass: [-0.2, 0, 0],"
        " inertia: [0.01, 0.02, 0.02], limits: {position: [-2, 2]}}\n"
    )
    told = run("show", str(path), cwd=tmp_path)
    assert "alpha [rad]" in told.stdout
    assert "-2 .. 2" in told.stdout
    assert "deg" not in told.stdout
