"""What holds bodies that follow others: redundant closures and couplings, and those that are left over.

Those left over make a mechanism statically indeterminate.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from linkwork.mechanics.mechanism.closures import Closure
from linkwork.mechanics.mechanism.plan import Placing, Plan, common_group, unit_screw
from linkwork.robots.geometry import Array
from linkwork.robots.mechanism import BASE, Coupling


@dataclass(frozen=True)
class Gear:
    """A coupling, which may load all joints that it couples."""

    coupling: Coupling

    @property
    def key(self) -> tuple[str, object]:
        return "coupling", self.coupling.terms


Holding = Closure | Gear


@dataclass(frozen=True, eq=False)
class Holds:
    """Which redundant closures hold the bodies that follow others, chosen at home."""

    plan: Plan

    @cached_property
    def related(self) -> list[tuple[Placing, int]]:
        """Coordinates that follow others, by placing and place in it."""
        return [
            (placing, k)
            for placing in self.plan.placings
            for k, terms in enumerate(placing.terms)
            if terms is not None and terms != ((placing.names[k], 1.0),)
        ]

    @cached_property
    def candidates(self) -> list[Holding]:
        return [*self.plan.redundant, *(Gear(each) for each in self.plan.model.couplings)]

    @cached_property
    def _choice(self) -> tuple[list[int], tuple[tuple[int, int], ...]]:
        """Candidates that are solved for, and the order of elimination (rows: related coordinates)."""
        unknown = [
            (p, k) for p in self.plan.placings for k, terms in enumerate(p.terms) if terms is None
        ]
        blocks = [closure for block in self.plan.blocks for closure in block.closures]
        extra = self._rows(self.candidates, self.related)
        if unknown:
            inner = np.linalg.solve(self._rows(blocks, unknown), self._rows(blocks, self.related))
            extra = extra - self._rows(self.candidates, unknown) @ inner
        work, order = extra.T.copy(), []
        chosen: list[int] = []
        rows = list(range(len(self.related)))
        while rows:
            part = np.abs(work[rows])
            part[:, chosen] = 0.0
            i, column = np.unravel_index(int(np.argmax(part)), part.shape)
            if part[i, column] < 1e-9:
                break
            row = rows.pop(int(i))
            order.append((row, len(chosen)))
            chosen.append(int(column))
            for r in rows:
                work[r] = work[r] - work[row] * (work[r, column] / work[row, column])
        return chosen, tuple(order)

    @property
    def chosen(self) -> list[Holding]:
        return [self.candidates[k] for k in self._choice[0]]

    @property
    def left(self) -> list[Holding]:
        """Redundant closures, whose forces statics does not tell."""
        return [each for k, each in enumerate(self.candidates) if k not in self._choice[0]]

    @property
    def pivots(self) -> tuple[tuple[int, int], ...]:
        return self._choice[1]

    def _rows(
        self, closures: list[Holding] | list[Closure], columns: list[tuple[Placing, int]]
    ) -> Array:
        """Rates of closures per unit rates of coordinates of the tree, at home."""
        plan, size = self.plan, self.plan.model.size
        J = np.zeros((len(closures), len(columns)))
        for row, closure in enumerate(closures):
            if isinstance(closure, Gear):
                for name, ratio in closure.coupling.terms:
                    J[row] += [ratio * (placing.names[k] == name) for placing, k in columns]
                continue
            common = common_group(plan.groups, {BASE: None, **plan.of_body}, *closure.joins)
            C = np.eye(3) if common is None else plan.groups[common].C
            for body, wrench in closure.home_wrenches(C):
                path = []
                while body in plan.of_body:
                    path.append(plan.of_body[body])
                    body = plan.of_body[body].host
                for column, (placing, k) in enumerate(columns):
                    if placing in path:
                        J[row, column] += float(wrench @ unit_screw(placing, k)) / closure.unit(size)
        return J


def is_determinate(plan: Plan) -> bool:
    return not Holds(plan).left
