"""The report of an inverse dynamics: which efforts a motion needs, and what for."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from linkwork.analysis.study import Study
from linkwork.core.text import listed, number
from linkwork.drawing.time_plots import as_shown
from linkwork.kinematics.singularity import NEAR_SINGULAR, SINGULAR
from linkwork.reports import figures
from linkwork.reports.live import of_study
from linkwork.reports.page import Page
from linkwork.reports.tables import (
    Table,
    body_table,
    count_limits,
    greatest,
    limits_note,
    marked,
    peak_table,
    range_table,
    robot_sentences,
    robot_table,
    sentence,
)
from linkwork.robot.limits import Quantity
from linkwork.robot.robot import Array, Robot

SLIDES = " In slides of cylinders: the force across them, and the moment about their end."
INDETERMINATE = (
    " This robot has more constraints than statics needs: some components depend on the elasticity of"
    " its links. Shown are the determinate ones, and nothing where there are none."
)
ROUNDING = 1e-10  # of the greatest effort: formulations that differ by less agree


def inverse_report(
    found: Study, command: str | None = None, advance: Callable[[int], None] = lambda done: None
) -> Page:
    """A page about the efforts of a motion; `advance` is told of every figure."""
    title = f"Inverse dynamics of {found.robot.name}: {found.motion_name}"
    page = Page(title, summary(found), command, advance)
    add_inverse(page, found)
    page.section("The robot")
    add_robot(page, found.robot)
    return page


def summary(found: Study) -> str:
    """What a reader should know first."""
    words = [
        f"The motion takes {number(found.time[-1] - found.time[0])} s. The greatest "
        f"{found.effort.name} is {greatest(found.time, found.effort, found.robot.angle_unit)}."
    ]
    limited = [what.name for what in found.measured if what.bounded]
    if found.violations:
        broken = count_limits(found.violations)
        words.append(f"**The motion breaks {broken} of the robot file**, see below.")
    elif limited:
        words.append(f"All limits of the robot file are kept ({', '.join(limited)}).")
    else:
        words.append("The robot file has no limits to check.")
    if not found.conditioning:
        return " ".join(words)
    condition = found.conditioning[0]
    at = int(np.argmax(condition.values))
    worst, when = float(condition.values[at]), f"t = {number(found.time[at])} s"
    if worst >= SINGULAR:
        words.append(f"**The mechanism is singular at {when}.**")
    elif worst >= NEAR_SINGULAR and condition.of_efforts:
        words.append(
            f"**The motion passes close to a singular pose** (condition number {number(worst, 3)} at "
            f"{when}), where efforts grow without bound: the peaks tell how near a sample comes to it."
        )
    else:
        words.append(f"The condition number is {number(worst, 3)} at worst ({when}).")
    return " ".join(words)


def add_inverse(page: Page, found: Study, prefix: str = "", level: int = 2) -> None:
    """The sections of a study; `prefix` keeps names of figures apart on a page with several."""
    time, effort, noun = found.time, found.effort, found.actuated_element
    page.section("The motion", level)
    add_mechanism(page, found, prefix)
    add_moving(page, time, found.moving, found.robot, prefix)

    page.section(f"{effort.name.capitalize()}s", level)
    add_table(
        page,
        peak_table(effort, found.peaks, noun),
        f"Peaks of the {effort.name}s and of the power, and when they occur.{marked(effort)}",
    )
    page.figure(
        figures.effort_figure(found),
        f"{effort.name.capitalize()} of every {noun}.{limits_note(effort.bounded)}",
        f"{prefix}effort",
        channels=found.robot.n,
    )
    page.section("Effort breakdown", level)
    page.figure(
        figures.parts_figure(found),
        f"{effort.name.capitalize()} of every {noun} and its parts, which add up to the total."
        + limits_note(effort.bounded),
        f"{prefix}parts",
    )
    add_table(
        page, _parts_table(found), f"Parts of the {effort.name}: greatest magnitude along the motion."
    )
    if len(found.by_formulation) > 1:
        add_formulations(page, found, prefix, level)

    page.section("Reactions in the joints", level)
    page.figure(
        figures.stacked_figure(time, found.reactions, 1.6),
        "Magnitude of the reactions in every joint."
        + (SLIDES if any(name.endswith(" slide") for name in found.joint_reactions.names) else "")
        + ("" if found.robot.determinate else INDETERMINATE),
        f"{prefix}reactions",
    )
    for channels in dict.fromkeys(what.channels for what in found.reactions):
        caption = "Greatest reactions, and when they occur."
        add_table(page, _reaction_table(found, channels), caption)
    if found.conditioning:
        page.section("Conditioning", level)
        page.figure(
            figures.conditioning_figure(time, found.conditioning),
            "Condition number: a large value indicates a nearby singularity.",
            f"{prefix}conditioning",
        )
    add_limits(page, found, level)


def add_limits(page: Page, found: Study, level: int = 2) -> None:
    """Every limit and its margin; those broken in words."""
    page.section("Limits", level)
    table = range_table(found.time, found.measured, found.actuated_element, found.robot.angle_unit)
    if not table.rows:
        page.text("The robot file has no limits.")
        return
    page.text(
        f"**The motion breaks {count_limits(found.violations)}:**\n\n"
        + "\n".join(f"- {sentence(one, found.robot.angle_unit)}" for one in found.violations)
        if found.violations
        else "All limits of the robot file are kept."
    )
    page.text(f"Least margin, (limit − demand) / limit: **{found.margin}**.")
    add_table(page, table, f"Ranges along the motion beside their limits.{marked(*found.measured)}")


def add_robot(page: Page, robot: Robot) -> None:
    """What the robot is."""
    page.text(robot_sentences(robot))
    add_table(page, robot_table(robot), f"Joints of {robot.name}, drawn at home.")
    add_table(page, body_table(robot), f"Bodies of {robot.name}.")


def add_table(page: Page, table: Table, caption: str) -> None:
    page.table(table.header, table.rows, caption, table.marks)


def add_moving(
    page: Page, time: Array, moving: Sequence[Quantity], robot: Robot, prefix: str = ""
) -> None:
    """Positions, velocities, angles: together where one scale serves all channels, else each alone."""
    moving = [as_shown(what, robot.angle_unit) for what in moving]
    together = [what for what in moving if what.alike]
    for what in moving:
        if what.alike and what is not together[0]:
            continue
        shown = together if what.alike else [what]
        bounded = any(one.bounded for one in shown)
        page.figure(
            figures.stacked_figure(time, shown, 2.3 if len(shown) < 3 else 1.9)
            if what.alike
            else figures.panels_figure(time, what),
            f"{listed([one.name for one in shown]).capitalize()} of every {robot.actuated_element}."
            f"{limits_note(bounded)}",
            prefix + "-and-".join(one.name.replace(" ", "-") for one in shown[:2]),
        )


def add_formulations(page: Page, found: Study, prefix: str = "", level: int = 2) -> None:
    """Several formulations over each other, and how far they are from the first."""
    first, *others = found.by_formulation
    page.section("Formulations compared", level)
    page.figure(
        figures.formulation_figure(found),
        f"{found.effort.name.capitalize()} of every {found.actuated_element} by {len(others) + 1}"
        " formulations.",
        f"{prefix}formulations",
    )
    peak = np.abs(found.by_formulation[first]).max()
    apart = max(
        np.abs(found.by_formulation[name] - found.by_formulation[first]).max() for name in others
    )
    if apart > ROUNDING * peak:
        page.figure(
            figures.difference_figure(found),
            f"Difference of the formulations from {first}.",
            f"{prefix}differences",
        )
    else:
        page.text("All formulations agree to rounding.")
    add_table(page, difference_table(found), f"Greatest difference from {first}, and when it occurs.")


def difference_table(found: Study) -> Table:
    """How far the formulations are from the first one, for every joint or leg."""
    first, *others = found.by_formulation
    header = [found.actuated_element]
    for name in others:
        header += [f"{name} [{found.effort.unit}]", "at [s]", "share of peak [%]"]
    reference = found.by_formulation[first]
    rows = []
    for k, channel in enumerate(found.effort.channels):
        row: list[object] = [channel]
        for name in others:
            difference = found.by_formulation[name][:, k] - reference[:, k]
            at = int(np.argmax(np.abs(difference)))
            peak = float(np.abs(reference[:, k]).max())
            share = 100 * abs(float(difference[at])) / peak if peak else None
            row += [float(difference[at]), float(found.time[at]), share]
        rows.append(tuple(row))
    return Table(tuple(header), tuple(rows))


def add_mechanism(page: Page, found: Study, prefix: str = "") -> None:
    """The robot along its motion, as a live figure."""
    page.figure(
        figures.mechanism_figure(found.robot, found.time, found.position),
        f"{found.robot.name} along its motion at equal steps of time, faint to strong; dashed: path of "
        f"its tool, from the ring to the dot. {found.actuated_element.capitalize()}s have the colors "
        "of the other figures.",
        f"{prefix}mechanism",
    )
    page.live(f"{prefix}mechanism", found.robot, [of_study(found)])


def _parts_table(found: Study) -> Table:
    header = (found.actuated_element, *(f"{name} [{found.effort.unit}]" for name in found.parts))
    rows = []
    for k, channel in enumerate(found.effort.channels):
        peaks = [float(np.abs(values[:, k]).max()) for values in found.parts.values()]
        # What is left of differences that should be zero is rounding.
        rows.append((channel, *(peak if peak > 1e-12 * max(peaks) else 0.0 for peak in peaks)))
    return Table(header, tuple(rows))


def _reaction_table(found: Study, channels: tuple[str, ...]) -> Table:
    """Reactions of these joints or legs; none where statics does not determine them."""
    reactions = [what for what in found.reactions if what.channels == channels]
    header = [found.actuated_element]
    for what in reactions:
        header += [what.label, "at [s]"]
    rows = []
    for k, channel in enumerate(channels):
        row: list[object] = [channel]
        for what in reactions:
            values = what.values[:, k]
            known = np.isfinite(values).any()
            at = int(np.nanargmax(values)) if known else 0
            row += [float(values[at]), float(found.time[at]) if known else float("nan")]
        rows.append(tuple(row))
    return Table(tuple(header), tuple(rows))
