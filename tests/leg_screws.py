"""Legs of parallel robots by the screws of their joints at home, in plain numbers.

Independent of the expressions in mechanics: what tests compare them with, and by which random robots are
kept away from singularities. Arrays have axes (pose, leg, joint, ...); short legs are padded with joints
that do nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwork.core.rotations import skew
from linkwork.model.families.legs import ParallelLeg
from linkwork.model.families.parallel import ParallelModel
from linkwork.model.geometry import Array


@dataclass(frozen=True, eq=False)
class Screws:
    """Axes and points of all joints at home, those at the platform included; padded ones are zero."""

    axis: Array  # (legs, joints, 3)
    at: Array
    revolute: Array  # (legs, joints), 1 or 0

    @staticmethod
    def of(model: ParallelModel) -> Screws:
        legs = [_leg_screws(leg) for leg in model.legs]
        most = max(len(leg) for leg in legs)
        axis, at = np.zeros((2, len(legs), most, 3))
        revolute = np.zeros((len(legs), most))
        for i, leg in enumerate(legs):
            for k, (turns, direction, point) in enumerate(leg):
                axis[i, k], at[i, k], revolute[i, k] = direction, point, float(turns)
        return Screws(axis, at, revolute)


def _leg_screws(leg: ParallelLeg) -> list[tuple[bool, Array, Array]]:
    screws = [(joint.is_revolute, joint.axis, joint.at) for joint in leg.joints]
    axes = list(np.eye(3)) if leg.end.kind == "spherical" else list(leg.end.axes)
    return screws + [(True, axis, leg.end.at) for axis in axes]


def _rotations(axis: Array, angle: Array) -> Array:
    """Rodrigues for many axes; zero axes give no rotation."""
    K = np.zeros((*axis.shape, 3))
    K[..., 0, 1], K[..., 0, 2], K[..., 1, 2] = -axis[..., 2], axis[..., 1], -axis[..., 0]
    K = K - np.swapaxes(K, -1, -2)
    s, c = np.sin(angle)[..., None, None], np.cos(angle)[..., None, None]
    return np.asarray(np.eye(3) + s * K + (1 - c) * K @ K)


@dataclass(frozen=True, eq=False)
class Legs:
    """Displacement of the platform from home by every leg, and its Jacobian (spatial: at the origin)."""

    R: Array  # (poses, legs, 3, 3)
    p: Array
    J: Array  # (poses, legs, 6, joints): linear, then angular


def displaced(screws: Screws, q: Array) -> Legs:
    poses, legs, joints = q.shape
    R = np.broadcast_to(np.eye(3), (poses, legs, 3, 3))
    p = np.zeros((poses, legs, 3))
    J = np.zeros((poses, legs, 6, joints))
    for k in range(joints):
        axis, at, turns = screws.axis[:, k], screws.at[:, k], screws.revolute[:, k, None]
        z = np.einsum("plij,lj->pli", R, axis)
        place = np.einsum("plij,lj->pli", R, at) + p
        J[..., :3, k] = np.where(turns > 0, np.cross(place, z), z)
        J[..., 3:, k] = turns * z
        step = _rotations(turns * axis, q[..., k])
        slide = np.where(turns > 0, at - np.einsum("plij,lj->pli", step, at), axis * q[..., k, None])
        p = np.einsum("plij,plj->pli", R, slide) + p
        R = R @ step
    return Legs(R, p, J)


def spatial_columns(six: Array) -> Array:
    """Spatial twists of unit velocities of x y z roll pitch yaw, (poses, 6, 6)."""
    result = np.zeros((len(six), 6, 6))
    for k, (x, y, z, _, pitch, yaw) in enumerate(six):
        cy, sy, cz, sz = np.cos(pitch), np.sin(pitch), np.cos(yaw), np.sin(yaw)
        E = np.array([[cz * cy, -sz, 0.0], [sz * cy, cz, 0.0], [-sy, 0.0, 1.0]])
        result[k, :3, :3] = np.eye(3)
        result[k, 3:, 3:] = E
        result[k, :3, 3:] = skew([x, y, z]) @ E
    return result


def units(size: float) -> Array:
    """Factors that turn lengths of a twist into shares of the machine's size."""
    return np.array([1 / size] * 3 + [1.0] * 3)


def _left_null(J: Array, size: float) -> Array:
    used = J[:, np.abs(J).max(axis=0) > 0] * units(size)[:, None]
    u, s, _ = np.linalg.svd(used)
    rank = int((s > 1e-9 * s[0]).sum())
    return np.asarray(u[:, rank:].T)


def home_jacobian(leg: ParallelLeg, model: ParallelModel) -> Array:
    """Of the equations that close the leg, at home, lengths by the machine's size."""
    tip = model.home[:3] if leg.frame else leg.end.at
    size, columns = model.size(), []
    for joint in leg.joints:
        linear = np.cross(joint.axis, tip - joint.at) if joint.is_revolute else joint.axis
        angular = joint.axis if joint.is_revolute else np.zeros(3)
        # A slide is measured in units of the machine's size.
        unit = 1 / size if joint.is_revolute else 1.0
        columns.append(np.concatenate([linear * unit, angular] if leg.frame else [linear * unit]))
    return np.array(columns).T


def home_rates(model: ParallelModel) -> tuple[Array, Array]:
    """Velocities of all joints (n, d) and twists of the platform (6, d, spatial) of unit coordinates.

    A unit of a translation is the machine's size.
    """
    scale, screws = units(model.size()), Screws.of(model)
    at_rest = np.zeros((1, *screws.revolute.shape))
    legs = displaced(screws, at_rest)
    B = spatial_columns(model.home[None])[0] / scale
    T = B[:, list(model.independent)]
    if model.parasitic:
        left = np.vstack([_left_null(J, model.size()) for J in legs.J[0]])
        G = left @ (scale[:, None] * spatial_columns(model.home[None])[0] / scale)
        follow = np.linalg.lstsq(
            G[:, list(model.dependent)], -G[:, list(model.independent)], rcond=1e-9
        )[0]
        T = T + B[:, list(model.dependent)] @ follow
    rates = []
    for leg, columns in zip(model.legs, legs.J[0], strict=True):
        found = np.linalg.pinv(scale[:, None] * columns, rcond=1e-9) @ (scale[:, None] * T)
        rates.append(found[: len(leg.joints)])
    return np.vstack(rates), T
