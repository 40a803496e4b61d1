"""An independent check of certificates, in ball arithmetic (python-flint).

It shares with what made the certificate the robot's equations and the list of what is asked, and neither
the interval kernels nor the search: here are other arithmetic, other bounds, another order. The boxes
of a proof must cover the region, and in each of them everything that is asked is proven again; a box
that is too wide for these bounds is halved. A witness must break what it is said to break.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import casadi as ca
import numpy as np

from linkwork.certification.boxes import Array
from linkwork.certification.certificate import Certificate, CertificateError, read_certificate
from linkwork.certification.checks import (
    MARGIN,
    Efforts,
    Legs,
    Ranges,
    Reach,
    Singularities,
    checks_of,
    under_roots,
)
from linkwork.certification.cover import uncovered
from linkwork.certification.enclosed import Enclosed
from linkwork.certification.tolerances import tolerances_of
from linkwork.core.errors import LinkworkError
from linkwork.core.progress import progress_bar
from linkwork.mechanics.expressions import SX
from linkwork.model.robot_files import document_digest, robot_digest
from linkwork.robot.loading import load
from linkwork.robot.robot import Robot

if TYPE_CHECKING:
    from linkwork.certification.ball_shapes import Placed

Ball = Any  # of python-flint
DEPTH = 12  # halvings of one box
CLEAR = 1e-6  # relative: how far claimed bounds of singular values are from those of NumPy


@dataclass(frozen=True)
class Checked:
    """A certificate that holds: of which robot, what was proven or refuted, and what the check took."""

    certificate: Certificate
    robot: Robot
    boxes: int  # of the certificate
    evaluations: int  # by the checker

    def __str__(self) -> str:
        told = self.certificate.verdict
        if self.certificate.broken is not None:
            told += f": not kept: {self.certificate.broken}"
        return (
            f"{self.robot.name}: {told}; the certificate holds ({len(self.certificate.conditions)} "
            f"conditions, {self.boxes} boxes, {self.evaluations} of the checker)"
        )


def check_certificate(
    path: str | os.PathLike[str], robot: Robot | None = None, progress: bool | None = None
) -> Checked:
    """Check a certificate file; a CertificateError says why it proves nothing.

    Args:
        robot: that it must be of; without it, the robot in the file is told by name and digest.
    """
    try:
        import flint  # noqa: F401  what follows computes with it
    except ImportError:
        raise LinkworkError(
            'checking certificates needs python-flint: pip install "linkwork[certify]"'
        ) from None
    found = read_certificate(path)
    made = load(found.robot)
    if document_digest(found.robot) != found.digest:
        raise CertificateError(found.source, "the robot in it is not the one of its digest.")
    if robot is not None and robot_digest(robot.model) != found.digest:
        told = f"it is of another robot: digest {found.digest[:12]}..., not that of {robot.name}, "
        raise CertificateError(found.source, f"{told}{robot_digest(robot.model)[:12]}...")
    if list(found.region) != list(made.coordinates.by_angles.names):
        raise CertificateError(found.source, "its region does not name the coordinates of its robot.")
    checker = _Checker(made, found)
    asked = tuple(part for check in checker.checks for part in check.parts)
    if asked != found.conditions:
        raise CertificateError(found.source, "its conditions are not those that follow from the robot.")
    if found.verdict == "refuted":
        checker.refute()
    elif found.verdict == "proven":
        checker.prove(progress)
    else:
        raise CertificateError(found.source, f"verdict {found.verdict!r} claims nothing.")
    return Checked(found, made, found.boxes.count, checker.evaluations)


class _Checker:
    """All that is asked of one robot, in balls."""

    def __init__(self, robot: Robot, certificate: Certificate) -> None:
        from flint import arb, arb_mat

        from linkwork.certification.ball_functions import ball, ball_function
        from linkwork.certification.ball_loops import BallLoops
        from linkwork.certification.ball_shapes import BallShape

        self.arb, self.matrix, self.ball = arb, arb_mat, ball
        self.certificate = certificate
        known = {name: ends.tolist() for name, ends in certificate.tolerances.items()}
        self.robot = Enclosed(robot, tolerances_of(robot, known))
        self.shape, self.loops = BallShape(certificate), BallLoops(self.robot)
        self.checks = checks_of(self.robot, certificate.demands)
        self.evaluations = 0
        d = robot.dof
        c, wrench = SX.sym("c", self.robot.size), SX.sym("w", 6)
        cdd, rates, changes = (SX.sym(name, d) for name in ("cdd", "r", "rr"))
        parts = {"q": self.robot.at_rest(c)[0]}
        for check in self.checks:
            if isinstance(check, Reach):
                parts["roots"] = under_roots(c, check.positions(c))
            elif isinstance(check, Ranges):
                parts["ranges"] = check._express(c)
            elif isinstance(check, Singularities):
                parts["rank"] = ca.vec(self.robot.rank_matrix(c).T)
            elif isinstance(check, Legs):
                parts["reach"] = self.robot.express("clearances", c)[2]
                parts["feet"] = ca.vertcat(*check.feet(c))
            elif isinstance(check, Efforts):
                _, Jx, levers = self.robot.at_rest(c)
                moving = (rates, changes) if certificate.demands.moving else ()
                parts["motors"] = ca.vertcat(ca.vec(Jx.T), levers)
                parts["need"] = check.need(c, cdd, wrench, *moving)
        every = ca.vertcat(*parts.values())
        sizes = np.cumsum([0, *(part.numel() for part in parts.values())])
        self.places = {
            name: slice(int(first), int(last))
            for name, (first, last) in zip(parts, pairwise(sizes), strict=True)
        }
        inputs = [c, cdd, wrench, rates, changes]
        slopes = ca.densify(ca.jacobian(every, c))
        self.values = ball_function(ca.Function("values", inputs, [ca.densify(every)]))
        self.slopes = ball_function(ca.Function("slopes", inputs, [ca.vec(slopes.T)]))
        demands = certificate.demands
        self.loads = [
            [ball(*map(float, ends)) for ends in each.T]
            for each in (demands.acceleration, demands.wrench)
        ]

    def enclosed(self, placed: Placed) -> dict[str, list[Ball]]:
        """Every part over a box: as it is written, and by its mean value form about the middle."""
        self.evaluations += 1
        balls = self.loops.closed(placed.at)
        loads = [*self.loads, placed.rates, placed.changes]
        (whole,) = self.values([balls, *loads])
        if not all(each.is_exact() for each in balls):
            middle = [each.mid() for each in balls]
            (values,) = self.values([middle, *loads])
            (slopes,) = self.slopes([balls, *loads])
            away = [b - m for b, m in zip(balls, middle, strict=True)]
            d = len(balls)
            for k, value in enumerate(values):
                row = slopes[k * d : (k + 1) * d]
                mean = value + sum((s * a for s, a in zip(row, away, strict=True)), self.arb(0))
                if not mean.is_finite():
                    continue
                whole[k] = mean.intersection(whole[k]) if whole[k].is_finite() else mean
        return {name: whole[place] for name, place in self.places.items()}

    def prove(self, progress: bool | None) -> None:
        """All of every box, or a CertificateError that names the first that cannot be proven."""
        found = self.certificate
        gap = uncovered(self.shape.parameters, found.boxes)
        if gap is not None:
            where = ", ".join(f"{low:.6g} to {high:.6g}" for low, high in gap.T)
            raise CertificateError(found.source, f"its boxes leave a part of the region open: {where}.")
        boxes, weights = found.boxes, self._weights()
        for at in self.shape.starts(boxes):
            self._same_side(self.shape.placed(at, at))
        with progress_bar(boxes.count, "checked", progress) as tell:
            for k in range(boxes.count):
                waiting = [(boxes.some(slice(k, k + 1)), 0)]
                while waiting:
                    box, depth = waiting.pop()
                    if self.shape.outside(box.low[0], box.high[0]):
                        continue
                    fault = self.fault(self.shape.placed(box.low[0], box.high[0]))
                    if fault is None:
                        continue
                    if depth == DEPTH or (box.low == box.high).all():
                        told = f"box {k} of it is not proven: {fault}."
                        raise CertificateError(found.source, told)
                    halves = box.halves(weights)
                    waiting += [(halves.some(slice(j, j + 1)), depth + 1) for j in range(2)]
                tell(k + 1)

    def _weights(self) -> Array:
        """By which widths of boxes are compared: any will do."""
        box = self.shape.parameters
        extent = box.high[0] - box.low[0]
        return np.asarray(1 / np.where(extent > 0, extent, 1.0))

    def refute(self) -> None:
        """The witness lies in the region and breaks what is asked, for sure."""
        found = self.certificate
        at = self.shape.witness(found)
        if at is None:
            raise CertificateError(found.source, "its witness does not lie in the region.")
        part = found.conditions.index(str(found.broken)) if found.broken in found.conditions else -1
        if part < 0 or not self._breaks(str(found.broken), self.enclosed(at)):
            told = f"its witness is not shown to break {found.broken!r}."
            raise CertificateError(found.source, told)

    def _breaks(self, told: str, parts: dict[str, list[Ball]]) -> bool:
        for check in self.checks:
            if told not in check.parts:
                continue
            k = check.parts.index(told)
            if isinstance(check, Ranges):
                return bool(parts["ranges"][k] < -MARGIN)
            if isinstance(check, Efforts):
                effort = self._efforts(parts)[k]
                return bool(abs(effort) > float(check.limits[k]))
            if isinstance(check, Legs):
                j, m = check.pairs[k]
                return bool(self._nearest(parts, j, m)[1] < check.diameter)
            if isinstance(check, Singularities):
                return (k == 0 and self._side(parts["rank"]) * self._home_side() < 0) or (
                    k == 1 and self._condition(self._rows(parts["rank"]))[0] > check.most
                )
            return any(each < 0 for each in parts["roots"])
        return False

    def fault(self, placed: Placed) -> str | None:
        """What is not proven over a box."""
        parts = self.enclosed(placed)
        if not all(each.is_finite() for each in parts["q"]):
            return "all loops close"
        for check in self.checks:
            found = None
            if isinstance(check, Ranges):
                found = self._ranges(check, parts)
            elif isinstance(check, Singularities):
                found = self._regular(check, parts)
            elif isinstance(check, Legs):
                found = self._legs(check, parts)
            elif isinstance(check, Efforts):
                found = self._held(check, parts)
            if found is not None:
                return found
        return None

    def _ranges(self, check: Ranges, parts: dict[str, list[Ball]]) -> str | None:
        least = self.arb(-2 * MARGIN)
        for told, value in zip(check.parts, parts["ranges"], strict=True):
            if not value >= least:
                return told
        return None

    def _rows(self, values: Sequence[Ball]) -> Ball:
        rows, columns = self.robot.rank_shape
        A = self.matrix([[values[r * columns + k] for k in range(columns)] for r in range(rows)])
        return A if rows >= columns else A.transpose()

    def _regular(self, check: Singularities, parts: dict[str, list[Ball]]) -> str | None:
        A = self._rows(parts["rank"])
        middle = _floats(A)
        if not np.isfinite(middle).all():
            return check.parts[0]
        B = np.linalg.pinv(middle)
        error = self.matrix(B.tolist()) * A
        size = [
            sum(abs((1 if j == k else 0) - error[j, k]) for k in range(len(B))) for j in range(len(B))
        ]
        if not all(each < 1 for each in size):
            return check.parts[0]
        if np.isfinite(check.most) and not self._condition(A)[1] <= check.most:
            return check.parts[1]
        return None

    def _condition(self, A: Ball) -> tuple[Ball, Ball]:
        """Bounds: singular values of the middle, shown by pivots and directions, and the radius."""
        middle = _floats(A)
        _, values, directions = np.linalg.svd(middle)
        M = self.matrix(middle.tolist())
        squares, n = M.transpose() * M, middle.shape[1]
        bounds = [float(values[-1]) * (1 - CLEAR), float(values[0]) * (1 + CLEAR)]
        for sign, bound in zip((1, -1), bounds, strict=True):
            shifted = [
                [sign * (squares[j, k] - (self.arb(bound) ** 2 if j == k else 0)) for k in range(n)]
                for j in range(n)
            ]
            if not _positive_definite(shifted):
                return self.arb(1), self.arb.nan()
        rest = A - M
        spread = sum((abs(each).upper() ** 2 for each in rest.entries()), self.arb(0)).sqrt().upper()
        least, most = bounds[0] - spread, bounds[1] + spread
        upper = (most / least).upper() if least > 0 else self.arb.pos_inf()
        long, short = (_stretched(M * self.matrix([[x] for x in directions[k].tolist()]))
                       / _stretched(self.matrix([[x] for x in directions[k].tolist()]))
                       for k in (0, -1))  # fmt: skip
        return ((long - spread) / (short + spread)).lower(), upper

    def _side(self, values: Sequence[Ball]) -> int:
        A = self._rows(values)
        if A.nrows() != A.ncols():
            return 1
        det = A.det()
        return 1 if det > 0 else -1 if det < 0 else 0

    def _home_side(self) -> int:
        from linkwork.certification.ball_shapes import Placed

        robot = self.robot.robot
        home = robot.coordinates.to_angles(np.asarray(robot.home, dtype=float)).tolist()
        here = [self.arb(x) for x in (*home, *self.robot.tolerances.ends.mean(axis=0).tolist())]
        still = [self.arb(0)] * len(home)
        return self._side(self.enclosed(Placed(here, still, still))["rank"])

    def _same_side(self, placed: Placed) -> None:
        """One point on home's side puts all boxes without singularities there: they are connected."""
        asked = any(isinstance(each, Singularities) and each.home_counts for each in self.checks)
        if asked and self._side(self.enclosed(placed)["rank"]) * self._home_side() != 1:
            told = "its region is not shown to be on home's side of the singularities."
            raise CertificateError(self.certificate.source, told)

    def _legs(self, check: Legs, parts: dict[str, list[Ball]]) -> str | None:
        for told, (j, k) in zip(check.parts, check.pairs, strict=True):
            if not self._nearest(parts, j, k)[0] >= check.diameter:
                return told
        return None

    def _nearest(self, parts: dict[str, list[Ball]], j: int, k: int) -> tuple[Ball, Ball]:
        """A distance that two legs keep, across a plane, and one of two of their points."""
        from linkwork.certification.ball_functions import square

        arb = self.arb
        feet = [parts["feet"][3 * each : 3 * each + 3] for each in (j, k)]
        base = [np.array([float(x.mid()) for x in foot]) for foot in feet]
        legs = [parts["reach"][3 * each : 3 * each + 3] for each in (j, k)]
        u, v = (np.array([float(x.mid()) for x in leg]) for leg in legs)
        s, t = _nearest_shares(base[0], u, base[1], v)
        normal = base[1] + t * v - base[0] - s * u
        if not np.isfinite(normal).all() or not normal.any():
            return arb.nan(), arb.pos_inf()
        size = sum((arb(float(x)) ** 2 for x in normal), arb(0)).sqrt()
        gap = [y - x for x, y in zip(*feet, strict=True)]
        ends = [
            [g + b * far - a * near for g, a, b in zip(gap, *legs, strict=True)]
            for near in (0, 1)
            for far in (0, 1)
        ]
        across = [
            sum((arb(float(x)) * e for x, e in zip(normal, end, strict=True)), arb(0)) for end in ends
        ]
        kept = across[0]
        for each in across[1:]:
            kept = kept.min(each)
        points = [g + b * t - a * s for g, a, b in zip(gap, *legs, strict=True)]
        return (kept / size).lower(), sum((square(x) for x in points), arb(0)).sqrt().upper()

    def _held(self, check: Efforts, parts: dict[str, list[Ball]]) -> str | None:
        for told, effort, limit in zip(check.parts, self._efforts(parts), check.limits, strict=True):
            if not abs(effort) <= float(limit):
                return told
        return None

    def _efforts(self, parts: dict[str, list[Ball]]) -> list[Ball]:
        """y with A' y = w, by the inverse of A in the middle: |y - B' w| <= |E'| |w| / (1 - |E'|)."""
        robot, d = self.robot, self.robot.d
        if robot.robot.moved_by_motors:
            names = robot.robot.coordinates.names
            return [parts["need"][names.index(name)] for name in robot.robot.efforts.names]
        scale = [self.arb(float(each)) for each in robot.scale]
        values = parts["motors"]
        A = self.matrix([[values[r * d + k] / scale[k] for k in range(d)] for r in range(d)])
        w = [each / by for each, by in zip(parts["need"], scale, strict=True)]
        middle = _floats(A)
        with np.errstate(all="ignore"):
            try:
                B = np.linalg.inv(middle)
            except np.linalg.LinAlgError:
                return [self.arb.nan()] * d
        if not np.isfinite(B).all():
            return [self.arb.nan()] * d
        inverse = self.matrix(B.tolist())
        error = inverse * A
        E = [[abs((1 if j == k else 0) - error[k, j]).upper() for k in range(d)] for j in range(d)]
        norm = _greatest([sum(row, self.arb(0)).upper() for row in E])
        if not norm < 1:
            return [self.arb.nan()] * d
        first = [
            sum((e * abs(x) for e, x in zip(row, w, strict=True)), self.arb(0)).upper() for row in E
        ]
        rest = norm / (1 - norm) * _greatest(first)
        z = [x + (f + rest).upper() * self.ball(-1.0, 1.0) for x, f in zip(w, first, strict=True)]
        return [
            values[d * d + k] * sum((inverse[j, k] * z[j] for j in range(d)), self.arb(0))
            for k in range(d)
        ]


