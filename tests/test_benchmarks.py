"""Benchmarks run as a whole, what they import is declared, and pages show the stored run."""

from __future__ import annotations

import ast
import json
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from benchmarks import __main__ as whole
from benchmarks.results import Result, faster, outcome, stored_result
from tools import benchmark_figures

ROOT = Path(__file__).parents[1]
OWN = {"benchmarks": ROOT, "tests": ROOT, "tools": ROOT, "linkwork": ROOT / "src"}
ELSEWHERE = {"figaroh_run"}  # run by a Python of its own
# Distributions that importlib.metadata does not find: one lies elsewhere, one need not be installed.
UNLISTED = {"pinocchio": ["pin"], "roboticstoolbox": ["roboticstoolbox-python"]}


def test_goals_are_bounds() -> None:
    assert faster("ur5", "inverse", 1e-8, 1e-6, "pin", at_least=99).kept
    assert faster("ur5", "inverse", 1e-8, 1e-6, "pin", at_least=101).kept is False
    assert Result("ur5", "call", 1.6, "us", at_most=1.5).kept is False
    assert Result("ur5", "call", 1.4, "us").kept is None
    one = Result("ur5", "call", 1.4, "us", at_most=1.5)
    assert one.goal == "at most 1.5"
    assert stored_result(one.entry()) == one


def test_a_benchmark_that_fails_is_reported_and_stops_no_other(tmp_path, monkeypatch, capfd) -> None:
    line = 'yield Result("ur5", "call", 2.0, "us", at_most=1.5)'
    start = f"from benchmarks.results import Result\ndef results():\n    {line}\n"
    (tmp_path / "broken.py").write_text(f"{start}    raise ValueError('no such robot')\n")
    (tmp_path / "missed.py").write_text(start)
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{ROOT}:{ROOT / 'src'}")
    assert whole.run(["broken", "missed"], tmp_path / "found.json") == 1
    assert whole.run(["missed"], tmp_path / "other.json") == 0  # a goal that is missed is no failure
    stored = json.loads((tmp_path / "found.json").read_text())
    assert stored["benchmarks"]["broken"]["failure"] == "ValueError: no such robot"
    assert [len(one["results"]) for one in stored["benchmarks"].values()] == [1, 1]
    assert outcome(stored["benchmarks"]) == "0 of 2 goals kept; did not run: broken"
    assert "0 of 1 goals kept" in capfd.readouterr().out
    assert {"date", "processor", "versions"} <= set(stored["machine"])


def test_all_benchmarks_are_run() -> None:
    files = {path.stem for path in (ROOT / "benchmarks").glob("*.py")}
    yielding = {
        name for name in files if "def results()" in (ROOT / f"benchmarks/{name}.py").read_text()
    }
    assert yielding == set(whole.BENCHMARKS)


def test_pages_show_the_stored_run() -> None:
    run = benchmark_figures.Run()
    used = set()
    for page in benchmark_figures.PAGES:
        text = page.read_text("utf-8")
        used |= {match["name"] for match in benchmark_figures.MARKED.finditer(text)}
        assert benchmark_figures.refreshed(text, run) == text, page.name
    assert used == set(benchmark_figures.FIGURES)
    assert benchmark_figures.PAGE.read_text("utf-8") == benchmark_figures.whole_page(run)
    assert not [name for name, one in run.stored["benchmarks"].items() if one["failure"]]
    assert set(run.stored["benchmarks"]) == set(whole.BENCHMARKS)


def imported(file: Path) -> Iterator[str]:
    """Modules that a file imports anywhere, `from a import b` as a.b, which may be a name of a."""
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def own_file(module: str) -> Path | None:
    """Of a module of ours, or of the module that has this name in it."""
    parts = module.split(".")
    for length in (len(parts), len(parts) - 1):
        path = OWN[parts[0]].joinpath(*parts[:length])
        for file in (path.with_suffix(".py"), path / "__init__.py"):
            if length and file.exists():
                return file
    return None


def foreign_modules(files: set[Path]) -> dict[str, Path]:
    """Top-level modules of others that these files and the tests and benchmarks they import need."""
    todo, seen = set(files), set()
    found: dict[str, Path] = {}
    while todo:
        file = todo.pop()
        seen.add(file)
        for module in imported(file):
            first = module.partition(".")[0]
            if first in ("benchmarks", "tests", "tools"):
                needed = own_file(module)
                assert needed is not None, f"{file.name} imports {module}, which is not there"
                todo |= {needed} - seen
            elif first != "linkwork" and first not in sys.stdlib_module_names:
                found.setdefault(first, file)
    return found


def declared(extra: str) -> set[str]:
    """Distributions that the project with an extra asks for, by pyproject.toml alone."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = {extra}
    names: set[str] = set()
    for requirement in map(Requirement, project["dependencies"]):
        names.add(canonicalize_name(requirement.name))
    todo = [extra]
    while todo:
        for requirement in map(Requirement, project["optional-dependencies"][todo.pop()]):
            names.add(canonicalize_name(requirement.name))
            if requirement.name == project["name"]:
                todo += requirement.extras - extras
                extras |= requirement.extras
    return names


def test_the_bench_extra_has_what_benchmarks_import() -> None:
    files = {path for path in (ROOT / "benchmarks").glob("*.py") if path.stem not in ELSEWHERE}
    there, known = declared("bench"), packages_distributions() | UNLISTED
    for module, file in foreign_modules(files).items():
        names = {canonicalize_name(name) for name in known.get(module, [])}
        assert names & there, f"{file.name} imports {module} ({names}), which the bench extra lacks"
    assert "pyarrow" in there  # `linkwork sweep`, which benchmarks.design runs, writes Parquet
