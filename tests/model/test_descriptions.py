"""Robots of robot_descriptions: from its cache, without a network."""

from __future__ import annotations

import importlib
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import linkwork as lw
from tests.model.examples import example
from tests.pages import ROOT

pytest.importorskip("robot_descriptions")


@pytest.fixture
def cached(tmp_path: Path, monkeypatch) -> Path:
    """A cache that holds panda_description, as the package clones it at a tag."""
    model = example("panda")
    folder = tmp_path / "example-robot-data-here" / "example-robot-data"
    inside = folder / "robots" / "panda_description" / "urdf"
    inside.mkdir(parents=True)
    shutil.copy(model, inside / "panda.urdf")
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-C", str(folder)]
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "a"], ["tag", "here"]):
        subprocess.run([*git, *words], check=True)
    monkeypatch.setenv("ROBOT_DESCRIPTIONS_CACHE", str(tmp_path))
    monkeypatch.setenv("ROBOT_DESCRIPTION_COMMIT", "here")
    monkeypatch.delitem(sys.modules, "robot_descriptions.panda_description", raising=False)
    return inside / "panda.urdf"


def test_a_description_is_read_from_the_cache(cached: Path, monkeypatch):
    arm, same = lw.load("panda_description", tip="panda_link8"), lw.load(cached, tip="panda_link8")
    q = np.linspace(-1, 1, arm.n)
    np.testing.assert_array_equal(arm.mass_matrix(q), same.mass_matrix(q))
    monkeypatch.syspath_prepend(str(ROOT / "examples"))
    loader = importlib.import_module("robot_descriptions_loader")
    robot = loader.load_robot_description("panda_description", commit="here", tip="panda_link8")
    assert robot.joint_names == arm.joint_names


def test_what_is_not_there_is_named(monkeypatch, tmp_path):
    with pytest.raises(
        lw.InputError, match=r"has no 'ur5f_description' .did you mean 'ur5e?_description'"
    ):
        lw.load("ur5f_description")
    (tmp_path / "cache").write_text("a file in the way of the cache")
    monkeypatch.setenv("ROBOT_DESCRIPTIONS_CACHE", str(tmp_path / "cache"))
    monkeypatch.delitem(sys.modules, "robot_descriptions.z1_description", raising=False)
    with pytest.raises(lw.LinkworkError, match="z1_description: robot_descriptions, which fetches it"):
        lw.load("z1_description")
    monkeypatch.setitem(sys.modules, "robot_descriptions", None)
    with pytest.raises(lw.InputError, match="not installed: pip install robot_descriptions"):
        lw.load("ur5e_description")
