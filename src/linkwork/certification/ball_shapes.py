"""The region of a certificate in ball arithmetic: which positions its boxes stand for.

The other way than `areas.py`, which it takes nothing from.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from flint import arb

from linkwork.certification.ball_functions import ball, square
from linkwork.certification.boxes import Array, Boxes
from linkwork.certification.certificate import Certificate, CertificateError

Ball = Any  # of python-flint
HULL = 1e-9  # relative: how far told ranges of a path may be from its own


class Placed(NamedTuple):
    """Coordinates and numbers of the robot; velocities and accelerations by angles."""

    at: list[Ball]
    rates: list[Ball]
    changes: list[Ball]


class BallShape:
    """Of one certificate."""

    def __init__(self, certificate: Certificate) -> None:
        self.source, self.shape = certificate.source, certificate.shape
        self.d = len(certificate.region)
        self.ranges = np.array([*certificate.region.values()]).T
        parts = [*certificate.tolerances.values()]
        self.fields = np.hstack(parts) if parts else np.empty((2, 0))
        if self.shape.pieces is not None:
            self.pieces = [
                [[arb(x) for x in row] for row in piece.tolist()] for piece in self.shape.pieces
            ]
            self._same_hull()

    @property
    def parameters(self) -> Boxes:
        """The box that boxes of a proof must cover."""
        own = self.ranges
        if self.shape.pieces is not None:
            own = np.array([[0.0], [float(len(self.pieces))]])
        low, high = np.hstack([own, self.fields])
        return Boxes(low[None], high[None])

    def outside(self, low: Array, high: Array) -> bool:
        """Whether nothing of a box is in the round region."""
        if not self.shape.places:
            return False
        away = arb(0)
        for k, center in zip(self.shape.places, self.shape.center.tolist(), strict=True):
            gap = max(arb(float(low[k])) - arb(center), arb(center) - arb(float(high[k])), key=_middle)
            away += gap**2 if gap > 0 else 0
        return bool(away > arb(self.shape.radius) ** 2)

    def placed(self, low: Array, high: Array) -> Placed:
        """What a box of parameters stands for."""
        still = [arb(0)] * self.d
        if self.shape.pieces is None:
            return Placed(
                [ball(*map(float, ends)) for ends in zip(low, high, strict=True)], still, still
            )
        own = self._on_path(float(low[0]), float(high[0]))
        around = [ball(-x, x) for x in self.shape.around.tolist()]
        at = [x + a for x, a in zip(own[0], around, strict=True)]
        fields = [ball(*map(float, ends)) for ends in zip(low[1:], high[1:], strict=True)]
        return Placed(at + fields, own[1], own[2])

    def witness(self, certificate: Certificate) -> Placed | None:
        """The position of a witness, if it belongs to the region."""
        at, position = certificate.at, certificate.witness
        if at is None or position is None:
            return None
        box = self.parameters
        inside = ((at >= box.low[0]) & (at <= box.high[0])).all()
        numbers = [arb(float(x)) for x in position]
        if self.shape.pieces is None:
            still = [arb(0)] * self.d
            round_one = not self.shape.places or not self._beyond(numbers)
            same = np.array_equal(at, position)
            return Placed(numbers, still, still) if inside and round_one and same else None
        own = self._on_path(float(at[0]), float(at[0]))
        around = [arb(x) for x in self.shape.around.tolist()]
        within = all(
            abs(x - p) <= a + arb(1e-15) * (1 + abs(p))
            for x, p, a in zip(numbers, own[0], around, strict=False)
        )
        same = np.array_equal(at[1:], position[self.d :])
        return Placed(numbers, own[1], own[2]) if inside and within and same else None

    def starts(self, boxes: Boxes) -> list[Array]:
        """Points of parameters, one in each part of the region that is connected by itself."""
        if self.shape.pieces is None:
            return [boxes.middle[0]] if boxes.count else []
        middle = self.fields.mean(axis=0)
        return [np.concatenate([[float(k)], middle]) for k in range(len(self.pieces))]

    def _beyond(self, at: list[Ball]) -> bool:
        away = sum(
            (
                square(at[k] - arb(c))
                for k, c in zip(self.shape.places, self.shape.center.tolist(), strict=True)
            ),
            arb(0),
        )
        return not away <= arb(self.shape.radius) ** 2

    def _on_path(self, low: float, high: float) -> list[list[Ball]]:
        """Position, velocity and acceleration: polynomials about the middle."""
        k = min(int((low + high) / 2), len(self.pieces) - 1)
        if not (k <= low and high <= k + 1):
            raise CertificateError(self.source, f"a box of it reaches over a joint of the path, at {k}.")
        times = self.shape.times.tolist()
        T = arb(times[k + 1]) - arb(times[k])
        s = ball(low, high) - k
        middle = s.mid()
        away = s - middle
        found = []
        for order in range(3):
            values = []
            for row in self.pieces[k]:
                a = row
                for _ in range(order):
                    a = [(j + 1) * x / T for j, x in enumerate(a[1:])]
                value = arb(0)
                for j in reversed(range(len(a))):
                    value = value * away + _taylor(a, j, middle)
                values.append(value)
            found.append(values)
        return found

    def _same_hull(self) -> None:
        """What is told of the path's ranges is true."""
        every = [self._on_path(float(k), float(k + 1))[0] for k in range(len(self.pieces))]
        for j, around in enumerate(self.shape.around.tolist()):
            low = min(float(each[j].lower()) for each in every) - around
            high = max(float(each[j].upper()) for each in every) + around
            size = HULL * (1 + max(abs(low), abs(high)))
            if abs(low - self.ranges[0, j]) > size or abs(high - self.ranges[1, j]) > size:
                told = "its ranges of coordinates are not those of its path."
                raise CertificateError(self.source, told)


def _taylor(a: list[Ball], j: int, at: Ball) -> Ball:
    """A coefficient of a polynomial about another point, by Horner's rule."""
    found = arb(0)
    for i in reversed(range(j, len(a))):
        found = found * at + math.comb(i, j) * a[i]
    return found


def _middle(x: Ball) -> float:
    return float(x.mid())
