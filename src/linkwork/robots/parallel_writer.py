"""Parallel robots as robot files: every leg by itself, the same numbers when they are read again."""

from __future__ import annotations

from typing import Any

from linkwork.robots.geometry import Body
from linkwork.robots.parallel import COORDINATES, LegJoint, ParallelLeg, ParallelModel, of_one_joint
from linkwork.robots.writing import (
    body_fields,
    friction_fields,
    head_fields,
    limits_fields,
    plain_row,
    without_nothing,
)


def parallel_document(model: ParallelModel) -> dict[str, Any]:
    """What a robot file says of this robot, as plain data; legs are written out."""
    return without_nothing(
        {
            **head_fields(model, [model.platform, *(joint.body for joint in model.joints)]),
            "coordinates": None if model.coordinates == COORDINATES else list(model.coordinates),
            "parasitic": list(model.parasitic) or None,
            "home": plain_row(model.home),
            "platform": body_fields(model.platform),
            "legs": [_leg(leg) for leg in model.legs],
        }
    )


def _leg(leg: ParallelLeg) -> dict[str, Any]:
    joints: list[dict[str, Any]] = []
    entries, held = list(leg.joints), list[LegJoint]()
    tail: dict[str, Any] | None = None
    end, at = leg.end, plain_row(leg.end.at)
    if end.kind == "spherical":
        tail = {"S": None, "at": at, **({"viscous": end.viscous} if end.viscous else {})}
    elif end.kind == "universal":
        tail = {"U": [plain_row(axis) for axis in end.axes], "at": at}
    elif end.kind == "revolute":
        tail = {"R": plain_row(end.axes[0]), "at": at}
    elif entries[-1].is_revolute:  # closed by six equations: the last joint belongs to the platform
        last = 2 if len(entries) > 1 and of_one_joint(*entries[-2:]) else 1
        held, entries = entries[-last:], entries[:-last]
    while entries:
        two = len(entries) > 1 and of_one_joint(*entries[:2])
        taken, entries = entries[: 2 if two else 1], entries[2 if two else 1 :]
        joints.append(_entry(leg, taken, len(joints) + 1))
    if held:
        tail = _entry(leg, held, len(joints) + 1)
    if tail is not None:
        joints.append(tail)
    framed = leg.frame and tail is not None
    return without_nothing({"name": leg.name, "frame": True if framed else None, "joints": joints})


def _entry(leg: ParallelLeg, joints: list[LegJoint], number: int) -> dict[str, Any]:
    """A single joint, or both axes of a universal one, with its name if it is not the usual one."""
    written = _universal(*joints) if len(joints) == 2 else _single(joints[0])
    own = joints[0].name.removeprefix(f"{leg.name} ")
    own = own[:-1] if len(joints) == 2 else own
    return written if own == f"{next(iter(written))}{number}" else {**written, "name": own}


def _common(joint: LegJoint) -> dict[str, Any]:
    return without_nothing(
        {
            "at": plain_row(joint.at),
            "actuated": True if joint.actuated else None,
            "rotor": joint.rotor or None,
            **friction_fields(joint.friction),
            "limits": limits_fields(joint.limits),
            "link": _body(joint.body),
            "apart": joint.apart or None,
        }
    )


def _body(body: Body) -> dict[str, Any] | None:
    return body_fields(body) if body.mass or body.inertia.any() else None


def _single(joint: LegJoint) -> dict[str, Any]:
    kind = "R" if joint.is_revolute else "P"
    return {kind: plain_row(joint.axis), **_common(joint)}


def _universal(one: LegJoint, other: LegJoint) -> dict[str, Any]:
    cross = _body(one.body)
    written = {"U": [plain_row(one.axis), plain_row(other.axis)], **_common(other)}
    return written if cross is None else {**written, "cross": cross}
