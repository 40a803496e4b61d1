"""Public names: each in one module that loads when the name is asked for."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import linkwork as lw
from tests.cli.process import environment


def test_every_name_is_listed_once_and_there() -> None:
    text = Path(lw.__file__).with_suffix(".pyi").read_text()
    listed = re.findall(r"^from .* as (\w+)$|^(\w+) = ", text, re.MULTILINE)
    assert sorted("".join(each) for each in listed) == lw.__all__
    assert len({*lw.__all__}) == len(lw.__all__) > 100
    assert lw.Plan is lw.SingularityFreePath
    for name in lw.__all__:
        assert getattr(lw, name) is not None
        assert name in dir(lw)


def test_modules_are_there_and_other_names_are_not() -> None:
    assert lw.motion.Quintic is lw.Quintic
    for name in ("no_such_name", "__path_to_nowhere__"):
        with pytest.raises(AttributeError, match=f"module 'linkwork' has no attribute '{name}'"):
            getattr(lw, name)


def loaded_by(code: str, tmp_path) -> set[str]:
    """Packages that a program has loaded at its end."""
    show = "import sys; print(*{name.split('.')[0] for name in sys.modules}, *sys.modules)"
    words = [sys.executable, "-c", f"{code}\n{show}"]
    result = subprocess.run(
        words, cwd=tmp_path, env=environment(), capture_output=True, text=True, check=True
    )
    return set(result.stdout.split())


def test_a_first_answer_does_not_load_what_it_does_not_use(tmp_path) -> None:
    code = "import linkwork as lw; lw.load('planar-2r').mass_matrix([0.1, 0.2])"
    loaded_by(code, tmp_path)  # the cache has its kernel and its model now
    loaded = loaded_by(code, tmp_path)
    assert "numpy" in loaded
    unused = {"yaml", "mpmath", "scipy", "matplotlib", "rich", "typer"}
    unused |= {f"linkwork.{name}" for name in ("motion", "simulation", "analysis", "reports", "papers")}
    unused |= {"linkwork.model.mechanism_parts", "linkwork.model.families.arm_file"}
    assert not loaded & unused
