"""How the minimal recursion is written: choices that change its cost and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

SMALLEST_UNIT = 1e-100


@dataclass(frozen=True)
class Variant:
    """Choices that change the cost of the recursion and nothing else; tuples have one entry per link.

    squared: which of wx^2 and wy^2 is formed, "x" or "y".
    doubled: 2 wz is formed to get the last row of U without al.
    resting: the link is described in the axes before its joint's turn.
    absolute_motion, absolute_moment: w and the z column, and the moment, are turned from and to the
        first of parallel axes by the sum of the angles.
    euler: for each axis, whether N is written with al and w w instead of U.
    acceleration, force: units, chosen so that many constants become 1.
    """

    squared: tuple[str, ...]
    doubled: tuple[bool, ...]
    resting: tuple[bool, ...]
    absolute_motion: tuple[bool, ...]
    absolute_moment: tuple[bool, ...]
    euler: tuple[tuple[bool, bool, bool], ...]
    acceleration: float = 1.0
    force: float = 1.0

    def fits(self, links: int) -> bool:
        """Whether this is a variant for so many links: one that was read from a file may be damaged."""
        flags = (self.doubled, self.resting, self.absolute_motion, self.absolute_moment)
        return (
            isinstance(self.squared, tuple)
            and len(self.squared) == links
            and all(name in ("x", "y") for name in self.squared)
            and all(_are_flags(entry, links) for entry in flags)
            and isinstance(self.euler, tuple)
            and len(self.euler) == links
            and all(_are_flags(entry, 3) for entry in self.euler)
            and all(_is_unit(unit) for unit in (self.acceleration, self.force))
        )


def _are_flags(entry: Any, number: int) -> bool:
    return (
        isinstance(entry, tuple)
        and len(entry) == number
        and all(isinstance(value, bool) for value in entry)
    )


def _is_unit(value: Any) -> bool:
    return isinstance(value, float) and SMALLEST_UNIT < value < 1.0 / SMALLEST_UNIT


def plain_variant(n: int) -> Variant:
    no = (False,) * n
    return Variant(("x",) * n, no, no, no, no, ((False,) * 3,) * n)
