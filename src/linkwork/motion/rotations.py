"""Orientations as arrays: unit quaternions w x y z, roll-pitch-yaw (R = Rz Ry Rx), rotation vectors."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from linkwork.checks import numbers
from linkwork.errors import InputError
from linkwork.interface.robot import Array

UNIT_TOLERANCE = 1e-6  # of a quaternion's norm: what a file with seven digits can promise


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
    """The shortest rotation vector of a unit quaternion (4,)."""
    q = -q if q[0] < 0 else q
    sine = float(np.linalg.norm(q[1:]))
    return q[1:] * (2.0 if sine == 0 else 2 * np.arctan2(sine, q[0]) / sine)


def from_angles(angles: Array) -> Array:
    """Quaternion of roll, pitch, yaw; continuous along continuous angles."""
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
    """Roll, pitch, yaw of a unit quaternion (4,); where only their sum is determined, roll is 0."""
    w, x, y, z = q
    sine = 2 * (w * y - x * z)
    cosines = 1 - 2 * (y * y + z * z), 2 * (w * z + x * y)  # cos pitch times cos yaw, sin yaw
    cosine = np.hypot(*cosines)
    if cosine < 1e-9:
        return np.array([0.0, np.copysign(np.pi / 2, sine), 2 * np.arctan2(z, w)])
    roll = np.arctan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y))
    return np.array([roll, np.arctan2(sine, cosine), np.arctan2(cosines[1], cosines[0])])


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


def continuous(quaternions: Array) -> Array:
    """The same turns (N, 4) with signs that do not jump from row to row."""
    flips = np.where((quaternions[1:] * quaternions[:-1]).sum(axis=-1) < 0, -1.0, 1.0)
    return quaternions * np.concatenate([[1.0], np.cumprod(flips)])[:, None]


def poses(value: ArrayLike, name: str) -> Array:
    """Poses of six or seven numbers as poses of seven with unit quaternions."""
    array = numbers(value, name)
    if array.ndim == 0 or array.shape[-1] not in (6, 7):
        raise InputError(
            f"{name} has shape {array.shape}; a pose has 7 numbers (x y z and unit quaternion w x y z) "
            "or 6 (x y z roll pitch yaw)."
        )
    if array.shape[-1] == 6:
        return np.concatenate([array[..., :3], from_angles(array[..., 3:])], axis=-1)
    norms = np.linalg.norm(array[..., 3:], axis=-1, keepdims=True)
    wrong = np.abs(norms[..., 0] - 1) > UNIT_TOLERANCE
    if wrong.any():
        index = tuple(int(k) for k in np.argwhere(wrong)[0])
        place = f" in row {index[0] if len(index) == 1 else index}" if index else ""
        raise InputError(
            f"{name}: the quaternion{place} has norm {float(norms[index][0]):.9g}; allowed is a unit "
            "quaternion w x y z. Divide it by its norm."
        )
    return np.concatenate([array[..., :3], array[..., 3:] / norms], axis=-1)
