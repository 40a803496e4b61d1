"""Many closed loops at once: plant, controller and integrator in one kernel, a lane for every loop."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkwork.control.base import Controller
from linkwork.control.controllers import LawController
from linkwork.control.observers import Observer
from linkwork.core.arguments import not_negative, numbers, one_of, whole
from linkwork.core.checked import checked
from linkwork.core.errors import InputError
from linkwork.core.progress import progress_bar
from linkwork.mechanics.plant import Plant
from linkwork.robot.robot import Array, Robot
from linkwork.simulation.batch import Batch, BatchInputs, loop_kernels
from linkwork.simulation.digital_loop import DigitalLoop, loop_of
from linkwork.simulation.instruments import ControlSample
from linkwork.simulation.loads import Payload, Wrench, external_of, payload_parameters, touching
from linkwork.simulation.observing import observers_of
from linkwork.simulation.results import Rollouts
from linkwork.simulation.schedule import Schedule, check_times, gap, schedule
from linkwork.simulation.system import Start, start_state

MOST_LOOPS = 10**8  # at once: their states fill the memory of a large machine
PLANNED = 4096  # control samples whose reference is computed at once
# Factors and gains: negative ones turn friction into a motor and mass into lift.
NOT_NEGATIVE = ("kp", "kv", "mass_scale", "friction_scale")


COMPILED = (
    "rollout compiles its controller: it takes ComputedTorque, GravityCompensation or a LawController "
    "for arms, TaskSpaceControl or TaskSpacePD for platforms. Use simulate for other ones."
)


@checked
def rollout(
    robot: Robot,
    controller: Controller,
    start: Start = None,
    *,
    duration: float | None = None,
    step: float = 1e-3,
    batch: int | None = None,
    variations: Mapping[str, ArrayLike] | None = None,
    record_every: int | None = None,
    loop: DigitalLoop | str | None = None,
    payload: Payload = None,
    wrench: Wrench = None,
    observer: Observer | None = None,
    progress: bool | None = None,
) -> Rollouts:
    """Closed loops from many starts and under many variations, on all cores.

    Args:
        start: positions (batch, ...), or a pair with velocities; the trajectory's start if None.
        batch: number of loops, if starts and variations do not tell.
        variations: what differs from loop to loop, each (batch, ...) or one for all: "kp", "kv" (gains),
            "payload" (as in simulate: a mass, or ten parameters, see point_payload; one for each loop as
            (batch,), (batch, 1) or (batch, 10)), "wrench" (six numbers), and for arms "mass_scale" (a
            factor per link) and "friction_scale" (one factor).
        record_every: keep the states of every this many steps; None keeps only the ends.
        loop: sensors, computer and converters, as in `simulate`; its jitter is the same for all loops,
            its noise is not.
        payload: as in `simulate`, the same for all loops; it may change at given times.
        wrench: as in `simulate`, the same for all loops: six numbers, a WrenchTable or a Contact.
        observer: as in `simulate`; compiled with the loop.
        progress: a progress bar; by default after a second, on a terminal.
    """
    external = external_of(payload, wrench)
    if external.function is not None:
        raise InputError(
            "rollout compiles its wrench: give a WrenchTable or a Contact, or use simulate."
        )
    plant = touching(Robot.expect(robot, "rollout").plant(), external.contact)
    controller = _compiled_law(robot, plant, controller)
    if batch is not None:
        batch = whole(batch, "batch", 1, MOST_LOOPS)
    if record_every is not None:
        record_every = whole(record_every, "record_every", 1)
    if variations is not None and not isinstance(variations, Mapping):
        raise InputError(f"variations = {variations!r}: expected a dict, such as {{'kp': gains}}.")
    given = dict(variations or {})
    gains = _gains_of(controller, given)
    matrices = controller.inputs.matrices
    for name in given:
        one_of(name, tuple(plant.variations), "variation")
    for name, also in (("payload", external.loads), ("wrench", external.table)):
        if also is not None and name in given:
            raise InputError(f"{name} is given twice, for all loops and as a variation; give one.")
        if also is not None:
            given[name] = also.at(0.0)
    names = tuple(name for name in plant.variations if name in given)
    trajectory = controller.trajectory
    if trajectory is None:
        raise InputError("the controller has no trajectory to follow.")
    length = trajectory.duration if duration is None else not_negative(duration, "duration", "s")
    period = controller.period or step
    step = check_times(length, step, period)
    if start is None:
        start = tuple(trajectory.at(0.0)[:2])
    x, fixed = common_rows(robot, plant, start, gains, given, batch, matrices)
    digital = loop_of(loop)
    watches = tuple(each.watch for each in observers_of(robot, controller, observer))
    sampling = ControlSample(robot, plant, digital, period, controller.inputs, watches)
    kernels = loop_kernels(plant, controller, names, sampling)
    acting = BatchInputs(plant, fixed, external)
    run = Batch(robot.name, sampling, kernels, x, fixed, acting, record_every)
    plan = schedule(length, step, period, digital, external.changes)
    with (
        progress_bar(round(length / step), "rollout", progress) as advance,
        np.errstate(invalid="ignore", over="ignore"),
    ):
        _march(run, plan, References(controller, sampling, plan, len(x)), advance)
    by_group = {
        "position": (robot.coordinates.names, robot.coordinates.units),
        "velocity": (robot.velocities.names, robot.velocities.units),
        "effort": (robot.efforts.names, robot.efforts.units),
        "error": (robot.coordinates.differences, robot.coordinates.by_angles.units),
    }
    return replace(run.result(length), labels=by_group)


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
        if run.kernels.together:
            for k in now.read:  # without a lag its effort acts at once
                run.sample(now.time, *references.of(k), h)
            if not now.read:
                run.further(now.time, h)
            continue
        for k in now.read:
            waiting[k] = run.sample(now.time, *references.of(k), h)
        if now.act is not None:
            run.effort = waiting.pop(now.act)
        run.further(now.time, h)


def _compiled_law(robot: Robot, plant: Plant, controller: Controller) -> LawController:
    if not isinstance(controller, LawController):
        raise InputError(COMPILED)
    believed = controller.robot.plant()
    if (believed.position_size, believed.effort_size) != (plant.position_size, plant.effort_size):
        raise InputError(
            f"the controller is for {controller.robot!r}, which has other coordinates than {robot!r}."
        )
    return controller


def _gains_of(controller: LawController, given: dict[str, ArrayLike]) -> dict[str, ArrayLike]:
    """The gains of all loops, those that vary taken out of what is given; matrices as their elements."""
    if not controller.inputs.matrices:
        return {name: given.pop(name, getattr(controller, name)) for name in ("kp", "kv")}
    if varied := [name for name in ("kp", "kv") if name in given]:
        raise InputError(
            f"{varied[0]} cannot vary where the controller's gains are matrices: give it one number or "
            "one per freedom for kp and for kv, or a rollout for each matrix."
        )
    return {"kp": controller.kp.ravel(), "kv": controller.kv.ravel()}


def common_rows(
    robot: Robot,
    plant: Plant,
    start: Any,
    gains: dict[str, ArrayLike],
    given: dict[str, ArrayLike],
    batch: int | None,
    matrices: bool,
) -> tuple[Array, dict[str, Array]]:
    """States (batch, size), and everything that stays the same over time by name.

    What is the same for all loops stays one row: it need not travel through memory at every step.
    """
    m = plant.velocity_size
    position, velocity = start_state(robot, start)
    sizes = {"position": plant.position_size, "velocity": m, **plant.variations}
    sizes |= dict.fromkeys(("kp", "kv"), m * m if matrices else m)
    parts: dict[str, Array] = {"position": position, "velocity": velocity}
    for name, value in {**gains, **given}.items():
        if name != "payload":
            known = matrices and name in gains  # which the controller has checked
            array = numbers(value, name)
            parts[name] = array if known else _factors(robot, plant, name, array, sizes[name])
    counts = {batch or 1}
    for name, array in parts.items():
        if array.shape[-1:] not in ((sizes[name],), (1,)) or array.ndim > 2:
            allowed = f"({sizes[name]},) or (batch, {sizes[name]})"
            raise InputError(f"{name} has shape {array.shape}; expected finite numbers {allowed}.")
        counts.add(len(array) if array.ndim == 2 else 1)
    if "payload" in given:
        loops = max(counts)  # how many loops there are, as far as all else tells
        parts["payload"] = payload_parameters(given["payload"], loops)
        counts.add(len(parts["payload"]) if parts["payload"].ndim == 2 else 1)
    count = _number_of_loops(counts)
    full = {
        name: np.broadcast_to(array, (*array.shape[:-1], sizes[name])) for name, array in parts.items()
    }
    starts = [np.broadcast_to(full.pop(name), (count, sizes[name])) for name in ("position", "velocity")]
    x = np.concatenate(starts, axis=1)
    return x, {name: np.ascontiguousarray(array) for name, array in full.items()}


def _factors(robot: Robot, plant: Plant, name: str, array: Array, size: int) -> Array:
    if name in NOT_NEGATIVE and (array < 0).any():
        raise InputError(f"{name} is {array.min():g} somewhere; expected numbers >= 0.")
    if name == "friction_scale" and not plant.has_friction:
        raise InputError(f"{robot.name} has no friction that friction_scale could change; leave it out.")
    one_each = array.ndim == 0 or (size == 1 and array.ndim == 1)
    return array[..., None] if one_each else array


def _number_of_loops(counts: set[int]) -> int:
    several = sorted(counts - {1})
    if len(several) > 1:
        raise InputError(
            f"starts and variations differ in number: {several}; give as many of each, or one."
        )
    count = several[0] if several else 1
    if not count:
        raise InputError("rollout: the batch is empty.")
    return count


class References:
    """For each sample the wanted position, the controller's reference, and what else a sample takes."""

    def __init__(
        self, controller: LawController, sampling: ControlSample, plan: Schedule, batch: int
    ) -> None:
        self._controller, self._sampling, self._plan, self._batch = controller, sampling, plan, batch
        self._noise = np.random.default_rng(sampling.loop.seed)
        self._wrist = np.random.default_rng([sampling.loop.seed, 2])
        self._drawn: Array | None = None
        self._first = -PLANNED

    def normal(self, k: int) -> Array | None:
        """Standard normal numbers of sample `k`; samples come in order, the first may be asked twice."""
        if "normal" not in self._sampling.given:
            return None
        if k or self._drawn is None:
            self._drawn = self._noise.standard_normal((self._batch, self._sampling.plant.effort_size))
        return self._drawn

    def of(self, k: int) -> tuple[Array, list[Array], dict[str, Array]]:
        if not 0 <= k - self._first < PLANNED:
            self._plan_ahead(k)
        row = k - self._first
        given: dict[str, Array] = {}
        for name in self._sampling.given:
            if name == "normal":
                drawn = self.normal(k)
                assert drawn is not None
                given[name] = drawn
            elif name == "acceleration":
                given[name] = self._accelerations[row]
            elif name == "ki":
                assert self._controller.ki is not None
                given[name] = self._controller.ki
            elif name == "wrist_normal":
                given[name] = self._wrist.standard_normal((self._batch, 6))
        return self._wanted[row], [part[row] for part in self._reference], given

    def _plan_ahead(self, k: int) -> None:
        """The references of some thousand samples from `k` on."""
        trajectory, plan = self._controller.trajectory, self._plan
        assert trajectory is not None
        self._first = k
        some = slice(k, k + PLANNED)
        # The computer follows its clock; errors are measured where the robot is when it is read.
        self._wanted = np.asarray(trajectory.at(plan.reads[some])[0])
        self._reference = [np.asarray(part) for part in self._controller.reference(plan.samples[some])]
        if "acceleration" in self._sampling.given:
            motion = trajectory.at(plan.samples[some])
            found = self._sampling.robot.actuator_motion(*motion).acceleration
            assert found is not None
            self._accelerations = found
