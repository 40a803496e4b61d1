"""Bodies that are points, as the rest of the analysis sees them: no orientation of their own."""

from __future__ import annotations

from dataclasses import replace

from linkwork.robots.arm import Friction
from linkwork.robots.mechanism import MechanismJoint, MechanismJointKind, MechanismModel


def with_points_held(model: MechanismModel) -> MechanismModel:
    """Joints of points made balls; one of them holds the point, unless it has a pose of its own."""
    points = {part.name for part in model.parts if part.point}
    if not points:
        return model
    held = {each.of for each in model.coordinates if each.pose is not None}
    joints: list[MechanismJoint] = []
    for joint in model.joints:
        ends = points.intersection(joint.joins)
        if not ends or joint.kind not in ("revolute", "universal", "spherical"):
            joints.append(joint)
            continue
        kind: MechanismJointKind = "spherical" if ends <= held else "fixed"
        held |= ends
        joints.append(replace(joint, kind=kind, axes=(), friction=Friction(), rotor=0.0, spring=None))
    return replace(model, joints=tuple(joints))
