"""Help, examples, completion, and what a terminal sees that a pipe does not."""

from __future__ import annotations

import json
import os
import pty
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from linkwork.cli.app import COMMANDS
from linkwork.cli.running import ExitStatus
from tests.cli.process import COMMAND, PATIENCE, environment, run

PAGES = Path(__file__).parents[2]
NAMES = [command.__name__.replace("_", "-") for command in COMMANDS]
EXAMPLES = {
    name: re.findall(r"^ +linkwork (.*)$", command.__doc__ or "", re.MULTILINE)
    for name, command in zip(NAMES, COMMANDS, strict=True)
}
ESCAPE = "\x1b"


@pytest.mark.parametrize("name", NAMES)
def test_help_shows_an_example_in_eighty_columns(tmp_path, name) -> None:
    text = run(name, "--help", cwd=tmp_path, COLUMNS="80").stdout
    assert EXAMPLES[name]
    for example in EXAMPLES[name]:
        assert example.startswith(name)
        assert f"linkwork {example}" in text
    assert "--json" in text
    assert max(map(len, text.splitlines())) <= 80
    assert ESCAPE not in text


# Run where what they do is looked at: tests/papers, tests/reports/test_demo.py, tests/studio and
# tests/design.
ELSEWHERE = ("paper", "demo", "studio", "sweep", "design")


@pytest.mark.parametrize(
    "example",
    [  # one of every command, and the others with the long tests
        pytest.param(each, marks=[pytest.mark.long] * (k > 0))
        for name in NAMES
        if name not in ELSEWHERE
        for k, each in enumerate(EXAMPLES[name])
    ],
)
def test_examples_run(tmp_path, example) -> None:
    (tmp_path / "region.yaml").write_text("x: [-0.01, 0.01]\n")
    (tmp_path / "requirements.yaml").write_text("excursions: {heave: 0.2, roll: 5 deg}\n")
    for name in ("tolerances.yaml", "measured.csv"):
        shutil.copy(PAGES / "examples" / name, tmp_path)
    said = run(*shlex.split(example), cwd=tmp_path)
    assert ESCAPE not in said.stdout + said.stderr
    for name in re.findall(r"(?:-o|--output|--report|--plot|-d|--directory) (\S+)", example):
        assert (tmp_path / name).exists()


def test_the_page_shows_every_command_and_its_examples_run(tmp_path) -> None:
    page = (PAGES / "docs" / "command-line.md").read_text()
    shown = set(re.findall(r"^linkwork (.*?)(?: *#.*)?$", page, re.MULTILINE))
    for name in NAMES:
        assert any(words.startswith(name) for words in shown), name
    for code in ExitStatus:
        assert f"| {code} |" in page
    for file in (PAGES / "examples").glob("*.*"):
        if file.suffix in (".yaml", ".csv"):
            shutil.copy(file, tmp_path)
    tested = {example for examples in EXAMPLES.values() for example in examples}
    for words in sorted(shown - tested):
        if not words.startswith(("studio", "--install", "paper --all", "sweep", "design")):
            run(*shlex.split(words), cwd=tmp_path)


def completed(words: str, cwd: Path) -> list[str]:
    """What bash offers for a line."""
    changes = {"_LINKWORK_COMPLETE": "complete_bash", "COMP_WORDS": words}
    said = subprocess.run(
        [*COMMAND],
        cwd=cwd,
        env=environment(**changes, COMP_CWORD=str(len(words.split(" ")) - 1)),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    return said.stdout.split()


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("linkwork inv", "inverse"),
        ("linkwork show das", "dasgupta1998"),
        ("linkwork inverse ur5 --motion lee", "lee1982"),
        ("linkwork inverse ur5 -m lee1982 -f natu", "natural-complement"),
        ("linkwork paper tur", "turney1980"),
        ("linkwork simulate ur5 --controller grav", "gravity-compensation"),
    ],
)
def test_words_are_completed(tmp_path, words, offered) -> None:
    assert completed(words, tmp_path) == [offered]


def on_a_terminal(*words: str, cwd: Path, **changes: str) -> str:
    """What a command writes to a terminal."""
    ours, its = pty.openpty()
    process = subprocess.Popen(
        [*COMMAND, *words],
        cwd=cwd,
        stdout=its,
        stderr=its,
        env=environment(TERM="xterm-256color", **changes),
    )
    os.close(its)
    written = b""
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        written += piece
    os.close(ours)
    assert process.wait(timeout=PATIENCE) == 0
    return written.decode()


def test_a_terminal_gets_tables_and_not_the_data(tmp_path) -> None:
    words = ("inverse", "dasgupta1998", "-m", "dasgupta-I")
    text = on_a_terminal(*words, cwd=tmp_path)
    assert "leg6" in text
    assert "time,effort" not in text
    assert ESCAPE in text
    assert ESCAPE not in on_a_terminal(*words, cwd=tmp_path, NO_COLOR="1")


def test_progress_after_a_second_on_a_terminal_only(tmp_path) -> None:
    words = ("simulate", "planar-2r", "--step", "0.00001", "--duration", "0.3")
    assert "simulation" in on_a_terminal(*words, cwd=tmp_path)
    piped = run(*words[:-1], "0.01", "--json", cwd=tmp_path)
    assert piped.stderr == ""
    json.loads(piped.stdout)


def test_the_program_starts_without_heavy_imports(tmp_path) -> None:
    """Help and completion of robots wait for nothing that they do not use."""
    code = (
        "import sys\nfrom linkwork.cli.app import app\nfrom linkwork.cli.arguments import robot_names\n"
        "assert robot_names('ur')\n"
        "print(*[n for n in ('casadi', 'llvmlite', 'matplotlib', 'scipy') if n in sys.modules])"
    )
    said = subprocess.run(
        [sys.executable, "-c", code], env=environment(), capture_output=True, text=True, check=True
    )
    assert said.stdout.split() == []
