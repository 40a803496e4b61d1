"""What must hold at every position, one class for each kind of question.

A check judges many boxes at once: proven where it holds at all of their positions, broken where it holds
at none of them. Points are boxes too, and a broken point is a witness.
"""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from linkwork.certification.boxes import ROUNDING, Array, Boxes, Flags, points
from linkwork.certification.enclosed import Demands, Enclosed, Vector, mean_value
from linkwork.certification.ranks import Ranks, judged_ranks
from linkwork.core.text import number, with_unit
from linkwork.kinematics.singularity import has_levers
from linkwork.mechanics.expressions import SX
from linkwork.mechanics.expressions import number as expressed
from linkwork.mechanics.linear import solve_orthogonal
from linkwork.mechanics.mechanism.planning.planner import placement_plan
from linkwork.model.mechanism import motor_terms
from linkwork.robot.limits import unit_of
from linkwork.robot.platform import Platform

MARGIN = 1e-12  # of ranges: a limit may be kept with nothing to spare


class Verdicts(NamedTuple):
    """Of boxes: whether a check is proven, whether it is broken everywhere, which of its parts."""

    proven: Flags
    broken: Flags
    part: NDArray[np.int64]


class Check(ABC):
    """A question about positions. `parts` say what holds where it is kept."""

    parts: tuple[str, ...]

    @abstractmethod
    def judge(self, boxes: Boxes) -> Verdicts:
        """Of every box."""

    def judge_apart(self, boxes: Boxes) -> Verdicts:
        """Of every box, though none of them need be connected with another."""
        return self.judge(boxes)

    def broken(self, at: Boxes) -> Verdicts:
        """Of points, which may be asked more than boxes."""
        return self.judge(at)

    def room(self, at: Boxes) -> Array | None:
        """How far points are from breaking every part (N, k), to look where there is least; None if
        that is not known."""
        return None


def from_bounds(low: Array, high: Array) -> Verdicts:
    """Of scalars (N, k) that must not be negative."""
    proven, broken = _every(low >= -MARGIN), ~_every(high >= -MARGIN)
    return Verdicts(proven, broken, np.argmin(high, axis=1))


def _every(flags: Flags) -> Flags:
    """Of the parts of every box."""
    return np.asarray(flags.all(axis=1))


class Ranges(Check):
    """Limits of joints and cylinders, cones of U and S joints, levers of motors."""

    def __init__(self, robot: Enclosed, demands: Demands) -> None:
        self.robot = robot
        self.positions = _positions(robot)
        self.levers = () if demands.condition is None else _levers(robot)
        self.cones = _cones(robot)
        self.parts = tuple(each.told for each in (*self.positions, *self.levers, *self.cones))
        asked = (demands.condition is None,)
        self.vector = Vector(robot, "ranges", self._express, len(self.parts), asked=asked)

    def _express(self, c: SX) -> SX:
        q, _, Jq = self.robot.at_rest(c)
        g = [each.sign * (q[each.place] - each.bound) / each.scale for each in self.positions]
        g += [Jq[each.place] / each.scale for each in self.levers]
        if self.cones:
            of_platform = isinstance(self.robot.robot, Platform)
            found = self.robot.express("clearances" if of_platform else "cones", c)
            cosines = ca.vertcat(*found[:2])
            g += [cosines[each.place] - each.bound for each in self.cones]
        return ca.vertcat(*g)

    def room(self, at: Boxes) -> Array:
        return self.vector.natural(at)[1]

    def judge(self, boxes: Boxes) -> Verdicts:
        low, high = self.vector.natural(boxes)
        open_ = ~_every(low >= -MARGIN)
        if open_.any():
            sharper = self.vector.sharper(boxes.some(open_))
            low, high = low.copy(), high.copy()
            low[open_] = np.maximum(low[open_], sharper[0])
            high[open_] = np.minimum(high[open_], sharper[1])
        return from_bounds(low, high)


class Scalar(NamedTuple):
    """One element of a vector that a bound is compared with; `told` says what holds where it is kept."""

    told: str
    place: int
    bound: float
    sign: int = 1
    scale: float = 1.0


