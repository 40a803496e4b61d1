"""Bodies that MuJoCo accepts: they have mass, and no principal moment exceeds the sum of the others.

Published robots break this rule. Where a joint allows it, inertia moves between the links that it joins
without any effect on the motion: across the axis of a hinge both links turn alike, along a slide about
all axes. What cannot be moved is raised, and said.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from linkwork.model.geometry import Array, Body

LEAST = 1e-12  # kg and kg m^2: beside the others lost in the tenth digit
HALVINGS = 60


def is_physical(inertia: Array) -> bool:
    """Whether a body of positive density could have it."""
    low, middle, high = np.linalg.eigvalsh(inertia)
    return bool(low >= LEAST / 2 and low + middle >= high)


class Hung(NamedTuple):
    """How a body hangs on another: by a joint about or along an axis, at home in base axes."""

    parent: str
    child: str
    axis: Array
    turns: bool


def movable(bodies: Mapping[str, Body], hung: Sequence[Hung]) -> tuple[dict[str, Body], list[str]]:
    """Bodies at home in base axes that MuJoCo accepts, equal in motion, and those where that failed.

    `hung` is from the base outward: what the outer body of a joint gains, the inner one loses.
    """
    found = dict(bodies)
    raised = []
    for each in reversed(hung):
        body = found[each.child]
        across = np.eye(3) - np.outer(each.axis, each.axis) if each.turns else np.eye(3)
        added, inertia = _least(body.inertia, across), body.inertia
        if added is None:
            raised.append(each.child)
            inertia, added = _raised(inertia), 0.0
        moved = added * across
        trace = LEAST * np.eye(3) if added else 0.0  # so that rounding breaks no rule
        found[each.child] = Body.of(max(body.mass, LEAST), body.center_of_mass, inertia + moved + trace)
        if added and each.parent in found:
            inner = found[each.parent]
            found[each.parent] = Body.of(inner.mass, inner.center_of_mass, inner.inertia - moved)
    return found, raised[::-1]


def _least(inertia: Array, direction: Array) -> float | None:
    """The least factor of `direction` that makes an inertia physical; None if there is none."""
    if is_physical(inertia):
        return 0.0
    high = 2.0 * float(np.abs(inertia).max()) + 2 * LEAST
    if not is_physical(inertia + high * direction):
        return None
    low = 0.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if is_physical(inertia + middle * direction) else (middle, high)
    return high + LEAST


def _raised(inertia: Array) -> Array:
    """The same principal axes with moments that a body can have."""
    moments, axes = np.linalg.eigh(inertia)
    low = np.maximum(moments[:2], LEAST)
    low *= max(1.0, moments[2] * (1 + 1e-12) / low.sum())
    return np.asarray(axes @ np.diag([*low, max(moments[2], *low)]) @ axes.T)


class PhysicalBodies:
    """Makes bodies that MuJoCo accepts, and keeps the names of those raised by more than a trace."""

    def __init__(self) -> None:
        self.raised: list[str] = []

    def of(self, name: str, body: Body) -> Body:
        thin = body.inertia + LEAST * np.eye(3)
        if not is_physical(thin):
            self.raised.append(name)
            thin = _raised(body.inertia)
        return Body.of(max(body.mass, LEAST), body.center_of_mass, thin)
