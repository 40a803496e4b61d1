"""Shared by all tests: kernels compile into a folder of this run, not into the user's cache."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import settings

from tests.browser import automation, browser, pytest_collection_modifyitems, pytest_terminal_summary

__all__ = [
    "automation",
    "browser",
    "private_cache",
    "pytest_collection_modifyitems",
    "pytest_terminal_summary",
]

if find_spec("pinocchio") is None:  # there is none for Windows
    collect_ignore = [
        str(path)
        for path in Path(__file__).parent.rglob("test_*.py")
        if "pinocchio" in path.read_text("utf-8")
    ]

settings.register_profile("linkwork", deadline=None, print_blob=True, derandomize=True)
settings.load_profile("linkwork")


@pytest.fixture(autouse=True, scope="session")
def private_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    folder = tmp_path_factory.mktemp("kernels")
    folder.chmod(0o700)
    before = os.environ.get("LINKWORK_CACHE")
    os.environ["LINKWORK_CACHE"] = str(folder)
    yield
    if before is None:
        del os.environ["LINKWORK_CACHE"]
    else:
        os.environ["LINKWORK_CACHE"] = before
