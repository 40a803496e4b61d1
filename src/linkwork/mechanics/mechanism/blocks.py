"""Placing bodies block after block: positions by closed forms or Newton, then rates, then accelerations.

Unknown turns are absolute in their group: a unit rate of one moves what hangs on the body without
turning it, unless that belongs to another group. Newton's method begins at home, or at a guess of its
unknowns: turns, slides and pose coordinates.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import casadi as ca

from linkwork.core.rotations import cosine_sine
from linkwork.mechanics.expressions import SX, Pair, cross, number, squared, times, vector, zeros
from linkwork.mechanics.linear import SMALL, Square, factored
from linkwork.mechanics.mechanism.closures import Closure, Gap, Length, Level
from linkwork.mechanics.mechanism.planning.placement_plan import PlacementBlock, PlacementPlan, Placing
from linkwork.mechanics.mechanism.state import Inputs, MechanismState, Z, clean

STEPS = 7
MORE = 2  # steps of larger blocks, which begin farther from their solutions
# Of closures before Newton's last step, of the machine's size: what is left grows with the square. The
# squares of both are among SINGLE_LIMITS of graphs, which says what they are in single precision.
TOLERANCE = 1e-9
OPEN = 1e-6  # of a redundant closure whose relation came from rounded lengths
NEWTON = "newton"  # kind of a block


@dataclass
class Solution:
    """A state with all bodies placed, and the factored Jacobian of every block that has unknowns."""

    state: MechanismState
    factors: dict[int, Square] = field(default_factory=dict)

    def moved(self, inputs: Inputs) -> MechanismState:
        """The same place with the velocities and accelerations of `inputs`."""
        state = self.state.resting(inputs)
        for k, block in enumerate(state.plan.blocks):
            self._move(state, k, block)
        return state

    def leg_moved(self, block: int, body: str, acceleration: SX) -> MechanismState:
        """One block at rest whose end moves with a body that only translates."""
        state = self.state.resting(replace(self.state.inputs, rates={}, accelerations={}))
        state.a[body] = acceleration
        self._move(state, block, state.plan.blocks[block])
        return state

    def _move(self, state: MechanismState, k: int, block: PlacementBlock) -> None:
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


def placed(plan: PlacementPlan, inputs: Inputs, steps: int = STEPS) -> Solution:
    """All bodies at the coordinates of `inputs`; rates and accelerations are left out."""
    solution = Solution(MechanismState(plan, replace(inputs, rates={}, accelerations={})))
    state = solution.state
    for k, block in enumerate(plan.blocks):
        if block.kind == NEWTON:
            more = MORE if steps and len(block.unknowns) > SMALL else 0
            before = solve_by_newton(state, block, steps + more)
        else:
            SOLVERS[block.kind](state, block)
        if block.unknowns:
            factors = solution.factors[k] = factor(state, block)
            if block.kind == NEWTON:
                good = ca.logic_and(before < TOLERANCE**2, factors.determinant * block.sign > 0)
                state.guards.append(1 / ca.if_else(good, 1, 0))
    if plan.watched:
        error = closing_error(state, plan.watched)
        state.guards.append(1 / ca.if_else(error < OPEN**2, 1, 0))
    return solution


def known(state: MechanismState, block: PlacementBlock) -> None:
    for placing in block.placings:
        state.put(placing)


def _rod(state: MechanismState, block: PlacementBlock) -> None:
    (placing,), (closure,) = block.placings, block.closures
    assert isinstance(closure, Length)
    strut = closure.element
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


def _dyad(state: MechanismState, block: PlacementBlock) -> None:
    first, second = block.placings
    closure = block.closures[0]
    assert isinstance(closure, Gap)
    end = closure.element
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


def _spherical(state: MechanismState, block: PlacementBlock) -> None:
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


def solve_by_newton(state: MechanismState, block: PlacementBlock, steps: int) -> SX:
    """The error with which the last step began; it closes the loops on the branch of home or not.

    Without steps the guess is taken as it is.
    """
    for placing, name in _unknowns(block):
        _start(state, placing, name)
    before = SX(0)
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


def closing_error(state: MechanismState, closures: tuple[Closure, ...]) -> SX:
    """The sum of squares of what is left of closures, of the machine's size."""
    size = state.plan.model.size
    return sum(((c.residual(state) / c.unit(size)) ** 2 for c in closures), SX(0))


def _start(state: MechanismState, placing: Placing, name: str) -> None:
    guess = state.inputs.guess.get(name)
    if not _is_turn(placing, name):
        state.slides[name] = SX(0) if guess is None else guess
    elif guess is None:
        c, s = cosine_sine(_home(placing, name))
        state.atoms.pairs[_atom(placing, name)] = (SX(c), SX(s))
    else:
        state.atoms.pairs[_atom(placing, name)] = (ca.cos(guess), ca.sin(guess))