def _greatest(balls: list[Ball]) -> Ball:
    return functools.reduce(lambda x, y: x.max(y), balls)


def _stretched(vector: Ball) -> Ball:
    """Its length."""
    first, *others = (x * x for x in vector.entries())
    return sum(others, first).sqrt()


def _floats(A: Ball) -> Array:
    """Middles of a matrix of balls."""
    return np.array([[float(each.mid()) for each in row] for row in A.tolist()])


def _positive_definite(rows: list[list[Ball]]) -> bool:
    """By pivots of the elimination, of a symmetric matrix of balls."""
    n = len(rows)
    for k in range(n):
        if not rows[k][k] > 0:
            return False
        for j in range(k + 1, n):
            factor = rows[j][k] / rows[k][k]
            for m in range(k + 1, n):
                rows[j][m] = rows[j][m] - factor * rows[k][m]
    return True


def _nearest_shares(a: Array, u: Array, b: Array, v: Array) -> tuple[float, float]:
    """s and t of the nearest points of a + s u and b + t v, both between 0 and 1."""
    w = a - b
    away = u @ u * (v @ v) - (u @ v) ** 2
    s = float(np.clip((u @ v * (v @ w) - v @ v * (u @ w)) / away, 0, 1)) if away > 0 else 0.0
    t = float(np.clip((u @ v * s + v @ w) / (v @ v), 0, 1))
    return float(np.clip((u @ v * t - u @ w) / (u @ u), 0, 1)), t
