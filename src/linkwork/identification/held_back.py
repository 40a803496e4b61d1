"""What a choice is worth: the error of predicting parts of the logs that the fit has not seen.

Rows are products of columns by fold and actuator: any choice of columns is fitted without the fold
and tried on it by solving small systems only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwork.identification.logs import Log
from linkwork.identification.regression import MAD, OUTLIER, moves
from linkwork.identification.smoothing import HIGHEST, MARGIN, motion_at, smoothed
from linkwork.model.geometry import frozen
from linkwork.robot.robot import Array, Robot

FOLDS = 8
ROWS = 3000  # at most, that choices are compared on
USUAL = 5.0  # [Hz] a bandwidth of machines, where the search begins
OCTAVES = (-4, 10)  # half octaves about it that are tried
CLEAR = 2.0  # standard errors over folds, by which a bandwidth is worse than the best one
ENDS = 0.75  # [s] of each part that are not compared
MOST_ENDS = 0.1  # of the part


@dataclass(frozen=True, eq=False)
class Curve:
    """RMS of held-back efforts (k, n) over bandwidths (k,) [Hz].

    `doubt` (k,) are standard errors of the logarithm of `relative` over that of the least one.
    """

    bandwidth: Array
    rms: Array
    doubt: Array

    @property
    def relative(self) -> Array:
        """RMS over the least one of each actuator, their mean over actuators, (k,)."""
        return np.asarray(np.exp(np.log(self.rms / self.rms.min(axis=0)).mean(axis=1)))

    @property
    def best(self) -> float:
        """Nearest to the usual one of those that predict as well, within what folds can tell.

        Wide filters predict a little more of the log's own vibrations, and less of another motion.
        """
        worse = np.log(self.relative / self.relative.min())
        good = self.bandwidth[worse <= CLEAR * self.doubt]
        return float(good[int(np.argmin(np.abs(np.log(good / USUAL))))])


@dataclass(frozen=True, eq=False)
class Folds:
    """Products of columns (F, n, c, c), with efforts (F, n, c), and of efforts (F, n), with counts."""

    columns: Array
    right: Array
    square: Array
    count: Array

    @staticmethod
    def of(rows: Array, efforts: Array, used: NDArray[np.bool_], fold: NDArray[np.int64]) -> Folds:
        """Of rows (T, n, c) and efforts (T, n), where `used` (T, n), in folds (T,)."""
        parts = []
        for f in range(FOLDS):
            own = fold == f
            kept = used[own].astype(np.float64)
            W, y = rows[own] * kept[:, :, None], efforts[own] * kept
            by_actuator = W.transpose(1, 0, 2)
            right = np.einsum("tjc,tj->jc", W, y)
            parts.append((by_actuator.swapaxes(1, 2) @ by_actuator, right, (y**2).sum(0), kept.sum(0)))
        columns, rights, squares, counts = (np.stack(each) for each in zip(*parts, strict=True))
        return Folds(columns, rights, squares, counts)

    def estimate(self, kept: Sequence[int], sigma: Array, precision: Array, prior: Array) -> Array:
        """Of a fit to all rows with these columns."""
        columns, right = self._of(kept)
        weight: Any = 1 / sigma**2
        A, b = np.einsum("fjab,j->ab", columns, weight), np.einsum("fja,j->a", right, weight)
        return np.asarray(np.linalg.solve(A + precision, b + precision @ prior))

    def _of(self, kept: Sequence[int]) -> tuple[Any, Any]:
        """Products of these columns, with each other and with efforts."""
        at = np.asarray(kept)
        return self.columns[:, :, at[:, None], at], self.right[:, :, at]

    def squared_errors(self, kept: Sequence[int], sigma: Array, precision: Array, prior: Array) -> Array:
        """Sums of squares (F, n) in every fold of a fit to all others, with these columns."""
        columns, right = self._of(kept)
        weight: Any = 1 / sigma**2
        A = np.einsum("fjab,j->fab", columns, weight)
        b = np.einsum("fja,j->fa", right, weight)
        held = precision @ prior
        found = [
            np.linalg.solve(A.sum(0) - A[f] + precision, b.sum(0) - b[f] + held) for f in range(FOLDS)
        ]
        x = np.stack(found)
        errors = self.square - 2 * np.einsum("fja,fa->fj", right, x)
        return np.asarray(np.maximum(errors + np.einsum("fjab,fa,fb->fj", columns, x, x), 0.0))


@dataclass(frozen=True, eq=False)
class Comparison:
    """Rows of logs on which choices are compared; actuators nearly at rest do not count.

    `known` are parameters whose effort is subtracted, `basis` leads from base parameters to all.
    """

    robot: Robot
    parts: tuple[Log, ...]
    basis: Array
    known: Array
    precision: Array
    prior: Array

    def samples(
        self, bandwidth: float, late: float = 0.0
    ) -> tuple[tuple[Array, Array, Array], Array, Array]:
        """Motion, efforts as measured without payloads (T, n) and velocities of actuators (T, n).

        Args:
            late: by how much efforts come later than the motion [s].
        """
        found = []
        total = sum(len(part.time) for part in self.parts)
        step = max(total // ROWS, 1)
        for part in self.parts:
            motion = smoothed(self.robot, part, bandwidth)
            ends = int(min(ENDS / part.period, MOST_ENDS * len(part.time)))
            at = np.arange(ends, len(part.time) - ends, step)
            c, cd, cdd = motion_at(self.robot, part.time, motion, part.time[at] - late)
            velocity = self.robot.actuator_motion(c, cd).velocity
            assert velocity is not None
            carried = part.efforts_carried(self.robot, (c, cd, cdd))
            found.append((c, cd, cdd, part.effort[at] - carried, velocity))
        c, cd, cdd, efforts, velocity = (np.concatenate(each) for each in zip(*found, strict=True))
        return (c, cd, cdd), efforts, velocity

    def rows(self, bandwidth: float, late: float = 0.0) -> tuple[Array, Array, Array]:
        """Regressor (T, n, b), efforts less the known part (T, n), velocities of actuators (T, n)."""
        states, efforts, velocity = self.samples(bandwidth, late)
        Y = self.robot.regressor(*states)
        return Y @ self.basis, efforts - Y @ self.known, velocity

    def reference(self, bandwidth: float) -> tuple[Array, NDArray[np.bool_], Array]:
        """Efforts without outliers, which rows count, and the size of residuals per actuator."""
        return self.reference_of(*self.rows(bandwidth))

    def reference_of(
        self, W: Array, efforts: Array, velocity: Array
    ) -> tuple[Array, NDArray[np.bool_], Array]:
        """The same of rows that are there."""
        used = moves(self.robot, velocity)
        return without_outliers(W, efforts, used, self.precision, self.prior)

    def curve(self) -> Curve:
        """How well each bandwidth predicts."""
        tried = candidates(self.parts)
        clean, used, sigma = self.reference(usual_of(self.parts))
        fold = folds_of(used)
        every = list(range(self.basis.shape[1]))
        errors = []
        for bandwidth in tried:
            folds = Folds.of(self.rows(float(bandwidth))[0], clean, used, fold)
            errors.append(folds.squared_errors(every, sigma, self.precision, self.prior))
        moved = used.any(axis=0)
        squares = np.stack(errors)[:, :, moved]
        rms = np.sqrt(squares.sum(axis=1) / np.maximum(used.sum(axis=0)[moved], 1))
        return Curve(frozen(tried), frozen(np.maximum(rms, 1e-300)), frozen(_doubt(squares)))


def _doubt(squares: Array) -> Array:
    """Of each choice (k,) against the least one, by leaving out folds of sums of squares (k, F, n)."""
    without = np.maximum(squares.sum(axis=1)[:, None] - squares, 1e-300)
    sizes = np.log(without).mean(axis=2) / 2
    best = np.log(np.maximum(squares.sum(axis=1), 1e-300)).mean(axis=1).argmin()
    return np.asarray(np.sqrt(FOLDS - 1) * (sizes - sizes[best]).std(axis=1))


def without_outliers(
    W: Array, efforts: Array, used: NDArray[np.bool_], precision: Array, prior: Array
) -> tuple[Array, NDArray[np.bool_], Array]:
    """Efforts down-weighted beyond three standard deviations of a fit, rows that count, deviations."""
    sigma: Array = np.maximum(efforts.std(axis=0), 1e-300)
    clean: Array = efforts
    for _ in range(3):
        flat = (W * (used / sigma**2)[:, :, None]).reshape(-1, W.shape[2])
        A = flat.T @ W.reshape(-1, W.shape[2]) + precision
        x = np.linalg.solve(A, flat.T @ clean.reshape(-1) + precision @ prior)
        predicted = W @ x
        residual = efforts - predicted
        size = [
            np.median(own[at]) if at.any() else 0.0
            for own, at in zip(np.abs(residual).T, used.T, strict=True)
        ]
        sigma = np.asarray(
            np.maximum(MAD * np.array(size), 1e-6 * np.abs(efforts).max()), dtype=np.float64
        )
        drawn = np.clip(residual, -OUTLIER * sigma, OUTLIER * sigma)
        clean = np.asarray(predicted + drawn, dtype=np.float64)
    return clean, used, sigma


def candidates(parts: Sequence[Log]) -> Array:
    """Bandwidths that the sampling and the length of the log allow."""
    low, high = OCTAVES
    tried = USUAL * 2.0 ** (0.5 * np.arange(low, high + 1))
    highest = min(HIGHEST / part.period for part in parts)
    lowest = 4 * MARGIN / max(float(part.time[-1] - part.time[0]) for part in parts)
    allowed = tried[(tried <= highest) & (tried >= lowest)]
    fallback = min(highest, max(lowest, USUAL))
    return np.asarray(allowed if len(allowed) else [fallback], dtype=np.float64)


def usual_of(parts: Sequence[Log]) -> float:
    """The bandwidth of machines, as far as the logs allow it."""
    return float(min(candidates(parts), key=lambda each: abs(each - USUAL)))


def folds_of(used: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Stretches of rows with as much motion each."""
    share = np.cumsum(used.any(axis=1))
    return np.minimum((FOLDS * (share - 1) / max(share[-1], 1)).astype(np.int64).clip(0), FOLDS - 1)
