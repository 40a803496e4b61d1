"""Reference results of nine mechanisms, from trees with dense closures (tests/data).

Coordinates there are offsets from home; six pose coordinates have twists as rates.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from linkwork.files.yaml_lines import read_yaml
from linkwork.model.mechanism import MechanismModel
from linkwork.model.robot_files import load_model

DATA = Path(__file__).parent / "data" / "mechanism_reference.npz"
MECHANISMS = (
    "3-rps",
    "delta",
    "excavator",
    "palletizer",
    "par4",
    "puma560",
    "simona",
    "tricept",
    "two-arms",
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
def model(mechanism: str) -> MechanismModel:
    found = load_model(document(mechanism))
    assert isinstance(found, MechanismModel)
    return found


def error(ours: np.ndarray, theirs: np.ndarray) -> float:
    """Largest difference by the largest value."""
    return float(np.abs(ours - theirs).max() / np.abs(theirs).max())
