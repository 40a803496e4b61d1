"""Branch and prune: boxes are halved until all are proven, one is refuted, or they are too small."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from linkwork.certification.boxes import Array, Boxes, joined, points
from linkwork.certification.checks import Check

AT_ONCE = 8192  # boxes
TRIES = 64  # points among the boxes of one round that may be witnesses
SAMPLES = 2048  # points that are looked at before anything is proven
CLOSER, SHRINK = 24, 0.6  # rounds around the worst sample, and how much nearer each of them looks


@dataclass(eq=False)
class Found:
    """What a search ended with. `proven` is the share of the region; boxes are kept for certificates."""

    proven: list[Boxes] = field(default_factory=list)
    undecided: list[Boxes] = field(default_factory=list)
    witness: Array | None = None
    broken: str | None = None
    evaluations: int = 0


def broken_at(checks: Sequence[Check], at: Array) -> tuple[int, str] | None:
    """The first of some points (N, d) that breaks a check for sure, and which part of it."""
    for check in checks:
        found = check.broken(points(at))
        if found.broken.any():
            k = int(np.argmax(found.broken))
            return k, check.parts[int(found.part[k])]
    return None


def search(
    checks: Sequence[Check],
    region: Boxes,
    weights: Array,
    most_boxes: int,
    smallest: float,
    advance: Callable[[float], None],
) -> Found:
    """Judge a region.

    Args:
        weights: (d,) by which widths of boxes are compared.
        most_boxes: evaluations after which what is left stays undecided.
        smallest: width of boxes, as a share of the region's in every direction, that are not halved.
        advance: told the share that is proven.
    """
    found = Found()
    if _refuted(found, checks, _samples(checks, region)):
        return found
    width = np.maximum(region.high[0] - region.low[0], 1e-300)
    waiting: list[tuple[Boxes, int]] = [(region, 0)]  # and how many checks are proven already
    while waiting:
        boxes, known = _next(waiting)
        if found.evaluations + boxes.count > most_boxes:
            found.undecided += [boxes, *(each for each, _ in waiting)]
            break
        found.evaluations += boxes.count
        for level in range(known, len(checks)):
            verdicts = checks[level].judge(boxes)
            if verdicts.broken.any():
                k = int(np.argmax(verdicts.broken))
                found.witness = boxes.middle[k]
                found.broken = checks[level].parts[int(verdicts.part[k])]
                return found
            open_ = ~verdicts.proven
            if open_.any():
                left = boxes.some(open_)
                tries = left.middle[:: max(1, left.count // TRIES)]
                if _refuted(found, checks[level:], tries):
                    return found
                extent = (left.high - left.low) / width
                small = (extent * (region.high[0] > region.low[0]) <= smallest).all(axis=1)
                if small.any():
                    found.undecided.append(left.some(small))
                if not small.all():
                    waiting.append((left.some(~small).halves(weights), level))
            boxes = boxes.some(~open_)
            if not boxes.count:
                break
        if boxes.count:
            found.proven.append(boxes)
            advance(float(boxes.shares(region).sum()))
    return found


def _next(waiting: list[tuple[Boxes, int]]) -> tuple[Boxes, int]:
    """The boxes that have waited longest, with others of the same standing, or a part of them."""
    boxes, known = waiting.pop(0)
    parts = [boxes]
    while waiting and waiting[0][1] == known and sum(part.count for part in parts) < AT_ONCE:
        parts.append(waiting.pop(0)[0])
    boxes = joined(parts)
    if boxes.count > AT_ONCE:
        waiting.insert(0, (boxes.some(slice(AT_ONCE, None)), known))
        boxes = boxes.some(slice(AT_ONCE))
    return boxes, known


def _refuted(found: Found, checks: Sequence[Check], at: Array) -> bool:
    broken = broken_at(checks, at)
    if broken is None:
        return False
    found.witness, found.broken = at[broken[0]], broken[1]
    return True


def _samples(checks: Sequence[Check], region: Boxes) -> Array:
    """Corners and random points of a region, and points ever nearer to those that have least room."""
    rng = np.random.default_rng(0)
    d = region.low.shape[1]
    wide = np.flatnonzero(region.high[0] > region.low[0])
    at = [region.low, region.high, region.middle, region.random(SAMPLES, rng)]
    if len(wide) <= 8:
        corners = np.repeat(region.low, 1 << len(wide), axis=0)
        for bit, k in enumerate(wide):
            corners[(np.arange(1 << len(wide)) >> bit) & 1 == 1, k] = region.high[0, k]
        at.append(corners)
    every = np.concatenate(at)
    for check in checks:
        room = check.room(points(every))
        if room is None:
            continue
        for part in range(room.shape[1]):
            best = every[np.argmin(room[:, part])]
            reach = (region.high[0] - region.low[0]) / 4
            for _ in range(CLOSER):
                near = best + reach * rng.uniform(-1, 1, (32, d))
                near = np.clip(np.concatenate([best[None], near]), region.low, region.high)
                here = check.room(points(near))
                assert here is not None
                best, reach = near[np.argmin(here[:, part])], reach * SHRINK
            at.append(best[None])
    return np.concatenate(at)
