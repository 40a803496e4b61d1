"""What building a paper leaves in a folder, and what a failure leaves."""

from __future__ import annotations

import csv
import errno
import os
from pathlib import Path
from xml.etree import ElementTree

import pytest

import linkwork as lw
from linkwork import papers
from linkwork.core import whole_files
from linkwork.papers import reproduction
from linkwork.papers.reproduction import Reproduction
from tests.cli.process import run
from tests.papers.conftest import WITH_PNG

PNG = b"\x89PNG\r\n\x1a\n"
FIGURES = {"dasgupta1998": 13, "pedrammehr2012": 12, "turney1980": 8, "lee1982": 5, "angeles": 6}


def test_every_paper_has_its_page_figures_and_tables(folder) -> None:
    assert set(FIGURES) == set(papers.NAMES)
    for name, figures in FIGURES.items():
        assert (folder / f"{name}.html").stat().st_size > 100_000
        drawings = sorted(folder.glob(f"{name}-*.svg"))
        assert len(drawings) >= figures
        for drawing in drawings:
            assert ElementTree.parse(drawing).getroot().tag.endswith("svg")
            picture = drawing.with_suffix(".png").read_bytes()
            assert picture.startswith(PNG) == (name == WITH_PNG)
        assert len(list(folder.glob(f"{name}-*.csv"))) >= 6
    assert not [path for path in folder.iterdir() if path.name.startswith(".")]


def test_tables_are_rectangular_and_hold_no_missing_numbers(folder) -> None:
    for path in folder.glob("*.csv"):
        with path.open(newline="", encoding="utf-8") as file:
            header, *body = list(csv.reader(file))
        assert body, path.name
        for row in body:
            assert len(row) == len(header), path.name
            assert not {"nan", "inf", "-inf", "None"} & set(row), path.name


@pytest.mark.long
def test_the_command_writes_the_same_bytes_every_time(folder, tmp_path) -> None:
    said = run("paper", "turney1980", "--out", "turney", cwd=tmp_path)
    assert said.stdout.strip() == str(Path("turney") / "turney1980.html")
    assert said.stderr == ""
    again = {path.name: path.read_bytes() for path in (tmp_path / "turney").iterdir()}
    assert again == {path.name: path.read_bytes() for path in folder.glob("turney1980*")}


def test_unknown_paper_is_suggested() -> None:
    with pytest.raises(lw.InputError, match=r"unknown paper 'dasgupta98'.*Did you mean 'dasgupta1998'"):
        papers.build("dasgupta98", Path("anywhere"))


def small(name: str = "small") -> Reproduction:
    page = Reproduction(name, "A small page", "Nothing in it.")
    page.table("numbers", ("a", "b"), [[1, 2.5]], "Two numbers.")
    return page


def test_no_table_takes_the_name_of_another() -> None:
    page = small()
    with pytest.raises(
        lw.InputError, match=r"small-numbers\.csv: two tables of the page have this name"
    ):
        page.table("numbers", ("a",), [[1]], "One number.")


def test_a_full_disk_leaves_what_was_there(tmp_path, monkeypatch) -> None:
    small().write(tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    put = whole_files._put

    def full(path: Path, content: bytes) -> None:
        if path.suffix == ".html":
            put(path, content[:10])
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        put(path, content)

    monkeypatch.setattr(whole_files, "_put", full)
    changed = small()
    changed.text("More than before.")
    with pytest.raises(lw.LinkworkError, match="cannot be written: No space left"):
        changed.write(tmp_path)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    with pytest.raises(lw.LinkworkError):
        small().write(tmp_path / "new folder")
    assert not (tmp_path / "new folder").exists()


def test_a_file_in_place_of_the_folder(tmp_path) -> None:
    (tmp_path / "taken").write_text("mine")
    with pytest.raises(lw.LinkworkError, match="taken"):
        small().write(tmp_path / "taken")
    assert (tmp_path / "taken").read_text() == "mine"


def test_a_folder_in_place_of_a_file(tmp_path) -> None:
    (tmp_path / "small.html").mkdir()
    with pytest.raises(lw.LinkworkError, match=r"small\.html is a folder"):
        small().write(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["small.html"]


def test_all_papers_are_written_with_an_index_that_leads_to_them(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(reproduction, "reproduce", lambda name, progress=None: small(name))
    assert papers.build_all(tmp_path / "out") == tmp_path / "out" / "index.html"
    index = (tmp_path / "out" / "index.html").read_text()
    for name in papers.NAMES:
        assert f'href="{name}.html"' in index
        assert (tmp_path / "out" / f"{name}.html").exists()
        assert (tmp_path / "out" / f"{name}-numbers.csv").exists()


def test_an_interruption_writes_nothing(tmp_path, monkeypatch) -> None:
    def stop(name: str, progress: object = None) -> Reproduction:
        if name == papers.NAMES[2]:
            raise KeyboardInterrupt
        return small(name)

    monkeypatch.setattr(reproduction, "reproduce", stop)
    with pytest.raises(KeyboardInterrupt):
        papers.build_all(tmp_path / "out")
    assert not (tmp_path / "out").exists()
