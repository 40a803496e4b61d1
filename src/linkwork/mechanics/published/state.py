"""What the papers' equations are written for: one state of a platform."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from linkwork.mechanics.expressions import SX, cross
from linkwork.mechanics.published.legs import Geometry
from linkwork.robots.platform import PlatformModel


@dataclass(frozen=True)
class State:
    """Symbols of one state and the geometry they give. `wrench` acts on the platform, in its axes."""

    model: PlatformModel
    R: SX
    twist: SX
    wrench: SX
    gravity: SX
    legs: tuple[Geometry, ...]

    def H(self) -> list[SX]:
        """Columns [s; q x s], D (36): what unit forces along the legs do to the platform."""
        return [ca.vertcat(at.s, cross(at.q, at.s)) for at in self.legs]
