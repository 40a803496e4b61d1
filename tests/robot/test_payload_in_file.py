"""`payload:` of robot files: a load on the tool of any kind of robot, kept apart in files."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import linkwork as lw
from linkwork.analysis.agreement import random_states
from linkwork.analysis.datasheet import datasheet
from linkwork.model.robot_files import robot_document
from linkwork.reports.datasheet import datasheet_report

LOAD: dict[str, Any] = {"mass": 3.0, "center_of_mass": [0.01, 0.02, 0.03], "inertia": [0.1, 0.2, 0.25]}
POINT = {"mass": 3.0}
LOADS = {"ur5": LOAD, "simona": LOAD, "delta": LOAD, "palletizer": LOAD, "five-bar": POINT}


def document(name: str, load: object = None) -> dict[str, Any]:
    """In normal form."""
    written = robot_document(lw.load(robot_document(lw.load(name).model)).model)
    return written if load is None else {**written, "payload": load}


@pytest.mark.parametrize("name", LOADS)
def test_it_is_carried_and_kept_apart(name: str) -> None:
    load = LOADS[name]
    robot, bare = lw.load(document(name, load)), lw.load(name)
    states = random_states(bare, 5, 0)
    efforts = bare.with_payload(*load.values()).inverse_dynamics(*states)
    assert robot.inverse_dynamics(*states) == pytest.approx(efforts, rel=1e-9, abs=1e-9)
    assert np.abs(efforts - bare.inverse_dynamics(*states)).max() > 1
    assert robot.mechanism.mass == pytest.approx(bare.mechanism.mass + 3)
    again = robot_document(robot.model)
    assert again.pop("payload")["mass"] == 3
    assert again == document(name)
    more = robot.with_payload(1.0)  # the body that carries both is no longer what the file said
    assert "payload" not in robot_document(more.model)
    assert lw.load(robot_document(more.model)).mechanism.mass == pytest.approx(more.mechanism.mass)


def test_what_would_be_wrong_is_refused() -> None:
    with pytest.raises(lw.LinkworkError, match=r"payload: would swing freely: the tool is a point"):
        lw.load(document("five-bar", LOAD))
    with pytest.raises(lw.LinkworkError, match=r"payload.mass: is missing"):
        lw.load(document("ur5", {"center_of_mass": [0, 0, 1]}))
    with pytest.raises(lw.LinkworkError, match=r"platform.mass: the body carries the payload"):
        lw.load(document("simona", LOAD)).with_fields({"platform.mass": 5000})
    with pytest.raises(lw.LinkworkError, match=r"platform.mass: the body carries the payload"):
        lw.load(document("simona", LOAD)).kernel("gravity_load", parameters=["platform.mass"])


def test_a_data_sheet_tells_both_payloads(tmp_path) -> None:
    (tmp_path / "asked.yaml").write_text("payload: {mass: 7}\nexcursions: {heave: 0.1}\n")
    sheet = datasheet(lw.load(document("simona", LOAD)), tmp_path / "asked.yaml")
    assert [load.mass for load in sheet.loads.values()] == [3, 7]
    assert sheet.bare.mechanism.mass == pytest.approx(lw.load("simona").mechanism.mass)
    assert sheet.robot.mechanism.mass == pytest.approx(sheet.bare.mechanism.mass + 10)
    text = datasheet_report(sheet).html()
    assert "payload of the machine" in text
