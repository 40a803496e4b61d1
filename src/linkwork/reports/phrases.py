"""Sentences that reports share."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from linkwork.formatting import AngleUnit, number, shown
from linkwork.interface.quantity import Quantity
from linkwork.interface.robot import Array


def greatest(time: Array, what: Quantity, angles: AngleUnit) -> str:
    """The greatest magnitude of a quantity, where and when; of every unit if there are several."""
    found = []
    for unit in dict.fromkeys(what.units):
        own = [k for k, other in enumerate(what.units) if other == unit]
        row, column = np.unravel_index(np.argmax(np.abs(what.values[:, own])), (len(time), len(own)))
        k = own[column]
        value = abs(float(what.values[row, k]))
        found.append(f"**{shown(value, unit, angles)}** ({what.channels[k]}, t = {number(time[row])} s)")
    return listed(found)


def listed(words: Sequence[str]) -> str:
    """a, b and c."""
    return " and ".join([*([", ".join(words[:-1])] if len(words) > 1 else []), words[-1]])


def count_limits(broken: Sequence[object]) -> str:
    """How many limits are broken."""
    return "one limit" if len(broken) == 1 else f"{len(broken)} limits"


def marked(*quantities: Quantity) -> str:
    """What red cells of a table mean, if there can be any."""
    bounded = any(what.bounded for what in quantities)
    return " Red: beyond a limit of the robot file." if bounded else ""


def limits_note(bounded: bool) -> str:
    """What red in a figure means, if there are limits."""
    return " Dashed red: limits where they are near; shaded red: beyond a limit." if bounded else ""
