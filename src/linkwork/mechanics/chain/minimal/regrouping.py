"""Inertial parameters made simple by changes that no torque can notice.

These changes are the null space of the torques' linear dependence on the parameters, in closed form:
a line of mass on a revolute axis belongs to either link that shares the axis; the second moments of a
prismatic link belong to the link before it; near a base that stands still more goes unnoticed.
Conditions (parameters that shall vanish or be equal), as many as there are independent changes, pick one
set of parameters among all that mean the same motion. Numbers are floats, or of extended precision.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from linkwork.core.rotations import cosine_sine
from linkwork.mechanics.chain.minimal.common_normals import EXACT, FrameStep
from linkwork.mechanics.chain.minimal.moments import (
    MX,
    MY,
    MZ,
    NAMES,
    PLACES,
    XX,
    XY,
    XZ,
    YY,
    YZ,
    ZZ,
    M,
    moments,
    packed,
)
from linkwork.model.geometry import Array

DIGITS = 40
INDEPENDENT = 1e-9  # of a unit vector's part that earlier ones leave
DUST = 1e-14  # of the terms that a parameter is the sum of
SMALLEST_PIVOT = 1e-5  # conditions that hardly determine a change would make huge parameters
LARGEST_GROWTH = 20.0  # of parameters; conditions that make larger ones would cost digits
EQUAL_PAIRS = ((XX, YY), (YY, ZZ), (XX, ZZ))
Number = float  # or an mpf of mpmath, which has no types and behaves like one
Change = dict[int, list[Number]]  # link -> its ten parameters


@dataclass(frozen=True)
class Condition:
    """A parameter that shall vanish, or two J of a link that shall be equal."""

    link: int
    parameter: int
    equals: int | None = None

    def __str__(self) -> str:
        other = "" if self.equals is None else f"={NAMES[self.equals]}"
        return f"{self.link + 1}.{NAMES[self.parameter]}{other}"

    @staticmethod
    def parse(text: str) -> Condition:
        """The condition of this name, or ValueError."""
        link, rest = text.split(".")
        name, _, other = rest.partition("=")
        parameter, equals = NAMES.index(name), NAMES.index(other) if other else None
        if equals is not None and (parameter, equals) not in EQUAL_PAIRS:
            raise ValueError(f"{name} and {other} are not two diagonal second moments")
        return Condition(int(link) - 1, parameter, equals)

    def of(self, rows: Any) -> Any:
        """Its value for parameters, or its row for many changes: `rows` has one row per parameter."""
        here = rows[10 * self.link + self.parameter]
        return here if self.equals is None else here - rows[10 * self.link + self.equals]


def fallback_conditions(steps: Sequence[FrameStep]) -> list[Condition]:
    """The textbook choice, last link first, and then whatever else may vanish."""
    wanted: list[Condition] = []
    for k in reversed(range(len(steps))):
        own = {"revolute": (M, MZ, ZZ), "prismatic": tuple(range(XX, YZ + 1)), "fixed": tuple(range(10))}
        wanted += [Condition(k, j) for j in own[steps[k].kind]]
    for k in range(len(steps)):
        wanted += [Condition(k, j) for j in (YZ, XZ, XY, YY, MZ, MX, MY, M, ZZ, XX)]
    return wanted


@dataclass(frozen=True, eq=False)
class Regrouping:
    """Parameters of all links and the changes that mean the same motion."""

    steps: tuple[FrameStep, ...]
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
        """The parameters that fulfill conditions, in double precision: enough to see what vanishes."""
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
            rows = np.array(columns, dtype=object).T
            p = [mpmath.mpf(float(x)) for x in self.parameters]
            system = [
                ({j: x for j, x in enumerate(condition.of(rows)) if x}, -condition.of(p))
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


def solve_sparse(system: list[tuple[dict[int, Number], Number]]) -> list[Number]:
    """Elimination with rows as dictionaries, since each holds few of the unknowns."""
    waiting = [(dict(row), right) for row, right in system]
    eliminated: list[tuple[int, dict[int, Number], Number]] = []
    while waiting:
        # The row with fewest unknowns, and its largest one.
        place = min(range(len(waiting)), key=lambda k: len(waiting[k][0]) or len(system) + 1)
        row, right = waiting.pop(place)
        if not row:
            raise ValueError("the conditions do not determine the parameters")
        pivot = max(row, key=lambda j: abs(row[j]))
        eliminated.append((pivot, row, right))
        for k, (other, value) in enumerate(waiting):
            if pivot in other:
                factor = other.pop(pivot) / row[pivot]
                for j, x in row.items():
                    if j != pivot:
                        other[j] = other.get(j, 0) - factor * x
                waiting[k] = (other, value - factor * right)
    solution: dict[int, Number] = {}
    for pivot, row, right in reversed(eliminated):
        known = sum((x * solution[j] for j, x in row.items() if j != pivot), 0 * right)
        solution[pivot] = (right - known) / row[pivot]
    return [solution[j] for j in sorted(solution)]


def shared_changes(steps: Sequence[FrameStep], number: Callable[[float], Number]) -> list[Change]:
    """Mass that belongs to either side of a joint: given to one link and taken from the other."""
    changes: list[Change] = []
    for k, step in enumerate(steps):
        pairs = _line(step, number) if step.kind == "revolute" else _rigidly(step, number)
        for own, before in pairs:
            changes.append({k: own, k - 1: [-x for x in before]} if k else {k: own})
    return changes


def _line(step: FrameStep, number: Callable[[float], Number]) -> list[tuple[list[Number], list[Number]]]:
    """Mass, first and second moment on a joint's axis: in its own frame and in the frame before."""
    ca, sa, a, d = (number(x) for x in (*step.twist, step.a, step.d))
    zero, one = number(0.0), number(1.0)
    e, p = (zero, -sa, ca), (a, -sa * d, ca * d)

    def product(u: Sequence[Number], v: Sequence[Number]) -> list[list[Number]]:
        return [[(u[i] * v[j] + u[j] * v[i]) / 2 for j in range(3)] for i in range(3)]

    twice = [[2 * x for x in row] for row in product(p, e)]
    own = [[zero] * 10 for _ in range(3)]
    own[0][0] = own[1][3] = own[2][ZZ] = one
    none = (zero, zero, zero)
    before = [packed(one, p, product(p, p)), packed(zero, e, twice), packed(zero, none, product(e, e))]
    return list(zip(own, before, strict=True))


