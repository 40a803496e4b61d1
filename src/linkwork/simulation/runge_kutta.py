"""Turney 7: the classical Runge-Kutta step, on expressions."""

from __future__ import annotations

from collections.abc import Callable

from linkwork.mechanics.expressions import SX


def rk4(rate: Callable[[SX], SX], x: SX, h: SX | float, projected: Callable[[SX], SX]) -> SX:
    """x after a step h of xd = rate(x); `projected` puts a stage back on its manifold."""
    h1 = h * rate(x)
    h2 = h * rate(projected(x + h1 / 2))
    h3 = h * rate(projected(x + h2 / 2))
    h4 = h * rate(projected(x + h3))
    return projected(x + (h1 + 2 * h2 + 2 * h3 + h4) / 6)
