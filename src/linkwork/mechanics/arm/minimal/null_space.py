"""Changes of the inertial parameters that no torque can notice, in closed form.

A line of mass on a revolute axis belongs to either link that shares the axis; the second moments of a
prismatic link belong to the link before it; near a base that stands still more goes unnoticed. Numbers
are floats, or of extended precision.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from linkwork.mechanics.arm.minimal.common_normals import EXACT, Step
from linkwork.mechanics.arm.minimal.moments import PLACES, XX, ZZ, packed
from linkwork.robots.geometry import Array
from linkwork.rotations import cosine_sine

Number = float  # or an mpf of mpmath, which has no types and behaves like one
Change = dict[int, list[Number]]  # link -> its ten parameters


def _line(step: Step, number: Callable[[float], Number]) -> list[tuple[list[Number], list[Number]]]:
    """Mass, first and second moment on a joint's axis: in its own frame and in the frame before."""
    ca, sa, a, d = (number(x) for x in (*step.twist, step.a, step.d))
    zero, one = number(0.0), number(1.0)
    e, p = (zero, -sa, ca), (a, -sa * d, ca * d)

    def product(u: Sequence[Number], v: Sequence[Number]) -> list[list[Number]]:
        return [[(u[i] * v[j] + u[j] * v[i]) / 2 for j in range(3)] for i in range(3)]

    twice = [[2 * x for x in row] for row in product(p, e)]
    own = [[zero] * 10 for _ in range(3)]
    own[0][0] = own[1][3] = own[2][ZZ] = one
    none = (zero, zero, zero)
    before = [packed(one, p, product(p, p)), packed(zero, e, twice), packed(zero, none, product(e, e))]
    return list(zip(own, before, strict=True))


def _transform(step: Step, number: Callable[[float], Number]) -> tuple[list[list[Number]], list[Number]]:
    """Rotation and origin of frame i in frame i-1, of a step that does not turn."""
    ca, sa, a, d = (number(x) for x in (*step.twist, step.a, step.d))
    c, s = (number(x) for x in cosine_sine(step.theta))
    R = [[c, -s, number(0.0)], [ca * s, ca * c, -sa], [sa * s, sa * c, ca]]
    return R, [a, -sa * d, ca * d]


def _rigidly(step: Step, number: Callable[[float], Number]) -> list[tuple[list[Number], list[Number]]]:
    """What a prismatic (second moments) or fixed axis (everything) shares with the frame before."""
    R, p = _transform(step, number)
    pairs = []
    for k in range(10):
        if step.kind == "prismatic" and k < XX:
            continue
        own = [number(0.0)] * 10
        own[k] = number(1.0)
        first = [sum(R[i][j] * own[1 + j] for j in range(3)) for i in range(3)]
        J = [[number(0.0)] * 3 for _ in range(3)]
        for (i, j), value in zip(PLACES, own[XX:], strict=True):
            J[i][j] = J[j][i] = value
        turned = [
            [sum(R[i][u] * J[u][v] * R[j][v] for u in range(3) for v in range(3)) for j in range(3)]
            for i in range(3)
        ]
        moved = [
            [turned[i][j] + p[i] * first[j] + first[i] * p[j] + own[0] * p[i] * p[j] for j in range(3)]
            for i in range(3)
        ]
        pairs.append((own, packed(own[0], [first[i] + own[0] * p[i] for i in range(3)], moved)))
    return pairs


def shared_changes(steps: Sequence[Step], number: Callable[[float], Number]) -> list[Change]:
    """Mass that belongs to either side of a joint: given to one link and taken from the other."""
    changes: list[Change] = []
    for k, step in enumerate(steps):
        pairs = _line(step, number) if step.kind == "revolute" else _rigidly(step, number)
        for own, before in pairs:
            changes.append({k: own, k - 1: [-x for x in before]} if k else {k: own})
    return changes


def base_changes(
    steps: Sequence[Step], gravity: Sequence[float] | None, number: Callable[[float], Number]
) -> list[Change]:
    """What the first links of an arm on a standing base never show.

    Args:
        gravity: in frame 0; None if it may have any direction.
    """
    changes: list[Change] = []
    axis: Array | None = None  # the only direction that links have turned about so far
    unit = [[number(float(i == j)) for i in range(10)] for j in range(10)]
    for k, step in enumerate(steps):
        R = np.array(_transform(step, float)[0]) if step.kind != "revolute" else _resting(step)
        axis = None if axis is None else R.T @ axis
        if step.kind == "revolute":
            if axis is not None and np.hypot(axis[0], axis[1]) > EXACT:
                break
            axis = np.array([0.0, 0.0, 1.0])
        if axis is None:
            changes += [{k: unit[j]} for j in range(1, 10)]
        else:
            changes += [{k: change} for change in _unseen_about(axis, number)]
    along = gravity is not None and gravity[0] == gravity[1] == 0.0
    if along and steps[0].kind == "revolute":  # the first axis stands still and gravity is along it
        changes += [{0: unit[1]}, {0: unit[2]}]
    return changes


def _resting(step: Step) -> Array:
    """Rotation of a revolute step but for its turn, which leaves what lies on the axis alone."""
    ca, sa = step.twist
    return np.array([[1.0, 0.0, 0.0], [0.0, ca, -sa], [0.0, sa, ca]])


def _unseen_about(e: Array, number: Callable[[float], Number]) -> list[list[Number]]:
    """Parameters without effect on a body that turns about one direction only."""
    k = int(np.argmin(np.abs(e)))
    u = np.eye(3)[k] - e * e[k]
    u /= np.linalg.norm(u)
    v = np.cross(e, u)
    J = [np.outer(e, e), np.outer(e, u) + np.outer(u, e), np.outer(e, v) + np.outer(v, e)]
    J += [np.outer(u, v) + np.outer(v, u), np.outer(u, u) - np.outer(v, v)]
    changes = [packed(0.0, e, np.zeros((3, 3)))]
    changes += [packed(0.0, np.zeros(3), matrix) for matrix in J]
    return [[number(float(x)) for x in change] for change in changes]
