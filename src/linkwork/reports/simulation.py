"""The report of a simulation: how a robot moved, how well it followed, and under which efforts."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from linkwork.analysis.study import effort_first, peaks
from linkwork.core.text import number
from linkwork.reports import figures
from linkwork.reports.inverse import add_moving, add_robot, add_table
from linkwork.reports.live import of_simulation
from linkwork.reports.page import Page
from linkwork.reports.tables import (
    Table,
    count_limits,
    greatest,
    limits_note,
    marked,
    peak_table,
    range_table,
    sentence,
)
from linkwork.robot.limits import Quantity, limit_report, quantity
from linkwork.robot.robot import Array, Robot
from linkwork.simulation import Simulation


def simulation_report(
    robot: Robot,
    run: Simulation,
    command: str | None = None,
    advance: Callable[[int], None] = lambda done: None,
) -> Page:
    """A page about one simulated motion of `robot`; `advance` is told of every figure."""
    effort, *moving = effort_first(robot.quantities(run.position, run.velocity, run.effort), run.effort)
    velocity = robot.actuator_motion(run.position, run.velocity).velocity
    assert velocity is not None
    power = run.effort * velocity
    wrong = error_quantities(robot, run)
    summary = _summary(robot, run, (effort, *moving), wrong)
    page = Page(f"Simulation of {robot.name}", summary, command, advance)
    time, word = run.time, robot.actuated_element
    page.section("The motion")
    page.figure(
        figures.mechanism_figure(robot, time, run.position),
        f"{robot.name} along its motion at equal steps of time, faint to strong; dashed: its path, from "
        "the ring to the dot.",
        "mechanism",
    )
    if run.carries_point:
        page.live("mechanism", robot, [of_simulation(robot, run)])
    if robot.coordinates.is_pose:
        page.figure(
            figures.stacked_figure(time, pose_quantities(run.pose)),
            "Place of the platform's reference point, and its turn from the start as a rotation vector.",
            "pose",
        )
    add_moving(page, time, moving, robot)
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
        channels=robot.n,
    )
    add_table(
        page,
        peak_table(effort, peaks(time, effort, power), word),
        f"Peaks, and when they occur.{marked(effort)}",
    )
    page.section("The loop")
    add_table(
        page,
        Table(("part", "as simulated"), tuple(run.assumptions().items())),
        "What lies between the robot and its controller; what is exact or ideal here is not so in a "
        "real machine.",
    )
    page.section("Energy")
    page.figure(
        figures.energy_figure(time, run.kinetic, run.potential),
        "Energy of the robot; the potential energy counts from its start.",
        "energy",
    )
    ranges = range_table(time, (effort, *moving), word, robot.angle_unit)
    if ranges.rows:
        page.section("Limits")
        broken = limit_report((effort, *moving), time.shape, time).breaks
        if broken:
            page.text("\n".join(f"- {sentence(each, robot.angle_unit)}" for each in broken))
        add_table(page, ranges, f"Ranges along the motion beside their limits.{marked(effort, *moving)}")
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


def error_quantities(robot: Robot, run: Simulation) -> list[Quantity]:
    """Errors of the position, if there is a reference, in units of their size."""
    if run.error is None:
        return []
    wrong = 1e3 * run.error
    coordinates = robot.coordinates
    if not coordinates.is_pose:
        units = [f"m{unit}" for unit in coordinates.by_angles.units]
        return [quantity("error", coordinates.differences, units, wrong)]
    return [
        quantity("position error", ("x", "y", "z"), "mm", wrong[:, :3]),
        quantity("orientation error", ("x", "y", "z"), "mrad", wrong[:, 3:]),
    ]


def error_table(time: Array, wrong: list[Quantity]) -> Table:
    """Greatest errors, RMS, and errors at the end."""
    rows = tuple(
        (what.name, one.name, one.value, one.time, one.rms, one.last, one.unit)
        for what in wrong
        for one in peaks(time, what)
    )
    return Table(("quantity", "axis", "greatest", "at [s]", "RMS", "at the end", "unit"), rows)


def _summary(
    robot: Robot, run: Simulation, measured: tuple[Quantity, ...], wrong: list[Quantity]
) -> str:
    words = [f"The motion takes {number(run.time[-1] - run.time[0])} s in {len(run.time) - 1} steps."]
    words += [
        f"The greatest {what.name} is {greatest(run.time, what, robot.angle_unit)}."
        for what in (measured[0], *wrong)
    ]
    if run.payload is not None and run.payload.any():
        words.append(f"The tool carries up to **{number(float(run.payload.max()))} kg**.")
    broken = limit_report(measured, run.time.shape, run.time).breaks
    if broken:
        words.append(f"**The motion breaks {count_limits(broken)} of the robot file.**")
    return " ".join(words)
