"""Write the tutorials as notebooks: the text, code and commands of pages of the documentation.

    python -m tools.notebooks

They stand in examples/, beside the files that they use. They have no outputs; the tests run them.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import nbformat

from tests.pages import BLOCK, ROOT, Block, cells

TUTORIALS = {
    "arm": "how-to-arm",
    "platform": "how-to-platform",
    "mechanism": "how-to-mechanism",
    "identification": "how-to-identify",
    "control": "how-to-controller",
}
SHOWN = ("python", "yaml", "sh", "console")  # other blocks are what these print


def notebook_file(name: str) -> Path:
    return ROOT / "examples" / f"tutorial-{name}.ipynb"


def _words(text: str) -> str:
    """Text with links that lead to the same places from examples/."""
    text = re.sub(r"\]\(\.\./examples/?", "](", text)
    return re.sub(r"\]\((?!http|#)([\w./-]+\.(?:md|png))", r"](../docs/\1", text).strip()


def _code(block: Block, told: dict[Path, list[str]]) -> list[str]:
    """Code cells of a block; cells of its example that the page leaves out come before it."""
    source = block.source
    if block.language == "python" and source is not None:
        of = cells(source)
        names = list(of)
        begun = told.setdefault(source, [])
        before = [name for name in names[: names.index(block.cell)] if name not in begun]
        begun += [*before, block.cell]
        return [of[name].strip() for name in (*before, block.cell) if of[name].strip()]
    if block.language == "yaml" and source is not None and not block.part:
        return [f"%%writefile {source.name}\n{block.text.rstrip()}"]
    if block.language == "console":
        return [f"!{command}" for command, _ in block.commands]
    if block.language == "sh":
        return ["\n".join(f"!{line}" for line in block.text.splitlines() if line.startswith("linkwork"))]
    return []


def notebook(name: str) -> Any:
    page = ROOT / "docs" / f"{TUTORIALS[name]}.md"
    text = page.read_text("utf-8")
    made: list[Any] = []
    told: dict[Path, list[str]] = {}
    words, end = "", 0
    for match in BLOCK.finditer(text):
        words += text[end : match.start()]
        end = match.end()
        block = Block(match["mark"] or "", match["language"], match["text"])
        code = [each for each in _code(block, told) if each]
        if not code:
            if block.language not in SHOWN and block.source is not None:
                continue  # an output
            words += f"```{block.language}\n{block.text}```\n"
            continue
        if words.strip():
            made.append(nbformat.v4.new_markdown_cell(_words(words)))
        words = ""
        made += [nbformat.v4.new_code_cell(each) for each in code]
    made.append(nbformat.v4.new_markdown_cell(_words(words + text[end:])))
    for k, cell in enumerate(made):
        cell["id"] = f"{name}-{k}"
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return nbformat.v4.new_notebook(cells=made, metadata={"kernelspec": kernel})


def text_of(name: str) -> str:
    return nbformat.writes(notebook(name)) + "\n"


def main() -> None:
    for name in TUTORIALS:
        notebook_file(name).write_text(text_of(name), "utf-8")


if __name__ == "__main__":
    main()
