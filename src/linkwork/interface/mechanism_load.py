"""Loads on the tool of a mechanism, checked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from linkwork.checks import not_negative, numbers
from linkwork.errors import InputError
from linkwork.robots.geometry import Body
from linkwork.robots.mechanism_elements import tool_frame

if TYPE_CHECKING:
    from linkwork.interface.described import Described


def checked_load(
    robot: Described, mass: float, center_of_mass: ArrayLike, inertia: ArrayLike | None
) -> Body:
    """A body in the tool's frame; an InputError if the tool cannot carry it."""
    moments = np.zeros((3, 3)) if inertia is None else numbers(inertia, "inertia")
    moments = np.diag(moments) if moments.ndim == 1 else moments
    center = numbers(center_of_mass, "center_of_mass")
    mass = not_negative(mass, "mass", "kg")
    if center.shape != (3,) or moments.shape != (3, 3):
        raise InputError(
            "with_payload takes a mass >= 0 [kg], center_of_mass (3,) [m] and inertia (3,) or (3, 3)"
            " about it [kg m^2]."
        )
    name, _ = tool_frame(robot.mechanism)
    if robot.mechanism.part(name).point and (center.any() or moments.any()):
        raise InputError(
            f"with_payload: the {name} of {robot.name} is a point that its joints hold: a load beside"
            " it, or with inertia, would swing freely. Give a mass only."
        )
    return Body.of(mass, center, moments)
