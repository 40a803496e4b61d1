"""What looks wrong in the description of a parallel robot."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from linkwork.robots import parallel_schema as schema
from linkwork.robots import plausibility as p
from linkwork.robots.faults import Path
from linkwork.robots.geometry import Array, Body
from linkwork.robots.leg_defaults import written_at
from linkwork.robots.parallel import COORDINATES, ParallelModel
from linkwork.robots.parallel_legs import body_of, points_of
from linkwork.robots.plausibility import Finding

STRONGEST = 1000.0  # an effort relative to the weight of all that moves, at the machine's size
LARGEST_ROTOR = 100.0  # relative to all that moves, turning at the machine's size


def parallel_findings(
    model: ParallelModel,
    file: schema.ParallelFile,
    data: Mapping[str, Any],
    written: Callable[[Path], object],
    as_published: bool,
) -> Iterator[Finding]:
    """Findings in the order of the file; `written` gives a field as it stands there, or None."""
    size = _size(model)
    yield from p.gravity(model.gravity)
    yield from p.lengths(("home",), model.home[:3].tolist())
    for k in range(3, 6):
        yield from p.angle(("home", k), written(("home", k)))
    yield from p.dimensions(("dimensions",), data.get("dimensions"))
    yield from _platform(model, size, as_published)
    mass = model.platform.mass + sum(joint.body.mass for joint in model.joints)
    for index, leg in enumerate(file.legs):
        turns = False
        points = points_of(leg)
        for k, (joint, at) in enumerate(zip(leg.joints, points, strict=True)):
            path: Path = ("legs", index, "joints", k)
            turns = turns or joint.kind != "P"
            yield from p.lengths((*path, "at"), at.tolist())
            for name in ("cross", "link"):
                if (link := getattr(joint, name)) is not None:
                    yield from _link((*path, name), link, at, size, turns, as_published)
            yield from drive_findings(
                path, joint, joint.kind != "P", mass, size, lambda at: written(written_at(at, data))
            )
    yield from _heavy(model, file, data)


def _size(model: ParallelModel) -> float:
    """The extent of the machine, without lengths that no machine has [m]."""
    points = np.array([joint.at for joint in model.joints] + [leg.end.at for leg in model.legs])
    real = points[(np.abs(points) <= p.LONGEST).all(axis=1)]
    extent = float(np.ptp(real, axis=0).max()) if len(real) > 1 else 0.0
    # All axes of a spherical mechanism meet in one point: its bodies tell how large it is.
    bodies = [model.platform, *(joint.body for joint in model.joints)]
    radii = [np.sqrt(abs(np.trace(body.inertia)) / body.mass) for body in bodies if body.mass]
    return extent or 2 * max((float(r) for r in radii if r <= p.LONGEST), default=0.0) or 1.0


def _platform(model: ParallelModel, size: float, as_published: bool) -> Iterator[Finding]:
    if not model.platform.mass:
        yield Finding("mass", ("platform", "mass"), "is zero; add the mass of the platform and its load")
    turns = any(name in COORDINATES[3:] for name in (*model.coordinates, *model.parasitic))
    yield from _body(("platform",), model.platform, size, turns, as_published)


def _body(path: Path, body: Body, size: float, turns: bool, as_published: bool) -> Iterator[Finding]:
    """A body that never turns needs no inertia."""
    for finding in p.body(path, body, size, as_published):
        if finding.subject != "inertia" or turns or body.inertia.any():
            yield finding


def _link(
    path: Path, link: Any, at: Array, size: float, turns: bool, as_published: bool
) -> Iterator[Finding]:
    start = getattr(link, "from")
    if start is not None:
        yield from p.lengths((*path, "from"), start)
        yield from p.lengths((*path, "to"), link.to)
        if link.radius > 0.5 * size:
            what = f"{link.radius:g} m is thicker than the machine of {size:.3g} m; "
            guess = p.meant(link.radius / 1e3, "m", f"{link.radius:g} mm")
            yield Finding("length", (*path, "radius"), what + guess)
            return
    elif link.center_of_mass is not None and np.abs(link.center_of_mass).max() > p.LONGEST:
        yield from p.lengths((*path, "center_of_mass"), link.center_of_mass)
        return
    found = body_of(link, at)
    seen = Body.of(found.mass, found.center_of_mass - at, found.inertia)
    yield from _body(path, seen, size, turns, as_published)


def drive_findings(
    path: Path, joint: Any, turning: bool, mass: float, size: float, written: Callable[[Path], object]
) -> Iterator[Finding]:
    """Rotor, limits and friction of a joint beside the mass [kg] of all that moves."""
    weight, limits = 9.81 * mass, joint.limits
    inertia = mass * (size**2 if turning else 1.0)
    if joint.rotor > LARGEST_ROTOR * inertia > 0:
        unit = "kg m^2" if turning else "kg"
        what = f"{joint.rotor:g} {unit} is {joint.rotor / inertia:.0f} times all that moves; "
        as_written = f"{joint.rotor:g} {'g cm^2' if turning else 'g'}"
        guess = p.meant(joint.rotor / (1e7 if turning else 1e3), unit, as_written)
        yield Finding("rotor", (*path, "rotor"), what + guess)
    if limits is None:
        return
    for k, bound in enumerate(limits.position or ()):
        at = (*path, "limits", "position", k)
        yield from p.angle(at, written(at), p.MANY_TURNS) if turning else p.length(at, bound)
    yield from p.velocity((*path, "limits", "velocity"), limits.velocity, turning)
    effort, at = limits.effort, (*path, "limits", "effort")
    unit, load = ("N m", weight * size) if turning else ("N", weight)
    if effort is not None and effort > STRONGEST * load > 0:
        what = f"{effort:g} {unit} is {effort / load:.0f} times the weight of all that moves; "
        written_as = f"{effort:g} {'N mm' if turning else 'mN'}"
        yield Finding("limits", at, what + p.meant(effort / 1e3, unit, written_as))
    elif effort is not None and not turning and effort < weight / 60:
        what = f"{effort:g} N cannot carry a weight of {weight:.3g} N; "
        yield Finding("limits", at, what + p.meant(1e3 * effort, "N", f"{effort:g} kN"))
    coulomb = max(map(abs, joint.coulomb))
    if effort is not None and coulomb > effort:
        what = f"{coulomb:g} {unit} is above the limit of effort, {effort:g} {unit}; it cannot move"
        yield Finding("friction", (*path, "coulomb"), what)


def _heavy(
    model: ParallelModel, file: schema.ParallelFile, data: Mapping[str, Any]
) -> Iterator[Finding]:
    """One body, in all legs that have it, against everything else: grams among kilograms."""
    together: dict[Path, list[float]] = {("platform", "mass"): [model.platform.mass]}
    for index, leg in enumerate(file.legs):
        for k, joint in enumerate(leg.joints):
            for name in ("cross", "link"):
                if (link := getattr(joint, name)) is not None:
                    path = written_at(("legs", index, "joints", k, name, "mass"), data)
                    count, _ = leg.repeat or (1, "")
                    together.setdefault(path, []).extend([link.mass] * count)
    yield from p.outweighing(together)
