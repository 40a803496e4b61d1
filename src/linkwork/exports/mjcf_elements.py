"""Elements of MuJoCo's XML, and what of a joint's friction MuJoCo has no word for."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Protocol
from xml.etree import ElementTree as xml

import numpy as np
from numpy.typing import ArrayLike

from linkwork.drawing.shape import COLORS, Solid, plate_mesh
from linkwork.model.geometry import Array, Body
from linkwork.model.joint import Friction, Limits

ORANGE = "0.9 0.45 0.15 1"


def numbers(values: ArrayLike) -> str:
    """Numbers with all their digits."""
    return " ".join(repr(float(value) + 0.0) for value in np.ravel(np.asarray(values, dtype=float)))


def document(name: str, gravity: Array) -> tuple[xml.Element, xml.Element]:
    """A model and its world body, with a light and a bright sky to see it by."""
    root = xml.Element("mujoco", model=name)
    xml.SubElement(root, "compiler", angle="radian", autolimits="true")
    xml.SubElement(root, "option", gravity=numbers(gravity), integrator="implicitfast")
    visual = xml.SubElement(root, "visual")
    xml.SubElement(visual, "headlight", ambient="0.35 0.35 0.35", diffuse="0.3 0.3 0.3")
    xml.SubElement(visual, "global", offwidth="1280", offheight="960")
    sky = {"type": "skybox", "builtin": "gradient", "width": "64", "height": "64"}
    asset = xml.SubElement(root, "asset")
    xml.SubElement(
        asset, "texture", {"name": "sky", **sky, "rgb1": "0.97 0.98 1", "rgb2": "0.8 0.84 0.9"}
    )
    world = xml.SubElement(root, "worldbody")
    xml.SubElement(world, "light", pos="1 -2 4", dir="-0.2 0.4 -1")
    return root, world


def inertial(parent: xml.Element, body: Body) -> None:
    """Mass, center and inertia, in the frame of the parent element."""
    i = body.inertia
    full = [i[0, 0], i[1, 1], i[2, 2], i[0, 1], i[0, 2], i[1, 2]]
    words = {"pos": numbers(body.center_of_mass), "mass": repr(float(body.mass))}
    xml.SubElement(parent, "inertial", {**words, "fullinertia": numbers(full)})


def draw(root: xml.Element, parent: xml.Element, solid: Solid, points: Array) -> None:
    """A solid through points in the frame of the parent element. It is for the eye: no contacts."""
    looks = {"rgba": numbers([*(c / 255 for c in COLORS[solid.role]), 1]), "contype": "0"}
    looks |= {"conaffinity": "0", "group": "1"}
    size = repr(solid.radius)
    if solid.form == "plate":
        asset = next(root.iter("asset"))
        mesh = {"name": f"plate {len(asset)}", "inertia": "shell"}
        vertices, _ = plate_mesh(points, solid.radius)
        xml.SubElement(asset, "mesh", {**mesh, "vertex": numbers(vertices)})
        xml.SubElement(parent, "geom", {"type": "mesh", "mesh": mesh["name"], **looks})
    elif solid.form == "ball":
        xml.SubElement(parent, "geom", {"type": "sphere", "pos": numbers(points), "size": size, **looks})
    else:
        kind = {"rod": "capsule", "drum": "cylinder", "box": "box"}[solid.form]
        for a, b in pairwise(points):
            if np.linalg.norm(b - a) > 0.1 * solid.radius:
                words = {"type": kind, "fromto": numbers([*a, *b]), "size": size}
                xml.SubElement(parent, "geom", {**words, **looks})


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
    if loss := dry_loss(friction):
        attributes["frictionloss"] = repr(loss)
    if limits.position is not None:
        attributes["range"] = numbers(limits.position)
    xml.SubElement(parent, "joint", attributes)


def dry_loss(friction: Friction) -> float:
    """One Coulomb friction for both directions."""
    return float(friction.coulomb_forward - friction.coulomb_backward) / 2


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
    if shaped := [joint.name for joint in joints if joint.friction.has_shape]:
        remarks.append(
            "MuJoCo has viscous and Coulomb friction only: other laws (Stribeck, powers, load) "
            f"of {', '.join(shaped)} are left out"
        )
    if offset:
        remarks.append(
            f"MuJoCo has no constant part of friction: that of {', '.join(offset)} is left out"
        )
    return remarks


def inertia_remarks(raised: Sequence[str]) -> list[str]:
    if not raised:
        return []
    return [f"no body has the inertia of {', '.join(raised)}: it is raised until MuJoCo takes it"]
