"""Accurate integration: DOP853 with dense output, restarted at every control sample."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any, NoReturn

import numpy as np

from linkwork.core.arguments import positive
from linkwork.core.errors import InputError
from linkwork.kinematics.singularity import LOST
from linkwork.mechanics.plant import STILL
from linkwork.robot.robot import Array
from linkwork.simulation.run import Run
from linkwork.simulation.schedule import SLACK, Instant, Schedule, sample_times, schedule

# A smooth motion takes some thousands of evaluations per second; a stiff one takes forever.
FIRST_EVALUATIONS, EVALUATIONS_PER_SECOND = 100_000, 20_000
LARGEST_CHANGES = 100_000  # between sticking and slipping
Event = Any  # as SciPy takes it: a function of time and state with attributes of its own
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
        self.slip: Array | None = None
        self.friction = run.system.friction
        self.torn: Array = np.zeros(len(run.system.plant.coulomb))  # directions of what was torn loose
        self.changes = 0
        watched = run.stop_at_limits or not run.system.plant.actuated_coordinates or self.friction
        self.longest = step if watched else np.inf  # an event between two looks would be missed

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
        result, _, nonfinite = run.system.rate_at(time, x, effort, self.slip)
        if nonfinite:
            run.lose(time, self.step, x, effort)
        return np.asarray(result)

    def events(self) -> list[Event]:
        """What ends a run between samples: a limit, or a singular pose."""
        run = self.run

        def limit(time: float, x: Array) -> float:
            return run.system.margin(x)

        side = np.sign(run.regularity(run.x))

        def singular(time: float, x: Array) -> float:
            return float(side * run.regularity(x)) - 1 / LOST

        found: list[Event] = [limit] if run.stop_at_limits else []
        if not run.system.plant.actuated_coordinates:
            found.append(singular)
        for event in found:
            event.terminal = True
        return found

    def decide(self, time: float) -> None:
        """Which joints stick from now on, and which way the others slip."""
        run, friction = self.run, self.friction
        if friction is None:
            return
        velocity = run.system.sliding.velocity(run.x)
        effort = self.effort(time, run.x)
        slip = np.where(self.torn != 0, self.torn, friction.slip(velocity))
        self.torn = np.zeros_like(slip)
        for _ in slip:
            xd, hold, _ = run.system.rate_at(time, run.x, effort, slip)
            loose = friction.released(slip, hold)
            if not loose.any():
                break
            slip = np.where(loose, np.sign(hold), slip)
        xd, _, _ = run.system.rate_at(time, run.x, effort, slip)
        gaining = run.system.sliding.acceleration(run.x, xd)
        back = (velocity == 0) & friction.crossed(slip, gaining)
        self.slip = np.where(back, 0.0, slip)

    def friction_events(self) -> list[Event]:
        """Where a slipping joint stops or a sticking one is torn loose, for every rough joint."""
        friction, slip, system = self.friction, self.slip, self.run.system
        if friction is None or slip is None:
            return []

        def event_of(k: int) -> Event:
            def stops(time: float, x: Array) -> float:
                # Torn loose, but others hold it: what does not move does not stop.
                return float(slip[k] * system.sliding.velocity(x)[k]) or STILL

            def holds(time: float, x: Array) -> float:
                _, hold, _ = system.rate_at(time, x, self.effort(time, x), slip)
                return float(min(friction.high[k] - hold[k], hold[k] - friction.low[k]))

            event = stops if slip[k] else holds
            event.terminal, event.direction = True, -1  # type: ignore[attr-defined]
            return event

        return [event_of(int(k)) for k in np.flatnonzero(friction.rough)]

    def still(self, x: Array) -> Array:
        """A state without what the tolerance leaves of velocities that friction holds."""
        return x if self.slip is None else self.run.system.sliding.held(x, self.slip == 0)

    def changed(self, time: float, x: Array, instants: list[Array]) -> Array | None:
        """The state after a change of friction, or None if friction did not change."""
        friction, slip = self.friction, self.slip
        rough: Iterable[int] = [] if friction is None else np.flatnonzero(friction.rough)
        happened = [k for k, when in zip(rough, instants, strict=True) if len(when)]
        if slip is None or not happened:
            return None
        self.changes += 1
        if self.changes > LARGEST_CHANGES:
            self.run.fail(time, f"friction has stuck or slipped {LARGEST_CHANGES} times.")
        stops = np.isin(np.arange(len(slip)), [k for k in happened if slip[k]])
        x = self.run.system.sliding.stopped(x, stops)
        for k in happened:
            if not slip[k]:
                _, hold, _ = self.run.system.rate_at(time, x, self.effort(time, x), slip)
                self.torn[k] = np.sign(hold[k])
        return x

    def advance(self, begin: float, end: float) -> Any:
        """Integrate over one piece, or up to an event."""
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
            events=[*self.friction_events(), *self.events()] or None,
            max_step=self.longest,
        )
        if not solution.success:
            run.fail(float(solution.t[-1]), f"the integrator gave up: {solution.message}.")
        return solution


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
            work.decide(reached)
            solution = work.advance(reached, end)
            reached = float(solution.t[-1])
            while done < len(grid) - 1 and grid[done] < reached - SLACK * step:
                x = run.system.projected(solution.sol(grid[done]))
                run.note(float(grid[done]), x, work.effort(float(grid[done]), x))
                done += 1
            last = work.still(run.system.projected(solution.y[:, -1]))
            run.x = last
            if solution.status == 1:  # the instant of an event, found on the dense output
                count = len(work.friction_events())
                after = work.changed(reached, last, solution.t_events[:count])
                if after is None:
                    stop(run, reached, work.effort(reached, last))
                run.x = after
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
