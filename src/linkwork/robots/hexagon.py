"""The common geometry of a Stewart platform: joints in pairs on two circles, given by a few numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

PAIRS = 3
# Which pair of joints a leg has at each end, and on which side of its middle.
BASE_PAIR = ((0, 1), (1, -1), (1, 1), (2, -1), (2, 1), (0, -1))
PLATFORM_PAIR = ((0, -1), (0, 1), (1, -1), (1, 1), (2, -1), (2, 1))

Number = Any  # a float, or an expression
Triple = tuple[Number, Number, Number]


@dataclass(frozen=True)
class Hexagon:
    """Joint circles with three pairs of joints each, the platform's turned by 60 deg against the base's.

    Angles [rad] of the base pairs' middles are `turn`, `turn` + 120 deg and `turn` + 240 deg. A spread
    is the angle between the joints of a pair, seen from the middle of the circle. `height` is that of
    the platform's reference point at home; `base_height` and `platform_height` are those of the joints
    above the origins of their frames. First axes of universal joints are tangents of the base circle.
    """

    base_radius: Number
    platform_radius: Number
    base_spread: Number
    platform_spread: Number
    height: Number
    turn: Number = 0.0
    base_height: Number = 0.0
    platform_height: Number = 0.0


class LegPlace(NamedTuple):
    """Ends of a leg and the first axis of its universal joint."""

    base_point: Triple
    platform_point: Triple
    fixed_axis: Triple


def leg_places(
    shape: Hexagon, cos: Callable[[Any], Any] = math.cos, sin: Callable[[Any], Any] = math.sin
) -> tuple[LegPlace, ...]:
    """Where the six legs stand; with the sine and cosine of expressions for parameters."""
    third = 2 * math.pi / PAIRS
    places = []
    for (base, side), (platform, other) in zip(BASE_PAIR, PLATFORM_PAIR, strict=True):
        a = shape.turn + base * third + side * shape.base_spread / 2
        b = shape.turn + third / 2 + platform * third + other * shape.platform_spread / 2
        places.append(
            LegPlace(
                (shape.base_radius * cos(a), shape.base_radius * sin(a), shape.base_height),
                (
                    shape.platform_radius * cos(b),
                    shape.platform_radius * sin(b),
                    shape.platform_height,
                ),
                (-sin(a), cos(a), 0.0),
            )
        )
    return tuple(places)
