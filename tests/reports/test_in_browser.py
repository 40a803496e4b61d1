"""Pages as a browser shows them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from linkwork.drawing.style import grid
from linkwork.reports.page import Page
from tests.browser import figure_sizes, opened
from tests.reports.test_page import sample_page


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sample_page().save(tmp_path_factory.mktemp("page") / "a report.html")


def test_a_page_opens_alone(browser: Any, report: Path) -> None:
    with opened(browser, report) as visit:
        assert visit.page.title() == "Forces <of> a platform"
        sizes = figure_sizes(visit)
        assert len(sizes) == 4
        assert all(width > 300 and height > 100 for width, height in sizes)
        assert visit.requests == []
        assert visit.complaints == []


def test_dark_by_preference_and_by_button(browser: Any, report: Path) -> None:
    with opened(browser, report) as light, opened(browser, report, dark=True) as dark:
        backgrounds = light.background, dark.background
        assert backgrounds[0] == "rgb(255, 255, 255)"
        assert backgrounds[1] != backgrounds[0]
        for visit, other in ((light, backgrounds[1]), (dark, backgrounds[0])):
            visit.page.click("#theme")
            assert visit.background == other


def test_text_in_figures_can_be_read_on_dark_pages(browser: Any, report: Path) -> None:
    script = "element => getComputedStyle(element).fill"
    with opened(browser, report, dark=True) as visit:
        fill = visit.page.eval_on_selector("#forces-0-text_1 g", script)
        assert min(int(part) for part in fill[4:-1].split(",")) > 200


def test_a_page_fits_a_telephone(browser: Any, report: Path) -> None:
    with opened(browser, report, viewport={"width": 380, "height": 800}) as visit:
        assert visit.page.evaluate("document.documentElement.scrollWidth") <= 380


WIDER = """() => [...document.querySelectorAll(".wide")]
  .filter((box) => box.scrollWidth > box.clientWidth + 1).length"""


@pytest.fixture(scope="module")
def wide_report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    page = Page("Many columns")
    header = ["machine", *(f"platform radius {k} [m]" for k in range(23))]
    page.table(header, [[f"machine-{k:03}", *(12345.678 + j for j in range(23))] for k in range(4)])
    return page.save(tmp_path_factory.mktemp("wide") / "wide.html")


@pytest.mark.parametrize(("width", "media"), [(1400, "screen"), (1100, "screen"), (688, "print")])
def test_wide_tables_hide_no_column(browser: Any, wide_report: Path, width: int, media: str) -> None:
    with opened(browser, wide_report, viewport={"width": width, "height": 900}) as visit:
        visit.page.emulate_media(media=media)
        assert visit.page.evaluate(WIDER) == 0
        seen = visit.page.eval_on_selector_all("th", "all => all.map((each) => each.textContent)")
    assert {text.replace("\N{NO-BREAK SPACE}", " ") for text in seen} >= {
        f"platform radius {k} [m]" for k in range(23)
    }
    assert seen.count("machine") > 1  # every part of the table begins with the first column


def test_on_a_telephone_wide_tables_say_that_they_scroll(browser: Any, wide_report: Path) -> None:
    with opened(browser, wide_report, viewport={"width": 380, "height": 800}) as visit:
        visit.page.wait_for_selector(".wide.scrolls[tabindex='0']")
        hint = visit.page.eval_on_selector(".wide", "box => getComputedStyle(box, '::before').content")
        assert "scrolls sideways" in hint


def test_on_a_telephone_figures_shrink_and_a_button_enlarges_them(browser: Any, report: Path) -> None:
    with opened(browser, report, viewport={"width": 380, "height": 800}) as visit:
        width = "svg => svg.getBoundingClientRect().width"
        assert visit.page.eval_on_selector("figure svg", width) <= 380
        visit.page.click("button.enlarge >> nth=0")
        assert visit.page.eval_on_selector("figure svg", width) > 600


def test_marks_tell_their_name_and_values_under_the_pointer(browser: Any, tmp_path: Path) -> None:
    figure, (ax,) = grid(3.0)
    for k in range(3):
        ax.plot(10 * k, 10.0**k, "o", label=f"machine-{k}")
    ax.set_xlabel("stroke [m]")
    ax.set_ylabel("peak effort [N]")
    ax.set_yscale("log")
    page = Page("Front")
    page.figure(figure, "Pareto-optimal designs.", "front")
    (place,) = ax.transData.transform([(10, 10)])
    across, down = np.array([place[0], figure.bbox.height - place[1]]) / figure.bbox.size
    with opened(browser, page.save(tmp_path / "front.html")) as visit:
        box = visit.page.locator("#front svg").first.bounding_box()
        visit.page.mouse.move(box["x"] + across * box["width"], box["y"] + down * box["height"])
        told = visit.page.locator("#front .values").inner_text().split("\n")
        visit.page.mouse.move(box["x"] + across * box["width"], box["y"] + down * box["height"] + 60)
        assert not visit.page.locator("#front .values").is_visible()
    assert told == ["machine-1", "stroke 10 [m]", "peak effort 10 [N]"]


def test_it_prints(browser: Any, report: Path) -> None:
    with opened(browser, report, dark=True) as visit:
        assert visit.page.pdf(format="A4").startswith(b"%PDF")
        visit.page.emulate_media(media="print", color_scheme="dark")
        assert visit.background == "rgb(255, 255, 255)"


def test_without_javascript_it_can_be_read(browser: Any, report: Path) -> None:
    with opened(browser, report, java_script_enabled=False) as visit:
        assert visit.page.is_visible("figure svg")
        assert not visit.page.is_visible("#theme")


def test_a_request_would_be_seen(browser: Any, tmp_path: Path) -> None:
    page = tmp_path / "leaky.html"
    page.write_text(
        '<img src="https://example.org/a.png"><figure><svg width="9" height="9"></svg></figure>'
    )
    with opened(browser, page) as visit:
        visit.page.wait_for_load_state("networkidle")
        assert visit.requests == ["https://example.org/a.png"]
        assert figure_sizes(visit) == [(0, 0)]
