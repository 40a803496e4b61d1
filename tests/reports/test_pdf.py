"""Reports as PDF, by a browser if there is one."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from linkwork.core.errors import LinkworkError
from linkwork.reports import Page
from linkwork.reports.page import BROWSER_VARIABLE, NAMES


@pytest.mark.skipif(not any(map(shutil.which, NAMES)), reason="no browser is installed")
def test_a_page_becomes_a_pdf(tmp_path: Path) -> None:
    page = Page("A report", "What it says **first**.")
    assert page.save(tmp_path / "report.pdf").read_bytes().startswith(b"%PDF-")
    assert [path.name for path in tmp_path.iterdir()] == ["report.pdf"]


def test_without_a_browser_the_way_out_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(BROWSER_VARIABLE, "/no/such/browser")
    with pytest.raises(LinkworkError, match=r"is not a program. Install one, .* or write .html"):
        Page("A report").save(tmp_path / "report.pdf")
    assert list(tmp_path.iterdir()) == []
