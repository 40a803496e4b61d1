"""The browser of the studio's tests draws in software, so that it needs no graphics card."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.browser import QUIET, missing, program

DRAWING = ("--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist")


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """A playwright Browser with WebGL; left out or required as for every test in a browser."""
    advice = missing()
    if advice is not None:
        pytest.fail(f"LINKWORK_BROWSER_REQUIRED is set, but there is no browser: {advice}")
    from playwright.sync_api import sync_playwright

    quiet = [word for word in QUIET if word != "--disable-gpu"]
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=program(), args=[*quiet, *DRAWING])
        yield running
        running.close()
