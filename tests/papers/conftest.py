"""All papers, built once for all tests and all workers of a run."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from linkwork import papers

PATIENCE = 600  # s


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that `build_all` fills; one worker builds, the others wait."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base
    out, mine, failed = shared / "five papers", shared / "papers-begun", shared / "papers-failed"
    try:
        mine.mkdir()
    except FileExistsError:
        end = time.monotonic() + PATIENCE
        while not (out / "index.html").exists():
            if failed.exists() or time.monotonic() > end:
                pytest.fail("the papers were not built by the worker that began them")
            time.sleep(0.2)
        return out
    try:
        lines: list[str] = []
        assert papers.build_all(out, lines.append) == out / "index.html"
        assert {line.split(": ")[0] for line in lines} == set(papers.NAMES)  # progress is told
    except BaseException:
        failed.touch()
        raise
    return out
