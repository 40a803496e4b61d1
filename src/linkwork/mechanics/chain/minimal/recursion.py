"""Inverse dynamics with the fewest operations: one recursion, written for any kind of scalar.

U = w~^2 + al~ is the operator that gives the acceleration of points of a link, w x (w x r) + al x r.
Its z column is the acceleration of the joint's own axis, which belongs to both links that share the
axis: it is carried from frame to frame, and the other elements follow from it and from w with few
additions. With the moments of mass about the joint frames (moments.py), force and moment of a link are

    f = m A + U ms,    N = vector(U J - (U J)') + ms x A,

A being the acceleration of the frame's origin less gravity. A link is described in axes that turn with
it, or in the resting axes before its joint's turn, where its moments turn instead of the motion; that
is cheap for the first of several parallel axes and for the last link, whose next axis does not exist.

Scalars (scalars.py) are values of a counted graph or arrays; numbers known beforehand are floats, and
products with 0 and 1 vanish by themselves.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from linkwork.core.rotations import cosine_sine
from linkwork.mechanics.chain.minimal.common_normals import FrameStep
from linkwork.mechanics.chain.minimal.moments import MX, MY, MZ, XX, YY, M, turned_moments
from linkwork.mechanics.chain.minimal.scalars import (
    CosineSine,
    Pair,
    Scalar,
    Vector,
    rotated,
    turned_back,
)
from linkwork.mechanics.expressions import acceleration_rows

ZERO: Vector = (0.0, 0.0, 0.0)
# Below this, tan(alpha) would blow up rounding errors: the twist is then taken in its plain form.
SMALLEST_COSINE = 0.05
ROUNDING = 1e-14
Matrix = tuple[Vector, Vector, Vector]


SMALLEST_UNIT = 1e-100


@dataclass(frozen=True)
class Variant:
    """Choices that change the cost of the recursion and nothing else; tuples have one entry per link.

    squared: which of wx^2 and wy^2 is formed, "x" or "y".
    doubled: 2 wz is formed to get the last row of U without al.
    resting: the link is described in the axes before its joint's turn.
    absolute_motion, absolute_moment: w and the z column, and the moment, are turned from and to the
        first of parallel axes by the sum of the angles.
    euler: for each axis, whether N is written with al and w w instead of U.
    acceleration, force: units, chosen so that many constants become 1.
    """

    squared: tuple[str, ...]
    doubled: tuple[bool, ...]
    resting: tuple[bool, ...]
    absolute_motion: tuple[bool, ...]
    absolute_moment: tuple[bool, ...]
    euler: tuple[tuple[bool, bool, bool], ...]
    acceleration: float = 1.0
    force: float = 1.0

    def fits(self, links: int) -> bool:
        """Whether this is a variant for so many links: one that was read from a file may be damaged."""
        flags = (self.doubled, self.resting, self.absolute_motion, self.absolute_moment)
        return (
            isinstance(self.squared, tuple)
            and len(self.squared) == links
            and all(name in ("x", "y") for name in self.squared)
            and all(_are_flags(entry, links) for entry in flags)
            and isinstance(self.euler, tuple)
            and len(self.euler) == links
            and all(_are_flags(entry, 3) for entry in self.euler)
            and all(_is_unit(unit) for unit in (self.acceleration, self.force))
        )


def _are_flags(entry: Any, number: int) -> bool:
    return (
        isinstance(entry, tuple)
        and len(entry) == number
        and all(isinstance(value, bool) for value in entry)
    )


def _is_unit(value: Any) -> bool:
    return isinstance(value, float) and SMALLEST_UNIT < value < 1.0 / SMALLEST_UNIT


def plain_variant(n: int) -> Variant:
    no = (False,) * n
    return Variant(("x",) * n, no, no, no, no, ((False,) * 3,) * n)


@dataclass(frozen=True)
class Ends:
    """What acts at both ends: motion of frame 0 (A less gravity), wrench at the last frame."""

    w: Vector
    al: Vector
    A: Vector
    f: Vector = ZERO
    n: Vector = ZERO


@dataclass(frozen=True)
class Axes:
    """Where a link is described: the first axis of its parallel run, the turn since the axes of the
    link before (c, s), and the direction of the link's own x in these axes."""

    start: int
    resting: bool
    turn: Pair
    from_start: Pair
    heading: Pair


