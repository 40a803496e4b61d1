"""The page of tolerances: errors by axis, yield, what they come from, the worst machines."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from linkwork.analysis.tolerances import AXES, Tolerances
from linkwork.core.text import number, shown, shown_unit
from linkwork.drawing.style import MUTED, VIOLATION, grid, legend_below, style
from linkwork.drawing.time_plots import literal, look
from linkwork.reports.inverse import add_robot
from linkwork.reports.page import Page
from linkwork.reports.tables import position_words
from linkwork.robot.robot import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST = 12  # sources and poses that are shown one by one
WORST = 5
POINTS = 4000  # machines in a cloud
SMALLEST = 1e-3  # beside the worst case


def tolerances_report(
    found: Tolerances, command: str | None = None, advance: Callable[[int], None] = lambda done: None
) -> Page:
    """A page about errors of the tool from tolerances."""
    page = Page(f"Tolerances of {found.robot.name}", _summary(found), command, advance)
    page.section("Errors of the tool")
    for k in dict.fromkeys((0, found.worst_pose)):
        where = position_words(found.robot, found.poses[k])
        page.table(
            *axis_rows(found, k),
            f"At {where}: mean and standard deviation by exact derivatives and of "
            f"{len(found.values)} random machines that were each put together; worst case: every "
            "deviation at the end of its tolerance.",
        )
    page.figure(
        share_figure(found),
        "Share of the machines whose tool is nearer to its place, and turned by less, than the number "
        "below: at the worst position for each. Dashed: the accuracy that is required.",
        "shares",
    )
    page.figure(
        cloud_figure(found),
        f"Where the tool of every machine is at {_worst_words(found)}, as seen along each axis. Filled: "
        f"the {WORST} worst machines.",
        "machines",
    )
    page.section("What the errors come from")
    page.figure(
        contribution_figure(found),
        f"Shares of the variance at {_worst_words(found)}, to first order; the rest is left out.",
        "contributions",
    )
    page.table(*contribution_rows(found, 3 * MOST), "A normal tolerance is three standard deviations.")
    page.section("The worst machines")
    page.table(
        *worst_rows(found, WORST),
        "By their greatest error at any position. Deviations in multiples of their tolerances.",
    )
    if len(found.poses) > 1:
        page.section("Positions")
        page.table(*_pose_rows(found), "Errors that 95 % of all machines keep, the worst first.")
    page.section("The robot")
    add_robot(page, found.robot)
    return page


def _worst_words(found: Tolerances) -> str:
    where = position_words(found.robot, found.poses[found.worst_pose])
    return where if len(found.poses) == 1 else f"{where} (the worst position)"


def _summary(found: Tolerances) -> str:
    distance, angle = (float(each[found.worst_pose]) for each in found.quantile(0.95))
    told = (
        f"95 % of {len(found.values)} random machines have their tool within {shown(distance, 'm')} and "
        f"{shown(angle, 'rad', found.robot.angle_unit)} of where the file has it, at "
        f"{_worst_words(found)}."
    )
    if found.yield_share is None or found.yield_interval is None or found.accuracy is None:
        return told
    limits = [
        shown(limit, unit, found.robot.angle_unit)
        for limit, unit in ((found.accuracy.position, "m"), (found.accuracy.angle, "rad"))
        if limit is not None
    ]
    low, high = (number(100 * each, 3) for each in found.yield_interval)
    return (
        f"**{number(100 * found.yield_share, 3)} % of the machines keep {' and '.join(limits)}** at all "
        f"{len(found.poses)} positions (between {low} and {high} % at 95 % confidence). {told}"
    )


def axis_rows(found: Tolerances, pose: int) -> tuple[list[str], list[list[str]]]:
    """Errors at a pose by axis: header and rows."""
    units = ["m"] * 3 + ["rad"] * 3
    head = ["axis", "mean", "std, derivatives", "std, machines", "worst case", "unit"]
    rows = []
    columns = (found.mean, found.standard_deviation, found.sampled_deviation, found.worst_case)
    for k, (axis, unit) in enumerate(zip(AXES, units, strict=True)):
        factor, name = _fine(unit, found)
        least = SMALLEST * float(found.worst_case[pose, k])  # below, means are those of rounding
        values = [float(each[pose, k]) for each in columns]
        texts = [number(factor * value if abs(value) > least else 0.0, 3) for value in values]
        rows.append([axis, *texts, name])
    return head, rows


def _fine(unit: str, found: Tolerances) -> tuple[float, str]:
    """Millimeters, and degrees or milliradians."""
    if unit == "m":
        return 1e3, "mm"
    factor, name = shown_unit(unit, found.robot.angle_unit)
    return (factor, name) if name == "deg" else (1e3, "mrad")


def contribution_rows(found: Tolerances, most: int) -> tuple[list[str], list[list[str]]]:
    """The sources that matter most at the worst pose: header and rows."""
    shares = found.contributions(found.worst_pose)
    rows = []
    for k in np.argsort(-shares.max(axis=1), kind="stable")[:most].tolist():
        source = found.sources[k]
        size = shown(source.tolerance, source.unit, found.robot.angle_unit)
        parts = [f"{number(100 * float(each), 3, 100)} %" for each in shares[k]]
        rows.append([source.name, f"{size}, {source.distribution}", *parts])
    return ["source", "tolerance", "of position", "of rotation"], rows


def worst_rows(found: Tolerances, most: int) -> tuple[list[str], list[list[str]]]:
    """The worst machines: header and rows."""
    sizes = np.array([each.tolerance for each in found.sources])
    means = np.array([each.mean for each in found.sources])
    rows = []
    for machine in found.worst[:most].tolist():
        pose = found.worst_at(machine)
        share = (found.values[machine] - means) / sizes
        effect = np.linalg.norm(found.sensitivity[pose, :3] * (found.values[machine]), axis=0)
        first = np.argsort(-effect, kind="stable")[:3].tolist()
        told = ", ".join(f"{found.sources[k].name} {number(float(share[k]), 2)}" for k in first)
        rows.append(
            [
                str(machine),
                shown(float(found.position_error[machine, pose]), "m"),
                shown(float(found.angle_error[machine, pose]), "rad", found.robot.angle_unit),
                position_words(found.robot, found.poses[pose]),
                told,
            ]
        )
    return ["machine", "distance", "angle", "at", "greatest deviations"], rows


def _pose_rows(found: Tolerances) -> tuple[list[str], list[list[str]]]:
    distance, angle = found.quantile(0.95)
    order = np.argsort(-distance, kind="stable")[: 3 * MOST].tolist()
    angles = found.robot.angle_unit
    return ["position", "distance", "angle"], [
        [
            position_words(found.robot, found.poses[k]),
            shown(float(distance[k]), "m"),
            shown(float(angle[k]), "rad", angles),
        ]
        for k in order
    ]


def share_figure(found: Tolerances) -> Figure:
    """Cumulative shares of machines over their greatest distance and angle."""
    figure, axes = grid(2.6, 2, 2, extra=0.3, sharey=True)
    accuracy = found.accuracy
    required = (None, None) if accuracy is None else (accuracy.position, accuracy.angle)
    errors = (found.position_error, found.angle_error)
    linear = found.values @ np.swapaxes(found.sensitivity, 1, 2)  # (P, N, 6)
    parts = (linear[..., :3], linear[..., 3:])
    with style():
        for ax, error, limit, unit, part in zip(
            axes, errors, required, ("m", "rad"), parts, strict=True
        ):
            factor, name = _fine(unit, found)
            greatest = np.sort(factor * error.max(axis=1))
            share = 100 * np.arange(1, len(greatest) + 1) / len(greatest)
            ax.plot(greatest, share, **look(0), label="machines")
            first = np.sort(factor * np.linalg.norm(part, axis=-1).max(axis=0))
            ax.plot(first, share, **look(1), dashes=(4, 3), label="the same, by derivatives")
            if limit is not None:
                ax.axvline(factor * limit, color=VIOLATION, linewidth=1.0, linestyle=(0, (5, 2)))
            ax.set_xlim(left=0.0)
            ax.set_ylim(0, 101)
            ax.set_xlabel(f"{'distance' if unit == 'm' else 'angle'} [{name}]")
        axes[0].set_ylabel("machines [%]")
        legend_below(figure, axes[0])
    return figure


def cloud_figure(found: Tolerances) -> Figure:
    """The tool's place of all machines at the worst pose, in three views."""
    figure, axes = grid(2.5, 3, 3, extra=0.3)
    errors = 1e3 * found.errors[:, found.worst_pose, :3]
    reach = 1.05 * float(np.nanmax(np.abs(errors))) or 1.0
    worst = found.worst[:WORST]
    with style():
        for ax, (i, j) in zip(axes, ((0, 1), (0, 2), (1, 2)), strict=True):
            ax.plot(*errors[:POINTS, [i, j]].T, ".", color=look(0)["color"], markersize=1.6, alpha=0.5)
            ax.plot(*errors[worst][:, [i, j]].T, "o", color=VIOLATION, markersize=4)
            ax.set_xlim(-reach, reach)
            ax.set_ylim(-reach, reach)
            ax.set_aspect("equal")
            ax.set_xlabel(f"{AXES[i]} [mm]")
            ax.set_ylabel(f"{AXES[j]} [mm]")
    return figure


def contribution_figure(found: Tolerances) -> Figure:
    """Bars of the greatest shares of variance."""
    shares: Array = 100 * found.contributions(found.worst_pose)
    order = np.argsort(-shares.max(axis=1), kind="stable")[:MOST]
    figure, (ax,) = grid(0.7 + 0.3 * len(order), 1, 1, extra=0.3)
    with style():
        places = np.arange(len(order))
        for k, (name, shift) in enumerate((("position", -0.2), ("rotation", 0.2))):
            ax.barh(places + shift, shares[order, k], 0.38, color=look(k)["color"], label=name)
        ax.set_yticks(places, [literal(found.sources[k].name) for k in order])
        ax.invert_yaxis()
        ax.grid(axis="y", visible=False)
        ax.axvline(0, color=MUTED, linewidth=0.7)
        ax.set_xlabel("share of the variance [%]")
        legend_below(figure, ax)
    return figure
