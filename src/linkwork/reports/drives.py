"""Sections about drives: what motors must do, their margins and supply, and drives of a catalog."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from linkwork.analysis.drive_choice import DriveChoice, DriveOption
from linkwork.analysis.drives import DriveDemand, DriveStudy
from linkwork.core.text import number
from linkwork.drawing.style import INK, grid, style
from linkwork.drawing.time_plots import look
from linkwork.reports.page import Page

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RPM = 30 / math.pi
MOST_LISTED = 20


def drive_sections(page: Page, found: DriveStudy) -> None:
    """What the drives of the robot file must do; nothing without drives."""
    demands = found.demands
    if not demands:
        return
    page.section("At the motors")
    noun = found.robot.actuated_element
    kinds = {demand.drive.in_words for demand in demands}
    if len(kinds) == 1:
        page.text(f"Every {noun} has the drive {next(iter(kinds))}. {_duty(found)}")
    else:
        page.text(_duty(found))
    _demand_table(page, found)
    _margin_table(page, found)
    page.figure(
        torque_figure(found),
        "Torque and speed of every motor at all samples; the cross is RMS torque at mean speed. Solid: "
        "peak envelope of the motor, dotted: what the amplifier's voltage leaves, dashed: rated.",
        "motor-torque-speed",
    )
    supplies = found.supplies
    if supplies:
        header = ("motion", "cycle [s]", "peak [W]", "drawn [W]", "returned [J]", "returned peak [W]")
        rows = [
            (
                each.motion,
                each.period,
                each.peak_power,
                each.drawn_power,
                each.returned_energy,
                each.returned_peak,
                each.resistor_power,
            )
            for each in supplies
        ]
        page.table(
            (*header, "braking resistor [W]"),
            rows,
            "What all drives draw from one supply on average, and what comes back to it in a cycle; a "
            "braking resistor turns that into heat where nothing stores it.",
        )


def _duty(found: DriveStudy) -> str:
    duty = found.duty
    pauses = [duty.pause_after(load.duration) for load in found.loads]
    if max(pauses) > 0:
        held = "brakes hold" if duty.braked else "motors hold"
        said = f"Each motion repeats after a pause of {_range(pauses)} s in which {held} the robot"
    else:
        said = "Each motion repeats without a pause"
    return f"{said}, in surroundings of {number(duty.ambient)} °C."


def _range(values: list[float]) -> str:
    low, high = min(values), max(values)
    return number(low) if low == high else f"{number(low)} to {number(high)}"


DEMANDS: Mapping[str, Callable[[DriveDemand], float | None]] = {
    "peak torque [N m]": lambda d: d.peak_torque,
    "RMS torque [N m]": lambda d: d.rms_torque,
    "greatest speed [rpm]": lambda d: RPM * d.peak_speed,
    "mean speed [rpm]": lambda d: RPM * d.mean_speed,
    "peak power [W]": lambda d: d.peak_power,
    "peak current [A]": lambda d: d.peak_current,
    "RMS current [A]": lambda d: d.rms_current,
    "voltage [V]": lambda d: d.voltage,
    "copper loss, mean [W]": lambda d: d.copper_power,
    "friction of shafts and meshes, mean [W]": lambda d: d.friction_power,
    "electrical power, mean [W]": lambda d: d.electrical_power,
    "winding at its hottest [°C]": lambda d: d.winding,
    "housing at its hottest [°C]": lambda d: d.housing,
    "inertia ratio": lambda d: d.inertia_ratio,
    "torque that holds at rest [N m]": lambda d: d.holding_torque,
}


def _demand_table(page: Page, found: DriveStudy) -> None:
    demands = found.demands
    rows: list[list[object]] = []
    if len({demand.drive.in_words for demand in demands}) > 1:
        rows.append(["drive", *(demand.drive.in_words for demand in demands)])
    for what, number_of in DEMANDS.items():
        values = [number_of(demand) for demand in demands]
        if any(value is not None for value in values):
            rows.append([what, *map(_shown, values)])
    rows.append(["holds without power", *("yes" if demand.holds else "no" for demand in demands)])
    page.table(
        ["at the motor", *(demand.name for demand in demands)],
        rows,
        "The most of all motions with their pauses. Temperatures are those of the steady cycle.",
    )


def _shown(value: float | None) -> object:
    return "without end" if value is not None and math.isinf(value) else value


def _margin_table(page: Page, found: DriveStudy) -> None:
    demands = found.demands
    limits = list(dict.fromkeys(limit for demand in demands for limit in demand.margins))
    if not limits:
        return
    rows: list[list[object]] = []
    marks = []
    for k, limit in enumerate(limits):
        margins = [demand.margins.get(limit, (None, ""))[0] for demand in demands]
        marks += [(k, 1 + n) for n, margin in enumerate(margins) if margin is not None and margin < 0]
        rows.append([limit, *map(_percent, margins)])
    rows.append(["least", *(_percent(demand.margin) for demand in demands)])
    page.table(
        ["margin [%]", *(demand.name for demand in demands)],
        rows,
        "Margins, (limit − demand) / limit, of every limit that a part of the drive has; of windings "
        "above the surroundings. Marked if negative.",
        marks,
    )


def _percent(margin: float | None) -> object:
    if margin is None:
        return None
    return "none" if margin < -1e4 else 100 * margin


def torque_figure(found: DriveStudy) -> Figure:
    """Torque against speed of every motor, with its envelopes."""
    demands = found.demands
    columns = min(3, len(demands))
    figure, axes = grid(2.1, len(demands), columns, 0.5, sharex=False, sharey=False)
    with style():
        for k, (demand, ax) in enumerate(zip(demands, axes, strict=True)):
            for one in found.cycles[demand.name]:
                s = one.samples
                ax.plot(RPM * s.speed[0], s.torque[0], ".", markersize=2, color=look(k)["color"])
            _envelopes(ax, demand)
            ax.plot(RPM * demand.mean_speed, demand.rms_torque, "x", color=INK, markersize=5)
            ax.set_title(demand.name)
            if k % columns == 0:
                ax.set_ylabel("torque [N m]")
            if k >= len(demands) - columns:
                ax.set_xlabel("speed [rpm]")
    return figure


def _envelopes(ax: object, demand: DriveDemand) -> None:
    """Mirrored into all quadrants: peak envelope, voltage line, rated point."""
    motor, feed = demand.drive.motor, demand.drive.amplifier
    top = motor.max_speed or 1.2 * demand.peak_speed
    lines = []
    if motor.torque_speed is not None:
        speeds, torques = np.array(motor.torque_speed).T
        lines.append((speeds, torques, "-"))
    elif motor.peak_torque is not None:
        lines.append((np.array([0, top, top]), np.array([1, 1, 0]) * motor.peak_torque, "-"))
    if motor.rated_torque is not None:
        rated = motor.rated_speed or top
        lines.append((np.array([0, rated, rated]), np.array([1, 1, 0]) * motor.rated_torque, "--"))
    if feed is not None and feed.voltage and motor.torque_constant and motor.resistance:
        stall = motor.torque_constant * feed.voltage / motor.resistance
        idle = feed.voltage / motor.torque_constant
        highest = max([motor.peak_torque or 0.0, *(float(t.max()) for _, t, _ in lines)]) or stall
        from_here = idle * max(0.0, 1 - highest / stall)
        lines.append((np.array([from_here, idle]), np.array([min(highest, stall), 0.0]), ":"))
    for speeds, torques, kind in lines:
        for sign in (1, -1):
            for side in (1, -1):
                ax.plot(RPM * side * speeds, sign * torques, kind, color=INK, linewidth=0.9)  # type: ignore[attr-defined]


def choice_section(page: Page, choice: DriveChoice) -> None:
    """The best drives of a catalog for some actuators, and why others do not serve."""
    page.section(f"Drives for {', '.join(choice.names)}")
    excluded = ", ".join(f"{limit} ({count})" for limit, count in choice.excluded.items())
    page.text(
        f"{len(choice.feasible)} of {len(choice)} combinations serve."
        + (f" What the others lack most: {excluded}." if excluded else "")
    )
    options = choice.best(MOST_LISTED)
    if not options:
        return
    places = list(dict.fromkeys(place for each in options for place in each.drive.named_parts))
    known = {
        head: number_of
        for head, number_of in OPTIONS.items()
        if any(not math.isnan(number_of(each)) for each in options)
    }
    rows: list[list[object]] = []
    margins: list[list[object]] = []
    limits = list(dict.fromkeys(limit for option in options for limit in option.margins))
    for k, option in enumerate(options, 1):
        named = option.drive.named_parts
        parts = [named[place].name if place in named else "none" for place in places]
        values = [number_of(option) for number_of in known.values()]
        rows.append([k, *parts, *values])
        least = [_percent(option.margin), option.limited_by]
        margins.append([k, *least, *(_percent(option.margins.get(limit)) for limit in limits)])
    more = len(choice.feasible) - len(options)
    page.table(
        ["", *places, *known],
        rows,
        "Greatest numbers of all these actuators and motions, each drive with its own inertia, friction "
        "and efficiencies." + (f" {more} more are not shown." if more else ""),
    )
    page.table(
        ["", "least [%]", "limited by", *(f"{limit} [%]" for limit in limits)],
        margins,
        "All margins of these drives, the least of all actuators and motions.",
    )


OPTIONS: Mapping[str, Callable[[DriveOption], float]] = {
    "price": lambda each: math.nan if each.price is None else each.price,
    "mass [kg]": lambda each: math.nan if each.mass is None else each.mass,
    "peak [N m]": lambda each: each.numbers["peak_torque"],
    "RMS [N m]": lambda each: each.numbers["rms_torque"],
    "speed [rpm]": lambda each: RPM * each.numbers["peak_speed"],
    "winding [°C]": lambda each: each.numbers["winding"],
    "inertia ratio": lambda each: each.numbers["inertia_ratio"],
}
