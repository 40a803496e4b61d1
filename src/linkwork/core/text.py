"""Text for people: 21 430 N, 0.25 mrad, 45 deg, lists, the word that was meant."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Sequence
from typing import Literal

AngleUnit = Literal["deg", "rad"]

DIGITS = 4
MISSING = "-"
ROUNDING = 1e-12
LARGEST, SMALLEST = 1e7, 1e-4  # beyond, a number is written with a power of ten
# From these magnitudes down to the next one, numbers of a unit get the prefix.
PREFIXES = (
    (1e8, 1e6, "M"),
    (1e5, 1e3, "k"),
    (1e-2, 1.0, ""),
    (1e-4, 1e-3, "m"),
    (1e-7, 1e-6, "µ"),
    (1e-10, 1e-9, "n"),
)
PREFIXED = frozenset(("N", "N m", "m", "m/s", "m/s^2", "rad", "rad/s", "W", "J", "s"))
SHOWN = {"rad": (180 / math.pi, "deg"), "rad/s": (180 / math.pi, "deg/s")}


def number(value: float | None, digits: int = DIGITS, scale: float = 0.0) -> str:
    """`digits` significant ones, thousands apart: 21 430; 0.25; 2.1e-8.

    What is nothing but rounding beside numbers of size `scale` is 0.
    """
    if value is None or math.isnan(value):
        return MISSING
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    if abs(value) <= ROUNDING * scale:
        return "0"
    rounded = float(f"{value:.{digits - 1}e}")
    if not SMALLEST <= abs(rounded) < LARGEST:
        mantissa, power = f"{rounded:.{digits - 1}e}".split("e")
        return f"{_trimmed(mantissa)}e{int(power)}"
    decimals = max(digits - 1 - math.floor(math.log10(abs(rounded))), 0)
    grouped = "," if abs(rounded) >= 1e4 else ""
    return _trimmed(f"{rounded:{grouped}.{decimals}f}").replace(",", " ")


def field_words(name: str) -> str:
    """The name of a field or metric in words: geometry.base_radius is the base radius."""
    return name.removeprefix("geometry.").replace(".", " ").replace("_", " ")


def with_unit(value: float, unit: str) -> str:
    """A number and its unit, with the prefix that suits its size: 120 kN, 0.25 mrad."""
    if unit in PREFIXED and value and math.isfinite(value):
        for least, size, prefix in PREFIXES:
            if abs(value) >= least:
                return f"{number(value / size)} {prefix}{unit}"
    return f"{number(value)} {unit}".rstrip()


def numbers(values: Iterable[float], digits: int = DIGITS, between: str = " ") -> str:
    """Several numbers in a row."""
    return between.join(number(float(value), digits) for value in values)


def shown_unit(unit: str, angles: AngleUnit = "deg") -> tuple[float, str]:
    """The unit in which people read a quantity, and the factor to it.

    `angles` is the `angle_unit` of the robot that the quantity belongs to.
    """
    return SHOWN.get(unit, (1.0, unit)) if angles == "deg" else (1.0, unit)


def shown(value: float, unit: str, angles: AngleUnit = "deg") -> str:
    """A value in SI units as people read it, with its unit: 45 deg, or 0.7854 rad."""
    factor, name = shown_unit(unit, angles)
    return with_unit(factor * value, name)


def _trimmed(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text


def nearest(word: str, known: Iterable[str]) -> str:
    """The known word that is meant, most likely; empty if none is near."""
    return next(iter(difflib.get_close_matches(word, list(known), n=1)), "")


def listed(words: Sequence[str]) -> str:
    """a, b and c."""
    return " and ".join([*([", ".join(words[:-1])] if len(words) > 1 else []), words[-1]])


def better(gain: float, digits: int = 0) -> str:
    """A relative gain in words, such as `11 % worse`."""
    return f"{abs(100 * gain):.{digits}f} % {'better' if gain >= 0 else 'worse'}"
