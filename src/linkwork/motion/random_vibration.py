"""Random motions of a given power spectral density: vibration tests, roads, waves.

A stationary Gaussian process as a sum of many cosines with random phases (M. Shinozuka, G. Deodatis,
Simulation of stochastic processes by spectral representation, Appl. Mech. Rev. 44 (1991) 191): one per
1/duration of frequency, each with the power that the density has there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from linkwork.checks import not_negative, positive
from linkwork.errors import InputError
from linkwork.interface.robot import Array
from linkwork.motion.excursions import Either
from linkwork.motion.inputs import table, vector, whole
from linkwork.motion.profiles import Fraction
from linkwork.motion.signals import Signal, faded
from linkwork.names import one_of
from linkwork.robots.geometry import frozen

QUANTITIES = ("position", "velocity", "acceleration")  # by the number of derivatives
MOST_WAVES = 100_000
BLOCK = 2_000_000  # numbers at a time


@dataclass(frozen=True, eq=False)
class Density:
    """A one-sided power spectral density over frequency [Hz], straight between points in log-log.

    `values` are unit^2/Hz of a position, velocity or acceleration; beyond the first and last frequency
    there is nothing.
    """

    frequencies: Array
    values: Array
    quantity: str = "acceleration"

    @staticmethod
    def of(points: ArrayLike, quantity: str = "acceleration") -> Density:
        """From rows of frequency and density."""
        rows = table(points, "density", 2)
        if rows.shape[1] != 2:
            raise InputError(f"density has rows of {rows.shape[1]}; allowed: [frequency, density] each.")
        frequencies, values = frozen(rows[:, 0]), frozen(rows[:, 1])
        if not frequencies[0] > 0 or not (np.diff(frequencies) > 0).all():
            raise InputError("density: frequencies must be above 0 Hz and increase.")
        if not (values >= 0).all():
            raise InputError("density: a power spectral density is nowhere negative.")
        return Density(frequencies, values, one_of(quantity, QUANTITIES, "quantity"))

    def at(self, f: Array) -> Array:
        """The density at frequencies within the table; linear where it reaches zero."""
        log = np.log(np.maximum(self.values, np.finfo(np.float64).tiny))
        smooth = np.exp(np.interp(np.log(f), np.log(self.frequencies), log))
        k = np.clip(np.searchsorted(self.frequencies, f) - 1, 0, len(self.values) - 2)
        touches = (self.values[k] == 0) | (self.values[k + 1] == 0)
        return np.where(touches, np.interp(f, self.frequencies, self.values), smooth)

    def waves(self, duration: float) -> tuple[Array, Array]:
        """Frequencies [Hz] and amplitudes of position of cosines that together have this density."""
        step = 1 / duration
        first, last = float(self.frequencies[0]), float(self.frequencies[-1])
        count = int((last - first) / step * (1 + 1e-12))
        if count < 1:
            raise InputError(
                f"duration = {duration:g} s is too short for a density from {first:g} to {last:g} Hz; "
                f"allowed are {1 / (last - first):g} s and more."
            )
        if count > MOST_WAVES:
            raise InputError(
                f"duration = {duration:g} s up to {last:g} Hz makes {count} waves; allowed are "
                f"{MOST_WAVES}. Shorten the duration or the range of frequencies."
            )
        f = first + step * (np.arange(count, dtype=np.float64) + 0.5)
        amplitude = np.sqrt(2 * self.at(f) * step)
        return f, amplitude / (2 * np.pi * f) ** QUANTITIES.index(self.quantity)


@dataclass(frozen=True, eq=False)
class Noise(Signal):
    """A sum of cosines; over `fade` seconds at both ends it grows from rest and comes back to it."""

    frequencies: Array
    amplitudes: Array
    phases: Array
    fade: float

    def at(self, t: Array) -> Fraction:
        w = 2 * np.pi * self.frequencies
        rows = max(1, BLOCK // max(1, len(w)))
        parts = [self._sums(t[k : k + rows], w) for k in range(0, max(1, len(t)), rows)]
        s, sd, sdd = (np.concatenate(column) for column in zip(*parts, strict=True))
        return faded(Fraction(s, sd, sdd), t, self.duration, self.fade)

    def _sums(self, t: Array, w: Array) -> tuple[Array, Array, Array]:
        phase = np.outer(t, w) + self.phases
        sine, cosine = np.sin(phase), np.cos(phase)
        a = self.amplitudes
        return cosine @ a, -sine @ (w * a), -cosine @ (w**2 * a)


def random_vibration(
    kind: type[Either],
    center: ArrayLike,
    densities: Mapping[int, Density],
    duration: float,
    seed: int = 0,
    fade: float | None = None,
) -> Either:
    """A random motion about a center; `densities` by the place of a coordinate, others rest.

    The same seed gives the same motion. Without `fade` it takes a tenth of the duration at each end.
    """
    middle = vector(center, "center")
    length = positive(duration, "duration", "s")
    ramp = length / 10 if fade is None else not_negative(fade, "fade", "s")
    if 2 * ramp > length:
        raise InputError(f"fade = {ramp:g} s: two of them do not fit into {length:g} s.")
    if not densities:
        raise InputError("density: no coordinate has one; name at least one.")
    streams = np.random.default_rng(whole(seed, "seed", 0, 2**63)).spawn(max(densities) + 1)
    parts = []
    for place, density in densities.items():
        frequencies, amplitudes = density.waves(length)
        phases = streams[place].uniform(0, 2 * np.pi, len(frequencies))
        unit = np.eye(len(middle))[place]
        parts.append((unit, Noise(length, frequencies, amplitudes, phases, ramp)))
    return kind(middle, *parts)
