"""Tables and sentences that reports share: peaks, ranges beside their limits, the robot itself."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from linkwork.analysis.study import ChannelPeak
from linkwork.core.text import ROUNDING, AngleUnit, listed, number, numbers, shown, shown_unit
from linkwork.drawing.time_plots import as_shown, span
from linkwork.mechanics.mechanism.description import describe
from linkwork.model.mechanism import Cylinder, MechanismJoint, Rod, motor_terms, tool_frame
from linkwork.reports.cells import EMPTY, NBSP
from linkwork.robot.limits import LimitBreak, Quantity
from linkwork.robot.robot import Array, Robot

# The cosine of a small angle is rounded, which the angle itself enlarges: 5e-8 rad is nothing.
ROUNDED_ANGLES = {"rad": 5e-8, "deg": float(np.degrees(5e-8))}


@dataclass(frozen=True)
class Table:
    """What Page.table takes."""

    header: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]
    marks: frozenset[tuple[int, int]] = frozenset()


def sentence(found: LimitBreak, angles: AngleUnit) -> str:
    """A broken limit in words."""
    unit = found.unit
    return (
        f"{found.quantity} of {found.name}: {found.shown_value(angles)} at "
        f"t = {number(found.worst_time)} s, limit {shown(found.allowed, unit, angles)}, beyond it "
        f"for {number(found.duration, 3)} s from t = {number(found.first_time)} s on"
    ).replace("-", "−")


def peak_table(effort: Quantity, found: Sequence[ChannelPeak], noun: str) -> Table:
    """Peaks of the efforts, when they occur, their RMS, how much of the limit they use."""
    mixed = len(set(effort.units)) > 1
    unit = "" if mixed else f" [{effort.units[0]}]"
    powered = any(peak.power is not None for peak in found)
    header = [noun, f"peak {effort.name}{unit}", "at [s]", f"RMS{unit}"]
    header += [f"limit{unit}", "used [%]"] if effort.bounded else []
    header += ["peak power [W]", "at [s]"] if powered else []
    rows, marks = [], set()
    for k, peak in enumerate(found):
        row: list[object] = [f"{peak.name} [{peak.unit}]" if mixed else peak.name]
        row += [peak.value, peak.time, peak.rms]
        if effort.bounded:
            row += [peak.limit, None if peak.used is None else 100 * peak.used]
            if peak.used is not None and peak.used > 1:
                marks |= {(k, 1), (k, 5)}
        if powered:
            row += [peak.power, peak.power_time]
        rows.append(tuple(row))
    return Table(tuple(header), tuple(rows), frozenset(marks))


def range_table(time: Array, quantities: Sequence[Quantity], noun: str, angles: AngleUnit) -> Table:
    """Least and greatest values of what has limits, beside them, and the margin that is left."""
    header = ("quantity", noun, "least", "at [s]", "greatest", "at [s]", "allowed", "margin [%]", "unit")
    rows: list[tuple[object, ...]] = []
    marks = set()
    for what in (as_shown(one, angles) for one in quantities):
        for k, channel in enumerate(what.channels):
            one = what.channel(k)
            if not one.bounded:
                continue
            values, low, high = one.values[:, 0], float(one.low[0]), float(one.high[0])
            a, b = int(np.argmin(values)), int(np.argmax(values))
            margin = 100 * float(one.margin.min())
            marks |= {(len(rows), 7)} if margin < 0 else set()
            marks |= {(len(rows), 2)} if values[a] < low else set()
            marks |= {(len(rows), 4)} if values[b] > high else set()
            nothing = ROUNDED_ANGLES.get(what.units[k], ROUNDING * float(np.abs(values).max()))
            lowest, highest = (
                0.0 if abs(value) <= nothing else float(value) for value in (values[a], values[b])
            )
            extremes = (lowest, float(time[a]), highest, float(time[b]))
            allowed = span(low, high)
            rows.append(
                (what.name.replace(" ", NBSP), channel, *extremes, allowed, margin, what.units[k])
            )
    return Table(header, tuple(rows), frozenset(marks))


def greatest(time: Array, what: Quantity, angles: AngleUnit) -> str:
    """The greatest magnitude of a quantity, where and when; of every unit if there are several."""
    found = []
    for unit in dict.fromkeys(what.units):
        own = [k for k, other in enumerate(what.units) if other == unit]
        row, column = np.unravel_index(np.argmax(np.abs(what.values[:, own])), (len(time), len(own)))
        k = own[column]
        value = abs(float(what.values[row, k]))
        found.append(f"**{shown(value, unit, angles)}** ({what.channels[k]}, t = {number(time[row])} s)")
    return listed(found)


def count_limits(broken: Sequence[object]) -> str:
    """How many limits are broken."""
    return "one limit" if len(broken) == 1 else f"{len(broken)} limits"


def marked(*quantities: Quantity) -> str:
    """What red cells of a table mean, if there can be any."""
    bounded = any(what.bounded for what in quantities)
    return " Red: beyond a limit of the robot file." if bounded else ""


def limits_note(bounded: bool) -> str:
    """What red in a figure means, if there are limits."""
    return " Dashed red: limits where they are near; shaded red: beyond a limit." if bounded else ""


LIMITS = ("position limits", "velocity limit", "effort limit")


def robot_sentences(robot: Robot) -> str:
    """What the robot is, in a few sentences, and where its numbers come from."""
    model, found = robot.mechanism, describe(robot.mechanism)
    name, _ = tool_frame(model)
    body = model.part(name)
    own = body.frame.inverse()
    center = own.R @ body.body.center_of_mass + own.p
    words = [
        f"**{robot.name}** is made of {model.made_of} and weighs {number(found.mass)} kg. The tool is on"
        f" {name}, of {number(body.body.mass)} kg with the center of mass at ({_numbers(center)}) m in"
        " its own axes.",
        f"Its {len(found.freedoms)} freedoms are {', '.join(found.freedoms)}.",
    ]
    if found.loops:
        words.append(
            f"It has {len(found.loops)} loops: {found.relations} joints follow others linearly, "
            f"{found.closed_forms} blocks are solved by closed forms and {found.newton} by Newton's "
            f"method. Redundant constraints: {found.redundant}."
        )
    words.append(f"Gravity is ({_numbers(model.gravity)}) m/s².")
    source = f"\n\nSource: {model.source.strip()}" if model.source else ""
    return " ".join(words) + source


def robot_table(robot: Robot) -> Table:
    """All joints, rods and cylinders at home, those with motors with their limits."""
    motors = {terms[0][0]: k for k, terms in enumerate(motor_terms(robot.mechanism).values())}
    header = (
        "joint", "kind", "between", "at home [m]", "mass [kg]", "rotor at the joint [kg m² or kg]",
        "viscous friction [N m s or N s/m]", "motor", *LIMITS,
    )  # fmt: skip
    rows = []
    for tie in robot.mechanism.ties:
        k = motors.get(tie.name)
        limits = (None,) * 3 if k is None else _limits(robot, k)
        motor = None if k is None else robot.efforts.names[k]
        rows.append((tie.name, *_made(tie), motor, *limits))
    kept = [j for j in range(len(header)) if any(row[j] not in (None, EMPTY) for row in rows)]
    return Table(
        tuple(header[j] for j in kept),
        tuple(tuple(EMPTY if row[j] is None else row[j] for j in kept) for row in rows),
    )


def _made(tie: MechanismJoint | Rod | Cylinder) -> tuple[object, ...]:
    """Kind, bodies, places, masses of its own, rotor and viscous friction; None for what it has not."""
    between = " – ".join(tie.joins)
    if isinstance(tie, MechanismJoint):
        place = _numbers(tie.at)
        return tie.kind, between, place, None, tie.rotor or None, tie.friction.viscous or None
    places = f"{_numbers(tie.start)} … {_numbers(tie.end)}"
    if isinstance(tie, Rod):
        return "rod", between, places, number(tie.mass) if tie.mass else None, None, None
    masses = f"{number(tie.barrel.mass)} + {number(tie.rod.mass)}"
    kind = f"cylinder on a {tie.hinge} joint"
    return kind, between, places, masses, tie.rotor or None, tie.friction.viscous or None


def body_table(robot: Robot) -> Table:
    """Bodies with their masses; centers of mass at home in base axes."""
    rows = [
        (part.name, part.body.mass, _numbers(part.body.center_of_mass)) for part in robot.mechanism.parts
    ]
    return Table(("body", "mass [kg]", "center of mass at home [m]"), tuple(rows))


def _limits(robot: Robot, k: int) -> tuple[str, str, str]:
    """Position, velocity and effort of an actuator, in the units of the robot file."""
    limits, effort_unit = robot.limits, robot.efforts.units[k]
    unit = "rad" if effort_unit == "N m" else "m"

    def cell(value: float, unit: str) -> str:
        return _signed(shown(value, unit, robot.angle_unit)) if np.isfinite(value) else EMPTY

    ends = [cell(bound, unit) for bound in limits.position[k]]
    position = EMPTY if ends == [EMPTY, EMPTY] else " … ".join(ends)
    return position, cell(limits.velocity[k], f"{unit}/s"), cell(limits.effort[k], effort_unit)


def _numbers(values: Iterable[float]) -> str:
    return _signed(numbers(values, between=", "))


def _signed(text: str) -> str:
    return text.replace("-", "−")


def position_words(robot: Robot, position: Array) -> str:
    """A position by its coordinates that differ from home."""
    named = robot.coordinates.by_angles
    here, home = (robot.coordinates.to_angles(row) for row in (position, robot.home))
    words = []
    for name, unit, value, start in zip(named.names, named.units, here, home, strict=True):
        if abs(value - start) > 1e-9:
            factor, shown = shown_unit(unit, robot.angle_unit)
            words.append(f"{name} {number(factor * float(value), 3)} {shown}")
    return ", ".join(words) or "home"
