"""Periodic excitation for identification: a finite Fourier series per joint."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from linkwork.core.arguments import positive, whole
from linkwork.core.errors import InputError
from linkwork.model.geometry import frozen
from linkwork.motion.inputs import bounds, table, vector
from linkwork.motion.spaces import Triple
from linkwork.motion.trajectory import AnglePath, JointTrajectory
from linkwork.robot.robot import Array

ROUNDING = 4 * float(np.finfo(np.float64).eps)
AT_REST = 1e-9  # of all terms together
GRID = 64  # points per wave of the highest harmonic, to find the largest excursion


class Excitation(JointTrajectory):
    """Random Fourier series about `center` that start and end at rest there, without acceleration.

    Args:
        center: joint positions [rad or m], (n,).
        amplitude: greatest excursion from the center, one number or one per joint; it is kept, and
            reached to 0.2 %.
        base_frequency: of the first harmonic [Hz]; the period is its inverse.
        harmonics: how many, from 3 on: fewer cannot start at rest.
        seed: of the random coefficients; the same seed gives the same motion.
        periods: how many the motion lasts.
    """

    center: Array
    base_frequency: float
    sines: Array  # (harmonics, n)
    cosines: Array

    def __init__(
        self,
        center: ArrayLike,
        amplitude: ArrayLike,
        base_frequency: float,
        harmonics: int = 5,
        seed: int = 0,
        periods: int = 1,
    ) -> None:
        middle = vector(center, "center")
        widths = bounds(amplitude, "amplitude", len(middle))
        vector(widths, "amplitude")
        frequency = positive(base_frequency, "base_frequency", "Hz")
        count = whole(harmonics, "harmonics", 3, 1000)
        random = np.random.default_rng(whole(seed, "seed", 0, 2**63))
        k = np.arange(1, count + 1, dtype=np.float64)
        # Higher harmonics are weaker, so that no single one rules the accelerations.
        drawn = random.standard_normal((2, count, len(middle))) / k[:, None]
        sines = _without(drawn[0], np.stack([k]))  # no velocity at the start
        cosines = _without(drawn[1], np.stack([np.ones(count), k**2]))  # no excursion, no acceleration
        phase = 2 * np.pi * np.outer(np.arange(GRID * count) / (GRID * count), k)
        largest = np.abs(np.sin(phase) @ sines + np.cos(phase) @ cosines).max(axis=0)
        # Between N points a series of `count` harmonics stays below its largest value on them divided
        # by cos(pi count / N).
        scale = widths * np.cos(np.pi / GRID) / largest
        self._series(middle, frequency, scale * sines, scale * cosines, periods)

    @staticmethod
    def of_series(
        center: ArrayLike, base_frequency: float, sines: ArrayLike, cosines: ArrayLike, periods: int = 1
    ) -> Excitation:
        """The motion with these coefficients (harmonics, n), which must start at rest at the center."""
        middle = vector(center, "center")
        a, b = (table(value, name, 1) for value, name in ((sines, "sines"), (cosines, "cosines")))
        if a.shape != b.shape or a.shape[1] != len(middle):
            raise InputError(
                f"sines have shape {a.shape} and cosines {b.shape}; both must be (harmonics, "
                f"{len(middle)}), a row for each harmonic."
            )
        k = np.arange(1, len(a) + 1)[:, None]
        size = k**2 * (np.abs(a) + np.abs(b))
        start = np.abs([(k * a).sum(axis=0), b.sum(axis=0), (k**2 * b).sum(axis=0)])
        if (start > AT_REST * max(float(size.sum()), 1e-300)).any():
            raise InputError(
                "the series does not start at rest at its center: sums of k sines, of cosines and of "
                "k^2 cosines over the harmonics k must be zero for every joint."
            )
        frequency = positive(base_frequency, "base_frequency", "Hz")
        found = object.__new__(Excitation)
        found._series(middle, frequency, a, b, periods)
        return found

    def _series(
        self, center: Array, frequency: float, sines: Array, cosines: Array, periods: int
    ) -> None:
        self._keep(
            center=center,
            base_frequency=frequency,
            sines=frozen(sines),
            cosines=frozen(cosines),
            duration=whole(periods, "periods", 1, 1_000_000) / frequency,
            n=len(center),
        )

    def _inside(self, t: Array) -> Triple:
        w = 2 * np.pi * self.base_frequency * np.arange(1, len(self.sines) + 1)
        phase = np.outer(t, w)
        sine, cosine = np.sin(phase), np.cos(phase)
        a, b, w = self.sines, self.cosines, w[:, None]
        velocity = cosine @ (w * a) - sine @ (w * b)
        # At both ends the terms cancel but for their last digits, whose sign means nothing.
        rounding = ROUNDING * (w * (np.abs(a) + np.abs(b))).sum(axis=0) * phase.max(initial=1.0)
        velocity[np.abs(velocity) <= rounding] = 0.0
        return (
            self.center + sine @ a + cosine @ b,
            velocity,
            -sine @ (w**2 * a) - cosine @ (w**2 * b),
        )


def fourier(
    center: ArrayLike,
    base_frequency: float,
    sines: ArrayLike,
    cosines: ArrayLike,
    periods: int = 1,
    poses: bool = False,
) -> Excitation | AnglePath:
    """A Fourier series of joints or, with `poses`, of x y z roll pitch yaw."""
    series = Excitation.of_series(center, base_frequency, sines, cosines, periods)
    return AnglePath(series) if poses else series


def _without(coefficients: Array, conditions: Array) -> Array:
    """The nearest coefficients (h, n) for which every row of `conditions` (m, h) gives zero."""
    return coefficients - np.linalg.pinv(conditions) @ (conditions @ coefficients)
