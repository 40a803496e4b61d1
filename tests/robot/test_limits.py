"""One judgment of limits: motors and passive joints beside each other, in every consumer."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

import linkwork as lw
from linkwork.analysis.study import study
from linkwork.cli.output import limit_in_words
from linkwork.cli.running import run
from linkwork.robot.limits import first_outside, limit_report


@pytest.fixture(scope="module")
def narrow(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An ankle whose motors may turn by one degree; its passive joints have limits of their own."""
    text = (files("linkwork") / "model" / "library" / "ankle.yaml").read_text()
    path = tmp_path_factory.mktemp("narrow") / "ankle.yaml"
    path.write_text(text.replace("[-65 deg, 65 deg]", "[-1 deg, 1 deg]"))
    time = np.linspace(0, 1, 11)
    c = 0.1 * np.sin(np.pi * time) ** 2
    rows = [f"{t},{x},{x}" for t, x in zip(time, c, strict=True)]
    (path.parent / "motion.csv").write_text("\n".join(["time,pitch,roll", *rows]))
    return path


def test_the_report_and_the_study_judge_alike(narrow: Path) -> None:
    robot = lw.load(narrow)
    time = np.linspace(0, 1, 11)
    c = 0.1 * np.outer(np.sin(np.pi * time) ** 2, [1.0, 1.0])
    still = np.zeros_like(c)
    report = robot.check_limits(c, time=time)
    assert {one.name for one in report.breaks} == {"left", "right"}
    assert study(robot, "", time, (c, still, still)).violations == report.breaks
    left = report.breaks[0]
    assert (left.quantity, left.limit, left.unit) == ("position", "position", "rad")
    assert left.excess == pytest.approx(left.value - np.radians(1))
    assert left.duration is not None
    assert 0.5 < left.duration < 1
    said = first_outside(robot.quantities(c[5:6]))
    assert said is not None
    assert said.startswith("left is at position")
    beyond = limit_report(robot.quantities(2 * c), time.shape, time).breaks
    assert {one.name for one in beyond} == {"left", "right"}  # roll: 11.5 of 20 deg


@pytest.mark.parametrize("command", ["inverse", "size", "simulate"])
def test_commands_name_a_broken_motor_beside_passive_limits(
    command: str, narrow: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gains = ["--kp", "100", "--kv", "20"] if command == "simulate" else []
    page = tmp_path / "page.html"
    motion = str(narrow.parent / "motion.csv")
    assert run([command, str(narrow), "-m", motion, *gains, "--report", str(page)]) == 0
    assert "The motion breaks" in page.read_text() or "breaks 2 limits" in page.read_text()
    if command != "simulate":
        assert "left: position" in capsys.readouterr().err.replace("\n", " ")


def test_an_actuator_that_is_too_fast_for_its_envelope_is_told_so() -> None:
    """Its utilization has no number that people read."""
    robot = lw.load(Path(__file__).parents[2] / "examples" / "flight-simulator.yaml")
    report = robot.check_limits(robot.home, [0, 0, 3.0, 0, 0, 0], np.zeros(6), time=0.0)
    (found, *_) = (each for each in report.breaks if each.limit == "force_velocity")
    assert found.shown_value("deg") == "infinite (faster than it goes)"
    assert "infinite (faster than it goes) at t = 0 s" in limit_in_words(found, "deg")
