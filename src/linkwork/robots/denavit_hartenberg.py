"""Denavit-Hartenberg parameters, standard and modified, as fixed transforms around a z joint."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from linkwork.robots.arm import Joint, JointKind
from linkwork.robots.geometry import Body, Transform, frozen
from linkwork.rotations import rotation_about

Convention = Literal["standard", "modified"]
Z_AXIS = frozen([0.0, 0.0, 1.0])


def _about_x(angle: float, along: float) -> Transform:
    return Transform.of(rotation_about(0, angle), [along, 0.0, 0.0])


def _along_z(distance: float) -> Transform:
    return Transform.of(np.eye(3), [0.0, 0.0, distance])


def _about_z(angle: float) -> Transform:
    return Transform.of(rotation_about(2, angle))


def dh_joint(
    convention: Convention,
    kind: JointKind,
    *,
    theta: float,
    d: float,
    a: float,
    alpha: float,
    name: str,
    body: Body,
    **rest: Any,
) -> Joint:
    """A joint from one row of a table.

    standard: Rz(theta) Tz(d) Tx(a) Rx(alpha), joint i about z of frame i-1.
    modified: Rx(alpha) Tx(a) Rz(theta) Tz(d), joint i about z of frame i.
    The joint variable is added to theta (revolute) or to d (prismatic).
    """
    link = _about_x(alpha, a)
    if kind == "revolute":
        offset, before, after = theta, Transform(), _along_z(d)
    else:
        offset, before, after = d, _about_z(theta), Transform()
    if convention == "standard":
        after = after @ link
    else:
        before = link @ before
    return Joint(name, kind, before, Z_AXIS, offset, after, body, **rest)


def length_places(joint: Joint) -> dict[str, tuple[str, ...]] | None:
    """Where a joint has the a and d of its row: the path to a number; None if it is of no table."""
    x, straight = (1.0, 0.0, 0.0), np.eye(3)
    along = ("offset",) if joint.kind == "prismatic" else ("after", "p", "2")
    plain = not joint.before.p.any()
    if plain and np.array_equal(joint.after.R[0], x) and not joint.after.p[1]:
        return {"a": ("after", "p", "0"), "d": along}
    shifted = not joint.before.p[1:].any() and not joint.after.p[:2].any()
    if shifted and np.array_equal(joint.after.R, straight):
        return {"a": ("before", "p", "0"), "d": along}
    return None