def _positions(robot: Enclosed) -> tuple[Scalar, ...]:
    """Lengths of a platform's legs are absolute, positions of other cylinders count from home."""
    found = []
    for k, each in enumerate(robot.robot.elements):
        if each.limits.position is None:
            continue
        low, high = each.limits.position
        width = high - low if np.isfinite(high - low) else 1.0
        at_home = getattr(each, "length", 0.0) if isinstance(robot.robot, Platform) else 0.0
        for bound, sign, word in ((low, 1, ">="), (high, -1, "<=")):
            if np.isfinite(bound):
                told = f"{each.name} {word} {with_unit(bound + at_home, unit_of(each))}"
                found.append(Scalar(told, k, bound + at_home, sign, width))
    return tuple(found)


def _levers(robot: Enclosed) -> tuple[Scalar, ...]:
    """Motors that may lose their hold on the coordinates keep the side of home."""
    if not has_levers(robot.robot):
        return ()
    blocks = placement_plan(robot.robot.mechanism).blocks
    solved = {name for block in blocks for name in block.unknowns}
    home = robot.robot.jacobians(robot.robot.home).inverse_jacobian
    motors = motor_terms(robot.robot.mechanism).items()
    return tuple(
        Scalar(f"{name} keeps its lever", k, 0.0, scale=float(home[k]))
        for k, (name, terms) in enumerate(motors)
        if len(terms) == 1 and terms[0][0] in solved
    )


def _cones(robot: Enclosed) -> tuple[Scalar, ...]:
    if not isinstance(robot.robot, Platform):
        cones = enumerate(robot.robot.mechanism.cones)
        return tuple(_cone(f"cone angle of {each.name}", k, each.angle) for k, each in cones)
    found = []
    for joint, word in enumerate(("universal_angle", "spherical_angle")):
        for k, leg in enumerate(robot.robot.model.legs):
            limit = getattr(leg.limits, word)
            if limit is not None:
                found.append(_cone(f"{word.replace('_', ' ')} of {leg.name}", 6 * joint + k, limit))
    return tuple(found)


def _cone(what: str, place: int, angle: float) -> Scalar:
    return Scalar(f"{what} <= {number(np.degrees(angle))} deg", place, float(np.cos(angle)))


