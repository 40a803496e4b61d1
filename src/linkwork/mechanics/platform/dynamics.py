"""A platform in one state: the mechanism that it is, or the equations of a paper."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from linkwork.mechanics.expressions import SX
from linkwork.mechanics.leg_reactions import LegReactions
from linkwork.mechanics.mechanism.robot_dynamics import MechanismDynamics
from linkwork.mechanics.platform import legs
from linkwork.mechanics.published.dynamics import PublishedDynamics
from linkwork.robots.platform import PlatformModel


class Equations(Protocol):
    """What exact and published equations have in common."""

    def inverse(self, acceleration: SX, /) -> SX: ...
    def forward(self, force: SX, /) -> SX: ...
    def mass_matrix(self) -> SX: ...
    def bias(self) -> SX: ...


@dataclass(frozen=True, eq=False)
class PlatformDynamics:
    """`model` is what the robot file says: limits, home."""

    model: PlatformModel
    exact: MechanismDynamics
    published: PublishedDynamics | None = None

    @property
    def chosen(self) -> Equations:
        return self.exact if self.published is None else self.published

    def reactions(self, acceleration: SX) -> list[LegReactions]:
        """Forces and moments in the joints of every leg."""
        if self.published is not None:
            return self.published.reactions(acceleration)
        return legs.reactions(self.exact, acceleration)
