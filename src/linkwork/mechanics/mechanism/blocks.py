"""Placing bodies block after block: positions by closed forms or Newton, then rates, then accelerations.

Unknown turns are absolute in their group: a unit rate of one moves what hangs on the body without
turning it, unless that belongs to another group.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import casadi as ca

from linkwork.mechanics.expressions import SX, cross, number, squared, times, vector, zeros
from linkwork.mechanics.mechanism.closures import Closure, Length, Level
from linkwork.mechanics.mechanism.plan import Block, Placing, Plan
from linkwork.mechanics.mechanism.solving import SMALL, Square, factored
from linkwork.mechanics.mechanism.state import Inputs, State, Z, clean
from linkwork.mechanics.mechanism.turns import Pair
from linkwork.rotations import cosine_sine

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
        rates, accelerations = nothing, nothing
        if block.unknowns:
            factor = self.factors[k]
            _velocities(state, block, nothing)
            right = [-closure.rate(state) for closure in block.closures]
            if not all(each.is_zero() for each in right):
                rates = dict(zip(block.unknowns, factor.solve(right), strict=True))
        _velocities(state, block, rates)
        if block.unknowns:
            _accelerations(state, block, nothing)
            right = [-closure.change(state) for closure in block.closures]
            if not all(each.is_zero() for each in right):
                accelerations = dict(zip(block.unknowns, self.factors[k].solve(right), strict=True))
        _accelerations(state, block, accelerations)


def placed(plan: Plan, inputs: Inputs, steps: int = STEPS) -> Solution:
    """All bodies at the coordinates of `inputs`; rates and accelerations are left out."""
    solution = Solution(State(plan, replace(inputs, rates={}, accelerations={})))
    for k, block in enumerate(plan.blocks):
        if block.kind == "newton":
            more = MORE if len(block.unknowns) > SMALL else 0
            before = _newton(solution.state, block, steps + more)
        else:
            _SOLVERS[block.kind](solution.state, block)
        if block.unknowns:
            factor = _factor(solution.state, block)
            solution.factors[k] = factor
            if block.kind == "newton":
                good = ca.logic_and(before < TOLERANCE**2, factor.determinant * block.sign > 0)
                solution.state.guards.append(1 / ca.if_else(good, 1, 0))
    if plan.watched:
        error = _error(solution.state, plan.watched)
        solution.state.guards.append(1 / ca.if_else(error < OPEN**2, 1, 0))
    return solution


# Positions.


def _known(state: State, block: Block) -> None:
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


def _newton(state: State, block: Block, steps: int) -> SX:
    """The error with which the last step began; it closes the loops on the branch of home or not."""
    for placing in block.placings:
        for name, terms in zip(placing.names, placing.terms, strict=True):
            if terms is None:
                _start(state, placing, name)
    for _ in range(steps):
        _forget(state, block)
        _known(state, block)
        before = _error(state, block.closures)
        error = [-closure.residual(state) for closure in block.closures]
        step = _factor(state, block).solve(error)
        for name, change in zip(block.unknowns, step, strict=True):
            _advance(state, block, name, change)
    _forget(state, block)
    _known(state, block)
    return before


def _start(state: State, placing: Placing, name: str) -> None:
    """At home."""
    if placing.kind == "turn":
        state.atoms.pairs[f"{placing.body}|"] = (SX(1), SX(0))
    elif _is_angle(placing, name):
        assert placing.home is not None
        c, s = cosine_sine(float(placing.home[placing.names.index(name)]))
        state.atoms.pairs[name] = (SX(c), SX(s))
    else:
        state.slides[name] = SX(0)


def _is_angle(placing: Placing, name: str) -> bool:
    return placing.kind == "pose" and placing.names.index(name) > 2


def _forget(state: State, block: Block) -> None:
    """Pairs of sums that were formed from earlier steps."""
    state.atoms.forget({f"{placing.body}|" for placing in block.placings})


def _advance(state: State, block: Block, name: str, change: SX) -> None:
    placing = next(each for each in block.placings if name in each.names)
    if placing.kind == "turn":
        name = f"{placing.body}|"
    elif not _is_angle(placing, name):
        state.slides[name] = state.slides[name] + change
        return
    c, s = state.atoms.pairs[name]  # Cayley's step keeps c^2 + s^2 and stays below half a turn
    half = change / 2
    inverse = 1 / (1 + half * half)
    C, S = (1 - half * half) * inverse, change * inverse
    state.atoms.pairs[name] = (c * C - s * S, s * C + c * S)


def _error(state: State, closures: tuple[Closure, ...]) -> SX:
    """The sum of squares of what is left of closures, of the machine's size."""
    size = state.plan.model.size
    return sum(((c.residual(state) / c.unit(size)) ** 2 for c in closures), SX(0))


