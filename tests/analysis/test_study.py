"""One study of a motion: computed once, handed to terminal, table, plot and report."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from linkwork.analysis import study as studies
from linkwork.cli.running import run
from linkwork.kernels import Kernel

INVERSE_DYNAMICS = ("inverse_dynamics", "force_parts", "bias", "gravity_load")


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often kernels were called, by the names of their methods, and studies made."""
    counted: Counter[str] = Counter()
    evaluate, made = Kernel.evaluate, studies.study

    def counting(self: Kernel, *arguments: Any, **options: Any) -> Any:
        counted[self.name] += 1
        return evaluate(self, *arguments, **options)

    def counting_studies(*arguments: Any, **options: Any) -> Any:
        counted["study"] += 1
        return made(*arguments, **options)

    monkeypatch.setattr(Kernel, "evaluate", counting)
    monkeypatch.setattr(studies, "study", counting_studies)
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
    assert calls["inverse_dynamics"] == 1
    # What holds against gravity and what velocities need are kernels of their own for an arm; the
    # parts of a platform's forces are one, at the motion and at rest.
    most = {"force_parts": 2, "bias": 2, "gravity_load": 1}
    for name in INVERSE_DYNAMICS[1:]:
        assert calls[name] <= most[name], calls
    assert calls["joint_wrenches"] + calls["joint_reactions"] == 1
