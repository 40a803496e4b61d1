"""Pages of documentation: their blocks, and the files and commands that the blocks come from.

A block says in a comment above it where it comes from:

    <!-- examples/09_arm.py: motion -->                  a cell of an example: code, or output (text)
    <!-- examples/09_arm.py: motion, numbers differ -->  output whose numbers belong to a machine
    <!-- examples/feeder.yaml -->                        a whole file
    <!-- part of src/linkwork/... -->                    lines of a file

A cell begins with `# %% name`. Blocks of the language `console` are commands and what they print, blocks
of `sh` commands alone.
"""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.cli.process import PATIENCE, environment, run

ROOT = Path(__file__).parents[1]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
SITE = ROOT / "docs" / "index.md"  # the front page of the site that Sphinx builds
PAGES = [ROOT / "README.md", *sorted(set((ROOT / "docs").glob("*.md")) - {SITE})]
BLOCK = re.compile(
    r"(?:^<!-- (?P<mark>[^\n]*?) -->\n)?^```(?P<language>\w*)\n(?P<text>.*?)^```", re.M | re.S
)
CELL = re.compile(r"^# %% (.*)\n", re.M)
LOOSE = ", numbers differ"
COMMANDS = {"linkwork": f"{sys.executable} -m linkwork", "python": sys.executable}
SHELL = set("|><$*;&`~")  # commands with one of these need a shell


@dataclass(frozen=True)
class Block:
    """A block of code or output on a page; `mark` is the comment above it."""

    mark: str
    language: str
    text: str

    @property
    def loose(self) -> bool:
        return self.mark.endswith(LOOSE)

    @property
    def part(self) -> bool:
        return self.mark.startswith("part of ")

    @property
    def source(self) -> Path | None:
        """The file that the block comes from."""
        words = self.mark.removeprefix("part of ").split(":")[0]
        return ROOT / words if re.fullmatch(r"[\w./-]+\.\w+", words) else None

    @property
    def cell(self) -> str:
        _, _, name = self.mark.removesuffix(LOOSE).partition(": ")
        return name

    @property
    def commands(self) -> Iterator[tuple[str, str]]:
        """Commands of a console and what each is said to print."""
        for entry in re.split(r"^\$ ", self.text, flags=re.M)[1:]:
            command, _, output = entry.partition("\n")
            yield command, output


def blocks(page: Path) -> list[Block]:
    found = BLOCK.finditer(page.read_text("utf-8"))
    return [Block(match["mark"] or "", match["language"], match["text"]) for match in found]


def cells(example: Path) -> dict[str, str]:
    """The code of an example by the name of its cell; what comes before the first has the name ''."""
    first, *rest = CELL.split(example.read_text("utf-8"))
    return {"": first, **dict(zip(rest[::2], rest[1::2], strict=True))}


def examples_on(page: Path) -> set[Path]:
    return {block.source for block in blocks(page) if block.source and block.source.suffix == ".py"}


def tidy(text: str) -> str:
    """Without spaces at the ends of lines, which editors remove from pages."""
    return re.sub(r" +$", "", text, flags=re.M)


def without_numbers(text: str) -> str:
    return re.sub(r"[-+]?\d[\d.]*(e[-+]?\d+)?", "#", text)


class Desk:
    """A folder with all examples in it, in which a page is tried out. The process must stand there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._outputs: dict[Path, dict[str, str]] = {}
        for file in (ROOT / "examples").iterdir():
            if file.is_file():
                shutil.copy(file, folder)

    def outputs(self, example: Path) -> dict[str, str]:
        """What the cells of an example print, run once and one after the other."""
        if example not in self._outputs:
            names: dict[str, Any] = {"__name__": "__main__", "__file__": str(example)}
            printed = {}
            for name, code in cells(example).items():
                with contextlib.redirect_stdout(io.StringIO()) as stream:
                    exec(compile(code, f"{example.name}: {name}", "exec"), names)
                printed[name] = tidy(stream.getvalue())
            self._outputs[example] = printed
        return self._outputs[example]

    def run(self, command: str) -> str:
        """All that a command prints, to standard output or beside it; it must succeed."""
        word, _, rest = command.partition(" ")
        if word == "linkwork" and not SHELL.intersection(rest):  # quicker without a process
            words = shlex.split(rest, comments=True)
            return tidy(run(*words, cwd=self.folder, together=True).stdout)
        result = subprocess.run(
            f"{COMMANDS.get(word, word)} {rest}",
            shell=True,
            cwd=self.folder,
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=PATIENCE,
        )
        assert result.returncode == 0, f"{command}\n{result.stdout}"
        return tidy(result.stdout)
