"""Orientations in NumPy: matrices, quaternions w x y z, roll-pitch-yaw (R = Rz Ry Rx), rotation vectors.

The expressions of poses, which become kernels, are in mechanics/expressions.py.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linkwork.core.arguments import numbers, real
from linkwork.core.errors import InputError

Array = NDArray[np.float64]

# How far the norm of a quaternion may be from one: what a file with seven digits can promise. Judged on
# the square, |q|^2 - 1 = 2 (|q| - 1) to first order, which kernels have at hand without a root.
UNIT_TOLERANCE = 1e-6
SQUARE_TOLERANCE = 2 * UNIT_TOLERANCE

# Products of exact rotations leave dust of this size; real data never means it.
DUST = 4e-16


def clean(array: Array) -> Array:
    """Remove rounding dust next to 0, 1 and -1, so that structural zeros stay zeros."""
    result = np.where(np.abs(array) < DUST, 0.0, array)
    near_one = np.abs(np.abs(result) - 1.0) < DUST
    return np.where(near_one, np.sign(result), result)


def cosine_sine(angle: float) -> tuple[float, float]:
    """Cosine and sine, exact at multiples of a right angle (to within an ulp of the angle)."""
    quarter = round(angle / (math.pi / 2))
    if abs(angle - quarter * (math.pi / 2)) <= 4 * math.ulp(max(abs(angle), 1.0)):
        return ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))[quarter % 4]
    return math.cos(angle), math.sin(angle)


def rotation_about(axis: int, angle: float) -> Array:
    """Rotation matrix about coordinate axis 0, 1 or 2."""
    c, s = cosine_sine(angle)
    j, k = (axis + 1) % 3, (axis + 2) % 3
    result = np.eye(3)
    result[j, j] = result[k, k] = c
    result[k, j] = s
    result[j, k] = -s
    return result


def rotation_about_axis(axis: Array, angle: float) -> Array:
    """Rotation matrix about a unit vector (Rodrigues)."""
    c, s = cosine_sine(angle)
    cross = skew(axis)
    return clean(np.eye(3) + s * cross + (1 - c) * cross @ cross)


def rotation_rpy(roll: float, pitch: float, yaw: float) -> Array:
    """R = Rz(yaw) Ry(pitch) Rx(roll), with exact zeros and ones at right angles."""
    return clean(rotation_about(2, yaw) @ rotation_about(1, pitch) @ rotation_about(0, roll))


def angles_rpy(R: Array) -> tuple[float, float, float]:
    """Roll, pitch and yaw of a rotation matrix, accurate also where pitch is a right angle.

    There only a sum of roll and yaw is determined, and yaw is 0.
    """
    level = math.hypot(R[0, 0], R[1, 0])
    pitch = math.atan2(-R[2, 0], level)
    yaw = math.atan2(R[1, 0], R[0, 0]) if level > DUST else 0.0
    c, s = math.cos(yaw), math.sin(yaw)
    roll = math.atan2(s * R[0, 2] - c * R[1, 2], c * R[1, 1] - s * R[0, 1])
    return roll, pitch, yaw


def skew(v: ArrayLike) -> Array:
    """The matrix that crosses: skew(v) w = v x w."""
    x, y, z = np.asarray(v, dtype=np.float64)
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def multiply(p: Array, q: Array) -> Array:
    """Quaternion product: first turn q, then p, both in base axes."""
    pw, pv, qw, qv = p[..., :1], p[..., 1:], q[..., :1], q[..., 1:]
    w = pw * qw - (pv * qv).sum(axis=-1, keepdims=True)
    return np.concatenate([w, pw * qv + qw * pv + np.cross(pv, qv)], axis=-1)


def inverse(q: Array) -> Array:
    """The quaternion of the opposite turn."""
    return q * np.array([1.0, -1.0, -1.0, -1.0])


def from_vector(r: Array) -> Array:
    """Quaternion of a turn by |r| about r."""
    half = np.linalg.norm(r, axis=-1, keepdims=True) / 2
    # np.sinc(x) is sin(pi x) / (pi x)
    return np.concatenate([np.cos(half), np.sinc(half / np.pi) * r / 2], axis=-1)


def to_vector(q: Array) -> Array:
    """The shortest rotation vectors (..., 3) of unit quaternions (..., 4)."""
    q = np.where(q[..., :1] < 0, -q, q)
    sine = np.linalg.norm(q[..., 1:], axis=-1, keepdims=True)
    angle = 2 * np.arctan2(sine, q[..., :1])
    return np.asarray(q[..., 1:] * np.where(sine == 0, 2.0, angle / np.where(sine == 0, 1.0, sine)))


def from_angles(angles: Array) -> Array:
    """Quaternion of roll, pitch, yaw; continuous along continuous angles, also beyond full turns."""
    (cr, cp, cy), (sr, sp, sy) = (np.moveaxis(f(angles / 2), -1, 0) for f in (np.cos, np.sin))
    return np.stack(
        [
            cy * cp * cr + sy * sp * sr,
            cy * cp * sr - sy * sp * cr,
            cy * sp * cr + sy * cp * sr,
            sy * cp * cr - cy * sp * sr,
        ],
        axis=-1,
    )


def to_angles(q: Array) -> Array:
    """Roll, pitch, yaw of a unit quaternion (4,)."""
    return np.array(angles_rpy(_matrix(q)))


def quaternion_of(R: Array) -> Array:
    """Unit quaternion w x y z of a rotation matrix."""
    from scipy.spatial.transform import Rotation  # imported when needed: it is slow to load

    return np.roll(Rotation.from_matrix(R).as_quat(), 1, axis=-1)


def rotation_of(pose: Array) -> Array:
    """Rotation matrix of one pose of six numbers or of poses (..., 7) of seven."""
    return rotation_rpy(*pose[3:]) if pose.shape[-1] == 6 else _matrix(pose[..., 3:])


def _matrix(quaternion: Array) -> Array:
    from scipy.spatial.transform import Rotation

    return np.asarray(Rotation.from_quat(np.roll(quaternion, -1, axis=-1)).as_matrix())


def angular_motion(angles: Array, rates: Array, accelerations: Array) -> tuple[Array, Array]:
    """Angular velocity and acceleration in base axes, from roll, pitch, yaw and their rates."""
    _, pitch, yaw = np.moveaxis(angles, -1, 0)
    r1, p1, y1 = np.moveaxis(rates, -1, 0)
    r2, p2, y2 = np.moveaxis(accelerations, -1, 0)
    cp, sp, cy, sy = np.cos(pitch), np.sin(pitch), np.cos(yaw), np.sin(yaw)
    velocity = np.stack([cy * cp * r1 - sy * p1, sy * cp * r1 + cy * p1, y1 - sp * r1], axis=-1)
    acceleration = np.stack(
        [
            cy * cp * r2 - sy * p2 - sy * cp * y1 * r1 - cy * sp * p1 * r1 - cy * y1 * p1,
            sy * cp * r2 + cy * p2 + cy * cp * y1 * r1 - sy * sp * p1 * r1 - sy * y1 * p1,
            y2 - sp * r2 - cp * p1 * r1,
        ],
        axis=-1,
    )
    return velocity, acceleration


def pose_motion(value: Array, first: Array, second: Array) -> tuple[Array, Array, Array]:
    """Pose, twist and acceleration of a curve through x y z and the components of quaternions.

    The curve's quaternion p may leave the unit sphere; p / |p| is the orientation. The
    imaginary part of p' p* is free of the derivative of |p|, which is along p:
    w = 2 Im(p' p*) / |p|^2, and p' p'* is real.
    """
    p, p1, p2 = value[:, 3:], first[:, 3:], second[:, 3:]
    square = (p * p).sum(axis=1, keepdims=True)
    w = 2 * multiply(p1, inverse(p))[:, 1:] / square
    growth = 2 * (p * p1).sum(axis=1, keepdims=True) / square
    alpha = 2 * multiply(p2, inverse(p))[:, 1:] / square - growth * w
    return (
        np.concatenate([value[:, :3], p / np.sqrt(square)], axis=1),
        np.concatenate([first[:, :3], w], axis=1),
        np.concatenate([second[:, :3], alpha], axis=1),
    )


def continuous(quaternions: Array) -> Array:
    """The same turns (N, 4) with signs that do not jump from row to row."""
    flips = np.where((quaternions[1:] * quaternions[:-1]).sum(axis=-1) < 0, -1.0, 1.0)
    return quaternions * np.concatenate([[1.0], np.cumprod(flips)])[:, None]


def off_unit(quaternions: Array) -> NDArray[np.bool_]:
    """Which quaternions (..., 4) are not of unit length, within UNIT_TOLERANCE."""
    with np.errstate(over="ignore", invalid="ignore"):
        return np.abs((quaternions * quaternions).sum(axis=-1) - 1) > SQUARE_TOLERANCE


def pose_array(pose: ArrayLike, name: str) -> Array:
    """Poses as an array (..., 7) or (..., 6), or an InputError that names them."""
    poses = real(pose, name)
    if poses.ndim == 0 or poses.shape[-1] not in (6, 7):
        raise InputError(
            f"{name} has shape {poses.shape}; its last axis must be 7 (x y z and unit quaternion "
            "w x y z) or 6 (x y z roll pitch yaw)."
        )
    return poses


def with_quaternion(pose: ArrayLike, name: str = "pose") -> Array:
    """Poses of six or seven numbers as poses of seven, as they are."""
    poses = pose_array(pose, name)
    if poses.shape[-1] == 7:
        return poses
    return np.concatenate([poses[..., :3], from_angles(poses[..., 3:])], axis=-1)


def unit_poses(pose: ArrayLike, name: str) -> Array:
    """Finite poses of six or seven numbers as poses of seven, with quaternions of norm one."""
    poses = with_quaternion(numbers(pose, name), name)
    with np.errstate(over="ignore"):
        norms = np.linalg.norm(poses[..., 3:], axis=-1, keepdims=True)
    wrong = off_unit(poses[..., 3:])
    if wrong.any():
        index = tuple(int(k) for k in np.argwhere(wrong)[0])
        place = f" in row {index[0] if len(index) == 1 else index}" if index else ""
        raise InputError(
            f"{name}: the quaternion{place} has norm {float(norms[index][0]):.9g}; expected a unit "
            "quaternion w x y z. Divide it by its norm."
        )
    return np.concatenate([poses[..., :3], poses[..., 3:] / norms], axis=-1)
