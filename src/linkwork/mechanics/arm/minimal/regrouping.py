"""Inertial parameters made simple by changes that no torque can notice (unseen.py).

These changes are the null space of the torques' linear dependence on the parameters. Conditions, as
many as there are independent changes, pick one set of parameters among all that mean the same motion.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from linkwork.mechanics.arm.minimal.common_normals import Step
from linkwork.mechanics.arm.minimal.conditions import EQUAL_PAIRS, Condition
from linkwork.mechanics.arm.minimal.elimination import solve_sparse
from linkwork.mechanics.arm.minimal.moments import moments
from linkwork.mechanics.arm.minimal.null_space import Change, Number, base_changes, shared_changes
from linkwork.robots.geometry import Array

DIGITS = 40
INDEPENDENT = 1e-9  # of a unit vector's part that earlier ones leave
DUST = 1e-14  # of the terms that a parameter is the sum of
SMALLEST_PIVOT = 1e-5  # conditions that hardly determine a change would make huge parameters
LARGEST_GROWTH = 20.0  # of parameters; conditions that make larger ones would cost digits


@dataclass(frozen=True, eq=False)
class Regrouping:
    """Parameters of all links and the changes that mean the same motion."""

    steps: tuple[Step, ...]
    gravity: tuple[float, float, float] | None  # in frame 0; None: any
    standing: bool = True  # the base does not move

    def _changes(self, number: Callable[[float], Number]) -> list[Change]:
        changes = shared_changes(self.steps, number)
        return changes + (base_changes(self.steps, self.gravity, number) if self.standing else [])

    @cached_property
    def parameters(self) -> Array:
        """As the robot has them, one after the other."""
        return np.concatenate([moments(step.body) for step in self.steps])

    @cached_property
    def _independent(self) -> tuple[list[int], Array]:
        """The changes that are no combination of earlier ones, and their columns."""
        n = 10 * len(self.steps)
        chosen, columns = [], []
        basis = np.zeros((n, 0))
        for k, change in enumerate(self._changes(float)):
            column = np.zeros(n)
            for link, values in change.items():
                column[10 * link : 10 * link + 10] = values
            rest = column / np.linalg.norm(column)
            for _ in range(2):
                rest = rest - basis @ (basis.T @ rest)
            if np.linalg.norm(rest) > INDEPENDENT:
                chosen.append(k)
                columns.append(column)
                basis = np.column_stack([basis, rest / np.linalg.norm(rest)])
        return chosen, np.array(columns).T.reshape(n, len(columns))

    @property
    def null_space(self) -> Array:
        """One column per independent change."""
        return self._independent[1]

    def conditions(self) -> list[Condition]:
        """All that may be asked for."""
        links = range(len(self.steps))
        zeros = [Condition(link, k) for link in links for k in range(10)]
        return zeros + [Condition(link, *pair) for link in links for pair in EQUAL_PAIRS]

    def selected(self, wanted: Iterable[Condition]) -> list[Condition]:
        """As many of the wanted conditions, first come first served, as can hold at once."""
        N = self.null_space
        basis = np.zeros((N.shape[1], 0))
        chosen: list[Condition] = []
        for condition in wanted:
            if len(chosen) == N.shape[1]:
                break
            row = condition.of(N)
            length = np.linalg.norm(row)
            if length == 0.0:
                continue
            rest = row / length
            for _ in range(2):
                rest = rest - basis @ (basis.T @ rest)
            if np.linalg.norm(rest) * length > SMALLEST_PIVOT:
                chosen.append(condition)
                basis = np.column_stack([basis, rest / np.linalg.norm(rest)])
        return chosen

    def roughly(self, conditions: Sequence[Condition]) -> Array:
        """The parameters that fulfil conditions, in double precision: enough to see what vanishes."""
        N, p = self.null_space, self.parameters
        if not conditions:
            return p
        L = np.array([condition.of(N) for condition in conditions])
        wrong = np.array([condition.of(p) for condition in conditions])
        amounts = np.linalg.lstsq(L, -wrong, rcond=None)[0] if len(L) < N.shape[1] else None
        if amounts is None:
            amounts = np.linalg.solve(L, -wrong)
        terms = N * amounts
        return _tidied(p + terms.sum(axis=1), np.abs(p) + np.abs(terms).sum(axis=1), conditions, 1e-10)

    @cached_property
    def _scales(self) -> Array:
        """Per link, the largest mass, first and second moment of it and the links beyond."""
        P = np.abs(self.parameters.reshape(-1, 10))
        kinds = np.stack([P[:, 0], P[:, 1:4].max(axis=1), P[:, 4:].max(axis=1)], axis=1)
        outward = np.maximum.accumulate(kinds[::-1], axis=0)[::-1]
        return np.repeat(outward, (1, 3, 6), axis=1)

    def growth(self, parameters: Array) -> float:
        """How much larger than the robot's own the parameters are: so much larger are their errors."""
        P = np.abs(parameters.reshape(-1, 10))
        with np.errstate(divide="ignore", invalid="ignore"):
            return float(np.nanmax(P / self._scales, initial=0.0))

    def exactly(self, conditions: Sequence[Condition]) -> Array:
        """The same in extended precision: what is left is rounded once."""
        if len(conditions) != self.null_space.shape[1]:
            raise ValueError("as many conditions as changes are needed")
        import mpmath  # takes its time, and a kernel from the cache does without

        with mpmath.workdps(DIGITS):
            changes = self._changes(mpmath.mpf)
            columns = []
            for k in self._independent[0]:
                column = [mpmath.mpf(0)] * len(self.parameters)
                for link, values in changes[k].items():
                    column[10 * link : 10 * link + 10] = values
                columns.append(column)
            rows = [list(row) for row in zip(*columns, strict=True)]
            p = [mpmath.mpf(float(x)) for x in self.parameters]
            system = [
                ({j: x for j, x in enumerate(condition.row(rows)) if x}, -condition.of(p))
                for condition in conditions
            ]
            amounts = solve_sparse(system)
            values, sizes = [], []
            for own, row in zip(p, rows, strict=True):
                terms = [x * amount for x, amount in zip(row, amounts, strict=True)]
                values.append(float(own + sum(terms)))
                sizes.append(float(abs(own) + sum(abs(term) for term in terms)))
        return _tidied(np.array(values), np.array(sizes), conditions, DUST)


def _tidied(values: Array, sizes: Array, conditions: Sequence[Condition], dust: float) -> Array:
    """Parameters that vanish or are equal but for rounding made exactly so."""
    values = np.where(np.abs(values) <= dust * sizes, 0.0, values)
    for condition in conditions:
        if condition.equals is None:
            values[10 * condition.link + condition.parameter] = 0.0
    for link in range(len(values) // 10):
        for one, other in EQUAL_PAIRS:
            i, j = 10 * link + one, 10 * link + other
            if abs(values[i] - values[j]) <= dust * max(sizes[i], sizes[j]):
                values[j] = values[i]
    return values
