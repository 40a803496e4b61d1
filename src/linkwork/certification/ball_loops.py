"""Loops without closed forms in ball arithmetic: Newton's interval operator.

The other way than `loops.py`, of which it takes the closures and nothing else:

    K = u - F'(C, U)^-1 F(C, u),

by Arb's own solver of linear systems. If K lies within U, one u closes the loops for every c of C.
"""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np
from flint import arb, arb_mat

from linkwork.certification.ball_functions import UNKNOWN, ball, ball_function
from linkwork.certification.enclosed import Enclosed
from linkwork.mechanics.expressions import SX
from linkwork.robot.diagnosis import followed

Ball = Any  # of python-flint
TRIES = 6
NARROWEST, WIDER = 1e-9, 2.0


class BallLoops:
    """Those of one robot."""

    def __init__(self, robot: Enclosed) -> None:
        self.robot, self.count = robot, robot.loops.count
        if not self.count:
            return
        z = SX.sym("z", robot.size)
        F, by_c, by_u = map(ca.densify, robot.loops.closures(z))
        self.values = ball_function(ca.Function("closing", [z], [F, ca.vec(by_c.T)]))
        self.slopes = ball_function(ca.Function("slopes", [z], [ca.vec(by_u.T)]))

    def closed(self, at: list[Ball]) -> list[Ball]:
        """Coordinates with what closes the loops on the branch of home, unknown where none is shown."""
        if not self.count:
            return at
        middle = [each.mid() for each in at]
        here = np.array([[float(each) for each in middle[: self.robot.d]]])
        begin = followed(self.robot.robot, here)[0]
        if not np.isfinite(begin).all():
            return at + [UNKNOWN] * self.count
        u = [arb(x) for x in begin.tolist()]
        left = self._left(at, middle, u)
        around = [ball(-NARROWEST, NARROWEST)] * self.count
        for _ in range(TRIES):
            U = [x + a for x, a in zip(u, around, strict=True)]
            K = self._newton(at, u, U, left)
            if K is None:
                break
            if all(whole.contains_interior(part) for whole, part in zip(U, K, strict=True)):
                return at + (self._newton(at, u, K, left) or K)
            sizes = [WIDER * float(abs(k - x).upper()) + NARROWEST for k, x in zip(K, u, strict=True)]
            around = [ball(-size, size) for size in sizes]
        return at + [UNKNOWN] * self.count

    def _left(self, at: list[Ball], middle: list[Ball], u: list[Ball]) -> Ball:
        """F(C, u) by its mean value form."""
        value, _ = self.values([middle + u])
        _, by_c = self.values([at + u])
        rows = arb_mat(self.count, len(at), by_c)
        away = arb_mat([[x - m] for x, m in zip(at, middle, strict=True)])
        return arb_mat([[x] for x in value]) + rows * away

    def _newton(self, at: list[Ball], u: list[Ball], U: list[Ball], left: Ball) -> list[Ball] | None:
        (slopes,) = self.slopes([at + U])
        try:
            step = arb_mat(self.count, self.count, slopes).solve(left)
        except ZeroDivisionError:  # it may be singular
            return None
        return [x - step[k, 0] for k, x in enumerate(u)]
