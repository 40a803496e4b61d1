"""Changes of one choice of a variant, as functions from variant to variant."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from linkwork.mechanics.arm.minimal.variant import Variant

Move = Callable[[Variant], Variant]


def replacing(**unit: float) -> Move:
    return lambda variant: replace(variant, **unit)  # type: ignore[arg-type]


def changing(name: str, k: int, change: Callable[[Any], Any]) -> Move:
    """A move that changes the entry of one link."""

    def move(variant: Variant) -> Variant:
        values = getattr(variant, name)
        changed = {name: (*values[:k], change(values[k]), *values[k + 1 :])}
        return replace(variant, **changed)  # type: ignore[arg-type]

    return move


def other_squared(name: str) -> str:
    return "y" if name == "x" else "x"


def flipping(axis: int) -> Callable[[tuple[bool, ...]], tuple[bool, ...]]:
    return lambda euler: tuple(not value if k == axis else value for k, value in enumerate(euler))
