"""The report of a simulation: how a robot moved, how well it followed, and under which efforts."""

from __future__ import annotations

import numpy as np

from linkwork.analysis.averages import root_mean_square
from linkwork.interface.arm import Arm
from linkwork.interface.platform import Platform
from linkwork.interface.quantity import Quantity, quantity
from linkwork.interface.robot import Array
from linkwork.reports import figures
from linkwork.reports.inverse import add_places, add_robot, add_table
from linkwork.reports.page import Page
from linkwork.reports.study import effort_of, noun
from linkwork.reports.tables import Table, peak_table, range_table, violations
from linkwork.reports.words import count_words, greatest, limits_note, marked
from linkwork.simulation import Simulation


def simulation_report(robot: Arm | Platform, run: Simulation, command: str | None = None) -> Page:
    """A page about one simulated motion of `robot`."""
    position, velocity = (run.q, run.qd) if isinstance(robot, Arm) else (run.pose, run.twist)
    effort, places = effort_of(robot, position, run.effort), robot.quantities(position, velocity)
    power = run.effort * places[1].values
    wrong = error_quantities(robot, run)
    page = Page(f"Simulation of {robot.name}", _summary(run, (effort, *places), wrong), command)
    time, word = run.time, noun(robot)
    page.section("The motion")
    page.figure(
        figures.mechanism_figure(robot, time, run.position),
        f"{robot.name} along its motion at equal steps of time, faint to strong; dashed: its path, from "
        "the ring to the dot.",
        "mechanism",
    )
    if not isinstance(robot, Arm):
        page.figure(
            figures.stacked_figure(time, pose_quantities(run.pose)),
            "Place of the platform's reference point, and its turn from the start as a rotation vector.",
            "pose",
        )
    add_places(page, time, places, word)
    if wrong:
        page.section("Tracking")
        page.figure(
            figures.stacked_figure(time, wrong)
            if len(wrong) > 1
            else figures.panels_figure(time, wrong[0]),
            "Difference of the position from the reference.",
            "error",
        )
        add_table(
            page, error_table(time, wrong), "Greatest errors and when they occur, errors at the end."
        )
    page.section(f"{effort.name.capitalize()}s")
    page.figure(
        figures.quantity_figure(time, effort),
        f"{effort.name.capitalize()} of every {word}.{limits_note(effort.bounded)}",
        "effort",
    )
    add_table(
        page, peak_table(time, effort, power, word), f"Peaks, and when they occur.{marked(effort)}"
    )
    page.section("Energy")
    page.figure(
        figures.energy_figure(time, run.kinetic, run.potential),
        "Energy of the robot; the potential energy counts from its start.",
        "energy",
    )
    ranges = range_table(time, (effort, *places), word)
    if ranges.rows:
        page.section("Limits")
        add_table(page, ranges, f"Ranges along the motion beside their limits.{marked(effort, *places)}")
    page.section("The robot")
    add_robot(page, robot)
    return page


def pose_quantities(pose: Array) -> list[Quantity]:
    """Place, and turn from the start."""
    from scipy.spatial.transform import Rotation

    turns = Rotation.from_quat(np.roll(pose[:, 3:], -1, axis=-1))
    vectors = (turns * turns[0].inv()).as_rotvec()
    return [
        quantity("place", ("x", "y", "z"), "m", pose[:, :3]),
        quantity("turn", ("x", "y", "z"), "rad", vectors),
    ]


def error_quantities(robot: Arm | Platform, run: Simulation) -> list[Quantity]:
    """Errors of the position, if there is a reference, in units of their size."""
    if run.error is None:
        return []
    wrong = 1e3 * run.error
    if isinstance(robot, Arm):
        units = ["mrad" if joint.is_revolute else "mm" for joint in robot.model.joints]
        return [quantity("error", robot.joint_names, units, wrong)]
    return [
        quantity("error of the place", ("x", "y", "z"), "mm", wrong[:, :3]),
        quantity("error of the turn", ("x", "y", "z"), "mrad", wrong[:, 3:]),
    ]


def error_table(time: Array, wrong: list[Quantity]) -> Table:
    """Greatest errors, RMS, and errors at the end."""
    rows = []
    for what in wrong:
        for k, channel in enumerate(what.channels):
            values = what.values[:, k]
            at = int(np.argmax(np.abs(values)))
            rms = root_mean_square(time, values)
            row = (float(values[at]), float(time[at]), rms, float(values[-1]), what.units[k])
            rows.append((what.name, channel, *row))
    return Table(("quantity", "axis", "greatest", "at [s]", "RMS", "at the end", "unit"), tuple(rows))


def _summary(run: Simulation, measured: tuple[Quantity, ...], wrong: list[Quantity]) -> str:
    words = [f"The motion takes {run.time[-1] - run.time[0]:.4g} s in {len(run.time) - 1} steps."]
    words += [
        f"The greatest {what.name} is {greatest(run.time, what)}." for what in (measured[0], *wrong)
    ]
    broken = violations(run.time, measured)
    if broken:
        words.append(f"**The motion breaks {count_words(broken)} of the robot file.**")
    return " ".join(words)
