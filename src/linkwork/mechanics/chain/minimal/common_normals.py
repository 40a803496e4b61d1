"""Any arm in frames on its joint axes, x along the common normals: modified Denavit-Hartenberg.

Frame i belongs to link i and has z along joint i. It follows frame i-1 by
Rx(alpha) Tx(a) Rz(theta) Tz(d), so that vectors cross a joint with few products. Where a common normal
is not unique there is a choice: parallel axes leave the height of a frame free, and the line of a
prismatic joint may stand anywhere. The frames are placed in the base's axes, with every joint at rest
(q + offset = 0).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from linkwork.core.rotations import rotation_about
from linkwork.mechanics.chain.minimal.moments import MX, MY, XX, XY, XZ, YY, YZ, moments
from linkwork.model.families.arm import ArmModel
from linkwork.model.geometry import Array, Body, Transform

# Directions closer than this are meant to be parallel or perpendicular; rounding leaves less.
EXACT = 2e-14
SHORTEST = 1e-13  # of the arm's size; shorter lengths are rounding of none
# Axes between EXACT and this angle have a common normal far away: a fixed axis is put between them.
NEARLY_PARALLEL = 0.1
# Moments of the last link that a turn of its frame can make vanish: y of a vector (x, y) that turns by
# the angle, or by twice the angle.
VANISHING = {
    "my": ({MX: 1.0}, {MY: 1.0}, 1.0),
    "Jxy": ({XX: 1.0, YY: -1.0}, {XY: 2.0}, 0.5),
    "Jyz": ({XZ: 1.0}, {YZ: 1.0}, 1.0),
}
NO_BODY = Body.of(0.0, np.zeros(3), np.zeros((3, 3)))


@dataclass(frozen=True)
class FrameStep:
    """From frame i-1 to frame i. The joint turns about z by sign q + theta or slides by sign q + d."""

    kind: str  # revolute, prismatic or fixed
    joint: int  # of the robot; of a fixed axis, the joint before it
    sign: float
    twist: tuple[float, float]  # cosine and sine of alpha
    a: float
    theta: float
    d: float
    body: Body  # of link i, in frame i

    @property
    def parallel(self) -> bool:
        return self.twist == (1.0, 0.0)


@dataclass(frozen=True)
class Skeleton:
    """The steps, frame 0 in the base and the robot's last link frame in frame n."""

    steps: tuple[FrameStep, ...]
    base: Transform
    tip: Transform


@dataclass(frozen=True)
class _Axis:
    """A joint axis and the link frame behind it, at rest, in base axes."""

    kind: str
    joint: int
    point: Array
    z: Array
    sign: float
    link: Transform | None  # None: a fixed axis carries nothing


def _axes(model: ArmModel) -> list[_Axis]:
    """All axes, parallel neighbors pointing the same way, nearly parallel ones kept apart."""
    axes: list[_Axis] = []
    here = Transform()
    for k, joint in enumerate(model.joints):
        here = here @ joint.before
        z, sign = here.R @ joint.axis, 1.0
        z = z / np.linalg.norm(z)
        if axes:
            between = float(np.linalg.norm(np.cross(axes[-1].z, z)))
            if between < NEARLY_PARALLEL and axes[-1].z @ z < 0:
                z, sign = -z, -1.0
            if EXACT < between < NEARLY_PARALLEL:
                across = _perpendicular(axes[-1].z)
                axes.append(_Axis("fixed", k - 1, here.p, across, 1.0, None))
        point = here.p
        here = here @ joint.after
        axes.append(_Axis(joint.kind, k, point, z, sign, here))
    return axes


def _across(v: Array, z: Array) -> Array:
    """The direction of v without its part along z; a short v may have been rounded out of place."""
    x = v - z * (v @ z)
    return x / np.linalg.norm(x)


def _perpendicular(z: Array) -> Array:
    return _across(np.eye(3)[int(np.argmin(np.abs(z)))], z)


def _feet(one: _Axis, other: _Axis) -> tuple[Array, Array, Array]:
    """Ends of the common normal of two axes that are not parallel, and its direction."""
    normal = np.cross(one.z, other.z)
    squared = normal @ normal
    way = other.point - one.point
    foot = one.point + one.z * (np.cross(way, other.z) @ normal / squared)
    other_foot = other.point + other.z * (np.cross(way, one.z) @ normal / squared)
    return foot, other_foot, normal / math.sqrt(squared)


def _parallel(one: _Axis, other: _Axis) -> bool:
    return bool(np.linalg.norm(np.cross(one.z, other.z)) <= EXACT)


def _moved_onto_next(axes: list[_Axis], k: int) -> _Axis:
    """A prismatic axis shifted so that it meets the frame after it."""
    axis, following = axes[k], axes[k + 1]
    point = following.point
    if k + 2 < len(axes) and not _parallel(following, axes[k + 2]):
        point = _feet(following, axes[k + 2])[0]
    return replace(axis, point=point)


@dataclass(frozen=True)
class _Placed:
    """A frame on its axis, and how it was reached from the one before."""

    origin: Array
    x: Array
    z: Array
    theta: float
    d: float

    @property
    def transform(self) -> Transform:
        return Transform.of(np.column_stack([self.x, np.cross(self.z, self.x), self.z]), self.origin)


