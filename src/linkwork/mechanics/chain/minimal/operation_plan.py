"""An operation plan says how the minimal recursion of one robot is written; realized, it is numbers."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork.mechanics.chain.minimal.common_normals import EXACT, VANISHING, FrameStep, skeleton
from linkwork.mechanics.chain.minimal.recursion import ZERO, Ends, Variant, torques
from linkwork.mechanics.chain.minimal.regrouping import (
    LARGEST_GROWTH,
    Condition,
    Regrouping,
    fallback_conditions,
)
from linkwork.mechanics.chain.minimal.scalars import CountedGraph
from linkwork.model.families.arm import ArmModel
from linkwork.model.geometry import Array, Transform

Gravity = tuple[float, float, float]


@dataclass(frozen=True)
class OperationPlan:
    """Frames (see common_normals.skeleton), conditions on the parameters by name, and a variant."""

    conditions: tuple[str, ...]
    variant: Variant
    carriers: tuple[int, ...] = ()
    through_next: tuple[int, ...] = ()
    vanishing: str = ""

    def to_data(self) -> dict[str, Any]:
        return dataclasses.asdict(self)

    @staticmethod
    def from_data(data: dict[str, Any]) -> OperationPlan:
        variant = {name: _frozen(value) for name, value in data["variant"].items()}
        rest = {name: _frozen(value) for name, value in data.items() if name != "variant"}
        return OperationPlan(variant=Variant(**variant), **rest)

    @staticmethod
    def parse(text: str, model: ArmModel) -> OperationPlan | None:
        """A plan that was kept; None if another version of this package wrote it, or for another arm."""
        try:
            plan = OperationPlan.from_data(json.loads(text))
            if not plan._is_sound():
                return None
            links = len(skeleton(model, plan.carriers, plan.through_next, plan.vanishing).steps)
            conditions = [Condition.parse(name) for name in plan.conditions]
        except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError):
            return None
        fits = all(0 <= condition.link < links for condition in conditions)
        return plan if fits and plan.variant.fits(links) else None

    def _is_sound(self) -> bool:
        """Of the right types; a text may be damaged."""
        places = (self.carriers, self.through_next)
        return (
            all(isinstance(entry, tuple) for entry in (*places, self.conditions))
            and all(type(place) is int for entry in places for place in entry)
            and self.vanishing in ("", *VANISHING)
        )


def _frozen(value: Any) -> Any:
    return tuple(_frozen(item) for item in value) if isinstance(value, (list, tuple)) else value


@dataclass(frozen=True)
class Situation:
    """What is known when a kernel is made. Gravity is in base axes; None: it may be anything."""

    gravity: Gravity | None
    standing: bool = True


@dataclass(frozen=True)
class Reduced:
    """A robot ready for the recursion."""

    steps: tuple[FrameStep, ...]
    parameters: list[list[float]]
    variant: Variant
    base: Transform
    tip: Transform


def in_frame(R: Array, gravity: Gravity) -> Gravity:
    """Gravity in a frame of the base, without rounding dust."""
    g = R.T @ np.array(gravity)
    g = np.where(np.abs(g) < EXACT * np.abs(g).max(), 0.0, g)
    return float(g[0]), float(g[1]), float(g[2])


def realized(model: ArmModel, plan: OperationPlan, situation: Situation) -> Reduced:
    """Numbers of a plan; conditions that cannot hold in this situation are replaced."""
    frames = skeleton(model, plan.carriers, plan.through_next, plan.vanishing)
    gravity = None if situation.gravity is None else in_frame(frames.base.R, situation.gravity)
    group = Regrouping(frames.steps, gravity, situation.standing)
    wanted = [Condition.parse(text) for text in plan.conditions]
    textbook = fallback_conditions(frames.steps)
    parameters = group.exactly(group.selected([*wanted, *textbook]))
    if group.growth(parameters) > LARGEST_GROWTH:
        parameters = group.exactly(group.selected(textbook))
    rows = parameters.reshape(-1, 10).tolist()
    return Reduced(frames.steps, rows, plan.variant, frames.base, frames.tip)


def cost(
    steps: tuple[FrameStep, ...],
    parameters: list[list[float]],
    variant: Variant,
    gravity: Gravity,
    n: int,
) -> tuple[int, int]:
    """Operations and angles of inverse dynamics with gravity (in frame 0) folded in."""
    graph = CountedGraph()
    state = tuple([graph.symbol(f"{name}{k}") for k in range(n)] for name in ("q", "qd", "qdd"))
    ends = Ends(ZERO, ZERO, (-gravity[0], -gravity[1], -gravity[2]))
    return graph.cost(torques(steps, parameters, variant, state, ends, graph.cosine_sine))  # type: ignore[arg-type]
