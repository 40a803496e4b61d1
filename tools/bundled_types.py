"""Write model/bundled_types.py: the names of bundled robots by kind, so that `lw.load` has types.

python -m tools.bundled_types
"""

from __future__ import annotations

from pathlib import Path

from linkwork.model import bundled

TARGET = Path(bundled.__file__).with_name("bundled_types.py")
HEAD = '''"""Bundled robots by kind, for type checkers; `python -m tools.bundled_types` writes it."""

from typing import Literal
'''
NAMES = {
    "arm": "ArmName",
    "stewart-platform": "PlatformName",
    "parallel-robot": "ParallelName",
}


def text() -> str:
    """The module."""
    blocks = [HEAD]
    for kind, name in NAMES.items():
        listed = "".join(f'    "{each}",\n' for each in bundled.bundled_names(kind))
        blocks.append(f"{name} = Literal[\n{listed}]\n")
    return "\n".join(blocks)


if __name__ == "__main__":
    TARGET.write_text(text(), encoding="utf-8")
