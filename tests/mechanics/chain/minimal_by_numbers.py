"""The minimal recursion run on NumPy arrays: no kernel, so that many robots can be tried."""

from __future__ import annotations

import random

import numpy as np

from linkwork.mechanics.chain.cheapest import own_gravity
from linkwork.mechanics.chain.minimal.operation_plan import (
    OperationPlan,
    Reduced,
    Situation,
    in_frame,
    realized,
)
from linkwork.mechanics.chain.minimal.recursion import ZERO, Ends, Variant, torques
from linkwork.mechanics.chain.minimal.search import Candidates
from linkwork.model.families.arm import ArmModel


def cosine_sine(angle):
    return np.cos(angle), np.sin(angle)


def evaluated(robot: Reduced, gravity, q, qd, qdd, parameters=None) -> np.ndarray:
    """Torques of a batch of states, (N, n)."""
    g = in_frame(robot.base.R, gravity)
    ends = Ends(ZERO, ZERO, (-g[0], -g[1], -g[2]))
    state = tuple([np.array(v[:, k]) for k in range(v.shape[1])] for v in (q, qd, qdd))
    p = robot.parameters if parameters is None else parameters
    rows = torques(robot.steps, p, robot.variant, state, ends, cosine_sine)
    return np.array([np.broadcast_to(row, len(q)) for row in rows]).T


def random_variant(n: int, chance: random.Random) -> Variant:
    def flags() -> tuple[bool, ...]:
        return tuple(chance.random() < 0.5 for _ in range(n))

    return Variant(
        squared=tuple(chance.choice("xy") for _ in range(n)),
        doubled=flags(),
        resting=flags(),
        absolute_motion=flags(),
        absolute_moment=flags(),
        euler=tuple((f, g, h) for f, g, h in zip(flags(), flags(), flags(), strict=True)),
        acceleration=chance.choice([1.0, 0.4]),
        force=chance.choice([1.0, 2.5]),
    )


def random_plan(model: ArmModel, seed: int) -> OperationPlan:
    """Frames, conditions and variant by chance: every choice must mean the same motion."""
    chance = random.Random(seed)
    candidates = Candidates(model, own_gravity(model))
    frames = candidates.frames(vanishing=chance.choice(["", "my", "Jxy", "Jyz"]))
    if seed % 5 == 0:  # all choices of frames, which take longer to list
        frames = chance.choice(list(candidates.framings()))
    wanted = frames.regrouping.conditions()
    chance.shuffle(wanted)
    textbook = candidates.textbook(frames)
    conditions = textbook.conditions if seed % 2 else tuple(frames.regrouping.selected(wanted))
    if len(conditions) < len(textbook.conditions):
        conditions = textbook.conditions
    names = tuple(str(condition) for condition in conditions)
    variant = random_variant(len(frames.skeleton.steps), chance)
    return OperationPlan(names, variant, frames.carriers, frames.through_next, frames.vanishing)


def realized_by_chance(model: ArmModel, seed: int) -> Reduced:
    return realized(model, random_plan(model, seed), Situation(own_gravity(model)))
