"""What the documentation prints, runs."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

import linkwork as lw

ROOT = Path(__file__).parents[1]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", page.read_text(), re.DOTALL)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_examples_run(path, capsys, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)  # some write files
    runpy.run_path(str(path))
    assert capsys.readouterr().out


def test_readme_shows_the_first_example() -> None:
    assert (ROOT / "examples" / "01_first_steps.py").read_text() in blocks(ROOT / "README.md", "python")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_snippets_of_a_page_run_one_after_the_other(page, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    names = {"arm": lw.load("ur5"), "lw": lw}
    for code in blocks(page, "python"):
        exec(compile(code, str(page), "exec"), names)


def test_robot_files_of_the_page_load(tmp_path) -> None:
    arm, platform = blocks(ROOT / "docs" / "robot-files.md", "yaml")
    path = tmp_path / "robot.yaml"
    path.write_text(arm)
    assert lw.load(path).joint_names == ("shoulder",)
    path.write_text(platform)
    hexapod = lw.load(path)
    assert hexapod.condition_number(hexapod.home) < 100
    assert hexapod.check_limits(hexapod.home).ok


def test_bundled_robots_are_listed() -> None:
    text = (ROOT / "docs" / "robot-files.md").read_text()
    assert tuple(sorted(re.findall(r"^\| `([\w-]+)`", text, re.MULTILINE))) == lw.bundled_names()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page) -> None:
    for target in re.findall(r"\]\((?!http)([^)#]+)\)", page.read_text()):
        assert (page.parent / target).exists(), target


def test_the_page_on_reports_shows_its_example() -> None:
    code = (ROOT / "examples" / "07_report.py").read_text()
    assert code in blocks(ROOT / "docs" / "reports.md", "python")
