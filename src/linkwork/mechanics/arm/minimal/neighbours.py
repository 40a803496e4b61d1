"""Candidates that differ from another by one choice: of variant, conditions or frames."""

from __future__ import annotations

import operator
import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from linkwork.mechanics.arm.minimal.candidates import Candidate, Candidates
from linkwork.mechanics.arm.minimal.link_axes import may_rest
from linkwork.mechanics.arm.minimal.variant import Variant

WORST_CONDITION = 1e8  # of the system that the conditions make
Move = Callable[[Variant], Variant]


def replacing(**unit: float) -> Move:
    return lambda variant: replace(variant, **unit)  # type: ignore[arg-type]


def changing(name: str, k: int, change: Callable[[Any], Any]) -> Move:
    """A move that changes the entry of one link."""

    def move(variant: Variant) -> Variant:
        values = getattr(variant, name)
        changed = {name: (*values[:k], change(values[k]), *values[k + 1 :])}
        return replace(variant, **changed)  # type: ignore[arg-type]

    return move


def other_squared(name: str) -> str:
    return "y" if name == "x" else "x"


def flipping(axis: int) -> Callable[[tuple[bool, ...]], tuple[bool, ...]]:
    return lambda euler: tuple(not value if k == axis else value for k, value in enumerate(euler))


def moves(candidates: Candidates, candidate: Candidate) -> list[Move]:
    """Every change of one choice in the variant."""
    accelerations, forces = candidates.units(candidate)
    moves = [replacing(acceleration=unit) for unit in accelerations]
    moves += [replacing(force=unit) for unit in forces]
    for k in range(len(candidate.variant.squared)):
        moves.append(changing("squared", k, other_squared))
        moves += [changing(name, k, operator.not_) for name in _flags(candidate, k)]
        moves += [changing("euler", k, flipping(axis)) for axis in range(3)]
    return moves


def _flags(candidate: Candidate, k: int) -> list[str]:
    """The switches that mean something for a link."""
    steps = candidate.frames.skeleton.steps
    flags = ["doubled"]
    if may_rest(steps, k):
        flags.append("resting")
    if k and steps[k].parallel:
        flags += ["absolute_motion", "absolute_moment"]
    return flags


def _exchanged(candidate: Candidate, chance: random.Random) -> Candidate | None:
    """One condition replaced by another; None if the new set determines the parameters badly."""
    group = candidate.frames.regrouping
    N = group.null_space
    new = chance.choice(group.conditions())
    row = new.of(N)
    if new in candidate.conditions or not np.any(row):
        return None
    rows = np.array([condition.of(N) for condition in candidate.conditions])
    share = np.abs(np.linalg.solve(rows.T, row))
    leaving = chance.choice(np.flatnonzero(share > 1e-3 * share.max()).tolist())
    rows[leaving] = row
    if np.linalg.cond(rows / np.linalg.norm(rows, axis=1)[:, None]) > WORST_CONDITION:
        return None
    conditions = list(candidate.conditions)
    conditions[leaving] = new
    return replace(candidate, conditions=tuple(conditions))


def _reframed(candidates: Candidates, candidate: Candidate, chance: random.Random) -> Candidate:
    """Other frames with the same conditions, as far as they can hold there."""
    frames = chance.choice(candidates.all_frames())
    return replace(
        candidate, frames=frames, conditions=candidates.completed(frames, list(candidate.conditions))
    )


def neighbour(candidates: Candidates, here: Candidate, chance: random.Random) -> Candidate | None:
    kind = chance.random()
    if kind < 0.70:
        return _exchanged(here, chance)
    if kind < 0.97:
        return replace(here, variant=chance.choice(moves(candidates, here))(here.variant))
    return _reframed(candidates, here, chance)
