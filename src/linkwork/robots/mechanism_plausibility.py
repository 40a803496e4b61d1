"""What looks wrong in the description of a mechanism."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from linkwork.robots import mechanism_schema as schema
from linkwork.robots import plausibility as p
from linkwork.robots.faults import Path
from linkwork.robots.geometry import Body
from linkwork.robots.mechanism import MechanismModel
from linkwork.robots.mechanism_expand import Entry, Expanded, expanded
from linkwork.robots.parallel_plausibility import drive_findings
from linkwork.robots.parallelograms import skewed
from linkwork.robots.plausibility import Finding


def mechanism_findings(
    model: MechanismModel,
    file: schema.MechanismFile,
    written: Callable[[Path], object],
    as_published: bool,
) -> Iterator[Finding]:
    """Findings in the order of the file; `written` gives a field as it stands there, or None."""
    whole = expanded(file)
    yield from p.gravity(model.gravity)
    for name, point in file.points.items():
        yield from p.lengths(("points", name), point)
    for entry in whole.joined:
        for field in ("at", "from", "to"):
            if (place := getattr(entry.part, field, None)) is not None:
                yield from p.lengths((*entry.path, field), place)
    size, middle = _extent(model)
    mass = _mass(model)
    for entry, part in zip(whole.bodies, model.parts, strict=True):
        yield from _body(entry, part.body, size, middle, as_published)
    for entry in whole.rods:
        yield from _thick(entry, size)
    for entry in whole.joints:
        slides = entry.part.kind == "P"
        yield from drive_findings(entry.path, entry.part, not slides, mass, size, written)
        yield from _home(entry, entry.part.limits)
    for entry, cylinder in zip(whole.cylinders, model.cylinders, strict=True):
        yield from drive_findings(entry.path, entry.part, False, mass, size, written)
        yield from _home(entry, entry.part.limits, cylinder.length)
        if (limits := entry.part.limits) is not None and limits.length is not None:
            yield from p.lengths((*entry.path, "limits", "length"), limits.length)
        for half in ("barrel", "rod"):
            found: Body = getattr(cylinder, half)
            path = (*entry.path, half)
            beyond = float(np.abs(found.center_of_mass).max())
            if beyond > 1.2 * cylinder.length + 0.1:
                guess = p.meant(beyond / 1e3, "m", f"{beyond:g} mm")
                what = f"{beyond:g} m is beyond the cylinder of {cylinder.length:.3g} m; {guess}"
                yield Finding("center_of_mass", (*path, "center"), what)
            else:
                for finding in p.body(path, found, size, as_published):
                    if found.inertia.any() or finding.subject != "inertia":
                        yield finding
    yield from _grams(whole.bodies)
    yield from _parallelograms(model, whole)


def _extent(model: MechanismModel) -> tuple[float, Any]:
    """The size of the machine, without lengths that no machine has, and its middle [m]."""
    points = [joint.at for joint in model.joints]
    points += [end for rod in model.rods for end in (rod.start, rod.end)]
    points += [end for each in model.cylinders for end in (each.start, each.end)]
    every = np.array([*points, np.zeros(3)])
    real = every[(np.abs(every) <= p.LONGEST).all(axis=1)]
    extent = float(np.ptp(real, axis=0).max())
    radii = [
        np.sqrt(abs(np.trace(part.body.inertia)) / part.body.mass)
        for part in model.parts
        if part.body.mass
    ]
    width = 2 * max((float(r) for r in radii if r <= p.LONGEST), default=0.0)
    return extent or width or 1.0, (real.min(axis=0) + real.max(axis=0)) / 2


def _mass(model: MechanismModel) -> float:
    bodies = sum(part.body.mass for part in model.parts) + sum(rod.mass for rod in model.rods)
    return bodies + sum(each.barrel.mass + each.rod.mass for each in model.cylinders)


def _body(entry: Entry, body: Body, size: float, middle: Any, as_published: bool) -> Iterator[Finding]:
    part, path = entry.part, entry.path
    for field in ("from", "to", "center_of_mass", "at", "origin"):
        if (place := getattr(part, field)) is not None and np.abs(place).max() > p.LONGEST:
            yield from p.lengths((*path, field), place)
            return
    yield from _thick(entry, size)
    if getattr(part, "from") is not None and part.radius > 0.5 * size:
        return
    seen = Body.of(body.mass, body.center_of_mass - middle, body.inertia)
    for finding in p.body(path, seen, size, as_published):
        missing = finding.subject == "inertia" and not body.inertia.any()
        if not (missing and part.point):
            yield finding


def _thick(entry: Entry, size: float) -> Iterator[Finding]:
    radius = entry.part.radius
    if radius > 0.5 * size:
        what = f"{radius:g} m is thicker than the machine of {size:.3g} m; "
        guess = p.meant(radius / 1e3, "m", f"{radius:g} mm")
        yield Finding("length", (*entry.path, "radius"), what + guess)


def _home(entry: Entry, limits: Any, length: float = 0.0) -> Iterator[Finding]:
    """Positions count from home, which is within them."""
    if limits is None:
        return
    for field, home in (("position", 0.0), ("length", length)):
        bounds = getattr(limits, field, None)
        if bounds is not None and not bounds[0] <= home <= bounds[1]:
            where = "0, where it is drawn" if field == "position" else f"{home:.4g} m, as it is drawn"
            what = f"from {bounds[0]:.4g} to {bounds[1]:.4g} leaves out home ({where}); {field} counts "
            what += "from home" if field == "position" else "from pin to pin"
            yield Finding("home", (*entry.path, "limits", field), what)


def _parallelograms(model: MechanismModel, whole: Expanded) -> Iterator[Finding]:
    paths = {entry.name: entry.path for entry in whole.joined}
    for found in skewed(model):
        yield Finding("parallelogram", paths[found.names[0]], found.text)


def _grams(bodies: list[Entry]) -> Iterator[Finding]:
    masses: dict[Path, list[float]] = {}
    for entry in bodies:
        masses.setdefault((*entry.path, "mass"), []).append(entry.part.mass)
    yield from p.outweighing(masses)
