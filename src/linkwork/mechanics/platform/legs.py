"""Kinematics of one leg, in its own frame: x = s along the leg, y along the moving axis of the
universal joint, z = s x y.

The universal joint ties the spin of the leg about its axis to its swing: with t = (k.s)/|k x s|,
w_s = t w_z. A leg with spherical joints at both ends (SPS) is taken without spin.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from linkwork.mechanics.expressions import SX, cross, number, times, vector
from linkwork.robots.platform import Leg

# sin of the angle between a leg and its fixed axis below which the axes of the joint coincide
SMALLEST_SINE = 1e-9


@dataclass(frozen=True)
class Geometry:
    """Where a leg is. `t` is zero for SPS; `T` takes leg components to base components."""

    leg: Leg
    q: SX  # platform point from the reference point, base axes
    S: SX  # base point to platform point
    L: SX
    inverse_L: SX
    s: SX
    y: SX
    z: SX
    t: SX

    @property
    def T(self) -> SX:
        return ca.horzcat(self.s, self.y, self.z)

    def components(self, v: SX) -> SX:
        """Leg components of a vector in base axes."""
        return vector(ca.dot(self.s, v), ca.dot(self.y, v), ca.dot(self.z, v))


def geometry(leg: Leg, position: SX, rotation: SX) -> Geometry:
    q = times(rotation, number(leg.platform_point))
    S = q + position - number(leg.base_point)
    L2 = ca.sumsqr(S)
    L = ca.sqrt(L2)
    if leg.joints == "SPS":
        inverse_L = 1 / L
        s = S * inverse_L
        y, z = _any_normals(s)
        return Geometry(leg, q, S, L, inverse_L, s, y, z, SX(0))
    k = number(leg.fixed_axis)
    across = cross(k, S)
    across2 = ca.sumsqr(across)
    Y = ca.sqrt(across2)
    # One division for both reciprocals.
    both = 1 / ca.if_else(across2 > SMALLEST_SINE**2 * L2, L * Y, 0)
    inverse_L, inverse_Y = both * Y, both * L
    s, y = S * inverse_L, across * inverse_Y
    return Geometry(leg, q, S, L, inverse_L, s, y, cross(s, y), ca.dot(k, S) * inverse_Y)


def _any_normals(s: SX) -> tuple[SX, SX]:
    """Two normals of a unit vector that make a right-handed frame with it, without a singular direction.

    A leg that is free to spin has no axis of its own; being symmetric, it does not care (Duff et al.).
    """
    x, y, z = s[0], s[1], s[2]
    sign = ca.if_else(z < 0, -1, 1)
    a = -1 / (sign + z)
    b = x * y * a
    return vector(1 + sign * x * x * a, sign * b, -sign * x), vector(b, sign + y * y * a, -y)


@dataclass(frozen=True)
class Rates:
    """How a leg moves: extension rate, angular velocity in leg components."""

    Ld: SX
    w: SX


def rates(at: Geometry, twist: SX) -> Rates:
    Sd = at.components(twist[0:3] + cross(twist[3:6], at.q))
    wz = Sd[1] * at.inverse_L
    return Rates(Sd[0], vector(at.t * wz, -Sd[2] * at.inverse_L, wz))


@dataclass(frozen=True)
class Accelerations:
    """Extension acceleration, angular acceleration in leg components."""

    Ldd: SX
    A: SX


def accelerations(at: Geometry, rate: Rates, twist: SX, acceleration: SX) -> Accelerations:
    W = twist[3:6]
    Sdd = at.components(acceleration[0:3] + cross(acceleration[3:6], at.q) + cross(W, cross(W, at.q)))
    ws, wy, wz = rate.w[0], rate.w[1], rate.w[2]
    twice = 2 * rate.Ld
    Az = (Sdd[1] - twice * wz) * at.inverse_L - ws * wy
    Ay = ws * wz - (Sdd[2] + twice * wy) * at.inverse_L
    As = at.t * Az - wy * wz * (1 + at.t * at.t) if at.leg.joints == "UPS" else SX(0)
    return Accelerations(Sdd[0] + at.L * (wy * wy + wz * wz), vector(As, Ay, Az))
