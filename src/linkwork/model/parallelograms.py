"""Four-bars and pairs of rods that are nearly parallelograms, and those that are but for rounding.

A parallelogram keeps its far side parallel, which the program finds and uses: what it carries needs no
angle. Points with few digits make it a four-bar that turns a little, or a parallelogram with the error
of the digits in all results.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from linkwork.model.geometry import Array
from linkwork.model.mechanism import MechanismModel

PARALLEL = 1e-9  # between directions of pins
NEARLY = 1e-3  # of the longest side: meant to be a parallelogram
TAKEN = 1e-9  # taken to be one
EXACT = 1e-13  # but for rounding of the last digit
SHORT = 1e-2  # of the longest side: two pins on one axis have no side between them


@dataclass(frozen=True)
class Skewed:
    """By how much opposite sides differ [m], and as a share of the longest side."""

    names: tuple[str, ...]
    difference: float
    share: float

    @property
    def text(self) -> str:
        *first, last = self.names
        head = f"{', '.join(first)} and {last}"
        mend = "write the points with all their digits, or write one side and `repeat` it"
        if self.share > TAKEN:
            return (
                f"{head} are nearly a parallelogram: opposite sides differ by {self.difference:.3g} m"
                f" ({self.share:.2g} of their length), so that it turns what it holds and takes longer"
                f" to compute. If it is meant to be one, {mend}"
            )
        return (
            f"{head} are a parallelogram but for {self.share:.2g} of its length: it is taken for one,"
            f" and results are no better than that; {mend}"
        )


def skewed(model: MechanismModel) -> Iterator[Skewed]:
    """Those that are parallelograms, but not to the last digit."""
    for names, sides in (*_rods(model), *_four_bars(model)):
        lengths = [float(np.linalg.norm(side)) for side in sides]
        longest = max(lengths)
        if min(lengths) < SHORT * longest:
            continue
        difference = float(np.linalg.norm(sides[0] - sides[1]))
        if EXACT < difference / longest < NEARLY:
            yield Skewed(names, difference, difference / longest)


Found = tuple[tuple[str, ...], tuple[Array, Array, Array]]  # names; opposite sides, and one between


def _rods(model: MechanismModel) -> Iterator[Found]:
    """Two rods between the same bodies."""
    for one, other in combinations(model.rods, 2):
        if one.joins == other.joins:
            sides = one.end - one.start, other.end - other.start, other.start - one.start
            yield (one.name, other.name), sides


@dataclass(frozen=True, eq=False)
class Pin:
    """Bodies that turn on each other: by a joint, or by two joints of a third body on one axis."""

    names: tuple[str, ...]
    joins: frozenset[str]
    at: Array
    axis: Array

    def parallel(self, other: Pin) -> bool:
        return bool(np.linalg.norm(np.cross(self.axis, other.axis)) < PARALLEL)

    def across(self, other: Pin) -> Array:
        """The way to another pin, across the axis."""
        way = other.at - self.at
        return way - self.axis * float(self.axis @ way)


def _pins(model: MechanismModel) -> list[Pin]:
    joints = [joint for joint in model.joints if joint.is_revolute]
    pins = [Pin((each.name,), frozenset(each.joins), each.at, each.axes[0]) for each in joints]
    for one, other in combinations(tuple(pins), 2):
        ends = one.joins ^ other.joins
        if len(ends) == 2 and one.parallel(other) and not one.across(other).any():
            pins.append(Pin((*one.names, *other.names), ends, one.at, one.axis))
    return pins


def _four_bars(model: MechanismModel) -> Iterator[Found]:
    """Loops of four bodies with parallel pins, each told once."""
    pins = _pins(model)
    place = {id(pin): k for k, pin in enumerate(pins)}
    for first, opposite in combinations(pins, 2):
        if first.joins & opposite.joins or not first.parallel(opposite):
            continue
        (a, b), ends = sorted(first.joins), sorted(opposite.joins)
        for c, d in (ends, ends[::-1]):
            for one in _between(pins, first, b, c):
                for other in _between(pins, first, d, a):
                    loop = (first, one, opposite, other)
                    names = tuple(name for pin in loop for name in pin.names)
                    once = place[id(first)] == min(place[id(pin)] for pin in loop)
                    if once and len({*names}) == len(names):  # else by its other diagonal
                        yield names, (first.across(one), other.across(opposite), first.across(other))


def _between(pins: list[Pin], like: Pin, a: str, b: str) -> list[Pin]:
    return [pin for pin in pins if pin.joins == {a, b} and like.parallel(pin)]
