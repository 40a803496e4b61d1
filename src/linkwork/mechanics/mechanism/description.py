"""What was found about a mechanism, in words: tree, loops, how they are solved, what is left over."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from linkwork.mechanics.mechanism.planning.placement_plan import (
    CROSS,
    PlacementBlock,
    PlacementPlan,
    Placing,
    Terms,
)
from linkwork.mechanics.mechanism.planning.planner import placement_plan
from linkwork.mechanics.mechanism.reactions import Gear, Holds
from linkwork.model.mechanism import BASE, JOINT_LETTERS, MechanismModel, motor_terms

KNOWN, NEWTON = "known", "newton"  # all other kinds of blocks are closed forms


@dataclass(frozen=True)
class TreeBody:
    """A body of the tree: on which body it stands, by which joint, and how that joint is known."""

    body: str
    on: str
    depth: int
    joint: str
    known_by: str


@dataclass(frozen=True)
class Loop:
    """What closes a loop: a joint that is not of the tree, a rod or a cylinder.

    `redundant` are those of its equations that follow from all others: statics leaves them open.
    """

    name: str
    kind: str
    joins: tuple[str, str]
    solved_by: str
    redundant: int


@dataclass(frozen=True)
class MechanismDescription:
    """Bodies depth first, loops in the order of the file, numbers of blocks by kind."""

    mass: float
    freedoms: tuple[str, ...]
    motors: tuple[str, ...]
    tree: tuple[TreeBody, ...]
    loops: tuple[Loop, ...]
    couplings: tuple[str, ...]
    relations: int  # joints that follow others linearly
    closed_forms: int
    newton: int
    redundant: int


def describe(model: MechanismModel) -> MechanismDescription:
    """What the program found."""
    plan = placement_plan(model)
    left = Counter(each.key[0] for each in Holds(plan).left if not isinstance(each, Gear))
    kinds = Counter(block.kind for block in plan.blocks)
    tree = tuple(_branches(plan, BASE, 0))
    return MechanismDescription(
        model.mass,
        tuple(each.name for each in model.coordinates),
        tuple(_motors(model)),
        tree,
        tuple(_loops(plan, left)),
        tuple(f"{_sum(each.terms)} = 0" for each in model.couplings),
        sum(branch.known_by.startswith("=") for branch in tree),
        sum(count for kind, count in kinds.items() if kind not in (KNOWN, NEWTON)),
        kinds[NEWTON],
        sum(left.values()),
    )


def _motors(model: MechanismModel) -> Iterator[str]:
    for name, terms in motor_terms(model).items():
        yield name if terms == ((name, 1.0),) else f"{name} (on {_sum(terms)})"


def _branches(plan: PlacementPlan, host: str, depth: int) -> Iterator[TreeBody]:
    """Bodies on a host, depth first; the cross of a universal joint is part of the joint."""
    for block in plan.blocks:
        for placing in block.placings:
            if placing.host != host:
                continue
            if not placing.body.endswith(CROSS):
                joint = "pose" if placing.kind == "pose" else placing.joint
                on = plan.of_body[host].host if host.endswith(CROSS) else host
                yield TreeBody(placing.body, on, depth, joint, _known_by(block, placing))
            yield from _branches(plan, placing.body, depth + (not placing.body.endswith(CROSS)))


def _known_by(block: PlacementBlock, placing: Placing) -> str:
    pairs = list(zip(placing.names, placing.terms, strict=True))
    own = [name for name, terms in pairs if terms == ((name, 1.0),)]
    words = []
    if placing.kind == "pose":
        words.append(f"coordinates {', '.join(name.rpartition('.')[2] for name in own)}" if own else "")
    elif not placing.unknowns:
        words.append("coordinate" if own else f"= {_sum(pairs[0][1] or ())}" if pairs else "fixed")
    if placing.unknowns:
        words.append(solved_by(block))
    return "; ".join(filter(None, words))


def solved_by(block: PlacementBlock) -> str:
    """How the unknowns of a block are found."""
    if block.kind == NEWTON:
        count = len(block.unknowns)
        return f"Newton's method, {count} unknown{'s' if count > 1 else ''}"
    slide = block.kind == "rod" and block.placings[0].kind == "slide"
    return f"closed form, {'slide and rod' if slide else block.kind}"


def _loops(plan: PlacementPlan, left: Counter[str]) -> Iterator[Loop]:
    model, carrying = plan.model, {placing.joint for placing in plan.placings}
    solving = {closure.key[0]: block for block in plan.blocks for closure in block.closures}
    closers = [(joint.name, JOINT_LETTERS[joint.kind], joint.joins) for joint in model.joints]
    closers = [each for each in closers if each[0] not in carrying]
    closers += [(rod.name, "rod", rod.joins) for rod in model.rods]
    closers += [(each.name, "cylinder", each.joins) for each in model.cylinders]
    for name, kind, joins in closers:
        block = solving.get(name)
        how = "both ends known" if block is None else solved_by(block)
        yield Loop(name, kind, joins, how, left[name])


def _sum(terms: Terms) -> str:
    """`drive - shoulder`, positive terms first; `0` for none."""
    words: list[str] = []
    for name, ratio in sorted(terms, key=lambda term: term[1] < 0):
        size = "" if abs(ratio) == 1 else f"{abs(ratio):.6g} "
        sign = ("-" if ratio < 0 else "") if not words else ("- " if ratio < 0 else "+ ")
        words.append(f"{sign}{size}{name}")
    return " ".join(words) or "0"
