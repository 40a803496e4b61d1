"""From a pose to a rotation: x y z and a unit quaternion w x y z, or x y z roll pitch yaw."""

from __future__ import annotations

import casadi as ca

from linkwork.mechanics.expressions import SX, cross
from linkwork.rotations import SQUARE_TOLERANCE


def rotation_wxyz(quaternion: SX) -> SX:
    """Rotation matrix; not finite if the quaternion is not of unit length."""
    w, x, y, z = (quaternion[k] for k in range(4))
    # 2 / (1 + e) without a division: the next term of the series, e^3, is below rounding.
    e = ca.sumsqr(quaternion) - 1
    s = ca.if_else(ca.fabs(e) <= SQUARE_TOLERANCE, 2 - 2 * e * (1 - e), ca.inf)
    sx, sy, sz = s * x, s * y, s * z
    xx, yy, zz = sx * x, sy * y, sz * z
    xy, xz, yz = sx * y, sx * z, sy * z
    wx, wy, wz = sx * w, sy * w, sz * w
    return ca.vertcat(
        ca.horzcat(1 - (yy + zz), xy - wz, xz + wy),
        ca.horzcat(xy + wz, 1 - (xx + zz), yz - wx),
        ca.horzcat(xz - wy, yz + wx, 1 - (xx + yy)),
    )


def rotation_rpy(angles: SX) -> SX:
    """R = Rz(yaw) Ry(pitch) Rx(roll), D (38)."""
    cx, cy, cz = (ca.cos(angles[k]) for k in range(3))
    sx, sy, sz = (ca.sin(angles[k]) for k in range(3))
    return ca.vertcat(
        ca.horzcat(cz * cy, cz * sy * sx - sz * cx, cz * sy * cx + sz * sx),
        ca.horzcat(sz * cy, sz * sy * sx + cz * cx, sz * sy * cx - cz * sx),
        ca.horzcat(-sy, cy * sx, cy * cx),
    )


def place_of(pose: SX) -> tuple[SX, SX]:
    """Position and rotation matrix of a pose of seven or six numbers."""
    rotation = rotation_wxyz(pose[3:7]) if pose.numel() == 7 else rotation_rpy(pose[3:6])
    return pose[0:3], rotation


def quaternion_rate(quaternion: SX, angular_velocity: SX) -> SX:
    """Rate of a unit quaternion under an angular velocity in base axes."""
    W, w, v = angular_velocity, quaternion[0], quaternion[1:4]
    return ca.vertcat(-ca.dot(W, v), w * W + cross(W, v)) / 2


def orientation_error(wanted: SX, actual: SX) -> SX:
    """Twice the vector part of the quaternion between two orientations, the short way round.

    To third order it is the rotation vector, in base axes; unlike that it needs no arc tangent.
    """
    w1, v1, w2, v2 = wanted[0], wanted[1:4], actual[0], actual[1:4]
    w = w1 * w2 + ca.dot(v1, v2)
    v = w2 * v1 - w1 * v2 - cross(v1, v2)
    return 2 * ca.if_else(w < 0, -1, 1) * v


def turned_by(quaternion: SX, angle: SX) -> SX:
    """The quaternion after a small rotation by the vector `angle` in base axes."""
    w, v, half = quaternion[0], quaternion[1:4], angle / 2
    scale = 1 / ca.sqrt(1 + ca.sumsqr(half))
    turned = ca.vertcat(w - ca.dot(half, v), v + w * half + cross(half, v))
    return turned * scale
