"""What a moving leg asks of the platform and of its actuator, in leg components.

Both parts together turn about the base point; their inertia about it depends on the length L only
through the upper part's place. So one rigid body of varying inertia and a sliding mass replace two
bodies, and no tensor is ever rotated.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from linkwork.mechanics.expressions import SX, cross, number, times, vector
from linkwork.mechanics.platform.legs import Accelerations, Geometry, Rates


def steiner(mass: float | SX, r: SX) -> SX:
    """Inertia of a point mass at r about the origin."""
    return mass * (ca.sumsqr(r) * SX.eye(3) - times(r, r.T))


@dataclass(frozen=True)
class Together:
    """Both parts of a leg about the base point: inertia J and first moment h."""

    J: SX
    h: SX
    upper: SX  # r_u, from the base point to the upper mass centre


def together(at: Geometry) -> Together:
    leg = at.leg
    lower, upper = leg.lower, leg.upper
    c, d = number(upper.center_of_mass), number(lower.center_of_mass)
    across = vector(0, c[1], c[2])
    J = number(lower.inertia) + number(upper.inertia)
    J = ca.densify(J + steiner(lower.mass, d) + steiner(upper.mass, across))
    reach = at.L + c[0]
    moment = upper.mass * reach
    J[1, 1] += moment * reach
    J[2, 2] += moment * reach
    for k in (1, 2):
        J[0, k] = J[k, 0] = J[0, k] - moment * across[k]
    h = ca.densify(lower.mass * d + upper.mass * across)
    h[0] += moment
    return Together(J, h, vector(reach, across[1], across[2]))


@dataclass(frozen=True)
class Demand:
    """N, the moment about the base point that the motion needs; D, the force along the leg."""

    N: SX
    D: SX


def demand(
    at: Geometry, rate: Rates, acceleration: Accelerations, gravity: SX, W: SX, friction: bool
) -> Demand:
    """N and D of the exact model; gravity and the platform's angular velocity W in base axes."""
    leg = at.leg
    body = together(at)
    w, A, Ld, Ldd = rate.w, acceleration.A, rate.Ld, acceleration.Ldd
    g = at.components(gravity)
    slide = vector(Ldd, 2 * Ld * w[2], -2 * Ld * w[1])  # Ldd s + 2 Ld w x s
    N = times(body.J, A) + cross(w, times(body.J, w))
    N = N + cross(leg.upper.mass * body.upper, slide) - cross(body.h, g)
    across2 = w[1] * w[1] + w[2] * w[2]
    r = body.upper
    along = Ldd - across2 * r[0] + A[1] * r[2] - A[2] * r[1] + w[0] * (w[1] * r[1] + w[2] * r[2])
    D = leg.upper.mass * (along - g[0])
    if friction:
        N = N + leg.friction.universal * w + spherical_moment(at, rate, W)
        D = D + leg.friction.prismatic * Ld
    return Demand(N, D)


def spherical_moment(at: Geometry, rate: Rates, W: SX) -> SX:
    """f, viscous moment in the spherical joint, leg components. A free leg (SPS) spins along with it."""
    f = at.leg.friction.spherical * (rate.w - at.components(W))
    return f if at.leg.joints == "UPS" else vector(0, f[1], f[2])


def transverse(at: Geometry, N: SX) -> SX:
    """K = Jw' N: the part of the spherical joint's force that turns the leg; leg components."""
    return vector(0, (N[2] + at.t * N[0]) * at.inverse_L, -N[1] * at.inverse_L)


def apparent_mass(at: Geometry) -> SX:
    """Q: force per acceleration of the platform point, leg components (3 x 3, symmetric)."""
    leg = at.leg
    J = together(at).J
    t, i, i2 = at.t, at.inverse_L, at.inverse_L * at.inverse_L
    m, b, c = leg.upper.mass, leg.upper.center_of_mass[1], leg.upper.center_of_mass[2]
    sy, sz = -m * b * i, -m * c * i
    yy = (t * (t * J[0, 0] + 2 * J[0, 2]) + J[2, 2]) * i2
    yz = -(t * J[0, 1] + J[1, 2]) * i2
    zz = J[1, 1] * i2
    return ca.vertcat(ca.horzcat(m, sy, sz), ca.horzcat(sy, yy, yz), ca.horzcat(sz, yz, zz))
