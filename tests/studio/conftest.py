"""The browser of the studio's tests draws in software, so that it needs no graphics card."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.browser import QUIET, program

DRAWING = ("--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist")


@pytest.fixture(scope="session")
def browser(automation: Any) -> Iterator[Any]:
    """A playwright Browser with WebGL; left out or required as for every test in a browser."""
    quiet = [word for word in QUIET if word != "--disable-gpu"]
    running = automation.chromium.launch(executable_path=program(), args=[*quiet, *DRAWING])
    yield running
    running.close()