_SOLVERS = {"known": _known, "rod": _rod, "dyad": _dyad, "spherical": _spherical}


# Rates.


def _factor(state: State, block: Block) -> Square:
    """The Jacobian of a block's closures, by unit rates of its unknowns."""
    columns = []
    for unknown in block.unknowns:
        resting = replace(
            state, inputs=replace(state.inputs, rates={}), v={}, w={}, rates={}, accelerations={}
        )
        _velocities(resting, block, {name: SX(float(name == unknown)) for name in block.unknowns})
        columns.append([closure.rate(resting) for closure in block.closures])
    rows = [[column[k] for column in columns] for k in range(len(block.closures))]
    return factored(rows, block.pivots)


def _velocities(state: State, block: Block, unknown: dict[str, SX]) -> None:
    for placing in block.placings:
        _velocity(state, placing, unknown)


def _velocity(state: State, placing: Placing, unknown: dict[str, SX]) -> None:
    body, host = placing.body, placing.host
    on_root = host == state.plan.groups[placing.group].root
    w = zeros(3) if on_root else state.w.get(host, zeros(3))
    v = zeros(3) if on_root else state.v.get(host, zeros(3))
    rates = [
        unknown[name] if terms is None else state.sum_of(terms, state.rates)
        for name, terms in zip(placing.names, placing.terms, strict=True)
    ]
    match placing.kind:
        case "turn":
            sign, before = placing.way * placing.sense, w[2]
            after = rates[0] if placing.terms[0] is None else before + sign * rates[0]
            rates[0] = sign * (after - before) if placing.terms[0] is None else rates[0]
            state.v[body], state.w[body] = v + cross(w, state.levers[body]), after * Z
        case "slide":
            slide = state.slide_direction(placing) * rates[0]
            state.v[body], state.w[body] = v + cross(w, state.levers[body]) + slide, w
        case "weld":
            state.v[body], state.w[body] = v, w
        case _:
            state.v[body] = vector(*rates[:3])
            state.w[body] = _spin(state, placing, rates[3:])
    state.rates |= dict(zip(placing.names, rates, strict=True))


def _spin(state: State, placing: Placing, rates: list[SX]) -> SX:
    """Of a pose: given, or of roll, pitch and yaw that change."""
    if state.is_spin(placing):
        return vector(*rates)
    axes = state.rpy_axes(placing)
    return sum((axis * rate for axis, rate in zip(axes, rates, strict=True)), zeros(3))


# Accelerations.


def _accelerations(state: State, block: Block, unknown: dict[str, SX]) -> None:
    for placing in block.placings:
        _acceleration(state, placing, unknown)


def _acceleration(state: State, placing: Placing, unknown: dict[str, SX]) -> None:
    body, host = placing.body, placing.host
    on_root = host == state.plan.groups[placing.group].root
    w, al, a = (zeros(3) if on_root else of.get(host, zeros(3)) for of in (state.w, state.al, state.a))
    values = [
        unknown[name] if terms is None else state.sum_of(terms, state.accelerations)
        for name, terms in zip(placing.names, placing.terms, strict=True)
    ]
    lever = state.levers[body]
    match placing.kind:
        case "turn":
            sign, before = placing.way * placing.sense, al[2]
            after = values[0] if placing.terms[0] is None else before + sign * values[0]
            values[0] = sign * (after - before) if placing.terms[0] is None else values[0]
            state.a[body] = a + cross(al, lever) + squared(w, lever)
            state.al[body] = after * Z
        case "slide":
            direction, rate = state.slide_direction(placing), state.rates[placing.name]
            own = direction * values[0] + 2 * cross(w, direction * rate)
            state.a[body], state.al[body] = a + cross(al, lever) + squared(w, lever) + own, al
        case "weld":
            state.a[body], state.al[body] = a, al
        case _:
            state.a[body] = vector(*values[:3])
            state.al[body] = _spin(state, placing, values[3:])
            if not state.is_spin(placing):
                state.al[body] = state.al[body] + _spin_drift(state, placing)
    state.accelerations |= dict(zip(placing.names, values, strict=True))


def _spin_drift(state: State, placing: Placing) -> SX:
    """Angular acceleration of roll, pitch and yaw that change steadily."""
    roll, pitch, yaw = (state.rates[placing.names[k]] for k in (3, 4, 5))
    (cy, sy), (cz, sz) = (state.pose_pair(placing, k) for k in (4, 5))
    first = vector(-sz * cy * yaw - cz * sy * pitch, cz * cy * yaw - sz * sy * pitch, -cy * pitch)
    return first * roll + vector(-cz * yaw, -sz * yaw, 0) * pitch
