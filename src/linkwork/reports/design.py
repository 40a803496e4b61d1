"""The page of a design: the front of best machines, each drawn, beside the one it began with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from linkwork.core.text import number, with_unit
from linkwork.design.metrics import units_of
from linkwork.design.optimise import Design, DesignVariant
from linkwork.drawing.shape import placed
from linkwork.drawing.style import COLOURS, INK, MUTED, grid, style
from linkwork.reports.figures import gallery
from linkwork.reports.page import Page

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHOWN = 6  # machines that are drawn


def design_report(design: Design, command: str | None = None) -> Page:
    """A page about the best machines of a study."""
    shown = chosen_machines(design)
    page = Page(f"Designs of {design.robot.name}", _summary(design), command)
    page.section("The front")
    if len(design.objectives) > 1:
        page.figure(
            front_figure(design, shown),
            f"{len(design.front)} machines of which none is better in all objectives; the cross is "
            "where the study began. Numbers belong to the machines below.",
            "front",
        )
    page.figure(
        machines_figure(design, shown),
        "The machine that the study began with, and machines along the front, all to one scale.",
        "machines",
    )
    page.section("The machines")
    _table(page, design, shown)
    page.section("What was asked")
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
            f"{name} {with_unit(best, units[name])} instead of {with_unit(before, units[name])} "
            f"({100 * design.gain(name):+.0f} % better)"
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
        points = np.array([[one.metrics[first], one.metrics[second]] for one in design.front])
        ax.plot(*points.T, "o", color=COLOURS[0], markersize=4)
        ax.plot(design.start.metrics[first], design.start.metrics[second], "x", color=INK, markersize=9)
        for k, one in enumerate(shown, start=1):
            place = (one.metrics[first], one.metrics[second])
            ax.annotate(str(k), place, xytext=(5, 5), textcoords="offset points", fontsize=9)
        ax.set_xlabel(f"{first} [{units[first]}]")
        ax.set_ylabel(f"{second} [{units[second]}]")
    return figure


def machines_figure(design: Design, shown: list[DesignVariant]) -> Figure:
    """The machines at home, from one side and to one scale."""
    robots = [design.robot, *(design.machine(one) for one in shown)]
    figure, axes = gallery([placed(robot, robot.home[None]) for robot in robots], 4, 2.3)
    with style():
        for k, ax in enumerate(axes):
            ax.set_title("start" if k == 0 else str(k), color=MUTED if k == 0 else INK)
    return figure


def _table(page: Page, design: Design, shown: list[DesignVariant]) -> None:
    names = [each.name for each in design.study.variables]
    metrics = list(design.start.metrics)
    units = units_of(design.robot, metrics)
    labels = [f"{name} [{units[name]}]" if units[name] else name for name in metrics]
    rows: list[list[object]] = []
    for label, machine in [("start", design.start), *((str(k), m) for k, m in enumerate(shown, 1))]:
        row: list[object] = [label, *map(float, machine.values)]
        rows.append([*row, *(machine.metrics[name] for name in metrics)])
    page.table(
        ["machine", *names, *labels], rows, "Angles in rad. The front as a whole is in front.csv."
    )


def _asked(page: Page, design: Design) -> None:
    lines = [
        f"- {each.name} from {number(each.low)} to {number(each.high)}"
        for each in design.study.variables
    ]
    for bound in design.bounds:
        if bound.most is not None:
            lines.append(f"- {bound.metric} at most {number(bound.most)}")
        if bound.least is not None:
            lines.append(f"- {bound.metric} at least {number(bound.least)}")
    motions = ", ".join(design.study.motions)
    page.text(f"Motions: {motions}.\n\n" + "\n".join(lines))
