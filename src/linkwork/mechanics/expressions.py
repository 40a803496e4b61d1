"""Vector algebra on CasADi expressions, in the words of the papers; rotations and poses.

A pose is x y z and a unit quaternion w x y z, or x y z roll pitch yaw.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from linkwork.core.rotations import SQUARE_TOLERANCE

SX = ca.SX
Pair = tuple[SX, SX]


def vector(*components: Any) -> SX:
    """A column of expressions."""
    return ca.vertcat(*components)


def number(array: NDArray[np.float64] | float | SX) -> SX:
    """A number, vector or matrix of a robot: a constant, or an input where it is a parameter."""
    return array if isinstance(array, SX) else SX(ca.DM(array))


def zeros(rows: int = 3, columns: int = 1) -> SX:
    return SX.zeros(rows, columns)


def cross(a: SX, b: SX) -> SX:
    return ca.cross(a, b)


def dot(a: SX, b: SX) -> SX:
    return ca.dot(a, b)


def times(matrix: SX, v: SX) -> SX:
    """Matrix times vector or matrix."""
    return ca.mtimes(matrix, v)


def squared(w: SX, r: SX) -> SX:
    """w x (w x r)."""
    if w[0].is_zero() and w[1].is_zero():
        fast = -w[2] * w[2]
        return vector(fast * r[0], fast * r[1], 0)
    return cross(w, cross(w, r))


def acceleration_rows(w: Any, al: Any) -> tuple[tuple[Any, Any, Any], ...]:
    """Rows of U: U r = al x r + w x (w x r), of three components of any kind each."""
    x, y, z = w[0], w[1], w[2]
    xx, yy, zz, xy, xz, yz = x * x, y * y, z * z, x * y, x * z, y * z
    return (
        (-(yy + zz), xy - al[2], xz + al[1]),
        (xy + al[2], -(xx + zz), yz - al[0]),
        (xz - al[1], yz + al[0], -(xx + yy)),
    )


def acceleration_operator(w: SX, al: SX) -> SX:
    """U: U r = al x r + w x (w x r)."""
    return ca.vertcat(*[ca.horzcat(*row) for row in acceleration_rows(w, al)])


def turning(U: SX, J: SX) -> SX:
    """Moment that a body of second moments J needs: the axial vector of U J - (U J)'."""
    P = ca.mtimes(U, J)
    return vector(P[2, 1] - P[1, 2], P[0, 2] - P[2, 0], P[1, 0] - P[0, 1])


def skew(v: SX) -> SX:
    """skew(a) b = a x b."""
    return ca.vertcat(ca.horzcat(0, -v[2], v[1]), ca.horzcat(v[2], 0, -v[0]), ca.horzcat(-v[1], v[0], 0))


def congruent(M: SX, G: SX) -> SX:
    """G' M G, every pair of equal elements formed once."""
    MG, n = times(M, G), G.shape[1]
    result = SX.zeros(n, n)
    for i in range(n):
        for j in range(i + 1):
            result[i, j] = result[j, i] = ca.dot(G[:, i], MG[:, j])
    return result


def any_normals(s: SX) -> tuple[SX, SX]:
    """Two normals of a unit vector that make a right-handed frame with it, without a singular direction.

    A leg that is free to spin has no axis of its own; being symmetric, it does not care (Duff et al.).
    """
    x, y, z = s[0], s[1], s[2]
    sign = ca.if_else(z < 0, -1, 1)
    a = -1 / (sign + z)
    b = x * y * a
    return vector(1 + sign * x * x * a, sign * b, -sign * x), vector(b, sign + y * y * a, -y)


def row_major(matrix: SX) -> SX:
    """The elements of a matrix as a column, row after row, as NumPy stores them."""
    return ca.vec(ca.densify(SX(matrix)).T)


def stack(parts: Sequence[SX]) -> SX:
    """Row-major elements of several arrays, one after the other."""
    return ca.vertcat(*[row_major(part) for part in parts])


def named_function(name: str, inputs: Mapping[str, SX], outputs: Mapping[str, SX]) -> ca.Function:
    """A function of inputs and outputs by name."""
    return ca.Function(name, list(inputs.values()), list(outputs.values()), list(inputs), list(outputs))


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
    return rotation_by_pairs(*((ca.cos(angles[k]), ca.sin(angles[k])) for k in range(3)))


def rotation_by_pairs(roll: Pair, pitch: Pair, yaw: Pair) -> SX:
    """The same from cosine and sine of each angle."""
    (cx, sx), (cy, sy), (cz, sz) = roll, pitch, yaw
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
