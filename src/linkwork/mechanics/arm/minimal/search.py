"""Finding a cheap plan: descent for every robot, annealing for those who have half a minute."""

from __future__ import annotations

import math
import operator
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from linkwork.mechanics.arm.minimal.changes import Move, changing, flipping, other_squared, replacing
from linkwork.mechanics.arm.minimal.common_normals import Skeleton, parallel_groups, skeleton
from linkwork.mechanics.arm.minimal.link_axes import may_rest
from linkwork.mechanics.arm.minimal.plan import (
    Gravity,
    Plan,
    cost,
    fallback_conditions,
    in_frame,
)
from linkwork.mechanics.arm.minimal.regrouping import LARGEST_GROWTH, Condition, Regrouping
from linkwork.mechanics.arm.minimal.variant import Variant
from linkwork.robots.arm import ArmModel
from linkwork.robots.geometry import Array

LONGEST_SEARCHED = 10  # links; beyond, a descent would take many seconds
WORST_CONDITION = 1e8  # of the system that the conditions make
ANGLE = 0.5  # operations: a sine and cosine takes time, though no paper counts it
HOTTEST, COLDEST = 3.0, 0.2  # operations
Progress = Callable[[float], None]  # part of the time or of the trials
ROUND = 6000  # trials of one annealing
POLISHING = 150  # trials of a quick plan


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

    def plan(self) -> Plan:
        names = tuple(str(condition) for condition in self.conditions)
        frames = self.frames
        return Plan(names, self.variant, frames.carriers, frames.through_next, frames.vanishing)


class Search:
    """Plans of one robot under its gravity."""

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

    # -- starting points

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

    # -- neighbours

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
        for vanishing in ("my", "Jxy", "Jyz"):
            turned = self.frames(vanishing=vanishing)
            if turned.skeleton.steps[-1].theta != steps[-1].theta:
                yield turned
        for first, last in parallel_groups(steps):
            yield from (self.frames((k,)) for k in range(first, last))
        for k, step in enumerate(steps[:-1]):
            if k and step.kind == "prismatic":
                yield self.frames((), (k,))

    def moves(self, candidate: Candidate) -> list[Move]:
        """Every change of one choice in the variant."""
        accelerations, forces = self.units(candidate)
        moves = [replacing(acceleration=unit) for unit in accelerations]
        moves += [replacing(force=unit) for unit in forces]
        for k in range(len(candidate.variant.squared)):
            moves.append(changing("squared", k, other_squared))
            moves += [changing(name, k, operator.not_) for name in self._flags(candidate, k)]
            moves += [changing("euler", k, flipping(axis)) for axis in range(3)]
        return moves

    def _flags(self, candidate: Candidate, k: int) -> list[str]:
        """The switches that mean something for a link."""
        steps = candidate.frames.skeleton.steps
        flags = ["doubled"]
        if may_rest(steps, k):
            flags.append("resting")
        if k and steps[k].parallel:
            flags += ["absolute_motion", "absolute_moment"]
        return flags

    def descend(self, candidate: Candidate, rounds: int) -> tuple[float, Candidate]:
        """Take every change of the variant that helps, some times through all of them."""
        best = self.cost(candidate)
        for _ in range(rounds):
            before = best
            for move in self.moves(candidate):
                trial = replace(candidate, variant=move(candidate.variant))
                found = self.cost(trial)
                if found < best:
                    best, candidate = found, trial
            if best == before:
                break
        return best, candidate

    def _exchanged(self, candidate: Candidate, chance: random.Random) -> Candidate | None:
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

    def _reframed(self, candidate: Candidate, chance: random.Random) -> Candidate:
        """Other frames with the same conditions, as far as they can hold there."""
        frames = chance.choice(self._all_frames())
        return replace(
            candidate, frames=frames, conditions=self.completed(frames, list(candidate.conditions))
        )

    def _all_frames(self) -> list[Frames]:
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

    def best(
        self, seconds: float, seed: int, evaluations: int | None, known: str, progress: Progress
    ) -> Plan:
        """The best plan within a time or a number of trials; never worse than the quick or known one.

        Rounds of annealing have a fixed length, so that the order of trials does not depend on time.
        """
        begun = time.monotonic()

        def spent() -> float:
            part = (time.monotonic() - begun) / seconds
            return part if evaluations is None else self.evaluations / evaluations

        start = quick_candidate(self)
        found = [(self.cost(start), start)]
        plan = Plan.parse(known, self.model)
        if plan is not None:
            found.append((self.cost(self.candidate(plan)), self.candidate(plan)))
        chance = random.Random(seed)
        while spent() < 1.0:
            found.append(self._anneal(start, chance, spent, progress))
        return min(found, key=lambda pair: pair[0])[1].plan()

    def candidate(self, plan: Plan) -> Candidate:
        """A plan from outside, as far as its conditions can hold."""
        frames = self.frames(plan.carriers, plan.through_next, plan.vanishing)
        wanted = [Condition.parse(text) for text in plan.conditions]
        return Candidate(frames, self.completed(frames, wanted), plan.variant)

    def _anneal(
        self, start: Candidate, chance: random.Random, spent: Callable[[], float], progress: Progress
    ) -> tuple[float, Candidate]:
        """One round: random changes, worse ones accepted less and less."""
        here, now = start, self.cost(start)
        best, fewest = here, now
        for step in range(ROUND):
            part = spent()
            progress(min(part, 1.0))
            if part >= 1.0:
                break
            trial = self._neighbour(here, chance)
            if trial is None:
                continue
            found = self.cost(trial)
            temperature = max(COLDEST, HOTTEST * (1 - step / (0.9 * ROUND)))
            if found <= now or chance.random() < math.exp((now - found) / temperature):
                here, now = trial, found
                if now < fewest:
                    best, fewest = here, now
        return self.descend(best, 3)

    def polish(self, candidate: Candidate, trials: int) -> Candidate:
        """A few random changes, none of which may cost anything."""
        chance = random.Random(0)
        now = self.cost(candidate)
        for _ in range(trials):
            trial = self._neighbour(candidate, chance)
            if trial is not None and (found := self.cost(trial)) <= now:
                candidate, now = trial, found
        return self.descend(candidate, 1)[1]

    def _neighbour(self, here: Candidate, chance: random.Random) -> Candidate | None:
        kind = chance.random()
        if kind < 0.70:
            return self._exchanged(here, chance)
        if kind < 0.97:
            return replace(here, variant=chance.choice(self.moves(here))(here.variant))
        return self._reframed(here, chance)


def first_variant(n: int) -> Variant:
    """Resting and absolute axes wherever they apply; plain otherwise."""
    yes, no = (True,) * n, (False,) * n
    return Variant(("x",) * n, no, yes, yes, yes, ((False,) * 3,) * n)


def quick_candidate(search: Search) -> Candidate:
    """A good plan in a fraction of a second, the same every time."""
    frames = search.frames()
    if len(frames.skeleton.steps) > LONGEST_SEARCHED:
        return search.textbook(frames)
    best, candidate = search.descend(
        min((search.start(frames), search.textbook(frames)), key=search.cost), 1
    )
    for other in search.framings():
        conditions = search.completed(other, list(candidate.conditions))
        trial = replace(candidate, frames=other, conditions=conditions)
        found = search.cost(trial)
        if found < best:
            best, candidate = found, trial
    return search.polish(candidate, POLISHING)


def quick_plan(model: ArmModel, gravity: Gravity) -> Plan:
    return quick_candidate(Search(model, gravity)).plan()
