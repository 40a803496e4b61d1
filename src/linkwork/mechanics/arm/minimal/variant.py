"""How the minimal recursion is written: choices that change its cost and nothing else."""

from __future__ import annotations

from dataclasses import dataclass


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

    @property
    def links(self) -> int | None:
        """How many links the variant is for; None if its entries differ in number."""
        entries = (self.squared, self.doubled, self.resting, self.absolute_motion, self.absolute_moment)
        sizes = {len(entry) for entry in (*entries, self.euler)}
        return sizes.pop() if len(sizes) == 1 else None


def plain_variant(n: int) -> Variant:
    no = (False,) * n
    return Variant(("x",) * n, no, no, no, no, ((False,) * 3,) * n)
