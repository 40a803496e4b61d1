"""Motions that show the parameters of a robot: Fourier series with a small condition number.

The condition number is that of the base regressor, its columns in units of the parameters' sizes and its
rows in units of the efforts' (Gautier and Khalil 1992, Swevers et al. 1997). What is minimized is its
Frobenius form, |W| |W+|, which is smooth and never below it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

import numpy as np

from linkwork.core.arguments import positive, whole
from linkwork.core.checked import checked
from linkwork.core.errors import InputError, LinkworkError
from linkwork.core.progress import progress_bar
from linkwork.core.table_files import Plain
from linkwork.identification.physical import parameter_sizes
from linkwork.model.parameters import FRICTION, ROTOR
from linkwork.motion.excitation import Excitation
from linkwork.motion.spaces import motion_of_angles
from linkwork.motion.trajectory import ByAngles, Motion, moving
from linkwork.robot.base_parameters import BaseParameters
from linkwork.robot.coordinates import Coordinates
from linkwork.robot.limits import LimitReport
from linkwork.robot.robot import Array, Robot

SAMPLES_PER_WAVE = 16  # of the highest harmonic, at which the motion is judged
DENSE = 8  # times more samples, at which limits are checked at the end
STEP = 1e-6  # of differences
PENALTY = 300.0
ROOM = 0.97  # of the limits, that the optimization may use
SHRINK = 0.98  # of the amplitudes, until all limits are kept
MOST_SHRINKING = 200
NARROWER, DRAWN = 0.8, 500  # of the ways that are looked at, until all places are reached
ITERATIONS = 120
FREE_ANGLE, FREE_LENGTH = np.pi / 2, 0.3  # about home [rad], [of the machine's size]


@dataclass(frozen=True, eq=False)
class FourierSeries:
    """Positions, velocities and accelerations (T, f) per free coefficient of one coordinate.

    `sines` and `cosines` (h, f) take free coefficients to those of the series: without velocity,
    excursion and acceleration at the start.
    """

    coordinates: int
    frequency: float
    position: Array
    velocity: Array
    acceleration: Array
    sines: Array
    cosines: Array

    @staticmethod
    def of(coordinates: Coordinates, period: float, harmonics: int, samples: int) -> FourierSeries:
        k = np.arange(1, harmonics + 1, dtype=np.float64)
        moving = _null_space(k[None, :])
        turning = _null_space(np.stack([np.ones(harmonics), k**2]))
        sines = np.concatenate([moving, np.zeros((harmonics, turning.shape[1]))], axis=1)
        cosines = np.concatenate([np.zeros((harmonics, moving.shape[1])), turning], axis=1)
        count = samples * harmonics
        w = 2 * np.pi * k / period
        phase = np.outer(period * np.arange(count) / count, w)
        s, c = np.sin(phase), np.cos(phase)
        return FourierSeries(
            len(coordinates),
            1 / period,
            s @ sines + c @ cosines,
            (c * w) @ sines - (s * w) @ cosines,
            -(s * w**2) @ sines - (c * w**2) @ cosines,
            sines,
            cosines,
        )

    @property
    def free(self) -> int:
        """Number of free coefficients of a coordinate."""
        return self.position.shape[1]

    def motion(self, center: Array, coefficients: Array) -> tuple[Array, Array, Array]:
        """Of coefficients (n, f), at all samples (T, n)."""
        x = coefficients.T
        return center + self.position @ x, self.velocity @ x, self.acceleration @ x

    def gradient(self, by_position: Array, by_velocity: Array, by_acceleration: Array) -> Array:
        """From derivatives at all samples (T, n) to those by centers and coefficients."""
        inner = by_position.T @ self.position + by_velocity.T @ self.velocity
        inner += by_acceleration.T @ self.acceleration
        return np.concatenate([by_position.sum(axis=0), inner.reshape(-1)])

    def excitation(self, center: Array, coefficients: Array, periods: int) -> Excitation:
        sines, cosines = self.sines @ coefficients.T, self.cosines @ coefficients.T
        return Excitation.of_series(center, self.frequency, sines, cosines, periods)


def random_coefficients(series: FourierSeries, rng: np.random.Generator) -> Array:
    """Free coefficients (n, f) of random series, higher harmonics weaker."""
    h = len(series.sines)
    k = np.arange(1, h + 1)
    drawn = rng.standard_normal((2, series.coordinates, h)) / k
    return np.asarray(drawn[0] @ series.sines + drawn[1] @ series.cosines)


def _null_space(conditions: Array) -> Array:
    """Orthonormal columns on which all conditions (m, h) vanish."""
    return np.asarray(np.linalg.svd(conditions)[2][len(conditions) :].T)


@dataclass(frozen=True, eq=False)
class Excited:
    """A motion for identification, and the condition numbers it was chosen by."""

    motion: Motion
    condition: float
    random: Array  # condition numbers of random motions of the same length, within the same limits
    limits: LimitReport

    @property
    def document(self) -> Plain:
        """What a motion file says of it."""
        motion = self.motion
        series = motion.path if isinstance(motion, ByAngles) else motion
        assert isinstance(series, Excitation)
        return {
            "kind": "fourier",
            "center": series.center.tolist(),
            "base_frequency": series.base_frequency,
            "periods": round(series.duration * series.base_frequency),
            "sines": series.sines.tolist(),
            "cosines": series.cosines.tolist(),
        }

    def __str__(self) -> str:
        return (
            f"condition number {self.condition:.4g}; of {len(self.random)} random motions the best has "
            f"{self.random.min():.4g} and the median {np.median(self.random):.4g}; {self.limits}"
        )


@checked
def excite(
    robot: Robot,
    *,
    period: float = 10.0,
    harmonics: int = 5,
    periods: int = 1,
    friction: bool | None = None,
    rotors: bool | None = None,
    shared_legs: bool = False,
    candidates: int = 100,
    seed: int = 0,
    progress: bool | None = False,
) -> Excited:
    """A periodic motion within the robot's limits that shows its base parameters well.

    Collisions, with itself or with surroundings, are not looked at.

    Args:
        period: [s] of the series.
        harmonics: of the series, from 3 on.
        periods: how often the motion is repeated.
        friction, rotors: whether these parameters shall be seen; None: where the robot has any, since a
            motion that shows what is not there shows what is there less.
        shared_legs: of a platform, as in `base_parameters`.
        candidates: random motions, the best of which is where the optimization starts.
        seed: of the random motions.
        progress: show a bar if it takes long; None shows it on a terminal.
    """
    length = positive(period, "period", "s")
    count = whole(candidates, "candidates", 1, 100_000)
    base = robot.base_parameters(
        friction=_has(robot, FRICTION) if friction is None else friction,
        rotors=_has(robot, (ROTOR,)) if rotors is None else rotors,
        shared_legs=shared_legs,
    )
    series = FourierSeries.of(
        robot.velocities, length, whole(harmonics, "harmonics", 3, 100), SAMPLES_PER_WAVE
    )
    judge = Judge(robot, base, series)
    rng = np.random.default_rng(whole(seed, "seed", 0, 2**63))
    with progress_bar(count + ITERATIONS, f"exciting {robot.name}", progress) as advance:
        tried = []
        for _ in range(count):
            x = judge.within_limits(judge.start(random_coefficients(series, rng)))
            tried.append((judge.condition(x), x))
            advance(1)
        random = np.array([condition for condition, _ in tried])
        best = min(tried, key=lambda one: one[0])
        found = judge.within_limits(_optimized(judge, best[1], advance))
    condition = judge.condition(found)
    if condition > best[0]:
        condition, found = best
    motion = judge.motion(found, whole(periods, "periods", 1, 1_000_000))
    return Excited(motion, condition, random, judge.limit_report(found))


def _has(robot: Robot, kinds: Collection[str]) -> bool:
    """Whether any parameter of these kinds is there."""
    own = robot.parameters
    return any(
        value != 0
        for name, value in zip(own.names, own.values, strict=True)
        if name.rpartition(".")[2] in kinds
    )


def _optimized(judge: Judge, x: Array, advance: Callable[[int], None]) -> Array:
    from scipy.optimize import minimize

    units = judge.units
    result = minimize(
        lambda y: judge.loss(y * units),
        x / units,
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": ITERATIONS},
        callback=lambda _: advance(1),
    )
    return np.asarray(result.x * units)


class Judge:
    """How well a series shows the base parameters of a robot, and how far it breaks limits.

    Unknowns are the centers of all coordinates, then the free coefficients of their series.
    """

    def __init__(self, robot: Robot, base: BaseParameters, series: FourierSeries) -> None:
        self.robot, self.series = robot, series
        self.home = robot.coordinates.to_angles(robot.home)
        turns = np.array(["rad" in unit for unit in robot.velocities.units])
        self.reach = np.where(turns, FREE_ANGLE, FREE_LENGTH * robot.size)
        self.center = self.home.copy()
        limits = dict(zip(robot.efforts.names, robot.limits.position, strict=True))
        for k, name in enumerate(robot.coordinates.by_angles.names):
            if name not in limits:  # a motor somewhere else bounds it
                self.reach[k] /= 4
            elif np.isfinite(limits[name]).all():
                low, high = limits[name]
                self.reach[k], self.center[k] = (high - low) / 2, (high + low) / 2
        self._keep_within_reach()
        self.units = np.concatenate([self.reach, np.repeat(self.reach, series.free)])
        # Sizes of efforts and parameters at a motion of medium width, the same for all motions.
        rng = np.random.default_rng(0)
        motion = self._states(
            *self.series.motion(*self._split(self.start(random_coefficients(series, rng))))
        )
        efforts = robot.inverse_dynamics(*motion)
        moved = robot.actuator_motion(*motion)
        assert moved.velocity is not None
        assert moved.acceleration is not None
        rms = [np.sqrt((part**2).mean(axis=0)) for part in (efforts, moved.velocity, moved.acceleration)]
        sizes = parameter_sizes(robot, *(np.maximum(part, 1e-9) for part in rms))
        limit = robot.limits.effort
        self.effort_scale = np.where(np.isfinite(limit), limit, 3 * np.maximum(rms[0], 1e-9))
        columns = base.basis * np.sqrt((base.matrix**2) @ (sizes**2))
        self.columns = columns
        self.parameters = robot.parameters.values

    def _keep_within_reach(self) -> None:
        """Smaller ways until loops close at random places, where motors are not the coordinates."""
        drawn = np.random.default_rng(1).uniform(-2, 2, (DRAWN, len(self.home)))
        for _ in range(MOST_SHRINKING):
            try:
                places = self.robot.coordinates.from_angles(self.center + self.reach * drawn)
                self.robot.actuator_motion(places)
            except LinkworkError:
                self.reach = self.reach * NARROWER
            else:
                return

    def start(self, coefficients: Array) -> Array:
        """Unknowns of a series whose greatest excursion is half of what is allowed."""
        excursion = np.abs(self.series.position @ coefficients.T).max(axis=0)
        scaled = coefficients * (0.5 * self.reach / excursion)[:, None]
        return np.concatenate([self.center, scaled.reshape(-1)])

    def _split(self, x: Array) -> tuple[Array, Array]:
        n = len(self.home)
        return x[:n], x[n:].reshape(n, self.series.free)

    def _states(self, q: Array, qd: Array, qdd: Array) -> tuple[Array, Array, Array]:
        return motion_of_angles(self.robot.coordinates, q, qd, qdd)

    def _judged(self, q: Array, qd: Array, qdd: Array) -> tuple[Array, Array]:
        """Regressor (T, n, p) and what has limits, in their units (T, k): at most 1 each way."""
        motion = self._states(q, qd, qdd)
        Y = self.robot.regressor(*motion)
        efforts = Y @ self.parameters
        moved = self.robot.actuator_motion(*motion)
        limits = self.robot.limits
        low, high = limits.position.T
        bound = np.isfinite(low) & np.isfinite(high)
        low, high = np.where(bound, low, -1.0), np.where(bound, high, 1.0)
        assert moved.velocity is not None
        bounded = [
            np.where(bound, (2 * moved.position - low - high) / (high - low), 0.0),
            moved.velocity / limits.velocity,
            efforts / limits.effort,
        ]
        free = (q - self.center) / (2 * self.reach)
        return Y, np.concatenate([*bounded, free], axis=1)

    def _weights(self, rows: int) -> Array:
        """Of the efforts, (n, 1): in units of their sizes, and so that the number of rows is as one."""
        return np.asarray(1.0 / (self.effort_scale[:, None] * np.sqrt(rows)))

    def _scaled(self, Y: Array) -> Array:
        """The scaled base regressor, (T n, b)."""
        weighted = Y * self._weights(len(Y))
        return np.asarray(weighted.reshape(-1, Y.shape[2]) @ self.columns)

    def condition(self, x: Array) -> float:
        """Of the scaled base regressor."""
        Y, _ = self._judged(*self.series.motion(*self._split(x)))
        return float(np.linalg.cond(self._scaled(Y)))

    def loss(self, x: Array) -> tuple[float, Array]:
        """Logarithm of the Frobenius condition number with penalties, and its gradient; infinite where
        the robot does not reach."""
        try:
            return self._loss(x)
        except LinkworkError:
            return np.inf, np.zeros_like(x)

    def _loss(self, x: Array) -> tuple[float, Array]:
        motion = self.series.motion(*self._split(x))
        Y, bounded = self._judged(*motion)
        W = self._scaled(Y)
        A = W.T @ W
        inverse = np.linalg.inv(A + 1e-15 * np.trace(A) * np.eye(len(A)))
        size, spread = float(np.trace(A)), float(np.trace(inverse))
        excess = np.sign(bounded) * np.maximum(np.abs(bounded) - ROOM, 0.0)
        value = 0.5 * np.log(size * spread) + PENALTY * float((excess**2).sum(axis=1).mean())
        if not np.isfinite(value):
            return value, np.zeros_like(x)
        by_W = W / size - W @ (inverse @ inverse) / spread
        by_Y = (by_W @ self.columns.T).reshape(Y.shape) * self._weights(len(Y))
        by_bounded = 2 * PENALTY * excess / len(excess)
        gradients = []
        for order, part in enumerate(motion):
            step = STEP * max(float(np.abs(part).max()), 1e-3)
            rows, n = part.shape
            moved = [np.tile(values, (n, 1)) for values in motion]  # coordinate j differs in block j
            moved[order].reshape(n, rows, n)[np.arange(n), :, np.arange(n)] += step
            other_Y, other_bounded = self._judged(*moved)
            change = np.einsum("jtip,tip->tj", other_Y.reshape(n, *Y.shape) - Y, by_Y)
            change += np.einsum("jtk,tk->tj", other_bounded.reshape(n, rows, -1) - bounded, by_bounded)
            gradients.append(change / step)
        return value, self.series.gradient(*gradients)

    def within_limits(self, x: Array) -> Array:
        """The same series with smaller amplitudes, as far as limits ask for it."""
        for _ in range(MOST_SHRINKING):
            if self.limit_report(x).ok:
                return x
            center, coefficients = self._split(x)
            center = self.center + SHRINK * (center - self.center)
            x = np.concatenate([center, SHRINK * coefficients.reshape(-1)])
        raise InputError(
            f"{self.robot.name} breaks its limits even near the middle of its range: "
            f"{self.limit_report(x).breaks[0]}. Take a longer period, or check the limits of the file."
        )

    def limit_report(self, x: Array) -> LimitReport:
        motion = self.motion(x, 1)
        time = np.linspace(0.0, motion.duration, DENSE * len(self.series.position) + 1)
        return self.robot.check_limits(*motion.at(time), time=time)

    def motion(self, x: Array, periods: int) -> Motion:
        center, coefficients = self._split(x)
        series = self.series.excitation(center, coefficients, periods)
        return moving(self.robot.coordinates, series)
