"""In which axes each link of the minimal recursion is described.

Axes that turn with the link serve any link. Resting axes, those before the turn of the link's joint,
serve a link whose next axis is parallel to its own, and the last link: its moments turn instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from linkwork.mechanics.arm.minimal.common_normals import Step
from linkwork.mechanics.arm.minimal.scalars import CosineSine, Pair, Scalar
from linkwork.mechanics.arm.minimal.variant import Variant
from linkwork.rotations import cosine_sine


@dataclass(frozen=True)
class Axes:
    """Where a link is described: the first axis of its parallel run, the turn since the axes of the
    link before (c, s), and the direction of the link's own x in these axes."""

    start: int
    resting: bool
    turn: Pair
    from_start: Pair
    heading: Pair


def group_starts(steps: Sequence[Step]) -> list[int]:
    """For every axis, the first of the run of parallel axes that it ends."""
    starts: list[int] = []
    for k, step in enumerate(steps):
        starts.append(starts[-1] if k and step.parallel else k)
    return starts


def may_rest(steps: Sequence[Step], k: int) -> bool:
    """Resting axes serve a link whose next axis is parallel, or that is the last."""
    return k == len(steps) - 1 or steps[k + 1].parallel


def _angle(steps: Sequence[Step], q: Sequence[Scalar], function: CosineSine) -> Pair:
    """Cosine and sine of the sum of several joint angles."""
    moving, fixed = None, 0.0
    for step in steps:
        fixed += step.theta
        if step.kind == "revolute":
            angle = q[step.joint] if step.sign > 0 else -q[step.joint]
            moving = angle if moving is None else moving + angle
    c0, s0 = cosine_sine(fixed)
    if moving is None:
        return c0, s0
    if 0.0 in (c0, s0):
        c, s = function(moving)
        return c0 * c - s0 * s, s0 * c + c0 * s
    return function(moving + fixed)


def axes_of(
    steps: Sequence[Step], variant: Variant, q: Sequence[Scalar], function: CosineSine
) -> list[Axes]:
    result: list[Axes] = []
    for k, start in enumerate(group_starts(steps)):
        resting = variant.resting[k] and may_rest(steps, k) and (k == start or result[-1].resting)
        from_start = _angle(steps[start : k + 1], q, function)
        rested = k > start and result[-1].resting
        turn = from_start if rested or k == start else _angle(steps[k : k + 1], q, function)
        heading = from_start if resting else (1.0, 0.0)
        result.append(Axes(start, resting, turn, from_start, heading))
    return result
