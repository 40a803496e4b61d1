"""Reports and plots of the commands; what they need is loaded only here."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from linkwork.cli.output import say

if TYPE_CHECKING:
    from linkwork.analysis.study import Study
    from linkwork.interface.robot import Robot
    from linkwork.simulation import Simulation

FIGURES = 7  # of a report, for the bar: about as many


def this_command() -> str:
    """The command line as it was typed."""
    return shlex.join(["linkwork", *sys.argv[1:]])


def draw_inverse(found: Study, plot: Path | None, report: Path | None) -> None:
    """The efforts as a plot, and the whole study as a page; published models beside the exact one."""
    from linkwork.analysis.study import APPROXIMATE
    from linkwork.reports import save_figure
    from linkwork.reports.figures import effort_figure, formulation_figure

    compared = found.compared_with_exact()
    if plot is not None:
        published = any(name in APPROXIMATE for name in found.by_formulation)
        save_figure(formulation_figure(compared) if published else effort_figure(found), plot)
        say(f"wrote {plot}")
    if report is not None:
        from linkwork.reports.inverse import inverse_report

        with drawing(report) as advance:
            inverse_report(compared, this_command(), advance).save(report)
        say(f"wrote {report}")


@contextmanager
def drawing(report: Path) -> Iterator[Callable[[int], None]]:
    """A bar for the figures of a report; it ends before anything else is printed."""
    from linkwork.progress import progress_bar

    with progress_bar(FIGURES, f"drawing {report.name}", None) as advance:
        yield advance


def draw_simulation(robot: Robot, run: Simulation, plot: Path | None, report: Path | None) -> None:
    """Efforts, errors and energy as a plot, and all of the run as a page."""
    from linkwork.reports import save_figure

    if plot is not None:
        save_figure(run.plot(), plot)
        say(f"wrote {plot}")
    if report is not None:
        from linkwork.reports.simulation import simulation_report

        with drawing(report) as advance:
            simulation_report(robot, run, this_command(), advance).save(report)
        say(f"wrote {report}")
