"""How a mechanism is solved: bodies are placed one after the other, in blocks.

A block is one body whose motion is known, a pattern with a closed form (an arm and a rod, a slide and a
rod, a planar or spherical dyad), or what is left, by Newton's method. Which joints carry the tree and
which close loops is decided by `planning/`, by numbers alone. Bodies that turn about one direction
belong to one group, in whose axes they are described (see `state.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from linkwork.mechanics.mechanism.closures import Closure
from linkwork.mechanics.mechanism.planning.spanning import AXES
from linkwork.model.geometry import Array
from linkwork.model.mechanism import BASE, POSE, MechanismModel

CROSS = "~"  # ends the name of the body between both axes of a universal joint
Terms = tuple[tuple[str, float], ...]  # a coordinate as a sum of ratio * coordinate; () rests at home


@dataclass(frozen=True, eq=False)
class AxisGroup:
    """Bodies on one root by turns about one direction and by slides, described in its axes C.

    Columns of C are the group's axes at home in base axes, z along the turns; `origin` is a point of
    the root at home.
    """

    root: str
    C: Array
    origin: Array
    turning: bool = True


@dataclass(frozen=True, eq=False)
class Placing:
    """How a body is placed on its host: by a turn, a slide, a pose, or rigidly.

    `terms` give the coordinate by known ones; None is an unknown of the block. A pose has six.
    `sense`: +1, or -1 where the host is the joint's second body. `way`: of the axis along the group's z.
    """

    body: str
    host: str
    group: int
    kind: str  # "turn", "slide", "pose", "weld"
    name: str
    axis: Array
    at: Array
    sense: float
    terms: tuple[Terms | None, ...]
    way: float = 1.0
    home: Array | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Of its coordinates."""
        if self.kind == "pose":
            return tuple(f"{self.body}.{name}" for name in POSE)
        return () if self.kind == "weld" else (self.name,)

    @property
    def joint(self) -> str:
        """The joint of the model; a universal joint's two turns have a massless cross between."""
        return self.name.rpartition(".")[0] if CROSS in self.host + self.body else self.name

    @property
    def unknowns(self) -> tuple[str, ...]:
        return tuple(n for n, terms in zip(self.names, self.terms, strict=True) if terms is None)

    def turns(self, k: int) -> bool:
        """Whether its k-th coordinate is an angle."""
        return self.kind == "turn" or (self.kind == "pose" and k > 2)


@dataclass(frozen=True, eq=False)
class PlacementBlock:
    """Bodies placed together; `kind` says how: known, rod, dyad, spherical, newton."""

    kind: str
    placings: tuple[Placing, ...]
    closures: tuple[Closure, ...] = ()
    sign: float = 1.0  # of the branch of a closed form, or of the determinant at home
    pivots: tuple[tuple[int, int], ...] = ()  # row and column of every step of elimination

    @property
    def unknowns(self) -> tuple[str, ...]:
        return tuple(name for placing in self.placings for name in placing.unknowns)


@dataclass(frozen=True, eq=False)
class PlacementPlan:
    """All blocks in their order, the groups, and closures that need no equation."""

    model: MechanismModel
    groups: tuple[AxisGroup, ...]
    blocks: tuple[PlacementBlock, ...]
    redundant: tuple[Closure, ...]
    watched: tuple[Closure, ...] = ()  # redundant ones whose loops may open: relations are in doubt

    @cached_property
    def placings(self) -> tuple[Placing, ...]:
        return tuple(placing for block in self.blocks for placing in block.placings)

    @cached_property
    def of_body(self) -> dict[str, Placing]:
        return {placing.body: placing for placing in self.placings}

    @cached_property
    def placed(self) -> dict[str, Placing | None]:
        """How every body is placed; the base is not."""
        return {BASE: None, **self.of_body}

    @cached_property
    def carrying(self) -> dict[str, Placing]:
        """The placing that has a coordinate, by the coordinate's name."""
        return {name: placing for placing in self.placings for name in placing.names}

    def origin(self, body: str) -> Array:
        """The point of a body at home whose motion is kept."""
        placing = self.of_body[body]
        group = self.groups[placing.group]
        if placing.kind in ("slide", "weld"):
            return group.origin if placing.host == group.root else self.origin(placing.host)
        if placing.kind == "pose":
            return self.model.part(body).frame.p
        z = group.C[:, 2]
        return placing.at + z * float(z @ (group.origin - placing.at))


