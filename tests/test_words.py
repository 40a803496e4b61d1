"""Spelling and words of all text that a person reads: what was found wanting does not come back."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
WRITTEN = {".py", ".md", ".yaml", ".js", ".html", ".css"}
# Where earlier names are listed, and lines that quote what others wrote.
LISTS = {"earlier_names.py", "earlier.py"}
QUOTED = re.compile(r"https?://|doi|title:")


def test_american_spelling_and_the_words_of_the_field() -> None:
    listed = (ROOT / "tests" / "words.txt").read_text("utf-8").splitlines()
    unwanted = [re.compile(line) for line in listed if line and not line.startswith("#")]
    files = [path for name in ("src", "docs", "examples") for path in (ROOT / name).rglob("*")]
    found = []
    for path in [*files, ROOT / "README.md", ROOT / "CONTRIBUTING.md"]:
        if path.suffix not in WRITTEN or path.name in LISTS or "_build" in path.parts:
            continue
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            if not QUOTED.search(line) and any(words.search(line) for words in unwanted):
                found.append(f"{path.relative_to(ROOT)}:{number}: {line.strip()[:120]}")
    assert not found, "\n".join(found)
