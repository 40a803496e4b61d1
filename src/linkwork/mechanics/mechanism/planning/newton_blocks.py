"""What no closed form serves: the smallest system that Newton's method can solve alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from linkwork.mechanics.linear import SMALL
from linkwork.mechanics.mechanism.closures import Closure, closures_of
from linkwork.mechanics.mechanism.planning.analysis import MobilityError
from linkwork.mechanics.mechanism.planning.placement_plan import (
    CROSS,
    PlacementBlock,
    Placing,
    complete_pivoting,
    unknown_columns,
)
from linkwork.mechanics.mechanism.planning.plan_state import Progress
from linkwork.model.mechanism import BASE, MechanismJoint


def newton(progress: Progress) -> PlacementBlock:
    """Bodies that are left, as few as can be solved for together."""
    component = _component(progress)
    placings = _hung(progress, component)
    unknowns = tuple(name for placing in placings for name in placing.unknowns)
    bodies = {placing.body for placing in placings}
    candidates = [
        closure
        for closure in closures_of(progress.model, progress.used | {p.joint for p in placings})
        if (closure.bodies & bodies) and closure.bodies <= bodies | progress.placed.keys()
    ]
    chosen = _rows(progress, placings, candidates)
    if len(chosen) < len(unknowns):
        raise MobilityError(
            f"{progress.model.name} at home: {', '.join(sorted(bodies))} cannot be placed: home may be "
            "singular; draw it in another configuration, or declare other coordinates."
        )
    return newton_block(progress, *_first_solvable(placings, chosen))


def newton_block(
    progress: Progress, placings: tuple[Placing, ...], closures: tuple[Closure, ...]
) -> PlacementBlock:
    pivots, sign = _pivots(progress, placings, closures)
    return PlacementBlock("newton", placings, closures, sign, pivots)


def _first_solvable(
    placings: list[Placing], closures: tuple[Closure, ...]
) -> tuple[tuple[Placing, ...], tuple[Closure, ...]]:
    """The smallest part of a square system that stands alone, with the bodies that it needs.

    What depends on it is left for later, when it may have a closed form.
    """
    from scipy.sparse import csr_array  # slow to load, and a cached kernel needs no plan
    from scipy.sparse.csgraph import connected_components, maximum_bipartite_matching

    moves = {placing.body: placing for placing in placings}

    def path(body: str) -> list[Placing]:
        found = []
        while body in moves:
            found.append(moves[body])
            body = moves[body].host
        return found

    needed = []  # the placings with unknowns on which each closure depends
    for closure in closures:
        one, other = (path(body) for body in closure.joins)
        apart = [p for p in one if p not in other] + [p for p in other if p not in one]
        needed.append([p for p in apart if p.unknowns])
    owners = [placing for placing in placings for _ in placing.unknowns]
    pattern = np.array([[owner in each for owner in owners] for each in needed])
    matched = maximum_bipartite_matching(csr_array(pattern), perm_type="column")
    units = [placing for placing in placings if placing.unknowns]
    depends = np.zeros((len(units), len(units)), dtype=bool)
    for row, column in enumerate(matched):
        for each in needed[row]:
            depends[units.index(owners[column]), units.index(each)] = True
    count, label = connected_components(csr_array(depends), connection="strong")
    sinks = [part for part in range(count) if not depends[np.ix_(label == part, label != part)].any()]
    for part in sorted(sinks, key=lambda each: int((label == each).sum())):
        inside = [unit for unit, each in zip(units, label, strict=True) if each == part]
        rows = tuple(c for c, k in zip(closures, matched, strict=True) if owners[k] in inside)
        wanted = {p for closure in rows for body in closure.joins for p in path(body)}
        # What both ends hang on does not matter to the closure, but it must be placed before.
        if all(p in inside or not p.unknowns for p in wanted):
            return tuple(p for p in placings if p in wanted), rows
    return tuple(placings), closures


def _component(progress: Progress) -> list[str]:
    """The first bodies that are left and joined with each other without a placed one between."""
    left = [part.name for part in progress.model.parts if part.name not in progress.placed]
    ties = [each.joins for each in progress.model.ties]
    found = [left[0]]
    for body in found:
        for a, b in ties:
            for one, other in ((a, b), (b, a)):
                if one == body and other in left and other not in found:
                    found.append(other)
    return found


def _hung(progress: Progress, component: list[str]) -> list[Placing]:
    """The bodies of a component on the tree of fewest freedoms that cuts no slide."""
    group_of = {body: body for body in component}  # trees that grow together (Kruskal)

    def root(body: str) -> str:
        if body in progress.placed:
            return BASE
        while group_of[body] != body:
            body = group_of[body]
            if body == BASE:
                return BASE
        return body

    chosen: list[MechanismJoint] = []
    posed = [body for body in component if body in progress.posed]
    for body in posed:
        host = progress.posed[body]
        group_of[body] = BASE if host in progress.placed else host
    between = {*component, *progress.placed}
    inside = [joint for joint in progress.model.joints if between.issuperset(joint.joins)]
    order = ("fixed", "prismatic", "revolute", "universal")
    ranked = [joint for joint in inside if joint.name in progress.coordinates]
    ranked += [joint for kind in order for joint in inside if joint.kind == kind]
    for joint in ranked:
        one, other = (root(body) for body in joint.joins)
        if one != other:
            if one == BASE:
                one, other = other, one
            group_of[one] = other
            chosen.append(joint)
    placings: list[Placing] = []
    before = dict(progress.placed)

    def add(*new: Placing) -> None:
        for placing in new:
            placings.append(placing)
            progress.placed[placing.body] = placing

    while True:
        posable = next(
            (b for b in posed if b not in progress.placed and progress.posed[b] in progress.placed), None
        )
        if posable is not None:
            add(progress.posed_placing(posable, progress.posed[posable], progress.pose_terms(posable)))
            continue
        ready = next(
            (j for j in chosen if (j.joins[0] in progress.placed) != (j.joins[1] in progress.placed)),
            None,
        )
        if ready is not None:
            chosen.remove(ready)
            a, b = ready.joins
            add(*_chain(progress, ready, *((a, b, 1.0) if a in progress.placed else (b, a, -1.0))))
            continue
        free = next((body for body in component if body not in progress.placed), None)
        if free is None:
            break
        if free in progress.posed:
            raise MobilityError(
                f"{progress.model.name}: {free} hangs on itself by its pose coordinates."
            )
        add(progress.posed_placing(free, BASE, progress.pose_terms(free)))
    progress.placed = before
    return placings


def _chain(
    progress: Progress, joint: MechanismJoint, host: str, body: str, sense: float
) -> list[Placing]:
    """A joint as placings: one, or for a universal joint two with a massless cross between."""
    if joint.kind == "fixed":
        return [progress.placing(joint, host, body, sense, ())]
    if joint.kind != "universal":
        own = (
            ((joint.name, 1.0),) if joint.name in progress.coordinates else progress.terms_of(joint.name)
        )
        return [progress.placing(joint, host, body, sense, (own,))]
    first, second = joint.axes if sense > 0 else joint.axes[::-1]
    names = (f"{joint.name}.1", f"{joint.name}.2")[:: int(sense)]
    cross = f"{joint.name}{CROSS}"
    one = replace(joint, kind="revolute", axes=(first,), name=names[0])
    other = replace(joint, kind="revolute", axes=(second,), name=names[1])
    begin = progress.placing(one, host, cross, sense, (None,))
    progress.placed[cross] = begin
    end = progress.placing(other, cross, body, sense, (None,))
    return [begin, end]


def _rows(progress: Progress, placings: list[Placing], candidates: list[Closure]) -> tuple[Closure, ...]:
    """Equations that determine the unknowns, by pivoted orthogonalization at home."""
    J = progress.jacobian(placings, candidates)
    work = J.copy()
    chosen: list[int] = []
    sizes = np.linalg.norm(J, axis=1)
    for _ in range(J.shape[1]):
        left = np.linalg.norm(work, axis=1)
        share = np.where(sizes > 1e-9, left / np.maximum(sizes, 1e-9), 0.0)
        share[chosen] = 0.0
        # Of rows that are nearly as good, the first: rods and planes cost less than frames.
        best = int(np.argmax(share > 0.5 * share.max()))
        if share[best] < 1e-6:
            break
        chosen.append(best)
        n = work[best] / np.linalg.norm(work[best])
        work = work - np.outer(work @ n, n)
    return tuple(candidates[k] for k in sorted(chosen))


def _pivots(
    progress: Progress, placings: tuple[Placing, ...], closures: tuple[Closure, ...]
) -> tuple[tuple[tuple[int, int], ...], float]:
    """An order of elimination by complete pivoting at home, and the sign of the pivots' product.

    Unknown turns are absolute in their group: those hung on a turned body in its group keep theirs.
    """
    J = progress.jacobian(list(placings), list(closures))
    columns = [placing for placing, _ in unknown_columns(placings)]
    for k, placing in enumerate(columns):
        if placing.kind == "turn":
            J[:, k] *= placing.sense * placing.way
    relative, inside = J.copy(), {placing.body: placing for placing in placings}
    for j, other in enumerate(columns):
        carrier = inside.get(other.host)
        while carrier is not None and not (carrier.kind == "turn" and carrier.unknowns):
            carrier = inside.get(carrier.host)
        if carrier is not None and other.kind == "turn" and carrier.group == other.group:
            J[:, columns.index(carrier)] -= relative[:, j]
    order, sign = complete_pivoting(J)
    return tuple(order), float(np.sign(np.linalg.det(J))) if len(J) <= SMALL else sign
