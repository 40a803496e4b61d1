"""How far a pose is from what ends a platform's workspace; every margin is negative beyond its limit.

length, force: share of the range, of the limit; angles: difference of cosines; singularity: least
singular value of J (moments over the platform's size) above the clearance, as a lower bound
1 / |J^-1| (Frobenius), and -1 on the other side of a singularity than home; legs: distance of the
nearest two legs above their diameter [m].
"""

from __future__ import annotations

from itertools import combinations

import casadi as ca

from linkwork.mechanics.expressions import SX, number, times
from linkwork.mechanics.linear import solve_orthogonal
from linkwork.mechanics.mechanism.robot_dynamics import MechanismDynamics
from linkwork.mechanics.platform.legs import greatest, legs_of
from linkwork.mechanics.pose import place_of
from linkwork.robots.platform import LEGS, Leg, PlatformModel

KINDS = ("length", "universal_angle", "spherical_angle", "force", "singularity", "legs")
SETTINGS = ("clearance", "leg_diameter", "side")
FREE = SX(1.0)  # the margin of a limit that is not there
PARALLEL = 1e-12


def margins(robot: MechanismDynamics, model: PlatformModel, settings: SX) -> dict[str, SX]:
    """Margins of all kinds, then holding force [N] and condition number (Frobenius)."""
    clearance, diameter, side = settings[0], settings[1], settings[2]
    holding = robot.gravity_load()
    legs = legs_of(robot, robot.place)
    H = [row.T for row in ca.vertsplit(robot.actuation)]
    limits = [leg.limits for leg in model.legs]
    size = _size(model)
    scaled = [ca.vertcat(column[0:3], column[3:6] / size) for column in H]
    inverse = solve_orthogonal(scaled, SX.eye(LEGS))
    least = 1 / ca.sqrt(ca.sumsqr(inverse))
    same_side = _determinant_sign(scaled) * side > 0
    universal, spherical = _angle_margins(model, robot.c, [column[0:3] for column in H])
    return {
        "length": _least(
            [_between(leg.frame[0], one.length) for leg, one in zip(legs, limits, strict=True)]
        ),
        "universal_angle": universal,
        "spherical_angle": spherical,
        "force": _least(
            [
                None if one.force is None else 1 - ca.fabs(holding[k]) / one.force
                for k, one in enumerate(limits)
            ]
        ),
        "singularity": ca.if_else(same_side, least - clearance, -1),
        "legs": ca.if_else(diameter > 0, _nearest(model.legs, [leg.S for leg in legs]) - diameter, FREE),
        "holding_force": greatest([ca.fabs(holding[k]) for k in range(LEGS)]),
        "condition": ca.sqrt(sum(ca.sumsqr(column) for column in scaled)) / least,
    }


def _size(model: PlatformModel) -> SX:
    """RMS distance of the platform points from the reference point."""
    squares = [ca.sumsqr(number(leg.platform_point)) for leg in model.legs]
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


def _angle_margins(model: PlatformModel, pose: SX, directions: list[SX]) -> tuple[SX, SX]:
    """Cosines of the legs' angles from their directions at home, above those of their limits."""
    if model.home is None:
        return FREE, FREE
    base: list[SX | None] = []
    top: list[SX | None] = []
    for leg, angles in zip(model.legs, angle_cosines(model, pose, directions), strict=True):
        for found, limit, cosine in zip(
            (base, top), (leg.limits.universal_angle, leg.limits.spherical_angle), angles, strict=True
        ):
            if limit is not None:
                found.append(cosine - ca.cos(limit))
    return _least(base), _least(top)


def angle_cosines(model: PlatformModel, pose: SX, directions: list[SX]) -> list[tuple[SX, SX]]:
    """Of the angles of every leg from its direction at home, as base and platform see it."""
    assert model.home is not None
    position, R0 = place_of(number(model.home))
    _, R = place_of(pose)
    found = []
    for leg, s in zip(model.legs, directions, strict=True):
        S = times(R0, number(leg.platform_point)) + position - number(leg.base_point)
        s0 = S / ca.norm_2(S)
        found.append((ca.dot(s, s0), ca.dot(times(R.T, s), times(R0.T, s0))))
    return found


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


def _nearest(legs: tuple[Leg, ...], reach: list[SX]) -> SX:
    """Distance of the two nearest legs, straight from base point to platform point."""
    squares = []
    for (one, u), (other, v) in combinations(zip(legs, reach, strict=True), 2):
        w = number(one.base_point) - number(other.base_point)
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
