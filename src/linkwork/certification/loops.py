"""Loops without closed forms over boxes: what closes them is enclosed by Krawczyk's operator.

With closures F(c, u) = 0, u from Newton's method in the middle of the box and Y the inverse of F' there,

    K = u - Y F(box, u) + (1 - Y F'(box, U)) (U - u).

If K lies within U, then for every c of the box U holds just one u that closes the loops, and K holds it
too (Krawczyk 1969). Expressions of the robot then take c and u for numbers that vary by themselves.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from linkwork.certification.boxes import Array, Boxes, Flags, points
from linkwork.kernels.intervals import LARGEST_INPUT
from linkwork.mechanics.expressions import SX
from linkwork.mechanics.mechanism.blocks import unknown_names
from linkwork.mechanics.mechanism.planning.planner import placement_plan
from linkwork.robot.diagnosis import followed

if TYPE_CHECKING:
    from linkwork.certification.enclosed import Enclosed, Vector

TRIES = 6  # of wider and wider U
SHARPER = 2  # rounds that only make it narrower
NARROWEST, WIDER, WIDEST = 1e-9, 1.5, 1.0  # half widths of U [m, rad]


class Loops:
    """Those of one robot that Newton's method solves."""

    def __init__(self, robot: Enclosed) -> None:
        self.robot = robot
        self.count = len(unknown_names(placement_plan(robot.robot.mechanism)))

    def closures(self, z: SX) -> tuple[SX, SX, SX]:
        """F and its derivatives by c and u at both."""
        F, first = self.robot.express("closing", z)[0], self.robot.size - self.count
        slopes = ca.jacobian(F, z)
        return F, slopes[:, :first], slopes[:, first:]

    @cached_property
    def _slopes(self) -> Vector:
        from linkwork.certification.enclosed import Vector

        return Vector(self.robot, "closing, slopes", self._by_u, self.count**2)

    def _by_u(self, z: SX) -> SX:
        return ca.vec(self.closures(z)[2].T)

    @cached_property
    def _operator(self) -> Vector:
        """K, then a sum of F, which makes sure that none of its choices changes in the box."""
        from linkwork.certification.enclosed import Vector

        others = self.robot.size, self.count**2
        return Vector(self.robot, "closing", self._krawczyk, self.count + 1, others, smooth=True)

    def _krawczyk(self, z: SX, p: SX, inverse: SX) -> SX:
        F, by_c, by_u = self.closures(z)
        first = self.robot.size - self.count
        u, Y = p[first:], ca.reshape(inverse, self.count, self.count).T
        left = ca.substitute(F, z, p)
        left += ca.substitute(by_c, z, ca.vertcat(z[:first], u)) @ (z - p)[:first]
        K = u - Y @ left + (SX.eye(self.count) - Y @ by_u) @ (z - p)[first:]
        return ca.vertcat(K, ca.sum1(F))

    def begun(self, middle: Array) -> tuple[Array, Array, Flags]:
        """u and Y (N, u, u) at coordinates, and where they are found."""
        u = followed(self.robot.robot, middle[:, : self.robot.d])
        found: Flags = np.isfinite(u).all(axis=1)  # type: ignore[assignment]
        u = np.where(found[:, None], u, 0.0)
        low, high = self._slopes.natural(points(np.hstack([middle, u])))
        slopes = ((low + high) / 2).reshape(len(u), self.count, self.count)
        found &= np.isfinite(slopes).all(axis=(1, 2))
        slopes[~found] = np.eye(self.count)
        found &= np.linalg.matrix_rank(slopes) == self.count
        slopes[~found] = np.eye(self.count)
        return u, np.asarray(np.linalg.inv(slopes), dtype=np.float64), found

    def closed(self, boxes: Boxes) -> Boxes:
        """With what closes the loops on the branch of home; of all numbers where that is not known."""
        if not self.count:
            return boxes
        u, Y, going = self.begun(boxes.middle)
        low, high = np.full_like(u, -LARGEST_INPUT), np.full_like(u, LARGEST_INPUT)
        radius = np.full_like(u, NARROWEST)
        for _ in range(TRIES):
            rows = np.flatnonzero(going)
            lower, upper = u[rows] - radius[rows], u[rows] + radius[rows]
            least, most = self._applied(boxes.some(rows), Y[rows], lower, upper)
            inside = ((least > lower) & (most < upper)).all(axis=1)
            low[rows[inside]], high[rows[inside]] = least[inside], most[inside]
            radius[rows] = (
                WIDER * np.maximum(np.abs(least - u[rows]), np.abs(most - u[rows])) + NARROWEST
            )
            going[rows] = ~inside & (radius[rows] < WIDEST).all(axis=1)
        rows = np.flatnonzero(_narrow(high))
        for _ in range(SHARPER):
            least, most = self._applied(boxes.some(rows), Y[rows], low[rows], high[rows])
            low[rows], high[rows] = np.maximum(low[rows], least), np.minimum(high[rows], most)
        return Boxes(np.hstack([boxes.low, low]), np.hstack([boxes.high, high]), boxes.rates)

    def known(self, boxes: Boxes) -> Flags:
        """Boxes in which all loops close for sure, as `closed` has found them."""
        return _narrow(boxes.high[:, boxes.high.shape[1] - self.count :])

    def _applied(self, boxes: Boxes, Y: Array, low: Array, high: Array) -> tuple[Array, Array]:
        """K, infinite where it is unknown."""
        both = Boxes(np.hstack([boxes.low, low]), np.hstack([boxes.high, high]))
        inverse = points(Y.reshape(len(Y), self.count**2)).ends
        least, most = self._operator.natural(both, points(both.middle).ends, inverse)
        sure = np.isfinite(least) & np.isfinite(most)
        known = sure.all(axis=1, keepdims=True)
        return np.where(known, least, -np.inf)[:, :-1], np.where(known, most, np.inf)[:, :-1]


def _narrow(high: Array) -> Flags:
    return np.asarray((high < LARGEST_INPUT).all(axis=1))
