"""The order in which a mechanism is solved, found greedily: what is known first, closed forms next.

A pattern looks for bodies that can be placed now, and gives their block.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from linkwork.mechanics.mechanism.closures import Closure, Gap, Length, Level, closures_of
from linkwork.mechanics.mechanism.planning.analysis import Analysis
from linkwork.mechanics.mechanism.planning.newton_blocks import newton, newton_block
from linkwork.mechanics.mechanism.planning.placement_plan import PlacementBlock, PlacementPlan, Placing
from linkwork.mechanics.mechanism.planning.plan_state import PARALLEL, Progress, with_points_held
from linkwork.model.geometry import Array
from linkwork.model.mechanism import BASE, Cylinder, MechanismJoint, MechanismModel, Rod


def welded(progress: Progress) -> PlacementBlock | None:
    """A body fixed to a placed one."""
    for joint, host, body, sense in progress.open(("fixed",)):
        if body not in progress.posed:
            return PlacementBlock("known", (progress.placing(joint, host, body, sense, ()),))
    return None


def coordinate(progress: Progress) -> PlacementBlock | None:
    """A joint that is a coordinate."""
    for joint, host, body, sense in progress.open(("revolute", "prismatic")):
        if joint.name in progress.coordinates and body not in progress.posed:
            terms = ((joint.name, 1.0),)
            return PlacementBlock("known", (progress.placing(joint, host, body, sense, (terms,)),))
    return None


def pose(progress: Progress) -> PlacementBlock | None:
    """A body whose pose is known, or follows linearly."""
    for body, host in progress.posed.items():
        if body in progress.placed or host not in progress.placed:
            continue
        terms = progress.pose_terms(body)
        if None not in terms:
            return PlacementBlock("known", (progress.posed_placing(body, host, terms),))
    return None


def related(progress: Progress) -> PlacementBlock | None:
    """A joint that follows known coordinates linearly."""
    for joint, host, body, sense in progress.open(("revolute", "prismatic")):
        if body in progress.posed:
            continue
        terms = progress.terms_of(joint.name)
        if terms is not None:
            return PlacementBlock("known", (progress.placing(joint, host, body, sense, (terms,)),))
    return None


def rod(progress: Progress) -> PlacementBlock | None:
    """A joint whose body a rod, or a cylinder of given length, ties to something placed."""
    struts: list[Rod | Cylinder] = [
        *progress.model.rods,
        *(c for c in progress.model.cylinders if c.name in progress.coordinates),
    ]
    for joint, host, body, sense in progress.open(("revolute", "prismatic")):
        if body in progress.posed:
            continue
        for strut in struts:
            if body in strut.joins and (set(strut.joins) - {body}) <= progress.placed.keys():
                placing = progress.placing(joint, host, body, sense, (None,))
                closure = Length(strut)
                if progress.square((placing,), (closure,)):
                    if not progress.sees(placing, strut.joins):
                        return newton_block(progress, (placing,), (closure,))
                    return PlacementBlock(
                        "rod", (placing,), (closure,), _rod_sign(progress, placing, strut)
                    )
    return None


def _rod_sign(progress: Progress, placing: Placing, strut: Rod | Cylinder) -> float:
    arm, target = strut.start, strut.end
    if strut.joins[0] != placing.body:
        arm, target = target, arm
    if placing.kind == "slide":
        return float(placing.sense * np.sign((target - arm) @ placing.axis))
    z = progress.groups[placing.group].C[:, 2]
    return float(np.sign(z @ np.cross(target - placing.at, arm - placing.at)))


def dyad(progress: Progress) -> PlacementBlock | None:
    """Two bodies on three parallel pins between placed ones, hung from the host nearest the base."""
    found: list[tuple[int, int, tuple[Placing, Placing, tuple[Closure, ...], float]]] = []
    for joint, host, body, sense in progress.open(("revolute",)):
        for middle, other in progress.neighbors(body, ("revolute",)):
            if other in progress.placed or body in progress.posed or other in progress.posed:
                continue
            for end, target in progress.neighbors(other, ("revolute", "spherical", "universal")):
                if target in progress.placed and end is not middle:
                    case = _dyad_case(progress, joint, host, body, sense, middle, other, end, target)
                    if case is not None:
                        found.append((progress.depth(host), len(found), case))
    if not found:
        return None
    first, second, closures, sign = min(found, key=lambda each: each[:2])[2]
    return PlacementBlock("dyad", (first, second), closures, sign)


def _dyad_case(
    progress: Progress,
    joint: MechanismJoint,
    host: str,
    body: str,
    sense: float,
    middle: MechanismJoint,
    other: str,
    end: MechanismJoint,
    target: str,
) -> tuple[Placing, Placing, tuple[Closure, ...], float] | None:
    axis = joint.axes[0]
    pins = [each for each in (middle, end) if each.kind == "revolute"]
    if any(np.linalg.norm(np.cross(axis, each.axes[0])) > PARALLEL for each in pins):
        return None
    if not _in_plane(progress, host, axis, target, end.at):
        return None
    groups = list(progress.groups)
    first = progress.placing(joint, host, body, sense, (None,))
    if not progress.sees(first, (body, target)):
        progress.groups = groups
        return None
    progress.placed[body] = first
    second = progress.placing(middle, body, other, 1.0 if middle.joins[0] == body else -1.0, (None,))
    del progress.placed[body]
    C = progress.groups[first.group].C
    closures = tuple(Gap(end, k) for k in (0, 1))
    u, v = C.T @ (middle.at - joint.at), C.T @ (end.at - middle.at)
    cross = u[0] * v[1] - u[1] * v[0]
    if abs(cross) < 1e-6 * max(float(np.linalg.norm(u[:2]) * np.linalg.norm(v[:2])), 1e-12):
        progress.groups = groups
        return None
    return first, second, closures, float(-np.sign(cross))


def spherical(progress: Progress) -> PlacementBlock | None:
    """Two bodies on three pins through one point, between placed ones."""
    for joint, host, body, sense in progress.open(("revolute",)):
        for middle, other in progress.neighbors(body, ("revolute",)):
            if other in progress.placed or body in progress.posed or other in progress.posed:
                continue
            for end, target in progress.neighbors(other, ("revolute",)):
                if target not in progress.placed or end is middle:
                    continue
                if not _concurrent(progress, host, target, (joint, middle, end)):
                    continue
                first = progress.placing(joint, host, body, sense, (None,))
                if not progress.sees(first, (body, target)):
                    continue
                progress.placed[body] = first
                way = 1.0 if middle.joins[0] == body else -1.0
                second = progress.placing(middle, body, other, way, (None,))
                del progress.placed[body]
                rows = [c for c in closures_of(progress.model, set()) if c.key[0] == end.name]
                levels = tuple(c for c in rows if isinstance(c, Level))
                z = progress.groups[first.group].C[:, 2]
                sign = float(np.sign(z @ np.cross(end.axes[0], middle.axes[0])))
                if sign and progress.square((first, second), levels):
                    return PlacementBlock("spherical", (first, second), levels, sign)
    return None


def _concurrent(progress: Progress, host: str, target: str, joints: tuple[MechanismJoint, ...]) -> bool:
    """Whether the axes of joints meet in one point, which is fixed in two bodies."""
    normals = [np.eye(3) - np.outer(joint.axes[0], joint.axes[0]) for joint in joints]
    right = np.concatenate([n @ joint.at for n, joint in zip(normals, joints, strict=True)])
    point, _, rank, _ = np.linalg.lstsq(np.vstack(normals), right, rcond=1e-9)
    if rank < 3 or np.abs(np.vstack(normals) @ point - right).max() > PARALLEL * progress.model.size:
        return False
    for samples in (progress.analysis.samples, progress.analysis.confirming):
        apart = _points(samples.places, host, point) - _points(samples.places, target, point)
        if np.abs(apart).max() > PARALLEL * progress.model.size:
            return False
    return True


def _in_plane(progress: Progress, host: str, axis: Array, body: str, point: Array) -> bool:
    """Whether a point of a body keeps its height along an axis of another body."""
    for samples in (progress.analysis.samples, progress.analysis.confirming):
        there = _points(samples.places, body, point)
        seen = _points(samples.places, host, point)
        axes = _directions(samples.places, host, axis)
        heights = np.einsum("ni,ni->n", np.broadcast_to(axes, there.shape), there - seen)
        if np.abs(heights).max() > 1e-9 * progress.model.size:
            return False
    return True


def _points(places: dict[str, Array], body: str, point: Array) -> Array:
    if body == BASE:
        return np.broadcast_to(point, (len(next(iter(places.values()))), 3))
    return places[body][:, :, :3] @ point + places[body][:, :, 3]


def _directions(places: dict[str, Array], body: str, axis: Array) -> Array:
    return np.broadcast_to(axis, (1, 3)) if body == BASE else places[body][:, :, :3] @ axis


PATTERNS = (welded, coordinate, pose, related, rod, dyad, spherical, newton)


@lru_cache(maxsize=64)
def placement_plan(model: MechanismModel) -> PlacementPlan:
    """The order in which a mechanism is solved, found once for its object.

    MobilityError where its coordinates are not right.
    """
    model = with_points_held(model)
    progress = Progress(model, Analysis.of(model))
    bodies = {part.name for part in model.parts}
    while bodies - progress.placed.keys():
        progress.add(next(block for block in (find(progress) for find in PATTERNS) if block is not None))
    closed = {closure.key for block in progress.blocks for closure in block.closures}
    left = tuple(c for c in closures_of(model, progress.used) if c.key not in closed)
    watched = left if progress.doubtful else ()
    return PlacementPlan(model, tuple(progress.groups), tuple(progress.blocks), left, watched)
