"""Fixed steps by the classical Runge-Kutta method (Turney 7)."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from linkwork.interface.robot import Array
from linkwork.simulation.run import Run
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
            following, nonfinite = run.system.step.evaluate(
                (run.x, effort, np.array([h]), *run.system.extra)
            )
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
    stages: list[Array] = []
    x, nonfinite = run.x, False
    for share in (0.0, 0.5, 0.5, 1.0):
        if stages:
            x = run.system.projected(run.x + share * h * stages[-1])
            effort = run.effort_at(time + share * h, x)
        rate, bad = run.system.rate.evaluate((x, effort, *run.system.extra))
        nonfinite |= bool(bad)
        stages.append(rate)
    h1, h2, h3, h4 = stages
    return run.system.projected(run.x + h / 6 * (h1 + 2 * h2 + 2 * h3 + h4)), nonfinite
