"""Whether a robot description is that of a machine: against the sizes of real ones and its own limits.

A finding is no fault: the numbers can be computed with. It tells the field, its value and what may have
been meant. `accept: [gravity]` in the file silences findings by their subject.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from linkwork.files.declared import leaves
from linkwork.files.faults import Path
from linkwork.model.geometry import LONGEST, Array, Body, is_impossible
from linkwork.model.joint import Friction, Limits, Rotor

SUBJECTS = (
    "angle", "length", "mass", "inertia", "center_of_mass", "rotor", "friction", "limits", "gravity",
    "home", "parallelogram", "drive",
)  # fmt: skip
FULL_TURN = 2 * math.pi
MANY_TURNS = 2 * FULL_TURN  # of a joint's range
FASTEST_TURN, FASTEST_WAY = 60.0, 20.0  # [rad/s], [m/s] of joints and legs
OUTWEIGHS = 50.0  # one body of all legs, beside all other bodies
MOST_LINES = 10


class Finding(NamedTuple):
    """A suspicious value: its subject, the path of the field, and the text."""

    subject: str
    path: Path
    what: str


@dataclass(frozen=True)
class Diagnostic:
    """A finding with its place, as it is shown."""

    subject: str
    where: str
    what: str
    line: int | None = None
    source: str = ""

    def __str__(self) -> str:
        line = None if self.line is None else f"line {self.line}"
        place = ", ".join(part for part in (self.source, line, self.where) if part)
        return f"{place}: {self.what}" if place else self.what


def in_few_lines(findings: Sequence[object], most: int = MOST_LINES) -> list[str]:
    """The first findings, and how many more there are."""
    lines = [str(finding) for finding in findings[:most]]
    return [*lines, f"and {len(findings) - most} more"] if len(findings) > most else lines


def meant(value: float, unit: str, note: str) -> str:
    return f"did you mean {value:g} {unit} ({note})?"


def angle(path: Path, written: object, most: float = FULL_TURN) -> Iterator[Finding]:
    """A number without a unit that is more than a turn, or a round one that is more than half a turn."""
    if isinstance(written, bool) or not isinstance(written, int | float):
        return  # `90 deg` says what it means
    size = abs(written)
    is_round = float(2 * written).is_integer()
    if size > most + 1e-3 or (is_round and size > max(most / 2, math.pi)):
        what = f"{written:g} rad is {math.degrees(written):.0f} deg; did you mean {written:g} deg?"
        yield Finding("angle", path, what)


def length(path: Path, value: float) -> Iterator[Finding]:
    if abs(value) > LONGEST:
        what = f"{value:g} m is longer than a machine; {meant(value / 1e3, 'm', f'{value:g} mm')}"
        yield Finding("length", path, what)


def lengths(path: Path, values: Iterable[float]) -> Iterator[Finding]:
    """The longest of several, once."""
    worst = max(values, key=abs)
    yield from length(path, worst)


def dimensions(path: Path, given: object) -> Iterator[Finding]:
    """The dimensions from which legs are made: lengths, and angles, whose names say so."""
    for name, value in given.items() if isinstance(given, Mapping) else ():
        if str(name).endswith(("angle", "spread", "turn")):
            yield from angle((*path, name), value)
        elif isinstance(value, int | float):
            yield from length((*path, name), value)


def gravity(vector: Array) -> Iterator[Finding]:
    norm = float(np.linalg.norm(vector))
    path = ("gravity",)
    for factor, unit in ((1e2, "cm/s^2"), (1e3, "mm/s^2")):
        if 9.7 < norm / factor < 9.9:
            guess = meant(norm / factor, "m/s^2", f"{norm:g} {unit}")
            yield Finding("gravity", path, f"{norm:g} m/s^2 is outside the plausible range; {guess}")
            return
    if norm and not 1.0 < norm < 26.0:
        what = f"{norm:g} m/s^2 is outside the plausible range; did you mean 9.81?"
        yield Finding("gravity", path, what)
    elif vector[2] > 0.9 * norm > 0:
        what = f"points up; did you mean [0, 0, {-norm:g}]? (A robot that hangs says accept: [gravity])"
        yield Finding("gravity", path, what)


def standing_delta(height: object, gravity: Array) -> Iterator[Finding]:
    """A Delta whose platform is above its base: its arms hang down from it."""
    if isinstance(height, int | float) and height * gravity[2] < 0:
        what = (
            f"{height:g} m puts the platform above the base, upside down for a Delta, which hangs; did "
            f"you mean {-height:g}? (One that stands says accept: [home])"
        )
        yield Finding("home", ("dimensions", "height"), what)


def heavy_tail(masses: Sequence[float], path_of: Callable[[int], Path]) -> Iterator[Finding]:
    """One link that weighs many times all the others together: grams among kilograms."""
    for k, mass in enumerate(masses):
        rest = sum(masses) - mass
        if len(masses) > 2 and mass > 5 * rest > 0:
            guess = meant(mass / 1e3, "kg", f"{mass:g} g")
            what = f"{mass:g} kg is {mass / rest:.0f} times all other links; {guess}"
            yield Finding("mass", (*path_of(k), "mass"), what)


def outweighing(masses: Mapping[Path, Sequence[float]]) -> Iterator[Finding]:
    """Bodies of one field, in all legs that have it, against everything else: grams among kilograms."""
    total = sum(map(sum, masses.values()))
    for path, equal in masses.items():
        together = sum(equal)
        if together > OUTWEIGHS * (total - together) > 0:
            guess = meant(equal[0] / 1e3, "kg", f"{equal[0]:g} g")
            times = together / (total - together)
            yield Finding("mass", path, f"{equal[0]:g} kg is {times:.0f} times everything else; {guess}")


def velocity(path: Path, value: float | None, turning: bool) -> Iterator[Finding]:
    if value is None:
        return
    if turning and value > FASTEST_TURN:
        what = f"{value:g} rad/s is {value / FULL_TURN:.0f} turns per second; "
        yield Finding("limits", path, what + meant(math.radians(value), "rad/s", f"{value:g} deg/s"))
    elif not turning and value > FASTEST_WAY:
        what = f"{value:g} m/s is faster than a machine; {meant(value / 1e3, 'm/s', f'{value:g} mm/s')}"
        yield Finding("limits", path, what)


# Bodies and drives, beside the size and mass of the machine.

STRONGEST = 1000.0  # an effort relative to the weight of all that moves, at the machine's size
WEAKEST = 1 / 60  # a force relative to that weight, of a drive that holds up a share of it
LARGEST_ROTOR = 100.0  # relative to all that moves, turning at the machine's size
HEAVIEST = 3000.0  # kg per cubic meter of reach, of one body: the densest robots have 400
LARGEST_GYRATION, SMALLEST_GYRATION = 1.0, 1e-3  # radius of gyration relative to the machine's size


class DriveFields(NamedTuple):
    """Where the file of a family has the numbers of a drive, seen from its joint or leg."""

    rotor: Path = ("rotor",)
    position: Path = ("limits", "position")
    velocity: Path = ("limits", "velocity")
    effort: Path = ("limits", "effort")
    viscous: Path = ("viscous",)
    coulomb: Path = ("coulomb",)


JOINT_FIELDS = DriveFields()  # of parallel robots and mechanisms


@dataclass(frozen=True)
class Machine:
    """What bodies and drives are compared with: the size [m] and the mass [kg] of all that moves.

    `written` gives a field as it stands in the file, or None. `shared`: every drive holds up a share of
    the weight, as legs do.
    """

    size: float
    mass: float
    written: Callable[[Path], object]
    as_published: bool = False
    fields: DriveFields = JOINT_FIELDS
    shared: bool = True

    def body(self, path: Path, found: Body, needs_inertia: bool = True) -> Iterator[Finding]:
        """Mass, center of mass in its frame, and inertia; what never turns needs no inertia."""
        for finding in _body(path, found, self.size, self.as_published):
            if needs_inertia or finding.subject != "inertia" or found.inertia.any():
                yield finding

    def drawn_body(
        self, path: Path, part: Any, found: Body, near: Array, needs_inertia: bool
    ) -> Iterator[Finding]:
        """A body by its center of mass or as a rod, in base axes; `near` is a point of the machine."""
        for here, quantity, place in leaves(part, path):
            if quantity.lengths and np.abs(place).max() > LONGEST and here[-1] != "radius":
                yield from lengths(here, np.ravel(place))
                return
        too_thick = list(self.radius((*path, "radius"), part.radius))
        yield from too_thick
        if not too_thick:
            seen = Body.of(found.mass, found.center_of_mass - near, found.inertia)
            yield from self.body(path, seen, needs_inertia)

    def radius(self, path: Path, value: float) -> Iterator[Finding]:
        if value > 0.5 * self.size:
            what = f"{value:g} m is thicker than the machine of {self.size:.3g} m; "
            yield Finding("length", path, what + meant(value / 1e3, "m", f"{value:g} mm"))

    def drive(
        self, path: Path, turning: bool, rotor: Rotor, friction: Friction, limits: Limits
    ) -> Iterator[Finding]:
        """Rotor, limits and friction of a joint, a leg or a cylinder."""
        fields = self.fields
        yield from self._rotor((*path, *fields.rotor), turning, rotor)
        position = (*path, *fields.position)
        if turning:
            for k, bound in enumerate(limits.position or ()):
                written = self.written((*position, k))
                yield from angle((*position, k), bound if written is None else written, MANY_TURNS)
        else:
            yield from lengths(position, limits.position or (0.0,))
        too_fast = list(velocity((*path, *fields.velocity), limits.velocity, turning))
        yield from too_fast
        if limits.effort is not None:
            fastest = 0.0 if too_fast else limits.velocity or 0.0
            yield from self._effort((*path, *fields.effort), turning, limits.effort)
            yield from self._friction(path, turning, friction, limits.effort, fastest)

    def _rotor(self, path: Path, turning: bool, rotor: Rotor) -> Iterator[Finding]:
        inertia = self.mass * (self.size**2 if turning else 1.0)
        geared = rotor.gear_ratio != 1.0
        if not rotor.reflected > LARGEST_ROTOR * inertia > 0 or (geared and not turning):
            return
        unit, small, factor = ("kg m^2", "g cm^2", 1e7) if turning else ("kg", "g", 1e3)
        what = f"{rotor.inertia:g} {unit} "
        if geared:
            what += f"at gear ratio {rotor.gear_ratio:g}, {rotor.reflected:.3g} {unit} at the joint, "
        what += f"is {rotor.reflected / inertia:.0f} times all that moves; "
        guess = meant(rotor.inertia / factor, unit, f"{rotor.inertia:g} {small}")
        yield Finding("rotor", path, what + guess)

    def _effort(self, path: Path, turning: bool, effort: float) -> Iterator[Finding]:
        weight = 9.81 * self.mass
        unit, small, load = ("N m", "N mm", weight * self.size) if turning else ("N", "mN", weight)
        if effort > STRONGEST * load > 0:
            what = f"{effort:g} {unit} is {effort / load:.0f} times the weight of all that moves; "
            yield Finding("limits", path, what + meant(effort / 1e3, unit, f"{effort:g} {small}"))
        elif self.shared and not turning and effort < WEAKEST * weight:
            what = f"{effort:g} N cannot carry a weight of {weight:.3g} N; "
            yield Finding("limits", path, what + meant(1e3 * effort, "N", f"{effort:g} kN"))

    def _friction(
        self, path: Path, turning: bool, friction: Friction, effort: float, fastest: float
    ) -> Iterator[Finding]:
        unit, per, word = ("N m", "N m s", "torque") if turning else ("N", "N s/m", "force")
        backward, forward = friction.breakaway
        coulomb = max(forward, -backward)
        if coulomb > effort:
            what = f"{coulomb:g} {unit} is above its limit of effort, {effort:g} {unit}; it cannot move"
            yield Finding("friction", (*path, *self.fields.coulomb), what)
        slowed = friction.viscous * fastest**friction.viscous_power
        if slowed > effort:
            what = (
                f"{friction.viscous:g} {per} takes {slowed:g} {unit} at the limit of speed, above the "
                f"limit of {word}, {effort:g} {unit}"
            )
            yield Finding("friction", (*path, *self.fields.viscous), what)


def _body(path: Path, found: Body, size: float, as_published: bool) -> Iterator[Finding]:
    """Mass, center of mass and inertia of one body, beside the size of the machine [m]."""
    mass, moments = found.mass, np.linalg.eigvalsh(found.inertia)
    greatest = float(moments[-1])
    if mass > HEAVIEST * max(size, 0.05) ** 3:
        guess = meant(mass / 1e3, "kg", f"{mass:g} g")
        what = f"{mass:g} kg is too heavy for a machine of {size:.3g} m; {guess}"
        yield Finding("mass", (*path, "mass"), what)
        return
    away = float(np.linalg.norm(found.center_of_mass))
    if away > 1.2 * size + 0.1:
        most = float(max(found.center_of_mass, key=abs))
        what = f"is {away:.3g} m from the frame, outside the machine of {size:.3g} m; "
        guess = meant(most / 1e3, "m", f"{most:g} mm")
        what += guess if away / 1e3 < size else "did you mean another frame?"
        yield Finding("center_of_mass", (*path, "center_of_mass"), what)
    if mass and not greatest > 0:
        what = f"has a mass of {mass:g} kg but no inertia; add inertia: [Ixx, Iyy, Izz] about its center"
        yield Finding("inertia", (*path, "inertia"), what)
    elif is_impossible(found.inertia) and not as_published:
        what = (
            f"principal moments {', '.join(f'{m:.4g}' for m in moments)} kg m^2 belong to no body (one "
            "is negative, or above the other two together); did you mean it about another point, or "
            "products of the other sign? If it was published so, say inertia_as_published: true"
        )
        yield Finding("inertia", (*path, "inertia"), what)
    elif mass:
        yield from _gyration((*path, "inertia"), mass, greatest, size)


def _gyration(path: Path, mass: float, moment: float, size: float) -> Iterator[Finding]:
    radius = math.sqrt(moment / mass)
    if radius > LARGEST_GYRATION * size:
        units = ((1e3, "g m^2"), (1e4, "kg cm^2"), (1e6, "kg mm^2"), (1e7, "g cm^2"), (1e9, "g mm^2"))
        fits = [(f, u) for f, u in units if 0.003 * size < math.sqrt(moment / f / mass) < 0.5 * size]
        guess = (
            meant(moment / fits[0][0], "kg m^2", f"{moment:g} {fits[0][1]}")
            if fits
            else "check its unit"
        )
        what = f"{moment:g} kg m^2 for {mass:g} kg is a body {radius:.3g} m wide, in a machine of "
        yield Finding("inertia", path, f"{what}{size:.3g} m; {guess}")
    elif radius < SMALLEST_GYRATION * size:
        what = (
            f"{moment:g} kg m^2 for {mass:g} kg is a body {1e3 * radius:.2g} mm wide, in a machine of "
            f"{size:.3g} m; is it in kg m^2 and about the center of mass?"
        )
        yield Finding("inertia", path, what)
