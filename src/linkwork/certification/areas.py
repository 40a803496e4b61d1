"""What a certificate is about: boxes of parameters, and the positions that they stand for.

Coordinates may be their own parameters, and then boxes of them are regions; of a path the parameter is
how far it has gone. What an area leaves out of its boxes is known for sure of a box, or not claimed.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from linkwork.certification.boxes import ROUNDING, Array, Boxes, Flags

DEGREE = 5  # of the pieces of a path
STEPS = 3  # from the middle of a tube to its edge, where witnesses are looked for


@dataclass(frozen=True, eq=False)
class Area(ABC):
    """Parameters in boxes. `fields` are lowest and highest values (2, m) of numbers of the robot that
    are not known better; they are parameters too, the last ones."""

    fields: Array = field(default_factory=lambda: np.empty((2, 0)), kw_only=True)

    @property
    @abstractmethod
    def ranges(self) -> Boxes:
        """All coordinates, in one box."""

    @property
    @abstractmethod
    def _own(self) -> Boxes:
        """Boxes of the parameters without those of the robot."""

    @cached_property
    def start(self) -> Boxes:
        """Boxes that hold all of it."""
        return self._with_fields(self._own)

    @cached_property
    def whole(self) -> Boxes:
        """One box that holds all of it."""
        low, high = self.start.low.min(axis=0), self.start.high.max(axis=0)
        return Boxes(low[None], high[None])

    @property
    def filled(self) -> float:
        """Its share of the box."""
        return 1.0

    @property
    def moves(self) -> bool:
        """Whether its positions are passed with velocities and accelerations of their own."""
        return False

    def weights(self, weights: Array) -> Array:
        """By which widths of parameters are compared, from those of coordinates and numbers (k,)."""
        return weights

    def time(self, at: Array) -> float | None:
        """When parameters (k,) are passed [s]; None of what has no time."""
        return None

    @property
    @abstractmethod
    def plain(self) -> dict[str, Any]:
        """Its shape besides the ranges, as certificates have it."""

    def shares(self, boxes: Boxes) -> Array:
        """Volumes of boxes over its own."""
        return boxes.shares(self.whole) / self.filled

    def _with_fields(self, boxes: Boxes) -> Boxes:
        low, high = (np.broadcast_to(end, (boxes.count, len(end))) for end in self.fields)
        return Boxes(np.hstack([boxes.low, low]), np.hstack([boxes.high, high]))

    def _split(self, boxes: Boxes) -> tuple[Boxes, Boxes]:
        """Parameters of its own, and numbers of the robot."""
        k = boxes.low.shape[1] - self.fields.shape[1]
        return Boxes(boxes.low[:, :k], boxes.high[:, :k]), Boxes(boxes.low[:, k:], boxes.high[:, k:])

    def positions(self, boxes: Boxes) -> Boxes:
        """Coordinates and numbers of the robot, a box around all that each box stands for."""
        return boxes

    def moving(self, at: Array) -> tuple[Boxes, Boxes] | None:
        """Velocities and accelerations at points of parameters, by angles; None of what stands still."""
        return None

    def outside(self, boxes: Boxes) -> Flags:
        """Boxes of parameters of which nothing belongs to the area."""
        return np.zeros(boxes.count, dtype=bool)

    def picked(self, at: Array, rng: np.random.Generator) -> tuple[Array, Flags]:
        """Positions, one for each point of parameters (N, k), and whether they surely belong to it."""
        return at, ~self.outside(Boxes(at, at))


@dataclass(frozen=True, eq=False)
class BoxArea(Area):
    """Ranges of all coordinates."""

    box: Boxes

    @property
    def ranges(self) -> Boxes:
        return self.box

    @property
    def _own(self) -> Boxes:
        return self.box

    @property
    def plain(self) -> dict[str, Any]:
        return {}


@dataclass(frozen=True, eq=False)
class RoundArea(BoxArea):
    """Positions within a radius of a center, in two or three coordinates; the others have ranges.

    Two make a cylinder with the third, three make a sphere.
    """

    places: tuple[int, ...]
    center: Array
    radius: float

    @property
    def filled(self) -> float:
        k = len(self.places)
        return float(math.pi ** (k / 2) / math.gamma(k / 2 + 1) / 2**k)

    @property
    def plain(self) -> dict[str, Any]:
        return {"places": list(self.places), "center": self.center.tolist(), "radius": self.radius}

    def outside(self, boxes: Boxes) -> Flags:
        low, high = (end[:, list(self.places)] - self.center for end in (boxes.low, boxes.high))
        size = np.maximum(np.abs(low), np.abs(high)) + np.abs(self.center)
        away = np.maximum(np.maximum(low, -high) - ROUNDING * size, 0.0)
        return np.asarray((away**2).sum(axis=1) * (1 - ROUNDING) > self.radius**2 * (1 + ROUNDING))

    def picked(self, at: Array, rng: np.random.Generator) -> tuple[Array, Flags]:
        away = np.abs(at[:, list(self.places)] - self.center)
        size = np.abs(at[:, list(self.places)]) + np.abs(self.center)
        far = ((away + ROUNDING * size) ** 2).sum(axis=1) * (1 + ROUNDING)
        return at, np.asarray(far <= self.radius**2 * (1 - ROUNDING))


@dataclass(frozen=True, eq=False)
class Tube(Area):
    """Around a path of polynomials: how far each coordinate may be from it.

    Args:
        pieces: (K, d, DEGREE + 1), from the constant on, of a parameter from 0 to 1 in each piece. The
            path's own parameter goes from 0 to K.
        times: (K + 1,) [s], when pieces begin and end.
        around: (d,)
    """

    pieces: Array
    times: Array
    around: Array

    @property
    def _own(self) -> Boxes:
        starts = np.arange(len(self.pieces), dtype=float)[:, None]
        return Boxes(starts, starts + 1)

    @cached_property
    def ranges(self) -> Boxes:
        every = self.positions(self.start)
        d = len(self.around)
        low, high = every.low[:, :d].min(axis=0), every.high[:, :d].max(axis=0)
        return Boxes(low[None], high[None])

    def positions(self, boxes: Boxes) -> Boxes:
        own, fields = self._split(boxes)
        here = self._enclosed(own, 0)
        near = Boxes(here.low - self.around * (1 + ROUNDING), here.high + self.around * (1 + ROUNDING))
        rates = self._enclosed(own, 1), self._enclosed(own, 2)
        return Boxes(np.hstack([near.low, fields.low]), np.hstack([near.high, fields.high]), rates)

    def _enclosed(self, own: Boxes, order: int) -> Boxes:
        """Positions or their derivatives, by polynomials about the middle of each part, whose
        coefficients are exact but for rounding: sums of DEGREE + 1 terms, below ROUNDING of the sum of
        all coefficients times binomials."""
        piece = self._piece(own.middle[:, 0])
        a, T = self.pieces[piece], np.diff(self.times)[piece]
        for k in range(order):
            a = a[..., 1:] * np.arange(1, DEGREE + 1 - k) / T[:, None, None]
        degree = a.shape[-1] - 1
        low, high = own.low[:, 0] - piece, own.high[:, 0] - piece  # exact
        middle = (low + high) / 2
        half = np.maximum(high - middle, middle - low) * (1 + ROUNDING)
        about = np.zeros_like(a)
        for j in range(degree + 1):
            for i in range(j, degree + 1):
                about[..., j] += math.comb(i, j) * a[..., i] * (middle ** (i - j))[:, None]
        powers = half[:, None, None] ** np.arange(1, degree + 1)
        away = (np.abs(about[..., 1:]) * powers).sum(axis=-1) * (1 + ROUNDING)
        away += ROUNDING * 2**DEGREE * np.abs(a).sum(axis=-1)
        return Boxes(about[..., 0] - away, about[..., 0] + away)

    def moving(self, at: Array) -> tuple[Boxes, Boxes] | None:
        own, _ = self._split(Boxes(at, at))
        return self._enclosed(own, 1), self._enclosed(own, 2)

    def _piece(self, s: Array) -> Array:
        return np.clip(np.floor(s), 0, len(self.pieces) - 1).astype(int)

    def at(self, s: Array) -> Array:
        """Positions (N, d) on the path at parameters (N,)."""
        piece = self._piece(s)
        powers = (s - piece)[:, None, None] ** np.arange(DEGREE + 1)
        return np.asarray((self.pieces[piece] * powers).sum(axis=-1))

    @property
    def moves(self) -> bool:
        return True

    def weights(self, weights: Array) -> Array:
        """A piece of the path counts by its longest way."""
        d = len(self.around)
        ways = np.abs(self.pieces[..., 1:]).sum(axis=-1).max(axis=0)
        return np.concatenate([[max(float((ways * weights[:d]).max()), 1e-6)], weights[d:]])

    def time(self, at: Array) -> float | None:
        s = float(at[0])
        k = min(int(s), len(self.pieces) - 1)
        return float(self.times[k] + (s - k) * (self.times[k + 1] - self.times[k]))

    @property
    def plain(self) -> dict[str, Any]:
        parts = {"pieces": self.pieces, "times": self.times, "around": self.around}
        return {name: each.tolist() for name, each in parts.items()}

    def picked(self, at: Array, rng: np.random.Generator) -> tuple[Array, Flags]:
        away = rng.integers(-STEPS, STEPS + 1, (len(at), len(self.around))) / (STEPS + 1)
        found = self.at(at[:, 0]) + away * self.around
        return np.hstack([found, at[:, 1:]]), np.ones(len(at), dtype=bool)
