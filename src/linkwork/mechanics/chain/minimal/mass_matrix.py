"""Mass matrix by composite bodies of reduced parameters, in the frames of the minimal recursion.

When only joint j accelerates, the links from j outward move as one body, known by its moments of mass
(moments.py). Reduced parameters leave many of them zero, and resting axes spare the turns between
parallel joints. Masses may be negative here: only what a joint feels has a meaning.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from linkwork.mechanics.chain.minimal.moments import MX, MY, MZ, XX, M, turned_moments
from linkwork.mechanics.chain.minimal.operation_plan import Reduced
from linkwork.mechanics.chain.minimal.recursion import Recursion, Variant
from linkwork.mechanics.chain.minimal.scalars import CosineSine, Pair, Scalar, Vector


@dataclass(frozen=True)
class CompositeMoments:
    """Mass, first moment and J (xx yy zz xy xz yz) about the origin."""

    m: Scalar
    first: Vector
    J: Sequence[Scalar]

    def __add__(self, other: CompositeMoments) -> CompositeMoments:
        x, y, z = (a + b for a, b in zip(self.first, other.first, strict=True))
        return CompositeMoments(
            self.m + other.m, (x, y, z), [a + b for a, b in zip(self.J, other.J, strict=True)]
        )

    def turned(self, turn: Pair) -> CompositeMoments:
        """In the axes before a turn about z."""
        return CompositeMoments(self.m, *turned_moments(self.first, self.J, turn))

    def twisted(self, ca: float, sa: float) -> CompositeMoments:
        """In the axes before a twist about x."""
        if sa == 0.0:
            return self
        x, y, z = self.first
        xx, yy, zz, xy, xz, yz = self.J
        # The turn about z with y z x for x y z.
        (y, z, x), (yy, zz, xx, yz, xy, xz) = turned_moments(
            (y, z, x), (yy, zz, xx, yz, xy, xz), (ca, sa)
        )
        return CompositeMoments(self.m, (x, y, z), (xx, yy, zz, xy, xz, yz))

    def along_z(self, d: Scalar) -> CompositeMoments:
        """About an origin that lies d before this one along z."""
        x, y, z = self.first
        xx, yy, zz, xy, xz, yz = self.J
        rise = d * self.m
        zz = zz + d * (2.0 * z + rise)
        return CompositeMoments(self.m, (x, y, z + rise), (xx, yy, zz, xy, xz + d * x, yz + d * y))

    def across(self, ex: Scalar, ey: Scalar) -> CompositeMoments:
        """About an origin that lies (ex, ey, 0) before this one."""
        x, y, z = self.first
        xx, yy, zz, xy, xz, yz = self.J
        dx, dy = ex * self.m, ey * self.m
        xx, yy = xx + ex * (2.0 * x + dx), yy + ey * (2.0 * y + dy)
        xy = xy + ex * (y + dy) + ey * x
        return CompositeMoments(self.m, (x + dx, y + dy, z), (xx, yy, zz, xy, xz + ex * z, yz + ey * z))


def composite_bodies(recursion: Recursion) -> list[CompositeMoments]:
    """For frame 0 and every link, itself and all beyond as one body, in its axes about its origin."""
    result: list[CompositeMoments] = []
    beyond: CompositeMoments | None = None
    for k in range(len(recursion.steps) - 1, -1, -1):
        p, axes = recursion.parameters[k], recursion.axes[k]
        body = CompositeMoments(p[M], (p[MX], p[MY], p[MZ]), p[XX:]).turned(axes.heading)
        if beyond is not None:
            body = body + beyond
        result.append(body)
        step = recursion.steps[k]
        body = body.along_z(recursion.slide(k))
        if not axes.resting:
            body = body.turned(axes.turn)
        beyond = body.twisted(*step.twist).across(*recursion.normal(k, step.a))
    assert beyond is not None
    return [beyond, *result[::-1]]


@dataclass(frozen=True)
class CompositeInertia:
    """M by rows; the whole arm as one body about frame 0; the wrench there of each joint's unit
    acceleration."""

    M: list[list[Scalar]]
    whole: CompositeMoments
    wrenches: list[tuple[Vector, Vector]]


def composite_inertia(
    robot: Reduced, q: Sequence[Scalar], function: CosineSine, variant: Variant | None = None
) -> CompositeInertia:
    """The wrench of a unit acceleration of each joint, carried down to the base."""
    variant = replace(variant or robot.variant, acceleration=1.0, force=1.0)
    steps = robot.steps
    recursion = Recursion(steps, robot.parameters, variant, (q, (), ()), function)
    n = 1 + max(step.joint for step in steps)
    M: list[list[Scalar]] = [[0.0] * n for _ in range(n)]
    whole, *bodies = composite_bodies(recursion)
    wrenches: list[tuple[Vector, Vector]] = [((0.0,) * 3, (0.0,) * 3)] * n
    for j, body in enumerate(bodies):
        if steps[j].kind == "fixed":
            continue
        x, y, _ = body.first
        xx, yy, _, _, xz, yz = body.J
        F: Vector = (-y, x, 0.0) if steps[j].kind == "revolute" else (0.0, 0.0, body.m)
        moment: Vector = (-xz, -yz, xx + yy) if steps[j].kind == "revolute" else (y, -x, 0.0)
        lever = 1.0
        for i in range(j, -1, -1):
            if i < j:
                F, moment, lever = _down(recursion, i + 1, F, moment, lever)
            if steps[i].kind != "fixed":
                felt = moment[2] if steps[i].kind == "revolute" else lever * F[2]
                value = steps[i].sign * steps[j].sign * felt
                M[steps[i].joint][steps[j].joint] = M[steps[j].joint][steps[i].joint] = value
        F, moment, lever = _down(recursion, 0, F, moment, lever)
        sign = steps[j].sign
        wrenches[steps[j].joint] = (
            (sign * F[0], sign * F[1], sign * lever * F[2]),
            (sign * moment[0], sign * moment[1], sign * moment[2]),
        )
    return CompositeInertia(M, whole, wrenches)


def _down(
    recursion: Recursion, k: int, F: Vector, moment: Vector, lever: float
) -> tuple[Vector, Vector, float]:
    """A wrench on link k as the link before feels it."""
    return recursion.to_parent(k, F, recursion.at_foot(k, F, moment), lever)


def mass_matrix(
    robot: Reduced, q: Sequence[Scalar], function: CosineSine, variant: Variant | None = None
) -> list[list[Scalar]]:
    """M by rows."""
    return composite_inertia(robot, q, function, variant).M
