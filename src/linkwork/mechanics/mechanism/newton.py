"""Positions of bodies by Newton's method, where no closed form serves.

It begins at home, or at a guess: unknown turns (absolute in their group), slides and pose coordinates.
"""

from __future__ import annotations

import casadi as ca

from linkwork.mechanics.expressions import SX
from linkwork.mechanics.mechanism.block_motion import factor
from linkwork.mechanics.mechanism.closed_forms import known
from linkwork.mechanics.mechanism.closures import Closure
from linkwork.mechanics.mechanism.plan import Block, Placing, Plan
from linkwork.mechanics.mechanism.state import State
from linkwork.rotations import cosine_sine

NEWTON = "newton"  # kind of a block


def solve(state: State, block: Block, steps: int) -> SX:
    """The error with which the last step began; it closes the loops on the branch of home or not."""
    for placing, name in _unknowns(block):
        _start(state, placing, name)
    for _ in range(steps):
        _forget(state, block)
        known(state, block)
        before = closing_error(state, block.closures)
        error = [-closure.residual(state) for closure in block.closures]
        step = factor(state, block).solve(error)
        for (placing, name), change in zip(_unknowns(block), step, strict=True):
            _advance(state, placing, name, change)
    _forget(state, block)
    known(state, block)
    return before


def closing_error(state: State, closures: tuple[Closure, ...]) -> SX:
    """The sum of squares of what is left of closures, of the machine's size."""
    size = state.plan.model.size
    return sum(((c.residual(state) / c.unit(size)) ** 2 for c in closures), SX(0))


# Unknowns of all blocks, in the order of the plan.


def unknown_names(plan: Plan) -> tuple[str, ...]:
    return tuple(name for _, name in _all_unknowns(plan))


def slides(plan: Plan) -> tuple[bool, ...]:
    """Which of the unknowns are lengths."""
    return tuple(not _is_turn(*each) for each in _all_unknowns(plan))


def home_values(plan: Plan) -> tuple[float, ...]:
    return tuple(_home(*each) for each in _all_unknowns(plan))


def values(state: State) -> SX:
    """As they were found."""
    found = []
    for placing, name in _all_unknowns(state.plan):
        if _is_turn(placing, name):
            c, s = state.atoms.pairs[_atom(placing, name)]
            found.append(ca.atan2(s, c))
        else:
            found.append(state.slides[name])
    return ca.vertcat(SX(0, 1), *found)


def _all_unknowns(plan: Plan) -> list[tuple[Placing, str]]:
    return [each for block in plan.blocks if block.kind == NEWTON for each in _unknowns(block)]


def _unknowns(block: Block) -> list[tuple[Placing, str]]:
    return [(placing, name) for placing in block.placings for name in placing.unknowns]


def _is_turn(placing: Placing, name: str) -> bool:
    return placing.kind == "turn" or (placing.kind == "pose" and placing.names.index(name) > 2)


def _atom(placing: Placing, name: str) -> str:
    """Under which its cosine and sine are kept."""
    return f"{placing.body}|" if placing.kind == "turn" else name


def _home(placing: Placing, name: str) -> float:
    """Slides and turns count from home, angles of a pose are absolute."""
    if placing.kind != "pose" or not _is_turn(placing, name):
        return 0.0
    assert placing.home is not None
    return float(placing.home[placing.names.index(name)])


def _start(state: State, placing: Placing, name: str) -> None:
    guess = state.inputs.guess.get(name)
    if not _is_turn(placing, name):
        state.slides[name] = SX(0) if guess is None else guess
    elif guess is None:
        c, s = cosine_sine(_home(placing, name))
        state.atoms.pairs[_atom(placing, name)] = (SX(c), SX(s))
    else:
        state.atoms.pairs[_atom(placing, name)] = (ca.cos(guess), ca.sin(guess))


def _forget(state: State, block: Block) -> None:
    """Pairs of sums that were formed from earlier steps."""
    state.atoms.forget({f"{placing.body}|" for placing in block.placings})


def _advance(state: State, placing: Placing, name: str, change: SX) -> None:
    if not _is_turn(placing, name):
        state.slides[name] = state.slides[name] + change
        return
    atom = _atom(placing, name)
    c, s = state.atoms.pairs[atom]  # Cayley's step keeps c^2 + s^2 and stays below half a turn
    half = change / 2
    inverse = 1 / (1 + half * half)
    C, S = (1 - half * half) * inverse, change * inverse
    state.atoms.pairs[atom] = (c * C - s * S, s * C + c * S)
