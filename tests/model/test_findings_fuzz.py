"""Damaged robot files: findings or a message of ours, and no NumPy warning."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

import linkwork as lw
from linkwork.files.faults import RobotWarning
from tests.bounded import bounded
from tests.motion.test_motion_fuzz import mutated

FILES = ("arm.yaml", "platform.yaml", "arm.urdf", "parallel.yaml", "family.yaml")
DATA = Path(__file__).parent.parent / "data" / "mistakes"


def attack(folder: Path, count: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    judged = refused = 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", RobotWarning)
        for k in range(count):
            name = FILES[k % len(FILES)]
            content = mutated((DATA / name).read_bytes(), random)
            (folder / name).write_bytes(content)
            try:
                with bounded():
                    found = lw.findings(folder / name)
            except lw.LinkworkError:
                refused += 1
                continue
            except BaseException:
                print(repr(content))
                raise
            assert all(str(folder / name) in str(finding) for finding in found)
            judged += 1
    assert judged
    assert refused


def test_damaged_robots(tmp_path) -> None:
    attack(tmp_path, 900, 0)


@pytest.mark.long
@pytest.mark.parametrize("seed", [1, 2])
def test_many_damaged_robots(tmp_path, seed) -> None:
    attack(tmp_path, 10_000, seed)
