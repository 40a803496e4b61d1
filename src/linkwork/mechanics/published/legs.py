"""Where one leg is, in base axes.

s leads along it, y along the moving axis of its universal joint, z = s x y.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from linkwork.mechanics.expressions import SX, any_normals, cross, number, times
from linkwork.mechanics.mechanism.universal import SMALLEST_SINE
from linkwork.robots.platform import Leg


@dataclass(frozen=True)
class Geometry:
    """A leg in one pose."""

    leg: Leg
    q: SX  # platform point from the reference point
    S: SX  # base point to platform point
    L: SX
    s: SX
    y: SX
    z: SX

    @property
    def T(self) -> SX:
        """Takes leg components to base components."""
        return ca.horzcat(self.s, self.y, self.z)


def geometry(leg: Leg, position: SX, rotation: SX) -> Geometry:
    q = times(rotation, number(leg.platform_point))
    S = q + position - number(leg.base_point)
    L2 = ca.sumsqr(S)
    L = ca.sqrt(L2)
    if leg.joints == "SPS":
        s = S * (1 / L)
        return Geometry(leg, q, S, L, s, *any_normals(s))
    across = cross(number(leg.fixed_axis), S)
    across2 = ca.sumsqr(across)
    Y = ca.sqrt(across2)
    # One division for both reciprocals.
    both = 1 / ca.if_else(across2 > SMALLEST_SINE**2 * L2, L * Y, 0)
    s, y = S * (both * Y), across * (both * L)
    return Geometry(leg, q, S, L, s, y, cross(s, y))
