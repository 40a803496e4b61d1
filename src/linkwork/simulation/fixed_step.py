"""Fixed steps by the classical Runge-Kutta method (Turney 7)."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from linkwork.interface.robot import Array
from linkwork.simulation.run import Run
from linkwork.simulation.stick_slip import Indices
from linkwork.simulation.times import sample_times

ENERGY_CHECK = 10  # steps between looks at the energy


def march(run: Run, length: float, step: float) -> None:
    """Fill the record of a run; the effort is held over a period, or follows within a step."""
    times = sample_times(length, step)
    period = run.controller.period
    hold = None if period is None else round(period / step)
    effort = np.zeros(run.system.plant.effort_size)
    for k, (time, end) in enumerate(pairwise(times)):
        if hold is None or k % hold == 0:
            effort = run.effort_at(float(time), run.x)
        run.note(float(time), run.x, effort)
        run.check_limits(float(time), run.x)
        # Differences of the times would round; only the last step may be another one.
        h = step if end - time > 0.999999 * step else float(end - time)
        if hold is None:
            following, nonfinite = _following(run, float(time), h, effort)
        else:
            following, nonfinite = run.system.after(run.x, effort, h)
        if nonfinite:
            run.lose(float(time), h, run.x, effort)
        run.account(effort, following, h)
        before, run.x = run.x, following
        if k % ENERGY_CHECK == 0:
            run.watch_energy(float(end), h, before, effort)
    end, count = float(times[-1]), len(times) - 1
    sampled = hold is None or (count % hold == 0 and abs(count * step - end) < 1e-6 * step)
    effort = run.effort_at(end, run.x) if sampled else effort
    run.check_limits(end, run.x)
    run.note(end, run.x, effort)


def _following(run: Run, time: float, h: float, effort: Array) -> tuple[Array, bool]:
    """A step in which the controller acts at t, t + h/2, t + h/2 and t + h."""
    system = run.system

    def stages(start: Array, begin: float, length: float, slip: Array | None) -> tuple[Array, Array]:
        x, held = start, np.empty(0)
        rates: list[Array] = []
        for share in (0.0, 0.5, 0.5, 1.0):
            if rates:
                x = system.projected(start + share * length * rates[-1])
            push = effort if begin == time and not rates else run.effort_at(begin + share * length, x)
            rate, hold, _ = system.rate_at(x, push, slip)
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
