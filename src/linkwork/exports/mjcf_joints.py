"""Joints and motors of MuJoCo's XML, and what of a joint's friction MuJoCo has no word for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol
from xml.etree import ElementTree as xml

from numpy.typing import ArrayLike

from linkwork.exports.mjcf_elements import numbers
from linkwork.robots.arm import Friction, Limits

IMPEDANCE = "0.9999 0.9999 0.001"  # the hardest constraint that MuJoCo has
SOFT = (
    "MuJoCo's constraints are soft: of the bundled platforms and mechanisms one mj_forward differs by "
    "5e-4 to 2e-1 of the largest acceleration; check.py extrapolates to rigid constraints"
)


class Moving(Protocol):
    """A joint of a mechanism or arm, or a cylinder."""

    @property
    def name(self) -> str: ...
    @property
    def friction(self) -> Friction: ...
    @property
    def limits(self) -> Limits: ...


def joint_element(
    parent: xml.Element, joint: Moving, axis: ArrayLike, armature: float, **own: str
) -> None:
    """A hinge or a slide with friction and limits."""
    friction, limits = joint.friction, joint.limits
    attributes = {
        "name": joint.name,
        "type": "hinge" if getattr(joint, "is_revolute", False) else "slide",
        "axis": numbers(axis),
        **own,
        "armature": repr(float(armature)),
        "damping": repr(float(friction.viscous)),
    }
    loss = (friction.coulomb_forward - friction.coulomb_backward) / 2
    if loss:
        attributes["frictionloss"] = repr(float(loss))
    if limits.position is not None:
        attributes["range"] = numbers(limits.position)
    xml.SubElement(parent, "joint", attributes)


def motor(parent: xml.Element, name: str, pushed: str, most: float | None, tendon: bool = False) -> None:
    """A motor that pushes a joint, or several by a tendon, with at most `most` either way."""
    attributes = {"name": name, "tendon" if tendon else "joint": pushed}
    if most is not None:
        attributes["ctrlrange"] = numbers([-most, most])
    xml.SubElement(parent, "motor", attributes)


def tie(
    parent: xml.Element, kind: str, name: str, bodies: tuple[xml.Element, xml.Element],
    points: tuple[ArrayLike, ArrayLike], turns: tuple[ArrayLike, ArrayLike] | None = None,
) -> None:  # fmt: skip
    """Hold a point (`connect`) or a frame (`weld`) of one body at that of another; quaternions turn."""
    sites = (f"{name} tip", f"{name} socket")
    for k, body in enumerate(bodies):
        turned = {} if turns is None else {"quat": numbers(turns[k])}
        attributes = {"name": sites[k], "pos": numbers(points[k]), **turned, "group": "4"}
        xml.SubElement(body, "site", attributes)
    held = {"name": name, "site1": sites[0], "site2": sites[1], "solimp": IMPEDANCE}
    xml.SubElement(parent, kind, held)


def smooth(friction: Friction) -> Friction:
    """Friction without what MuJoCo treats as a constraint or has not."""
    return Friction(viscous=friction.viscous)


def friction_remarks(joints: Sequence[Moving]) -> list[str]:
    remarks = []
    uneven = [joint.name for joint in joints if not joint.friction.symmetric]
    offset = [joint.name for joint in joints if joint.friction.offset]
    if uneven:
        named = ", ".join(uneven)
        remarks.append(f"MuJoCo has one Coulomb friction for both directions: {named} have their mean")
    if offset:
        remarks.append(
            f"MuJoCo has no constant part of friction: that of {', '.join(offset)} is left out"
        )
    return remarks


def inertia_remarks(raised: Sequence[str]) -> list[str]:
    if not raised:
        return []
    return [f"no body has the inertia of {', '.join(raised)}: it is raised until MuJoCo takes it"]
