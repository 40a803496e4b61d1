"""What the studio tells about a robot in one state; plain numbers and words, nothing to draw with."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwork.interface.quantity import Quantity
from linkwork.interface.robot import Array

EFFORT_LIMITS = ("effort", "force")


@dataclass(frozen=True, eq=False)
class State:
    """Position, velocity and acceleration in the robot's coordinates."""

    position: Array
    velocity: Array
    acceleration: Array

    @staticmethod
    def at_rest(position: Array, freedom: int) -> State:
        return State(np.asarray(position, dtype=np.float64), np.zeros(freedom), np.zeros(freedom))


@dataclass(frozen=True)
class BrokenLimit:
    """Of which leg or joint (by number, from 0), which limit, and the sentence that says so."""

    index: int
    limit: str
    text: str


@dataclass(frozen=True, eq=False)
class Reaction:
    """Force and moment in a joint at a point, base axes [N, N m, m]."""

    kind: str
    owner: str
    at: Array
    force: Array
    moment: Array

    @property
    def name(self) -> str:
        return f"{self.owner} {self.kind}".strip()


@dataclass(frozen=True)
class Singularity:
    """How near to a singular pose: a condition number without units, its class and what is lost."""

    condition: float
    grade: str  # "good", "fair", "poor" or "singular"
    text: str
    title: str = "Condition number"


@dataclass(frozen=True, eq=False)
class Reading:
    """Everything about one state. `fault` tells why there are no forces; they are NaN then.

    `others` are singularities of other kinds than the first. `frames`: how bodies, the base first, have
    gone from home, (bodies, 3, 4); None if loops do not close.
    """

    state: State
    effort: Array
    singularity: Singularity
    broken_limits: tuple[BrokenLimit, ...]
    reactions: tuple[Reaction, ...]
    fault: str | None = None
    measured: tuple[Quantity, ...] = ()  # positions, velocities, efforts with their limits, (1, n)
    others: tuple[Singularity, ...] = ()
    frames: Array | None = None

    @property
    def broken(self) -> frozenset[int]:
        """Numbers of the legs or joints with a broken limit."""
        return frozenset(found.index for found in self.broken_limits)

    @property
    def overloaded(self) -> frozenset[int]:
        """Numbers of those whose effort is beyond its limit."""
        return frozenset(found.index for found in self.broken_limits if found.limit in EFFORT_LIMITS)
