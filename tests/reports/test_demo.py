"""The demonstration as a user runs it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linkwork as lw
from linkwork.motion import published_path
from tests.browser import figure_sizes, opened
from tests.cli.process import run


@pytest.fixture(scope="module")
def demonstration(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    folder = tmp_path_factory.mktemp("demo")
    done = run("demo", "--report", "demo.html", cwd=folder, COLUMNS="200")
    assert done.stderr == ""
    return folder / "demo.html", done.stdout


def test_it_ends_with_three_numbers_and_the_report(demonstration: tuple[Path, str]) -> None:
    report, said = demonstration
    *findings, last = said.splitlines()
    assert last == f"report: {report.resolve()}"
    assert len(findings) == 3
    motion = published_path("dasgupta-II")
    force = lw.load("dasgupta1998").inverse_dynamics(*motion.at(np.linspace(0, motion.duration, 601)))
    assert findings[0].strip().startswith(f"{np.abs(force).max():.0f} N ")
    assert "%" in findings[1]
    assert "mrad" in findings[2]


def test_the_report_has_both_paths_all_formulations_and_the_arm(demonstration: tuple[Path, str]) -> None:
    text = demonstration[0].read_text(encoding="utf-8")
    for name in (
        "path-1-parts",
        "path-1-formulations",
        "path-1-differences",
        "path-2-parts",
        "path-2-formulations",
        "path-2-differences",
        "puma-errors",
    ):
        assert f'<figure id="{name}">' in text
    for name in ("exact", "dasgupta1998", "pedrammehr2012"):
        assert name in text


def test_the_report_opens_alone(browser: Any, demonstration: tuple[Path, str]) -> None:
    assert demonstration[0].stat().st_size < 3e6
    with opened(browser, demonstration[0]) as visit:
        visit.page.wait_for_function("document.documentElement.dataset.live === 'ready'")
        assert visit.page.locator("figure.alive").count() == 2
        sizes = figure_sizes(visit)
        assert len(sizes) == 9
        assert all(width > 300 and height > 100 for width, height in sizes)
        assert visit.requests == visit.complaints == []


def test_a_place_that_cannot_be_written_is_a_message(tmp_path: Path) -> None:
    done = run("demo", "--report", "no/demo.html", cwd=tmp_path, code=3)
    assert "cannot be written" in done.stderr
    assert "Traceback" not in done.stderr
