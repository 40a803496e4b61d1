"""How large the house is: files, lines and lines of code by package, and what should be rare.

    python -m tools.house [folder]

Lines of code are those without blanks, docstrings, imports and comments.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter, defaultdict
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "linkwork"
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
KINDS = re.compile(r"isinstance\([^)]*\b(Arm|Platform|ParallelRobot|Mechanism)\b")


def lines_of_code(tree: ast.Module, text: str) -> int:
    """Lines that are neither blank nor comment nor import nor part of a docstring."""
    lines = text.splitlines()
    left_out = {
        k for k, line in enumerate(lines, 1) if not line.strip() or line.lstrip().startswith("#")
    }
    for node in ast.walk(tree):
        if isinstance(node, DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            said = node.body[0]
        elif isinstance(node, ast.Import | ast.ImportFrom):
            said = node
        else:
            continue
        left_out.update(range(said.lineno, (said.end_lineno or said.lineno) + 1))
    return len(lines) - len(left_out)


def main(source: Path = SOURCE) -> None:
    sizes: dict[str, Counter[str]] = defaultdict(Counter)
    places: dict[str, list[str]] = defaultdict(list)
    rare: Counter[str] = Counter()
    for path in sorted(source.rglob("*.py")):
        text = path.read_text("utf-8")
        tree, inside = ast.parse(text), path.relative_to(source)
        package = inside.parts[0] if len(inside.parts) > 1 else "."
        for name in (package, "total"):
            sizes[name].update(files=1, lines=text.count("\n"), code=lines_of_code(tree, text))
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(inside.as_posix())
            rare["Any"] += isinstance(node, ast.Name) and node.id == "Any"
        rare["type: ignore"] += text.count("type: ignore")
        rare["questions of a kind"] += len(KINDS.findall(text))
    print(f"{'package':16} {'files':>6} {'lines':>7} {'code':>7}")
    for name, size in sorted(sizes.items(), key=lambda item: (item[0] == "total", item[0])):
        print(f"{name:16} {size['files']:6} {size['lines']:7} {size['code']:7}")
    twice = {name: where for name, where in places.items() if len(where) > 1}
    print(f"\nclass names defined more than once: {len(twice)}")
    for name, where in sorted(twice.items()):
        print(f"  {name}: {', '.join(where)}")
    for name, count in rare.items():
        print(f"{name}: {count}")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]))