class Singularities(Check):
    """No singularity, on home's side of them, and a bounded condition number.

    A box is free of singularities where |1 - B A| < 1 for all of its matrices A and any one matrix B:
    here the inverse of A in its middle. It is on the side of any of its points, so that sides are asked
    of points only: no way leads through a region of boxes without singularities to the other side.
    """

    def __init__(self, robot: Enclosed, demands: Demands) -> None:
        self.robot = robot
        self.most = np.inf if demands.condition is None else demands.condition
        free = "no singularity between here and home" if self.home_counts else "no singularity"
        self.parts = (free,) if np.isinf(self.most) else (free, f"condition number <= {self.most:g}")

    @cached_property
    def matrix(self) -> Vector:
        rows, columns = self.robot.rank_shape
        return Vector(self.robot, "rank", lambda c: ca.vec(self.robot.rank_matrix(c).T), rows * columns)

    @cached_property
    def rough(self) -> Vector:
        """The product of the largest row and column sums of |1 - B A|, a bound of its square."""
        return Vector(self.robot, "distance", self._rough, 1, choosing=True)

    @cached_property
    def sharp(self) -> Vector:
        """With A by its mean value form about a point, which is the last of the intervals; second a sum
        of A itself, which makes sure that none of its choices changes in the box."""
        return Vector(
            self.robot, "distance, mean", self._sharp, 2, (self.robot.size,), choosing=True, smooth=True
        )

    def _rough(self, c: SX, chosen: SX) -> SX:
        A = self.robot.rank_matrix(c)
        return _distance(A, ca.substitute(A, c, chosen))

    def _sharp(self, c: SX, p: SX, chosen: SX) -> SX:
        A = self.robot.rank_matrix(c)
        return ca.vertcat(
            _distance(mean_value(A, c, p), ca.substitute(A, c, chosen)), ca.sum1(ca.vec(A))
        )

    def ranks(self, boxes: Boxes, sharper: bool = False) -> Ranks:
        shape = (boxes.count, *self.robot.rank_shape)
        ends = self.matrix.sharper(boxes) if sharper else self.matrix.natural(boxes)
        low, high = (end.reshape(shape) for end in ends)
        return judged_ranks(low, high, np.isfinite(self.most))

    @cached_property
    def home_counts(self) -> bool:
        """Not where home itself is singular, as a straight arm is: then it has no side."""
        return not self.robot.robot.moved_by_motors or self.side != 0

    @cached_property
    def side(self) -> float:
        home = self.robot.robot.coordinates.to_angles(np.asarray(self.robot.robot.home))
        here = np.concatenate([home, self.robot.tolerances.ends.mean(axis=0)])
        return float(self.ranks(self.robot.loops.closed(points(here[None]))).side[0])

    def judge(self, boxes: Boxes) -> Verdicts:
        if np.isinf(self.most):
            proven = self.rough.natural(boxes)[1][:, 0] < 1
            if not proven.all():
                left = boxes.some(~proven)
                proven[~proven] = self.sharp.natural(left, points(left.middle).ends)[1][:, 0] < 1
            nothing = np.zeros(boxes.count, dtype=bool)
            return Verdicts(proven, nothing, np.zeros(boxes.count, dtype=np.int64))
        proven, worse = self._bounded(self.ranks(boxes))
        open_ = ~(proven | worse)
        if open_.any():
            proven[open_], worse[open_] = self._bounded(self.ranks(boxes.some(open_), sharper=True))
        return Verdicts(proven, worse, np.ones(boxes.count, dtype=np.int64))

    def judge_apart(self, boxes: Boxes) -> Verdicts:
        """A box without singularities is on the side of its middle."""
        found = self.judge(boxes)
        if not self.home_counts:
            return found
        proven, broken = found.proven.copy(), found.broken.copy()
        ranks = self.ranks(points(boxes.middle[proven]))
        broken[proven] = ranks.side * self.side < 0
        proven[proven] = ranks.side * self.side > 0
        return Verdicts(proven, broken, found.part)

    def _bounded(self, found: Ranks) -> tuple[Flags, Flags]:
        return found.regular & (found.condition <= self.most), found.least_condition > self.most

    def broken(self, at: Boxes) -> Verdicts:
        found = self.ranks(at)
        wrong_side = found.regular & (found.side * self.side < 0)
        worse = found.least_condition > self.most
        return Verdicts(~wrong_side & ~worse, wrong_side | worse, np.where(wrong_side, 0, 1))


def _distance(A: SX, middle: SX) -> SX:
    if A.size1() < A.size2():
        A, middle = A.T, middle.T
    B = solve_orthogonal(ca.horzsplit(middle), SX.eye(A.size1()))
    error = ca.fabs(SX.eye(A.size2()) - B @ A)
    sums = [ca.vertsplit(ca.sum1(error).T), ca.vertsplit(ca.sum2(error))]
    most = [functools.reduce(ca.fmax, each) for each in sums]
    return most[0] * most[1]


