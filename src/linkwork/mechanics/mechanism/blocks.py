"""Placing bodies block after block: positions by closed forms or Newton, then rates, then accelerations.

Unknown turns are absolute in their group: a unit rate of one moves what hangs on the body without
turning it, unless that belongs to another group.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import casadi as ca

from linkwork.mechanics.expressions import SX
from linkwork.mechanics.mechanism import newton
from linkwork.mechanics.mechanism.block_motion import accelerations, factor, velocities
from linkwork.mechanics.mechanism.closed_forms import SOLVERS
from linkwork.mechanics.mechanism.plan import Block, Plan
from linkwork.mechanics.mechanism.solving import SMALL, Square
from linkwork.mechanics.mechanism.state import Inputs, State

STEPS = 7
MORE = 2  # steps of larger blocks, which begin farther from their solutions
# Of closures before Newton's last step, of the machine's size: what is left grows with the square
TOLERANCE = 1e-9
OPEN = 1e-6  # of a redundant closure whose relation came from rounded lengths


@dataclass
class Solution:
    """A state with all bodies placed, and the factored Jacobian of every block that has unknowns."""

    state: State
    factors: dict[int, Square] = field(default_factory=dict)

    def moved(self, inputs: Inputs, base: State | None = None) -> State:
        """The same place with the velocities and accelerations of `inputs`."""
        old = self.state if base is None else base
        state = replace(
            old, inputs=inputs, v={}, w={}, a={}, al={}, rates={}, accelerations={}, guards=old.guards
        )
        for k, block in enumerate(state.plan.blocks):
            self._move(state, k, block)
        return state

    def leg_moved(self, block: int, body: str, acceleration: SX) -> State:
        """One block at rest whose end moves with a body that only translates."""
        inputs = replace(self.state.inputs, rates={}, accelerations={})
        empty: dict[str, SX] = {}
        state = replace(
            self.state, inputs=inputs, v={}, w={}, rates=empty, accelerations=dict(empty), al={}, a={}
        )
        state.a[body] = acceleration
        self._move(state, block, state.plan.blocks[block])
        return state

    def _move(self, state: State, k: int, block: Block) -> None:
        nothing = dict.fromkeys(block.unknowns, SX(0))
        rates, pushes = nothing, nothing
        if block.unknowns:
            velocities(state, block, nothing)
            right = [-closure.rate(state) for closure in block.closures]
            if not all(each.is_zero() for each in right):
                rates = dict(zip(block.unknowns, self.factors[k].solve(right), strict=True))
        velocities(state, block, rates)
        if block.unknowns:
            accelerations(state, block, nothing)
            right = [-closure.change(state) for closure in block.closures]
            if not all(each.is_zero() for each in right):
                pushes = dict(zip(block.unknowns, self.factors[k].solve(right), strict=True))
        accelerations(state, block, pushes)


def placed(plan: Plan, inputs: Inputs, steps: int = STEPS) -> Solution:
    """All bodies at the coordinates of `inputs`; rates and accelerations are left out."""
    solution = Solution(State(plan, replace(inputs, rates={}, accelerations={})))
    state = solution.state
    for k, block in enumerate(plan.blocks):
        if block.kind == newton.NEWTON:
            more = MORE if len(block.unknowns) > SMALL else 0
            before = newton.solve(state, block, steps + more)
        else:
            SOLVERS[block.kind](state, block)
        if block.unknowns:
            factors = solution.factors[k] = factor(state, block)
            if block.kind == newton.NEWTON:
                good = ca.logic_and(before < TOLERANCE**2, factors.determinant * block.sign > 0)
                state.guards.append(1 / ca.if_else(good, 1, 0))
    if plan.watched:
        error = newton.closing_error(state, plan.watched)
        state.guards.append(1 / ca.if_else(error < OPEN**2, 1, 0))
    return solution
