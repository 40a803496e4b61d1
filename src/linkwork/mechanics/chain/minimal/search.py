"""Finding a cheap operation plan: descent for every robot, annealing for those who have half a minute.

Candidates are plans of one robot under its gravity; neighbors differ by one choice of variant,
conditions or frames.
"""

from __future__ import annotations

import math
import operator
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from linkwork.mechanics.chain.minimal.common_normals import (
    VANISHING,
    Skeleton,
    parallel_groups,
    skeleton,
)
from linkwork.mechanics.chain.minimal.operation_plan import Gravity, OperationPlan, cost, in_frame
from linkwork.mechanics.chain.minimal.recursion import Variant, may_rest
from linkwork.mechanics.chain.minimal.regrouping import (
    LARGEST_GROWTH,
    Condition,
    Regrouping,
    fallback_conditions,
)
from linkwork.model.families.arm import ArmModel
from linkwork.model.geometry import Array

ANGLE = 15.0  # operations: what a sine and cosine takes in time, though no paper counts it
LONGEST_SEARCHED = 10  # links; beyond, a descent would take many seconds
HOTTEST, COLDEST = 3.0, 0.2  # operations
ROUND = 6000  # trials of one annealing
POLISHING = 1500  # trials of a quick plan, times links: a trial takes longer the more there are
QUICK_SECONDS = 2.0  # of computing; a slow machine takes the best of what it has tried by then
WORST_CONDITION = 1e8  # of the system that the conditions make
Progress = Callable[[float], None]  # part of the time or of the trials
Move = Callable[[Variant], Variant]


@dataclass(frozen=True)
class Frames:
    """Choices of frames, and what follows from them."""

    carriers: tuple[int, ...]
    through_next: tuple[int, ...]
    vanishing: str
    skeleton: Skeleton
    regrouping: Regrouping

    @property
    def gravity(self) -> Gravity:
        assert self.regrouping.gravity is not None
        return self.regrouping.gravity


@dataclass(frozen=True)
class Candidate:
    frames: Frames
    conditions: tuple[Condition, ...]
    variant: Variant

    def plan(self) -> OperationPlan:
        names = tuple(str(condition) for condition in self.conditions)
        frames = self.frames
        return OperationPlan(names, self.variant, frames.carriers, frames.through_next, frames.vanishing)


