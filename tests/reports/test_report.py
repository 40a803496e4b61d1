"""`lw.report` and what shows itself in notebooks."""

from __future__ import annotations

import html
import re
from importlib import import_module
from pathlib import Path

import pytest

import linkwork as lw
from linkwork.reports import report as module


def test_every_report_is_there() -> None:
    for kind, place in module.REPORTS.items():
        where, name = kind.rsplit(".", 1)
        assert isinstance(getattr(import_module(where), name), type)
        file, function = place.split(".")
        assert callable(getattr(import_module(f"linkwork.reports.{file}"), function))


def test_a_robot_shows_itself_in_a_frame_that_holds_its_page() -> None:
    shown = lw.load("planar-2r")._repr_html_()
    held = html.unescape(re.search(r'srcdoc="([^"]*)"', shown)[1])
    assert held.startswith("<!DOCTYPE html>")
    assert "planar-2r" in held
    assert "<script" in held
    assert "allow-same-origin" not in shown


def test_results_have_the_pages_of_the_commands(monkeypatch) -> None:
    arm = lw.load("planar-2r")
    found = lw.size_actuators(arm, ["home-quintic"])
    assert "Actuators of planar-2r" in lw.report(found).html()
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    path = lw.report(arm).show()
    assert opened == [path.as_uri()]
    assert path.stat().st_size > 10_000
    path.unlink()
    path.parent.rmdir()


def test_a_simulation_needs_its_robot() -> None:
    arm = lw.load("planar-2r")
    run = lw.simulate(arm, duration=0.02)
    assert "planar-2r" in lw.report(run, robot=arm).html()
    with pytest.raises(lw.InputError, match="expected a robot"):
        lw.report(run)
    with pytest.raises(lw.InputError, match="there is no report of"):
        lw.report(Path())
