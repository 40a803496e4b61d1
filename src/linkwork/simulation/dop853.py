"""Accurate integration: DOP853 with dense output, restarted at every control sample and wherever a joint
begins to stick or to slip."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import NamedTuple, NoReturn

import numpy as np

from linkwork.core.arguments import positive
from linkwork.core.errors import InputError
from linkwork.kinematics.singularity import LOST
from linkwork.robot.robot import Array
from linkwork.simulation.run import Run
from linkwork.simulation.schedule import SLACK, Instant, Schedule, sample_times, schedule
from linkwork.simulation.sticking import Sticking

# A smooth motion takes some thousands of evaluations per second; a stiff one takes forever.
FIRST_EVALUATIONS, EVALUATIONS_PER_SECOND = 100_000, 20_000
LARGEST_CHANGES = 100_000  # between sticking and slipping
SMALLEST_TOLERANCE = 3e-14  # below, rounding errors are larger than what is asked for
LOOKS = 4  # in every step, for joints that stop or break away


def check_tolerance(tolerance: float) -> float:
    value = positive(tolerance, "tolerance", "1")
    if value < SMALLEST_TOLERANCE:
        raise InputError(
            f"tolerance = {tolerance!r}: expected {SMALLEST_TOLERANCE:g} and above; double precision "
            "has no more digits."
        )
    return value


class Reach(NamedTuple):
    """How far an integration has come, and its states up to there."""

    time: float
    state: Callable[[float], Array]
    over: bool = False  # at a limit or at a singular pose


class _Integration:
    """A run between its control samples."""

    def __init__(self, run: Run, length: float, step: float, tolerance: float) -> None:
        self.run, self.step, self.tolerance = run, step, tolerance
        self.evaluations = 0
        self.allowed = round(FIRST_EVALUATIONS + EVALUATIONS_PER_SECOND * length)
        self.held = np.zeros(run.system.plant.effort_size)
        rough = run.system.friction is not None
        self.sticking = Sticking(run.system, self.effort, tolerance) if rough else None
        self.changes = 0
        watched = run.stop_at_limits or not run.system.plant.actuated_coordinates or rough
        self.longest = step if watched else np.inf  # an event between two looks would be missed
        self.side = 0.0

    def effort(self, time: float, x: Array) -> Array:
        continuous = self.run.controller.period is None
        return self.run.effort_at(time, x) if continuous else self.held

    def rate(self, time: float, x: Array) -> Array:
        run = self.run
        self.evaluations += 1
        if self.evaluations > self.allowed:
            run.fail(
                time,
                f"the motion needs over {self.allowed} evaluations: it is too stiff for this "
                "integrator. Lower the gains, use the fixed step, or a larger tolerance.",
            )
        x = run.system.projected(x)
        effort = self.effort(time, x)
        slip = None if self.sticking is None else self.sticking.slip
        result, _, nonfinite = run.system.rate_at(time, x, effort, slip)
        if nonfinite:
            run.lose(time, self.step, x, effort)
        return np.asarray(result)

    def begin(self, time: float) -> None:
        """What sticks and what slips from here on."""
        self.side = float(np.sign(self.run.regularity(self.run.x)))
        if self.sticking is None:
            return
        self.changes += 1
        found = self.sticking.decide(time, self.run.x)
        if found is None or self.changes > LARGEST_CHANGES:
            self.run.fail(
                time,
                "no sticking and slipping of the joints with Coulomb friction is found that fits the "
                "forces. Use the fixed step.",
            )
        self.run.x = found

    def endings(self, x: Array) -> list[float]:
        """Positive until a run ends: distances to a limit, and to a singular pose."""
        run = self.run
        found = [run.system.margin(x)] if run.stop_at_limits else []
        if not run.system.plant.actuated_coordinates:
            found.append(self.side * run.regularity(x) - 1 / LOST)
        return found

    def margins(self, time: float, x: Array) -> Array:
        """Of friction, then of what ends a run: positive until it happens."""
        found = self.endings(x)
        if self.sticking is not None:
            found = [*self.sticking.margins(np.array([time]), x[None])[0], *found]
        return np.array(found)

    def steps(self, begin: float, end: float) -> Iterator[Reach]:
        """Integrate up to an end, or to the first thing that happens before."""
        from scipy.integrate import DOP853

        run, tolerance = self.run, self.tolerance
        solver = DOP853(
            self.rate, begin, run.x, end, rtol=tolerance, atol=tolerance, max_step=self.longest
        )
        while solver.status == "running":
            message = solver.step()
            if solver.status == "failed":
                run.fail(float(solver.t), f"the integrator gave up: {message}.")
            way, now = solver.dense_output(), float(solver.t)

            def state(time: float, way: Callable[[float], Array] = way) -> Array:
                return run.system.projected(way(time))

            first, over = self.happens(float(solver.t_old), now, state)
            if self.sticking is not None:
                self.sticking.passed(state(first))
            yield Reach(first, state, over)
            if over or first < now:
                return

    def happens(self, begin: float, end: float, state: Callable[[float], Array]) -> tuple[float, bool]:
        """The first time within a step at which something happens, or its end; and whether the run ends
        with it."""
        looks = np.linspace(begin, end, LOOKS + 1)
        states = np.array([state(float(time)) for time in looks])
        brackets: list[tuple[int, float, float]] = []  # of something that happens between two times
        count = 0
        if self.sticking is not None:
            gone = self.sticking.margins(looks, states) <= 0
            count = gone.shape[1]
            for k in np.flatnonzero(gone.any(axis=0)):
                row = int(np.argmax(gone[:, k]))
                brackets.append((int(k), float(looks[max(row - 1, 0)]), float(looks[row])))
        ends = zip(self.endings(states[0]), self.endings(states[-1]), strict=True)
        brackets += [(count + k, begin, end) for k, (a, b) in enumerate(ends) if a > 0 >= b]
        found = [(self._root(state, *bracket), bracket[0]) for bracket in brackets]
        time, which = min(found, default=(end, -1))
        return time, which >= count

    def _root(self, state: Callable[[float], Array], k: int, low: float, high: float) -> float:
        """Where a margin comes to zero."""
        from scipy.optimize import brentq

        def margin(time: float) -> float:
            return float(self.margins(time, state(time))[k])

        return float(brentq(margin, low, high, xtol=1e-15)) if margin(low) > 0 else low


def stop(run: Run, time: float, effort: Array) -> NoReturn:
    """End a run at a limit or at a singular pose."""
    run.note(time, run.x, effort)
    fault = run.system.outside(run.x, 1e-9) if run.stop_at_limits else None
    if fault is None:
        run.fail_singular(time, run.regularity(run.x))
    run.fail(time, fault)


def integrate(run: Run, length: float, step: float, tolerance: float) -> None:
    """Fill the record of a run at multiples of `step`, within `tolerance` relative and absolute."""
    grid = sample_times(length, step)
    plan = schedule(length, step, run.controller.period, run.measuring.loop, run.system.external.changes)
    work = _Integration(run, length, step, tolerance)
    waiting: dict[int, Array] = {}
    done = 0
    for now, following in pairwise(_pieces(plan, length)):
        begin, end = now.time, following.time
        work.held = run.happening(now, plan.samples, waiting, work.held)
        run.check_limits(begin, run.x)
        run.watch_divergence(begin)
        if abs(run.regularity(run.x)) < 1 / LOST:
            run.fail_singular(begin, run.regularity(run.x))
        reached = begin
        while reached < end - SLACK * step:
            work.begin(reached)
            for reach in work.steps(reached, end):
                reached, state, over = reach
                while done < len(grid) - 1 and grid[done] < reached - SLACK * step:
                    x = state(float(grid[done]))
                    run.note(float(grid[done]), x, work.effort(float(grid[done]), x))
                    done += 1
                run.x = state(reached)
                if over:
                    stop(run, reached, work.effort(reached, run.x))
    *_, end_of_run = plan
    effort = run.happening(end_of_run, plan.samples, waiting, work.held)
    run.check_limits(length, run.x)
    run.note(length, run.x, effort)


def _pieces(plan: Schedule, length: float) -> list[Instant]:
    """Where an integration begins anew: at the beginning, where efforts change or are computed, at the
    end."""
    return [
        now for now in plan if now.read or now.act is not None or now.change or now.time in (0.0, length)
    ]
