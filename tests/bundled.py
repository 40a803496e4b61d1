"""The bundled robots as parameters of a test."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

# A plane arm, one with gears and friction, one with a prismatic joint; a published platform; parallel
# robots with translations, in a plane, and with rotations; a mechanism with loops inside its chain.
REPRESENTATIVE = (
    "planar-2r", "puma560", "stanford", "dasgupta1998", "delta", "five-bar", "agile-eye", "palletizer",
)  # fmt: skip


def representative(names: Iterable[str]) -> list[Any]:
    """These robots; what others than the representative ones would repeat runs with the long tests."""
    return [
        name if name in REPRESENTATIVE else pytest.param(name, marks=pytest.mark.long) for name in names
    ]
