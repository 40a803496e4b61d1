"""Many closed loops at once: plant, controller and integrator in one kernel, a lane for every loop."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkwork.checks import not_negative, whole
from linkwork.control.base import CompiledController
from linkwork.errors import InputError
from linkwork.interface.robot import Robot
from linkwork.mechanics.plant import Plant
from linkwork.names import one_of
from linkwork.progress import progress_bar
from linkwork.simulation.batch import Batch, loop_kernels
from linkwork.simulation.rollouts import Rollouts
from linkwork.simulation.system import checked_robot
from linkwork.simulation.times import check_times, sample_times
from linkwork.simulation.variations import common_rows

COMPILED = (
    "rollout compiles its controller: it takes ComputedTorque, GravityCompensation or a LawController "
    "for arms and TaskSpaceControl for platforms. Use simulate for other ones."
)
PLANNED = 4096  # control samples whose reference is computed at once


def rollout(
    robot: Robot,
    controller: CompiledController,
    start: ArrayLike | tuple[ArrayLike, ArrayLike] | None = None,
    *,
    duration: float | None = None,
    step: float = 1e-3,
    batch: int | None = None,
    variations: Mapping[str, ArrayLike] | None = None,
    record_every: int | None = None,
    progress: bool | None = None,
) -> Rollouts:
    """Closed loops from many starts and under many variations, on all cores.

    Args:
        start: positions (batch, ...), or a pair with velocities; the trajectory's start if None.
        batch: number of loops, if starts and variations do not tell.
        variations: what differs from loop to loop, each (batch, ...) or one for all: "kp", "kv" (gains),
            "payload" (as in simulate: a mass, or ten parameters, see point_load; one for each loop as
            (batch,), (batch, 1) or (batch, 10)), and for arms "mass_scale" (a factor per link) and
            "friction_scale" (one factor).
        record_every: keep the states of every this many steps; None keeps only the ends.
        progress: a progress bar; by default after a second, on a terminal.
    """
    plant = checked_robot(robot, "rollout").plant()
    _check_controller(robot, plant, controller)
    if batch is not None:
        batch = whole(batch, "batch", 1)
    if record_every is not None:
        record_every = whole(record_every, "record_every", 1)
    given = dict(variations or {})
    gains = {name: given.pop(name, getattr(controller, name)) for name in ("kp", "kv")}
    for name in given:
        one_of(name, tuple(plant.variations), "variation")
    names = tuple(name for name in plant.variations if name in given)
    trajectory = controller.trajectory
    if trajectory is None:
        raise InputError("the controller has no trajectory to follow.")
    length = trajectory.duration if duration is None else not_negative(duration, "duration", "s")
    period = controller.period or step
    step = check_times(length, step, period)
    if start is None:
        start = tuple(trajectory.at(0.0)[:2])
    x, fixed = common_rows(robot, plant, start, gains, given, batch)
    hold = round(period / step)
    loop, further = loop_kernels(plant, controller, names)
    run = Batch(robot.name, plant, loop, further, x, fixed, record_every)
    instants = sample_times(length, step)
    count = len(instants) - 1
    with (
        progress_bar(count, "rollout", progress) as advance,
        np.errstate(invalid="ignore", over="ignore"),
    ):
        for first in range(0, count, hold * PLANNED):
            steps = min(hold * PLANNED, count - first)
            times = instants[first : first + steps : hold]
            wanted = np.asarray(trajectory.at(times)[0])
            reference = [np.asarray(part) for part in controller.reference(times)]
            for k in range(first, first + steps):
                gap = float(instants[k + 1] - instants[k])
                h = step if gap > 0.999999 * step else gap
                sample = (k - first) // hold if k % hold == 0 else None
                now = None if sample is None else (wanted[sample], [part[sample] for part in reference])
                run.step(k, float(instants[k]), h, now)
                advance(1)
    return run.result(length)


def _check_controller(robot: Robot, plant: Plant, controller: Any) -> None:
    if not isinstance(controller, CompiledController):
        raise InputError(COMPILED)
    believed = controller.robot.plant()
    if (believed.position_size, believed.effort_size) != (plant.position_size, plant.effort_size):
        raise InputError(
            f"the controller is for {controller.robot!r}, which has other coordinates than {robot!r}."
        )
