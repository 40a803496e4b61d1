"""Finding a cheap plan: descent for every robot, annealing for those who have half a minute."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable
from dataclasses import replace

from linkwork.mechanics.arm.minimal.candidates import Candidate, Candidates
from linkwork.mechanics.arm.minimal.neighbours import moves, neighbour
from linkwork.mechanics.arm.minimal.plan import Gravity, Plan
from linkwork.robots.arm import ArmModel

LONGEST_SEARCHED = 10  # links; beyond, a descent would take many seconds
HOTTEST, COLDEST = 3.0, 0.2  # operations
Progress = Callable[[float], None]  # part of the time or of the trials
ROUND = 6000  # trials of one annealing
POLISHING = 1500  # trials of a quick plan, times links: a trial takes longer the more there are
QUICK_SECONDS = 2.0  # of computing; a slow machine takes the best of what it has tried by then


def _no_end() -> bool:
    return False


def descend(
    candidates: Candidates, candidate: Candidate, rounds: int, late: Callable[[], bool] = _no_end
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
) -> Plan:
    """The best plan within a time or a number of trials; never worse than the quick or known one.

    Rounds of annealing have a fixed length, so that the order of trials does not depend on time.
    """
    begun = time.monotonic()

    def spent() -> float:
        part = (time.monotonic() - begun) / seconds
        return part if evaluations is None else candidates.evaluations / evaluations

    start = quick_candidate(candidates)
    found = [(candidates.cost(start), start)]
    plan = Plan.parse(known, candidates.model)
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
        trial = neighbour(candidates, here, chance)
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
        trial = neighbour(candidates, candidate, chance)
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


def quick_plan(model: ArmModel, gravity: Gravity) -> Plan:
    return quick_candidate(Candidates(model, gravity)).plan()