class Candidates:
    """Frames and costs of one robot's candidates."""

    def __init__(self, model: ArmModel, gravity: Gravity) -> None:
        self.model = model
        self.gravity = gravity
        self.evaluations = 0
        self._frames: dict[tuple[object, ...], Frames] = {}

    def frames(
        self, carriers: tuple[int, ...] = (), through_next: tuple[int, ...] = (), vanishing: str = ""
    ) -> Frames:
        key = (carriers, through_next, vanishing)
        if key not in self._frames:
            bones = skeleton(self.model, *key)
            group = Regrouping(bones.steps, in_frame(bones.base.R, self.gravity))
            self._frames[key] = Frames(*key, bones, group)
        return self._frames[key]

    def parameters(self, candidate: Candidate) -> Array:
        return candidate.frames.regrouping.roughly(candidate.conditions).reshape(-1, 10)

    def cost(self, candidate: Candidate) -> float:
        parameters = self.parameters(candidate)
        if candidate.frames.regrouping.growth(parameters) > LARGEST_GROWTH:
            self.evaluations += 1
            return math.inf
        return self._cost(candidate.frames, parameters, candidate.variant)

    def _cost(self, frames: Frames, parameters: Array, variant: Variant) -> float:
        self.evaluations += 1
        steps = frames.skeleton.steps
        operations, angles = cost(steps, parameters.tolist(), variant, frames.gravity, self.model.n)
        return operations + ANGLE * angles

    def candidate(self, plan: OperationPlan) -> Candidate:
        """A plan from outside, as far as its conditions can hold."""
        frames = self.frames(plan.carriers, plan.through_next, plan.vanishing)
        wanted = [Condition.parse(text) for text in plan.conditions]
        return Candidate(frames, self.completed(frames, wanted), plan.variant)

    def start(self, frames: Frames) -> Candidate:
        """The conditions that save most, one by one, on a robot with no parameter zero."""
        steps = frames.skeleton.steps
        variant = first_variant(len(steps))
        full = np.random.default_rng(0).uniform(1, 2, (len(steps), 10))
        whole = self._cost(frames, full, variant)
        savings = []
        for condition in frames.regrouping.conditions():
            trial = full.copy()
            other = condition.equals
            trial[condition.link, condition.parameter] = (
                0.0 if other is None else trial[condition.link, other]
            )
            savings.append(whole - self._cost(frames, trial, variant))
        order = sorted(zip(savings, frames.regrouping.conditions(), strict=True), key=lambda x: -x[0])
        return Candidate(frames, self.completed(frames, [condition for _, condition in order]), variant)

    def completed(self, frames: Frames, wanted: list[Condition]) -> tuple[Condition, ...]:
        fallback = fallback_conditions(frames.skeleton.steps)
        return tuple(frames.regrouping.selected([*wanted, *fallback]))

    def textbook(self, frames: Frames) -> Candidate:
        return Candidate(frames, self.completed(frames, []), first_variant(len(frames.skeleton.steps)))

    def units(self, candidate: Candidate) -> tuple[list[float], list[float]]:
        """Units of acceleration and of force that make some constant one."""
        steps = candidate.frames.skeleton.steps
        lengths = sorted({abs(x) for step in steps for x in (step.a, step.d) if x}) or [1.0]
        if any(step.kind == "prismatic" for step in steps):
            lengths = [*lengths, 1.0]
        P = np.abs(self.parameters(candidate))
        masses = [float(m) * candidate.variant.acceleration for m in P[:, 0] if m]
        moments = [float(m) for m in P[:, 1:4].ravel() if m]
        return lengths, [1.0 / length for length in lengths] + sorted({*masses, *moments})

    def framings(self) -> Iterator[Frames]:
        """All choices of frames, one change at a time from the plain ones."""
        plain = self.frames()
        steps = plain.skeleton.steps
        yield plain
        for vanishing in VANISHING:
            turned = self.frames(vanishing=vanishing)
            if turned.skeleton.steps[-1].theta != steps[-1].theta:
                yield turned
        for first, last in parallel_groups(steps):
            yield from (self.frames((k,)) for k in range(first, last))
        for k, step in enumerate(steps[:-1]):
            if k and step.kind == "prismatic":
                yield self.frames((), (k,))

    def all_frames(self) -> list[Frames]:
        """Single choices and pairs of a turned last frame with another choice."""
        single = list(self.framings())
        turned = [frames.vanishing for frames in single if frames.vanishing]
        pairs = [
            self.frames(frames.carriers, frames.through_next, vanishing)
            for frames in single
            for vanishing in turned
            if not frames.vanishing and (frames.carriers or frames.through_next)
        ]
        return single + pairs


def first_variant(n: int) -> Variant:
    """Resting and absolute axes wherever they apply; plain otherwise."""
    yes, no = (True,) * n, (False,) * n
    return Variant(("x",) * n, no, yes, yes, yes, ((False,) * 3,) * n)


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


def _flags(candidate: Candidate, k: int) -> list[str]:
    """The switches that mean something for a link."""
    steps = candidate.frames.skeleton.steps
    flags = ["doubled"]
    if may_rest(steps, k):
        flags.append("resting")
    if k and steps[k].parallel:
        flags += ["absolute_motion", "absolute_moment"]
    return flags


def neighbor(candidates: Candidates, here: Candidate, chance: random.Random) -> Candidate | None:
    kind = chance.random()
    if kind < 0.70:
        return _exchanged(here, chance)
    if kind < 0.97:
        return replace(here, variant=chance.choice(moves(candidates, here))(here.variant))
    return _reframed(candidates, here, chance)


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


