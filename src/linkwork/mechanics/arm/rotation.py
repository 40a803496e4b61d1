"""How a vector crosses a joint: two ways to multiply by R_{i-1}^i, counted differently by the papers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import casadi as ca

from linkwork.mechanics.expressions import SX, times, vector


class Rotation(Protocol):
    """Takes components between frame i-1 (the parent's) and frame i (the child's)."""

    @property
    def matrix(self) -> SX: ...
    def to_child(self, v: SX) -> SX: ...
    def to_parent(self, v: SX) -> SX: ...


@dataclass(frozen=True)
class DenseRotation:
    """By the nine elements: 9 multiplications and 6 additions if none is 0 or 1."""

    matrix: SX

    def to_child(self, v: SX) -> SX:
        return times(self.matrix.T, v)

    def to_parent(self, v: SX) -> SX:
        return times(self.matrix, v)


@dataclass(frozen=True)
class FactoredRotation:
    """By the angle of the joint, then by the twist of the link: 8 multiplications, 4 additions."""

    c: SX
    s: SX
    lam: SX
    mu: SX

    @property
    def matrix(self) -> SX:
        c, s, lam, mu = self.c, self.s, self.lam, self.mu
        return ca.vertcat(
            ca.horzcat(c, -lam * s, mu * s), ca.horzcat(s, lam * c, -mu * c), ca.horzcat(0, mu, lam)
        )

    def to_child(self, v: SX) -> SX:  # A (7.23)
        r = v[0] * self.s - v[1] * self.c
        return vector(
            v[0] * self.c + v[1] * self.s, v[2] * self.mu - self.lam * r, v[2] * self.lam + self.mu * r
        )

    def to_parent(self, v: SX) -> SX:  # A (7.24), with v for v_2 in its second column corrected
        u = v[1] * self.lam - v[2] * self.mu
        return vector(
            v[0] * self.c - u * self.s, v[0] * self.s + u * self.c, v[1] * self.mu + v[2] * self.lam
        )