def skeleton(
    model: ArmModel,
    carriers: tuple[int, ...] = (),
    through_next: tuple[int, ...] = (),
    vanishing: str = "",
) -> Skeleton:
    """Frames of a robot.

    Args:
        carriers: axes that carry the whole offset along their group of parallel axes; in a group
            without one, the last axis does.
        through_next: prismatic axes whose line passes through the frame after them; the others pass
            through the frame before.
        vanishing: "my", "Jxy" or "Jyz": the last frame is turned about its axis until this moment of
            the last link is zero.
    """
    axes = _axes(model)
    for k in range(len(axes) - 1):
        if axes[k].kind == "prismatic" and (k in through_next or k == 0):
            axes[k] = _moved_onto_next(axes, k)
    standing = {k for k in range(len(axes)) if axes[k].kind == "revolute" or k in through_next} | {0}
    plain = _skeleton(axes, standing, {}, model)
    heights = {}
    for first, last in parallel_groups(plain.steps):
        for k in carriers:
            if first <= k < last:
                heights[k] = plain.steps[last].d - _offset(model, axes[last])
    result = _skeleton(axes, standing, heights, model) if heights else plain
    return _last_turned(result, vanishing) if vanishing else result


def _last_turned(result: Skeleton, vanishing: str) -> Skeleton:
    """The last frame's x is free, since no axis follows."""
    last = result.steps[-1]
    p = moments(last.body)
    along, across, half = VANISHING[vanishing]
    x, y = (sum(factor * p[place] for place, factor in part.items()) for part in (along, across))
    if y == 0.0 or last.kind != "revolute":
        return result
    angle = half * math.atan2(y, x)
    turn = Transform.of(rotation_about(2, angle))
    step = replace(last, theta=last.theta + angle, body=last.body.seen_from(turn))
    return replace(result, steps=(*result.steps[:-1], step), tip=turn.inverse() @ result.tip)


def parallel_groups(steps: tuple[FrameStep, ...]) -> list[tuple[int, int]]:
    """First and last index of every run of two or more parallel axes."""
    groups, first = [], 0
    for k in range(1, len(steps) + 1):
        if k == len(steps) or not steps[k].parallel:
            if k - 1 > first:
                groups.append((first, k - 1))
            first = k
    return groups


def _offset(model: ArmModel, axis: _Axis, kind: str = "prismatic") -> float:
    """What a joint of this kind adds to its coordinate."""
    return axis.sign * model.joints[axis.joint].offset if axis.kind == kind else 0.0


def _skeleton(
    axes: list[_Axis], standing: set[int], heights: dict[int, float], model: ArmModel
) -> Skeleton:
    """Place one frame after the other: the frame on an axis is known when the next axis is."""
    scale = max(float(np.abs(axis.point - axes[0].point).max()) for axis in axes) or 1.0
    arrival, heading = axes[0].point, _perpendicular(axes[0].z)
    placed: list[_Placed] = []
    twists, lengths = [(1.0, 0.0)], [0.0]
    for k, axis in enumerate(axes):
        if k not in standing:
            axis = replace(axis, point=arrival)
        foot, x = arrival + heights.get(k, 0.0) * axis.z, heading
        onward, twist, a = foot, (1.0, 0.0), 0.0
        if k + 1 < len(axes):
            following = axes[k + 1]
            free = k + 1 not in standing
            if _parallel(axis, following):
                way = following.point - foot
                way = way - axis.z * (axis.z @ way)
                a = 0.0 if free else _length(float(np.linalg.norm(way)), scale)
                x = _across(way / a, axis.z) if a else heading
                onward = foot + way if a else foot
            else:
                twist = _twist(axis.z, following.z)
                meeting = replace(following, point=foot) if free else following
                foot, onward, x = _feet(axis, meeting)
                a = _length(float((onward - foot) @ x), scale)
            twists.append(twist)
            lengths.append(a)
        if k == 0:  # what the first axis would add belongs to the base
            arrival, heading = foot, x
        theta = _angle(float(heading @ x), float(np.cross(heading, x) @ axis.z))
        placed.append(_Placed(foot, x, axis.z, theta, _length(float((foot - arrival) @ axis.z), scale)))
        arrival, heading = onward, x

    steps = []
    for frame, axis, twist, a in zip(placed, axes, twists, lengths, strict=True):
        body = NO_BODY
        if axis.link is not None:
            body = model.joints[axis.joint].body.seen_from(axis.link.inverse() @ frame.transform)
        theta = frame.theta + _offset(model, axis, "revolute")
        d = frame.d + _offset(model, axis, "prismatic")
        steps.append(FrameStep(axis.kind, axis.joint, axis.sign, twist, a, theta, d, body))
    last = axes[-1].link
    assert last is not None
    return Skeleton(tuple(steps), placed[0].transform, placed[-1].transform.inverse() @ last)


def _length(value: float, scale: float) -> float:
    return 0.0 if abs(value) < SHORTEST * scale else value


def _snapped(cosine: float, sine: float) -> tuple[float, float]:
    if abs(sine) < EXACT:
        return math.copysign(1.0, cosine), 0.0
    if abs(cosine) < EXACT:
        return 0.0, math.copysign(1.0, sine)
    return cosine, sine


def _twist(z: Array, next_z: Array) -> tuple[float, float]:
    """About the common normal, so the sine is positive."""
    return _snapped(float(z @ next_z), float(np.linalg.norm(np.cross(z, next_z))))


def _angle(x: float, y: float) -> float:
    """atan2(y, x), exact at multiples of a right angle."""
    length = math.hypot(x, y)
    cosine, sine = _snapped(x / length, y / length)
    return math.atan2(sine, cosine)
