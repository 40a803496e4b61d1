"""linkwork time: the same numbers as the API, a motion that can be read again, errors."""

from __future__ import annotations

import json

import pytest

import linkwork as lw
from linkwork.motion.bundled import motion_for
from tests.cli.process import run


def test_time(tmp_path) -> None:
    options = ("-m", "home-quintic", "--velocity", "2", "--effort", "100,100,60,20,20,20")
    said = json.loads(run("time", "ur5", *options, "-o", "fast.csv", "--json", cwd=tmp_path).stdout)
    arm = lw.load("ur5")
    path = motion_for(arm, "home-quintic")
    fast = lw.time_optimal(arm, path, velocity=2.0, effort=[100, 100, 60, 20, 20, 20])
    assert said["duration"] == pytest.approx(fast.duration, rel=1e-12)
    assert said["before"] == path.duration
    assert 0.99 < said["greatest_share"] <= 1 + 1e-6
    assert {row["limit"] for row in said["limited_by"]} <= {"velocity", "effort"}
    again = lw.read_motion(tmp_path / "fast.csv")
    assert again.duration == pytest.approx(fast.duration, rel=1e-9)


def test_report_and_errors(tmp_path) -> None:
    run(
        "time",
        "planar-2r",
        "-m",
        "home-quintic",
        "--velocity",
        "3",
        "--effort",
        "60",
        "--report",
        "fast.html",
        cwd=tmp_path,
    )
    assert "as fast as limits allow" in (tmp_path / "fast.html").read_text()
    said = run("time", "planar-2r", "-m", "home-quintic", cwd=tmp_path, code=2)
    assert "no limit of velocity" in said.stderr
