"""Elements of MuJoCo's XML."""

from __future__ import annotations

from collections.abc import Iterable
from xml.etree import ElementTree as xml

import numpy as np
from numpy.typing import ArrayLike

from linkwork.robots.geometry import Array, Body

STEEL, DARK, ORANGE = "0.75 0.77 0.8 1", "0.3 0.32 0.36 1", "0.9 0.45 0.15 1"


def numbers(values: ArrayLike) -> str:
    """Numbers with all their digits."""
    return " ".join(repr(float(value) + 0.0) for value in np.ravel(np.asarray(values, dtype=float)))


def document(name: str, gravity: Array) -> tuple[xml.Element, xml.Element]:
    """A model and its world body, with a light and a bright sky to see it by."""
    root = xml.Element("mujoco", model=name)
    xml.SubElement(root, "compiler", angle="radian", autolimits="true")
    xml.SubElement(root, "option", gravity=numbers(gravity), integrator="implicitfast")
    visual = xml.SubElement(root, "visual")
    xml.SubElement(visual, "headlight", ambient="0.4 0.4 0.4", diffuse="0.5 0.5 0.5")
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
    """Mass, centre and inertia, in the frame of the parent element."""
    i = body.inertia
    full = [i[0, 0], i[1, 1], i[2, 2], i[0, 1], i[0, 2], i[1, 2]]
    words = {"pos": numbers(body.center_of_mass), "mass": repr(float(body.mass))}
    xml.SubElement(parent, "inertial", {**words, "fullinertia": numbers(full)})


def rod(
    parent: xml.Element, start: ArrayLike, end: ArrayLike, radius: float, color: str = STEEL
) -> None:
    """A capsule between two points; nothing if they coincide. Geoms are for the eye: no contacts."""
    a, b = np.asarray(start, dtype=float), np.asarray(end, dtype=float)
    if np.linalg.norm(b - a) > 0.1 * radius:
        words = {"type": "capsule", "fromto": numbers([*a, *b]), "size": repr(radius)}
        _geom(parent, words, color)


def drum(
    parent: xml.Element, center: ArrayLike, axis: ArrayLike, radius: float, color: str = DARK
) -> None:
    """A joint: a cylinder along its axis."""
    c, half = np.asarray(center, dtype=float), np.asarray(axis, dtype=float) * radius * 1.2
    words = {"type": "cylinder", "fromto": numbers([*(c - half), *(c + half)]), "size": repr(radius)}
    _geom(parent, words, color)


def ball(parent: xml.Element, center: ArrayLike, radius: float, color: str = DARK) -> None:
    _geom(parent, {"type": "sphere", "pos": numbers(center), "size": repr(radius)}, color)


def ring(parent: xml.Element, points: Iterable[Array], radius: float, color: str = STEEL) -> None:
    """Rods around points, by their angle about the middle."""
    listed = list(points)
    middle = np.mean(listed, axis=0)
    around = sorted(listed, key=lambda p: float(np.arctan2(p[1] - middle[1], p[0] - middle[0])))
    for a, b in zip(around, [*around[1:], around[0]], strict=True):
        rod(parent, a, b, radius, color)


def _geom(parent: xml.Element, words: dict[str, str], color: str) -> None:
    seen = {"rgba": color, "contype": "0", "conaffinity": "0", "group": "1"}
    xml.SubElement(parent, "geom", {**words, **seen})
