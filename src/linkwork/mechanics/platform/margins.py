"""How far a pose is from what ends a platform's workspace; every margin is negative beyond its limit.

length, force: share of the range, of the limit; angles: difference of cosines; singularity: least
singular value of J (moments over the platform's size) above the clearance, as a lower bound
1 / |J^-1| (Frobenius), and -1 on the other side of a singularity than home; legs: distance of the
nearest two legs above their diameter [m].
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import casadi as ca

from linkwork.mechanics.expressions import SX, number, times
from linkwork.mechanics.linear import solve_orthogonal
from linkwork.mechanics.platform.dynamics import PlatformDynamics
from linkwork.mechanics.platform.legs import Geometry
from linkwork.mechanics.platform.pose import place_of
from linkwork.robots.platform import LEGS

KINDS = ("length", "universal_angle", "spherical_angle", "force", "singularity", "legs")
SETTINGS = ("clearance", "leg_diameter", "side")
FREE = SX(1.0)  # the margin of a limit that is not there
PARALLEL = 1e-12


def margins(platform: PlatformDynamics, settings: SX) -> dict[str, SX]:
    """Margins of all kinds, then holding force [N] and condition number (Frobenius)."""
    clearance, diameter, side = settings[0], settings[1], settings[2]
    state = replace(platform, twist=None, wrench=None).state
    holding = platform.gravity_load()
    legs = state.legs
    limits = [at.leg.limits for at in legs]
    size = _size(platform)
    scaled = [ca.vertcat(column[0:3], column[3:6] / size) for column in state.H()]
    inverse = solve_orthogonal(scaled, SX.eye(LEGS))
    least = 1 / ca.sqrt(ca.sumsqr(inverse))
    same_side = _determinant_sign(scaled) * side > 0
    universal, spherical = _angle_margins(platform, legs)
    return {
        "length": _least([_between(at.L, one.length) for at, one in zip(legs, limits, strict=True)]),
        "universal_angle": universal,
        "spherical_angle": spherical,
        "force": _least(
            [
                None if one.force is None else 1 - ca.fabs(holding[k]) / one.force
                for k, one in enumerate(limits)
            ]
        ),
        "singularity": ca.if_else(same_side, least - clearance, -1),
        "legs": ca.if_else(diameter > 0, _nearest(legs) - diameter, FREE),
        "holding_force": _greatest([ca.fabs(holding[k]) for k in range(LEGS)]),
        "condition": ca.sqrt(sum(ca.sumsqr(column) for column in scaled)) / least,
    }


def determinant_sign(platform: PlatformDynamics) -> SX:
    """Of J: which side of the singular poses a pose is on."""
    return _determinant_sign(platform.state.H())


def _size(platform: PlatformDynamics) -> SX:
    """RMS distance of the platform points from the reference point."""
    squares = [ca.sumsqr(number(leg.platform_point)) for leg in platform.model.legs]
    return ca.sqrt(sum(squares) / LEGS)


def _between(value: SX, bounds: tuple[float, float] | None) -> SX | None:
    if bounds is None:
        return None
    low, high = bounds
    return ca.fmin(value - low, high - value) / (high - low)


def _least(values: list[SX | None]) -> SX:
    least = FREE
    for value in values:
        if value is not None:
            least = value if least is FREE else ca.fmin(least, value)
    return least


def _greatest(values: list[SX]) -> SX:
    most = values[0]
    for value in values[1:]:
        most = ca.fmax(most, value)
    return most


def _angle_margins(platform: PlatformDynamics, legs: tuple[Geometry, ...]) -> tuple[SX, SX]:
    """Cosines of the legs' angles from their directions at home, above those of their limits."""
    home = platform.model.home
    if home is None:
        return FREE, FREE
    position, R0 = place_of(number(home))
    _, R = place_of(platform.pose)
    base: list[SX | None] = []
    top: list[SX | None] = []
    for at in legs:
        limits = at.leg.limits
        q = times(R0, number(at.leg.platform_point))
        S = q + position - number(at.leg.base_point)
        s0 = S / ca.norm_2(S)
        if limits.universal_angle is not None:
            base.append(ca.dot(at.s, s0) - ca.cos(limits.universal_angle))
        if limits.spherical_angle is not None:
            seen = ca.dot(times(R.T, at.s), times(R0.T, s0))
            top.append(seen - ca.cos(limits.spherical_angle))
    return _least(base), _least(top)


def _determinant_sign(columns: list[SX]) -> SX:
    """By elimination without pivoting; only the sign is right near a vanishing pivot, and suffices."""
    rows = [[column[k] for column in columns] for k in range(LEGS)]
    sign = SX(1)
    for j in range(LEGS):
        pivot = rows[j][j]
        sign = sign * ca.sign(pivot)
        for i in range(j + 1, LEGS):
            factor = rows[i][j] / pivot
            for k in range(j + 1, LEGS):
                rows[i][k] = rows[i][k] - factor * rows[j][k]
    return sign


def _nearest(legs: tuple[Geometry, ...]) -> SX:
    """Distance of the two nearest legs, straight from base point to platform point."""
    squares = []
    for one, other in combinations(legs, 2):
        w = number(one.leg.base_point) - number(other.leg.base_point)
        u, v = one.S, other.S
        uu, uv, vv = ca.sumsqr(u), ca.dot(u, v), ca.sumsqr(v)
        uw, vw = ca.dot(u, w), ca.dot(v, w)
        determinant = uu * vv - uv * uv
        apart = determinant > PARALLEL * uu * vv
        s = ca.if_else(apart, _clipped((uv * vw - vv * uw) / ca.if_else(apart, determinant, 1)), 0)
        t = _clipped((uv * s + vw) / vv)
        s = _clipped((uv * t - uw) / uu)
        squares.append(ca.sumsqr(w + s * u - t * v))
    least = squares[0]
    for value in squares[1:]:
        least = ca.fmin(least, value)
    return ca.sqrt(least)


def _clipped(x: SX) -> SX:
    return ca.fmax(0, ca.fmin(1, x))
