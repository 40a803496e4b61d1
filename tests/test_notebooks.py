"""Tutorials: notebooks are what the pages say, and run from their first cell to their last."""

from __future__ import annotations

import shutil

import nbformat
import pytest
from nbclient import NotebookClient

from tests.pages import ROOT
from tools import notebooks

NAMES = [
    name if name == "arm" else pytest.param(name, marks=pytest.mark.long) for name in notebooks.TUTORIALS
]


@pytest.mark.parametrize("name", notebooks.TUTORIALS)
def test_a_tutorial_is_its_page(name) -> None:
    assert notebooks.notebook_file(name).read_text("utf-8") == notebooks.text_of(name)


@pytest.mark.parametrize("name", NAMES)
def test_a_tutorial_runs(name, tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("JUPYTER_PLATFORM_DIRS", "1")
    monkeypatch.setenv("HOME", str(tmp_path))
    for file in (ROOT / "examples").iterdir():
        if file.is_file():
            shutil.copy(file, tmp_path)
    read = nbformat.read(notebooks.notebook_file(name), as_version=4)
    NotebookClient(read, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    assert any(cell.get("outputs") for cell in read.cells)
    for cell in read.cells:  # commands tell of faults by their words
        for output in cell.get("outputs", ()):
            assert not output.get("text", "").startswith(("error:", "Usage:")), cell.source
