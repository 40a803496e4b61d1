"""Recipes of kernels name every source file that shapes an expression."""

from __future__ import annotations

import ast
from pathlib import Path

from linkwork.core.package_digest import PACKAGE
from linkwork.robot.compiled import SHAPING

# Imported by files that shape kernels, but only to show results or for what they do on the way; readers
# of files end in a model, which is an ingredient of its own.
OF_NO_SHAPE = ("motion", "drawing", "reports", "analysis", "files")


def covered() -> set[str]:
    return {Path(path).relative_to(PACKAGE).as_posix() for path, _ in SHAPING.files()}


def imports(path: Path) -> set[str]:
    """Modules of this package that a file imports, as paths."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("linkwork."):
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    paths = {name.removeprefix("linkwork.").replace(".", "/") for name in names}
    return {name for name in paths if (PACKAGE / f"{name}.py").exists()}


def test_every_recipe_is_written_in_a_covered_file() -> None:
    writers = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if "recipe_of(" in path.read_text() or "Recipe(" in path.read_text()
    }
    assert len(writers) > 5
    assert writers <= covered()


def test_what_covered_files_import_is_covered() -> None:
    files = covered()
    missing = {
        f"{name} imports {needed}"
        for name in files
        for needed in imports(PACKAGE / name)
        if f"{needed}.py" not in files and not needed.startswith(OF_NO_SHAPE)
    }
    assert not missing, "add a folder to SHAPING in robot/compiled.py, or to OF_NO_SHAPE here"
    physics = [name for name in files if name.startswith(("mechanics", "kernels"))]
    assert not {n for name in physics for n in imports(PACKAGE / name) if n.startswith(OF_NO_SHAPE)}
