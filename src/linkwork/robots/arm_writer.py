"""Arms as robot files: the same numbers, to rounding, when they are read again."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from linkwork.errors import InputError
from linkwork.robots.arm import ArmModel, Friction, Joint, without_tool
from linkwork.robots.denavit_hartenberg import Convention, dh_joint
from linkwork.robots.geometry import Transform
from linkwork.robots.writing import body_fields, head_fields, limits_fields, plain_row, without_nothing
from linkwork.rotations import angles_rpy

SAME = 1e-14  # of rotations and of lengths in proportion: what rounding leaves
CONVENTIONS: tuple[Convention, ...] = ("standard", "modified")


def arm_document(model: ArmModel) -> dict[str, Any]:
    """What a robot file says of this arm, as plain data.

    A Denavit-Hartenberg table if the joints have one, else joints about any axes.
    """
    tool = model.tool
    model = without_tool(model)
    convention, rows = _geometry(model)
    links = [
        without_nothing(
            {
                "name": joint.name,
                "joint": joint.kind,
                **row,
                **body_fields(joint.body),
                "rotor": _rotor(joint),
                "friction": _friction(joint.friction),
                "limits": limits_fields(joint.limits),
                "stiffness": joint.stiffness,
            }
        )
        for joint, row in zip(model.joints, rows, strict=True)
    ]
    head = head_fields(model, (joint.body for joint in model.joints))
    first = {"kind": model.kind, "name": model.name, "convention": convention}
    return without_nothing({**first, **head, "links": links, "tool": _tool(tool)})


def _tool(tool: Transform) -> dict[str, Any] | None:
    if not tool.moves:
        return None
    return {"position": plain_row(tool.p), "rpy": plain_row(angles_rpy(tool.R))}


def _geometry(model: ArmModel) -> tuple[str, list[dict[str, Any]]]:
    for convention in CONVENTIONS:
        table = [_dh_row(joint, convention) for joint in model.joints]
        rows = [row for row in table if row is not None]
        if len(rows) == model.n:
            return convention, rows
    return "general", [_general_row(joint) for joint in model.joints]


def _dh_row(joint: Joint, convention: Convention) -> dict[str, Any] | None:
    """The row of a table that gives this joint, or None if there is no such row."""
    link = joint.after if convention == "standard" else joint.before
    other = joint.before if convention == "standard" else joint.after
    turn = other if convention == "standard" else joint.before
    alpha = math.atan2(link.R[2, 1], link.R[2, 2])
    a = float(link.p[0])
    if joint.is_revolute:
        theta, d = joint.offset, float(joint.after.p[2])
    else:
        # Rx(alpha) Rz(theta) has cos and sin of theta in its first row.
        theta, d = math.atan2(-turn.R[0, 1], turn.R[0, 0]), joint.offset
        if convention == "modified":
            alpha = math.atan2(-link.R[1, 2], link.R[2, 2])
    table = {"theta": theta, "d": d, "a": a, "alpha": alpha}
    again = dh_joint(convention, joint.kind, name=joint.name, body=joint.body, **table)
    pairs = ((again.before, joint.before), (again.after, joint.after))
    if np.array_equal(joint.axis, again.axis) and all(_same(*pair) for pair in pairs):
        return {name: float(value) for name, value in table.items()}
    return None


def _general_row(joint: Joint) -> dict[str, Any]:
    if joint.offset or not _same(joint.after, Transform()):
        raise InputError(
            f"joint {joint.name!r}: its frame fits no convention of robot files; write a .urdf instead."
        )
    return {
        "position": plain_row(joint.before.p),
        "rpy": plain_row(angles_rpy(joint.before.R)),
        "axis": plain_row(joint.axis),
    }


def _same(a: Transform, b: Transform) -> bool:
    size = max(1.0, float(np.abs(a.p).max()))
    return bool(np.abs(a.R - b.R).max() <= SAME and np.abs(a.p - b.p).max() <= SAME * size)


def _rotor(joint: Joint) -> dict[str, float] | None:
    rotor = joint.rotor
    if rotor.inertia == 0.0:
        return None
    return {"inertia": rotor.inertia, "gear_ratio": rotor.gear_ratio}


def _friction(friction: Friction) -> dict[str, Any] | None:
    """At the joint, whichever side it was measured on."""
    if friction == Friction():
        return None
    coulomb = [friction.coulomb_forward, friction.coulomb_backward]
    offset = {"offset": friction.offset} if friction.offset else {}
    return {"viscous": friction.viscous, "coulomb": coulomb, **offset}
