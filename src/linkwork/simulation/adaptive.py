"""Accurate integration: DOP853 with dense output, restarted at every control sample."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from linkwork.checks import positive
from linkwork.errors import InputError
from linkwork.interface.robot import Array
from linkwork.interface.singularity import LOST
from linkwork.simulation.run import Run
from linkwork.simulation.times import SLACK, sample_times

# A smooth motion takes some thousands of evaluations per second; a stiff one takes forever.
FIRST_EVALUATIONS, EVALUATIONS_PER_SECOND = 100_000, 20_000
SLOW = 1e-4  # [rad/s or m/s]: a joint that friction holds stands nearly still
SMALLEST_TOLERANCE = 3e-14  # below, rounding errors are larger than what is asked for


def check_tolerance(tolerance: float) -> float:
    value = positive(tolerance, "tolerance", "1")
    if value < SMALLEST_TOLERANCE:
        raise InputError(
            f"tolerance = {tolerance!r}: allowed is {SMALLEST_TOLERANCE:g} and above; double precision "
            "has no more digits."
        )
    return value


class _Integration:
    """A run between its control samples."""

    def __init__(self, run: Run, length: float, step: float, tolerance: float) -> None:
        self.run, self.step, self.tolerance = run, step, tolerance
        self.evaluations = 0
        self.allowed = round(FIRST_EVALUATIONS + EVALUATIONS_PER_SECOND * length)
        self.held = np.zeros(run.system.plant.effort_size)
        watched = run.stop_at_limits or not run.system.plant.actuated_coordinates
        self.longest = step if watched else np.inf  # an event between two looks would be missed

    def effort(self, time: float, x: Array) -> Array:
        continuous = self.run.controller.period is None
        return self.run.effort_at(time, x) if continuous else self.held

    def rate(self, time: float, x: Array) -> Array:
        run = self.run
        self.evaluations += 1
        if self.evaluations > self.allowed:
            run.fail(time, f"the motion needs over {self.allowed} evaluations: {self._stiff(x)}")
        x = run.system.projected(x)
        effort = self.effort(time, x)
        result, nonfinite = run.system.rate.evaluate((x, effort, *run.system.extra))
        if nonfinite:
            run.lose(time, self.step, x, effort)
        return np.asarray(result)

    def _stiff(self, x: Array) -> str:
        _, velocity = self.run.system.split(x)
        rough = [any(pair) for pair in self.run.system.plant.coulomb]
        if rough and np.abs(velocity[rough]).min() < SLOW:
            return (
                "Coulomb friction that sticks makes it so. Use the fixed step, a larger tolerance, or "
                "friction=False."
            )
        return (
            "it is too stiff for this integrator. Lower the gains, use the fixed step, or a larger "
            "tolerance."
        )

    def events(self) -> list[Any]:
        """What ends a run between samples: a limit, or a singular pose."""
        run = self.run

        def limit(time: float, x: Array) -> float:
            return run.system.margin(x)

        side = np.sign(run.regularity(run.x))

        def singular(time: float, x: Array) -> float:
            return float(side * run.regularity(x)) - 1 / LOST

        found: list[Any] = [limit] if run.stop_at_limits else []
        if not run.system.plant.actuated_coordinates:
            found.append(singular)
        for event in found:
            event.terminal = True
        return found

    def advance(self, begin: float, end: float) -> Any:
        """Integrate over one piece; stops with an error at a limit or a singular pose."""
        from scipy.integrate import solve_ivp

        run = self.run
        solution = solve_ivp(
            self.rate,
            (begin, end),
            run.x,
            method="DOP853",
            rtol=self.tolerance,
            atol=self.tolerance,
            dense_output=True,
            events=self.events() or None,
            max_step=self.longest,
        )
        if not solution.success:
            run.fail(float(solution.t[-1]), f"the integrator gave up: {solution.message}.")
        return solution


def integrate(run: Run, length: float, step: float, tolerance: float) -> None:
    """Fill the record of a run at multiples of `step`, within `tolerance` relative and absolute."""
    grid = sample_times(length, step)
    period = run.controller.period
    pieces = np.array([0.0, length][: 2 if length else 1])
    if period is not None:
        pieces = sample_times(length, period)
    work = _Integration(run, length, step, tolerance)
    done = 0
    for begin, end in pairwise(pieces):
        if period is not None:
            work.held = run.effort_at(float(begin), run.x)
        run.check_limits(float(begin), run.x)
        if abs(run.regularity(run.x)) < 1 / LOST:
            run.fail_singular(float(begin), run.regularity(run.x))
        solution = work.advance(float(begin), float(end))
        reached = float(solution.t[-1])
        while done < len(grid) - 1 and grid[done] < reached - SLACK * step:
            x = run.system.projected(solution.sol(grid[done]))
            run.note(float(grid[done]), x, work.effort(float(grid[done]), x))
            done += 1
        last = run.system.projected(solution.y[:, -1])
        if solution.status == 1:  # the instant of an event, found on the dense output
            run.note(reached, last, work.effort(reached, last))
            fault = run.system.outside(last, 1e-9) if run.stop_at_limits else None
            if fault is None:
                run.fail_singular(reached, run.regularity(last))
            run.fail(reached, fault)
        run.x = last
    fresh = period is None or abs(length / period - round(length / period)) < SLACK
    effort = run.effort_at(length, run.x) if fresh else work.held
    run.check_limits(length, run.x)
    run.note(length, run.x, effort)
