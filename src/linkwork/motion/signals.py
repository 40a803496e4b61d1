"""Signals in time that start and end at rest: sines, sweeps, steps and turns, from -1 to 1."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from linkwork.checks import not_negative, positive
from linkwork.errors import InputError
from linkwork.interface.robot import Array
from linkwork.motion.profiles import Fraction, QuinticProfile


@dataclass(frozen=True)
class Signal(ABC):
    """A number over [0, duration], with its two derivatives."""

    duration: float

    def __post_init__(self) -> None:
        positive(self.duration, "duration", "s")

    @abstractmethod
    def at(self, t: Array) -> Fraction:
        """Value, rate and acceleration at times within [0, duration]."""


@dataclass(frozen=True)
class Sweep(Signal):
    """sin of a phase whose frequency goes from one value to another in proportion to time [Hz].

    Over `fade` seconds at both ends it grows from rest and comes back to it.
    """

    frequency: float
    last_frequency: float
    fade: float

    def __post_init__(self) -> None:
        super().__post_init__()
        positive(self.frequency, "frequency", "Hz")
        positive(self.last_frequency, "last_frequency", "Hz")
        if 2 * not_negative(self.fade, "fade", "s") > self.duration:
            raise InputError(
                f"fade = {self.fade:g} s: two of them do not fit into {self.duration:g} s; allowed are "
                f"up to {self.duration / 2:g} s."
            )

    def at(self, t: Array) -> Fraction:
        growth = 2 * np.pi * (self.last_frequency - self.frequency) / self.duration
        w = 2 * np.pi * self.frequency + growth * t
        phase = 2 * np.pi * self.frequency * t + growth * t**2 / 2
        s, c = np.sin(phase), np.cos(phase)
        wave = Fraction(s, c * w, c * growth - s * w**2)
        return faded(wave, t, self.duration, self.fade)


def faded(signal: Fraction, t: Array, duration: float, fade: float) -> Fraction:
    """A signal that grows from rest over `fade` seconds and comes back to it at the end."""
    if not fade:
        return signal
    rise = QuinticProfile(fade)
    early = t <= duration / 2
    up = rise.at(np.clip(t, 0.0, fade))
    down = rise.at(np.clip(duration - t, 0.0, fade))
    pairs = zip(up, (down.s, -down.sd, down.sdd), strict=True)
    e, e1, e2 = (np.where(early, a, b) for a, b in pairs)
    s, sd, sdd = signal
    return Fraction(e * s, e1 * s + e * sd, e2 * s + 2 * e1 * sd + e * sdd)


@dataclass(frozen=True)
class Step(Signal):
    """From 0 to 1 in `rise` seconds after `delay`, then it stays."""

    rise: float
    delay: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        start = not_negative(self.delay, "delay", "s")
        if positive(self.rise, "rise", "s") + start > self.duration:
            raise InputError(f"delay and rise take longer than the duration, {self.duration:g} s.")

    def at(self, t: Array) -> Fraction:
        s, sd, sdd = QuinticProfile(self.rise).at(np.clip(t - self.delay, 0.0, self.rise))
        return Fraction(s, sd, sdd)


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