def group_starts(steps: Sequence[FrameStep]) -> list[int]:
    """For every axis, the first of the run of parallel axes that it ends."""
    starts: list[int] = []
    for k, step in enumerate(steps):
        starts.append(starts[-1] if k and step.parallel else k)
    return starts


def may_rest(steps: Sequence[FrameStep], k: int) -> bool:
    """Resting axes serve a link whose next axis is parallel, or that is the last."""
    return k == len(steps) - 1 or steps[k + 1].parallel


def _angle(steps: Sequence[FrameStep], q: Sequence[Scalar], function: CosineSine) -> Pair:
    """Cosine and sine of the sum of several joint angles."""
    moving, fixed = None, 0.0
    for step in steps:
        fixed += step.theta
        if step.kind == "revolute":
            angle = q[step.joint] if step.sign > 0 else -q[step.joint]
            moving = angle if moving is None else moving + angle
    c0, s0 = cosine_sine(fixed)
    if moving is None:
        return c0, s0
    if 0.0 in (c0, s0):
        c, s = function(moving)
        return c0 * c - s0 * s, s0 * c + c0 * s
    return function(moving + fixed)


def axes_of(
    steps: Sequence[FrameStep], variant: Variant, q: Sequence[Scalar], function: CosineSine
) -> list[Axes]:
    result: list[Axes] = []
    for k, start in enumerate(group_starts(steps)):
        resting = variant.resting[k] and may_rest(steps, k) and (k == start or result[-1].resting)
        from_start = _angle(steps[start : k + 1], q, function)
        rested = k > start and result[-1].resting
        turn = from_start if rested or k == start else _angle(steps[k : k + 1], q, function)
        heading = from_start if resting else (1.0, 0.0)
        result.append(Axes(start, resting, turn, from_start, heading))
    return result


@dataclass(frozen=True)
class Transverse:
    """What parallel axes have in common: w and the z column across z, after the first one's twist."""

    w: Pair
    column: Pair


@dataclass(frozen=True)
class MotionInAxes:
    """Of one link, in its axes. U by rows; A lacks the unit, and A[2] the factor `height` too."""

    w: Vector
    al: Vector
    U: Matrix
    products: Vector  # wy wz, wx wz, wx wy
    spread: Scalar  # Uxx - Uzz
    A: Vector
    height: float


def motion_of(
    w: Vector, column: Vector, alz: Scalar, squared: str, doubled: bool, A: Vector, height: float
) -> MotionInAxes:
    """The rest of a link's motion from w, the z column of U and al_z."""
    x, y, z = w
    Uxz, Uyz, Uzz = column
    xy, xz, yz, zz = x * y, x * z, y * z, z * z
    aly, alx = Uxz - xz, yz - Uyz
    if doubled:
        z2 = z + z
        Uzx, Uzy = x * z2 - Uxz, y * z2 - Uyz
    else:
        Uzx, Uzy = xz - aly, yz + alx
    if squared == "x":
        xx = x * x
        spread = xx - zz
        Uxx, Uyy = Uzz + spread, -(xx + zz)
    else:
        yy = y * y
        Uxx, Uyy = -(yy + zz), Uzz + (yy - zz)
        spread = Uxx - Uzz
    U = ((Uxx, xy - alz, Uxz), (xy + alz, Uyy, Uyz), (Uzx, Uzy, Uzz))
    return MotionInAxes(w, (alx, aly, alz), U, (yz, xz, xy), spread, A, height)


def across_twist(
    parent: MotionInAxes, ca: float, sa: float
) -> tuple[Vector, tuple[Scalar, Scalar, Scalar | None], Scalar]:
    """w, the column of U along the next z, and al about it, in axes turned by the twist.

    Uzz of a general twist is left to the squares of w: None.
    """
    x, y, z = parent.w
    U = parent.U
    w = (x, ca * y + sa * z, ca * z - sa * y)
    alz = ca * parent.al[2] - sa * parent.al[1]
    if sa == 0.0:
        return w, (ca * U[0][2], U[1][2], U[2][2]), alz
    if ca == 0.0:
        return w, (-sa * U[0][1], -U[2][1], U[1][1]), alz
    return w, (ca * U[0][2] - sa * U[0][1], w[1] * w[2] - parent.al[0], None), alz


def _tidy(constant: Scalar) -> Scalar:
    """A number that is one but for rounding, made one: a product less."""
    if isinstance(constant, float) and abs(abs(constant) - 1.0) < ROUNDING:
        return math.copysign(1.0, constant)
    return constant


