"""How a platform on legs can move, by screws of its joints at home: plain numbers, all legs as frames.

Independent of the expressions in mechanics, so that a description is checked by other means than those
that later compute with it. Arrays have axes (pose, leg, joint, ...); short legs are padded with joints
that do nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwork.robots.geometry import Array
from linkwork.robots.parallel import ParallelLeg, ParallelModel
from linkwork.rotations import rotation_rpy, skew

ROUNDS = 25


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


@dataclass(frozen=True, eq=False)
class Assembly:
    """Poses at which all legs close, with what they then allow."""

    six: Array  # (poses, 6): x y z roll pitch yaw
    legs: Legs
    q: Array
    error: float

    def constraints(self, size: float) -> list[Array]:
        """For every pose the rows G (r, 6) with G (d/dt x y z roll pitch yaw) = 0, lengths by `size`."""
        result = []
        columns, unit = spatial_columns(self.six), units(size)
        for pose in range(len(self.six)):
            rows = [_left_null(J, size) for J in self.legs.J[pose]]
            result.append(np.vstack(rows) @ (unit[:, None] * columns[pose] / unit))
        return result


def units(size: float) -> Array:
    """Factors that turn lengths of a twist into shares of the machine's size."""
    return np.array([1 / size] * 3 + [1.0] * 3)


def _left_null(J: Array, size: float) -> Array:
    used = J[:, np.abs(J).max(axis=0) > 0] * units(size)[:, None]
    u, s, _ = np.linalg.svd(used)
    rank = int((s > 1e-9 * s[0]).sum())
    return np.asarray(u[:, rank:].T)


def assembled(model: ParallelModel, six: Array, free: tuple[int, ...]) -> Assembly:
    """The legs closed at poses (n, 6) near home; coordinates `free` follow from the legs."""
    screws, home, size = Screws.of(model), model.home_frame, model.size()
    six = np.array(six)
    q = np.zeros((len(six), *screws.revolute.shape))
    error = np.inf
    scale = units(size)
    for _ in range(ROUNDS):
        legs = displaced(screws, q)
        R = np.array([rotation_rpy(*row[3:]) for row in six]) @ home.R.T
        p = six[:, :3] - np.einsum("nij,j->ni", R, home.p)
        turn = R[:, None] @ np.swapaxes(legs.R, -1, -2)
        vee = np.stack(
            [
                turn[..., 2, 1] - turn[..., 1, 2],
                turn[..., 0, 2] - turn[..., 2, 0],
                turn[..., 1, 0] - turn[..., 0, 1],
            ],
            axis=-1,
        )
        shift = p[:, None] - np.einsum("nlij,nlj->nli", turn, legs.p)
        e = np.concatenate([shift, vee / 2], axis=-1)
        error = float(np.abs(e * scale).max())
        if error < 1e-13:
            break
        inverse = np.linalg.pinv(scale[:, None] * legs.J, rcond=1e-9)
        e = e * scale
        if free:
            columns = scale[:, None] * spatial_columns(six)[..., list(free)]
            rest = np.eye(6) - scale[:, None] * legs.J @ inverse
            left = np.einsum("nlij,nlj->nli", rest, e).reshape(len(six), -1)
            across = np.einsum("nlij,njk->nlik", rest, columns).reshape(len(six), -1, len(free))
            du = np.stack(
                [-np.linalg.lstsq(a, b, rcond=1e-9)[0] for a, b in zip(across, left, strict=True)]
            )
            six[:, list(free)] += du
            e = e + np.einsum("nik,nk->ni", columns, du)[:, None]
        q = q + np.clip(np.einsum("nlij,nlj->nli", inverse, e), -1.0, 1.0)
    return Assembly(six, displaced(screws, q), q, error)


def is_point(model: ParallelModel) -> bool:
    """Whether the platform is a point mass that all legs hold at its origin: its rotation is nothing."""
    body, size = model.platform, model.size()
    held = all(
        leg.end.kind == "spherical" and np.abs(leg.end.at - model.home[:3]).max() < 1e-9 * size
        for leg in model.legs
    )
    return held and not body.inertia.any() and not body.center_of_mass.any()
