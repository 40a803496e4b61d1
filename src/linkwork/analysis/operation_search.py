"""Fewest operations: `minimize_operations` looks for the best plan, `operation_ablation` shows what each
step saves."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace

from linkwork.core.arguments import positive
from linkwork.core.checked import checked
from linkwork.core.errors import InputError
from linkwork.core.progress import progress_bar
from linkwork.mechanics.chain.cheapest import operation_plan, own_gravity
from linkwork.mechanics.chain.minimal.operation_plan import cost
from linkwork.mechanics.chain.minimal.recursion import plain_variant
from linkwork.mechanics.chain.minimal.search import Candidate, Candidates, best_plan, quick_candidate
from linkwork.robot.arm import Arm
from linkwork.robot.compiled import CallOptions
from linkwork.robot.loading import keep

PARTS = 1000  # of the progress bar


@checked
def minimize_operations(
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
    (`arm.model.operation_plan` is its text), and so does every later `load` of the same robot, since the
    plan is kept in the cache; the arm given stays as it is.

    Args:
        seconds: how long to look.
        seed: of the search. The same seed tries the same plans in the same order; how many of them
            depends on the time and the machine, unless `evaluations` says it.
        evaluations: try exactly so many plans instead.
        store: keep the plan in the cache.
        progress: show a bar; None shows one after a second if the terminal can.
    """
    Arm.expect(arm, "minimize_operations")
    positive(seconds, "seconds", "s")
    if not _whole(seed):
        raise InputError(f"seed = {seed!r}: expected an integer.")
    if evaluations is not None and not (_whole(evaluations) and evaluations >= 1):
        raise InputError(f"evaluations = {evaluations!r}: expected an integer from 1.")
    candidates = Candidates(arm.model, own_gravity(arm.model))
    with progress_bar(PARTS, "fewest operations", progress) as advance:
        shown = 0

        def show(part: float) -> None:
            nonlocal shown
            done = int(part * PARTS)
            if done > shown:
                advance(done - shown)
                shown = done

        plan = best_plan(candidates, seconds, seed, evaluations, arm.model.operation_plan, show)
    model = replace(arm.model, operation_plan=json.dumps(plan.to_data()))
    if store:
        keep(model)
    return Arm(model)


def _whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


RIGID: CallOptions = {"friction": False, "rotors": False}


@dataclass(frozen=True)
class Ablation:
    """Multiplications and additions of inverse dynamics (rigid body) after every step."""

    robot: str
    rows: tuple[tuple[str, int], ...]

    def __str__(self) -> str:
        lines = [f"Inverse dynamics of {self.robot}, multiplications and additions together"]
        before = self.rows[0][1]
        for step, operations in self.rows:
            change = f"{operations - before:+d}" if operations != before else ""
            lines.append(f"  {step:<62}{operations:>5}{change:>6}")
            before = operations
        return "\n".join(lines)


@checked
def operation_ablation(arm: Arm) -> Ablation:
    """The steps from the plain recursion to the kernel in use, each with what was done before it."""
    Arm.expect(arm, "operation_ablation")
    return Ablation(arm.name, tuple(_rows(arm)))


def _rows(arm: Arm) -> Iterator[tuple[str, int]]:
    model = arm.model
    plain = arm.kernel("inverse_dynamics", formulation="modified-newton-euler", **RIGID)
    yield "modified Newton-Euler, the robot's own frames, optimized", plain.counts.flops
    candidates = Candidates(model, own_gravity(model))
    frames = candidates.frames()
    steps = frames.skeleton.steps
    own = frames.regrouping.parameters.reshape(-1, 10).tolist()
    variant = plain_variant(len(steps))
    yield (
        "frames on the common normals, U by columns",
        cost(steps, own, variant, frames.gravity, model.n)[0],
    )

    def operations(candidate: Candidate) -> int:
        parameters = candidates.parameters(candidate).tolist()
        here = candidate.frames
        return cost(here.skeleton.steps, parameters, candidate.variant, here.gravity, model.n)[0]

    textbook = candidates.textbook(frames)
    yield "base parameters in closed form", operations(replace(textbook, variant=variant))
    yield "resting axes and absolute angles", operations(textbook)
    accelerations, forces = candidates.units(textbook)
    trials = [
        replace(textbook, variant=replace(textbook.variant, acceleration=a, force=f))
        for a in accelerations
        for f in forces
    ]
    yield "units of acceleration and force", min(operations(trial) for trial in trials)
    yield (
        "zero pattern and forms by descent (any robot, at once)",
        operations(quick_candidate(candidates)),
    )
    if model.operation_plan:
        found = candidates.candidate(operation_plan(model, own_gravity(model)))
        yield "zero pattern and forms by annealing (minimize_operations)", operations(found)
    yield (
        "shared and factored by the graph optimizer: the kernel",
        arm.kernel("inverse_dynamics", **RIGID).counts.flops,
    )
