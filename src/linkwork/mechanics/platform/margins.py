"""How far poses of a platform are from every limit, and what is worst among its legs.

A margin of `margins` tells how far a pose at rest is from what ends the workspace, and is negative
beyond its limit. length, force: (limit - demand) / limit, of a range from its middle; angles:
difference of cosines; singularity: least singular value of J (moments over the platform's size) above
the clearance, as a lower bound 1 / |J^-1| (Frobenius), and -1 on the other side of a singularity than
home; legs: distance of the nearest two above their diameter.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, pairwise

import casadi as ca
import numpy as np

from linkwork.core.errors import InputError
from linkwork.mechanics.expressions import SX, number, place_of, times
from linkwork.mechanics.linear import cholesky, forward_substituted, singular_values, solve_orthogonal
from linkwork.mechanics.mechanism.robot_dynamics import MechanismDynamics
from linkwork.mechanics.mechanism.struts import Strut
from linkwork.mechanics.platform.legs import greatest, legs_of
from linkwork.model.families.stewart import LEGS, Leg, LegLimits, PlatformModel, home_pose
from linkwork.model.joint import used_share

KINDS = ("length", "universal_angle", "spherical_angle", "force", "singularity", "legs")
SETTINGS = ("clearance", "leg_diameter", "side")
FREE = SX(1.0)  # the margin of a limit that is not there
PARALLEL = 1e-12


def margins(robot: MechanismDynamics, model: PlatformModel, settings: SX) -> dict[str, SX]:
    """Margins of all kinds, then holding force [N]."""
    clearance, diameter, side = settings[0], settings[1], settings[2]
    holding = robot.gravity_load()
    legs = legs_of(robot, robot.place)
    scaled = dimensionless_columns(robot, model)
    limits = [leg.limits for leg in model.legs]
    inverse = solve_orthogonal(scaled, SX.eye(LEGS))
    least = 1 / ca.sqrt(ca.sumsqr(inverse))
    same_side = _determinant_sign(scaled) * side > 0
    universal, spherical = _angle_margins(model, robot.c, [column[0:3] for column in scaled])
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
    }


def dimensionless_columns(robot: MechanismDynamics, model: PlatformModel) -> list[SX]:
    """Of every leg, the column of J' with its moment over the length scale, the RMS distance of the
    platform points from the reference point."""
    squares = [ca.sumsqr(number(leg.platform_point)) for leg in model.legs]
    size = ca.sqrt(sum(squares) / LEGS)
    columns = [row.T for row in ca.vertsplit(robot.actuation)]
    return [ca.vertcat(column[0:3], column[3:6] / size) for column in columns]


def condition_number(robot: MechanismDynamics, model: PlatformModel) -> SX:
    """That of `kinematics/singularity.py`, for sweeps of many variants."""
    sizes = singular_values(dimensionless_columns(robot, model))
    return greatest(sizes) / -greatest([-size for size in sizes])


def used_limits(
    robot: MechanismDynamics, model: PlatformModel, moving: list[Strut], force: SX
) -> dict[str, SX]:
    """By field of the limits, what the leg that is nearest to its limit uses of it: 1 at the limit.

    Margins are 1 - this, as `robot/limits.py` has them. `moving` are the legs with their velocities.
    """
    limits = [leg.limits for leg in model.legs]
    angles = _used_angles(model, robot.c, moving) if any(map(_bounds_angles, limits)) else [{}] * LEGS
    found: dict[str, list[SX]] = {}
    for k, (leg, limit) in enumerate(zip(moving, limits, strict=True)):
        rate = leg.motion[0]
        demands = {"length": leg.frame[0], "rate": rate, "force": force[k], **angles[k]}
        for name, value in demands.items():
            bounds = getattr(limit, name)
            if bounds is not None:
                pair = bounds if isinstance(bounds, tuple) else (-bounds, bounds)
                found.setdefault(name, []).append(used_share(value, *pair))
        if limit.force_velocity is not None:
            available = _available(limit.force_velocity, ca.fabs(rate))
            share = ca.fabs(force[k]) / ca.fmax(available, 1e-300)
            found.setdefault("force_velocity", []).append(share)
    return {name: greatest(values) for name, values in found.items()}


def _available(envelope: Sequence[tuple[float, float]], speed: SX) -> SX:
    """What an actuator can give at a speed: linear between the pairs, nothing beyond them."""
    found = SX(0.0)
    for (v0, f0), (v1, f1) in reversed([*pairwise(envelope)]):
        found = ca.if_else(speed <= v1, f0 + (f1 - f0) / (v1 - v0) * (speed - v0), found)
    return found


def _bounds_angles(limits: LegLimits) -> bool:
    return limits.universal_angle is not None or limits.spherical_angle is not None


def _used_angles(model: PlatformModel, pose: SX, legs: list[Strut]) -> list[dict[str, SX]]:
    cosines = angle_cosines(model, pose, [leg.S / ca.norm_2(leg.S) for leg in legs])
    names = ("universal_angle", "spherical_angle")
    return [dict(zip(names, map(angle_of, pair), strict=True)) for pair in cosines]


def angle_of(cosine: SX) -> SX:
    return ca.acos(ca.fmax(-1, ca.fmin(1, cosine)))


def joint_angle(robot: MechanismDynamics, model: PlatformModel) -> SX:
    """The greatest angle of a leg from the mounting axis of a joint, at base or platform [rad]."""
    legs = legs_of(robot, robot.place)
    cosines = angle_cosines(model, robot.c, [leg.S / ca.norm_2(leg.S) for leg in legs])
    return angle_of(-greatest([-each for pair in cosines for each in pair]))


def singularity_distance(robot: MechanismDynamics, model: PlatformModel) -> SX:
    """The lower bound of the least singular value of J, as margins have it, with the sign of det J."""
    scaled = dimensionless_columns(robot, model)
    inverse = solve_orthogonal(scaled, SX.eye(LEGS))
    return _determinant_sign(scaled) / ca.sqrt(ca.sumsqr(inverse))


def leg_distance(robot: MechanismDynamics, model: PlatformModel) -> SX:
    """Of the two nearest legs, from axis to axis [m]."""
    return _nearest(model.legs, [leg.S for leg in legs_of(robot, robot.place)])


def joint_spacing(robot: MechanismDynamics, model: PlatformModel) -> SX:
    """Between the two nearest joints of the base, or of the platform [m]."""
    ends = ([leg.base_point for leg in model.legs], [leg.platform_point for leg in model.legs])
    pairs = [pair for points in ends for pair in combinations(map(number, points), 2)]
    return -greatest([-ca.norm_2(one - other) for one, other in pairs])


def lowest_frequency(K: SX, M: SX) -> SX:
    """The lowest natural frequency [Hz]; NaN if K is not positive definite.

    With M = L L' and K = C C' the squares of the singular values of C' L'^-1 are those of M^-1 K.
    """
    L, C = cholesky(M), cholesky((K + K.T) / 2)
    return least_singular(forward_substituted(L, C)) / (2 * ca.pi)


def least_translational_stiffness(K: SX) -> SX:
    """Minimum translational stiffness [N/m]; NaN if it is not positive."""
    return least_singular(cholesky(((K + K.T) / 2)[:3, :3])) ** 2


def least_singular(matrix: SX) -> SX:
    return -greatest([-size for size in singular_values(ca.horzsplit(matrix))])


def _between(value: SX, bounds: tuple[float, float] | None) -> SX | None:
    if bounds is None:
        return None
    return 1 - used_share(value, *bounds)


def _least(values: list[SX | None]) -> SX:
    least = FREE
    for value in values:
        if value is not None:
            least = value if least is FREE else ca.fmin(least, value)
    return least


def _angle_margins(model: PlatformModel, pose: SX, directions: list[SX]) -> tuple[SX, SX]:
    """Cosines of the legs' angles from their mounting axes, above those of their limits."""
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
    """Of the angles of every leg from the mounting axes of its joints at base and platform."""
    _, R = place_of(pose)
    found = []
    for leg, s in zip(model.legs, directions, strict=True):
        base, top = _mounting_axes(model, leg)
        found.append((ca.dot(s, base), -ca.dot(times(R.T, s), top)))
    return found


def _mounting_axes(model: PlatformModel, leg: Leg) -> tuple[SX, SX]:
    """In base axes and in those of the platform; along the leg at home if the file gives none."""
    base, top = leg.limits.universal_axis, leg.limits.spherical_axis
    if base is not None and top is not None:
        return number(np.array(base)), number(np.array(top))
    home = home_pose(model) if model.home is None and _is_numeric(model) else model.home
    if home is None:
        raise InputError(
            f"joint angles count from home, which {model.name} does not have; add home: ..."
        )
    position, R = place_of(number(home))
    S = times(R, number(leg.platform_point)) + position - number(leg.base_point)
    s = S / ca.norm_2(S)
    return (
        s if base is None else number(np.array(base)),
        -times(R.T, s) if top is None else number(np.array(top)),
    )


def _is_numeric(model: PlatformModel) -> bool:
    """Whether no end of a leg is a parameter."""
    points = [point for leg in model.legs for point in (leg.base_point, leg.platform_point)]
    return not any(isinstance(point, SX) for point in points)


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
