"""What looks wrong in the description of a serial arm."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np

from linkwork.robots import plausibility as p
from linkwork.robots.arm import ArmModel, Joint
from linkwork.robots.faults import Path
from linkwork.robots.plausibility import Finding

STRONGEST = 1000.0  # a torque relative to the weight of the whole arm at its full reach
SLOWEST_MOTOR = 0.2  # gear ratio: below, it was written the other way round
ANGLES = ("theta", "alpha")
LENGTHS = ("a", "d")


def arm_findings(
    model: ArmModel, written: Callable[[Path], object], as_published: bool
) -> Iterator[Finding]:
    """Findings in the order of the file; `written` gives a field as it stands there, or None."""
    yield from p.gravity(model.gravity)
    size = reach(model)
    weight = 9.81 * sum(joint.body.mass for joint in model.joints) * size
    for k, joint in enumerate(model.joints):
        path: Path = ("links", k)
        yield from _geometry(path, joint, written)
        yield from p.body(path, joint.body, size, as_published)
        if not joint.body.mass and not joint.body.inertia.any():
            what = "has no mass and no inertia; add mass, center_of_mass and inertia"
            yield Finding("inertia", path, what)
        elif k and not joint.body.mass:  # that of the first link does nothing if it turns in place
            what = "is zero, though the link has an inertia; add the mass of the link"
            yield Finding("mass", (*path, "mass"), what)
        yield from _drive(path, joint, weight, size, written)
    yield from _tool(written)
    yield from p.heavy_tail([joint.body.mass for joint in model.joints], lambda k: ("links", k))


def _tool(written: Callable[[Path], object]) -> Iterator[Finding]:
    for k in range(3):
        yield from p.angle(("tool", "rpy", k), written(("tool", "rpy", k)))
        place = written(("tool", "position", k))
        if isinstance(place, int | float):
            yield from p.length(("tool", "position", k), place)


def reach(model: ArmModel) -> float:
    """How far the arm can reach, without lengths that no machine has [m]."""
    total = 0.0
    for joint in model.joints:
        parts = [float(np.linalg.norm(joint.before.p)), float(np.linalg.norm(joint.after.p))]
        if not joint.is_revolute:
            parts += [abs(joint.offset), *map(abs, joint.limits.position or ())]
        total += sum(part for part in parts if part <= p.LONGEST)
    centers = [float(np.linalg.norm(joint.body.center_of_mass)) for joint in model.joints]
    return total or max((c for c in centers if c <= p.LONGEST), default=0.0) or 1.0


def _geometry(path: Path, joint: Joint, written: Callable[[Path], object]) -> Iterator[Finding]:
    for name in ANGLES:
        yield from p.angle((*path, name), written((*path, name)))
    for k in range(3):
        yield from p.angle((*path, "rpy", k), written((*path, "rpy", k)))
    given = [name for name in LENGTHS if isinstance(written((*path, name)), int | float)]
    for name in given:
        value = written((*path, name))
        assert isinstance(value, int | float)
        yield from p.length((*path, name), value)
    if not given:
        yield from p.lengths((*path, "position"), joint.before.p.tolist())


def _drive(
    path: Path, joint: Joint, weight: float, size: float, written: Callable[[Path], object]
) -> Iterator[Finding]:
    limits, rotor, friction = joint.limits, joint.rotor, joint.friction
    for k, bound in enumerate(limits.position or ()):
        at = (*path, "limits", "position", k)
        if joint.is_revolute:
            raw = written(at)
            yield from p.angle(at, bound if raw is None else raw, p.MANY_TURNS)
        else:
            yield from p.length(at, bound)
    yield from p.velocity((*path, "limits", "velocity"), limits.velocity, joint.is_revolute)
    if joint.is_revolute and limits.effort is not None and limits.effort > STRONGEST * weight > 0:
        times = limits.effort / weight
        what = f"{limits.effort:g} N m is {times:.0f} times the weight of the arm at its full reach; "
        guess = p.meant(limits.effort / 1e3, "N m", f"{limits.effort:g} N mm")
        yield Finding("limits", (*path, "limits", "effort"), what + guess)
    given = written((*path, "rotor"))
    if isinstance(given, Mapping) and rotor.inertia == 0.0 and "inertia" in given:
        what = "is zero; leave rotor out if its inertia is unknown"
        yield Finding("rotor", (*path, "rotor", "inertia"), what)
    if joint.is_revolute and rotor.reflected > 100 * max(weight / 9.81 * size, 1e-3):
        what = (
            f"{rotor.inertia:g} kg m^2 at gear ratio {rotor.gear_ratio:g} is {rotor.reflected:.3g} "
            "kg m^2 at the joint, more than 100 times the whole arm; "
            f"{p.meant(rotor.inertia / 1e7, 'kg m^2', f'{rotor.inertia:g} g cm^2')}"
        )
        yield Finding("rotor", (*path, "rotor", "inertia"), what)
    if abs(rotor.gear_ratio) < SLOWEST_MOTOR:
        what = (
            f"{rotor.gear_ratio:g} is motor turns per joint turn, so the motor turns slower than the "
            f"joint; did you mean {1 / rotor.gear_ratio:g}?"
        )
        yield Finding("rotor", (*path, "rotor", "gear_ratio"), what)
    coulomb = max(friction.coulomb_forward, -friction.coulomb_backward)
    if limits.effort is not None and coulomb > limits.effort:
        what = (
            f"{coulomb:g} at the joint is above its limit of effort, {limits.effort:g}; it cannot move"
        )
        yield Finding("friction", (*path, "friction", "coulomb"), what)
