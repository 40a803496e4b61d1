"""Base parameters by weighted least squares, with errors that hold for correlated noise.

Efforts and regressor pass the same filter and are thinned to its bandwidth (Gautier and Poignet 2001).
Outliers are drawn in to three standard deviations in the efforts as they were measured, since a filter
would spread them. The covariance is that of Newey and West (1987), over all actuators at once: noise of
the positions acts on all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from linkwork.identification.logs import Log
from linkwork.identification.smoothing import HIGHEST, MARGIN, SmoothedMotion, low_pass, smoothed
from linkwork.model.geometry import frozen
from linkwork.robot.robot import Array, Robot

BLOCK = 20_000  # rows that are worked on at a time
OUTLIER = 3.0  # standard deviations, to which measured efforts are drawn in
ROUNDS = 4  # of weights and outliers
RESTING = 0.02  # of the greatest velocity of an actuator; slower, friction has no clear direction
STILL = 1e-3  # of the greatest velocity of all actuators; slower ones stand still
WIDER = 4.0  # than the bandwidth of the motion, for the rows of the equations
LAGS = 6  # of thinned rows, over which residuals may be correlated
FINEST = 1e-6  # of the greatest effort: no sensor is better, and smaller errors are those of rounding
MAD = 1.4826  # from the median of magnitudes to a standard deviation
SHARES = (0.02, 0.05, 0.1, 0.2, 0.35)  # of the greatest velocity, tried as Stribeck velocity
CLEAR = 6.0  # standard errors that the coefficient must be above zero
WORTH = 0.01  # least share of a joint's residual variance that it must explain


@dataclass(frozen=True)
class Stribeck:
    """More friction near rest: sign(v) exp(-(v / velocity)^2) times a coefficient, at one actuator."""

    actuator: int
    velocity: float

    def column(self, v: Array) -> Array:
        return np.asarray(np.sign(v) * np.exp(-((v / self.velocity) ** 2)))


@dataclass(frozen=True, eq=False)
class LogBlock:
    """A part of a log: its rows as measured, and where the thinned rows stand."""

    time: Array
    motion: SmoothedMotion
    effort: Array
    actuator_velocity: Array
    period: float
    bandwidth: float  # to which rows are filtered and thinned
    kept: NDArray[np.int64]  # indices of thinned rows


@dataclass(frozen=True, eq=False)
class Problem:
    """A linear model of filtered, thinned efforts: rows (T, n, b) and what was measured (T, n)."""

    robot: Robot
    basis: Array  # (p, b): from base parameters to all
    known: Array  # (p,): parameters whose effort is subtracted
    blocks: tuple[LogBlock, ...]
    extra: tuple[Stribeck, ...] = field(default=())

    def with_extra(self, extra: Sequence[Stribeck]) -> Problem:
        """The same with a coefficient more for each."""
        return Problem(self.robot, self.basis, self.known, self.blocks, (*self.extra, *extra))

    def _regressor(self, block: LogBlock) -> Array:
        """As measured, (N, n, b)."""
        Y = self.robot.regressor(*block.motion)
        rows = (Y.reshape(-1, Y.shape[2]) @ self.basis).reshape(*Y.shape[:2], -1)
        return np.concatenate([rows, *(self._extra_column(block, one) for one in self.extra)], axis=2)

    def _extra_column(self, block: LogBlock, friction: Stribeck) -> Array:
        column = np.zeros((*block.effort.shape, 1))
        k = friction.actuator
        column[:, k, 0] = friction.column(block.actuator_velocity[:, k])
        return column

    def _predicted(self, block: LogBlock, estimate: Array) -> Array:
        """Efforts (N, n) of an estimate, as they would be measured."""
        b = self.basis.shape[1]
        whole = self.known + self.basis @ estimate[:b]
        effort = self.robot.regressor(*block.motion) @ whole
        for value, friction in zip(estimate[b:], self.extra, strict=True):
            effort = effort + value * self._extra_column(block, friction)[:, :, 0]
        return effort

    def thinned(self, block: LogBlock, values: Array) -> Array:
        return low_pass(values, block.period, block.bandwidth)[block.kept]

    @cached_property
    def rows(self) -> Array:
        """The filtered, thinned regressor, (T, n, b)."""
        return np.concatenate([self.thinned(block, self._regressor(block)) for block in self.blocks])

    def efforts(self, estimate: Array | None = None) -> tuple[Array, Array, float]:
        """Filtered, thinned efforts without the known part; RMS as measured; share of outliers.

        With an estimate, efforts far from it are drawn in.
        """
        parts, squares, outliers = [], [], []
        nothing = np.zeros(self.basis.shape[1] + len(self.extra))
        for block in self.blocks:
            known = self._predicted(block, nothing)
            effort = block.effort
            if estimate is not None:
                predicted = self._predicted(block, estimate)
                residual = effort - predicted
                most = OUTLIER * MAD * np.median(np.abs(residual), axis=0)
                drawn = np.clip(residual, -most, most)
                effort = predicted + drawn
                squares.append(drawn**2)
                outliers.append((drawn != residual).mean())
            parts.append(self.thinned(block, effort - known))
        noise = np.sqrt(np.concatenate(squares).mean(axis=0)) if squares else np.zeros(self.robot.n)
        return np.concatenate(parts), noise, float(np.mean(outliers)) if outliers else 0.0

    @cached_property
    def counts(self) -> Array:
        """Weights (T, n): 0 where an actuator rests and its friction has no direction."""
        parts = []
        for block in self.blocks:
            slow = 1.0 - moves(block.actuator_velocity)
            width = max(int(1 / (block.bandwidth * block.period)), 1)
            window = np.ones(width) / width
            share = np.stack([np.convolve(column, window, mode="same") for column in slow.T], axis=1)
            parts.append((share < 0.5)[block.kept])
        return np.concatenate(parts).astype(np.float64)

    @cached_property
    def time(self) -> Array:
        """Of the thinned rows, one log after the other."""
        return np.concatenate([block.time[block.kept] for block in self.blocks])


@dataclass(frozen=True, eq=False)
class LeastSquares:
    """Estimate of base parameters (and of extra friction), with its covariance."""

    estimate: Array
    covariance: Array
    information: Array  # of the rows alone, (b, b)
    sigma: Array  # of filtered residuals, per actuator
    noise: Array  # RMS of residuals as measured, per actuator
    outliers: float  # share of the measured efforts
    measured: Array  # (T, n), without the known part
    residual: Array  # (T, n)

    @property
    def standard_error(self) -> Array:
        return np.asarray(np.sqrt(np.diagonal(self.covariance)))


def moves(velocity: Array) -> NDArray[np.bool_]:
    """Where actuators are so fast that friction has a clear direction, (N, n)."""
    speed = np.abs(velocity)
    greatest = speed.max(axis=0)
    return np.asarray(speed >= np.maximum(RESTING * greatest, STILL * greatest.max()))


def blocks_of(robot: Robot, log: Log, bandwidth: float) -> Iterator[LogBlock]:
    """Parts of a log that fit into memory; ends that the filter does not know are left out."""
    motion = smoothed(robot, log, bandwidth)
    velocity = robot.actuator_motion(motion.position, motion.velocity).velocity
    assert velocity is not None
    margin = int(MARGIN / (bandwidth * log.period)) + 1
    # Friction and noise are wider than the motion; thinning to its band would waste equations.
    wide = min(WIDER * bandwidth, HIGHEST / log.period)
    step = max(int(1 / (2 * wide * log.period)), 1)
    inside = np.arange(margin, len(log.time) - margin, step)
    for start in range(0, len(log.time), BLOCK):
        own = inside[(inside >= start) & (inside < start + BLOCK)]
        if len(own):
            first, last = max(start - margin, 0), min(start + BLOCK + margin, len(log.time))
            part = slice(first, last)
            yield LogBlock(
                log.time[part],
                SmoothedMotion(*(values[part] for values in motion)),
                log.effort[part],
                velocity[part],
                log.period,
                wide,
                own - first,
            )


def solved(problem: Problem, precision: Array, prior: Array) -> LeastSquares:
    """The estimate near `prior` (b,), whose information is `precision` (b, b)."""
    T, n, b = problem.rows.shape
    W = problem.rows.reshape(-1, b)
    counts = problem.counts.reshape(-1)
    measured, noise, outliers = problem.efforts()
    weights = counts
    sigma = np.ones(n)
    for k in range(ROUNDS):
        weighted = W * weights[:, None]
        information = weighted.T @ W
        right = weighted.T @ measured.reshape(-1) + precision @ prior
        estimate: Array = np.asarray(np.linalg.solve(information + precision, right), dtype=np.float64)
        residual = measured - (W @ estimate).reshape(T, n)
        used = np.maximum(problem.counts.sum(axis=0) - b / n, 1.0)
        sigma = np.sqrt((problem.counts * residual**2).sum(axis=0) / used)
        sigma = np.maximum(sigma, FINEST * np.abs(measured).max())
        weights = (problem.counts / sigma**2).reshape(-1)
        if k < ROUNDS - 1:
            measured, noise, outliers = problem.efforts(estimate)
    information = (W * weights[:, None]).T @ W
    inverse: Array = np.asarray(np.linalg.inv(information + precision), dtype=np.float64)
    return LeastSquares(
        frozen(estimate),
        frozen(_covariance(W, weights, residual, inverse, precision)),
        information,
        sigma,
        noise,
        outliers,
        measured,
        residual,
    )


def _covariance(W: Array, weights: Array, residual: Array, inverse: Array, precision: Array) -> Array:
    """The larger of two estimates: rows of one instant correlated, and rows of some instants."""
    T, n = residual.shape
    leverage = np.einsum("ra,ra->r", W @ inverse, W) * weights
    corrected = residual.reshape(-1) / np.sqrt(np.clip(1 - leverage, 0.1, 1.0))
    scores = (W * (weights * corrected)[:, None]).reshape(T, n, -1).sum(axis=1)
    at_once = scores.T @ scores
    total = at_once.copy()
    for lag in range(1, min(LAGS, T - 1) + 1):
        later = scores[lag:].T @ scores[:-lag]
        total += (1 - lag / (LAGS + 1)) * (later + later.T)
    plain, correlated = (inverse @ (part + precision) @ inverse for part in (at_once, total))
    ratio = np.sqrt(np.maximum(np.diagonal(correlated) / np.diagonal(plain), 1.0))
    return np.asarray(plain * np.outer(ratio, ratio))


def stribeck_shown(problem: Problem, fit: LeastSquares) -> tuple[Stribeck, ...]:
    """For every actuator the best Stribeck velocity, if the residuals show one at all."""
    found = []
    greatest = np.max([np.abs(b.actuator_velocity).max(axis=0) for b in problem.blocks], axis=0)
    # What takes from a column that part which the model explains already.
    projected = np.asarray(np.linalg.pinv(fit.information, hermitian=True), dtype=np.float64)
    for k in range(problem.robot.n):
        tried = [Stribeck(k, share * float(greatest[k])) for share in SHARES if greatest[k] > 0]
        scores = [_score(problem, fit, friction, projected) for friction in tried]
        if scores:
            best = int(np.argmax([score for score, _ in scores]))
            score, explained = scores[best]
            if score > CLEAR and explained > WORTH:
                found.append(tried[best])
    return tuple(found)


def _score(
    problem: Problem, fit: LeastSquares, friction: Stribeck, inverse: Array
) -> tuple[float, float]:
    """How many standard errors its coefficient is above zero, and what share of variance it explains."""
    k = friction.actuator
    column = np.concatenate(
        [
            problem.thinned(block, friction.column(block.actuator_velocity[:, k]))
            for block in problem.blocks
        ]
    )
    W, sigma, counts = problem.rows, fit.sigma, problem.counts
    weighted = W * (counts / sigma**2)[:, :, None]
    known = inverse @ np.einsum("ta,t->a", weighted[:, k], column)
    rest = -(W @ known)
    rest[:, k] += column
    size = float((counts * rest**2 / sigma**2).sum())
    if size <= 0:
        return 0.0, 0.0
    amount = float((counts * rest * fit.residual / sigma**2).sum()) / size
    gained = amount**2 * size / float((counts[:, k] * (fit.residual[:, k] / sigma[k]) ** 2).sum())
    return amount * np.sqrt(size), gained
