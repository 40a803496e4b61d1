"""A command is killed, finds the disk full or loses its folder at every operation that changes files.

Each file is what it was or what it should become, none is half, the next run tidies up, and a message
says what could not be written.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from linkwork.core.whole_files import HIDDEN, OLD
from tests.cli.process import environment
from tests.compilers import need

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="LD_PRELOAD is Linux's")

STUDY = """
robot: planar-2r
variables: {"links[0].mass": [1, 2]}
motions: [home-quintic]
metrics: [peak_effort]
sampling: {method: sobol, count: 4, seed: 1}
"""
INVERSE = ("inverse", "planar-2r", "--motion", "home-quintic")
# Words, and what makes other files of the same names before.
COMMANDS = {
    "csv": ((*INVERSE, "-o", "a.csv"), (*INVERSE, "--state", "-o", "a.csv")),
    "json": ((*INVERSE, "-o", "a.json"), (*INVERSE, "--state", "-o", "a.json")),
    "npz": ((*INVERSE, "-o", "a.npz"), (*INVERSE, "--state", "-o", "a.npz")),
    "parquet": ((*INVERSE, "-o", "a.parquet"), (*INVERSE, "--state", "-o", "a.parquet")),
    "page": ((*INVERSE, "--report", "a.html"), (*INVERSE, "--gravity", "0,0,-1", "--report", "a.html")),
    "robot": (("convert", "planar-2r", "a.yaml"), ("convert", "puma560", "a.yaml")),
    "export": (
        ("export", "planar-2r", "--to", "c", "--method", "gravity_load", "-o", "x", "--force"),
        ("export", "planar-2r", "--to", "c", "--method", "jacobian", "-o", "x"),
    ),
    "identification": (
        ("identify", "planar-2r", "planar-2r-log", "-o", "a.yaml"),
        ("convert", "puma560", "a.yaml"),
    ),
    "sweep": (("sweep", "../study.yaml", "-o", "."), None),
}
FAST = ("csv",)


class Commands:
    """A process that runs commands with faults in a folder."""

    def __init__(self, place: Path, cache: Path) -> None:
        self.place, self.folder = place, place / "out"
        self.study = place / "study.yaml"
        self.study.write_text(STUDY)
        shim = place / "shim.so"
        source = Path(__file__).with_name("shim.c")
        subprocess.run(["gcc", "-O1", "-shared", "-fPIC", "-o", shim, source, "-ldl"], check=True)
        self.folder.mkdir()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.faults.commands"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment(LD_PRELOAD=str(shim), LINKWORK_THREADS="1", LINKWORK_CACHE=str(cache)),
        )

    def run(self, words: tuple[str, ...], kind: str = "none", at: int = 0, error: int = 0) -> Any:
        assert self.process.stdin
        assert self.process.stdout
        job = {
            "words": words,
            "kind": kind,
            "at": at,
            "errno": error,
            "folder": str(self.folder),
            "messages": str(self.place / "messages"),
        }
        self.process.stdin.write(json.dumps(job) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def begin(self, before: dict[str, bytes]) -> None:
        """The folder with these files and no others."""
        for folder in (self.folder, Path(f"{self.folder}.gone")):
            shutil.rmtree(folder, ignore_errors=True)
        self.folder.mkdir()
        for name, content in before.items():
            file = self.folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)

    def files(self) -> dict[str, bytes]:
        found = sorted(path for path in self.folder.rglob("*") if path.is_file())
        return {str(path.relative_to(self.folder)): path.read_bytes() for path in found}


@pytest.fixture
def commands(tmp_path) -> Iterator[Commands]:
    need("gcc")
    found = Commands(tmp_path, Path(os.environ["LINKWORK_CACHE"]))
    yield found
    found.process.communicate("", timeout=60)


def shown(files: dict[str, bytes]) -> dict[str, bytes]:
    return {name: content for name, content in files.items() if HIDDEN not in name}


def prepared(commands: Commands, name: str, with_old: bool) -> tuple[Any, dict, dict, int]:
    """Words of a command, files before and after it, and how many operations it takes."""
    words, older = COMMANDS[name]
    # Paths are relative to the folder, and the folder may vanish: commands get whole ones.
    words = tuple(place_of(word, commands) for word in words)
    before: dict[str, bytes] = {}
    if with_old and older is not None:
        done = commands.run(tuple(place_of(word, commands) for word in older))
        assert done["status"] == 0, done
        before = commands.files()
    commands.begin(before)
    done = commands.run(words)
    assert done["status"] == 0, done
    after = commands.files()
    assert after != before
    assert shown(after) == after
    return words, before, after, done["operations"]


def place_of(word: str, commands: Commands) -> str:
    if word in ("x", ".", "../study.yaml") or word.startswith("a."):
        return str((commands.folder / word).resolve())
    return word


def check_kills(commands: Commands, name: str, with_old: bool) -> None:
    words, before, after, operations = prepared(commands, name, with_old)
    assert operations >= 2
    for at in range(1, operations + 1):
        commands.begin(before)
        done = commands.run(words, "kill", at)
        assert done["status"] == -9, (at, done)
        for place, content in shown(commands.files()).items():
            assert content in (before.get(place), after.get(place)), (name, at, place)
        assert before.keys() <= shown(commands.files()).keys(), (name, at)
        done = commands.run(words)
        assert done["status"] == 0, (name, at, done)
        assert shown(commands.files()) == after, (name, at)
        for left in commands.folder.rglob(f"{HIDDEN}*"):  # files that were being replaced are told
            assert f"{left / OLD} holds files" in done["messages"], (name, at)


def check_messages(commands: Commands, name: str, with_old: bool, error: int) -> None:
    words, before, _, operations = prepared(commands, name, with_old)
    for at in range(1, operations + 1):
        commands.begin(before)
        done = commands.run(words, "fail", at, error)
        if done["status"] == 0 and done["operations"] < at:  # the last are removals, which do not fail
            assert at > 2
            break
        assert_said(done, os.strerror(error), (name, at))
        found = commands.files()
        if (
            name != "sweep" and shown(found) != before
        ):  # not even what was there can be put back: it is told
            assert f"{OLD} holds files that were replaced" in done["messages"], (name, at)
            kept = {place.partition(f"/{OLD}/")[2]: content for place, content in found.items()}
            for place, content in before.items():
                assert content in (found.get(place), kept.get(Path(place).name)), (name, at, place)


def check_vanishing(commands: Commands, name: str) -> None:
    words, before, after, operations = prepared(commands, name, True)
    for at in range(1, operations + 1):
        commands.begin(before)
        done = commands.run(words, "vanish", at)
        if done["status"] == 0:  # the operation was its last, or it made the folder again
            continue
        assert_said(done, "", (name, at))
        gone = Path(f"{commands.folder}.gone")
        kept = {
            str(path.relative_to(gone)): path.read_bytes()
            for path in gone.rglob("*.*")
            if path.is_file()
        }
        for place, content in before.items():
            assert kept[place] in (content, after.get(place)), (name, at, place)


def assert_said(done: dict, words: str, what: object) -> None:
    """One line that says what could not be written and why."""
    assert done["status"] == 3, (what, done)
    last = done["messages"].strip().splitlines()[-1]
    assert last.startswith("error: "), (what, done)
    assert "cannot be" in last, (what, done)
    assert words in last, (what, done)
    assert "Traceback" not in done["messages"], (what, done)


def some() -> list[Any]:
    return [name if name in FAST else pytest.param(name, marks=pytest.mark.long) for name in COMMANDS]


@pytest.mark.parametrize("name", some())
def test_killed_at_every_write(commands, name: str) -> None:
    check_kills(commands, name, with_old=True)


@pytest.mark.long
@pytest.mark.parametrize("name", COMMANDS)
def test_killed_at_every_write_of_new_files(commands, name: str) -> None:
    check_kills(commands, name, with_old=False)


@pytest.mark.parametrize("name", some())
def test_a_disk_that_is_full_from_any_write_on(commands, name: str) -> None:
    check_messages(commands, name, True, errno.ENOSPC)


@pytest.mark.long
@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EROFS, errno.EIO, errno.EDQUOT])
@pytest.mark.parametrize("name", COMMANDS)
def test_what_cannot_be_written(commands, name: str, error: int) -> None:
    check_messages(commands, name, False, error)


@pytest.mark.long
@pytest.mark.parametrize("name", COMMANDS)
def test_a_folder_that_vanishes(commands, name: str) -> None:
    check_vanishing(commands, name)
