"""Plans of one robot under its gravity that a search may try, and what each would cost."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from linkwork.mechanics.arm.minimal.common_normals import VANISHING, Skeleton, parallel_groups, skeleton
from linkwork.mechanics.arm.minimal.conditions import Condition, fallback_conditions
from linkwork.mechanics.arm.minimal.plan import Gravity, Plan, cost, in_frame
from linkwork.mechanics.arm.minimal.regrouping import LARGEST_GROWTH, Regrouping
from linkwork.mechanics.arm.minimal.variant import Variant
from linkwork.robots.arm import ArmModel
from linkwork.robots.geometry import Array

ANGLE = 15.0  # operations: what a sine and cosine takes in time, though no paper counts it


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

    def candidate(self, plan: Plan) -> Candidate:
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
