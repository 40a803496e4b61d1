"""Many closed loops at once: plant, controller and integrator in one kernel, a lane for every loop."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkwork.checks import not_negative, whole
from linkwork.control.base import CompiledController
from linkwork.errors import InputError
from linkwork.interface.robot import Array, Robot
from linkwork.mechanics.plant import Plant
from linkwork.names import one_of
from linkwork.progress import progress_bar
from linkwork.simulation.acting import Acting
from linkwork.simulation.batch import Batch, loop_kernels
from linkwork.simulation.digital_loop import DigitalLoop, loop_of
from linkwork.simulation.payloads import loads_of
from linkwork.simulation.references import References
from linkwork.simulation.rollouts import Rollouts
from linkwork.simulation.sampling import Sampling
from linkwork.simulation.schedule import Schedule, gap, schedule
from linkwork.simulation.times import check_times
from linkwork.simulation.variations import common_rows
from linkwork.simulation.wrenches import external_of, touching

COMPILED = (
    "rollout compiles its controller: it takes ComputedTorque, GravityCompensation or a LawController "
    "for arms, TaskSpaceControl or TaskSpacePD for platforms. Use simulate for other ones."
)


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
    loop: DigitalLoop | str | None = None,
    payload: Any = None,
    wrench: Any = None,
    progress: bool | None = None,
) -> Rollouts:
    """Closed loops from many starts and under many variations, on all cores.

    Args:
        start: positions (batch, ...), or a pair with velocities; the trajectory's start if None.
        batch: number of loops, if starts and variations do not tell.
        variations: what differs from loop to loop, each (batch, ...) or one for all: "kp", "kv" (gains),
            "payload" (as in simulate: a mass, or ten parameters, see point_load; one for each loop as
            (batch,), (batch, 1) or (batch, 10)), "wrench" (six numbers), and for arms "mass_scale" (a
            factor per link) and "friction_scale" (one factor).
        record_every: keep the states of every this many steps; None keeps only the ends.
        loop: sensors, computer and converters, as in `simulate`; its jitter is the same for all loops,
            its noise is not.
        payload: as in `simulate`, the same for all loops; it may change at given times.
        wrench: as in `simulate`, the same for all loops: six numbers, a WrenchTable or a Contact.
        progress: a progress bar; by default after a second, on a terminal.
    """
    external, loads = external_of(wrench), loads_of(payload)
    if external.function is not None:
        raise InputError(
            "rollout compiles its wrench: give a WrenchTable or a Contact, or use simulate."
        )
    plant = touching(Robot.expect(robot, "rollout").plant(), external.contact)
    _check_controller(robot, plant, controller)
    if batch is not None:
        batch = whole(batch, "batch", 1)
    if record_every is not None:
        record_every = whole(record_every, "record_every", 1)
    if variations is not None and not isinstance(variations, Mapping):
        raise InputError(f"variations = {variations!r}: allowed is a dict, such as {{'kp': gains}}.")
    given = dict(variations or {})
    gains = {name: given.pop(name, getattr(controller, name)) for name in ("kp", "kv")}
    for name in given:
        one_of(name, tuple(plant.variations), "variation")
    for name, also in (("payload", loads), ("wrench", external.table)):
        if also is not None and name in given:
            raise InputError(f"{name} is given twice, for all loops and as a variation; give one.")
    if loads is not None:
        given["payload"] = loads.at(0.0)
    if external.table is not None:
        given["wrench"] = external.table.at(0.0)
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
    digital = loop_of(loop)
    sampling = Sampling(robot, plant, digital, period, controller.inputs)
    kernels = loop_kernels(plant, controller, names, sampling)
    acting = Acting(plant, fixed, loads, external.table)
    run = Batch(robot.name, sampling, kernels, x, fixed, acting, record_every)
    plan = schedule(length, step, period, digital, acting.changes)
    with (
        progress_bar(round(length / step), "rollout", progress) as advance,
        np.errstate(invalid="ignore", over="ignore"),
    ):
        _march(run, plan, References(controller, sampling, plan, len(x)), advance)
    return run.result(length)


def _march(run: Batch, plan: Schedule, references: References, advance: Callable[[int], None]) -> None:
    """Every instant of the loops, one after the other."""
    waiting: dict[int, Array] = {}
    steps = 0
    run.begin(references.normal(0))
    for now, following in pairwise(plan):
        if now.kept:
            run.record(steps, now.time)
            steps += 1
            advance(1)
        if now.change:
            run.acting.change(now.time)
        h = gap(now.time, following.time, plan.step)
        if run.kernels.loop is not None:
            for k in now.read:  # without a lag its effort acts at once
                run.sample(now.time, *references.of(k), h)
            if not now.read:
                run.further(now.time, h)
            continue
        for k in now.read:
            waiting[k] = run.sample(now.time, *references.of(k), None)
        if now.act is not None:
            run.effort = waiting.pop(now.act)
        run.further(now.time, h)


def _check_controller(robot: Robot, plant: Plant, controller: Any) -> None:
    if not isinstance(controller, CompiledController):
        raise InputError(COMPILED)
    believed = controller.robot.plant()
    if (believed.position_size, believed.effort_size) != (plant.position_size, plant.effort_size):
        raise InputError(
            f"the controller is for {controller.robot!r}, which has other coordinates than {robot!r}."
        )
