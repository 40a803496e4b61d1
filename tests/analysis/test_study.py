"""One study of a motion: computed once, handed to terminal, table, plot and report."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linkwork as lw
from linkwork.analysis import study as studies
from linkwork.analysis.study import study
from linkwork.cli.running import run
from linkwork.motion.bundled import motion_for
from linkwork.robot.arm import Arm
from linkwork.robot.platform import Platform

METHODS = ("inverse_dynamics", "gravity_load", "effort_breakdown", "reactions")


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often methods of robots were called, and studies made."""
    counted: Counter[str] = Counter()

    def count(owner: Any, name: str) -> None:
        original = getattr(owner, name)

        def counting(*arguments: Any, **options: Any) -> Any:
            counted[name] += 1
            return original(*arguments, **options)

        monkeypatch.setattr(owner, name, counting)

    for kind in (Arm, Platform):
        for name in METHODS:
            count(kind, name)
    count(studies, "study")
    return counted


@pytest.mark.parametrize(
    ("robot", "motion", "wrench"),
    [("planar-2r", "home-quintic", "--tip-wrench"), ("dasgupta1998", "dasgupta-II", "--wrench")],
)
def test_one_command_computes_its_inverse_dynamics_once(
    robot: str, motion: str, wrench: str, calls: Counter[str], tmp_path: Path
) -> None:
    files = ("--report", "r.html", "--plot", "p.svg", "-o", "o.csv")
    words = [str(tmp_path / word) if "." in word else word for word in files]
    more = ["--parts", "--reactions", "--state", wrench, "1,2,3,0.1,0.2,0.3"]
    assert run(["inverse", robot, "-m", motion, *words, *more]) == 0
    assert calls["study"] == 1
    # The motion once; what a wrench needs is the difference of two more at rest.
    assert calls["inverse_dynamics"] == 3
    assert calls["gravity_load"] == 0
    # The parts along the motion, at rest and, of an arm, at steady velocity.
    assert calls["effort_breakdown"] <= 3
    assert calls["reactions"] == 1


def test_reactions_that_statics_does_not_tell_are_unknown() -> None:
    """Of a plane five-bar: where only components are determined that are zero, no magnitude is."""
    robot = lw.load("five-bar")
    motion = motion_for(robot, "home-quintic")
    time = np.linspace(0, motion.duration, 5)
    found = study(robot, "quintic", time, motion.at(time))
    vectors = found.joint_reactions
    for what, values in zip(found.reactions, (vectors.force, vectors.moment), strict=True):
        for k in range(len(vectors.names)):
            known = values[:, k][np.isfinite(values[:, k])]
            told = np.abs(known).max(initial=0.0) > 1e-9 or np.isfinite(values[:, k]).all()
            assert np.isfinite(what.values[:, k]).all() == told, (what.name, vectors.names[k])
