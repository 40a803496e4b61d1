"""The page of a design: the front of best machines, each drawn, beside the one it began with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING
from urllib.parse import quote

import numpy as np

from linkwork.analysis.requirements import axes_of
from linkwork.core.text import better, field_words, number, shown, shown_unit, with_unit
from linkwork.design.metrics import units_of
from linkwork.design.optimize import Design, DesignVariant
from linkwork.drawing.shape import placed
from linkwork.drawing.style import COLORS, INK, MUTED, grid, style
from linkwork.reports.figures import gallery
from linkwork.reports.page import Page

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHOWN = 6  # machines that are drawn


def design_report(design: Design, command: str | None = None, folder: str = "") -> Page:
    """A page about the best machines of a study; `folder` has their files, to which names then lead."""
    shown = chosen_machines(design)
    page = Page(f"Designs of {design.robot.name}", _summary(design), command)
    page.section("The front")
    if len(design.objectives) > 1:
        page.figure(
            front_figure(design, shown),
            f"{len(design.front)} Pareto-optimal designs; the cross is "
            "where the study began. Numbers belong to the machines below.",
            "front",
        )
    page.figure(
        machines_figure(design, shown),
        "The machine that the study began with, and machines along the front, all to one scale.",
        "machines",
    )
    page.section("The machines")
    _table(page, design, shown, folder)
    page.section("Inputs")
    _asked(page, design)
    return page


def chosen_machines(design: Design) -> list[DesignVariant]:
    """Some along the front, both ends among them."""
    places = np.unique(np.linspace(0, len(design.front) - 1, SHOWN).round().astype(int))
    return [design.front[k] for k in places]


def _summary(design: Design) -> str:
    units = units_of(design.robot, design.objectives)
    words = []
    for name in design.objectives:
        best, before = design.best(name).metrics[name], design.start.metrics[name]
        words.append(
            f"{field_words(name)} {with_unit(best, units[name])} instead of "
            f"{with_unit(before, units[name])} ({better(design.gain(name))})"
        )
    start = "" if design.start_feasible else " (which does not keep all constraints)"
    return (
        f"The best machine in each objective against {design.robot.name} as its file has it{start}: "
        f"{'; '.join(words)}. {number(design.evaluations, 9)} variants were tried, and the ends of the "
        "front refined."
    )


def front_figure(design: Design, shown: list[DesignVariant]) -> Figure:
    """Two objectives against each other."""
    first, second = design.objectives[:2]
    units = units_of(design.robot, design.objectives)
    figure, (ax,) = grid(3.6)
    with style():
        for one in design.front:
            place = (one.metrics[first], one.metrics[second])
            ax.plot(*place, "o", color=COLORS[0], markersize=4, label=one.name)
        start = (design.start.metrics[first], design.start.metrics[second])
        ax.plot(*start, "x", color=INK, markersize=9, label="start")
        for one in shown:
            place = (one.metrics[first], one.metrics[second])
            ax.annotate(
                one.name.removeprefix("machine-"),
                place,
                xytext=(5, 5),
                textcoords="offset points",
                fontsize=9,
            )
        ax.set_xlabel(labeled(first, units))
        ax.set_ylabel(labeled(second, units))
    return figure


def labeled(name: str, units: Mapping[str, str]) -> str:
    """A metric in words with its unit, if it has one."""
    return f"{field_words(name)} [{units[name]}]" if units[name] else field_words(name)


def machines_figure(design: Design, shown: list[DesignVariant]) -> Figure:
    """The machines at home, from one side and to one scale."""
    robots = [design.robot, *(design.machine(one) for one in shown)]
    figure, axes = gallery([placed(robot, robot.home[None]) for robot in robots], 4, 2.3)
    with style():
        for name, ax in zip(["start", *(one.name for one in shown)], axes, strict=False):
            ax.set_title(name, color=MUTED if name == "start" else INK)
    return figure


def _table(page: Page, design: Design, chosen: list[DesignVariant], folder: str) -> None:
    study, metrics = design.study, list(design.start.metrics)
    units = units_of(design.robot, metrics)
    angles = [name for name in metrics if units[name] == "rad"]
    turn, unit = shown_unit("rad", study.angle_unit)
    units |= dict.fromkeys(angles, unit)
    labels = [labeled(name, units) for name in metrics]
    limited = ["limit of the margin"] if design.start.limit else []
    rows: list[list[object]] = []
    for machine in (design.start, *chosen):
        linked = folder and machine is not design.start
        address = quote(f"{folder}/{machine.name}.yaml")
        row: list[object] = [
            f"[{machine.name}]({address})" if linked else machine.name,
            *study.shown(machine.values),
        ]
        row += [machine.metrics[name] * (turn if name in angles else 1.0) for name in metrics]
        rows.append([*row, *([machine.limit.replace("_", " ")] if limited else [])])
    page.table(
        ["machine", *map(field_words, study.heads), *labels, *limited],
        rows,
        "Names are those of the robot files and of front.csv, which has the whole front. Actuators keep "
        "their strokes: where the geometry varies, limits of length move with the lengths at home.",
    )


def _asked(page: Page, design: Design) -> None:
    study = design.study
    ends = [
        study.shown(np.array([getattr(each, end) for each in study.variables]))
        for end in ("low", "high")
    ]
    lines = [
        f"- {field_words(head)} (`{head.split(' ')[0]}`) from {number(low)} to {number(high)}"
        for head, low, high in zip(study.heads, *ends, strict=True)
    ]
    units = units_of(design.robot, [bound.metric for bound in design.bounds])
    for bound in design.bounds:
        for words, value in (("at most", bound.most), ("at least", bound.least)):
            if value is not None:
                told = shown(value, units[bound.metric], study.angle_unit)
                lines.append(f"- {field_words(bound.metric)} {words} {told}")
    axes = axes_of(design.robot)
    for name, reach in study.cover.items():
        lines.append(f"- {name} from home by {shown(reach, axes[name], study.angle_unit)} both ways")
    asked = study.asked
    if asked is not None:
        count = len(asked.states(design.robot).labels)
        lines.append(f"- {study.requirements}: {count} states that must be taken, with the payload")
    motions = ", ".join([*study.motions, *(asked.motions if asked is not None else ())])
    page.text(f"Motions: {motions or 'none'}.\n\n" + "\n".join(lines))
