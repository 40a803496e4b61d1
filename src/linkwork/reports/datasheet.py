"""The data sheet of a machine as a document that one would send to a customer."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from linkwork.analysis.capability import Reach
from linkwork.analysis.compliance import MARGIN, YES, ComplianceLine
from linkwork.analysis.datasheet import DataSheet, FoundationLoad
from linkwork.analysis.requirements import axes_of
from linkwork.core.text import number, shown, shown_unit
from linkwork.drawing.style import new_figure, style
from linkwork.drawing.time_plots import look
from linkwork.reports.dimensions import dimension_figure
from linkwork.reports.drives import drive_sections
from linkwork.reports.page import Page
from linkwork.reports.sizing import cloud_figure, demand_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

POINTS = 41  # of natural frequencies along an axis
INFINITE = "not limited"


def datasheet_report(
    found: DataSheet, command: str | None = None, advance: Callable[[int], None] = lambda done: None
) -> Page:
    """The data sheet as a page."""
    asked = found.requirements
    revision = f"revision {asked.revision}" if asked.revision else ""
    running = ", ".join(filter(None, (found.title, asked.customer, revision, found.date)))
    page = Page(found.title, _summary(found), None, advance, running)
    _document(page, found)
    _compliance(page, found)
    _performance(page, found)
    page.section("Dimensions")
    page.figure(
        dimension_figure(found.robot, found.states.position),
        "At home, in mm. The first dimension is that of the machine at home; the dashed frame and the "
        "second one hold it in all required excursions.",
        "dimensions",
    )
    _actuators(page, found)
    _reactions(page, found)
    _foundation(page, found)
    _stops(page, found)
    _joint_angles(page, found)
    _frequencies(page, found)
    _masses(page, found)
    _basis(page, found, command)
    return page


def _summary(found: DataSheet) -> str:
    lines = found.compliance
    missed = [line for line in lines if not line.met]
    if not missed:
        return f"{found.of_file.name} meets **all {len(lines)} requirements**."
    names = "; ".join(line.requirement for line in missed)
    met = f"{len(lines) - len(missed)} of {len(lines)} requirements"
    return f"{found.of_file.name} meets {met}. **Not met:** {names}."


def _document(page: Page, found: DataSheet) -> None:
    asked, load = found.requirements, sum(each.mass for each in found.loads.values())
    blank = "\N{NO-BREAK SPACE}" * 24
    rows = [
        ("machine", found.of_file.name),
        ("customer", asked.customer),
        ("revision", asked.revision),
        ("date", found.date),
        ("mass", f"{number(found.bare.mechanism.mass)} kg"),
        ("payload", f"{number(load)} kg beside the machine's own bodies" if load else ""),
        ("actuators", f"{found.robot.n}, {', '.join(found.robot.efforts.names)}"),
        ("footprint", f"{_mm(found.footprint)} radius to the farthest base joint"),
    ]
    page.table(("document", ""), [row for row in rows if row[1]], "The machine and this document.")
    people = [("prepared", asked.author or blank), ("checked", blank), ("approved", blank)]
    page.table(("", "name", "date", "signature"), [(*row, blank, blank) for row in people], "Release.")


def _mm(length: float) -> str:
    return f"{number(1000 * length)} mm"


def cells(line: ComplianceLine, found: DataSheet) -> tuple[str, str]:
    """Required and achieved as people read them."""
    signs = {"at least": "≥", "at most": "≤"}
    values = (line.required, line.achieved)
    if line.unit == YES:
        words = tuple("yes" if value else "no" for value in values)
    elif line.unit == MARGIN:
        words = tuple(f"{number(100 * value, 3)} %" for value in values)
    else:
        angles = found.requirements.angle_unit
        words = tuple(
            INFINITE if math.isinf(value) else _value(value, line.unit, angles) for value in values
        )
    return (words[0] if line.unit == YES else f"{signs[line.sense]} {words[0]}"), words[1]


def _value(value: float, unit: str, angles: str) -> str:
    """With its unit, without prefixes: columns are compared."""
    factor, name = _unit(unit, angles)
    return f"{number(factor * value)} {name}".strip()


def _compliance(page: Page, found: DataSheet) -> None:
    page.section("Compliance")
    rows, marks = [], []
    for k, line in enumerate(found.compliance):
        required, achieved = (_together(text) for text in cells(line, found))
        margin = None if math.isnan(line.margin) else f"{number(100 * line.margin, 3)} %"
        rows.append(
            (line.requirement, required, achieved, margin, "yes" if line.met else "no", line.where)
        )
        marks += [] if line.met else [(k, 4)]
    page.table(
        ("requirement", "required", "achieved", "margin", "met", "limited by, worst at"),
        rows,
        "Margin: (limit − demand) / limit; of a margin that is required itself, what is left beyond it. "
        "Excursions, velocities and accelerations are those of one axis from home; a combination is "
        "reached at 1. Margins are the least over all samples of all motions and all required states.",
        marks,
    )


def _performance(page: Page, found: DataSheet) -> None:
    page.section("Excursions, velocities, accelerations")
    angles = found.requirements.angle_unit

    def cell(pair: tuple[Reach, Reach], unit: str) -> str:
        low, high = (abs(each.value) for each in pair)
        factor, name = _unit(unit, angles)
        if math.isinf(low) or math.isinf(high):
            return INFINITE
        if math.isclose(low, high, rel_tol=1e-6):
            return f"±{number(factor * low)} {name}"
        return f"−{number(factor * low)} / +{number(factor * high)} {name}"

    def limits(*pairs: tuple[Reach, Reach]) -> str:
        return ", ".join(dict.fromkeys(each.limit for pair in pairs for each in pair if each.limit))

    rows = [
        (
            one.axis,
            _together(cell(one.excursion, one.unit)),
            _together(cell(one.velocity, f"{one.unit}/s")),
            _together(cell(one.acceleration, f"{one.unit}/s^2")),
            limits(one.excursion, one.velocity, one.acceleration),
        )
        for one in found.capabilities
    ]
    page.table(
        ("axis", "excursion", "velocity", "acceleration", "limited by"),
        rows,
        "Each axis alone from home, with the payload: excursions with the other axes at home, "
        "velocities at home without acceleration, accelerations at home from rest. They do not occur "
        "at the same time; what does is in the motions.",
    )


def _together(text: str) -> str:
    """A value that no line breaks, with its power as it is set."""
    return text.replace("^2", "²").replace(" ", "\N{NO-BREAK SPACE}")


def _unit(unit: str, angles: str) -> tuple[float, str]:
    if angles == "deg" and "rad" in unit:
        return 180 / math.pi, unit.replace("rad", "deg")
    return 1.0, unit


def _actuators(page: Page, found: DataSheet) -> None:
    sizing = found.sizing
    page.section("Actuators")
    stroke, where = found.stroke
    place = "m" if "N" in found.robot.efforts.units else "rad"
    taken = shown(stroke, place, found.robot.angle_unit)
    page.text(f"Stroke that the motions and required states take: **{taken}** ({where}).")
    if sizing is None:
        return
    demand_table(page, sizing)
    page.figure(
        cloud_figure(sizing),
        f"Effort and speed of every {found.robot.actuated_element} at all samples of all motions.",
        "effort-speed",
    )
    drive_sections(page, sizing.drives)


def _reactions(page: Page, found: DataSheet) -> None:
    if not found.studies:
        return
    page.section("Reactions in the joints")
    rows: list[list[object]] = []
    labels = [what.label for what in found.studies[0].reactions]
    for k, name in enumerate(found.studies[0].reactions[0].channels):
        row: list[object] = [name]
        for of in range(len(labels)):
            values = [one.reactions[of].values[:, k] for one in found.studies]
            greatest = [float(np.nanmax(each)) if np.isfinite(each).any() else -1.0 for each in values]
            worst = int(np.argmax(greatest))
            known = greatest[worst] >= 0
            row += [greatest[worst], found.studies[worst].motion_name] if known else [None, None]
        rows.append(row)
    header = ["joint", *(word for label in labels for word in (label, "in"))]
    words = "Greatest magnitudes over all motions; the force in a slide is that across it."
    page.table(header, rows, words)


def _foundation(page: Page, found: DataSheet) -> None:
    page.section("Foundation loads")
    rows, parts = [], []
    for case, loads in _by_case(found.foundation).items():
        force, moment = (
            max(loads, key=lambda each: getattr(each, word)) for word in ("force", "moment")
        )
        rows.append((case, force.force, force.where, moment.moment, moment.where))
        components = np.max([each.components for each in loads], axis=0)
        scale = max(force.force, moment.moment)
        parts.append((case, *(0.0 if value < 1e-9 * scale else float(value) for value in components)))
    page.table(
        ("case", "force [N]", "worst in", "moment [N m]", "worst in"),
        rows,
        "What the machine does to what it stands on: greatest magnitudes, the moment about the base's "
        "origin. Normal and emergency stops along the path begin at any time of any motion; those at a "
        "time are the simulated ones of the next section.",
    )
    page.table(
        ("case", "Fx [N]", "Fy [N]", "Fz [N]", "Mx [N m]", "My [N m]", "Mz [N m]"),
        parts,
        "Greatest magnitudes of every component in base axes; they need not occur at the same time.",
    )


def _by_case(loads: Sequence[FoundationLoad]) -> dict[str, list[FoundationLoad]]:
    """All dead drives are one case."""
    found: dict[str, list[FoundationLoad]] = {}
    for each in loads:
        case = "one dead drive" if each.case.endswith(" dead") else each.case
        found.setdefault(case, []).append(each)
    return found


def _stops(page: Page, found: DataSheet) -> None:
    if found.stops is None:
        return
    page.section("Emergency stop, one dead drive, loss of power")
    asked, angles = found.requirements.stops, found.robot.angle_unit
    brakes = found.stops.braked is not None
    page.text(
        f"Simulated with drives that give no more than their limits and position loops of "
        f"{number(asked.bandwidth)} Hz. In an emergency stop the path is followed ever slower for "
        f"{number(asked.emergency)} s. A dead drive gives nothing; the others make the emergency stop "
        f"after {number(asked.reaction)} s. "
        + (
            f"The brakes close {number(asked.brake_delay)} s later, in a failure and without power."
            if brakes
            else "There are no brakes in the robot file: nothing but friction holds without power."
        )
    )
    most = found.robot.limits.effort
    bounded = bool(np.isfinite(most).all())
    rows, marks = [], []
    units = {*found.robot.efforts.units}
    unit = next(iter(units)) if len(units) == 1 else "N or N m"
    factor, turn = shown_unit("rad", angles)
    for k, each in enumerate(found.stops.simulated):
        greatest = int(np.argmax(each.effort / most if bounded else each.effort))
        speed = "" if each.limit_speed is None else f", fastest actuator {number(each.limit_speed)}"
        rows.append(
            (
                each.case,
                f"{each.onset.motion_name}, {number(each.onset.time)} s",
                each.rest,
                1000 * each.distance,
                factor * each.turn,
                float(each.effort[greatest]),
                found.robot.efforts.names[greatest],
                "yes" if each.holds else "no",
                f"{each.ended}{speed}",
            )
        )
        marks += [] if each.holds else [(k, 7)]
    heads = ("case", "from", "until rest [s]", "tool goes [mm]", f"turns [{turn}]", f"actuator [{unit}]")
    page.table(
        (*heads, "of", "holds", "ends"),
        rows,
        "From the fastest instant of all motions and from that of the greatest effort. At rest: all "
        f"actuators slower than {number(found.stops.still, 2)} m/s or rad/s. What does not hold goes on "
        "to a limit of position; the speed of the fastest actuator there is in m/s or rad/s.",
        marks,
    )


def _joint_angles(page: Page, found: DataSheet) -> None:
    ranges = found.joint_ranges
    if not ranges:
        return
    page.section("Joint angles")
    angles, rows, marks = found.robot.angle_unit, [], []
    for k, each in enumerate(ranges):
        factor, unit = shown_unit(each.unit, angles)
        limit = None if each.limit is None else factor * each.limit
        rows.append((each.name, unit, factor * each.lowest, factor * each.highest, limit))
        if each.limit is not None and max(abs(each.lowest), abs(each.highest)) > each.limit:
            marks.append((k, 3))
    page.table(
        ("joint", "unit", "lowest", "highest", "limit"),
        rows,
        "Of joints without motors over all motions and required states: from home, or from the mounting "
        "axes of the machine's file.",
        marks,
    )


def _frequencies(page: Page, found: DataSheet) -> None:
    modes = found.frequencies
    if modes is None:
        return
    page.section("Natural frequencies")
    rows = [
        (k + 1, float(home), float(lowest))
        for k, (home, lowest) in enumerate(zip(modes.home, modes.lowest, strict=True))
    ]
    page.table(
        ("mode", "at home [Hz]", "lowest [Hz]"),
        rows,
        "With motors held and the payload; the lowest over all motions and required states, of the "
        f"first mode in {modes.where}.",
    )
    page.figure(
        frequency_figure(found),
        "Lowest natural frequency along each axis alone, over the required excursions.",
        "frequencies",
    )


def frequency_figure(found: DataSheet) -> Figure:
    """The lowest natural frequency over the required excursions of each axis, as shares of them."""
    robot, asked = found.robot, found.requirements
    axes, home = [*axes_of(robot)], robot.coordinates.to_angles(robot.home)
    figure = new_figure(2.8)
    with style():
        ax = figure.subplots()
        for k, (axis, (low, high)) in enumerate(asked.excursions.items()):
            shares = np.linspace(-1, 1, POINTS)
            rows = np.tile(home, (POINTS, 1))
            rows[:, axes.index(axis)] += np.where(shares < 0, -low, high) * shares
            values = robot.vibration_modes(robot.coordinates.from_angles(rows)).frequencies[:, 0]  # type: ignore[attr-defined]
            ax.plot(100 * shares, values, label=axis, **look(k))
        if asked.frequency is not None:
            ax.axhline(
                asked.frequency, color="0.4", linewidth=1.0, linestyle=(0, (4, 2)), label="required"
            )
        ax.set_xlabel("excursion [% of the required one]")
        ax.set_ylabel("lowest frequency [Hz]")
        ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


def _masses(page: Page, found: DataSheet) -> None:
    page.section("Masses")
    model = found.bare.mechanism
    parts = [(part.name, part.body.mass) for part in model.parts]
    parts += [("barrel", each.barrel.mass) for each in model.cylinders]
    parts += [("rod", each.rod.mass) for each in model.cylinders] + [
        ("rod", each.mass) for each in model.rods
    ]
    counts = Counter(part for part in parts if part[1])
    rows: list[tuple[object, ...]] = [
        (name, count, mass, count * mass) for (name, mass), count in counts.items()
    ]
    rows.append(("machine", None, None, model.mass))
    rows += [(name, 1, load.mass, load.mass) for name, load in found.loads.items()]
    if found.loads:
        rows.append(("machine with payload", None, None, found.robot.mechanism.mass))
    centers = ""
    for name, load in found.loads.items():
        place = ", ".join(number(float(x), scale=1.0) for x in load.center_of_mass)
        centers += f" The center of mass of the {name} is at ({place}) m in the axes of the tool."
    page.table(("body", "count", "each [kg]", "all [kg]"), rows, f"Masses of the robot file.{centers}")


def _basis(page: Page, found: DataSheet, command: str | None) -> None:
    page.section("Basis of these numbers")
    asked = found.requirements
    gravity = number(float(np.linalg.norm(found.robot.mechanism.gravity)))
    page.text(
        "Rigid bodies with exact equations of motion, friction and rotors as in the machine's file, "
        f"gravity {gravity} m/s². Motions: {', '.join(found.motions) or 'none'}, a sample every "
        f"{number(asked.period)} s. Besides, {len(found.states.labels)} required states: the ways to "
        "all excursions at rest in quarters, and the required velocities and accelerations at home. "
        "Limits are those of the file of the machine."
    )
    if command:
        page.code(command)
