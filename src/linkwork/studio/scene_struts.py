"""Rods and cylinders in the scene: nodes along the line between their ends."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.analysis.shape import Pin
from linkwork.interface.robot import Array
from linkwork.robots.mechanism import Cylinder, Rod
from linkwork.studio import colours
from linkwork.studio.shapes import add_rod, along, put

BARREL, SLIDING = 0.62, 0.7  # of its length at home: barrel and rod of a cylinder without limits
IN_BARREL = 0.84  # of its shortest length: the barrel of one with limits
OVERLAP = 0.3  # of the barrel: what of the rod stays in it at the longest


class Strut:
    """A rod in one node; a cylinder in two, a barrel from its start and a rod from its end."""

    def __init__(self, scene: Any, each: Rod | Cylinder, r: float, start: Pin, end: Pin) -> None:
        self.start, self.end = start, end
        self.barrel: Any = None
        parts = [("rod", 0.0, each.length, 0.75 * r, colours.METAL)]
        if isinstance(each, Cylinder):
            barrel, rod = _lengths(each)
            parts = [
                ("barrel", 0.0, barrel, 1.5 * r, colours.IDLE),
                ("rod", -rod, 0.0, 0.8 * r, colours.METAL),
            ]
        self.nodes = []
        for word, low, high, radius, colour in parts:
            path = f"/struts/{each.name} {word}"
            self.nodes.append(scene.add_frame(path, show_axes=False))
            ends = np.array([0.0, 0.0, low]), np.array([0.0, 0.0, high])
            drawn = add_rod(scene, f"{path}/body", *ends, radius, colour)
            ball = ends[1] if word == "rod" else ends[0]
            scene.add_icosphere(f"{path}/ball", 1.2 * r, colours.JOINT, position=ball)
            if word == "barrel":
                self.barrel = drawn
                half = np.array([0.0, 0.0, 0.5 * r])
                collar = f"{path}/collar"
                add_rod(scene, collar, ends[1] - half, ends[1] + half, 1.8 * r, colours.JOINT)
        if self.barrel is None:
            path = f"/struts/{each.name} rod/foot"
            scene.add_icosphere(path, 1.2 * r, colours.JOINT, position=np.zeros(3))
        elif each.axis is not None:  # the pin or the cross at its foot
            half = 2.8 * r * each.axis
            path = (
                f"/base/axis {each.name}"
                if start.body == 0
                else f"/bodies/{start.body}/axis {each.name}"
            )
            add_rod(scene, path, start.at - half, start.at + half, 0.5 * r, colours.METAL)

    def place(self, start: Array, end: Array) -> None:
        """Between two points."""
        turn = along(end - start)
        for node, place in zip(self.nodes, (start, end), strict=False):
            put(node, position=place, wxyz=turn)


def _lengths(cylinder: Cylinder) -> tuple[float, float]:
    """Of barrel and rod: they fit into each other at the shortest and still overlap at the longest."""
    if cylinder.limits.position is None:
        return BARREL * cylinder.length, SLIDING * cylinder.length
    shortest, longest = (cylinder.length + end for end in cylinder.limits.position)
    barrel = IN_BARREL * shortest
    return barrel, min(longest - (1 - OVERLAP) * barrel, 0.98 * shortest)
