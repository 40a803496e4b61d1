"""The fingerprint covers every file that shapes a kernel, and little else."""

from __future__ import annotations

import ast
import os
import shutil
from pathlib import Path

import pytest

from linkwork.kernels import sources

# Imported by files that shape kernels, but only to show results or for what they do on the way.
OF_NO_SHAPE = ("motion", "plotting", "reports", "analysis")


def covered() -> set[str]:
    return {Path(path).relative_to(sources.PACKAGE).as_posix() for path, _ in sources.shaping_files()}


def imports(path: Path) -> set[str]:
    """Modules of this package that a file imports, as paths."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("linkwork."):
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    paths = {name.removeprefix("linkwork.").replace(".", "/") for name in names}
    return {name for name in paths if (sources.PACKAGE / f"{name}.py").exists()}


def test_every_recipe_is_written_in_a_covered_file() -> None:
    writers = {
        path.relative_to(sources.PACKAGE).as_posix()
        for path in sources.PACKAGE.rglob("*.py")
        if "Recipe(" in path.read_text()
    }
    assert writers
    assert writers <= covered()


def test_what_covered_files_import_is_covered() -> None:
    files = covered()
    missing = {
        f"{name} imports {needed}"
        for name in files
        for needed in imports(sources.PACKAGE / name)
        if name != "public.py" and f"{needed}.py" not in files and not needed.startswith(OF_NO_SHAPE)
    }
    readers = {line for line in missing if sources.READERS.fullmatch(f"{line.split()[-1]}.py")}
    assert missing == readers, "add a folder to FOLDERS in kernels/sources.py, or to OF_NO_SHAPE here"
    assert not {line for line in readers if line.startswith(("mechanics", "kernels"))}


@pytest.fixture
def copy(tmp_path, monkeypatch) -> Path:
    package = tmp_path / "linkwork"
    shutil.copytree(sources.PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(sources, "PACKAGE", package)
    return package


def test_only_files_that_shape_kernels_count(copy) -> None:
    before = sources.fingerprint()
    for outside in ("studio/page.py", "cli/app.py", "robots/urdf.py"):
        with open(copy / outside, "a") as file:
            file.write("# edited\n")
    assert sources.fingerprint() == before
    for inside in ("mechanics/linear.py", "robots/geometry.py", "kernels/optimise/pairs.py"):
        with open(copy / inside, "a") as file:
            file.write("# edited\n")
        after = sources.fingerprint()
        assert after != before
        before = after


def test_files_without_times_of_their_own_are_read(copy) -> None:
    def flatten() -> None:
        for path, _ in sources.shaping_files():
            os.utime(path, (1, 1))

    flatten()
    before = sources.fingerprint()
    changed = copy / "mechanics" / "linear.py"
    text = changed.read_text()
    changed.write_text(text[:-2] + "#" + text[-1:])  # as long as before
    flatten()
    assert sources.fingerprint() != before


def test_without_files_there_is_no_fingerprint(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(sources, "PACKAGE", tmp_path)
    assert sources.fingerprint() is None
