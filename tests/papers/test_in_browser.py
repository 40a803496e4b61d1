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


@pytest.mark.parametrize(
    ("typed", "places"),
    [
        ("lee 3.16", ["(3.16)"]),
        ("(3.16)", ["(3.16)", "(3.16)"]),  # of Turney and of Lee
        ("angeles 7.38d", ["(7.38d)"]),
        ("angeles fig. 7.4", ["Fig. 7.4"]),
        ("dasgupta 1", ["(1)"]),
    ],
)
def test_any_equation_is_found_by_its_number(
    browser: Any, folder: Path, typed: str, places: list[str]
) -> None:
    with opened(browser, folder / "five-papers.html") as visit:
        page = visit.page
        page.get_by_role("searchbox").fill(typed)
        shown = page.locator("tbody tr[id]:not([hidden])")
        found = shown.locator("td:first-child").all_inner_texts()
        assert [one for one in found if one in places] == places
        assert len(found) <= 2 + len(places)
        assert page.locator(".search output").inner_text().startswith(str(len(found)))
        name = shown.first.locator("a").get_attribute("href").partition("#")[2]
        shown.first.locator("a").click()
        page.locator(f"tr[id='{name}']").wait_for()  # seen, after scrolling to it
        assert visit.complaints == []


def test_pages_of_papers_fit_a_telephone(browser: Any, folder: Path) -> None:
    with opened(browser, folder / "five-papers.html", viewport={"width": 380, "height": 800}) as visit:
        wide = "one => one.scrollWidth > one.clientWidth + 1"
        assert not visit.page.evaluate(f"[...document.querySelectorAll('.wide')].some({wide})")
