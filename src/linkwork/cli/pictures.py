"""Reports and plots of the commands; what they need is loaded only here."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from linkwork.cli.output import say

if TYPE_CHECKING:
    from linkwork.interface.robot import Array
    from linkwork.motion.bundled import Robot
    from linkwork.simulation import Simulation


def this_command() -> str:
    """The command line as it was typed."""
    return shlex.join(["linkwork", *sys.argv[1:]])


def draw_inverse(
    robot: Robot,
    motion_name: str,
    time: Array,
    moved: Any,
    formulations: list[str],
    wrench: Array | None,
    plot: Path | None,
    report: Path | None,
) -> None:
    """The efforts as a plot, and the whole study as a page; published models beside the exact one."""
    from linkwork.interface.arm import Arm
    from linkwork.reports import save_figure
    from linkwork.reports.figures import effort_figure, formulation_figure
    from linkwork.reports.inverse import inverse_report
    from linkwork.reports.study import study

    approximate = not isinstance(robot, Arm) and set(formulations) - {"exact"}
    if approximate:
        formulations = list(dict.fromkeys(["exact", *formulations]))
    options: dict[str, Any] = {"formulations": formulations, "wrench": wrench}
    if plot is not None:
        found = study(robot, motion_name, time, moved, **options)
        save_figure((formulation_figure if approximate else effort_figure)(found), plot)
        say(f"wrote {plot}")
    if report is not None:
        page = inverse_report(robot, motion_name, time, moved, this_command(), **options)
        page.save(report)
        say(f"wrote {report}")


def draw_simulation(robot: Robot, run: Simulation, plot: Path | None, report: Path | None) -> None:
    """Efforts, errors and energy as a plot, and all of the run as a page."""
    from linkwork.reports import save_figure

    if plot is not None:
        save_figure(run.plot(), plot)
        say(f"wrote {plot}")
    if report is not None:
        from linkwork.reports.simulation import simulation_report

        simulation_report(robot, run, this_command()).save(report)
        say(f"wrote {report}")
