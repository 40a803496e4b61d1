"""Positions of bodies by closed forms: known ones, arm or slide with a rod, planar, spherical dyads."""

from __future__ import annotations

import casadi as ca

from linkwork.mechanics.expressions import SX, number, times, zeros
from linkwork.mechanics.mechanism.closures import Length, Level
from linkwork.mechanics.mechanism.plan import Block
from linkwork.mechanics.mechanism.state import State, clean
from linkwork.mechanics.mechanism.turns import Pair


def known(state: State, block: Block) -> None:
    for placing in block.placings:
        state.put(placing)


def _rod(state: State, block: Block) -> None:
    (placing,), (closure,) = block.placings, block.closures
    assert isinstance(closure, Length)
    strut = closure.strut
    arm, end, other = strut.start, strut.end, strut.joins[1]
    if strut.joins[0] != placing.body:
        arm, end, other = strut.end, strut.start, strut.joins[0]
    L2 = state.length(strut) ** 2
    target = state.view(other, end, placing.group).p
    start = zeros(3) if placing.host == state.plan.groups[placing.group].root else state.p[placing.host]
    if placing.kind == "slide":
        turn, direction = state.host_turn(placing), state.slide_direction(placing)
        D = target - start - turn.out(state.offset_in(placing.body, arm))
        along = ca.dot(D, direction)
        state.slides[placing.name] = along - block.sign * ca.sqrt(L2 - ca.sumsqr(D) + along * along)
        state.put(placing)
        return
    D = target - start - state.lever(placing)
    e = state.offset_in(placing.body, arm)
    rise = D[2] - e[2]
    state.atoms.pairs[f"{placing.body}|"] = _turned_onto(
        e, _two_circles(D, e[0] ** 2 + e[1] ** 2, L2 - rise * rise, block.sign)
    )
    state.put(placing)


def _dyad(state: State, block: Block) -> None:
    first, second = block.placings
    end = block.closures[0].joint  # type: ignore[attr-defined]
    other = next(body for body in end.joins if body != second.body)
    target = state.view(other, end.at, first.group).p
    start = zeros(3) if first.host == state.plan.groups[first.group].root else state.p[first.host]
    D = target - start - state.lever(first)
    C = state.plan.groups[first.group].C
    e1 = number(clean(C.T @ (state.plan.origin(second.body) - state.plan.origin(first.body))))
    e2 = state.offset_in(second.body, end.at)
    u = _two_circles(D, e1[0] ** 2 + e1[1] ** 2, e2[0] ** 2 + e2[1] ** 2, block.sign)
    state.atoms.pairs[f"{first.body}|"] = _turned_onto(e1, u)
    state.atoms.pairs[f"{second.body}|"] = _turned_onto(e2, (D[0] - u[0], D[1] - u[1]))
    state.put(first)
    state.put(second)


def _spherical(state: State, block: Block) -> None:
    """Two bodies on three pins through one point: two cones about the outer ones meet in the inner."""
    first, second = block.placings
    level = block.closures[0]
    assert isinstance(level, Level)
    # The pin that is cut has its axis in both of its bodies, so that either direction will do.
    axis, other = level.of_b, next(body for body in level.joins if body != second.body)
    view = state.view(other, second.at, first.group)
    D = state.seen_direction(view, axis)
    C = state.plan.groups[first.group].C
    e = number(clean(C.T @ second.axis))
    along = float(second.axis @ axis) - e[2] * D[2]
    u = _on_circle(D, e[0] ** 2 + e[1] ** 2, along, block.sign)
    state.atoms.pairs[f"{first.body}|"] = _turned_onto(e, u)
    state.put(first)
    K = number(state.step(second.group)).T
    seen = times(K, state.turns[first.body].back(D))
    home = number(clean(state.plan.groups[second.group].C.T @ axis))
    state.atoms.pairs[f"{second.body}|"] = _turned_onto(home, (seen[0], seen[1]))
    state.put(second)


def _two_circles(D: SX, one: SX, other: SX, sign: float) -> Pair:
    """The vector of squared length `one` whose rest to D has squared length `other`, in the plane."""
    D2 = D[0] ** 2 + D[1] ** 2
    return _on_circle(D, one, (D2 + one - other) / 2, sign)


def _on_circle(D: SX, square: SX, along: SX, sign: float) -> Pair:
    """The vector of a squared length in the plane whose product with D is `along`."""
    D2 = D[0] ** 2 + D[1] ** 2
    across = sign * ca.sqrt(square * D2 - along * along)
    inverse = 1 / D2
    a, h = along * inverse, across * inverse
    return a * D[0] - h * D[1], a * D[1] + h * D[0]


def _turned_onto(e: SX, u: Pair) -> Pair:
    """Cosine and sine of the turn that takes e to u."""
    inverse = 1 / (e[0] ** 2 + e[1] ** 2)
    x, y = e[0] * inverse, e[1] * inverse
    return x * u[0] + y * u[1], x * u[1] - y * u[0]


SOLVERS = {"known": known, "rod": _rod, "dyad": _dyad, "spherical": _spherical}
