"""The digest of source files: another one as soon as a file of these folders changes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from linkwork.core import package_digest
from linkwork.core.package_digest import Sources


@pytest.fixture
def package(tmp_path, monkeypatch) -> Path:
    for place in ("core/errors.py", "model/urdf/reader.py", "cli/app.py"):
        path = tmp_path / place
        path.parent.mkdir(parents=True)
        path.write_text("x = 1\n")
        os.utime(path, (len(place), len(place)))
    monkeypatch.setattr(package_digest, "PACKAGE", tmp_path)
    return tmp_path


def test_files_below_the_folders_count_and_no_others(package) -> None:
    files = Sources("core", "model")
    (package / "cli" / "app.py").write_text("x = 2\n")
    (package / "core" / "notes.txt").write_text("x")
    assert files.unchanged()
    (package / "model" / "urdf" / "reader.py").write_text("x = 2\n")
    assert not files.unchanged()
    assert Sources("core", "model").digest != files.digest
    assert Sources("core", "model").unchanged()


def test_a_new_file_counts(package) -> None:
    files = Sources("core")
    (package / "core" / "text.py").write_text("")
    assert not files.unchanged()


def test_files_without_times_of_their_own_are_read(package) -> None:
    def flatten() -> None:
        for path in package.rglob("*.py"):
            os.utime(path, (1, 1))

    flatten()
    files = Sources("core", "model")
    (package / "core" / "errors.py").write_text("x = 2\n")  # as long as before
    flatten()
    assert not files.unchanged()


def test_without_files_there_is_no_digest(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(package_digest, "PACKAGE", tmp_path)
    assert Sources("core").digest is None
