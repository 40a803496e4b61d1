"""The wrench of a moving rigid body as a linear function of its ten inertial parameters.

    f = m a + al x h + w x (w x h),    n = J al + w x J w + h x a,

with mass m, first moment h and inertia J about the origin (Atkeson, An and Hollerbach 1986).
"""

from __future__ import annotations

from typing import NamedTuple

import casadi as ca

from linkwork.mechanics.expressions import SX, skew, times, zeros


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
