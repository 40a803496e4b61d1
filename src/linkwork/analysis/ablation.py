"""What each step of the minimal formulation saves, one after the other, on one arm."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from linkwork.interface.arm import Arm
from linkwork.mechanics.arm.minimal.candidates import Candidate, Candidates
from linkwork.mechanics.arm.minimal.plan import cost
from linkwork.mechanics.arm.minimal.search import quick_candidate
from linkwork.mechanics.arm.minimal.variant import plain_variant
from linkwork.mechanics.arm.rigid import own_gravity, plan_of

RIGID: dict[str, Any] = {"friction": False, "rotors": False}


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


def ablation(arm: Arm) -> Ablation:
    """The steps from the plain recursion to the kernel in use, each with what was done before it."""
    Arm.expect(arm, "ablation")
    return Ablation(arm.name, tuple(_rows(arm)))


def _rows(arm: Arm) -> Iterator[tuple[str, int]]:
    model = arm.model
    plain = arm.kernel("inverse_dynamics", formulation="modified-newton-euler", **RIGID)
    yield "modified Newton-Euler, the robot's own frames, optimised", plain.counts.flops
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
    if model.plan:
        found = candidates.candidate(plan_of(model, own_gravity(model)))
        yield "zero pattern and forms by annealing (minimise)", operations(found)
    yield (
        "shared and factored by the graph optimiser: the kernel",
        arm.kernel("inverse_dynamics", **RIGID).counts.flops,
    )
