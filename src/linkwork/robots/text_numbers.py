"""What texts in the place of numbers may mean: `450 mm`, `0,45`, `90°`, `pi/2`."""

from __future__ import annotations

import math
import re

LONGEST = 40  # characters; what is longer means nothing
VALUE = re.compile(r"([-+]?[0-9]*[.,]?[0-9]+(?:[eE][-+]?[0-9]+)?)\s*([^0-9\s.,][^,]*)?")
PI = re.compile(r"([-+]?)([0-9]*\.?[0-9]*)\s*\*?\s*(?:pi|π)\s*(?:/\s*([0-9]+\.?[0-9]*))?", re.IGNORECASE)
DEGREES = ("°", "º", "d", "degree", "degrees", "grad", "deg.")

# By the unit of a field: other units and their factors.
UNITS = {
    "m": {"mm": 1e-3, "cm": 1e-2, "um": 1e-6, "in": 0.0254, "inch": 0.0254},
    "kg": {"g": 1e-3, "t": 1e3, "lb": 0.45359237, "lbs": 0.45359237},
    "N": {"kN": 1e3, "mN": 1e-3, "kgf": 9.80665, "lbf": 4.4482216152605},
    "m/s": {"mm/s": 1e-3, "cm/s": 1e-2, "m/min": 1 / 60},
    "s": {"ms": 1e-3, "us": 1e-6, "min": 60.0},
}


def meant_by(value: object, unit: str) -> str:
    """` (did you mean 0.45?)`, or nothing: a number with its unit, another unit or a decimal comma."""
    if not isinstance(value, str) or len(value) > LONGEST:
        return ""
    match = VALUE.fullmatch(value.strip())
    if match is None:
        return ""
    number = float(match[1].replace(",", "."))
    written = (match[2] or "").strip()
    if written and written.replace(" ", "") != unit.replace(" ", ""):
        known = UNITS.get(unit, {})
        if written not in known:
            return ""
        number *= known[written]
    return f" (did you mean {number:g}?)" if math.isfinite(number) else ""


def meant_angle(value: str) -> str:
    """` (did you mean 90 deg?)`, or nothing: other words for degrees, or multiples of pi."""
    text = value.strip()
    if len(text) > LONGEST:
        return ""
    if found := PI.fullmatch(text):
        sign, times, over = found.groups()
        try:
            degrees = 180 * float(times or 1) / float(over or 1)
        except (ValueError, ZeroDivisionError):
            return ""
        return f" (did you mean {sign.strip('+')}{degrees:g} deg?)"
    match = VALUE.fullmatch(text)
    if match is None or not match[2]:
        return ""
    number = match[1].replace(",", ".")
    if match[2].lower() in DEGREES:
        return f" (did you mean {number} deg?)"
    return f" (did you mean {number} rad?)" if match[2].lower() in ("radian", "radians") else ""
