"""Links of a leg that need no body of their own: rods of constant length and cylinders."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from linkwork.robots.family_legs import ROUNDING, Step, is_nothing, steps_of
from linkwork.robots.geometry import Array, Body, Transform, frozen
from linkwork.robots.mechanism import BASE, Cylinder, Joins, Rod
from linkwork.robots.parallel import ParallelLeg

PINS = ("universal", "revolute")
ENDS = ("universal", "spherical")


def rod_of(steps: list[Step], joins: Joins) -> Rod | None:
    """The rod that two joints make, if it is symmetric about the line between them.

    Its spin counts if it has axial inertia, if a joint has friction, and between two universal joints,
    where it is a constraint; the second axes must then be those that a rod has.
    """
    if len(steps) != 2 or any(step.joint.kind not in ENDS for step in steps):
        return None
    (first, body), (last, _) = steps
    way, length = _way(first.at, last.at)
    if body is None or length == 0.0 or not all(step.is_plain for step in steps):
        return None
    axial, across = _moments(body, way)
    if not _is_symmetric(body, first.at, way, (axial, across)):
        return None
    viscous = first.friction.viscous, last.friction.viscous
    universal = first.kind == last.kind == "universal"
    spins = bool(axial or any(viscous) or universal)
    if not all(_fits(axes, way, spins) for axes in (first.axes, last.axes[::-1]) if axes):
        return None
    near = first.axes[0] if spins and first.axes else None
    far = last.axes[1] if spins and last.axes else None
    if (far is not None or any(viscous)) and near is None:
        return None  # the spin of a rod is told at its start
    center = float((body.center_of_mass - first.at) @ way) / length if body.mass else 0.5
    return Rod(
        first.name,
        joins,
        first.at,
        last.at,
        body.mass,
        center,
        axial,
        across,
        near,
        far,
        viscous,
    )


def pair_of(leg: ParallelLeg) -> tuple[Rod, Rod] | None:
    """The two rods side by side that a leg ends in, if it says so and they are thin: a parallelogram."""
    rod = rod_of(steps_of(leg)[-2:], (BASE, BASE))
    apart, ends = leg.joints[-1].apart, leg.end.axes
    if not apart or rod is None or rod.axis is None or len(ends) != 2 or rod.axial or any(rod.viscous):
        return None
    if float(np.linalg.norm(np.cross(rod.axis, ends[1]))) > ROUNDING:
        return None
    one, other = (_beside(rod, side, apart) for side in ("left", "right"))
    return one, other


def _beside(rod: Rod, side: str, apart: float) -> Rod:
    """Half of a rod, with balls at its ends: it does not spin."""
    assert rod.axis is not None
    away = (0.5 if side == "left" else -0.5) * apart * rod.axis
    return replace(
        rod,
        name=f"{rod.name} {side}",
        start=frozen(rod.start + away),
        end=frozen(rod.end + away),
        mass=rod.mass / 2,
        across=rod.across / 2,
        axis=None,
        far_axis=None,
    )


def cylinder_of(steps: list[Step], joins: Joins) -> Cylinder | None:
    """The cylinder that a U or R, a P and an S make, if the slide is along the line between its ends."""
    kinds = [step.joint.kind for step in steps]
    if len(steps) != 3 or kinds[0] not in PINS or kinds[1:] != ["prismatic", "spherical"]:
        return None
    (pin, barrel), (slide, rod), (ball, _) = steps
    way, length = _way(pin.at, ball.at)
    if length == 0.0 or not steps[0].is_plain or np.abs(slide.axes[0] - way).max() > ROUNDING:
        return None
    if barrel is None or rod is None:
        return None
    axis = pin.axes[0]
    if pin.kind == "revolute" and abs(float(axis @ way)) > ROUNDING:
        return None  # it would sweep a cone
    if pin.kind == "universal" and not _is_second(pin.axes[1], axis, way):
        return None
    y = np.cross(axis, way)
    y /= np.linalg.norm(y)
    R = np.column_stack([way, y, np.cross(way, y)])
    return Cylinder(
        slide.name,
        joins,
        pin.at,
        ball.at,
        "universal" if pin.kind == "universal" else "revolute",
        axis,
        _seen(barrel, R, pin.at),
        _seen(rod, R, ball.at),
        slide.motor,
        slide.rotor,
        slide.friction,
        pin.friction.viscous,
        ball.friction.viscous,
        slide.limits,
    )


def _way(start: Array, end: Array) -> tuple[Array, float]:
    length = float(np.linalg.norm(end - start))
    return (end - start) / (length or 1.0), length


def _seen(body: Body, R: Array, at: Array) -> Body:
    nothing = Body.of(0.0, np.zeros(3), np.zeros((3, 3)))
    return nothing if is_nothing(body) else body.seen_from(Transform.of(R, at))


def _moments(body: Body, way: Array) -> tuple[float, float]:
    """Inertia about the line and across it, without what rounding leaves of a thin rod's."""
    axial = float(way @ body.inertia @ way)
    across = (float(np.trace(body.inertia)) - axial) / 2
    return (0.0 if abs(axial) <= ROUNDING * across else axial), across


def _is_symmetric(body: Body, at: Array, way: Array, moments: tuple[float, float]) -> bool:
    arm = body.center_of_mass - at
    off = float(np.linalg.norm(np.cross(way, arm))) if body.mass else 0.0
    axial, across = moments
    along = np.outer(way, way)
    rest = body.inertia - axial * along - across * (np.eye(3) - along)
    size = float(np.abs(body.inertia).max())
    return off <= ROUNDING * float(np.linalg.norm(arm)) and np.abs(rest).max() <= ROUNDING * size


def _fits(axes: tuple[Array, ...], way: Array, spins: bool) -> bool:
    """Whether a universal joint, its axis outside the rod first, is one that a rod has: any that lets
    it swing, if its spin does not count."""
    outside, inside = axes
    if spins:
        return _is_second(inside, outside, way)
    return abs(float(way @ np.cross(outside, inside))) > ROUNDING


def _is_second(axis: Array, outside: Array, way: Array) -> bool:
    """Whether an axis is perpendicular to the other one of a universal joint and to the link."""
    across = np.cross(outside, way)
    size = float(np.linalg.norm(across))
    return size > ROUNDING and float(np.linalg.norm(np.cross(axis, across / size))) <= ROUNDING