class Efforts(Check):
    """What holds every position under the demanded wrenches and accelerations, within effort limits.

    A' y = w with the matrix A of motors by coordinates and w, what the coordinates need; efforts are the
    levers times y. With B as in `Singularities`, 1 - B A = E and y = B' (1 - E')^-1 w: within
    |E'| |w| + |E'|^2 |w| + ... of B' w before B' is applied.
    """

    def __init__(self, robot: Enclosed, demands: Demands) -> None:
        self.robot, self.demands = robot, demands
        self.limits = robot.robot.limits.effort * (1 + MARGIN)
        efforts = robot.robot.efforts
        self.parts = tuple(
            f"|effort of {name}| <= {with_unit(limit, unit)}"
            for name, limit, unit in zip(
                efforts.names, robot.robot.limits.effort, efforts.units, strict=True
            )
        )

    @cached_property
    def rough(self) -> Vector:
        """Efforts by what the coordinates need as it is written."""
        asked = (self.demands.moving,)
        return Vector(
            self.robot, "efforts", self._rough, self.robot.d, self._sizes, asked, choosing=True
        )

    @cached_property
    def sharp(self) -> Vector:
        """By its mean value form about a point, the last of the intervals; and a sum, as above."""
        asked, sizes = (self.demands.moving,), (*self._sizes, self.robot.size)
        return Vector(
            self.robot,
            "efforts, mean",
            self._sharp,
            self.robot.d + 1,
            sizes,
            asked,
            choosing=True,
            smooth=True,
        )

    @property
    def _sizes(self) -> tuple[int, ...]:
        d = self.robot.d
        return (d, 6, 1, d, d) if self.demands.moving else (d, 6, 1)

    def need(self, c: SX, cdd: SX, wrench: SX, *rates: SX) -> SX:
        """Of the coordinates, moving by rates of angles if they are given."""
        velocity, acceleration = SX.zeros(self.robot.d), cdd
        if rates:
            velocity, own = self.robot.moved(c, *rates)
            acceleration = own + cdd
        return self.robot.need(c, velocity, acceleration, wrench)

    def _rough(self, c: SX, cdd: SX, wrench: SX, either: SX, *more: SX) -> SX:
        *rates, chosen = more
        return self._efforts(c, self.need(c, cdd, wrench, *rates), either, chosen)

    def _sharp(self, c: SX, cdd: SX, wrench: SX, either: SX, *more: SX) -> SX:
        *rates, p, chosen = more
        need = self.need(c, cdd, wrench, *rates)
        efforts = self._efforts(c, mean_value(need, c, p), either, chosen, p)
        every = ca.vertcat(need, *map(ca.vec, self.robot.at_rest(c)[1:]))
        return ca.vertcat(efforts, ca.sum1(every))

    def _efforts(self, c: SX, need: SX, either: SX, chosen: SX, p: SX | None = None) -> SX:
        """`either` lies between -1 and 1."""
        motors, d = self.robot.robot.efforts.names, self.robot.d
        if self.robot.robot.moved_by_motors:
            return need[[self.robot.robot.coordinates.names.index(name) for name in motors]]
        _, Jx, levers = self.robot.at_rest(c)
        scale = ca.diag(1 / ca.DM(self.robot.scale))
        A, w = Jx @ scale, scale @ need
        B = solve_orthogonal(ca.horzsplit(ca.substitute(A, c, chosen)), SX.eye(d))
        if p is not None:
            A, levers = mean_value(A, c, p), mean_value(levers, c, p)
        error = ca.fabs(SX.eye(d) - B @ A).T
        norm = functools.reduce(ca.fmax, ca.vertsplit(ca.sum2(error)))
        first = error @ ca.fabs(w)
        left = ca.fmax(1 - norm, 0)  # no enclosure divides by zero: where |E| may be 1 there is none
        away = first + norm / left * functools.reduce(ca.fmax, ca.vertsplit(first))
        return levers * (B.T @ (w + either * away))

    def bounds(self, boxes: Boxes, sharper: bool) -> tuple[Array, Array]:
        """Least and greatest efforts (N, n)."""
        given = [self.demands.acceleration, self.demands.wrench, np.array([[-1.0], [1.0]])]
        loads = [np.broadcast_to(each.reshape(-1), (boxes.count, each.size)) for each in given]
        loads += [] if boxes.rates is None else [each.ends for each in boxes.rates]
        if sharper:
            least, most = self.sharp.natural(boxes, *loads, points(boxes.middle).ends)
            return least[:, :-1], most[:, :-1]
        return self.rough.natural(boxes, *loads)

    def room(self, at: Boxes) -> Array:
        least, most = self.bounds(at, False)
        return np.minimum(self.limits - most, self.limits + least)

    def judge(self, boxes: Boxes) -> Verdicts:
        least, most = self.bounds(boxes, False)
        open_ = ~self._kept(least, most)
        if open_.any():
            sharper = self.bounds(boxes.some(open_), True)
            least[open_] = np.maximum(least[open_], sharper[0])
            most[open_] = np.minimum(most[open_], sharper[1])
        beyond = np.maximum(least, -most) - self.limits
        return Verdicts(self._kept(least, most), ~_every(beyond <= 0), np.argmax(beyond, axis=1))

    def _kept(self, least: Array, most: Array) -> Flags:
        return _every((most <= self.limits) & (least >= -self.limits))


