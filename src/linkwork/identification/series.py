"""Fourier series that start and end at rest, as linear functions of free coefficients."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwork.interface.coordinates import Coordinates
from linkwork.interface.robot import Array
from linkwork.motion.excitation import Excitation


@dataclass(frozen=True, eq=False)
class Series:
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
    def of(coordinates: Coordinates, period: float, harmonics: int, samples: int) -> Series:
        k = np.arange(1, harmonics + 1, dtype=np.float64)
        moving = _null_space(k[None, :])
        turning = _null_space(np.stack([np.ones(harmonics), k**2]))
        sines = np.concatenate([moving, np.zeros((harmonics, turning.shape[1]))], axis=1)
        cosines = np.concatenate([np.zeros((harmonics, moving.shape[1])), turning], axis=1)
        count = samples * harmonics
        w = 2 * np.pi * k / period
        phase = np.outer(period * np.arange(count) / count, w)
        s, c = np.sin(phase), np.cos(phase)
        return Series(
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
        """From derivatives at all samples (T, n) to those by centres and coefficients."""
        inner = by_position.T @ self.position + by_velocity.T @ self.velocity
        inner += by_acceleration.T @ self.acceleration
        return np.concatenate([by_position.sum(axis=0), inner.reshape(-1)])

    def excitation(self, center: Array, coefficients: Array, periods: int) -> Excitation:
        sines, cosines = self.sines @ coefficients.T, self.cosines @ coefficients.T
        return Excitation.of_series(center, self.frequency, sines, cosines, periods)


def random_coefficients(series: Series, rng: np.random.Generator) -> Array:
    """Free coefficients (n, f) of random series, higher harmonics weaker."""
    h = len(series.sines)
    k = np.arange(1, h + 1)
    drawn = rng.standard_normal((2, series.coordinates, h)) / k
    return np.asarray(drawn[0] @ series.sines + drawn[1] @ series.cosines)


def _null_space(conditions: Array) -> Array:
    """Orthonormal columns on which all conditions (m, h) vanish."""
    return np.asarray(np.linalg.svd(conditions)[2][len(conditions) :].T)
