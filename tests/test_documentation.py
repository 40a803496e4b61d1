"""What the documentation shows is true: code runs, outputs are what it prints, links lead somewhere."""

from __future__ import annotations

import inspect
import re
import runpy
import shutil
import tomllib
from pathlib import Path

import pytest

import linkwork as lw
from tests.compilers import opencl_works
from tests.pages import EXAMPLES, PAGES, ROOT, Block, Desk, blocks, cells, examples_on, without_numbers
from tools import field_reference

ON_PAGES = {example for page in PAGES for example in examples_on(page)}
# Commands that tests of their own run (tests/cli, papers, studio) or that change the user's machine.
ELSEWHERE = (
    "linkwork studio",
    "linkwork paper",
    "linkwork bench",
    "linkwork --install-completion",
    "make ",
    "pip ",
    "ssh ",
)


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.fixture
def desk(tmp_path, monkeypatch) -> Desk:
    monkeypatch.chdir(tmp_path)
    return Desk(tmp_path)


@pytest.mark.parametrize("path", [p for p in EXAMPLES if p not in ON_PAGES], ids=name_of)
def test_examples_that_no_page_shows_run(path, desk) -> None:
    assert "".join(desk.outputs(path).values())


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_a_page_shows_what_its_files_hold_and_its_examples_print(page, desk) -> None:
    for block in blocks(page):
        source = block.source
        if source is None:
            assert block.language != "python", f"put this into a file of examples/:\n{block.text}"
            continue
        if block.part:
            assert block.text in source.read_text("utf-8"), block.mark
        elif source.suffix == ".py":
            compare_with_example(block, desk)
        else:
            assert block.text == source.read_text("utf-8"), block.mark


def compare_with_example(block: Block, desk: Desk) -> None:
    assert block.source is not None
    outputs = desk.outputs(block.source)
    if block.language == "python":
        assert block.text.strip() == cells(block.source)[block.cell].strip(), block.mark
        return
    shown, printed = block.text.rstrip(), outputs[block.cell].rstrip()
    if block.loose:
        shown, printed = without_numbers(shown), without_numbers(printed)
    assert shown == printed, block.mark


def runs_here(command: str) -> bool:
    """False of what needs a compiler or an OpenCL device that the machine lacks."""
    if command.startswith("cc "):
        return shutil.which("cc") is not None
    return not command.startswith("python panda_opencl/") or opencl_works()


@pytest.mark.parametrize("page", [p for p in PAGES if p.name != "command-line.md"], ids=name_of)
def test_commands_of_a_page_run_and_print_what_it_shows(page, desk) -> None:
    for block in blocks(page):
        if block.language == "sh":
            for line in filter(None, block.text.splitlines()):
                if not line.startswith(ELSEWHERE) and runs_here(line):
                    desk.run(line)
        elif block.language == "console":
            for command, shown in block.commands:
                if runs_here(command):
                    assert desk.run(command).rstrip() == shown.rstrip(), command


def test_the_readme_names_the_count_of_the_puma() -> None:
    counts = lw.load("puma560").kernel("inverse_dynamics", friction=False, rotors=False).counts
    text = (ROOT / "README.md").read_text("utf-8")
    assert f"{counts.flops} for the exact torques of a PUMA 560" in text


def test_the_index_lists_every_page() -> None:
    index = ROOT / "docs" / "README.md"
    listed = set(re.findall(r"\]\(([\w-]+\.md)\)", index.read_text("utf-8")))
    assert listed == {page.name for page in PAGES if page.parent == index.parent and page != index}


def test_every_public_name_has_a_docstring_and_a_page_of_reference() -> None:
    """The directive documents what a package defines (docs/conf.py)."""
    texts = [page.read_text("utf-8") for page in (ROOT / "docs" / "api").glob("*.md")]
    packages = [
        name
        for text in texts
        for line in re.findall(r"{public-names} (.*)", text)
        for name in line.split()
    ]
    assert len(packages) == len(set(packages))
    for name in lw.__all__:
        value = getattr(lw, name)
        assert value.__doc__, name
        package = value.__module__.split(".")[1]
        assert package in packages, f"{name}: add its package to a page of docs/api"
        for member in vars(value) if isinstance(value, type) else ():
            own = getattr(value, member)
            if not member.startswith("_") and (callable(own) or isinstance(own, property)):
                assert inspect.getdoc(own), f"{name}.{member} has no docstring"


def test_robot_files_of_the_page_load() -> None:
    assert lw.load(ROOT / "examples" / "my-arm.yaml").joint_names == ("shoulder",)
    hexapod = lw.load(ROOT / "examples" / "my-hexapod.yaml")
    assert hexapod.condition_number(hexapod.home) < 100
    assert hexapod.check_limits(hexapod.home).ok


def test_fields_of_robot_files_are_those_declared() -> None:
    assert field_reference.PAGE.read_text("utf-8") == field_reference.reference()


def test_bundled_robots_are_listed() -> None:
    text = (ROOT / "docs" / "robot-files.md").read_text("utf-8")
    _, _, section = text.partition("\n## Bundled robots\n")  # tables of other sections list fields
    rows, _, _ = section.partition("\n## ")
    assert tuple(sorted(re.findall(r"^\| `([\w-]+)`", rows, re.MULTILINE))) == lw.bundled_names()


def test_every_extra_is_on_the_page_of_installation() -> None:
    text = (ROOT / "docs" / "install.md").read_text("utf-8")
    rows = "".join(line.split("|")[1] for line in text.splitlines() if line.startswith("| `"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert sorted(re.findall(r"`(\w+)`", rows)) == sorted(project["optional-dependencies"])


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page) -> None:
    for target in re.findall(r"\]\((?!http)([^)#]+)\)", page.read_text("utf-8")):
        assert (page.parent / target).exists(), target


def test_pictures_are_drawn_again(tmp_path) -> None:
    draw = runpy.run_path(str(ROOT / "docs" / "images" / "draw.py"))["draw"]
    assert draw(tmp_path)
    for picture in tmp_path.iterdir():
        assert (ROOT / "docs" / "images" / picture.name).stat().st_size < 250_000


def test_the_map_of_the_tree_names_what_is_there() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    package = ROOT / "src" / "linkwork"
    there = {f"/{path.relative_to(ROOT).as_posix()}" for path in [*ROOT.glob("*"), *package.rglob("*")]}
    paths = {path.rstrip("/") for path in re.findall(r"`([\w/]+/(?:\w+\.py)?)`", text)}
    assert len(paths) > 40
    assert not {path for path in paths if not any(full.endswith(f"/{path}") for full in there)}
    folders = {folder.name for folder in package.iterdir() if (folder / "__init__.py").exists()}
    assert not {name for name in folders if f"`{name}/`" not in text}
