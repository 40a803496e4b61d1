"""The spin of a strut about itself, as a universal joint at one of its ends ties it to the swing.

With S along the strut, k the axis that is fixed in the body at that end, n = k x S, kappa = k.S,

    w_s = W . L (S - kappa k)/(L^2 - kappa^2)  +  Sd . kappa n/(L (L^2 - kappa^2)),

W being the body's angular velocity and Sd the change of S, both seen from the same frame.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import casadi as ca

from linkwork.mechanics.expressions import SX, cross, squared

# sin of the angle between a strut and its fixed axis below which the axes of the joint coincide
SMALLEST_SINE = 1e-9


@dataclass(frozen=True)
class Spinning:
    """L w_s and L al_s, and the change of S as the body sees it: k.Sr, and n.Sr/(L^2 - kappa^2)."""

    rate: SX
    change: SX
    along: SX
    across: SX


@dataclass(frozen=True)
class Tie:
    """A universal joint on one body: axis k and strut S in some axes, L constant."""

    S: SX
    k: SX
    L: float

    @cached_property
    def n(self) -> SX:
        return cross(self.k, self.S)

    @cached_property
    def kappa(self) -> SX:
        return ca.dot(self.k, self.S)

    @cached_property
    def inverse(self) -> SX:
        L2 = self.L**2
        Y2 = L2 - self.kappa * self.kappa
        return 1 / ca.if_else(Y2 > SMALLEST_SINE**2 * L2, Y2, 0)

    @cached_property
    def swing(self) -> SX:
        """kappa n / (L^2 - kappa^2): L w_s per change of S."""
        return self.kappa * self.inverse * self.n

    @cached_property
    def turn(self) -> SX:
        """L (S - kappa k)/(L^2 - kappa^2): w_s per angular velocity of the body."""
        return self.L * self.inverse * (self.S - self.kappa * self.k)

    def rate(self, W: SX, Sd: SX) -> SX:
        """L w_s."""
        return self.L * ca.dot(self.turn, W) + ca.dot(self.swing, Sd)

    def motion(self, W: SX, Al: SX, w: SX, al: SX, Sd: SX, Sdd: SX) -> Spinning:
        """W, Al are absolute, w and al of the same body those in the frame of Sd and Sdd."""
        Sr = Sd - cross(w, self.S)
        Srr = Sdd - cross(al, self.S) - squared(w, self.S) - 2 * cross(w, Sr)
        along, across = ca.dot(self.k, Sr), ca.dot(self.n, Sr) * self.inverse
        spin = ca.dot(W, self.S) + self.kappa * across
        share = self.kappa * self.inverse
        change = ca.dot(Al, self.S) + ca.dot(W, Sr) + share * ca.dot(self.n, Srr)
        change = change + along * across * (1 + 2 * self.kappa * share)
        return Spinning(spin, change, along, across)
