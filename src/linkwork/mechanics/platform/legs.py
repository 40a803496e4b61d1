"""Legs of a platform: the cylinders of its mechanism, which stand on the base; margins of its poses.

A margin tells how far a pose is from what ends the workspace, and is negative beyond its limit. length,
force: share of the range, of the limit; angles: difference of cosines; singularity: least singular value
of J (moments over the platform's size) above the clearance, as a lower bound 1 / |J^-1| (Frobenius), and
-1 on the other side of a singularity than home; legs: distance of the nearest two above their diameter.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import NamedTuple

import casadi as ca

from linkwork.mechanics.expressions import SX, cross, number, place_of, times, vector
from linkwork.mechanics.linear import singular_values, solve_orthogonal
from linkwork.mechanics.mechanism.coordinates import by_name
from linkwork.mechanics.mechanism.reactions import Reactions, Recorded
from linkwork.mechanics.mechanism.robot_dynamics import MechanismDynamics
from linkwork.mechanics.mechanism.state import MechanismState
from linkwork.mechanics.mechanism.struts import Strut
from linkwork.mechanics.published.dynamics import LegReactions
from linkwork.model.families.stewart import LEGS, Leg, PlatformModel
from linkwork.model.mechanism import tool_frame

KINDS = ("length", "universal_angle", "spherical_angle", "force", "singularity", "legs")
SETTINGS = ("clearance", "leg_diameter", "side")
FREE = SX(1.0)  # the margin of a limit that is not there
PARALLEL = 1e-12


def legs_of(robot: MechanismDynamics, state: MechanismState) -> list[Strut]:
    """In the order of the robot file."""
    return [Strut(cylinder, state) for cylinder in robot.model.cylinders]


def lengths(robot: MechanismDynamics) -> list[SX]:
    return [ca.norm_2(leg.S) for leg in legs_of(robot, robot.place)]


def columns(robot: MechanismDynamics) -> list[SX]:
    """[s; q x s] of every leg: what its unit force does to the platform, whatever its joints."""
    found = []
    for leg in legs_of(robot, robot.place):
        s = leg.S / ca.norm_2(leg.S)
        found.append(ca.vertcat(s, cross(leg.ends[1].lever, s)))
    return found


def newton(robot: MechanismDynamics, wanted: SX, steps: int) -> tuple[SX, SX]:
    """The pose after some steps towards these lengths, and the largest error [m] that is left.

    On squared lengths, which need no root: S.(dt + dtheta x q) = (wanted^2 - S.S) / 2.
    """
    for _ in range(steps):
        legs = legs_of(robot, robot.place)
        J = ca.vertcat(*[ca.vertcat(leg.S, cross(leg.ends[1].lever, leg.S)).T for leg in legs])
        miss = [(wanted[k] ** 2 - ca.sumsqr(leg.S)) / 2 for k, leg in enumerate(legs)]
        step = solve_orthogonal([J[:, k] for k in range(6)], ca.vertcat(*miss))
        robot = replace(robot, c=robot.layout.stepped(robot.c, step))
    return robot.c, greatest([ca.fabs(L - wanted[k]) for k, L in enumerate(lengths(robot))])


def greatest(values: list[SX]) -> SX:
    most = values[0]
    for value in values[1:]:
        most = ca.fmax(most, value)
    return most


class CenterMotion(NamedTuple):
    """One body in base axes: c, c', c'' of its mass centre, w and w'."""

    center: SX
    center_velocity: SX
    center_acceleration: SX
    angular_velocity: SX
    angular_acceleration: SX


def _turning(origin: SX, r: SX, v: SX, a: SX, w: SX, al: SX) -> CenterMotion:
    """A body turning with w and al, its mass centre at r from a point that moves with v and a."""
    swept = cross(w, r)
    return CenterMotion(origin + r, v + swept, a + cross(al, r) + cross(w, swept), w, al)


def body_motions(robot: MechanismDynamics, acceleration: SX) -> list[CenterMotion]:
    """Lower parts of all legs, upper parts of all legs, the platform."""
    state = robot.moving(acceleration)
    lower: list[CenterMotion] = []
    upper: list[CenterMotion] = []
    for leg, cylinder in zip(legs_of(robot, state), robot.model.cylinders, strict=True):
        w, al = (leg.from_components(each) for each in leg.motion[2:])
        for found, half, end in zip(
            (lower, upper), (cylinder.barrel, cylinder.rod), leg.ends, strict=True
        ):
            r = leg.from_components(number(half.center_of_mass))
            found.append(_turning(end.p, r, end.v, end.a, w, al))
    name = tool_frame(robot.model)[0]
    center = robot.model.part(name).body.center_of_mass
    seen = state.view(name, center, robot.plan.of_body[name].group)
    return [*lower, *upper, CenterMotion(seen.p, seen.v, seen.a, seen.w, seen.al)]


def reactions(robot: MechanismDynamics, acceleration: SX) -> list[LegReactions]:
    """Forces and moments in the joints of every leg, by its own names."""
    whole = Reactions(robot.dynamics, by_name(robot.model, acceleration))
    nothing = Recorded(whole.state)  # no loop is closed by an equation
    found = []
    for leg in legs_of(robot, whole.state):
        (at_foot, _), (in_slide, moment), (at_tip, _) = whole.in_cylinder(leg, nothing).values()
        # Joints without their own friction, the slide with the actuator.
        held = leg.load(whole.motion, robot.friction).held
        push = vector(whole.efforts[leg.element.name], in_slide[1], in_slide[2])
        parts = (-at_tip, at_foot, held, push, moment, moment - cross(vector(leg.frame[0], 0, 0), push))
        found.append(LegReactions(*(leg.from_components(each) for each in parts)))
    return found


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