def root_chain(
    groups: Sequence[AxisGroup], placed: Mapping[str, Placing | None], body: str
) -> list[str]:
    """A body, the root of its group, the root of that one's group, and so on to the base."""
    chain = [body]
    while chain[-1] != BASE:
        placing = placed[chain[-1]]
        assert placing is not None
        chain.append(groups[placing.group].root)
    return chain


def common_group(
    groups: Sequence[AxisGroup], placed: Mapping[str, Placing | None], a: str, b: str
) -> int | None:
    """The group in whose axes two bodies are seen: its root carries both. None: one body, or the base.

    Of two groups on that root, one of turns about an axis: closures in its plane are planar.
    """
    chains = [root_chain(groups, placed, body) for body in (a, b)]
    shared = next(body for body in chains[0] if body in chains[1])
    found = []
    for chain in reversed(chains):
        place = chain.index(shared)
        if place:
            placing = placed[chain[place - 1]]
            assert placing is not None
            found.append(placing.group)
    return min(found, key=lambda k: not groups[k].turning, default=None)


def unknown_columns(placings: Iterable[Placing]) -> list[tuple[Placing, int]]:
    """Coordinates that are solved for, by placing and place in it."""
    return [(p, k) for p in placings for k, terms in enumerate(p.terms) if terms is None]


def complete_pivoting(matrix: Array, least: float = 0.0) -> tuple[list[tuple[int, int]], float]:
    """Rows and columns of the pivots of elimination, the largest first as long as it exceeds `least`;
    and the sign of their product."""
    work, order, sign = matrix.copy(), [], 1.0
    rows, columns = (list(range(size)) for size in matrix.shape)
    while rows and columns:
        part = np.abs(work[np.ix_(rows, columns)])
        i, j = np.unravel_index(int(np.argmax(part)), part.shape)
        if part[i, j] <= least:
            break
        row, column = rows.pop(int(i)), columns.pop(int(j))
        order.append((row, column))
        sign *= float(np.sign(work[row, column]))
        for other in rows:
            work[other] = work[other] - work[row] * (work[other, column] / work[row, column])
    return order, sign


def spinning_bodies(model: MechanismModel) -> set[str]:
    """Bodies whose three rotations are all coordinates."""
    turned: dict[str, set[str]] = {}
    for each in model.coordinates:
        if each.pose in POSE[3:]:
            turned.setdefault(each.of, set()).add(each.pose)
    return {body for body, rotations in turned.items() if len(rotations) == 3}


def unit_screw(placing: Placing, k: int) -> Array:
    """Unit velocity at the base origin and angular velocity of a placing's k-th coordinate, at home."""
    if placing.kind == "slide":
        return placing.sense * np.concatenate([placing.axis, np.zeros(3)])
    if placing.kind == "turn":
        axis = placing.sense * placing.axis
        return np.concatenate([np.cross(placing.at, axis), axis])
    assert placing.home is not None
    if k < 3:
        return np.concatenate([AXES[k], np.zeros(3)])
    w = _rpy_axes(placing.home[3:])[k - 3]
    return np.concatenate([np.cross(placing.at, w), w])


def _rpy_axes(angles: Array) -> tuple[Array, Array, Array]:
    (_, pitch, yaw) = angles
    cy, sy, cz, sz = np.cos(pitch), np.sin(pitch), np.cos(yaw), np.sin(yaw)
    return np.array([cz * cy, sz * cy, -sy]), np.array([-sz, cz, 0.0]), AXES[2]


def home_jacobian(
    groups: Sequence[AxisGroup],
    placed: Mapping[str, Placing | None],
    closures: Sequence[Closure],
    columns: Sequence[tuple[Placing, int]],
    size: float,
    scaled: bool = False,
) -> Array:
    """Rates of closures, in their units, per unit rates of coordinates of placings, at home.

    `scaled`: slides count in sizes of the machine.
    """
    J = np.zeros((len(closures), len(columns)))
    for row, closure in enumerate(closures):
        common = common_group(groups, placed, *closure.joins)
        C = np.eye(3) if common is None else groups[common].C
        for body, wrench in closure.home_wrenches(C):
            path = []
            while (placing := placed[body]) is not None:
                path.append(placing)
                body = placing.host
            for column, (placing, k) in enumerate(columns):
                if placing in path:
                    scale = size if scaled and not placing.turns(k) else 1.0
                    J[row, column] += scale * float(wrench @ unit_screw(placing, k)) / closure.unit(size)
    return J
