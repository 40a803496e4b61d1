"""Fixed transforms and rigid bodies as plain numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

# Products of exact rotations leave dust of this size; real data never means it.
DUST = 4e-16


def frozen(array: ArrayLike) -> Array:
    """A read-only float64 copy."""
    result = np.array(array, dtype=np.float64)
    result.setflags(write=False)
    return result


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
    """R = Rz(yaw) Ry(pitch) Rx(roll)."""
    return clean(rotation_about(2, yaw) @ rotation_about(1, pitch) @ rotation_about(0, roll))


def angles_rpy(R: Array) -> tuple[float, float, float]:
    """Roll, pitch and yaw of a rotation matrix, accurate also where pitch is a right angle."""
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


@dataclass(frozen=True, eq=False)
class Transform:
    """A fixed rigid displacement: child components c are R c + p in the parent."""

    R: Array = field(default_factory=lambda: frozen(np.eye(3)))
    p: Array = field(default_factory=lambda: frozen(np.zeros(3)))

    @staticmethod
    def of(R: ArrayLike | None = None, p: ArrayLike | None = None) -> Transform:
        rotation = np.eye(3) if R is None else np.asarray(R, dtype=np.float64)
        return Transform(frozen(clean(rotation)), frozen(np.zeros(3) if p is None else p))

    def __matmul__(self, other: Transform) -> Transform:
        return Transform.of(self.R @ other.R, _clean_length(self.R @ other.p + self.p))

    def inverse(self) -> Transform:
        return Transform.of(self.R.T, _clean_length(-self.R.T @ self.p))

    def matrix(self) -> Array:
        result = np.eye(4)
        result[:3, :3] = self.R
        result[:3, 3] = self.p
        return result


def _clean_length(vector: Array) -> Array:
    scale = float(np.abs(vector).max())
    return np.where(np.abs(vector) < DUST * scale, 0.0, vector)


@dataclass(frozen=True, eq=False)
class Body:
    """A rigid body: mass [kg], centre of mass [m] and inertia about it [kg m^2], in the link frame."""

    mass: float
    center_of_mass: Array
    inertia: Array

    @staticmethod
    def of(mass: float, center_of_mass: ArrayLike, inertia: ArrayLike) -> Body:
        return Body(float(mass), frozen(center_of_mass), frozen(inertia))

    def seen_from(self, frame: Transform) -> Body:
        """The same body in the components of `frame`, a frame given in the body's present one."""
        R = frame.R
        center = _clean_length(R.T @ (self.center_of_mass - frame.p))
        inertia = R.T @ self.inertia @ R
        inertia = (inertia + inertia.T) / 2
        scale = float(np.abs(inertia).max())
        return Body.of(self.mass, center, np.where(np.abs(inertia) < DUST * scale, 0.0, inertia))

    def merged_with(self, other: Body) -> Body:
        """Both bodies as one (same frame)."""
        mass = self.mass + other.mass
        if mass == 0.0:
            return Body.of(0.0, self.center_of_mass, self.inertia + other.inertia)
        center = (self.mass * self.center_of_mass + other.mass * other.center_of_mass) / mass
        inertia = np.zeros((3, 3))
        for body in (self, other):
            cross = skew(body.center_of_mass - center)
            inertia += body.inertia - body.mass * cross @ cross
        return Body.of(mass, center, inertia)
