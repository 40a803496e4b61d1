"""Rates and accelerations of the bodies of a block, from its unknowns and from what is known."""

from __future__ import annotations

from dataclasses import replace

from linkwork.mechanics.expressions import SX, cross, squared, vector, zeros
from linkwork.mechanics.mechanism.plan import Block, Placing
from linkwork.mechanics.mechanism.solving import Square, factored
from linkwork.mechanics.mechanism.state import State, Z


def factor(state: State, block: Block) -> Square:
    """The Jacobian of a block's closures, by unit rates of its unknowns."""
    columns = []
    for unknown in block.unknowns:
        resting = replace(
            state, inputs=replace(state.inputs, rates={}), v={}, w={}, rates={}, accelerations={}
        )
        velocities(resting, block, {name: SX(float(name == unknown)) for name in block.unknowns})
        columns.append([closure.rate(resting) for closure in block.closures])
    rows = [[column[k] for column in columns] for k in range(len(block.closures))]
    return factored(rows, block.pivots)


def velocities(state: State, block: Block, unknown: dict[str, SX]) -> None:
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


def accelerations(state: State, block: Block, unknown: dict[str, SX]) -> None:
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
