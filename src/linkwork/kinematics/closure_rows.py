"""What joints, rods and cylinders ask of the bodies they join, with derivatives, in NumPy.

Bodies are where they are; nothing is eliminated. A side of a joint is a place and three axes on a body;
rows are what vanishes when the joint is together, (N, k), and their derivatives by the motion of either
side, (N, k, 6): displacement, then rotation, in base axes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from linkwork.robot.compiled import Array


class Side(NamedTuple):
    """One side of N joints: its place and axes u, w, n, each (N, 3); n is that of the joint."""

    at: Array
    u: Array
    w: Array
    n: Array


class Rows(NamedTuple):
    """Residuals (N, k) and their derivatives by both sides (N, k, 6)."""

    value: Array
    start: Array
    end: Array

    def __add__(self, other: Rows) -> Rows:  # type: ignore[override]
        return Rows(*(np.concatenate(two, axis=1) for two in zip(self, other, strict=True)))

    def times(self, factor: float) -> Rows:
        return Rows(*(factor * each for each in self))


def dot(one: Array, other: Array) -> Array:
    return np.einsum("...i,...i->...", one, other)


def joined(value: Array, displacement: tuple[Array, Array], rotation: tuple[Array, Array]) -> Rows:
    """One row (N,) with what it feels of displacements and rotations of both sides, (N, 3) each."""
    parts = zip(displacement, rotation, strict=True)
    start, end = (np.concatenate(pair, axis=-1)[:, None, :] for pair in parts)
    return Rows(value[:, None], start, end)


def coincident(a: Side, b: Side) -> Rows:
    """Both places are one."""
    one = np.broadcast_to(np.hstack([np.eye(3), np.zeros((3, 3))]), (len(a.at), 3, 6))
    return Rows(b.at - a.at, -one, one)


def along(axis: Array, a: Side, b: Side) -> Rows:
    """How far side b is from side a along an axis (N, 3) of side a."""
    way = b.at - a.at
    none = np.zeros_like(axis)
    return joined(dot(axis, way), (-axis, axis), (np.cross(axis, way), none))


def aligned(axis: Array, other: Array) -> Rows:
    """The scalar product of an axis of side a and one of side b."""
    turn, none = np.cross(axis, other), np.zeros_like(axis)
    return joined(dot(axis, other), (none, none), (turn, -turn))


def turned(a: Side, b: Side, near: Array) -> Rows:
    """The angle by which side b is turned about the axis, of those that differ by turns the nearest."""
    angle = np.arctan2(dot(a.w, b.u), dot(a.u, b.u))
    angle = near + np.mod(angle - near + np.pi, 2 * np.pi) - np.pi
    none = np.zeros_like(a.n)
    return joined(angle, (none, none), (-a.n, b.n))


def apart(a: Side, b: Side) -> Rows:
    """The distance of both places."""
    way = b.at - a.at
    length = np.linalg.norm(way, axis=-1)
    n = way / length[:, None]
    none = np.zeros_like(n)
    return joined(length, (-n, n), (none, none))


def parallel(a: Side, b: Side) -> Rows:
    """Both axes have one direction."""
    return aligned(a.u, b.n) + aligned(a.w, b.n)
