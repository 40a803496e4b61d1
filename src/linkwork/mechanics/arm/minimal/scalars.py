"""The numbers of the recursion: whatever can be added, subtracted, multiplied and negated.

Numbers known beforehand are floats. What depends on the state is a value of a counted graph, which
becomes an expression, or an array of many states in a test.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol


class Scalar(Protocol):
    """A float, a value of a counted graph or an array. Mixed operands are allowed, hence Any."""

    def __add__(self, other: Any, /) -> Scalar: ...

    def __radd__(self, other: Any, /) -> Scalar: ...

    def __sub__(self, other: Any, /) -> Scalar: ...

    def __rsub__(self, other: Any, /) -> Scalar: ...

    def __mul__(self, other: Any, /) -> Scalar: ...

    def __rmul__(self, other: Any, /) -> Scalar: ...

    def __neg__(self) -> Scalar: ...


Pair = tuple[Scalar, Scalar]
Vector = tuple[Scalar, Scalar, Scalar]
CosineSine = Callable[[Scalar], Pair]  # of an angle


def rotated(v: Pair, turn: Pair) -> Pair:
    """Components of a vector in axes turned by the angle (c, s)."""
    c, s = turn
    return c * v[0] + s * v[1], c * v[1] - s * v[0]


def turned_back(v: Pair, turn: Pair) -> Pair:
    """Components before a turn by the angle (c, s) of a vector given after it."""
    c, s = turn
    return c * v[0] - s * v[1], s * v[0] + c * v[1]
