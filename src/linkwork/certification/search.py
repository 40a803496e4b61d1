"""Branch and prune: boxes are halved until all are proven, one is refuted, or they are too small."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from linkwork.certification.areas import Area
from linkwork.certification.boxes import Array, Boxes, joined
from linkwork.certification.checks import Check

Closing = Callable[[Boxes], Boxes]
AT_ONCE = 8192  # boxes
TRIES = 64  # points among the boxes of one round that may be witnesses
SAMPLES = 2048  # points that are looked at before anything is proven
CLOSER, SHRINK = 24, 0.6  # rounds around the worst sample, and how much nearer each of them looks


@dataclass(eq=False)
class Found:
    """What a search has found so far, all of it in boxes of parameters.

    `waiting` are boxes of which as many checks as their number says are proven already; what is proven
    or outside the area is in `proven`. `at` are the parameters of a witness, and `witness` its position.
    """

    waiting: list[tuple[Boxes, int]] = field(default_factory=list)
    proven: list[Boxes] = field(default_factory=list)
    undecided: list[Boxes] = field(default_factory=list)
    at: Array | None = None
    witness: Array | None = None
    broken: str | None = None
    evaluations: int = 0

    @property
    def open(self) -> list[Boxes]:
        """What is not known, if it is not refuted."""
        waiting = [] if self.broken is not None else [each for each, _ in self.waiting]
        return self.undecided + waiting


def begun(checks: Sequence[Check], area: Area, closed: Closing) -> Found:
    """All of an area waits, unless samples of it refute it at once."""
    found = Found(waiting=[(area.start, 0)])
    rng = np.random.default_rng(0)
    _refuted(found, checks, area, closed, _samples(checks, area, closed, rng), rng)
    return found


def search(
    found: Found,
    checks: Sequence[Check],
    area: Area,
    closed: Closing,
    weights: Array,
    most_boxes: int,
    smallest: float,
    advance: Callable[[float], None],
    between: Callable[[], None] = lambda: None,
) -> None:
    """Go on until nothing waits, or it is refuted, or boxes are used up.

    Args:
        closed: positions with what closes loops (`loops.py`).
        weights: (k,) by which widths of boxes are compared.
        most_boxes: evaluations, earlier ones too, after which what is left still waits.
        smallest: width of boxes, as a share of the area's in every direction, that are not halved.
        advance: told the share that is proven.
        between: called between rounds, when `found` is whole.
    """
    rng = np.random.default_rng(found.evaluations)
    extent = area.whole.high[0] - area.whole.low[0]
    wide = extent > 0
    while found.waiting and found.broken is None:
        boxes, known = _next(found.waiting)
        if found.evaluations + boxes.count > most_boxes:
            found.waiting.insert(0, (boxes, known))
            return
        found.evaluations += boxes.count
        gone = area.outside(boxes)
        if gone.any():
            found.proven.append(boxes.some(gone))
            boxes = boxes.some(~gone)
        for level in range(known, len(checks)):
            if not boxes.count:
                break
            verdicts = checks[level].judge(closed(area.positions(boxes)))
            open_ = ~verdicts.proven
            if not open_.any():
                continue
            left, hopeless = boxes.some(open_), verdicts.broken[open_]
            tries = left.middle[:: max(1, left.count // TRIES)]
            first = left.middle[hopeless][:TRIES]
            some = np.concatenate([first, tries])
            if _refuted(found, checks[level:], area, closed, some, rng):
                found.waiting.append((boxes, level))
                return
            small = ((left.high - left.low)[:, wide] <= smallest * extent[wide]).all(axis=1)
            if small.any():
                found.undecided.append(left.some(small))
            if not small.all():
                found.waiting.append((left.some(~small).halves(weights), level))
            boxes = boxes.some(~open_)
        if boxes.count:
            found.proven.append(boxes)
            advance(float(area.shares(boxes).sum()))
        between()


@dataclass(eq=False)
class Sorted:
    """Boxes that belong to a workspace, that do not, and that are not known."""

    inside: list[Boxes] = field(default_factory=list)
    outside: list[Boxes] = field(default_factory=list)
    undecided: list[Boxes] = field(default_factory=list)
    evaluations: int = 0


def sorted_out(
    checks: Sequence[Check],
    whole: Boxes,
    positions: Callable[[Boxes], Boxes],
    weights: Array,
    most_boxes: int,
    gap: float,
    advance: Callable[[float], None],
) -> Sorted:
    """Tell what of a box keeps all checks, until what is not known is a small share of what may.

    Args:
        positions: what boxes stand for.
        gap: that share.
    """
    found, waiting = Sorted(), [(whole, 0)]
    beyond = 0.0  # the share of the whole that is outside
    left = 1.0
    while waiting:
        boxes, known = _next(waiting)
        if left <= gap * (1 - beyond) or found.evaluations + boxes.count > most_boxes:
            found.undecided = [boxes, *(each for each, _ in waiting)]
            return found
        found.evaluations += boxes.count
        for level in range(known, len(checks)):
            verdicts = checks[level].judge_apart(positions(boxes))
            if verdicts.broken.any():
                found.outside.append(boxes.some(verdicts.broken))
                share = float(found.outside[-1].shares(whole).sum())
                beyond, left = beyond + share, left - share
                advance(share)
            open_ = ~(verdicts.proven | verdicts.broken)
            if open_.any():
                waiting.append((boxes.some(open_).halves(weights), level))
            boxes = boxes.some(verdicts.proven & ~verdicts.broken)
            if not boxes.count:
                break
        if boxes.count:
            found.inside.append(boxes)
            share = float(boxes.shares(whole).sum())
            left -= share
            advance(share)
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


def _refuted(
    found: Found,
    checks: Sequence[Check],
    area: Area,
    closed: Closing,
    at: Array,
    rng: np.random.Generator,
) -> bool:
    """Whether one of some points of parameters breaks a check for sure; it becomes the witness."""
    at_once = area.picked(at, rng)
    here, at = at_once[0][at_once[1]], at[at_once[1]]
    if not len(here):
        return False
    position = closed(Boxes(here, here, area.moving(at)))
    for check in checks:
        judged = check.broken(position)
        if judged.broken.any():
            k = int(np.argmax(judged.broken))
            found.at, found.witness, found.broken = at[k], here[k], check.parts[int(judged.part[k])]
            return True
    return False


def _samples(checks: Sequence[Check], area: Area, closed: Closing, rng: np.random.Generator) -> Array:
    """Corners and random points of parameters, and points ever nearer to those that have least room."""
    whole = area.whole
    d = whole.low.shape[1]
    wide = np.flatnonzero(whole.high[0] > whole.low[0])
    at = [whole.low, whole.high, whole.middle, whole.random(SAMPLES, rng)]
    if len(wide) <= 8:
        corners = np.repeat(whole.low, 1 << len(wide), axis=0)
        for bit, k in enumerate(wide):
            corners[(np.arange(1 << len(wide)) >> bit) & 1 == 1, k] = whole.high[0, k]
        at.append(corners)
    every = np.concatenate(at)

    def room(check: Check, at: Array) -> Array | None:
        here, belongs = area.picked(at, rng)
        found = check.room(closed(Boxes(here, here, area.moving(at))))
        return None if found is None else np.where(belongs[:, None], found, np.inf)

    for check in checks:
        least = room(check, every)
        for part in range(0 if least is None else least.shape[1]):
            assert least is not None
            best = every[np.argmin(least[:, part])]
            reach = (whole.high[0] - whole.low[0]) / 4
            for _ in range(CLOSER):
                near = best + reach * rng.uniform(-1, 1, (32, d))
                near = np.clip(np.concatenate([best[None], near]), whole.low, whole.high)
                here = room(check, near)
                assert here is not None
                best, reach = near[np.argmin(here[:, part])], reach * SHRINK
            at.append(best[None])
    return np.concatenate(at)
