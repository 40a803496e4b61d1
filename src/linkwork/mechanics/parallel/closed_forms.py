"""Inverse kinematics of a leg in closed form, for legs whose tip is a point.

arm-rod: an arm (R or P) and a rod on a U or R joint at its end: RUS, PUS, RRS, PRS.
telescope: a U or R joint at the base and a slide behind it: UPS, RPS.
A root of a negative number, which is NaN, means that the leg does not reach. The signs of the roots
are the leg's branch: those that reproduce the joints at home.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Literal

import casadi as ca
import numpy as np

from linkwork.mechanics.expressions import SX, number, vector
from linkwork.mechanics.parallel.chain import (
    Chain,
    Configuration,
    Place,
    Turn,
    home_place,
    turned,
    twisted,
    unturned,
    untwisted,
)

PlanName = Literal["arm-rod", "telescope"]
SAME_BRANCH = 1e-7


@dataclass(frozen=True, eq=False)
class ClosedForm:
    """How the joints of one chain follow from the place of its tip."""

    chain: Chain
    plan: PlanName
    signs: tuple[float, float] = (1.0, 1.0)

    @property
    def cluster(self) -> tuple[int, ...]:
        """Steps of the universal (two) or revolute joint (one)."""
        n = len(self.chain.steps)
        return tuple(range(1, n)) if self.plan == "arm-rod" else tuple(range(n - 1))

    def place(self, target: SX) -> Place:
        """The joints whose tip is at `target`, a point in frame 0."""
        place = home_place(self.chain)
        return self._arm_rod(target, place) if self.plan == "arm-rod" else self._telescope(target, place)

    def _arm_rod(self, target: SX, place: Place) -> Place:
        chain = self.chain
        first, knee_step = chain.steps[0], chain.steps[1]
        ca_, sa = knee_step.twist
        knee = np.array([knee_step.a, -sa * knee_step.d, ca_ * knee_step.d])
        rod = float(chain.tip.p @ chain.tip.p)
        if first.kind == "revolute":
            place = place.with_step(0, turn=self._arm_turn(target, knee, rod))
            v = unturned(place.turns[0], target) - number(knee)
        else:
            local = unturned(place.turns[0], target) - number(knee)
            root = self.signs[0] * ca.sqrt(rod - local[0] ** 2 - local[1] ** 2)
            place = place.with_step(0, height=local[2] - root)
            v = vector(local[0], local[1], root)
        return self._turn_cluster(untwisted(knee_step, v), number(chain.tip.p), place)

    def _arm_turn(self, t: SX, knee: np.ndarray, rod: float) -> Turn:
        x, y, z = (float(value) for value in knee)
        reach, arm = t[0] ** 2 + t[1] ** 2, x * x + y * y
        A, B = x * t[0] + y * t[1], x * t[1] - y * t[0]
        C = (reach + (arm - rod) + (t[2] - z) ** 2) / 2
        D = arm * reach
        root = self.signs[0] * ca.sqrt(D - C * C)
        inverse = 1 / D
        return (A * C + B * root) * inverse, (B * C - A * root) * inverse

    def _telescope(self, target: SX, place: Place) -> Place:
        k = len(self.chain.steps) - 1
        step, tip = self.chain.steps[k], self.chain.tip.p
        across = float(tip[0] ** 2 + tip[1] ** 2)
        along = self.signs[0] * ca.sqrt(ca.sumsqr(target) - across)
        place = place.with_step(k, height=along - float(tip[2]))
        side = turned(place.turns[k], number(np.array([tip[0], tip[1], 0.0])))
        end = twisted(step, vector(side[0], side[1], along))
        return self._turn_cluster(target, end, place)

    def _turn_cluster(self, v: SX, tip: SX, place: Place) -> Place:
        """Turn the U or R joint so that `tip`, seen after its turns, comes to v, seen before them."""
        first, *second = self.cluster
        if second:
            turn = self._first_turn(v, tip)
            place = place.with_step(first, turn=turn)
            v = untwisted(self.chain.steps[second[0]], unturned(turn, v))
        dot, crossed = tip[0] * v[0] + tip[1] * v[1], tip[0] * v[1] - tip[1] * v[0]
        # Fewer joints than equations: v may be off the plane that the tip turns in.
        exact = self.chain.n == 3
        size = tip[0] ** 2 + tip[1] ** 2 if exact else ca.sqrt(dot * dot + crossed * crossed)
        inverse = 1 / size
        return place.with_step(self.cluster[-1], turn=(dot * inverse, crossed * inverse))

    def _first_turn(self, v: SX, tip: SX) -> Turn:
        cosine, sine = self.chain.steps[self.cluster[1]].twist
        E = (tip[2] - cosine * v[2]) / sine
        H = v[0] ** 2 + v[1] ** 2
        if E.is_zero():
            inverse = self.signs[1] / ca.sqrt(H)
            return v[0] * inverse, v[1] * inverse
        root = self.signs[1] * ca.sqrt(H - E * E)
        inverse = 1 / H
        return (v[0] * root - E * v[1]) * inverse, (E * v[0] + v[1] * root) * inverse


def closed_form(chain: Chain) -> ClosedForm | None:
    """The closed form of a chain on its home branch; None if there is none."""
    plan = _plan(chain)
    if plan is None:
        return None
    home = _home_target(chain)
    for first, second in itertools.product((1.0, -1.0), repeat=2):
        form = ClosedForm(chain, plan, (first, second))
        if _distance(form.place(home), home_place(chain)) < SAME_BRANCH:
            return form
    return None


def _plan(chain: Chain) -> PlanName | None:
    steps = chain.steps
    kinds = "".join({"revolute": "R", "prismatic": "P", "fixed": "F"}[step.kind] for step in steps)
    if chain.leg.frame or kinds not in ("RRR", "RR", "PRR", "PR", "RRP", "RP"):
        return None
    if kinds.endswith("P"):
        meets = len(steps) == 2 or _meet(chain, 1)
        return "telescope" if meets and steps[-1].a == 0.0 else None
    meets = len(steps) == 2 or _meet(chain, 2)
    return "arm-rod" if meets else None


def _meet(chain: Chain, k: int) -> bool:
    """Whether the axes of steps k-1 and k meet, without being parallel: a universal joint."""
    step = chain.steps[k]
    return step.a == 0.0 and step.d == 0.0 and step.twist[1] != 0.0


def _home_target(chain: Chain) -> SX:
    return Configuration(chain, home_place(chain)).tip_point()


def _distance(place: Place, other: Place) -> float:
    pairs = [
        (a[k], b[k]) for a, b in zip(place.turns, other.turns, strict=True) for k in range(2)
    ] + list(zip(place.heights, other.heights, strict=True))
    values = np.array([float(a - b) for a, b in pairs])
    return float(np.abs(values).max()) if np.isfinite(values).all() else np.inf
