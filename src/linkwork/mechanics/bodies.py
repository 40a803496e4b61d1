"""Rigid bodies by ten inertial parameters: mass m, first moment h and inertia J about a frame's origin.

They add up, and the wrench of a body's motion is linear in them (Atkeson, An and Hollerbach 1986):

    f = m a + al x h + w x (w x h),    n = J al + w x J w + h x a.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from linkwork.mechanics.expressions import SX, skew, times, zeros

PARAMETERS = 10  # of a load: m, h (3), J as xx yy zz xy xz yz


def pseudo_inertia(body: NDArray[np.float64]) -> NDArray[np.float64]:
    """P = [[tr(J)/2 1 - J, h], [h', m]], (4, 4, ...), of ten parameters (10, ...): a body of masses that
    are nowhere negative has no negative eigenvalue."""
    m, x, y, z, xx, yy, zz, xy, xz, yz = body
    half = (xx + yy + zz) / 2
    return np.array(
        [
            [half - xx, -xy, -xz, x],
            [-xy, half - yy, -yz, y],
            [-xz, -yz, half - zz, z],
            [x, y, z, m],
        ]
    )


@dataclass(frozen=True)
class CompositeBody:
    """Mass m, first moment h and inertia J about the frame's origin."""

    m: SX
    h: SX
    J: SX

    def __add__(self, other: CompositeBody) -> CompositeBody:
        return CompositeBody(self.m + other.m, self.h + other.h, self.J + other.J)


def body_of(parameters: SX) -> CompositeBody:
    """A load from its ten parameters."""
    xx, yy, zz, xy, xz, yz = (parameters[k] for k in range(4, 10))
    J = ca.vertcat(ca.horzcat(xx, xy, xz), ca.horzcat(xy, yy, yz), ca.horzcat(xz, yz, zz))
    return CompositeBody(parameters[0], parameters[1:4], J)


class WrenchColumns(NamedTuple):
    """Force and moment (3 x 10 each) per inertial parameter."""

    force: SX
    moment: SX

    def about(self, lever: SX) -> WrenchColumns:
        """The same wrenches about a point from which `lever` leads to the present one."""
        return WrenchColumns(self.force, self.moment + times(skew(lever), self.force))

    def turned(self, R: SX) -> WrenchColumns:
        return WrenchColumns(times(R, self.force), times(R, self.moment))


def wrench_columns(w: SX, al: SX, a: SX) -> WrenchColumns:
    """Of a body whose origin has acceleration `a`, gravity subtracted; all in the body's axes."""
    A = skew(al) + times(skew(w), skew(w))
    force = ca.horzcat(a, A, zeros(3, 6))
    turning = _products(al) + times(skew(w), _products(w))
    return WrenchColumns(force, ca.horzcat(zeros(), -skew(a), turning))


def _products(v: SX) -> SX:
    """J v by columns for xx, yy, zz, xy, xz, yz."""
    x, y, z = v[0], v[1], v[2]
    return ca.vertcat(
        ca.horzcat(x, 0, 0, y, z, 0), ca.horzcat(0, y, 0, x, 0, z), ca.horzcat(0, 0, z, 0, x, y)
    )
