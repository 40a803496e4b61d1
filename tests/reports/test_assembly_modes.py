"""The page of all poses with the same leg lengths."""

from __future__ import annotations

import csv
import json
import re

import numpy as np
import pytest

import linkwork as lw
from linkwork.reports.assembly_modes import judgment_table, modes_figure, modes_report, pose_table
from tests.cli.process import run


@pytest.fixture(scope="module")
def modes() -> lw.AssemblyModes:
    simona = lw.load_platform("simona")
    return simona.assembly_modes(simona.leg_lengths(simona.home))


def test_every_pose_has_a_drawing_and_a_row(modes) -> None:
    figure = modes_figure(modes)
    titles = [ax.get_title(loc="left") for ax in figure.axes if ax.has_data()]
    assert len(titles) == len(modes.poses) == 8
    assert titles[0] == "1: condition 2.92"
    # To the same scale, or they could not be compared.
    shown = [(ax.get_xlim(), ax.get_ylim()) for ax in figure.axes if ax.has_data()]
    assert len(set(shown)) == 1
    notes = [ax.texts[-1].get_text() for ax in figure.axes if ax.has_data()]
    assert notes[0] == "limits kept"
    assert "beyond limits, legs cross" in notes
    judged, placed = judgment_table(modes), pose_table(modes)
    assert len(judged.rows) == len(placed.rows) == 8
    assert judged.rows[0][2:5] == ("good", "+", "kept")
    assert {(k, 4) for k in range(1, 8)} <= judged.marks
    np.testing.assert_allclose([row[1:4] for row in placed.rows], modes.poses[:, :3], atol=1e-11)


def test_the_page_says_what_is_usable(modes) -> None:
    text = re.sub(r"<[^>]+>", "", modes_report(modes).html())
    assert "belong to 8 poses" in text
    assert "Within limits, not singular, and with legs that do not cross: 1." in text
    assert "not proven complete" in text


def test_lengths_that_no_pose_has() -> None:
    simona = lw.load_platform("simona")
    none = simona.assembly_modes([1.0, 5, 1, 5, 1, 5])
    assert len(none.poses) == 0
    assert "No pose has these leg lengths" in modes_report(none).html()


def test_the_command(tmp_path) -> None:
    words = ("--pose", "0.1,0,0.6,0,0,20deg", "--report", "poses.html", "-o", "poses.csv")
    said = run("poses", "dasgupta1998", *words, cwd=tmp_path)
    hexapod = lw.load_platform("dasgupta1998")
    pose = [0.1, 0, 0.6, 0, 0, np.radians(20)]
    lengths = hexapod.leg_lengths(pose)
    with (tmp_path / "poses.csv").open() as file:
        rows = list(csv.DictReader(file))
    names = ("x", "y", "z", "qw", "qx", "qy", "qz")
    found = np.array([[float(row[name]) for name in names] for row in rows])
    np.testing.assert_allclose(hexapod.leg_lengths(found), np.tile(lengths, (len(found), 1)), atol=1e-12)
    assert f"{len(found)} poses with leg lengths" in said.stdout
    assert "side by side" in (tmp_path / "poses.html").read_text()
    text = ",".join(repr(float(length)) for length in lengths)
    facts = json.loads(run("poses", "dasgupta1998", "--lengths", text, "--json", cwd=tmp_path).stdout)
    assert facts["complete"]
    assert len(facts["poses"]["x"]) == len(found)
    both = ("poses", "simona", "--pose", "0,0,2,0,0,0", "--lengths", text)
    assert "either --pose or --lengths" in run(*both, cwd=tmp_path, code=2).stderr
    assert "expected a Stewart platform" in run("poses", "ur5", cwd=tmp_path, code=2).stderr
