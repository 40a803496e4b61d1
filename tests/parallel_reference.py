"""Reference results of parallel robots, from Pinocchio with loop constraints (tests/data)."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from linkwork.files.yaml_lines import read_yaml
from linkwork.robot.loading import load_parallel
from linkwork.robot.parallel import ParallelRobot

DATA = Path(__file__).parent / "data" / "parallel_reference.npz"
MECHANISMS = (
    "3-rps",
    "agile-eye",
    "dasgupta1998",
    "delta",
    "five-bar",
    "hexapod-rus",
    "planar-3rrr",
    "simona",
    "tricept",
)


@cache
def arrays() -> dict[str, np.ndarray]:
    with np.load(DATA) as data:
        return dict(data)


def reference(mechanism: str) -> dict[str, np.ndarray]:
    prefix = f"{mechanism}/"
    return {k.removeprefix(prefix): v for k, v in arrays().items() if k.startswith(prefix)}


def description(mechanism: str) -> str:
    return str(arrays()[f"{mechanism}/yaml"])


def document(mechanism: str) -> dict[str, Any]:
    data = read_yaml(description(mechanism).encode()).data
    assert isinstance(data, dict)
    return data


@cache
def robot(mechanism: str) -> ParallelRobot:
    return load_parallel(document(mechanism))


def error(ours: np.ndarray, theirs: np.ndarray) -> float:
    """Largest difference by the largest value."""
    return float(np.abs(ours - theirs).max() / np.abs(theirs).max())