def descend(
    candidates: Candidates, candidate: Candidate, rounds: int, late: Callable[[], bool] = lambda: False
) -> tuple[float, Candidate]:
    """Take every change of the variant that helps, some times through all of them, until it is late."""
    best = candidates.cost(candidate)
    for _ in range(rounds):
        before = best
        for move in moves(candidates, candidate):
            if late():
                break
            trial = replace(candidate, variant=move(candidate.variant))
            found = candidates.cost(trial)
            if found < best:
                best, candidate = found, trial
        if best == before:
            break
    return best, candidate


def best_plan(
    candidates: Candidates,
    seconds: float,
    seed: int,
    evaluations: int | None,
    known: str,
    progress: Progress,
) -> OperationPlan:
    """The best plan within a time or a number of trials; never worse than the quick or known one.

    Rounds of annealing have a fixed length, so that the order of trials does not depend on time.
    """
    begun = time.monotonic()

    def spent() -> float:
        part = (time.monotonic() - begun) / seconds
        return part if evaluations is None else candidates.evaluations / evaluations

    start = quick_candidate(candidates)
    found = [(candidates.cost(start), start)]
    plan = OperationPlan.parse(known, candidates.model)
    if plan is not None:
        found.append((candidates.cost(candidates.candidate(plan)), candidates.candidate(plan)))
    chance = random.Random(seed)
    while spent() < 1.0:
        found.append(_anneal(candidates, start, chance, spent, progress))
    return min(found, key=lambda pair: pair[0])[1].plan()


def _anneal(
    candidates: Candidates,
    start: Candidate,
    chance: random.Random,
    spent: Callable[[], float],
    progress: Progress,
) -> tuple[float, Candidate]:
    """One round: random changes, worse ones accepted less and less."""
    here, now = start, candidates.cost(start)
    best, fewest = here, now
    for step in range(ROUND):
        part = spent()
        progress(min(part, 1.0))
        if part >= 1.0:
            break
        trial = neighbor(candidates, here, chance)
        if trial is None:
            continue
        found = candidates.cost(trial)
        temperature = max(COLDEST, HOTTEST * (1 - step / (0.9 * ROUND)))
        if found <= now or chance.random() < math.exp((now - found) / temperature):
            here, now = trial, found
            if now < fewest:
                best, fewest = here, now
    return descend(candidates, best, 3)


def _polish(
    candidates: Candidates, candidate: Candidate, trials: int, late: Callable[[], bool]
) -> Candidate:
    """A few random changes, none of which may cost anything."""
    chance = random.Random(0)
    now = candidates.cost(candidate)
    for _ in range(trials):
        if late():
            break
        trial = neighbor(candidates, candidate, chance)
        if trial is not None and (found := candidates.cost(trial)) <= now:
            candidate, now = trial, found
    return descend(candidates, candidate, 1, late)[1]


def quick_candidate(candidates: Candidates) -> Candidate:
    """A good plan in a fraction of a second, the same every time."""
    begun = time.thread_time()

    def late() -> bool:
        return time.thread_time() - begun > QUICK_SECONDS

    frames = candidates.frames()
    links = len(frames.skeleton.steps)
    if links > LONGEST_SEARCHED:
        return candidates.textbook(frames)
    starts = (candidates.start(frames), candidates.textbook(frames))
    best, candidate = descend(candidates, min(starts, key=candidates.cost), 1, late)
    for other in candidates.framings():
        if late():
            break
        conditions = candidates.completed(other, list(candidate.conditions))
        trial = replace(candidate, frames=other, conditions=conditions)
        found = candidates.cost(trial)
        if found < best:
            best, candidate = found, trial
    return _polish(candidates, candidate, POLISHING // links, late)


def quick_plan(model: ArmModel, gravity: Gravity) -> OperationPlan:
    return quick_candidate(Candidates(model, gravity)).plan()
