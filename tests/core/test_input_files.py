"""Files of every kind are opened in one way: none hangs, fills the memory or fails without a reason."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import linkwork as lw
from linkwork.certification.certificate import read_certificate
from linkwork.certification.region import region_of
from linkwork.core import input_files, whole_files
from linkwork.core.input_files import csv_rows, read_bytes
from linkwork.design.sweep import MANIFEST, read_manifest
from linkwork.model.drive_catalog import read_drive_parts
from linkwork.motion.bundled import motion_for
from tests.bounded import bounded
from tests.cli.process import run

ARM = "planar-2r"
READERS: dict[str, Callable[[Path], Any]] = {
    "robot.yaml": lw.load,
    "robot.urdf": lw.load,
    "motion.csv": lw.read_motion,
    "motion.npz": lw.read_motion,
    "motion.yaml": lambda file: motion_for(lw.load(ARM), str(file)),
    "study.yaml": lw.read_study,
    "catalog.csv": lw.read_catalog,
    "log.csv": lambda file: lw.read_log(lw.load(ARM), file),
    **{
        f"log.{ending}": lambda file: lw.read_log(lw.load(ARM), file)
        for ending in ("npz", "parquet", "bag", "db3", "mcap")
    },
    "drives.yaml": read_drive_parts,
    "drives.csv": read_drive_parts,
    "certificate.json": read_certificate,
    "region.yaml": lambda file: region_of(lw.load(ARM), file),
    "runs.npz": lw.Rollouts.load,
    "runs.parquet": lw.Rollouts.load,
    MANIFEST: lambda file: read_manifest(file.parent),
    "part-000000.parquet": lambda file: lw.read_sweep(file.parent),
}


@pytest.mark.parametrize("name", READERS)
def test_pipes_devices_and_folders_are_refused(tmp_path, name) -> None:
    file = tmp_path / name
    if name.startswith("part"):
        (tmp_path / MANIFEST).write_text("{}")
    makers: tuple[Callable[[Path], Any], ...] = (
        os.mkfifo,
        lambda file: file.symlink_to("/dev/zero"),
        lambda file: file.symlink_to(file),
        Path.mkdir,
    )
    for make in makers:
        make(file)
        with pytest.raises(lw.LinkworkError, match=tmp_path.name), bounded():
            READERS[name](file)
        file.rmdir() if file.is_dir() else file.unlink()


@pytest.mark.parametrize(
    "words",
    [
        ("size", ARM, "-m", "home-quintic", "--catalog", "pipe.csv"),
        ("sweep", "pipe.yaml", "-o", "runs"),
        ("design", "pipe.yaml"),
        ("check", "pipe.yaml"),
        ("identify", ARM, "pipe.csv"),
        ("inverse", ARM, "-m", "pipe.csv"),
    ],
    ids=lambda words: words[0],
)
def test_no_command_waits_for_a_pipe(tmp_path, words) -> None:
    for name in ("pipe.csv", "pipe.yaml"):
        os.mkfifo(tmp_path / name)
    assert "is a pipe or a device" in run(*words, cwd=tmp_path, code=2).stderr


def test_an_output_into_a_pipe_waits_for_its_reader_and_not_for_ever(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(whole_files, "PATIENCE", 0.0)
    pipe = tmp_path / "robot.yaml"
    os.mkfifo(pipe)
    said = run("convert", ARM, str(pipe), cwd=tmp_path, code=3)
    assert "it is a pipe that nobody reads" in said.stderr
    monkeypatch.setattr(whole_files, "PATIENCE", 60.0)
    got: list[str] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_text()))
    reader.start()
    lw.write_robot(lw.load(ARM), pipe)
    reader.join()
    pipe.unlink()
    pipe.write_text(got[0])
    assert lw.load(pipe).n == 2


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("t,q1,q2\n" + "\n" * 35_000_000, "line 1000002: more than 1000000 empty rows"),
        ("t,q1,q2\n" + ",,\n" * 11_000_000, "line 1000002: more than 1000000 empty rows"),
        ("t" + ",q1" * 11_000_000, "line 1: has more than 1048576 characters"),
        ("t,q1,q2\n" + "0," * 17_000_000, "line 2: has more than 1048576 characters"),
        ("name,stroke" + ",name" * 7_000_000, "bytes; expected at most 20000000"),
    ],
    ids=["no cells", "empty cells", "a header", "a row", "a catalog"],
)
def test_tables_of_35_mb_are_refused_at_once(tmp_path, content, message) -> None:
    """They took up to 44 s."""
    file = tmp_path / "table.csv"
    file.write_text(content)
    read = lw.read_catalog if content.startswith("name") else lw.read_motion
    with pytest.raises(lw.InputError, match=message), bounded():
        read(file)


def test_sizes_and_encodings(tmp_path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"123")
    assert read_bytes(file, 3) == b"123"
    with pytest.raises(lw.InputError, match=r"has 3 bytes; expected at most 2"):
        read_bytes(file, 2)
    with pytest.raises(lw.InputError, match=r"has more than 5 bytes"):
        read_bytes("/proc/self/environ", 5)  # a file that does not tell its size
    file.write_bytes(b"a,\xff\n")
    with pytest.raises(lw.InputError, match="byte 0xff is not UTF-8; save the file as UTF-8"):
        list(csv_rows(file))
    file.write_bytes(b"\xef\xbb\xbfa,b\n\n , \n1,2\n")
    assert list(csv_rows(file)) == [(1, ["a", "b"]), (4, ["1", "2"])]


def test_a_file_that_is_replaced_by_a_pipe_meanwhile_is_refused(tmp_path, monkeypatch) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "file").write_text("x")
    before = os.stat(tmp_path / "file")
    monkeypatch.setattr(input_files.os, "stat", lambda path: before)
    with pytest.raises(lw.InputError, match="is a pipe or a device"), bounded():
        read_bytes(tmp_path / "pipe", 10)
