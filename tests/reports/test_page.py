"""Pages: what stands in them, and how they are written."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from matplotlib.figure import Figure

from linkwork.core.errors import InputError, LinkworkError
from linkwork.reports import COLORS, Page, new_figure, save_figure, style
from linkwork.reports.cells import cell


def curves(lines: int = 3) -> Figure:
    figure = new_figure(3.0)
    with style():
        ax = figure.subplots()
        x = np.linspace(0.0, 1.0, 50)
        for k in range(lines):
            ax.plot(x, np.sin(6 * x + k), label=f"leg {k + 1}")
        ax.set_xlabel("time [s]")
        ax.legend()
    return figure


def sample_page() -> Page:
    page = Page("Forces <of> a platform", "The **peak** is `1 < 2`.", command="linkwork inverse 'a & b'")
    for k in range(4):
        page.section(f"Section {k}")
        page.text("A *slanted* word.\n\n- one\n- two\n  goes on")
        page.figure(curves(), f"Forces & <limits> {k}", f"forces-{k}")
        page.table(["leg", "peak [N]"], [["leg 1", -12.3456], ["leg 2", None]], "Peaks", marks={(0, 1)})
    return page


def test_everything_that_is_not_markup_is_escaped() -> None:
    page = Page("<script>alert(1)</script>", "<img src=x>", command="<b>")
    page.section("<i>")
    page.text("a < b, `<u>` and **<s>**\n\n- <li>")
    page.code("<p>")
    page.table(["<th>"], [["<td>"]], "<caption>")
    page.figure(curves(), '"><svg onload=alert(1)>', "one")
    text = page.html()
    for tag in ("<script>alert", "<img", "<i>", "<u>", "<s>", "<td><td>", "<caption>", "<svg onload"):
        assert tag not in text
    assert "<strong>&lt;s&gt;</strong>" in text
    assert "<code>&lt;u&gt;</code>" in text


def test_mathematics_is_set_without_a_network() -> None:
    page = Page("A page")
    page.text(r"The law \(\ddot e + K_v\dot e = 0\) and a price of $5 and a name$.")
    page.table(("a", "b"), [[r"\([K_v | K_p K_v]\)", "`\\(code\\)`"]], "A formula in a cell.")
    text = page.html()
    assert text.count("<math ") == 2
    assert "price of $5 and a name$" in text
    assert "<code>\\(code\\)</code>" in text


def test_markup() -> None:
    page = Page("t")
    page.text("2 * 3 * 4 is **bold** and *slanted*\nhere `a*b*c`, [there](other.html)\n\n- x\n- y\n  z")
    text = page.html()
    assert "2 * 3 * 4 is <strong>bold</strong> and <em>slanted</em> here <code>a*b*c</code>" in text
    assert '<a href="other.html">there</a>' in text
    assert "<ul><li>x</li><li>y z</li></ul>" in text
    page.text("[bad](javascript:alert(1))")
    assert 'href="javascript' not in page.html()


def test_long_pages_have_contents_and_figures_are_numbered() -> None:
    text = sample_page().html()
    assert text.count('href="#section-section-') == 4
    for k in range(4):
        assert f"<b>Figure {k + 1}.</b> Forces &amp; &lt;limits&gt; {k}" in text
        assert f"<b>Table {k + 1}.</b> Peaks" in text
    short = Page("t")
    short.section("only")
    assert "<nav" not in short.html()


def test_ids_differ_and_references_have_targets() -> None:
    text = sample_page().html()
    shown = re.sub(r'href="data:[^"]*"', "", text)
    ids = re.findall(r'\bid="([^"]+)"', shown)
    assert len(ids) == len(set(ids))
    targets = re.findall(r'href="#([^"]+)"', shown) + re.findall(r"url\(#([^)]+)\)", shown)
    assert targets
    assert set(targets) <= set(ids)


def test_figures_follow_the_colors_of_the_page() -> None:
    text = sample_page().html()
    shown = re.sub(r'href="data:[^"]*"', "", text[text.index("<body") :])
    assert not re.search(r"#[0-9a-fA-F]{6}\b", shown), "a color that dark pages cannot change"
    assert {"var(--ink)", "var(--grid)", "var(--c0)", "var(--c2)"} <= set(
        re.findall(r"var\(--\w+\)", shown)
    )
    variables = set(re.findall(r"var\((--\w+)\)", text))
    css = text[text.index("<style>") : text.index("</style>")]
    assert all(f"{variable}:" in css for variable in variables)


def test_the_drawing_to_download_is_whole_and_light() -> None:
    from urllib.parse import unquote

    text = sample_page().html()
    link = re.search(r'download="forces-0.svg" href="data:image/svg\+xml;charset=utf-8,([^"]*)"', text)
    assert link is not None
    drawing = unquote(link[1])
    assert ElementTree.fromstring(drawing).tag.endswith("svg")
    assert COLORS[0].lower() in drawing
    assert "var(" not in drawing


def test_equal_contents_are_equal_bytes() -> None:
    assert sample_page().html() == sample_page().html()


@pytest.mark.parametrize("ending", ["svg", "png", "pdf"])
def test_figures_are_files_of_equal_bytes(tmp_path: Path, ending: str) -> None:
    for name in ("a", "b"):
        assert save_figure(curves(), tmp_path / f"{name}.{ending}").stat().st_size > 1000
    assert (tmp_path / f"a.{ending}").read_bytes() == (tmp_path / f"b.{ending}").read_bytes()


def test_a_wrong_ending_names_those_allowed(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"allowed endings of figures are \.svg, \.png, \.pdf"):
        save_figure(curves(), tmp_path / "a.bmp")
    assert not list(tmp_path.iterdir())


def test_style_leaves_the_settings_of_the_user_alone() -> None:
    def settings() -> dict[str, object]:
        return {name: matplotlib.rcParams[name] for name in matplotlib.rcParams if name != "backend"}

    before = settings()
    with matplotlib.rc_context({"lines.linewidth": 9.0}):
        with style():
            assert matplotlib.rcParams["lines.linewidth"] < 2
        assert matplotlib.rcParams["lines.linewidth"] == 9.0
    assert settings() == before


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "–"),
        (float("nan"), "–"),
        (True, "yes"),
        (-3, "−3"),
        (np.int64(4), "4"),
        (np.float64(-0.00012345678), "−0.0001235"),
        (float("inf"), "∞"),
        ("leg-1", "leg-1"),
    ],
)
def test_cells(value: object, text: str) -> None:
    assert cell(value) == text


def test_tables_align_numbers_and_mark_violations() -> None:
    page = Page("t")
    rows = [["leg 1", 5.0, "1.2 %"], ["leg 2", None, "−3e-4"]]
    page.table(["leg", "force [N]", "share"], rows, marks={(0, 1)})
    text = page.html()
    assert '<td class="n violation">5</td>' in text
    assert '<td class="n">1.2\N{NO-BREAK SPACE}%</td>' in text
    assert "<td>leg 1</td>" in text
    with pytest.raises(InputError, match="row 1 of the table has 1 cells; the header has 2"):
        page.table(["a", "b"], [[1, 2], [1]])


def test_names_of_figures_are_checked() -> None:
    page = Page("t")
    page.figure(curves(), "c", "one")
    with pytest.raises(InputError, match="taken"):
        page.figure(curves(), "c", "one")
    with pytest.raises(InputError, match="expected letters"):
        page.figure(curves(), "c", 'a"b')


def test_a_page_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    target = tmp_path / "report.html"
    target.write_text("old")
    page = sample_page()
    assert page.save(target) == target
    assert target.read_text(encoding="utf-8") == page.html()
    with pytest.raises(LinkworkError, match="cannot be written"):
        page.save(tmp_path / "missing" / "report.html")
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


def test_printed_pages_have_a_foot_that_no_title_escapes() -> None:
    html = Page('5" drill </style><script>', running='rev. "B"; } body { display: none').html()
    style_ = html[html.index("<style>") : html.index("</style>")]
    assert "counter(page)" in style_
    assert 'content: "rev. \\22 B\\22 \\3b  \\7d  body \\7b  display: none"' in style_
    assert html.count("</style>") == 1
