"""Numbers over time with their derivatives: profiles, which go from 0 to 1, and signals about zero.

A profile says which fraction of a way is done when, whatever the way is. Signals (sines, sweeps, steps
and turns) start and end at rest, but for a sine that is not faded.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from linkwork.core.arguments import not_negative, positive
from linkwork.core.errors import InputError
from linkwork.motion.spaces import Triple
from linkwork.robot.robot import Array

# A time that misses an instant by less than this share of the duration means the instant: k * period
# and sums of durations carry rounding.
ROUNDING = 1e-12


class Fraction(NamedTuple):
    """Fraction of the way or value of a signal, its rate [1/s] and acceleration [1/s^2]."""

    s: Array
    sd: Array
    sdd: Array


@dataclass(frozen=True)
class Signal(ABC):
    """A number over [0, duration] seconds, with its two derivatives."""

    duration: float

    def __post_init__(self) -> None:
        positive(self.duration, "duration", "s")

    @abstractmethod
    def at(self, t: Array) -> Fraction:
        """Value, rate and acceleration at times within [0, duration]."""


class Profile(Signal):
    """A fraction that goes from 0 to 1 in `duration` seconds."""


def chained(motion: Sequence[Array], sd: Array, sdd: Array) -> Triple:
    """The chain rule: a motion by a fraction as one in time. Twists are linear in the rate as well."""
    position, first, second = motion
    return position, first * sd[:, None], second * sd[:, None] ** 2 + first * sdd[:, None]


@dataclass(frozen=True)
class UniformProfile(Profile):
    """Constant velocity from the first instant to the last."""

    def at(self, t: Array) -> Fraction:
        return Fraction(t / self.duration, np.full_like(t, 1 / self.duration), np.zeros_like(t))


@dataclass(frozen=True)
class CubicProfile(Profile):
    """From rest to rest; the acceleration jumps at the ends."""

    def at(self, t: Array) -> Fraction:
        T = self.duration
        x = t / T
        return Fraction(x * x * (3 - 2 * x), 6 * x * (1 - x) / T, (6 - 12 * x) / T**2)


@dataclass(frozen=True)
class QuinticProfile(Profile):
    """From rest to rest with no acceleration at the ends: the profile of least jerk."""

    def at(self, t: Array) -> Fraction:
        T = self.duration
        x = t / T
        s = x**3 * (10 + x * (6 * x - 15))
        return Fraction(s, 30 * (x * (1 - x)) ** 2 / T, 60 * x * (1 - x) * (1 - 2 * x) / T**2)


@dataclass(frozen=True)
class BlendProfile(Profile):
    """Constant acceleration for `blend` seconds, constant velocity, constant deceleration."""

    blend: float

    def __post_init__(self) -> None:
        super().__post_init__()
        if positive(self.blend, "blend", "s") > self.duration / 2 * (1 + ROUNDING):
            raise InputError(
                f"blend = {self.blend:g} s: two blends do not fit into {self.duration:g} s; expected "
                f"up to {self.duration / 2:g} s, or a duration from {2 * self.blend:g} s on."
            )

    def at(self, t: Array) -> Fraction:
        T, blend = self.duration, self.blend
        v = 1 / (T - blend)
        a = v / blend
        slack = ROUNDING * T
        rising = t <= blend + slack
        falling = ~rising & (t > T - blend + slack)
        s = np.where(
            rising, a * t**2 / 2, np.where(falling, 1 - a * (T - t) ** 2 / 2, v * (t - blend / 2))
        )
        sd = np.where(rising, a * t, np.where(falling, a * (T - t), v))
        return Fraction(s, sd, a * (rising.astype(np.float64) - falling))


def blend_at_speed(
    distance: float, duration: float, speed: float, name: str, units: tuple[str, str]
) -> BlendProfile:
    """The blends with which a way of `distance` takes `duration` at cruising speed `speed`.

    Args:
        name: of the speed's argument, for the error.
        units: of the distance and of the speed.
    """
    positive(duration, "duration", "s")
    positive(speed, name, units[1])
    blend = duration - distance / speed  # D (39)
    if not ROUNDING * duration < blend <= duration / 2 * (1 + ROUNDING):
        least = distance / duration
        raise InputError(
            f"{name} = {speed:g} {units[1]} does not fit: {distance:g} {units[0]} in {duration:g} s "
            f"with parabolic blends needs a {name} above {least:.6g} and up to {2 * least:.6g} "
            f"{units[1]}; at {speed:g} {units[1]} the duration must be above {distance / speed:.6g} "
            f"and up to {2 * distance / speed:.6g} s."
        )
    return BlendProfile(duration, min(blend, duration / 2))


@dataclass(frozen=True, eq=False)
class GridProfile(Profile):
    """Constant acceleration between instants at which fraction and rate are given."""

    instants: Array
    fractions: Array
    rates: Array

    @staticmethod
    def of(fractions: Array, rates: Array) -> GridProfile:
        """From the rates at given fractions, 0 to 1; no two neighbors may both rest."""
        steps = 2 * np.diff(fractions) / (rates[1:] + rates[:-1])
        instants = np.concatenate([[0.0], np.cumsum(steps)])
        return GridProfile(float(instants[-1]), instants, fractions, rates)

    def at(self, t: Array) -> Fraction:
        ends = np.searchsorted(self.instants, t - ROUNDING * self.duration, side="left")
        k = np.clip(ends, 1, len(self.instants) - 1) - 1  # the segment that ends at t or after
        change, width = np.diff(self.rates)[k], np.diff(self.instants)[k]
        sdd = change / width
        since = t - self.instants[k]
        # By shares: the rate of rest is zero to the last digit, as Coulomb friction asks.
        sd = self.rates[k] + change * np.clip(since / width, 0.0, 1.0)
        return Fraction(self.fractions[k] + (self.rates[k] + sd) / 2 * since, sd, sdd)


def faded(signal: Fraction, t: Array, duration: float, fade: float) -> Fraction:
    """A signal that grows from rest over `fade` seconds and comes back to it at the end."""
    if not fade:
        return signal
    rise = QuinticProfile(fade)
    return between(signal, t, duration, rise, rise)


def between(signal: Fraction, t: Array, end: float, rise: Profile, fall: Profile) -> Fraction:
    """A signal that grows from rest with one profile and comes back to it with another, until `end`."""
    early = t <= (rise.duration + end - fall.duration) / 2
    up = rise.at(np.clip(t, 0.0, rise.duration))
    down = fall.at(np.clip(end - t, 0.0, fall.duration))
    pairs = zip(up, (down.s, -down.sd, down.sdd), strict=True)
    e, e1, e2 = (np.where(early, a, b) for a, b in pairs)
    s, sd, sdd = signal
    return Fraction(e * s, e1 * s + e * sd, e2 * s + 2 * e1 * sd + e * sdd)


@dataclass(frozen=True)
class FadeProfile(Profile):
    """With which a sine grows from rest over a period without exceeding its greatest acceleration.

    Acceleration and jerk are continuous where the sine is zero. The polynomial of least degree that is
    so smooth, the quintic, asks 11 % more; of those of degree seven this one stays 2 % below.
    """

    def at(self, t: Array) -> Fraction:
        T = self.duration
        x = t / T
        return Fraction(
            x**3 * (52 + x * (-189 + x * (276 + x * (-186 + 48 * x)))),
            x**2 * (156 + x * (-756 + x * (1380 + x * (-1116 + 336 * x)))) / T,
            x * (312 + x * (-2268 + x * (5520 + x * (-5580 + 2016 * x)))) / T**2,
        )


@dataclass(frozen=True)
class SweptSine(Signal):
    """sin of a phase whose frequency goes from one value to another in proportion to time [Hz].

    Over `fade` seconds at both ends it grows from rest and comes back to it. Without `fade` it does so
    over its first and its last period, from zero to zero, and rests for what is left of the duration,
    less than half a period at each end: nothing exceeds what its amplitude and frequency say. A sine of
    less than two periods grows over half of its duration, as with a `fade` of that length, and asks
    more. `phase` [rad] is that at time 0.
    """

    frequency: float
    last_frequency: float
    fade: float | None = None
    phase: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        positive(self.frequency, "frequency", "Hz")
        positive(self.last_frequency, "last_frequency", "Hz")
        if self.fade is not None and 2 * not_negative(self.fade, "fade", "s") > self.duration:
            raise InputError(
                f"fade = {self.fade:g} s: two of them do not fit into {self.duration:g} s; expected "
                f"up to {self.duration / 2:g} s."
            )

    def at(self, t: Array) -> Fraction:
        growth = 2 * np.pi * (self.last_frequency - self.frequency) / self.duration
        w = 2 * np.pi * self.frequency + growth * t
        phase = self.phase + 2 * np.pi * self.frequency * t + growth * t**2 / 2
        s, c = np.sin(phase), np.cos(phase)
        wave = Fraction(s, c * w, c * growth - s * w**2)
        if self.fade is not None:
            return faded(wave, t, self.duration, self.fade)
        begun = self.phase / np.pi
        first = int(np.ceil(begun - ROUNDING))
        last = int(np.floor(begun + self.duration * (self.frequency + self.last_frequency) + ROUNDING))
        if last - first < 4:
            return faded(wave, t, self.duration, self.duration / 2)
        start, rise, fall, end = (self._when(k - begun) for k in (first, first + 2, last - 2, last))
        return between(wave, t - start, end - start, FadeProfile(rise - start), FadeProfile(end - fall))

    def _when(self, halves: float) -> float:
        """The time at which so many half periods are done."""
        done = max(halves, 0.0)
        growth = (self.last_frequency - self.frequency) / self.duration
        root = np.sqrt(self.frequency**2 + growth * done)
        return float(done / (self.frequency + root))


@dataclass(frozen=True)
class SmoothStep(Signal):
    """From 0 to 1 in `rise` seconds after `delay`, then it stays."""

    rise: float
    delay: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        start = not_negative(self.delay, "delay", "s")
        if positive(self.rise, "rise", "s") + start > self.duration:
            raise InputError(f"delay and rise take longer than the duration, {self.duration:g} s.")

    def at(self, t: Array) -> Fraction:
        return QuinticProfile(self.rise).at(np.clip(t - self.delay, 0.0, self.rise))


@dataclass(frozen=True)
class SmoothSteps(Signal):
    """A sum of steps: (when, in what time, by how much) each, smooth from rest to rest."""

    steps: tuple[tuple[float, float, float], ...]

    def at(self, t: Array) -> Fraction:
        parts = [
            [height * part for part in QuinticProfile(rise).at(np.clip(t - start, 0.0, rise))]
            for start, rise, height in self.steps
        ]
        return Fraction(*(np.asarray(sum(each)) for each in zip(*parts, strict=True)))


@dataclass(frozen=True)
class Turns(Signal):
    """sin, or cos - 1, of an angle that goes round `turns` times from rest to rest."""

    turns: float = 1.0
    cosine: bool = False

    def at(self, t: Array) -> Fraction:
        s, sd, sdd = (2 * np.pi * self.turns * part for part in QuinticProfile(self.duration).at(t))
        sine, cosine = np.sin(s), np.cos(s)
        if self.cosine:
            return Fraction(cosine - 1, -sine * sd, -cosine * sd**2 - sine * sdd)
        return Fraction(sine, cosine * sd, -sine * sd**2 + cosine * sdd)
