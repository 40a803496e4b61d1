"""Units that headers of motion files write behind a name: `q1 [deg]`, `pitch_deg`, `x (mm)`."""

from __future__ import annotations

import math
import re
from typing import NamedTuple

BASES = {
    "s": ("time", 1.0),
    "ms": ("time", 1e-3),
    "m": ("length", 1.0),
    "cm": ("length", 1e-2),
    "mm": ("length", 1e-3),
    "rad": ("angle", 1.0),
    "deg": ("angle", math.pi / 180),
    "degree": ("angle", math.pi / 180),
    "degrees": ("angle", math.pi / 180),
    "°": ("angle", math.pi / 180),
    "1": ("ratio", 1.0),
}
PER_TIME = {"": 0, "/s": 1, "/s^2": 2, "/s2": 2, "/s²": 2, "/s/s": 2, "_s": 1, "_s2": 2}
IN_BRACKETS = re.compile(r"(.*?)\s*[\[(]\s*([^\[\]()]*?)\s*[\])]")


class Unit(NamedTuple):
    """What is measured (time, length, angle, ratio), per second to which power, and its size in SI."""

    measures: str
    order: int
    factor: float


UNITS = {
    base + ending: Unit(measures, order, factor)
    for base, (measures, factor) in BASES.items()
    for ending, order in PER_TIME.items()
    if measures != "time" or not order
}
# Longest first: `_deg_s` is degrees per second, not seconds.
SUFFIXES = sorted((f"_{name}" for name in UNITS if "/" not in name and name != "1"), key=len)[::-1]


def split_brackets(word: str) -> tuple[str, str | None]:
    """`q1 [deg]` as `q1` and `deg`; a word without brackets has no unit."""
    match = IN_BRACKETS.fullmatch(word)
    return (match[1], match[2].lower()) if match else (word, None)


def split_suffix(word: str) -> tuple[str, str] | None:
    """`pitch_deg` as `pitch` and `deg`, if the word ends in a unit."""
    for suffix in SUFFIXES:
        if word.lower().endswith(suffix) and len(word) > len(suffix):
            return word[: -len(suffix)], suffix[1:]
    return None


def listed_units(measures: str, order: int) -> str:
    """The usual units of a quantity."""
    bases = {"time": "s, ms", "length": "m, mm", "angle": "rad, deg", "ratio": "1"}
    names = bases.get(measures, "rad, deg, m, mm").split(", ")
    return ", ".join(name + ("", "/s", "/s^2")[order] for name in names)
