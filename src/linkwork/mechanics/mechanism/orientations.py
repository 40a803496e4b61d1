"""Orientations of bodies in their groups: turns about one direction as pairs, or a matrix.

Angles are kept as sums of ratio * atom and canceled before a cosine is formed: a link that a
parallelogram keeps upright has no angle at all. An atom is an angle that is given (a coordinate), or one
whose cosine and sine were solved for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import casadi as ca

from linkwork.mechanics.expressions import SX, Pair, times, vector

Angle = Mapping[str, float]  # ratios of atoms


def added(one: Angle, other: Angle, ratio: float = 1.0) -> dict[str, float]:
    """one + ratio * other, without what cancels."""
    total = dict(one)
    for atom, value in other.items():
        total[atom] = total.get(atom, 0.0) + ratio * value
    return {atom: value for atom, value in total.items() if abs(value) > 1e-12}


@dataclass(frozen=True)
class BodyTurn:
    """From a body's axes at home to those of its group; neither pair nor matrix: not turned."""

    pair: Pair | None = None
    matrix: SX | None = None

    def out(self, v: SX) -> SX:
        if self.matrix is not None:
            return times(self.matrix, v)
        if self.pair is None:
            return v
        c, s = self.pair
        return vector(c * v[0] - s * v[1], s * v[0] + c * v[1], v[2])

    def back(self, v: SX) -> SX:
        if self.matrix is not None:
            return times(self.matrix.T, v)
        if self.pair is None:
            return v
        c, s = self.pair
        return vector(c * v[0] + s * v[1], c * v[1] - s * v[0], v[2])

    @property
    def R(self) -> SX:
        if self.matrix is not None:
            return self.matrix
        return ca.horzcat(*(self.out(SX(ca.DM.eye(3)[:, k])) for k in range(3)))


@dataclass
class Atoms:
    """Angles and pairs by name; pairs of sums are products, formed once."""

    angles: dict[str, SX] = field(default_factory=dict)
    pairs: dict[str, Pair] = field(default_factory=dict)
    _sums: dict[tuple[tuple[str, float], ...], Pair] = field(default_factory=dict)

    def forget(self, atoms: set[str]) -> None:
        """Sums with these atoms, whose pairs are about to change."""
        for terms in [terms for terms in self._sums if any(atom in atoms for atom, _ in terms)]:
            del self._sums[terms]

    def angle_of(self, atom: str) -> SX:
        if atom in self.angles:
            return self.angles[atom]
        c, s = self.pairs[atom]
        return ca.atan2(s, c)

    def angle(self, combination: Angle) -> SX:
        return sum((ratio * self.angle_of(atom) for atom, ratio in combination.items()), SX(0))

    def turn(self, combination: Angle) -> BodyTurn:
        return BodyTurn(self._pair(tuple(sorted(combination.items())))) if combination else BodyTurn()

    def _pair(self, terms: tuple[tuple[str, float], ...]) -> Pair:
        if terms not in self._sums:
            *others, (atom, ratio) = terms
            own = self._multiple(atom, ratio)
            self._sums[terms] = _product(self._pair(tuple(others)), own) if others else own
        return self._sums[terms]

    def _multiple(self, atom: str, ratio: float) -> Pair:
        if ratio < 0:
            c, s = self._pair(((atom, -ratio),)) if ratio != -1 else self._single(atom)
            return c, -s
        if ratio == 1:
            return self._single(atom)
        whole = round(ratio)
        if abs(whole - ratio) < 1e-12 and whole <= 4:
            return _product(self._pair(((atom, ratio - 1),)), self._single(atom))
        angle = ratio * self.angle_of(atom)
        return ca.cos(angle), ca.sin(angle)

    def _single(self, atom: str) -> Pair:
        if atom not in self.pairs:
            angle = self.angles[atom]
            self.pairs[atom] = (ca.cos(angle), ca.sin(angle))
        return self.pairs[atom]


def _product(one: Pair, other: Pair) -> Pair:
    (c, s), (C, S) = one, other
    return c * C - s * S, s * C + c * S
