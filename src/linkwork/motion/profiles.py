"""Profiles in time: which fraction of the way is done when, whatever the way is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from linkwork.checks import positive
from linkwork.errors import InputError
from linkwork.interface.robot import Array
from linkwork.motion.trajectory import ROUNDING


class Fraction(NamedTuple):
    """Fraction of the way, 0 to 1, its rate [1/s] and acceleration [1/s^2]."""

    s: Array
    sd: Array
    sdd: Array


@dataclass(frozen=True)
class Profile(ABC):
    """A fraction that goes from 0 to 1 in `duration` seconds."""

    duration: float

    def __post_init__(self) -> None:
        positive(self.duration, "duration", "s")

    @abstractmethod
    def at(self, t: Array) -> Fraction:
        """The fraction at times within [0, duration]."""


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
                f"blend = {self.blend:g} s: two blends do not fit into {self.duration:g} s; allowed are "
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
        """From the rates at given fractions, 0 to 1; no two neighbours may both rest."""
        steps = 2 * np.diff(fractions) / (rates[1:] + rates[:-1])
        instants = np.concatenate([[0.0], np.cumsum(steps)])
        return GridProfile(float(instants[-1]), instants, fractions, rates)

    def at(self, t: Array) -> Fraction:
        ends = np.searchsorted(self.instants, t - ROUNDING * self.duration, side="left")
        k = np.clip(ends, 1, len(self.instants) - 1) - 1  # the segment that ends at t or after
        sdd = np.diff(self.rates)[k] / np.diff(self.instants)[k]
        since = t - self.instants[k]
        sd = self.rates[k] + sdd * since
        return Fraction(self.fractions[k] + (self.rates[k] + sd) / 2 * since, sd, sdd)
