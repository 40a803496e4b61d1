"""The states of many closed loops, advanced together, and what is kept of them."""

from __future__ import annotations

import casadi as ca
import numpy as np

from linkwork.control.base import CompiledController
from linkwork.interface.robot import Array
from linkwork.kernels import Kernel, Recipe
from linkwork.kernels.recipes import Expression
from linkwork.mechanics.expressions import SX
from linkwork.mechanics.plant import Plant
from linkwork.simulation.plants import (
    extra_symbols,
    rate_function,
    runge_kutta_step,
    step_expression,
)
from linkwork.simulation.rollouts import Rollouts
from linkwork.simulation.stick_slip import Friction, Indices, advance

TALLIES = ("worst", "squares", "peak")


def loop_expression(plant: Plant, law: ca.Function, names: tuple[str, ...]) -> Expression:
    """One control sample and one Runge-Kutta step, and what it adds to the tallies of a loop.

    x, reference, gains, variations, h, wanted position, tallies -> next x, (changes,) effort, tallies.
    """
    rate = rate_function(plant, names)
    p, m, n = plant.position_size, plant.velocity_size, plant.effort_size
    x, h, wanted = SX.sym("x", plant.state_size), SX.sym("h", 1), SX.sym("wanted", p)
    worst, squares, peak = SX.sym("worst", m), SX.sym("squares", m), SX.sym("peak", n)
    signals = {law.name_in(k): SX.sym(law.name_in(k), law.size1_in(k)) for k in range(2, law.n_in())}
    extra = extra_symbols(plant, names)
    effort = law(x[0:p], x[p:], *signals.values())
    following, *sticking = runge_kutta_step(plant, rate, x, effort, h, ca.sign(x[p:]), extra)
    reached = [following, *sticking[1:]]
    error = plant.position_error(wanted, x[0:p])
    updated = [
        ca.fmax(worst, ca.fabs(error)),
        squares + error * error,
        ca.fmax(peak, ca.fabs(effort)),
    ]
    inputs = {"x": x, **signals, **extra, "h": h, "wanted": wanted}
    inputs |= {"worst": worst, "squares": squares, "peak": peak}
    first = ["next", "changes"][: len(reached)]
    outputs = [*first, "effort", *[f"{name}_next" for name in TALLIES]]
    function = ca.Function(
        "loop", list(inputs.values()), [*reached, effort, *updated], list(inputs), outputs
    )
    return function, ((plant.state_size,), *[() for _ in first[1:]], (n,), (m,), (m,), (n,))


def loop_kernels(
    plant: Plant, controller: CompiledController, names: tuple[str, ...]
) -> tuple[Kernel, Kernel]:
    """The kernel of a control sample with its first step, and that of further steps."""
    # Measured: shared values that live through a whole step of an arm cost more than they save.
    optimise = not plant.actuated_coordinates

    def traced() -> Expression:
        return loop_expression(plant, controller.law_function(), names)

    law = controller.ingredients
    if law is None:
        loop = Kernel(*traced(), optimise=optimise)
    else:
        loop = Kernel.from_recipe(Recipe(("loop", plant, law, names), traced), optimise=optimise)
    step = Recipe(("step", plant, names), lambda: step_expression(plant, names))
    return loop, Kernel.from_recipe(step, optimise=optimise)


class Batch:
    """Closed loops that run side by side."""

    def __init__(
        self,
        robot: str,
        plant: Plant,
        loop: Kernel,
        further: Kernel,
        x: Array,
        fixed: dict[str, Array],
        record_every: int | None,
    ) -> None:
        self.robot, self.plant, self.loop, self.further = robot, plant, loop, further
        self.first, self.x, self.fixed = x, x, fixed
        self.gains = fixed["kp"], fixed["kv"]
        # In the order of the kernel's inputs, whatever the order of the user's dictionary.
        self.extra = tuple(fixed[name] for name in plant.variations if name in fixed)
        self.friction = Friction.of(plant, fixed.get("friction_scale")) if plant.coulomb else None
        self.record_every = record_every
        self.times: list[float] = []
        self.records: list[Array] = []
        self.effort = np.zeros((len(x), plant.effort_size))
        sizes = (plant.velocity_size, plant.velocity_size, plant.effort_size)
        self.tallies = tuple(np.zeros((len(x), size)) for size in sizes)
        self.samples = 0

    def step(self, index: int, time: float, h: float, sample: tuple[Array, list[Array]] | None) -> None:
        """One step; at a control sample the law is evaluated first, for the wanted position and
        reference given."""
        if self.record_every and index % self.record_every == 0:
            self.note(time)
        length = np.array([h])
        if sample is None:
            self.x = self._further(length)
            return
        wanted, reference = sample
        arrays = (self.x, *reference, *self.gains, *self.extra, length, wanted, *self.tallies)
        if self.friction is None:
            (following, self.effort, *tallies), _ = self.loop.evaluate(arrays)
        else:
            (following, changes, self.effort, *tallies), _ = self.loop.evaluate(arrays)
            following = self._slipped(following, changes, length)
        self.x, self.tallies = following, tuple(tallies)
        self.samples += 1

    def _further(self, length: Array) -> Array:
        """A step under the effort of the last sample."""
        if self.friction is None:
            following, _ = self.further.evaluate((self.x, self.effort, length, *self.extra))
            return np.asarray(following)
        slip = self.friction.slip(self.x[:, self.plant.position_size :])
        arrays = (self.x, self.effort, length, slip, *self.extra)
        (following, _, changes), _ = self.further.evaluate(arrays)
        return self._slipped(following, changes, length)

    def _slipped(self, following: Array, changes: Array, length: Array) -> Array:
        """The states after a step, done anew where a joint stops, sticks too hard or is torn loose."""
        assert self.friction is not None
        p, friction = self.plant.position_size, self.friction
        rows = np.flatnonzero(changes)
        rows = rows[np.isfinite(following[rows]).all(axis=1)]
        if not len(rows):
            return following

        def step(
            index: Indices, states: Array, gone: Array, lengths: Array, ways: Array
        ) -> tuple[Array, Array]:
            some = rows[index]
            extra = [values[some] if len(values) == len(self.x) > 1 else values for values in self.extra]
            arrays = (states, self.effort[some], lengths[:, None], ways, *extra)
            (reached, held, _), _ = self.further.evaluate(arrays)
            return reached, held

        lengths = np.full(len(rows), length[0])
        following[rows] = advance(step, friction.rows(rows), self.x[rows], lengths, p)
        return following

    def note(self, time: float) -> None:
        self.times.append(time)
        self.records.append(self.x)

    def result(self, end: float) -> Rollouts:
        if self.record_every:
            self.note(end)
        count, p = len(self.x), self.plant.position_size
        kept = np.array(self.records).reshape(-1, count, self.plant.state_size)
        worst, squares, peak = self.tallies
        inputs = {"start_position": self.first[:, :p], "start_velocity": self.first[:, p:]}
        for name, rows in self.fixed.items():
            inputs[name] = np.broadcast_to(rows, (count, rows.shape[-1])).copy()
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
            lost=np.asarray(~np.isfinite(self.x).all(axis=1)),
            inputs=inputs,
        )
