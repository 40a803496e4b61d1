"""Shared by all tests: kernels compile into a folder of this run, not into the user's cache."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from tests import browser as in_browser
from tests import compilers
from tests.browser import automation, browser

__all__ = [
    "automation",
    "browser",
    "private_cache",
    "pytest_collection_modifyitems",
    "pytest_terminal_summary",
]

# Tests that share something costly to build, by the beginning of their path: one worker runs them all
# (`--dist loadgroup`), and the others do not wait or build it again.
TOGETHER = (
    "tests/papers/",
    "tests/reports/test_demo.py",
    "tests/reports/test_live.py",
    "tests/studio/test_in_browser.py",
)


@pytest.hookimpl(tryfirst=True)  # before xdist looks for groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    in_browser.pytest_collection_modifyitems(items)
    for item in items:
        group = next((path for path in TOGETHER if item.nodeid.startswith(path)), None)
        if group:
            item.add_marker(pytest.mark.xdist_group(group))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    in_browser.pytest_terminal_summary(terminalreporter)
    compilers.summarise(terminalreporter)


# A shell starts what it sends to the background with Ctrl-C ignored, and children inherit that: tests
# that interrupt a command would wait for ever.
signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile("linkwork", deadline=None, print_blob=True, derandomize=True)
settings.load_profile("linkwork")


@pytest.fixture(autouse=True, scope="session")
def private_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """One folder for all workers of a run: what one compiles, the others and their processes find.

    LINKWORK_TEST_CACHE names one that is kept for the next run, while you work.
    """
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base
    folder = Path(os.environ.get("LINKWORK_TEST_CACHE") or shared / "kernels")
    folder.mkdir(mode=0o700, exist_ok=True)
    before = os.environ.get("LINKWORK_CACHE")
    os.environ["LINKWORK_CACHE"] = str(folder)
    yield
    if before is None:
        del os.environ["LINKWORK_CACHE"]
    else:
        os.environ["LINKWORK_CACHE"] = before
