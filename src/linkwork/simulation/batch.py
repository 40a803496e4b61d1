"""The states of many closed loops, advanced together: what acts on them, and what is kept of them."""

from __future__ import annotations

from typing import NamedTuple

import casadi as ca
import numpy as np

from linkwork.control.controllers import LawController
from linkwork.kernels import Kernel
from linkwork.kernels.recipes import Expression
from linkwork.mechanics.expressions import SX, named_function
from linkwork.mechanics.plant import Plant
from linkwork.robot.compiled import recipe_of
from linkwork.robot.robot import Array
from linkwork.simulation.instruments import LARGEST, LAST, MEASURED, TALLIES, ControlSample
from linkwork.simulation.loads import External
from linkwork.simulation.plant_functions import (
    WRENCH,
    extra_symbols,
    plant_kernel,
    rate_function,
    runge_kutta_step,
)
from linkwork.simulation.results import Rollouts
from linkwork.simulation.stick_slip import CoulombBounds, Indices, Sliding, advance


class BatchInputs:
    """Rows of every variation, in the order of the kernels' inputs; one row serves all loops."""

    def __init__(
        self,
        plant: Plant,
        fixed: dict[str, Array],
        external: External,
    ) -> None:
        # In the order of the kernel's inputs, whatever the order of the user's dictionary.
        self._rows = {name: np.atleast_2d(fixed[name]) for name in plant.variations if name in fixed}
        self._loads, self._table = external.loads, external.table

    def change(self, time: float) -> None:
        """The load from a time on."""
        if self._loads is not None:
            self._rows["payload"] = self._loads.at(time)[None]

    def wrench(self, time: float) -> Array:
        """The wrench at a time, (1, 6) or one for every loop."""
        if self._table is not None:
            return self._table.at(time)[None]
        return self._rows.get(WRENCH, np.zeros((1, 6)))

    def over(self, begin: Array, length: Array, some: Indices | None = None) -> list[Array]:
        """Inputs of steps that begin at `begin` (k,), for all loops or for `some` of them."""
        found = []
        for name, rows in self._rows.items():
            values = rows[some] if some is not None and len(rows) > 1 else rows
            if name == WRENCH and self._table is not None:
                values = self._table.over_steps(begin, length)
            elif name == WRENCH:
                values = np.tile(values, 3)
            found.append(values)
        return found


def loop_expression(
    plant: Plant, law: ca.Function, names: tuple[str, ...], sampling: ControlSample, with_step: bool
) -> Expression:
    """One control sample and what it adds to memory and tallies, with a Runge-Kutta step or without.

    x, memory, what is given, reference, gains, variations, h, wanted position, tallies
    -> next x, (changes,) effort, memory, tallies.
    """
    p, m, n = plant.position_size, plant.velocity_size, plant.effort_size
    x, wanted = SX.sym("x", plant.state_size), SX.sym("wanted", p)
    sizes = {**sampling.memory, **sampling.given}
    told = {name: SX.sym(name, size) for name, size in sizes.items()}
    references = sampling.references(law)
    extra, h = extra_symbols(plant, names, over_steps=True), {"h": SX.sym("h", 1)}
    tallies = {"worst": SX.sym("worst", m), "squares": SX.sym("squares", m), "peak": SX.sym("peak", n)}
    effort, memory = sampling.effort(law, x, references, told)
    reached: dict[str, SX] = {}
    if with_step:
        rate = rate_function(plant, names)
        step = runge_kutta_step(plant, rate, x, effort, h["h"], plant.slip(x), extra)
        reached = dict(zip(("next", "changes"), (step[0], *step[2:]), strict=False))
    else:
        extra, h = {}, {}
    error = plant.position_error(wanted, x[0:p])
    updated = [
        ca.fmax(tallies["worst"], ca.fabs(error)),
        tallies["squares"] + error * error,
        ca.fmax(tallies["peak"], ca.fabs(effort)),
    ]
    inputs = {"x": x, **told, **references, **extra, **h, "wanted": wanted, **tallies}
    outputs = {**reached, "effort": effort}
    outputs |= {f"{name}_next": memory[name] for name in sampling.memory}
    outputs |= {f"{name}_next": value for name, value in zip(TALLIES, updated, strict=True)}
    shapes = tuple(() if name == "changes" else (part.size1(),) for name, part in outputs.items())
    return named_function("loop", inputs, outputs), shapes


