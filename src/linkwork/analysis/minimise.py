"""`minimise`: look for the plan with the fewest operations, for as long as the user likes."""

from __future__ import annotations

import json
from dataclasses import replace

from linkwork.checks import positive
from linkwork.errors import InputError
from linkwork.interface.arm import Arm
from linkwork.interface.stored_plans import keep
from linkwork.mechanics.arm.minimal.candidates import Candidates
from linkwork.mechanics.arm.minimal.search import best_plan
from linkwork.mechanics.arm.rigid import own_gravity
from linkwork.progress import progress_bar

PARTS = 1000  # of the progress bar


def minimise(
    arm: Arm,
    seconds: float = 30.0,
    seed: int = 0,
    *,
    evaluations: int | None = None,
    store: bool = True,
    progress: bool | None = None,
) -> Arm:
    """An arm like the one given whose kernels take the fewest operations that a search finds.

    Anneals over the frames, the zero patterns of the inertial parameters and the forms of the recursion,
    with the number of multiplications and additions of inverse dynamics as cost, and fifteen for every
    sine and cosine, which is their time. The arm that comes back uses the plan that was found
    (`arm.model.plan` is its text), and so does every later `load` of the same robot, since the plan is
    kept in the cache; the arm given stays as it is.

    Args:
        seconds: how long to look.
        seed: of the search. The same seed tries the same plans in the same order; how many of them
            depends on the time and the machine, unless `evaluations` says it.
        evaluations: try exactly so many plans instead.
        store: keep the plan in the cache.
        progress: show a bar; None shows one after a second if the terminal can.
    """
    Arm.expect(arm, "minimise")
    positive(seconds, "seconds", "s")
    if not _whole(seed):
        raise InputError(f"seed = {seed!r}: allowed is a whole number.")
    if evaluations is not None and not (_whole(evaluations) and evaluations >= 1):
        raise InputError(f"evaluations = {evaluations!r}: allowed is a whole number from 1.")
    candidates = Candidates(arm.model, own_gravity(arm.model))
    with progress_bar(PARTS, "fewest operations", progress) as advance:
        shown = 0

        def show(part: float) -> None:
            nonlocal shown
            done = int(part * PARTS)
            if done > shown:
                advance(done - shown)
                shown = done

        plan = best_plan(candidates, seconds, seed, evaluations, arm.model.plan, show)
    model = replace(arm.model, plan=json.dumps(plan.to_data()))
    if store:
        keep(model)
    return Arm(model)


def _whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