def _general(twist: tuple[float, float]) -> bool:
    """Twists that the short forms with tan(alpha) are made for."""
    return twist[1] != 0.0 and abs(twist[0]) > SMALLEST_COSINE


@dataclass
class Recursion:
    """Inverse dynamics of one robot in one state; `function` gives cosine and sine of an angle."""

    steps: Sequence[FrameStep]
    parameters: Sequence[Sequence[float]]
    variant: Variant
    state: tuple[Sequence[Scalar], Sequence[Scalar], Sequence[Scalar]]
    function: CosineSine

    def __post_init__(self) -> None:
        self.axes = axes_of(self.steps, self.variant, self.state[0], self.function)

    def slide(self, k: int) -> Scalar:
        step = self.steps[k]
        return step.sign * self.state[0][step.joint] + step.d if step.kind == "prismatic" else step.d

    def _rates(self, k: int) -> Pair:
        step = self.steps[k]
        if step.kind == "fixed":
            return 0.0, 0.0
        return step.sign * self.state[1][step.joint], step.sign * self.state[2][step.joint]

    def outward(self, ends: Ends) -> list[MotionInAxes]:
        """Motion of all links."""
        U: Any = acceleration_rows(ends.w, ends.al)
        unit = 1.0 / self.variant.acceleration
        A = (unit * ends.A[0], unit * ends.A[1], unit * ends.A[2])
        here = MotionInAxes(ends.w, ends.al, U, ZERO, 0.0, A, 1.0)
        motions: list[MotionInAxes] = []
        common: list[Transverse] = []
        for k in range(len(self.steps)):
            here, own = self._next(k, here, common)
            motions.append(here)
            common.append(own)
        return motions

    def _next(
        self, k: int, parent: MotionInAxes, common: list[Transverse]
    ) -> tuple[MotionInAxes, Transverse]:
        step, axes, variant = self.steps[k], self.axes[k], self.variant
        qd, qdd = self._rates(k)
        w, column, alz = across_twist(parent, *step.twist)
        own = here = Transverse((w[0], w[1]), (column[0], column[1]))
        turn = axes.turn
        if axes.start < k and variant.absolute_motion[k]:
            here, turn = common[axes.start], axes.from_start
        (wx, wy), (Uxz, Uyz) = here.w, here.column
        if not axes.resting:
            wx, wy = rotated(here.w, turn)
            Uxz, Uyz = rotated(here.column, turn)
            if _general(step.twist):  # c cos(alpha) and s cos(alpha) serve other vectors too
                (ca, sa), (c, s) = step.twist, turn
                ratio = parent.U[0][2] - (sa / ca) * parent.U[0][1]
                Uxz, Uyz = (ca * c) * ratio + s * column[1], c * column[1] - (ca * s) * ratio
        Uzz = -(wx * wx + wy * wy) if column[2] is None else column[2]
        A, height = self._acceleration(k, parent)
        slide = _tidy((1.0 / variant.acceleration) * self.slide(k))
        A = (A[0] + slide * Uxz, A[1] + slide * Uyz, A[2] + _tidy((1.0 / height) * slide) * Uzz)
        rate, push = w[2], alz
        if step.kind == "revolute":
            rate, push = rate + qd, push + qdd
        elif step.kind == "prismatic":  # 2 w x z qd + z qdd
            coriolis, lift = (2.0 / variant.acceleration) * qd, 1.0 / (variant.acceleration * height)
            A = (A[0] + coriolis * wy, A[1] - coriolis * wx, A[2] + lift * qdd)
        z_column = (Uxz, Uyz, Uzz)
        motion = motion_of(
            (wx, wy, rate), z_column, push, variant.squared[k], variant.doubled[k], A, height
        )
        return motion, own

    def _acceleration(self, k: int, parent: MotionInAxes) -> tuple[Vector, float]:
        """Of the foot of the common normal on the next axis, in the next axes; the z factor."""
        (ca, sa), axes, U, h = self.steps[k].twist, self.axes[k], parent.U, parent.height
        ex, ey = self.normal(k, _tidy(self.steps[k].a / self.variant.acceleration))
        x = parent.A[0] + ex * U[0][0] + ey * U[0][1]
        y = parent.A[1] + ex * U[1][0] + ey * U[1][1]
        z = parent.A[2] + _tidy((1.0 / h) * ex) * U[2][0] + _tidy((1.0 / h) * ey) * U[2][1]
        if sa == 0.0:
            x, y = (x, ca * y) if axes.resting else rotated((x, ca * y), axes.turn)
            return (x, y, ca * z), h
        if not _general((ca, sa)):
            x, y, z = x, ca * y + (sa * h) * z, (ca * h) * z - sa * y
            x, y = (x, y) if axes.resting else rotated((x, y), axes.turn)
            return (x, y, z), 1.0
        lifted, height = z - (sa / ca / h) * y, ca * h
        if axes.resting:
            return (x, ca * y + (sa * h) * z, lifted), height
        c, s = axes.turn
        across = y + (sa / ca * h) * z
        return (c * x + (ca * s) * across, (ca * c) * across - s * x, lifted), height

    def inward(self, motions: Sequence[MotionInAxes], ends: Ends) -> tuple[list[Scalar], Vector, Vector]:
        """Torques and forces of the joints, and force and moment that the base gives at frame 0."""
        variant, unit = self.variant, self.variant.force
        F: Vector = ((1.0 / unit) * ends.f[0], (1.0 / unit) * ends.f[1], (1.0 / unit) * ends.f[2])
        n = ends.n
        if self.axes[-1].resting:
            F = (*turned_back((F[0], F[1]), self.axes[-1].heading), F[2])
            n = (*turned_back((n[0], n[1]), self.axes[-1].heading), n[2])
        lever = 1.0  # the factor that F[2] lacks, besides the unit
        waiting: dict[int, Pair] = {}  # moments already in the axes before the turn of a start
        results: dict[int, Scalar] = {}
        for k in range(len(self.steps) - 1, -1, -1):
            step, axes = self.steps[k], self.axes[k]
            f, own = self._own_wrench(k, motions[k], lever)
            F = (F[0] + f[0], F[1] + f[1], F[2] + f[2])
            n = (n[0] + own[0], n[1] + own[1], n[2] + own[2])
            if step.kind != "fixed":
                felt = n[2] if step.kind == "revolute" else (unit * lever) * F[2]
                results[step.joint] = step.sign * felt
            n = self.at_foot(k, F, n)
            if axes.start < k and not axes.resting and variant.absolute_moment[k]:
                there = turned_back((n[0], n[1]), axes.from_start)
                before = waiting.get(axes.start, (0.0, 0.0))
                waiting[axes.start] = (before[0] + there[0], before[1] + there[1])
                n = (0.0, 0.0, n[2])
            F, n, lever = self.to_parent(k, F, n, lever, waiting.get(k, (0.0, 0.0)))
        return [results[k] for k in sorted(results)], (unit * F[0], unit * F[1], unit * lever * F[2]), n

    def at_foot(self, k: int, F: Vector, n: Vector) -> Vector:
        """A moment about the point where the common normal meets axis k."""
        slide = _tidy(self.variant.force * self.slide(k))
        return n[0] - slide * F[1], n[1] + slide * F[0], n[2]

    def to_parent(
        self, k: int, F: Vector, n: Vector, lever: float, waiting: Pair = (0.0, 0.0)
    ) -> tuple[Vector, Vector, float]:
        """A wrench at the foot on axis k, in the axes and about the origin of the link before."""
        n = self._moment_to_parent(k, n, waiting)
        F, lever = self._force_to_parent(k, F, lever)
        ex, ey = self.normal(k, _tidy(self.variant.force * self.steps[k].a))
        x = n[0] + _tidy(lever * ey) * F[2]
        y = n[1] - _tidy(lever * ex) * F[2]
        return F, (x, y, n[2] + ex * F[1] - ey * F[0]), lever

    def normal(self, k: int, length: Scalar) -> Pair:
        """A length along the common normal before axis k, in the axes of the link before."""
        along = self.axes[k - 1].heading if k else (1.0, 0.0)
        return length * along[0], length * along[1]

    def _own_wrench(self, k: int, motion: MotionInAxes, lever: float) -> tuple[Vector, Vector]:
        """Force (in its unit; f[2] lacks `lever` too) and moment that the motion of a link needs."""
        p = self.parameters[k]
        m, total = p[M], p[XX] + p[YY]
        (mx, my, mz), J = turned_moments((p[MX], p[MY], p[MZ]), p[XX:], self.axes[k].heading)
        U, (x, y, z), h = motion.U, motion.A, motion.height
        push, pull = self.variant.acceleration, 1.0 / self.variant.force
        mass, lx, ly, lz = (_tidy(value) for value in (m * push * pull, pull * mx, pull * my, pull * mz))
        up = 1.0 / lever
        fx = mass * x + lx * U[0][0] + ly * U[0][1] + lz * U[0][2]
        fy = mass * y + lx * U[1][0] + ly * U[1][1] + lz * U[1][2]
        fz = _tidy(mass * h * up) * z
        fz = fz + _tidy(up * lx) * U[2][0] + _tidy(up * ly) * U[2][1] + _tidy(up * lz) * U[2][2]
        xx, yy, zz, xy, xz, yz = J
        al, ww, euler = motion.al, motion.products, self.variant.euler[k]
        nx = _turning(yy, zz, None, (U[2][1], U[1][2]), (al[0], ww[0]), euler[0])
        ny = _turning(zz, xx, None, (U[0][2], U[2][0]), (al[1], ww[1]), euler[1])
        nz = _turning(xx, yy, total, (U[1][0], U[0][1]), (al[2], ww[2]), euler[2])
        nx = nx + yz * (U[2][2] - U[1][1]) + xy * U[2][0] - xz * U[1][0]
        ny = ny + xz * motion.spread + yz * U[0][1] - xy * U[2][1]
        nz = nz + xy * (U[1][1] - U[0][0]) + xz * U[1][2] - yz * U[0][2]
        lx, ly, lz = (_tidy(push * value) for value in (mx, my, mz))
        nx = nx + _tidy(h * ly) * z - lz * y
        ny = ny + lz * x - _tidy(h * lx) * z
        nz = nz + lx * y - ly * x
        return (fx, fy, fz), (nx, ny, nz)

    def _moment_to_parent(self, k: int, n: Vector, waiting: Pair) -> Vector:
        """Back through the turn and the twist; `waiting` joins between the two."""
        (ca, sa), axes = self.steps[k].twist, self.axes[k]
        if axes.resting:
            x, y = n[0] + waiting[0], n[1] + waiting[1]
        elif _general((ca, sa)):
            c, s = axes.turn
            x = c * n[0] - s * n[1] + waiting[0]
            y = (ca * s) * n[0] + (ca * c) * n[1] + ca * waiting[1]
            return x, y - sa * n[2], (sa / ca) * y + ca * n[2]
        else:
            x, y = turned_back((n[0], n[1]), axes.turn)
            x, y = x + waiting[0], y + waiting[1]
        return x, ca * y - sa * n[2], sa * y + ca * n[2]

    def _force_to_parent(self, k: int, F: Vector, lever: float) -> tuple[Vector, float]:
        """The same for a force, whose z component may keep a constant factor for later."""
        (ca, sa), axes = self.steps[k].twist, self.axes[k]
        if _general((ca, sa)) and not axes.resting:
            c, s = axes.turn
            y = (ca * s) * F[0] + (ca * c) * F[1]
            ahead = (c * F[0] - s * F[1], y - (sa * lever) * F[2], y + (ca * ca / sa * lever) * F[2])
            return ahead, sa / ca
        x, y = (F[0], F[1]) if axes.resting else turned_back((F[0], F[1]), axes.turn)
        if sa == 0.0:
            return (x, ca * y, ca * F[2]), lever
        if _general((ca, sa)):
            return (x, ca * y - (sa * lever) * F[2], y + (ca / sa * lever) * F[2]), sa
        return (x, ca * y - (sa * lever) * F[2], sa * y + (ca * lever) * F[2]), 1.0


def _turning(
    first: Scalar, second: Scalar, total: float | None, operator: Pair, spin: Pair, euler: bool
) -> Scalar:
    """U_zy J_yy - U_yz J_zz and its like, or the same as (J_yy + J_zz) al_x + (J_yy - J_zz) w_y w_z."""
    if isinstance(first, float) and isinstance(second, float) and first == second:
        return (2.0 * first) * spin[0]
    if euler:
        both = first + second if total is None else total
        return both * spin[0] + (first - second) * spin[1]
    return first * operator[0] - second * operator[1]


def torques(
    steps: Sequence[FrameStep],
    parameters: Sequence[Sequence[float]],
    variant: Variant,
    state: tuple[Sequence[Scalar], Sequence[Scalar], Sequence[Scalar]],
    ends: Ends,
    function: CosineSine,
) -> list[Scalar]:
    """Torque or force of every joint of the robot; `function` gives cosine and sine of an angle."""
    recursion = Recursion(steps, parameters, variant, state, function)
    return recursion.inward(recursion.outward(ends), ends)[0]
