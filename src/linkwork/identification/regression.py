"""Base parameters by weighted least squares, with errors that hold for correlated noise.

Efforts and regressor pass the same filter and are thinned to its bandwidth (Gautier and Poignet 2001).
Outliers beyond three standard deviations are down-weighted in the efforts as they were measured, since a
filter would spread them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from linkwork.identification.covariance import between_stretches, correlated, widest
from linkwork.identification.logs import Log
from linkwork.identification.smoothing import HIGHEST, SmoothedMotion, low_pass, margin_of, smoothed
from linkwork.model.geometry import frozen
from linkwork.model.parameters import FRICTION, LOAD_FRICTION
from linkwork.robot.robot import Array, Robot

BLOCK = 20_000  # rows that are worked on at a time
OUTLIER = 3.0  # standard deviations, to which measured efforts are down-weighted
ROUNDS = 4  # of weights and outliers
RESTING = 0.02  # of the greatest velocity of an actuator; slower, friction has no clear direction
STILL = 0.01  # of the greatest velocity of actuators of that unit; slower ones stand still
WIDER = 4.0  # than the bandwidth of the motion, for the rows of the equations
FINEST = 1e-6  # of the greatest effort: no sensor is better, and smaller errors are those of rounding
MAD = 1.4826  # from the median of magnitudes to a standard deviation


@dataclass(frozen=True, eq=False)
class LogBlock:
    """A part of a log: its rows as measured, and where the thinned rows stand."""

    time: Array
    motion: SmoothedMotion
    effort: Array
    actuator_velocity: Array
    doubtful: NDArray[np.bool_]  # efforts that were saturated
    carried: Array | float  # efforts that a payload takes
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
    near: Array | None = None  # (p,): parameters by which friction under load knows the load

    def _all_columns(self, block: LogBlock) -> Array:
        """As measured, (N, n, p)."""
        Y = self.robot.regressor(*block.motion)
        if self.near is not None:
            put_load_friction(self.robot, Y, self.near, block.actuator_velocity, block.carried)
        return Y

    def _regressor(self, block: LogBlock) -> Array:
        """As measured, (N, n, b)."""
        return np.asarray(self._all_columns(block) @ self.basis)

    def predicted(self, block: LogBlock, estimate: Array) -> Array:
        """Efforts (N, n) of an estimate, as they would be measured."""
        return self._all_columns(block) @ (self.known + self.basis @ estimate) + block.carried

    def close_to(self, estimate: Array) -> Problem:
        """With friction under load by the load of an estimate."""
        return replace(self, near=self.known + self.basis @ estimate)

    def thinned(self, block: LogBlock, values: Array) -> Array:
        return low_pass(values, block.period, block.bandwidth)[block.kept]

    @cached_property
    def rows(self) -> Array:
        """The filtered, thinned regressor, (T, n, b)."""
        return np.concatenate([self.thinned(block, self._regressor(block)) for block in self.blocks])

    def efforts(self, estimate: Array | None = None) -> tuple[Array, Array, float]:
        """Filtered, thinned efforts without the known part; RMS as measured; share of outliers.

        With an estimate, efforts far from it are down-weighted.
        """
        parts, squares, outliers = [], [], []
        nothing = np.zeros(self.basis.shape[1])
        for block in self.blocks:
            known = self.predicted(block, nothing)
            effort = block.effort
            if estimate is not None:
                predicted = self.predicted(block, estimate)
                residual = effort - predicted
                most = OUTLIER * MAD * np.median(np.abs(residual), axis=0)
                drawn = np.where(block.doubtful, 0.0, np.clip(residual, -most, most))
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
            slow = 1.0 - (moves(self.robot, block.actuator_velocity, self.greatest) & ~block.doubtful)
            width = max(int(1 / (block.bandwidth * block.period)), 1)
            window = np.ones(width) / width
            share = np.stack([np.convolve(column, window, mode="same") for column in slow.T], axis=1)
            parts.append((share < 0.5)[block.kept])
        return np.concatenate(parts).astype(np.float64)

    @cached_property
    def greatest(self) -> Array:
        """Velocities (n,) of the actuators."""
        return np.asarray(np.max([np.abs(b.actuator_velocity).max(axis=0) for b in self.blocks], axis=0))


@dataclass(frozen=True, eq=False)
class LeastSquares:
    """Estimate of base parameters, with its covariance."""

    estimate: Array
    covariance: Array
    between: Array  # covariance between stretches of the logs, which knows errors of the model
    information: Array  # of the rows alone, (b, b)
    sigma: Array  # of filtered residuals, per actuator
    noise: Array  # RMS of residuals as measured, per actuator
    outliers: float  # share of the measured efforts
    measured: Array  # (T, n), without the known part
    residual: Array  # (T, n)
    counts: Array  # (T, n)

    @property
    def standard_error(self) -> Array:
        return np.asarray(np.sqrt(np.diagonal(self.covariance)))

    @property
    def squares(self) -> float:
        """Weighted sum of squared residuals."""
        return float((self.counts * (self.residual / self.sigma) ** 2).sum())

    def reach(self, confidence: float) -> Array:
        """Half the interval of this confidence: the wider one of both covariances."""
        return widest(self.covariance, self.between, confidence)


def at_later(part: Log, seconds: float) -> Array:
    """Efforts as they were so much later; those of the last instants stay as they are at the end."""
    from scipy.interpolate import CubicSpline

    times = np.clip(part.time + seconds, part.time[0], part.time[-1])
    return np.asarray(CubicSpline(part.time, part.effort)(times))


def moves(robot: Robot, velocity: Array, greatest: Array | None = None) -> NDArray[np.bool_]:
    """Where actuators are so fast that friction has a clear direction, (N, n).

    Args:
        greatest: velocities (n,) of the whole log, if these are a part of it.
    """
    speed = np.abs(velocity)
    greatest = speed.max(axis=0) if greatest is None else greatest
    units = robot.efforts.units
    fastest = np.where(np.equal.outer(units, units), greatest, 0.0).max(axis=1)
    return np.asarray(speed >= np.maximum(RESTING * greatest, STILL * fastest))


def blocks_of(robot: Robot, log: Log, bandwidth: float) -> Iterator[LogBlock]:
    """Parts of a log that fit into memory; ends that the filter does not know are left out."""
    for part in log.parts:
        if len(part.time) > 2 * margin_of(part, bandwidth):
            yield from _blocks_without_gap(robot, part, bandwidth)


def _blocks_without_gap(robot: Robot, log: Log, bandwidth: float) -> Iterator[LogBlock]:
    motion = smoothed(robot, log, bandwidth)
    velocity = robot.actuator_motion(motion.position, motion.velocity).velocity
    assert velocity is not None
    carried = log.efforts_carried(robot, motion)
    margin = margin_of(log, bandwidth)
    # Friction and noise are wider than the motion; thinning to its band would waste equations.
    wide = min(WIDER * bandwidth, HIGHEST / log.period)
    step = max(int(1 / (2 * wide * log.period)), 1)
    inside = np.arange(margin, len(log.time) - margin, step)
    doubtful = np.zeros(log.effort.shape, dtype=bool) if log.saturated is None else log.saturated
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
                doubtful[part],
                carried if isinstance(carried, float) else carried[part],
                log.period,
                wide,
                own - first,
            )


def load_friction_of(robot: Robot) -> list[int]:
    """Which parameters are of friction under load."""
    names = robot.parameters.names
    return [k for k, name in enumerate(names) if name.rpartition(".")[2] == LOAD_FRICTION]


def put_load_friction(
    robot: Robot, Y: Array, values: Array, velocity: Array, payload: Array | float = 0.0
) -> None:
    """Columns of a regressor (N, n, p) for friction under the load that robots of these parameters have.

    Args:
        velocity: of actuators (N, n).
        payload: efforts (N, n) that are carried beside.
    """
    names, actuators = robot.parameters.names, robot.efforts.names
    bodies = [name.rpartition(".")[2] not in FRICTION for name in names]
    carried = np.abs(Y[:, :, bodies] @ values[bodies] + payload) * np.sign(velocity)
    for column in load_friction_of(robot):
        k = actuators.index(names[column].rpartition(".")[0])
        Y[:, k, column] = carried[:, k]


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
        frozen(correlated(W, weights, residual, inverse, precision)),
        frozen(between_stretches(W, weights, measured, precision, prior)),
        information,
        sigma,
        noise,
        outliers,
        measured,
        residual,
        problem.counts,
    )
