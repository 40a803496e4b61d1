"""Proven bounds of workspaces against shells, dense samples and what is found by sampling boundaries."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import linkwork as lw
from linkwork.certification.boxes import Array
from tests.certification.test_certify import TRIPOD
from tests.cli.process import run


def belongs(at: Array, boxes: Array) -> Array:
    """Whether points (N, k) lie in one of some boxes."""
    found = np.zeros(len(at), dtype=bool)
    for low, high in boxes:
        found |= ((at >= low) & (at <= high)).all(axis=1)
    return found


def test_what_three_shells_have_in_common() -> None:
    """In a plane: every sample is where it belongs, the boxes fill the plane, the area is between."""
    robot = lw.load(TRIPOD)
    found = lw.certified_workspace(robot, ["x", "y"], gap=0.04, singularities=False)
    assert found.gap <= 0.04
    starts = np.array([each.start for each in robot.mechanism.cylinders])
    lengths = np.array([each.length for each in robot.mechanism.cylinders])
    rng = np.random.default_rng(0)
    at = rng.uniform(found.low, found.high, (20_000, 2))
    away = np.linalg.norm(np.insert(at, 2, 1.0, axis=1)[:, None] - starts, axis=2)
    kept = ((away >= lengths - 0.3) & (away <= lengths + 0.25)).all(axis=1)
    inside, outside = belongs(at, found.inside), belongs(at, found.outside)
    assert kept[inside].all()
    assert not kept[outside].any()
    assert (inside | outside | belongs(at, found.undecided)).all()
    parts = [found.inside, found.outside, found.undecided]
    whole = sum(float((part[:, 1] - part[:, 0]).prod(axis=1).sum()) for part in parts)
    assert whole == pytest.approx(float((found.high - found.low).prod()), rel=1e-12)
    area = kept.mean() * whole
    low, high = found.volume
    assert low < area * 1.03
    assert high > area * 0.97


def test_a_line_ends_where_the_shells_do() -> None:
    """The way up, by bisection of the lengths themselves: ten digits."""
    robot = lw.load(TRIPOD)
    found = lw.certified_workspace(robot, ["z"], gap=1e-9, singularities=False)
    starts = np.array([each.start for each in robot.mechanism.cylinders])
    lengths = np.array([each.length for each in robot.mechanism.cylinders])
    across = np.linalg.norm(starts[:, :2], axis=1)
    # Above and below the feet: where the shells are met by the axis.
    top = (starts[:, 2] + np.sqrt((lengths + 0.25) ** 2 - across**2)).min()
    inner = (lengths - 0.3) ** 2 - across**2
    low = (starts[:, 2] + np.sqrt(inner)).max()
    above = found.inside[found.inside[:, 0, 0] > 0.2]
    assert above[:, 1].max() == pytest.approx(top, abs=1e-8)
    assert above[:, 0].min() == pytest.approx(low, abs=1e-8)
    assert above[:, 1].max() <= top
    assert above[:, 0].min() >= low


def test_the_other_side_of_singularities_is_outside() -> None:
    """Of three cylinders without limits of length, with feet in a plane: all that is below."""
    feet = {"c0": [1, 0, 0], "c1": [-0.5, 0.8, 0], "c2": [-0.5, -0.8, 0]}
    cylinders = {
        name: TRIPOD["cylinders"][name] | {"from": foot, "limits": {"position": [-0.3, 0.25]}}
        for name, foot in feet.items()
    }
    found = lw.certified_workspace(lw.load(TRIPOD | {"cylinders": cylinders}), ["x", "z"], gap=0.1)
    assert len(found.inside)
    assert found.inside[:, 0, 1].min() > 0
    assert belongs(np.array([[0.0, -0.5], [0.1, -1.5]]), found.outside).all()


def test_tolerances_narrow_a_workspace() -> None:
    """Inside is inside for all machines, outside is outside for all of them."""
    robot = lw.load("palletizer")
    name = robot.coordinates.by_angles.names[0]
    sharp = lw.certified_workspace(robot, [name], gap=1e-3)
    loose = lw.certified_workspace(robot, [name], gap=1e-3, tolerances={"payload": [0, 1.0]})
    assert loose.volume[0] <= sharp.volume[1]


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"axes": ["x", "x"]}, "one to three different"),
        ({"axes": ["u"]}, "unknown coordinate"),
        ({"gap": 0}, "gap"),
        ({"pose": [1, 2]}, "pose has shape"),
        ({"leg_diameter": 0.1}, "not a Stewart platform"),
    ],
)
def test_wrong_questions(asked: dict, told: str) -> None:
    with pytest.raises(lw.InputError, match=told):
        lw.certified_workspace(lw.load(TRIPOD), **asked)


def test_command(tmp_path: Path) -> None:
    told = run(
        "workspace", "five-bar", "--certified", "--gap", "0.2", "--report", "proven.html", "-o",
        "boxes.csv", "--json", cwd=tmp_path,
    )  # fmt: skip
    content = json.loads(told.stdout)
    low, high = content["volume_bounds"]
    assert 0.43 < low < 0.5446 < high < 0.62  # by cells: linkwork workspace five-bar
    page = (tmp_path / "proven.html").read_text()
    assert "Certified workspace of five-bar" in page
    assert page.count("<figure") >= 1
    assert (tmp_path / "boxes.csv").read_text().startswith("inside,x_low,x_high")
    wrong = run("workspace", "five-bar", "--certified", "--clearance", "0.1", cwd=tmp_path, code=2)
    assert "--clearance" in wrong.stderr
