"""`minimise`: look for the plan with the fewest operations, for as long as the user likes."""

from __future__ import annotations

import json
from dataclasses import replace

from linkwork.checks import positive
from linkwork.errors import InputError
from linkwork.interface.arm import Arm
from linkwork.mechanics.arm.rigid import own_gravity
from linkwork.mechanics.arm.search import Search
from linkwork.plans import keep
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
    """Search for the kernels of an arm with the fewest operations.

    Anneals over the frames, the zero patterns of the inertial parameters and the forms of the recursion,
    with the number of multiplications and additions of inverse dynamics as cost. The arm itself uses the
    result from then on, and so does every later `load` of the same robot, since the plan is kept in the
    cache (`arm.model.plan` is its text).

    Args:
        seconds: how long to look.
        seed: of the search. The same seed tries the same plans in the same order; how many of them
            depends on the time and the machine, unless `evaluations` says it.
        evaluations: try exactly so many plans instead.
        store: keep the plan in the cache.
        progress: show a bar; None shows one after a second if the terminal can.
    """
    if not isinstance(arm, Arm):
        raise InputError(f"minimise takes an arm, not {type(arm).__name__}.")
    positive(seconds, "seconds", "s")
    if not _whole(seed):
        raise InputError(f"seed = {seed!r}: allowed is a whole number.")
    if evaluations is not None and not (_whole(evaluations) and evaluations >= 1):
        raise InputError(f"evaluations = {evaluations!r}: allowed is a whole number from 1.")
    search = Search(arm.model, own_gravity(arm.model))
    with progress_bar(PARTS, "fewest operations", progress) as advance:
        shown = 0

        def show(part: float) -> None:
            nonlocal shown
            done = int(part * PARTS)
            if done > shown:
                advance(done - shown)
                shown = done

        plan = search.best(seconds, seed, evaluations, arm.model.plan, show)
    arm.adopt(replace(arm.model, plan=json.dumps(plan.to_data())))
    if store:
        keep(arm.model)
    return arm


def _whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
