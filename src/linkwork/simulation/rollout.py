"""Many closed loops at once: plant, controller and integrator in one kernel, a lane for every loop."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike, NDArray

from linkwork.checks import not_negative, numbers
from linkwork.control.arms import LawController
from linkwork.control.laws import is_ours, law_function
from linkwork.control.platform_law import platform_law_function
from linkwork.control.platforms import TaskSpaceControl
from linkwork.errors import InputError
from linkwork.interface.arm import Arm
from linkwork.interface.platform import Platform
from linkwork.interface.robot import Array
from linkwork.kernels import Kernel, Recipe
from linkwork.kernels.recipes import Expression
from linkwork.mechanics.arm.plant import ArmPlant
from linkwork.mechanics.expressions import SX
from linkwork.mechanics.plant import Plant
from linkwork.mechanics.platform.plant import PlatformPlant
from linkwork.names import one_of
from linkwork.progress import progress_bar
from linkwork.rotations import with_quaternion
from linkwork.simulation.plants import extra_symbols, rate_function, step_expression
from linkwork.simulation.runge_kutta import rk4
from linkwork.simulation.simulate import check_times

COMPILED = (
    "rollout compiles its controller: it takes ComputedTorque, GravityCompensation or a LawController "
    "for arms and TaskSpaceControl for platforms. Use simulate for other ones."
)
PLANNED = 4096  # control samples whose reference is computed at once


@dataclass(frozen=True)
class Rollouts:
    """A batch of closed loops: their ends, their worst moments and, if recorded, their ways."""

    time: Array  # of the recorded states
    position: Array  # (records, batch, ...)
    velocity: Array
    final_position: Array
    final_velocity: Array
    largest_error: Array  # (batch, n): of the position, at control samples; of a platform's
    # orientation twice the sine of half the angle, by axis
    rms_error: Array
    largest_effort: Array
    lost: NDArray[np.bool_]  # (batch,): loops that ended in numbers that are not finite


TALLIES = ("worst", "squares", "peak")


def loop_expression(
    plant: Plant, law: ca.Function, step: float, variations: tuple[str, ...]
) -> Expression:
    """One control sample and one Runge-Kutta step, and what it adds to the tallies of a loop.

    x, reference, gains, variations, wanted position, tallies -> next x, effort, tallies.
    """
    rate = rate_function(plant, variations)
    n = plant.effort_size
    p = plant.state_size - n
    x, wanted = SX.sym("x", plant.state_size), SX.sym("wanted", p)
    tallies = [SX.sym(name, n) for name in TALLIES]
    signals = [SX.sym(law.name_in(k), law.size1_in(k)) for k in range(2, law.n_in())]
    extra = extra_symbols(plant, variations)
    effort = law(x[0:p], x[p:], *signals)
    following = rk4(lambda s: rate(s, effort, *extra.values()), x, step, plant.projected)
    error = plant.position_error(wanted, x[0:p])
    worst, squares, peak = tallies
    updated = [
        ca.fmax(worst, ca.fabs(error)),
        squares + error * error,
        ca.fmax(peak, ca.fabs(effort)),
    ]
    inputs = [x, *signals, *extra.values(), wanted, *tallies]
    names = ["x", *[law.name_in(k) for k in range(2, law.n_in())], *extra, "wanted", *TALLIES]
    outputs = ["next", "effort", *[f"{name}_next" for name in TALLIES]]
    function = ca.Function("loop", inputs, [following, effort, *updated], names, outputs)
    return function, ((plant.state_size,), (n,), (n,), (n,), (n,))


def _loop_kernels(
    robot: Arm | Platform, controller: Any, step: float, names: tuple[str, ...]
) -> tuple[Plant, Kernel, Kernel]:
    """The kernel of a control sample with its first step, and that of further steps."""
    model = controller.robot.model
    if isinstance(robot, Arm) and isinstance(controller, LawController):
        plant: Plant = ArmPlant(robot.model)
        law: Any = controller.law

        def traced() -> ca.Function:
            return law_function(model, law)
    elif isinstance(robot, Platform) and isinstance(controller, TaskSpaceControl):
        plant, law = PlatformPlant(robot.model), "task space"

        def traced() -> ca.Function:
            return platform_law_function(model)
    else:
        raise InputError(COMPILED)
    # Measured: shared values that live through a whole step of an arm cost more than they save.
    optimise = isinstance(plant, PlatformPlant)
    further = Recipe(("step", plant, names), lambda: step_expression(plant, names))
    if isinstance(law, str) or is_ours(law):
        recipe = Recipe(
            ("loop", plant, model, law, step, names),
            lambda: loop_expression(plant, traced(), step, names),
        )
        loop = Kernel.from_recipe(recipe, optimise=optimise)
    else:
        loop = Kernel(*loop_expression(plant, traced(), step, names), optimise=optimise)
    return plant, loop, Kernel.from_recipe(further, optimise=optimise)


def rollout(
    robot: Arm | Platform,
    controller: LawController | TaskSpaceControl,
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
        start: positions (batch, ...), or a pair with rates; the trajectory's start if None.
        variations: what differs from loop to loop, each (batch, ...) or one for all: "kp", "kv" (gains),
            and for the plant of an arm "payload" (ten parameters, see point_load), "mass_scale" (a
            factor per link), "friction_scale" (one factor).
        record_every: keep the states of every this many steps; None keeps only the ends.
        progress: a progress bar; by default after a second, on a terminal.
    """
    if not isinstance(controller, LawController | TaskSpaceControl):
        raise InputError(COMPILED)
    given = dict(variations or {})
    gains = {name: given.pop(name, getattr(controller, name)) for name in ("kp", "kv")}
    allowed = tuple((ArmPlant if isinstance(robot, Arm) else PlatformPlant)(robot.model).variations)  # type: ignore[arg-type]
    for name in given:
        one_of(name, allowed, "variation")
    names = tuple(name for name in allowed if name in given)
    trajectory = controller.trajectory
    if trajectory is None:
        raise InputError("the controller has no trajectory to follow.")
    length = trajectory.duration if duration is None else not_negative(duration, "duration", "s")
    period = controller.period or step
    check_times(length, step, period)
    plant, loop, further = _loop_kernels(robot, controller, step, names)
    x, fixed = _starts(plant, trajectory, start, gains, given, names, batch)
    hold = round(period / step)
    run = _Batch(plant, loop, further, x, fixed, step, record_every)
    count = max(0, round(length / step))
    ahead = getattr(controller, "lookahead", 0.0)
    with (
        progress_bar(count, "rollout", progress) as advance,
        np.errstate(invalid="ignore", over="ignore"),
    ):
        for first in range(0, count, hold * PLANNED):
            steps = min(hold * PLANNED, count - first)
            times = step * np.arange(first, first + steps, hold)
            wanted = np.asarray(trajectory.at(times)[0])
            reference = [np.asarray(part) for part in trajectory.at(times + ahead)]
            for k in range(steps):
                run.step(first + k, k // hold if k % hold == 0 else None, wanted, reference)
                advance(1)
    return run.result(count)


def _starts(
    plant: Plant,
    trajectory: Any,
    start: Any,
    gains: dict[str, Any],
    given: dict[str, ArrayLike],
    names: tuple[str, ...],
    batch: int | None,
) -> tuple[Array, dict[str, Array]]:
    """States (batch, size) and everything that stays the same over time, broadcast together."""
    n = plant.effort_size
    first = trajectory.at(0.0)
    if start is None:
        start = (first[0], first[1])
    pair = isinstance(start, tuple) and len(start) == 2
    position, velocity = (numbers(part, "start") for part in (start if pair else (start, np.zeros(n))))
    if isinstance(plant, PlatformPlant):
        position = with_quaternion(position)
    sizes = {"position": plant.state_size - n, "velocity": n, "kp": n, "kv": n}
    sizes |= {name: plant.variations[name] for name in names}
    parts: dict[str, Array] = {"position": position, "velocity": velocity}
    for name, value in {**gains, **given}.items():
        array = numbers(value, name)
        parts[name] = (
            array[..., None] if array.ndim == 0 or (sizes[name] == 1 and array.ndim == 1) else array
        )
    counts = {batch or 1}
    for name, array in parts.items():
        if (
            array.shape[-1:] not in ((sizes[name],), (1,))
            or array.ndim > 2
            or not np.isfinite(array).all()
        ):
            raise InputError(
                f"{name} has shape {array.shape}; allowed are finite numbers ({sizes[name]},) or "
                f"(batch, {sizes[name]})."
            )
        counts.add(len(array) if array.ndim == 2 else 1)
    counts.discard(1)
    if len(counts) > 1:
        raise InputError(
            f"starts and variations differ in number: {sorted(counts)}; give as many of each, or one."
        )
    count = counts.pop() if counts else 1
    if not count:
        raise InputError("rollout: the batch is empty.")
    # What is the same for all loops stays one row: it need not travel through memory at every step.
    full = {
        name: np.broadcast_to(array, (*array.shape[:-1], sizes[name])) for name, array in parts.items()
    }
    start_rows = [
        np.broadcast_to(full.pop(name), (count, sizes[name])) for name in ("position", "velocity")
    ]
    x = np.concatenate(start_rows, axis=1)
    return x, {name: np.ascontiguousarray(array) for name, array in full.items()}


class _Batch:
    """The states of all loops and what is kept of them."""

    def __init__(
        self,
        plant: Plant,
        loop: Kernel,
        further: Kernel,
        x: Array,
        fixed: dict[str, Array],
        step: float,
        record_every: int | None,
    ) -> None:
        self.plant, self.loop, self.further = plant, loop, further
        self.x = x
        self.gains = fixed["kp"], fixed["kv"]
        # In the order of the kernel's inputs, whatever the order of the user's dictionary.
        self.extra = tuple(fixed[name] for name in plant.variations if name in fixed)
        self.h = np.array([step])
        self.record_every = record_every
        self.records: list[tuple[int, Array]] = []
        self.effort = np.zeros((len(x), plant.effort_size))
        self.tallies = tuple(np.zeros_like(self.effort) for _ in TALLIES)
        self.samples = 0

    def step(self, index: int, sample: int | None, wanted: Array, reference: list[Array]) -> None:
        """One step; at a control sample the law is evaluated first."""
        if self.record_every and index % self.record_every == 0:
            self.records.append((index, self.x))
        if sample is None:
            arrays = (self.x, self.effort, self.h, *self.extra)
            self.x, _ = self.further.evaluate(arrays)
            return
        now = tuple(part[sample] for part in reference)
        arrays = (self.x, *now, *self.gains, *self.extra, wanted[sample], *self.tallies)
        (self.x, self.effort, *tallies), _ = self.loop.evaluate(arrays)
        self.tallies = tuple(tallies)
        self.samples += 1

    def result(self, count: int) -> Rollouts:
        if self.record_every:
            self.records.append((count, self.x))
        size, p = self.plant.state_size, self.plant.state_size - self.plant.effort_size
        kept = np.array([state for _, state in self.records]).reshape(-1, len(self.x), size)
        worst, squares, peak = self.tallies
        return Rollouts(
            time=self.h[0] * np.array([index for index, _ in self.records], dtype=np.float64),
            position=kept[..., :p],
            velocity=kept[..., p:],
            final_position=self.x[:, :p],
            final_velocity=self.x[:, p:],
            largest_error=worst,
            rms_error=np.sqrt(squares / max(self.samples, 1)),
            largest_effort=peak,
            lost=np.asarray(~np.isfinite(self.x).all(axis=1)),
        )
