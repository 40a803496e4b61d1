"""Pages in a real browser without a window, with every request that they make recorded.

Tests that use the fixture `browser` are left out where there is none, and the run says how to get one.
With LINKWORK_BROWSER_REQUIRED=1 they fail instead.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

PROGRAMS = ("/usr/bin/chromium", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
LOCAL = ("file:", "data:", "blob:", "about:")
LEFT_OUT = "browser tests left out"


def program() -> str | None:
    """Path of a Chromium or Chrome on this machine."""
    return next((found for name in PROGRAMS if (found := shutil.which(name))), None)


def missing() -> str | None:
    """What a machine lacks for tests in a browser, and how to get it."""
    if importlib.util.find_spec("playwright") is None:
        return "install playwright (pip install playwright; it needs no browser of its own)"
    if program() is None:
        return "install chromium (Debian: apt install chromium)"
    return None


def required() -> bool:
    return os.environ.get("LINKWORK_BROWSER_REQUIRED", "") not in ("", "0")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    advice = missing()
    if advice is None or required():
        return
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.skip(reason=f"{LEFT_OUT}: {advice}"))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Say it once, also when skipped tests are not listed."""
    skipped = terminalreporter.stats.get("skipped", [])
    count = sum(LEFT_OUT in str(report.longrepr) for report in skipped)
    if count:
        terminalreporter.write_line(f"{LEFT_OUT}: {missing()}; {count} tests", yellow=True)


@pytest.fixture(scope="session")
def automation() -> Iterator[Any]:
    """Playwright itself, of which a process can have only one."""
    advice = missing()
    if advice is not None:
        pytest.fail(f"LINKWORK_BROWSER_REQUIRED is set, but there is no browser: {advice}")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        yield playwright


@pytest.fixture(scope="session")
def browser(automation: Any) -> Iterator[Any]:
    """A playwright Browser; use `opened` to look at a page."""
    running = automation.chromium.launch(executable_path=program(), args=list(QUIET))
    yield running
    running.close()


@dataclass
class Visit:
    """A page that was opened, and what it did."""

    page: Any  # playwright's Page
    requests: list[str] = field(default_factory=list)  # that would have left this machine; all refused
    complaints: list[str] = field(default_factory=list)  # errors and warnings on the console

    @property
    def background(self) -> str:
        return str(self.page.evaluate("getComputedStyle(document.body).backgroundColor"))


@contextmanager
def opened(
    browser: Any, where: Path | str, *, dark: bool = False, allowed: tuple[str, ...] = (), **options: Any
) -> Iterator[Visit]:
    """Open a file or an address; requests outside this machine's files and `allowed` are refused.

    Args:
        allowed: beginnings of addresses that may be asked, for a page with a server of its own.
        options: of playwright's new_context, such as `viewport`.
    """
    context = browser.new_context(color_scheme="dark" if dark else "light", **options)
    visit = Visit(context.new_page())

    def decide(route: Any) -> None:
        if route.request.url.startswith((*LOCAL, *allowed)):
            route.continue_()
        else:
            visit.requests.append(route.request.url)
            route.abort()

    def heard(message: Any) -> None:
        if message.type in ("error", "warning"):
            visit.complaints.append(message.text)

    context.route("**/*", decide)
    visit.page.on("console", heard)
    visit.page.on("pageerror", lambda error: visit.complaints.append(str(error)))
    try:
        visit.page.goto(where.resolve().as_uri() if isinstance(where, Path) else where)
        yield visit
    finally:
        context.close()


def figure_sizes(visit: Visit) -> list[tuple[float, float]]:
    """Width and height of what is painted in every figure of a page: its <svg>, or the live view."""
    script = """elements => elements.map(element => {
        const live = element.closest(".alive")?.querySelector("canvas");
        const seen = (live || element).getBoundingClientRect(), box = live ? seen : element.getBBox();
        return box.width > 0 && box.height > 0 ? [seen.width, seen.height] : [0, 0];
    })"""
    drawings = "figure svg:not(.layer, .layer svg)"
    return [(w, h) for w, h in visit.page.eval_on_selector_all(drawings, script)]
