"""Rigid bodies by mass, first moment and inertia about a frame's origin: they add up."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from linkwork.mechanics.expressions import SX

PARAMETERS = 10  # of a load: m, h (3), J as xx yy zz xy xz yz


@dataclass(frozen=True)
class CompositeBody:
    """Mass m, first moment h and inertia J about the frame's origin."""

    m: SX
    h: SX
    J: SX

    def __add__(self, other: CompositeBody) -> CompositeBody:
        return CompositeBody(self.m + other.m, self.h + other.h, self.J + other.J)


def body_of(parameters: SX) -> CompositeBody:
    """A load from its ten parameters."""
    xx, yy, zz, xy, xz, yz = (parameters[k] for k in range(4, 10))
    J = ca.vertcat(ca.horzcat(xx, xy, xz), ca.horzcat(xy, yy, yz), ca.horzcat(xz, yz, zz))
    return CompositeBody(parameters[0], parameters[1:4], J)
