"""The report of a load that was identified: estimate, intervals, what is left, the body drawn."""

from __future__ import annotations

from collections.abc import Callable

from linkwork.core.text import number
from linkwork.identification.payload import QUANTITIES, UNITS, Payload
from linkwork.model.mechanism import tool_frame
from linkwork.reports.bodies import payload_figure
from linkwork.reports.figures import compared_figure
from linkwork.reports.identification import residual_figure, spectrum_figure
from linkwork.reports.page import Page
from linkwork.robot.limits import quantity


def payload_report(
    found: Payload, command: str | None = None, advance: Callable[[int], None] = lambda done: None
) -> Page:
    """A page about a load; `advance` is told of every figure."""
    low, high = (number(float(each), 3) for each in found.interval[0])
    summary = (
        f"The load has a mass of {number(found.mass, 4)} kg, between {low} and {high} kg at "
        f"{100 * found.confidence:g} % confidence, and its center of mass is at "
        f"{', '.join(number(float(x), 3) for x in found.center)} m in the axes of the tool. Gains of "
        f"efforts may be wrong by {100 * found.gain_error:g} % (one standard deviation)."
    )
    page = Page(f"Payload of {found.robot.name}", summary, command, advance)
    page.section("The load")
    header = ["quantity", "estimate", "from", "to", "body that can exist", "if gains are exact", "unit"]
    page.table(header, rows(found), "In the axes of the tool; the inertia is about the center of mass.")
    for note in found.notes:
        page.text(note if note.endswith(".") else f"{note}.")
    page.figure(
        payload_figure(found.robot, found.body, tool_frame(found.robot.mechanism)[1]),
        "The robot at home. Ellipses: the solid of constant density with the load's mass and inertia; "
        "dashed: from the tool's origin to the center of mass.",
        "load",
    )
    page.section("Efforts")
    efforts = found.robot.efforts
    for k, log in enumerate(found.predictions):
        measured = quantity("effort", efforts.names, efforts.units, log.measured)
        curves = {"measured": log.measured, "without the load": log.before, "with it": log.after}
        page.figure(
            compared_figure(log.time, measured, curves),
            f"`{log.source}`: efforts as measured, and of the robot without and with the load.",
            f"efforts-{k + 1}",
        )
    log = found.predictions[0]
    page.figure(residual_figure(efforts, log), "Measured less predicted effort.", "residuals")
    page.figure(
        spectrum_figure(efforts, log, found.bandwidth),
        "Residual spectrum. Sensor noise is flat; a peak or a slope is something that the "
        f"model does not have. Dashed: the filter, {number(found.bandwidth, 3)} Hz.",
        "spectrum",
    )
    page.section("Scales of efforts")
    page.text(
        "By how much the efforts of each actuator would have to be multiplied, so that all of them feel "
        "the same load; 1 is as in the log. Without a load of known mass, their common part is only as "
        "well known as the gains are said to be."
    )
    page.table(["actuator", "scale", "from", "to", *gains_header(found)], scale_rows(found), "")
    return page


def rows(found: Payload) -> list[list[object]]:
    """A row for each quantity."""
    center, J = found.body.center_of_mass, found.body.inertia
    body = [found.body.mass, *center, *J.diagonal(), J[0, 1], J[0, 2], J[1, 2]]
    return [
        [
            name,
            float(found.values[k]) if found.shown[k] else "not shown",
            *(float(each) for each in found.interval[k]),
            float(body[k]),
            " to ".join(number(float(each), 3) for each in found.exact_gains[k]),
            UNITS[k],
        ]
        for k, name in enumerate(QUANTITIES)
    ]


def gains_header(found: Payload) -> list[str]:
    """Of a column of gains, where logs have currents."""
    return [] if found.gains is None else ["gain with this scale"]


def scale_rows(found: Payload) -> list[list[object]]:
    """A row for each actuator."""
    table: list[list[object]] = []
    for k, name in enumerate(found.robot.efforts.names):
        row: list[object] = [name, float(found.scales[k]), *(float(x) for x in found.scales_interval[k])]
        if found.gains is not None:
            row.append(float(found.scales[k] * found.gains.values[k]))
        table.append(row)
    return table
