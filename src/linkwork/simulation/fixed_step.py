"""Fixed steps by the classical Runge-Kutta method (Turney 7)."""

from __future__ import annotations

import numpy as np

from linkwork.interface.robot import Array
from linkwork.simulation.run import Run
from linkwork.simulation.schedule import gap, schedule
from linkwork.simulation.stick_slip import Indices

ENERGY_CHECK = 10  # steps between looks at the energy


def march(run: Run, length: float, step: float) -> None:
    """Fill the record of a run; efforts act when the digital loop gives them out, or follow within a
    step."""
    plan = schedule(length, step, run.controller.period, run.measuring.loop, run.system.changes)
    waiting: dict[int, Array] = {}
    effort = np.zeros(run.system.plant.effort_size)
    instants = iter(plan)
    now, k = next(instants), 0
    while True:
        effort = run.happening(now, plan.samples, waiting, effort)
        if now.kept:
            run.note(now.time, run.x, effort)
            run.check_limits(now.time, run.x)
        following = next(instants, None)
        if following is None:
            return
        h = gap(now.time, following.time, step)
        if run.controller.period is None or run.system.external.function is not None:
            reached, nonfinite = _following(run, now.time, h, effort)
        else:
            reached, nonfinite = run.system.after(now.time, run.x, effort, h)
        if nonfinite:
            run.lose(now.time, h, run.x, effort)
        run.account(now.time, effort, reached, h)
        before, run.x = run.x, reached
        run.watch_divergence(following.time)
        if k % ENERGY_CHECK == 0:
            run.watch_energy(following.time, h, before, effort)
        now, k = following, k + 1


def _following(run: Run, time: float, h: float, effort: Array) -> tuple[Array, bool]:
    """A step in which controller and wrench act at t, t + h/2, t + h/2 and t + h; a controller that
    samples holds its effort."""
    system, held_effort = run.system, run.controller.period is not None

    def stages(start: Array, begin: float, length: float, slip: Array | None) -> tuple[Array, Array]:
        x, held = start, np.empty(0)
        rates: list[Array] = []
        for share in (0.0, 0.5, 0.5, 1.0):
            if rates:
                x = system.projected(start + share * length * rates[-1])
            now = begin + share * length
            known = held_effort or (begin == time and not rates)
            push = effort if known else run.effort_at(now, x)
            rate, hold, _ = system.rate_at(now, x, push, slip, before=share == 1.0)
            held = held if rates else hold
            rates.append(rate)
        h1, h2, h3, h4 = rates
        return system.projected(start + length / 6 * (h1 + 2 * h2 + 2 * h3 + h4)), held

    if system.friction is None:
        following, _ = stages(run.x, time, h, None)
        return following, not np.isfinite(following).all()

    def step(
        index: Indices, states: Array, gone: Array, lengths: Array, slip: Array
    ) -> tuple[Array, Array]:
        reached, hold = stages(states[0], time + float(gone[0]), float(lengths[0]), slip[0])
        return reached[None], hold[None]

    return system.slipping(run.x, h, step)