class Legs(Check):
    """Legs of a platform, straight lines from base point to platform point, stay apart.

    Whatever plane is laid between two lines, they are at least as far from each other as the ends of
    one are from those of the other across it; planes are chosen in the middle of the box. And any two of
    their points are at least as far from each other as the lines.
    """

    def __init__(self, robot: Enclosed, demands: Demands) -> None:
        platform = robot.robot
        assert isinstance(platform, Platform)
        self.robot, self.diameter = robot, demands.leg_diameter
        names, told = platform.leg_names, with_unit(demands.leg_diameter, "m")
        self.pairs = list(combinations(range(len(names)), 2))
        self.parts = tuple(f"{names[j]} and {names[k]} {told} apart" for j, k in self.pairs)
        self.bases = [np.array(leg.base_point) for leg in platform.model.legs]

    @cached_property
    def across(self) -> Vector:
        """Of every pair, four distances across a plane: each end of one from each of the other."""
        return Vector(self.robot, "legs, across", self._across, 4 * len(self.pairs), choosing=True)

    @cached_property
    def met(self) -> Vector:
        """Distances of two points of every pair, the nearest ones in the middle of the box."""
        return Vector(self.robot, "legs, met", self._met, len(self.pairs), choosing=True)

    def _legs(self, c: SX, chosen: SX) -> tuple[list[SX], list[SX]]:
        reach = ca.Function("reach", [c], [self.robot.express("clearances", c)[2]])
        legs, middle = (ca.horzsplit(ca.reshape(reach(at), 3, -1)) for at in (c, chosen))
        return legs, middle

    def feet(self, c: SX) -> list[SX]:
        """Base points, which may have tolerances."""
        model = self.robot.tolerances.model(self.robot.robot, c[self.robot.d :])
        return [expressed(leg.base_point) for leg in model.legs]

    def _across(self, c: SX, chosen: SX) -> SX:
        legs, middle = self._legs(c, chosen)
        feet, standing = self.feet(c), self.feet(chosen)
        found = []
        for j, k in self.pairs:
            near, far = standing[j], standing[k]
            s, t = _nearest_points(near, middle[j], far, middle[k])
            between = far + t * middle[k] - near - s * middle[j]
            normal = (1 - ROUNDING) * between / ca.norm_2(between)
            gap = feet[k] - feet[j]
            ends = gap, gap - legs[j], gap + legs[k], gap + legs[k] - legs[j]
            found += [ca.dot(normal, end) for end in ends]
        return ca.vertcat(*found)

    def _met(self, c: SX, chosen: SX) -> SX:
        legs, middle = self._legs(c, chosen)
        feet, standing = self.feet(c), self.feet(chosen)
        found = []
        for j, k in self.pairs:
            s, t = _nearest_points(standing[j], middle[j], standing[k], middle[k])
            found.append(ca.norm_2(feet[k] + t * legs[k] - feet[j] - s * legs[j]))
        return ca.vertcat(*found)

    def judge(self, boxes: Boxes) -> Verdicts:
        proven = self._apart(self.across.natural(boxes)[0])
        if not proven.all():
            proven[~proven] = self._apart(self.across.sharper(boxes.some(~proven))[0])
        touching, part = np.zeros(boxes.count, dtype=bool), np.zeros(boxes.count, dtype=np.int64)
        if not proven.all():
            met = self.met.natural(boxes.some(~proven))[1]
            touching[~proven], part[~proven] = (met < self.diameter).any(axis=1), np.argmin(met, axis=1)
        return Verdicts(proven, touching, part)

    def _apart(self, across: Array) -> Flags:
        return _every(across >= self.diameter)


