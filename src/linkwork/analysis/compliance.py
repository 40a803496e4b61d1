"""A line of a compliance matrix: what is required and achieved, what is left, where it is worst."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

Sense = Literal["at least", "at most"]
MARGIN, YES = "margin", "yes"  # units of what has no other


@dataclass(frozen=True)
class ComplianceLine:
    """A requirement and how the machine meets it; SI units.

    The margin is (limit - demand) / limit: what must be reached is the demand and what is achieved the
    limit; what must not be exceeded is the limit. It is negative where the requirement is not met. Of a
    requirement that is a margin itself (unit MARGIN) it is what is left beyond it; what is a yes or no
    (unit YES: 1 is yes) has none.
    """

    requirement: str
    sense: Sense
    required: float
    achieved: float
    unit: str
    where: str

    @property
    def margin(self) -> float:
        demand, limit = self.required, self.achieved
        if self.unit == MARGIN:
            return limit - demand
        if self.unit == YES:
            return float("nan")
        if self.sense == "at most":
            demand, limit = limit, demand
        if limit == demand:
            return 0.0
        if np.isinf(limit):
            return 1.0
        return float((limit - demand) / limit) if limit > 0 else -float("inf")

    @property
    def met(self) -> bool:
        if self.sense == "at most":
            return self.achieved <= self.required
        return self.achieved >= self.required


def yes(requirement: str, achieved: bool, where: str) -> ComplianceLine:
    """A line that is met or not."""
    return ComplianceLine(requirement, "at least", 1.0, float(achieved), YES, where)
