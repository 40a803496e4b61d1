"""Whether the mass of a leg is symmetric about its axis, the x axis of its frame."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from linkwork.robots.faults import shown
from linkwork.robots.quantities import Matrix, Vector

# Numbers that were written down are equal or not; this is the rounding of a unit conversion.
ROUNDING = 1e-12


def asymmetry(center_of_mass: Vector, inertia: Matrix, ends: Sequence[Vector]) -> str:
    """What is not symmetric, or nothing; `ends` of the leg tell how large the machine is."""
    size = np.abs([center_of_mass, *ends]).max()
    if np.abs(center_of_mass[1:]).max() > ROUNDING * size:
        return f"center_of_mass {shown(list(center_of_mass))} is off the x axis"
    tensor = np.array(inertia)
    products = np.abs(tensor - np.diag(np.diag(tensor))).max()
    across = abs(tensor[1, 1] - tensor[2, 2])
    if max(products, across) > ROUNDING * np.abs(tensor).max():
        return "inertia is not of the form [Ixx, It, It] without products"
    return ""