def _nearest_points(a: SX, u: SX, b: SX, v: SX) -> tuple[SX, SX]:
    """s and t of the nearest points of the lines a + s u and b + t v, whose ends are at 0 and 1."""
    w = a - b
    uu, uv, vv, uw, vw = ca.dot(u, u), ca.dot(u, v), ca.dot(v, v), ca.dot(u, w), ca.dot(v, w)
    s = _clipped((uv * vw - vv * uw) / ca.fmax(uu * vv - uv * uv, 1e-12 * uu * vv))
    t = _clipped((uv * s + vw) / vv)
    return _clipped((uv * t - uw) / uu), t


def _clipped(x: SX) -> SX:
    return ca.fmax(0, ca.fmin(1, x))


class Reach(Check):
    """All loops close, on the branches of home: the positions of all joints are real numbers.

    They are not where one of the numbers whose roots they are made of is negative. In its place zero is
    taken, so that the others have values: before one of them is at fault, those values are true.
    """

    parts = ("all loops close",)

    def __init__(self, robot: Enclosed) -> None:
        self.robot = robot
        self.vector = Vector(robot, "positions", self.positions, len(robot.robot.elements))

    def positions(self, c: SX) -> SX:
        return self.robot.at_rest(c)[0]

    @cached_property
    def under_roots(self) -> Vector:
        c = SX.sym("c", self.robot.size)
        count = under_roots(c, self.positions(c)).numel()
        return Vector(self.robot, "roots", lambda c: under_roots(c, self.positions(c)), count)

    def room(self, at: Boxes) -> Array:
        return self.under_roots.natural(at)[1]

    def judge(self, boxes: Boxes) -> Verdicts:
        low, high = self.vector.natural(boxes)
        closed = _every(np.isfinite(low) & np.isfinite(high)) & self.robot.loops.known(boxes)
        apart = np.zeros_like(closed)
        if not closed.all():
            apart[~closed] = (self.under_roots.sharper(boxes.some(~closed))[1] < 0).any(axis=1)
        return Verdicts(closed, apart, np.zeros(boxes.count, dtype=np.int64))


def under_roots(c: SX, g: SX) -> SX:
    """What must not be negative: of square roots, and of inverse sines and cosines, in g."""
    function = ca.Function("g", [c], [ca.densify(g)])
    work: dict[int, SX] = {}
    inputs = ca.vertsplit(c)
    found: list[SX] = []
    for k in range(function.n_instructions()):
        op, into, of = (
            function.instruction_id(k),
            function.instruction_output(k),
            function.instruction_input(k),
        )
        if op == ca.OP_OUTPUT:
            continue
        if op == ca.OP_CONST:
            work[into[0]] = SX(function.instruction_constant(k))
        elif op == ca.OP_INPUT:
            work[into[0]] = inputs[of[1]]
        elif len(of) == 2:
            work[into[0]] = SX.binary(op, work[of[0]], work[of[1]])
        else:
            x = work[of[0]]
            if op == ca.OP_SQRT and not x.is_constant():
                found.append(x)
                x = ca.fmax(x, 0)
            if op in (ca.OP_ASIN, ca.OP_ACOS):
                found.append(1 - x * x)
                x = ca.fmax(-1, ca.fmin(1, x))
            work[into[0]] = SX.unary(op, x)
    return ca.vertcat(*found) if found else SX(1)


def checks_of(robot: Enclosed, demands: Demands) -> Sequence[Check]:
    """All that is asked, the cheapest first."""
    ranges, ranks = Ranges(robot, demands), Singularities(robot, demands)
    found: list[Check] = [Reach(robot)] if placement_plan(robot.robot.mechanism).blocks else []
    found += [ranges] if ranges.parts else []
    if demands.condition is not None:
        found.append(ranks)
    if demands.leg_diameter and isinstance(robot.robot, Platform):
        found.append(Legs(robot, demands))
    if robot.robot.n == robot.d and np.isfinite(robot.robot.limits.effort).any():
        found.append(Efforts(robot, demands))
    return found
