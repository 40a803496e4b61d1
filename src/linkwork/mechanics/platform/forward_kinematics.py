"""Pose from leg lengths by Newton's method on the squared lengths.

S.S = l^2 needs no square root, and its derivative is S.(dt + dtheta x q). The rotation is corrected by
a small rotation from the left, so convergence is quadratic and the quaternion stays of unit length.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from linkwork.mechanics.expressions import SX, cross, number, times
from linkwork.mechanics.linear import solve_orthogonal
from linkwork.mechanics.platform.pose import rotation_wxyz
from linkwork.robots.platform import PlatformModel


@dataclass(frozen=True)
class Ends:
    """Leg vectors at a pose, one row per leg."""

    S: list[SX]
    q: list[SX]


def _ends(model: PlatformModel, position: SX, quaternion: SX) -> Ends:
    R = rotation_wxyz(quaternion)
    q = [times(R, number(leg.platform_point)) for leg in model.legs]
    S = [arm + position - number(leg.base_point) for arm, leg in zip(q, model.legs, strict=True)]
    return Ends(S, q)


def turned_by(quaternion: SX, angle: SX) -> SX:
    """The quaternion after a small rotation by the vector `angle` in base axes."""
    w, v, half = quaternion[0], quaternion[1:4], angle / 2
    scale = 1 / ca.sqrt(1 + ca.sumsqr(half))
    turned = ca.vertcat(w - ca.dot(half, v), v + w * half + cross(half, v))
    return turned * scale


def newton(model: PlatformModel, lengths: SX, pose: SX, steps: int) -> tuple[SX, SX]:
    """The pose after some steps, and the largest length error [m] that is left."""
    position, quaternion = pose[0:3], pose[3:7]
    for _ in range(steps):
        at = _ends(model, position, quaternion)
        rows = [ca.vertcat(S, cross(q, S)).T for S, q in zip(at.S, at.q, strict=True)]
        J = ca.vertcat(*rows)
        miss = ca.vertcat(*[(lengths[k] ** 2 - ca.sumsqr(S)) / 2 for k, S in enumerate(at.S)])
        step = solve_orthogonal([J[:, k] for k in range(6)], miss)
        position, quaternion = position + step[0:3], turned_by(quaternion, step[3:6])
    left = _ends(model, position, quaternion)
    errors = [ca.fabs(ca.norm_2(S) - lengths[k]) for k, S in enumerate(left.S)]
    largest = errors[0]
    for error in errors[1:]:
        largest = ca.fmax(largest, error)
    return ca.vertcat(position, quaternion), largest
