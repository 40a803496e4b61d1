"""Reactions as arrows: forces and moments at the joints that are switched on."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from linkwork.interface.robot import Array
from linkwork.studio.colours import FORCE, MOMENT
from linkwork.studio.reading import Reaction
from linkwork.studio.shapes import put

LONGEST = 0.4  # of the size of the robot
NEGLIGIBLE = 1e-6  # of the greatest: not worth an arrow


class ReactionArrows:
    """Arrows of one scene; the longest is the greatest force, or moment, of all joints."""

    def __init__(self, scene: Any, size: float) -> None:
        self.size = size
        nothing = np.zeros((1, 2, 3))
        shape = {
            "shaft_radius": 0.008 * size,
            "head_radius": 0.022 * size,
            "head_length": 0.055 * size,
            "visible": False,
        }
        self.forces = scene.add_arrows("/reactions/forces", nothing, FORCE, **shape)
        self.moments = scene.add_arrows("/reactions/moments", nothing, MOMENT, **shape)

    def show(self, reactions: Sequence[Reaction], switched_on: Collection[str]) -> None:
        self._draw(self.forces, reactions, switched_on, [found.force for found in reactions])
        self._draw(self.moments, reactions, switched_on, [found.moment for found in reactions])

    def _draw(
        self, node: Any, reactions: Sequence[Reaction], on: Collection[str], vectors: list[Array]
    ) -> None:
        greatest = max((float(np.linalg.norm(vector)) for vector in vectors), default=0.0)
        points = [
            (found.at, found.at + vector * (LONGEST * self.size / greatest))
            for found, vector in zip(reactions, vectors, strict=True)
            if found.name in on and np.linalg.norm(vector) > NEGLIGIBLE * greatest
        ]
        if points:
            node.points = np.array(points, dtype=np.float32)
        put(node, visible=bool(points))
