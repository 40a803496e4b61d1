"""Accurate integration: DOP853 with dense output, restarted at every control sample."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from linkwork.interface.robot import Array

if TYPE_CHECKING:
    from linkwork.simulation.simulate import _Run


# A smooth motion takes some thousands of evaluations per second; a stuck one takes forever.
FIRST_EVALUATIONS, EVALUATIONS_PER_SECOND = 100_000, 20_000


def integrate(run: _Run, length: float, step: float, tolerance: float) -> None:
    """Fill the record of a run at multiples of `step`, within `tolerance` relative and absolute."""
    from scipy.integrate import solve_ivp

    period = run.controller.period
    span = length if period is None else period
    pieces = max(1, round(length / span)) if length else 0
    effort = np.zeros(run.system.plant.effort_size)
    count = max(0, round(length / step))
    grid = step * np.arange(count + 1)
    evaluations, allowed = 0, round(FIRST_EVALUATIONS + EVALUATIONS_PER_SECOND * length)
    done = 0

    def limit(t: float, x: Array) -> float:
        return run.system.margin(x)

    limit.terminal = True  # type: ignore[attr-defined]
    for piece in range(pieces):
        begin, end = piece * span, min((piece + 1) * span, length)
        if period is not None:
            effort = run.effort_at(begin, run.x)
        held = effort

        def rate(t: float, x: Array, held: Array = held) -> Array:
            nonlocal evaluations
            evaluations += 1
            if evaluations > allowed:
                run.fail(
                    t,
                    f"the motion needs over {allowed} evaluations: Coulomb friction that sticks makes "
                    "it so. Use the fixed step, a larger tolerance, or friction=False.",
                )
            x = run.settle(x)
            push = held if period is not None else run.effort_at(t, x)
            result, nonfinite = run.system.rate.evaluate((x, push, *run.system.extra))
            if nonfinite:
                run.x = x
                run.lose(t, step)
            return np.asarray(result)

        solution = solve_ivp(
            rate,
            (begin, end),
            run.x,
            method="DOP853",
            rtol=tolerance,
            atol=tolerance,
            dense_output=True,
            events=limit if run.stop_at_limits else None,
        )
        if not solution.success:
            run.fail(float(solution.t[-1]), f"the integrator gave up: {solution.message}.")
        reached = float(solution.t[-1]) if solution.status == 1 else end
        final = piece == pieces - 1 and solution.status != 1
        while done <= count and (grid[done] < reached - 1e-12 or final):
            x = run.settle(solution.sol(min(grid[done], end)))
            last_sample = period is not None and piece == pieces - 1 and grid[done] >= end - 1e-12
            fresh = period is None or last_sample
            push = run.effort_at(grid[done], x) if fresh else effort
            run.note(float(grid[done]), x, push)
            done += 1
        if solution.status == 1:  # the instant at which a limit was met, found on the dense output
            stop = float(solution.t[-1])
            run.note(stop, run.settle(solution.y[:, -1]), effort)
            run.fail(stop, run.system.outside(solution.y[:, -1], 1e-9) or "a limit is reached.")
        run.x = run.settle(solution.y[:, -1])
