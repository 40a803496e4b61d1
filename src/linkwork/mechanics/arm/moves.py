"""Changes of one choice in a form, as functions from form to form."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from linkwork.mechanics.arm.form import Form

Move = Callable[[Form], Form]


def replacing(**unit: float) -> Move:
    return lambda form: replace(form, **unit)  # type: ignore[arg-type]


def changing(name: str, k: int, change: Callable[[Any], Any]) -> Move:
    """A move that changes the entry of one link."""

    def move(form: Form) -> Form:
        values = getattr(form, name)
        changed = {name: (*values[:k], change(values[k]), *values[k + 1 :])}
        return replace(form, **changed)  # type: ignore[arg-type]

    return move


def other_square(name: str) -> str:
    return "y" if name == "x" else "x"


def flipping(axis: int) -> Callable[[tuple[bool, ...]], tuple[bool, ...]]:
    return lambda spins: tuple(not value if k == axis else value for k, value in enumerate(spins))
