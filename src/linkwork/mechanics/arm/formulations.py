"""The formulations of inverse dynamics by name; "minimal" stands apart, it needs the robot's numbers."""

from __future__ import annotations

from collections.abc import Callable

from linkwork.mechanics.arm import (
    angeles,
    lagrange,
    modified_newton_euler,
    natural_complement,
    newton_euler,
)
from linkwork.mechanics.arm.chain import Chain
from linkwork.mechanics.expressions import SX

Formulation = Callable[[Chain, SX, SX, SX], list[SX]]

FORMULATIONS: dict[str, Formulation] = {
    "newton-euler": lambda chain, q, qd, qdd: newton_euler.torques(chain, qd, qdd),
    "modified-newton-euler": lambda chain, q, qd, qdd: modified_newton_euler.torques(chain, qd, qdd),
    "angeles": angeles.torques,
    "lagrange": lambda chain, q, qd, qdd: lagrange.torques(chain, qd, qdd),
    "natural-complement": lambda chain, q, qd, qdd: natural_complement.torques(chain, qd, qdd),
}

MINIMAL = "minimal"
NAMES = (*FORMULATIONS, MINIMAL)
