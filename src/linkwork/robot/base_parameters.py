"""The combinations of parameters that efforts can show, from the regressor at random states.

Columns of the regressor that depend linearly on others mean parameters that act only together with
them (Gautier 1991). The rank is certain when the singular values of the scaled regressor fall from
ordinary size to rounding with nothing between.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from linkwork.core.errors import LinkworkError
from linkwork.core.text import number
from linkwork.model.geometry import Array, frozen
from linkwork.model.parameters import FreeParameters

STATES = 200
SLOWEST = -3.0  # power of ten of the usual velocity, for what shows near rest only
ABSENT = 1e-12  # of the longest column: a parameter without any effect
LEAST_GAP = 1e6  # between singular values that count and those that do not
ROUNDING = 1e-9  # coefficients below belong to rounding
# A column is kept if it is this far from all kept ones; smaller distances when columns are missing.
DISTANCES = (0.3, 0.1, 0.03, 0.01, 1e-3, 1e-4, 1e-6)
LATE = ("offset", "m", "rotor")  # grouped with others if they can be, in this order of preference
SHOWN = 4  # terms of a label


@dataclass(frozen=True, eq=False)
class BaseParameters:
    """The combinations that efforts can show; every other one changes no effort in any motion.

    Efforts are `regressor @ basis @ values`, and `values` are `matrix @ parameters.values`.
    """

    names: tuple[str, ...]  # such as "shoulder.Jyy + 0.1865 elbow.m"
    values: Array  # (b,)
    matrix: Array  # (b, p), from all parameters to the base parameters
    basis: Array  # (p, b), parameters that have these base parameters; zero where they need none
    # Singular values of the scaled regressor: the least that counts, the greatest that is rounding.
    gap: tuple[float, float]

    def __len__(self) -> int:
        return len(self.names)

    @property
    def labels(self) -> tuple[str, ...]:
        """The names with their first terms only."""
        return tuple(shortened_sum(name) for name in self.names)

    def __str__(self) -> str:
        kept, left = self.gap
        lines = [
            f"{len(self)} base parameters of {self.matrix.shape[1]}; singular values fall from "
            f"{kept:.2g} to below {10.0 ** math.ceil(math.log10(left)):.0e}"
        ]
        return "\n".join([*lines, *(f"  {name}" for name in self.names)])


def base_parameters(regressor: Array, free: FreeParameters, values: Array) -> BaseParameters:
    """Base parameters from a regressor at many random states.

    Args:
        regressor: (N, p), rows of all efforts.
        free: what is looked at; all else stays out of the combinations.
        values: of all parameters, (p,).
    """
    names = free.names
    regressor = regressor @ free.matrix
    lengths = np.linalg.norm(regressor, axis=0)
    present = np.flatnonzero(lengths > ABSENT * lengths.max(initial=0.0))
    scaled: Array = np.asarray(np.linalg.qr(regressor[:, present] / lengths[present], mode="r"))
    sizes: Array = np.asarray(np.linalg.svd(scaled, compute_uv=False), dtype=np.float64)
    rank, gap = _rank(sizes)
    order = sorted(range(len(present)), key=lambda k: _preference(names, int(present[k])))
    kept = sorted(independent_columns(scaled, order, rank))
    left = np.setdiff1d(np.arange(len(present)), kept)
    mix = np.linalg.lstsq(scaled[:, kept], scaled[:, left], rcond=None)[0]
    mix[np.abs(mix) < ROUNDING] = 0.0
    matrix = np.zeros((rank, len(names)))
    matrix[np.arange(rank), present[kept]] = 1.0
    matrix[:, present[left]] = mix * lengths[present[left]] / lengths[present[kept]][:, None]
    whole = matrix @ free.inverse
    return BaseParameters(
        names=tuple(
            sum_in_words(row, names, int(present[k])) for row, k in zip(matrix, kept, strict=True)
        ),
        values=frozen(whole @ values),
        matrix=frozen(whole),
        basis=frozen(free.matrix[:, present[kept]]),
        gap=gap,
    )


def _rank(sizes: Array) -> tuple[int, tuple[float, float]]:
    """How many singular values count, and the two at the gap."""
    floor = float(np.finfo(np.float64).eps) * sizes[0]  # equal zeros make no gap among themselves
    padded = np.maximum(np.append(sizes, floor), floor)
    rank = int(np.argmax(padded[:-1] / padded[1:])) + 1
    kept, left = float(padded[rank - 1]), float(padded[rank])
    if kept < LEAST_GAP * left:
        raise LinkworkError(
            f"the number of base parameters is not certain: singular values of the regressor fall from "
            f"{kept:.2g} to {left:.2g} at most at once; expected a fall of {LEAST_GAP:g}. Lengths of "
            "the robot may differ from special ones (0, parallel axes) by very little; round them."
        )
    return rank, (kept, left)


def _preference(names: Sequence[str], k: int) -> tuple[int, int]:
    """From the base outward; of one body, what acts with others last."""
    owner, _, kind = names[k].rpartition(".")
    first = next(j for j, name in enumerate(names) if name.rpartition(".")[0] == owner)
    return first, (100 + LATE.index(kind) if kind in LATE else k - first)


def independent_columns(scaled: Array, order: Sequence[int], rank: int) -> list[int]:
    """Columns, the preferred ones first, that are well apart from each other."""
    kept: list[int] = []
    basis = np.zeros((len(scaled), 0))
    for distance in DISTANCES:
        for k in order:
            if len(kept) == rank:
                return kept
            if k in kept:
                continue
            rest = scaled[:, k]
            for _ in range(2):
                rest = rest - basis @ (basis.T @ rest)
            size = np.linalg.norm(rest)
            if size > distance:
                kept.append(k)
                basis = np.column_stack([basis, rest / size])
    raise LinkworkError("no well-conditioned choice of base parameters was found; please report it.")


def sum_in_words(row: Array, names: Sequence[str], first: int) -> str:
    """A combination in words, the parameter that carries it first."""
    text = names[first]
    for k in np.flatnonzero(row).tolist():
        if k != first:
            size = round(abs(float(row[k])), 10)
            factor = "" if abs(size - 1) < ROUNDING else f"{number(size)} "
            text += f" {'-' if row[k] < 0 else '+'} {factor}{names[k]}"
    return text


def shortened_sum(name: str) -> str:
    parts = name.replace(" - ", " +- ").split(" +")
    shown = " +".join(parts[:SHOWN]).replace(" +- ", " - ")
    return f"{shown} + {len(parts) - SHOWN} more" if len(parts) > SHOWN else shown
