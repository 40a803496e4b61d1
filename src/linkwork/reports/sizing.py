"""The page of a sizing: what every actuator must give, and which of a catalog can."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from linkwork.analysis.catalog import FACTS
from linkwork.analysis.sizing import ActuatorDemand, Sizing
from linkwork.core.text import number, shown, shown_unit
from linkwork.drawing.style import INK, grid, style
from linkwork.drawing.time_plots import look
from linkwork.reports.drives import choice_section, drive_sections
from linkwork.reports.inverse import add_robot
from linkwork.reports.page import Page
from linkwork.reports.tables import count_limits, sentence

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_LISTED = 20


def sizing_report(sizing: Sizing, command: str | None = None) -> Page:
    """A page about the actuators that a robot needs."""
    robot = sizing.robot
    page = Page(f"Actuators of {robot.name}", _summary(sizing), command)
    page.section("Actuator requirements")
    demand_table(page, sizing)
    _angle_table(page, sizing)
    page.section("Effort against speed")
    page.figure(
        cloud_figure(sizing),
        f"Effort and speed of every {robot.actuated_element} at all samples of all motions"
        + ("; the line is the envelope of the robot file." if _envelopes(sizing) else "."),
        "effort-velocity",
    )
    drive_sections(page, sizing.drives)
    for choice in sizing.choices:
        choice_section(page, choice)
    _worst(page, sizing)
    if sizing.catalog is not None:
        _catalog(page, sizing)
    page.section("Limits")
    for one in sizing.studies:
        if one.violations:
            broken = count_limits(one.violations)
            lines = "\n".join(f"- {sentence(each, robot.angle_unit)}" for each in one.violations)
            page.text(f"**{one.motion_name} breaks {broken} of the robot file:**\n\n{lines}")
        else:
            page.text(f"{one.motion_name} keeps all limits of the robot file.")
    page.section("The robot")
    add_robot(page, robot)
    return page


def _summary(sizing: Sizing) -> str:
    most = max(sizing.demands, key=lambda demand: demand.peak)
    motion, time = most.at
    angles = sizing.robot.angle_unit
    strokes, speeds = [], []
    for place in dict.fromkeys(demand.place for demand in sizing.demands):
        alike = [demand for demand in sizing.demands if demand.place == place]
        strokes.append(shown(max(demand.stroke for demand in alike), place, angles))
        speeds.append(shown(max(demand.velocity for demand in alike), f"{place}/s", angles))
    words = (
        f"Along {len(sizing.studies)} motion{'s' if len(sizing.studies) > 1 else ''} the greatest "
        f"effort is {shown(most.peak, most.unit)} ({most.name}, {motion} at t = {number(time)} s), the "
        f"longest stroke {' or '.join(strokes)} and the greatest speed {' or '.join(speeds)}."
    )
    if sizing.fits:
        best = sizing.fits[0]
        words += (
            f" Of the catalog, **{best.actuator.name}** fits closest, with {100 * best.margin:.0f} % "
            f"to spare in {best.limited_by}."
            if best.serves
            else f" **No actuator meets the requirement**; {best.actuator.name} comes closest and "
            f"lacks {-100 * best.margin:.0f} % in {best.limited_by}."
        )
    return words


def demand_table(page: Page, sizing: Sizing) -> None:
    """Units at the heads of columns, or beside the numbers where actuators differ in them."""
    angles, demands = sizing.robot.angle_unit, sizing.demands
    shares = any(demand.share is not None for demand in demands)
    same = len({demand.unit for demand in demands}) == 1
    _, unit = shown_unit(demands[0].place, angles)
    heads = {"peak": demands[0].unit, "RMS": demands[0].unit, "lowest": unit, "highest": unit}
    heads |= {"stroke": unit, "speed": f"{unit}/s"}
    header = [
        sizing.robot.actuated_element,
        *(f"{word} [{of}]" if same else word for word, of in heads.items()),
    ]
    header += ["peak power [W]", "mean power [W]"]
    rows = []
    for demand in demands:
        row: list[object] = [demand.name]
        place = demand.place
        ways = [(x, place) for x in (demand.lowest, demand.highest, demand.stroke)]
        for x, of in [
            (demand.peak, demand.unit),
            (demand.rms, demand.unit),
            *ways,
            (demand.velocity, f"{place}/s"),
        ]:
            row.append(shown_unit(of, angles)[0] * x if same else shown(x, of, angles))
        row += [demand.power, demand.mean_power]
        if shares:
            row.append(None if demand.share is None else 100 * demand.share)
        rows.append(row)
    page.table(
        [*header, "envelope used [%]"] if shares else header,
        rows,
        "The most that any motion asks; RMS and mean power of the motion where they are greatest.",
    )


def _angle_table(page: Page, sizing: Sizing) -> None:
    """Greatest angles of passive joints, if the robot file bounds any."""
    scale, unit = shown_unit("rad", sizing.robot.angle_unit)
    for channels in dict.fromkeys(tuple(most) for most in sizing.angles.values()):
        found = {label: most for label, most in sizing.angles.items() if tuple(most) == channels}
        header = ["joint", *(label.replace("[rad]", f"[{unit}]") for label in found)]
        if channels == sizing.robot.efforts.names:
            header[0] = sizing.robot.actuated_element
        factors = [scale if label.endswith("[rad]") else 1.0 for label in found]
        rows = [
            [name, *(factor * most[name] for factor, most in zip(factors, found.values(), strict=True))]
            for name in channels
        ]
        page.table(header, rows, "Greatest angles of the passive joints, from their directions at home.")


def _envelopes(sizing: Sizing) -> bool:
    return any(demand.share is not None for demand in sizing.demands)


def cloud_figure(sizing: Sizing) -> Figure:
    """Effort against speed of every actuator, with its envelope."""
    n = sizing.robot.n
    columns = min(3, n)
    mixed = len({*sizing.robot.efforts.units}) > 1
    alike = not mixed and sizing.robot.actuated_element == "leg"
    figure, axes = grid(2.1, n, columns, 0.5, sharex=alike, sharey=alike)
    with style():
        for k, ax in enumerate(axes):
            demand: ActuatorDemand = sizing.demands[k]
            factor, unit = shown_unit(f"{demand.place}/s", sizing.robot.angle_unit)
            speed, effort = sizing.cloud(k)
            ax.plot(factor * speed, effort, ".", markersize=2, color=look(k)["color"])
            if pairs := sizing.robot.limits.envelope(k):
                envelope = np.array(pairs)
                for side in (1, -1):
                    x = factor * np.concatenate([-envelope[::-1, 0], envelope[:, 0]])
                    y = side * np.concatenate([envelope[::-1, 1], envelope[:, 1]])
                    ax.plot(x, y, color=INK, linewidth=1.0)
            ax.set_title(demand.name)
            if k % columns == 0 or mixed:
                ax.set_ylabel(f"effort [{demand.unit}]")
            if k >= n - columns or mixed:
                ax.set_xlabel(f"speed [{unit}]")
    return figure


def _worst(page: Page, sizing: Sizing) -> None:
    worst = sizing.worst
    page.section("The worst instant")
    page.text(
        f"The actuator of {worst.actuator} works hardest in {worst.motion} at t = {number(worst.time)} "
        "s. The joints carry then:"
    )
    for channels in dict.fromkeys(worst.channels.values()):  # joints, and legs where they hold
        labels = [label for label, names in worst.channels.items() if names == channels]
        rows = [
            [name, *(float(worst.reactions[label][k]) for label in labels)]
            for k, name in enumerate(channels)
        ]
        noun = sizing.robot.actuated_element if channels == sizing.robot.efforts.names else "joint"
        header = [noun, *labels]
        page.table(header, rows, "Magnitudes of the reactions at the worst instant.")


def _catalog(page: Page, sizing: Sizing) -> None:
    page.section("The catalog")
    listed = sizing.fits[:MOST_LISTED]
    kinds = list(dict.fromkeys(what for fit in listed for what in fit.margins))
    facts = [what for what in FACTS if any(getattr(fit.actuator, what) is not None for fit in listed)]
    texts = list(listed[0].actuator.texts)
    heads = [f"{what.replace('_', ' ')} [%]" for what in kinds]
    header = ("actuator", "least margin [%]", "limited by", *heads, *facts, *texts)
    rows, marks = [], []
    for k, fit in enumerate(listed):
        margins = [fit.margins[what][0] if what in fit.margins else None for what in (*kinds,)]
        marks += [(k, 1)] if not fit.serves else []
        marks += [(k, 3 + n) for n, one in enumerate(margins) if one is not None and one < 0]
        rows.append(
            (
                fit.actuator.name,
                100 * fit.margin,
                fit.limited_by,
                *(None if one is None else 100 * one for one in margins),
                *(getattr(fit.actuator, what) for what in facts),
                *(fit.actuator.texts[name] for name in texts),
            )
        )
    more = len(sizing.fits) - len(listed)
    page.table(
        header,
        rows,
        "Margins, (limit − demand) / limit, least over all places; marked if negative: the actuator "
        "does not serve. Equal actuators of legs need the stroke from the shortest of all legs to the "
        "longest." + (f" {more} more are not shown." if more else ""),
        marks,
    )
