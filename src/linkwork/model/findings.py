"""Suspicious values in a robot's description, each finding with its line.

Lengths and angles are judged wherever a file has them, bodies and drives by `Machine`, whatever they
belong to. A family tells how large it is and where its file has them, and adds what only it has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from linkwork.core.text import AngleUnit, shown
from linkwork.files.declared import Data, leaves, written_at
from linkwork.files.faults import Document, Path, value_at
from linkwork.model import plausibility as p
from linkwork.model.drive import without_drive
from linkwork.model.drive_findings import SLOWEST_MOTOR, drive_findings
from linkwork.model.families.arm import ArmModel, Joint, reach, without_tool
from linkwork.model.families.dimensions import written_out
from linkwork.model.families.parallel import ParallelModel, mechanism_of_parallel
from linkwork.model.families.parallel_file import ParallelFile, parallel_fields, points_of
from linkwork.model.families.stewart import Leg, PlatformModel, leg_columns, platform_size
from linkwork.model.geometry import LONGEST, Array, Body
from linkwork.model.joint import Friction, Limits, Rotor
from linkwork.model.mechanism import POSE, Cone, MechanismModel
from linkwork.model.mechanism_copies import Copy, expanded
from linkwork.model.mechanism_file import mechanism_fields
from linkwork.model.parallelograms import skewed
from linkwork.model.plausibility import Diagnostic, DriveFields, Finding, Machine, gravity
from linkwork.model.robot_files import Source, read_robot
from linkwork.model.urdf.chain import ChainSelection

Written = Callable[[Path], object]
ARM_FIELDS = DriveFields(
    rotor=("rotor", "inertia"), viscous=("friction", "viscous"), coulomb=("friction", "coulomb")
)
LEG_FIELDS = DriveFields(
    position=("limits", "length"),
    velocity=("limits", "rate"),
    effort=("limits", "force"),
    viscous=("friction", "prismatic"),
    coulomb=("friction", "coulomb"),
)
BEHIND = 0.2  # of the size: how far a motor behind its joint may draw the center of mass
SINGULAR = 1e4  # condition number at home, lengths in the size of the platform


def arm_findings(
    model: ArmModel, document: Document, written: Written, as_published: bool
) -> Iterator[Finding]:
    model = without_tool(model)
    machine = Machine(reach(model), model.mass, written, as_published, ARM_FIELDS, shared=False)
    for k, joint in enumerate(model.joints):
        path: Path = ("links", k)
        yield from _table(path, joint, written)
        yield from machine.body(path, joint.body)
        if not joint.body.mass and not joint.body.inertia.any():
            what = "has no mass and no inertia; add mass, center_of_mass and inertia"
            yield Finding("inertia", path, what)
        elif k and not joint.body.mass:  # that of the first link does nothing if it turns in place
            what = "is zero, though the link has an inertia; add the mass of the link"
            yield Finding("mass", (*path, "mass"), what)
        rotor, friction = joint.rotor, joint.friction
        if joint.drive is not None:
            reflected, friction = without_drive(rotor.reflected, friction, joint.drive)
            rotor = Rotor(reflected)
            yield from drive_findings((*path, "drive"), joint.drive)
        yield from machine.drive(path, joint.is_revolute, rotor, friction, joint.limits)
        yield from _gear((*path, "rotor"), rotor, written)
    for k in range(3):
        yield from p.angle(("tool", "rpy", k), written(("tool", "rpy", k)))
        yield from _written_length(("tool", "position", k), written)
    yield from p.heavy_tail([joint.body.mass for joint in model.joints], lambda k: ("links", k))


def _table(path: Path, joint: Joint, written: Written) -> Iterator[Finding]:
    """The row of a table of Denavit and Hartenberg, or the place of a link."""
    for step in (("theta",), ("alpha",), *(("rpy", k) for k in range(3))):
        yield from p.angle((*path, *step), written((*path, *step)))
    lengths = [(*path, name) for name in ("a", "d")]
    for at in lengths:
        yield from _written_length(at, written)
    if not any(isinstance(written(at), int | float) for at in lengths):
        yield from p.lengths((*path, "position"), joint.before.p.tolist())


def _written_length(path: Path, written: Written) -> Iterator[Finding]:
    value = written(path)
    if isinstance(value, int | float):
        yield from p.length(path, value)


def _gear(path: Path, rotor: Rotor, written: Written) -> Iterator[Finding]:
    given = written(path)
    if isinstance(given, Mapping) and rotor.inertia == 0.0 and "inertia" in given:
        what = "is zero; leave rotor out if its inertia is unknown"
        yield Finding("rotor", (*path, "inertia"), what)
    if abs(rotor.gear_ratio) < SLOWEST_MOTOR:
        what = (
            f"{rotor.gear_ratio:g} is motor turns per joint turn, so the motor turns slower than the "
            f"joint; did you mean {1 / rotor.gear_ratio:g}?"
        )
        yield Finding("rotor", (*path, "gear_ratio"), what)


def _home(home: Array, written: Written) -> Iterator[Finding]:
    yield from p.lengths(("home",), home[:3].tolist())
    for k in range(3, 6):
        yield from p.angle(("home", k), written(("home", k)))


def _platform(machine: Machine, body: Body, turns: bool = True) -> Iterator[Finding]:
    if not body.mass:
        yield Finding("mass", ("platform", "mass"), "is zero; add the mass of the platform and its load")
    yield from machine.body(("platform",), body, turns)


def platform_findings(
    model: PlatformModel, document: Document, written: Written, as_published: bool
) -> Iterator[Finding]:
    yield from p.dimensions(("geometry",), written(("geometry",)))
    if model.home is not None:
        yield from _home(model.home, written)
        yield from _singular_home(model, model.home)
    machine = Machine(2 * platform_size(model), model.mass, written, as_published, LEG_FIELDS)
    yield from _platform(machine, model.platform)
    for k, leg in enumerate(model.legs):
        yield from _leg(machine, ("legs", k), leg)
    yield from p.outweighing(
        {
            ("platform", "mass"): [model.platform.mass],
            ("legs", 0, "lower", "mass"): [leg.lower.mass for leg in model.legs],
            ("legs", 0, "upper", "mass"): [leg.upper.mass for leg in model.legs],
        }
    )


def _singular_home(model: PlatformModel, home: Array) -> Iterator[Finding]:
    columns, _ = leg_columns(model, home)
    columns[3:] /= float(np.sqrt((model.points()[1] ** 2).sum(axis=1).mean()))
    condition = float(np.linalg.cond(columns))
    if condition > SINGULAR:
        what = f"is a singular pose (condition number {condition:.3g}); is the height right?"
        yield Finding("home", ("home",), what)


def _leg(machine: Machine, path: Path, leg: Leg) -> Iterator[Finding]:
    for name in ("base_point", "platform_point"):
        yield from p.lengths((*path, name), getattr(leg, name).tolist())
    for part, body, along in (("lower", leg.lower, 1), ("upper", leg.upper, -1)):
        yield from machine.body((*path, part), body)
        place = along * float(body.center_of_mass[0])
        if -LONGEST < place < -BEHIND * machine.size / 2:
            what = (
                f"lies {-place:.3g} m beyond the joint, away from the leg (x points from base to "
                f"platform); did you mean {-along * place:g}?"
            )
            yield Finding("center_of_mass", (*path, part, "center_of_mass"), what)
    friction = Friction(leg.friction.prismatic, leg.friction.coulomb, -leg.friction.coulomb)
    limits = Limits(leg.limits.length, leg.limits.rate, leg.limits.force)
    rotor, friction = without_drive(leg.rotor, friction, leg.drive)
    yield from machine.drive(path, False, Rotor(rotor), friction, limits)
    if leg.drive is not None:
        yield from drive_findings((*path, "drive"), leg.drive)


def parallel_findings(
    model: ParallelModel, document: Document, written: Written, as_published: bool
) -> Iterator[Finding]:
    file = parallel_fields(document)[1]
    yield from _home(model.home, written)
    yield from p.dimensions(("dimensions",), written(("dimensions",)))
    if written(("family",)) == "delta":
        yield from p.standing_delta(written(("dimensions", "height")), model.gravity)
    mechanism = mechanism_of_parallel(model)
    size, _ = _extent(mechanism)
    machine = Machine(size, model.mass, written, as_published)
    turning = any(name in POSE[3:] for name in (*model.coordinates, *model.parasitic))
    yield from _platform(machine, model.platform, turning)
    masses: dict[Path, list[float]] = {("platform", "mass"): [model.platform.mass]}
    for index, leg in enumerate(file.legs):
        count, _ = leg.repeat or (1, "")
        turns = False
        for k, (joint, at) in enumerate(zip(leg.joints, points_of(leg), strict=True)):
            path: Path = ("legs", index, "joints", k)
            turns = turns or joint.kind != "P"
            yield from p.lengths((*path, "at"), at.tolist())
            for name in ("cross", "link"):
                if (link := getattr(joint, name)) is not None:
                    yield from machine.drawn_body((*path, name), link, link.body(at), at, turns)
                    masses.setdefault((*path, name, "mass"), []).extend([link.mass] * count)
            yield from _written_drive(machine, path, joint, joint.kind != "P")
    for cone, path in zip(mechanism.cones, _cone_paths(file), strict=True):
        yield from _tilted(path, cone, model.angle_unit)
    yield from p.outweighing(masses)


def _cone_paths(file: ParallelFile) -> Iterator[Path]:
    """In the order of legs and their copies."""
    for index, leg in enumerate(file.legs):
        coned = [k for k, joint in enumerate(leg.joints) if joint.cone is not None]
        for _ in range((leg.repeat or (1, ""))[0]):
            yield from (("legs", index, "joints", k, "cone") for k in coned)


def _tilted(path: Path, cone: Cone, angles: AngleUnit) -> Iterator[Finding]:
    """The link is within the cone at home."""
    at_home = float(np.arccos(np.clip(cone.axis @ (cone.end - cone.start) / cone.length, -1.0, 1.0)))
    if at_home > cone.angle:
        far, most = (shown(angle, "rad", angles) for angle in (at_home, cone.angle))
        what = f"the link is {far} from the mounting axis at home, beyond {most}"
        if at_home > np.pi / 2:
            opposite = " ".join(f"{-x + 0.0:.4g}" for x in cone.axis)
            what += f"; the axis points from the joint along the link: did you mean {opposite}?"
        yield Finding("home", (*path, "angle"), what)


def _written_drive(machine: Machine, path: Path, part: Any, turning: bool) -> Iterator[Finding]:
    """Of a joint or cylinder as parallel robots and mechanisms write it."""
    forward, backward = part.coulomb
    friction = Friction(part.viscous, forward, backward, part.offset)
    yield from machine.drive(path, turning, Rotor(part.rotor), friction, part.limits or Limits())
    if part.drive is not None:
        yield from drive_findings((*path, "drive"), part.drive)


def mechanism_findings(
    model: MechanismModel, document: Document, written: Written, as_published: bool
) -> Iterator[Finding]:
    file = mechanism_fields(document)
    whole = expanded(file)
    for name, point in file.points.items():
        yield from p.lengths(("points", name), point)
    for entry in whole.joined:
        for path, quantity, place in leaves(entry.part, entry.path):
            if quantity.lengths and path[-1] in ("at", "from", "to"):
                yield from p.lengths(path, place)
    size, middle = _extent(model)
    machine = Machine(size, model.mass, written, as_published)
    masses: dict[Path, list[float]] = {}
    for entry, part in zip(whole.bodies, model.parts, strict=True):
        masses.setdefault((*entry.path, "mass"), []).append(entry.part.mass)
        yield from machine.drawn_body(entry.path, entry.part, part.body, middle, not part.point)
    for entry in whole.rods:
        yield from machine.radius((*entry.path, "radius"), entry.part.radius)
    for entry, cone in zip(whole.cones, model.cones, strict=True):
        yield from _tilted(entry.path, cone, model.angle_unit)
    for entry in whole.joints:
        yield from _written_drive(machine, entry.path, entry.part, entry.part.kind != "P")
        yield from _leaves_out_home(entry)
    for entry, cylinder in zip(whole.cylinders, model.cylinders, strict=True):
        yield from _written_drive(machine, entry.path, entry.part, False)
        yield from _leaves_out_home(entry, cylinder.length)
        for half in ("barrel", "rod"):
            yield from _half(machine, (*entry.path, half), getattr(cylinder, half), cylinder.length)
    yield from p.outweighing(masses)
    paths = {entry.name: entry.path for entry in whole.joined}
    for nearly in skewed(model):
        yield Finding("parallelogram", paths[nearly.names[0]], nearly.text)


def _extent(model: MechanismModel) -> tuple[float, Array]:
    """The size of the machine, without lengths that no machine has, and its middle [m]."""
    every = np.array([*model.places, np.zeros(3)])
    real = every[(np.abs(every) <= LONGEST).all(axis=1)]
    extent = float(np.ptp(real, axis=0).max())
    # All axes of a spherical mechanism meet in one point: its bodies tell how large it is.
    bodies = [part.body for part in model.parts if part.body.mass]
    radii = [float(np.sqrt(abs(np.trace(body.inertia)) / body.mass)) for body in bodies]
    width = 2 * max((radius for radius in radii if radius <= LONGEST), default=0.0)
    return extent or width or 1.0, (real.min(axis=0) + real.max(axis=0)) / 2


def _half(machine: Machine, path: Path, body: Body, length: float) -> Iterator[Finding]:
    """Barrel or rod of a cylinder, which may be without inertia."""
    beyond = float(np.abs(body.center_of_mass).max())
    if beyond > 1.2 * length + 0.1:
        guess = p.meant(beyond / 1e3, "m", f"{beyond:g} mm")
        what = f"{beyond:g} m is beyond the cylinder of {length:.3g} m; {guess}"
        yield Finding("center_of_mass", (*path, "center"), what)
    else:
        yield from machine.body(path, body, needs_inertia=False)


def _leaves_out_home(entry: Copy, length: float = 0.0) -> Iterator[Finding]:
    """Positions count from home, which is within them; lengths of cylinders from pin to pin."""
    limits = entry.part.limits
    for field, home in (("position", 0.0), ("length", length)):
        bounds = getattr(limits, field, None)
        if bounds is None:
            continue
        path = (*entry.path, "limits", field)
        if field == "length":
            yield from p.lengths(path, bounds)
        if not bounds[0] <= home <= bounds[1]:
            where = "0, where it is drawn" if field == "position" else f"{home:.4g} m, as it is drawn"
            what = f"from {bounds[0]:.4g} to {bounds[1]:.4g} leaves out home ({where}); {field} counts "
            what += "from home" if field == "position" else "from pin to pin"
            yield Finding("home", path, what)


# A model, its file, how a field is written there, and whether its inertia is as published; to findings.
Judge = Callable[[Any, Document, Written, bool], Iterable[Finding]]
# By the `kind` of the file.
JUDGES: Mapping[str, Judge] = {
    "arm": arm_findings,
    "stewart-platform": platform_findings,
    "parallel-robot": parallel_findings,
    "mechanism": mechanism_findings,
}


def lint(source: Source, chain: ChainSelection | None = None) -> list[Diagnostic]:
    """Suspicious values in a robot's description, though it can be computed with.

    Sizes, masses, inertia, limits and angles beside those of real machines and beside each other: the
    usual causes are degrees, millimeters and grams. `accept: [length, gravity]` in the file silences
    findings by their subject, `inertia_as_published: true` those of inertia that no body has.
    """
    model, document, name = read_robot(source, chain)
    data = {**_data(document), **_data(written_out(document))}  # with the legs of a family

    def written(path: Path) -> object:
        """A field as the file writes it, for a leg or for all, or None."""
        return value_at(document.data, written_at(path, data))

    how = written, bool(data.get("inertia_as_published"))
    judged: dict[tuple[str, str], Diagnostic] = {}
    for finding in (*gravity(model.gravity), *JUDGES[model.kind](model, document, *how)):
        if finding.subject in model.accept:
            continue
        path = written_at(finding.path, data)
        fault = document.fault(path, finding.what)
        # What stands once among the defaults is found in every leg, and is told once.
        key = (fault.where, finding.subject)
        judged.setdefault(key, Diagnostic(finding.subject, fault.where, finding.what, fault.line, name))
    return sorted(judged.values(), key=lambda item: item.line or 0)


def _data(document: Document) -> Data:
    return document.data if isinstance(document.data, Mapping) else {}
