"""What looks wrong in the description of a Stewart platform."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from linkwork.robots import plausibility as p
from linkwork.robots.faults import Path
from linkwork.robots.platform import Leg, PlatformModel
from linkwork.robots.platform_checks import leg_vectors
from linkwork.robots.plausibility import Finding

STRONGEST = 1000.0  # all leg forces together, relative to the weight
BEHIND = 0.2  # of the size: how far a motor behind its joint may draw the centre of mass
SINGULAR = 1e4  # condition number at home, lengths in the size of the platform


def platform_findings(
    model: PlatformModel, written: Callable[[Path], object], as_published: bool
) -> Iterator[Finding]:
    """Findings in the order of the file; `written` gives a field as it stands there, or None."""
    yield from p.gravity(model.gravity)
    yield from p.dimensions(("geometry",), written(("geometry",)))
    size = platform_size(model)
    if model.home is not None:
        yield from p.lengths(("home",), model.home[:3].tolist())
        for k in range(3, 6):
            yield from p.angle(("home", k), written(("home", k)))
        yield from _singular_home(model)
    if not model.platform.mass:
        yield Finding("mass", ("platform", "mass"), "is zero; add the mass of the platform and its load")
    yield from p.body(("platform",), model.platform, 2 * size, as_published)
    weight = 9.81 * (model.platform.mass + sum(g.lower.mass + g.upper.mass for g in model.legs))
    for k, leg in enumerate(model.legs):
        yield from _leg(("legs", k), leg, size, weight, as_published)
    yield from p.outweighing(
        {
            ("platform", "mass"): [model.platform.mass],
            ("legs", 0, "lower", "mass"): [leg.lower.mass for leg in model.legs],
            ("legs", 0, "upper", "mass"): [leg.upper.mass for leg in model.legs],
        }
    )


def platform_size(model: PlatformModel) -> float:
    """The widest of base, platform and legs, without lengths that no machine has [m]."""
    base, points = model.points()
    found = [*np.linalg.norm(base - base.mean(axis=0), axis=1), *np.linalg.norm(points, axis=1)]
    if model.home is not None:
        found += np.linalg.norm(leg_vectors(model.home, base, points), axis=1).tolist()
    return max((float(x) for x in found if x <= p.LONGEST), default=1.0) or 1.0


def _singular_home(model: PlatformModel) -> Iterator[Finding]:
    assert model.home is not None
    base, points = model.points()
    legs = leg_vectors(model.home, base, points)
    arms = legs + base - model.home[:3]
    directions = legs / np.linalg.norm(legs, axis=1, keepdims=True)
    scale = float(np.sqrt((points**2).sum(axis=1).mean()))
    rows = np.concatenate([directions, np.cross(arms, directions) / scale], axis=1)
    condition = float(np.linalg.cond(rows))
    if condition > SINGULAR:
        what = f"is a singular pose (condition number {condition:.3g}); is the height right?"
        yield Finding("home", ("home",), what)


def _leg(path: Path, leg: Leg, size: float, weight: float, as_published: bool) -> Iterator[Finding]:
    yield from p.lengths((*path, "base_point"), leg.base_point.tolist())
    yield from p.lengths((*path, "platform_point"), leg.platform_point.tolist())
    yield from p.body((*path, "lower"), leg.lower, 2 * size, as_published)
    yield from p.body((*path, "upper"), leg.upper, 2 * size, as_published)
    limits = leg.limits
    for part, body, along in (("lower", leg.lower, 1), ("upper", leg.upper, -1)):
        place = along * float(body.center_of_mass[0])
        if -p.LONGEST < place < -BEHIND * size:
            what = (
                f"lies {-place:.3g} m beyond the joint, away from the leg (x points from base to "
                f"platform); did you mean {-along * place:g}?"
            )
            yield Finding("center_of_mass", (*path, part, "center_of_mass"), what)
    slowed = leg.friction.prismatic * (limits.rate or 0.0)
    if limits.force is not None and slowed > limits.force:
        what = (
            f"{leg.friction.prismatic:g} N s/m takes {slowed:g} N at the limit of speed, above the "
            f"limit of force, {limits.force:g} N"
        )
        yield Finding("friction", (*path, "friction", "prismatic"), what)
    yield from p.lengths((*path, "limits", "length"), limits.length or (0.0,))
    yield from p.velocity((*path, "limits", "rate"), limits.rate, turning=False)
    if limits.force is not None and weight and limits.force < weight / 60:
        what = f"{limits.force:g} N cannot carry a weight of {weight:.3g} N; "
        guess = p.meant(1e3 * limits.force, "N", f"{limits.force:g} kN")
        yield Finding("limits", (*path, "limits", "force"), what + guess)
    elif limits.force is not None and weight and limits.force > STRONGEST * weight:
        what = f"{limits.force:g} N is {limits.force / weight:.0f} times the weight of all that moves"
        yield Finding("limits", (*path, "limits", "force"), what)
