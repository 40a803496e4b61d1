"""Shared by all tests: kernels compile into a folder of this run, not into the user's cache."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

# Workers share the processor: threads of BLAS would wait at full speed. Before NumPy loads.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

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

# Folders whose files share something costly to build.
TOGETHER = ("tests/papers/",)

# Modules and robots stay: looking for garbage among them again and again takes a tenth of a run.
gc.set_threshold(100_000)


@pytest.hookimpl(tryfirst=True)  # before xdist looks for groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """One worker runs all tests of a file (`--dist loadgroup`): they share robots, kernels and fixtures.

    Two workers that take turns would both trace and compile what neither finds in the cache yet. Files
    in which that would keep one worker too long group their tests themselves.
    """
    in_browser.pytest_collection_modifyitems(items)
    gc.freeze()
    for item in items:
        if item.get_closest_marker("xdist_group") is None:
            file = item.nodeid.partition("::")[0]
            group = next((path for path in TOGETHER if file.startswith(path)), file)
            item.add_marker(pytest.mark.xdist_group(group))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    in_browser.pytest_terminal_summary(terminalreporter)
    compilers.summarize(terminalreporter)


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