def _rigidly(
    step: FrameStep, number: Callable[[float], Number]
) -> list[tuple[list[Number], list[Number]]]:
    """What a prismatic (second moments) or fixed axis (everything) shares with the frame before."""
    R, p = _transform(step, number)
    pairs = []
    for k in range(10):
        if step.kind == "prismatic" and k < XX:
            continue
        own = [number(0.0)] * 10
        own[k] = number(1.0)
        first = [sum(R[i][j] * own[1 + j] for j in range(3)) for i in range(3)]
        J = [[number(0.0)] * 3 for _ in range(3)]
        for (i, j), value in zip(PLACES, own[XX:], strict=True):
            J[i][j] = J[j][i] = value
        turned = [
            [sum(R[i][u] * J[u][v] * R[j][v] for u in range(3) for v in range(3)) for j in range(3)]
            for i in range(3)
        ]
        moved = [
            [turned[i][j] + p[i] * first[j] + first[i] * p[j] + own[0] * p[i] * p[j] for j in range(3)]
            for i in range(3)
        ]
        pairs.append((own, packed(own[0], [first[i] + own[0] * p[i] for i in range(3)], moved)))
    return pairs


def _transform(
    step: FrameStep, number: Callable[[float], Number]
) -> tuple[list[list[Number]], list[Number]]:
    """Rotation and origin of frame i in frame i-1, of a step that does not turn."""
    ca, sa, a, d = (number(x) for x in (*step.twist, step.a, step.d))
    c, s = (number(x) for x in cosine_sine(step.theta))
    R = [[c, -s, number(0.0)], [ca * s, ca * c, -sa], [sa * s, sa * c, ca]]
    return R, [a, -sa * d, ca * d]


def base_changes(
    steps: Sequence[FrameStep], gravity: Sequence[float] | None, number: Callable[[float], Number]
) -> list[Change]:
    """What the first links of an arm on a standing base never show.

    Args:
        gravity: in frame 0; None if it may have any direction.
    """
    changes: list[Change] = []
    axis: Array | None = None  # the only direction that links have turned about so far
    unit = [[number(float(i == j)) for i in range(10)] for j in range(10)]
    for k, step in enumerate(steps):
        R = np.array(_transform(step, float)[0]) if step.kind != "revolute" else _resting(step)
        axis = None if axis is None else R.T @ axis
        if step.kind == "revolute":
            if axis is not None and np.hypot(axis[0], axis[1]) > EXACT:
                break
            axis = np.array([0.0, 0.0, 1.0])
        if axis is None:
            changes += [{k: unit[j]} for j in range(1, 10)]
        else:
            changes += [{k: change} for change in _unseen_about(axis, number)]
    along = gravity is not None and gravity[0] == gravity[1] == 0.0
    if along and steps[0].kind == "revolute":  # the first axis stands still and gravity is along it
        changes += [{0: unit[1]}, {0: unit[2]}]
    return changes


def _resting(step: FrameStep) -> Array:
    """Rotation of a revolute step but for its turn, which leaves what lies on the axis alone."""
    ca, sa = step.twist
    return np.array([[1.0, 0.0, 0.0], [0.0, ca, -sa], [0.0, sa, ca]])


def _unseen_about(e: Array, number: Callable[[float], Number]) -> list[list[Number]]:
    """Parameters without effect on a body that turns about one direction only."""
    k = int(np.argmin(np.abs(e)))
    u = np.eye(3)[k] - e * e[k]
    u /= np.linalg.norm(u)
    v = np.cross(e, u)
    J = [np.outer(e, e), np.outer(e, u) + np.outer(u, e), np.outer(e, v) + np.outer(v, e)]
    J += [np.outer(u, v) + np.outer(v, u), np.outer(u, u) - np.outer(v, v)]
    changes = [packed(0.0, e, np.zeros((3, 3)))]
    changes += [packed(0.0, np.zeros(3), matrix) for matrix in J]
    return [[number(float(x)) for x in change] for change in changes]
