"""The ten inertial parameters of a link as moments of its mass, in which torques are linear.

m, (mx, my, mz) and J = integral of r r' dm about the origin of the link's frame. In this form a
parameter has a clear meaning for any distribution of mass, and moving mass is a change of variables.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from linkwork.mechanics.chain.minimal.scalars import Pair, Scalar, Vector, turned_back
from linkwork.model.geometry import Array, Body

NAMES = ("m", "mx", "my", "mz", "Jxx", "Jyy", "Jzz", "Jxy", "Jxz", "Jyz")
M, MX, MY, MZ, XX, YY, ZZ, XY, XZ, YZ = range(10)
PLACES = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))  # of the six J


def moments(body: Body) -> Array:
    """The parameters of a body about the origin of its frame."""
    center = body.center_of_mass
    J = np.trace(body.inertia) / 2 * np.eye(3) - body.inertia + body.mass * np.outer(center, center)
    first = body.mass * center
    return np.array([body.mass, *first, *(J[i, j] for i, j in PLACES)])


def packed(m: Any, first: Iterable[Any], J: Any) -> list[Any]:
    """Parameters from mass, first moment and J[i][j]."""
    return [m, *first, *(J[i][j] for i, j in PLACES)]


def turned_moments(first: Vector, J: Sequence[Scalar], turn: Pair) -> tuple[Vector, Sequence[Scalar]]:
    """First and second moments in the axes before a turn about z. J is xx yy zz xy xz yz."""
    c, s = turn
    if isinstance(c, float) and c == 1.0:
        return first, J
    xx, yy, zz, xy, xz, yz = J
    u = c * (xx - yy) - s * (2.0 * xy)
    lever = (*turned_back((first[0], first[1]), turn), first[2])
    return lever, (yy + c * u, xx - c * u, zz, xy + s * u, *turned_back((xz, yz), turn))
