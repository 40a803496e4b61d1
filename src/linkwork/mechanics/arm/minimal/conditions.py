"""Conditions on the inertial parameters: which of them shall vanish or be equal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from linkwork.mechanics.arm.minimal.common_normals import Step
from linkwork.mechanics.arm.minimal.moments import MX, MY, MZ, NAMES, XX, XY, XZ, YY, YZ, ZZ, M
from linkwork.mechanics.arm.minimal.null_space import Number

EQUAL_PAIRS = ((XX, YY), (YY, ZZ), (XX, ZZ))


@dataclass(frozen=True)
class Condition:
    """A parameter that shall vanish, or two J of a link that shall be equal."""

    link: int
    parameter: int
    equals: int | None = None

    def __str__(self) -> str:
        other = "" if self.equals is None else f"={NAMES[self.equals]}"
        return f"{self.link + 1}.{NAMES[self.parameter]}{other}"

    @staticmethod
    def parse(text: str) -> Condition:
        """The condition of this name, or ValueError."""
        link, rest = text.split(".")
        name, _, other = rest.partition("=")
        parameter, equals = NAMES.index(name), NAMES.index(other) if other else None
        if equals is not None and (parameter, equals) not in EQUAL_PAIRS:
            raise ValueError(f"{name} and {other} are not two diagonal second moments")
        return Condition(int(link) - 1, parameter, equals)

    def of(self, rows: Any) -> Any:
        """Its value for parameters, or its row for many changes: `rows` has one row per parameter."""
        here = rows[10 * self.link + self.parameter]
        return here if self.equals is None else here - rows[10 * self.link + self.equals]

    def row(self, rows: list[list[Number]]) -> list[Number]:
        """Like `of`, of rows that are plain lists."""
        here = rows[10 * self.link + self.parameter]
        if self.equals is None:
            return here
        other = rows[10 * self.link + self.equals]
        return [x - y for x, y in zip(here, other, strict=True)]


def fallback_conditions(steps: Sequence[Step]) -> list[Condition]:
    """The textbook choice, last link first, and then whatever else may vanish."""
    wanted: list[Condition] = []
    for k in reversed(range(len(steps))):
        own = {"revolute": (M, MZ, ZZ), "prismatic": tuple(range(XX, YZ + 1)), "fixed": tuple(range(10))}
        wanted += [Condition(k, j) for j in own[steps[k].kind]]
    for k in range(len(steps)):
        wanted += [Condition(k, j) for j in (YZ, XZ, XY, YY, MZ, MX, MY, M, ZZ, XX)]
    return wanted
