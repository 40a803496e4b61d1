"""The pages as a browser shows them, from files alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from linkwork import papers
from tests.browser import figure_sizes, opened


@pytest.mark.parametrize("name", papers.NAMES)
def test_a_paper_opens_offline(browser: Any, folder: Path, name: str) -> None:
    with opened(browser, folder / f"{name}.html") as visit:
        sizes = figure_sizes(visit)
        assert len(sizes) == len(list(folder.glob(f"{name}-*.svg")))
        assert all(width > 300 and height > 100 for width, height in sizes)
        assert visit.page.locator("table").count() >= 5
        assert visit.requests == []
        assert visit.complaints == []


def test_the_index_leads_to_every_paper(browser: Any, folder: Path) -> None:
    with opened(browser, folder / "index.html") as visit:
        links = visit.page.get_by_role("link", name="Read the page")
        assert links.count() == len(papers.NAMES)
        for k, name in enumerate(papers.NAMES):
            links.nth(k).click()
            assert visit.page.url.endswith(f"/{name}.html")
            visit.page.go_back()
        assert visit.requests == []
        assert visit.complaints == []