def _forget(state: MechanismState, block: PlacementBlock) -> None:
    """Pairs of sums that were formed from earlier steps."""
    state.atoms.forget({f"{placing.body}|" for placing in block.placings})


def _advance(state: MechanismState, placing: Placing, name: str, change: SX) -> None:
    if not _is_turn(placing, name):
        state.slides[name] = state.slides[name] + change
        return
    atom = _atom(placing, name)
    c, s = state.atoms.pairs[atom]  # Cayley's step keeps c^2 + s^2 and stays below half a turn
    half = change / 2
    inverse = 1 / (1 + half * half)
    C, S = (1 - half * half) * inverse, change * inverse
    state.atoms.pairs[atom] = (c * C - s * S, s * C + c * S)


# Unknowns of all blocks, in the order of the plan.


def unknown_names(plan: PlacementPlan) -> tuple[str, ...]:
    return tuple(name for _, name in _all_unknowns(plan))


def unknown_slides(plan: PlacementPlan) -> tuple[bool, ...]:
    """Which of the unknowns are lengths."""
    return tuple(not _is_turn(*each) for each in _all_unknowns(plan))


def unknown_home(plan: PlacementPlan) -> tuple[float, ...]:
    return tuple(_home(*each) for each in _all_unknowns(plan))


def unknown_values(state: MechanismState) -> SX:
    """As they were found."""
    found = []
    for placing, name in _all_unknowns(state.plan):
        if _is_turn(placing, name):
            c, s = state.atoms.pairs[_atom(placing, name)]
            found.append(ca.atan2(s, c))
        else:
            found.append(state.slides[name])
    return ca.vertcat(SX(0, 1), *found)


def _all_unknowns(plan: PlacementPlan) -> list[tuple[Placing, str]]:
    return [each for block in plan.blocks if block.kind == NEWTON for each in _unknowns(block)]


def _unknowns(block: PlacementBlock) -> list[tuple[Placing, str]]:
    return [(placing, name) for placing in block.placings for name in placing.unknowns]


def _is_turn(placing: Placing, name: str) -> bool:
    return placing.turns(placing.names.index(name))


def _atom(placing: Placing, name: str) -> str:
    """Under which its cosine and sine are kept."""
    return f"{placing.body}|" if placing.kind == "turn" else name


def _home(placing: Placing, name: str) -> float:
    """Slides and turns count from home, angles of a pose are absolute."""
    if placing.kind != "pose" or not _is_turn(placing, name):
        return 0.0
    assert placing.home is not None
    return float(placing.home[placing.names.index(name)])


def factor(state: MechanismState, block: PlacementBlock) -> Square:
    """The Jacobian of a block's closures, by unit rates of its unknowns."""
    columns = []
    for unknown in block.unknowns:
        resting = state.resting(replace(state.inputs, rates={}))
        velocities(resting, block, {name: SX(float(name == unknown)) for name in block.unknowns})
        columns.append([closure.rate(resting) for closure in block.closures])
    rows = [[column[k] for column in columns] for k in range(len(block.closures))]
    return factored(rows, block.pivots)


def velocities(state: MechanismState, block: PlacementBlock, unknown: dict[str, SX]) -> None:
    for placing in block.placings:
        _velocity(state, placing, unknown)


def _velocity(state: MechanismState, placing: Placing, unknown: dict[str, SX]) -> None:
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


def _spin(state: MechanismState, placing: Placing, rates: list[SX]) -> SX:
    """Of a pose: given, or of roll, pitch and yaw that change."""
    if state.is_spin(placing):
        return vector(*rates)
    axes = state.rpy_axes(placing)
    return sum((axis * rate for axis, rate in zip(axes, rates, strict=True)), zeros(3))


def accelerations(state: MechanismState, block: PlacementBlock, unknown: dict[str, SX]) -> None:
    for placing in block.placings:
        _acceleration(state, placing, unknown)


def _acceleration(state: MechanismState, placing: Placing, unknown: dict[str, SX]) -> None:
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


def _spin_drift(state: MechanismState, placing: Placing) -> SX:
    """Angular acceleration of roll, pitch and yaw that change steadily."""
    roll, pitch, yaw = (state.rates[placing.names[k]] for k in (3, 4, 5))
    (cy, sy), (cz, sz) = (state.pose_pair(placing, k) for k in (4, 5))
    first = vector(-sz * cy * yaw - cz * sy * pitch, cz * cy * yaw - sz * sy * pitch, -cy * pitch)
    return first * roll + vector(-cz * yaw, -sz * yaw, 0) * pitch