class Kernels(NamedTuple):
    """Of a control sample, together with the step after it if one always follows at once; and of
    further steps."""

    sample: Kernel
    together: bool
    further: Kernel


def loop_kernels(
    plant: Plant, controller: LawController, names: tuple[str, ...], sampling: ControlSample
) -> Kernels:
    """The kernels that closed loops need."""
    # Measured: shared values that live through a whole step of an arm cost more than they save.
    optimize = not plant.actuated_coordinates
    law, together = controller.ingredients, not sampling.loop.lag

    def traced() -> Expression:
        return loop_expression(plant, controller.law_function(), names, sampling, together)

    if law is None or not plant.indexed:
        first = Kernel(*traced(), optimize=optimize)
    else:
        recipe = recipe_of(("loop", plant, law, names, together, *sampling.ingredients), traced)
        first = Kernel.from_recipe(recipe, optimize=optimize)
    return Kernels(first, together, plant_kernel("step", plant, names, optimize))


class Batch:
    """Closed loops that run side by side."""

    def __init__(
        self,
        robot: str,
        sampling: ControlSample,
        kernels: Kernels,
        x: Array,
        fixed: dict[str, Array],
        acting: BatchInputs,
        record_every: int | None,
    ) -> None:
        self.robot, self.sampling, self.kernels = robot, sampling, kernels
        self.plant = plant = sampling.plant
        self.first, self.x, self.fixed = x, x, fixed
        self.gains = fixed["kp"], fixed["kv"]
        self.acting, self.sliding = acting, Sliding(plant)
        self.friction = CoulombBounds.of(plant, fixed.get("friction_scale")) if plant.coulomb else None
        self.record_every = record_every
        self.times: list[float] = []
        self.records: list[Array] = []
        self.observed: list[dict[str, Array]] = []
        self.effort = np.zeros((len(x), plant.effort_size))
        sizes = (plant.velocity_size, plant.velocity_size, plant.effort_size)
        self.tallies = tuple(np.zeros((len(x), size)) for size in sizes)
        self.samples = 0

    def begin(self, normal: Array | None) -> None:
        """Fill the memory of the loops for their first sample, which has this noise."""
        p, sampling = self.plant.position_size, self.sampling
        position, velocity = self.x[:, :p], self.x[:, p:]
        self.memory: dict[str, Array] = {}
        if "seen_position" in sampling.memory:
            actual = sampling.robot.actuator_motion(position, velocity)
            assert actual.velocity is not None
            reading = sampling.tools.reading(actual.position, normal)
            first = sampling.tools.first(reading, actual.velocity)
            self.memory = {"seen_position": first.position, "seen_velocity": first.velocity}
        if "near" in sampling.memory:
            self.memory["near"] = np.ascontiguousarray(position)
        if "integrated" in sampling.memory:
            self.memory["integrated"] = np.zeros((len(self.x), self.plant.velocity_size))
        for name in sampling.memory.keys() - self.memory.keys():  # of observers, which start from zeros
            self.memory[name] = np.zeros((len(self.x), sampling.memory[name]))

    def sample(
        self,
        time: float,
        wanted: Array,
        reference: list[Array],
        given: dict[str, Array],
        h: float,
    ) -> Array:
        """The efforts of a sample; the step `h` that follows is done too if it always does."""
        memory = [self.memory[name] for name in self.sampling.memory]
        if MEASURED in self.sampling.given:
            given = {**given, MEASURED: self.acting.wrench(time)}
        told = [given[name] for name in self.sampling.given]
        before = (self.x, *memory, *told, *reference, *self.gains)
        if not self.kernels.together:
            (effort, *rest), _ = self.kernels.sample.evaluate((*before, wanted, *self.tallies))
            self._keep(rest, time)
            return np.asarray(effort)
        begin, length = np.array([time]), np.array([h])
        extra = self.acting.over(begin, length)
        arrays = (*before, *extra, length, wanted, *self.tallies)
        (following, *results), _ = self.kernels.sample.evaluate(arrays)
        if self.friction is None:
            self.effort, *rest = results
        else:
            changes, self.effort, *rest = results
            following = self._slipped(following, changes, begin, length)
        self.x = following
        self._keep(rest, time)
        return self.effort

    def _keep(self, results: list[Array], time: float) -> None:
        """Memory and tallies after a sample; a record of its time tells what observers then knew."""
        count = len(self.sampling.memory)
        self.memory = dict(zip(self.sampling.memory, results[:count], strict=True))
        self.tallies = tuple(results[count:])
        self.samples += 1
        if self.times and self.times[-1] == time:
            self.observed[-1] = self._told()

    def _told(self) -> dict[str, Array]:
        """What observers tell."""
        return {name: self.memory[f"{LAST}{name}"] for name in self.sampling.observed}

    def further(self, time: float, h: float) -> None:
        """A step under the efforts that act."""
        self.x = self._further(np.array([time]), np.array([h]))

    def record(self, index: int, time: float) -> None:
        """Keep the states of a step if they are asked for."""
        if self.record_every and index % self.record_every == 0:
            self.note(time)

    def _further(self, begin: Array, length: Array) -> Array:
        """A step under the effort of the last sample."""
        extra = self.acting.over(begin, length)
        if self.friction is None:
            following, _ = self.kernels.further.evaluate((self.x, self.effort, length, *extra))
            return np.asarray(following)
        slip = self.friction.slip(self.sliding.velocity(self.x))
        arrays = (self.x, self.effort, length, slip, *extra)
        (following, _, changes), _ = self.kernels.further.evaluate(arrays)
        return self._slipped(following, changes, begin, length)

    def _slipped(self, following: Array, changes: Array, begin: Array, length: Array) -> Array:
        """The states after a step, done anew where a joint stops, sticks too hard or breaks away."""
        assert self.friction is not None
        friction, sliding = self.friction, self.sliding
        if not self.plant.actuated_coordinates:
            following = sliding.held(following, friction.slip(sliding.velocity(self.x)) == 0)
        rows = np.flatnonzero(changes)
        rows = rows[np.isfinite(following[rows]).all(axis=1)]
        if not len(rows):
            return following

        def step(
            index: Indices, states: Array, gone: Array, lengths: Array, ways: Array
        ) -> tuple[Array, Array]:
            some = rows[index]
            extra = self.acting.over(begin + gone, lengths, some)
            arrays = (states, self.effort[some], lengths[:, None], ways, *extra)
            (reached, held, _), _ = self.kernels.further.evaluate(arrays)
            return reached, held

        lengths = np.full(len(rows), length[0])
        following[rows] = advance(step, friction.rows(rows), self.x[rows], lengths, sliding)
        return following

    def note(self, time: float) -> None:
        self.times.append(time)
        self.records.append(self.x)
        self.observed.append(self._told())

    def result(self, end: float) -> Rollouts:
        if self.record_every:
            self.note(end)
        count, p = len(self.x), self.plant.position_size
        kept = np.array(self.records).reshape(-1, count, self.plant.state_size)
        worst, squares, peak = self.tallies
        inputs = {"start_position": self.first[:, :p], "start_velocity": self.first[:, p:]}
        for name, rows in self.fixed.items():
            inputs[name] = np.broadcast_to(rows, (count, rows.shape[-1])).copy()
        told = self.sampling.observed
        observed = {
            f"{kind}{name}": self.memory[f"{kind}{name}"] for name in told for kind in (LAST, LARGEST)
        }
        if self.record_every:
            observed |= {name: np.array([each[name] for each in self.observed]) for name in told}
        return Rollouts(
            robot=self.robot,
            time=np.array(self.times),
            position=kept[..., :p],
            velocity=kept[..., p:],
            final_position=self.x[:, :p],
            final_velocity=self.x[:, p:],
            largest_error=worst,
            rms_error=np.sqrt(squares / max(self.samples, 1)),
            largest_effort=peak,
            loop=self.sampling.loop,
            diverged=np.asarray(~np.isfinite(self.x).all(axis=1)),
            inputs=inputs,
            observed=observed,
        )
