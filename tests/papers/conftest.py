"""All papers, built once for all tests; the workers of a run share the work."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from linkwork import papers
from linkwork.papers import reproduction
from linkwork.papers.reproduction import TABLE, PaperEntry, index_page

PATIENCE = 600  # s
WITH_PNG = "turney1980"  # the paper whose figures are drawn as PNG too, of the fewest seconds


class Share:
    """Pieces of work that the first worker to come takes; a fault of one is told to all."""

    def __init__(self, place: Path) -> None:
        self.place = place
        place.mkdir(parents=True, exist_ok=True)

    def take(self, name: str, work: Callable[[], str]) -> None:
        """Do a piece, unless it is somebody else's; its result is kept for all."""
        try:
            (self.place / f"{name}-begun").mkdir()
        except FileExistsError:
            return
        try:
            result = work()
        except BaseException:
            (self.place / "failed").touch()
            raise
        finished = self.place / f"{name}-finished"
        finished.with_suffix(".part").write_text(result)
        finished.with_suffix(".part").replace(finished)

    def result(self, name: str) -> str:
        """What a piece gave, as soon as it is there."""
        end = time.monotonic() + PATIENCE
        while not (self.place / f"{name}-finished").exists():
            if (self.place / "failed").exists() or time.monotonic() > end:
                pytest.fail("the papers were not built by the worker that began them")
            time.sleep(0.1)
        return (self.place / f"{name}-finished").read_text()


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all papers and their index, as `build_all` fills it."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base
    out, share = shared / "five papers", Share(shared / "papers-shared")

    def build(name: str) -> str:
        lines: list[str] = []
        with pytest.MonkeyPatch.context() as patch:
            if name != WITH_PNG:  # the slower half of every figure
                patch.setattr(reproduction, "render", lambda figure, format: b"not drawn")
            page = papers.reproduce(name, lines.append)
        page.write(out)
        assert {line.split(": ")[0] for line in lines} == {name}  # progress is told
        return json.dumps(page.entry)

    def index() -> str:
        entries = [PaperEntry(*json.loads(share.result(name))) for name in papers.NAMES]
        (out / "index.html").write_text(index_page(entries).html())
        return ""

    for name in (*papers.NAMES, TABLE):
        share.take(name, lambda name=name: build(name))
    share.take("index", index)
    share.result("index")
    share.result(TABLE)
    return out
