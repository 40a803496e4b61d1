"""Numbers behind Lee's section 5: errors, what makes them, loads, gains and counts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

from linkwork.analysis.printed_counts import LEE_1, LEE_2
from linkwork.interface.robot import Array
from linkwork.papers.lee1982.trials import BOUND, KP, KV, PERIOD, experiment, motion, puma
from linkwork.simulation import Simulation

LOAD = 2.3  # kg, a load that a PUMA 560 may carry
STEP = PERIOD / 2  # of the integration where only largest errors are wanted; its error is below 1e-7 rad
DURATIONS = np.geomspace(1.0, 8.0, 36)


def largest_error(duration: float, profile: str, rotors: bool) -> float:
    """Simulated [rad]."""
    run = experiment(duration, profile=profile, rotors=rotors, step=STEP)
    assert run.error is not None
    return float(np.abs(run.error).max())


def predicted_errors(duration: float, profile: str, rotors: bool) -> Array:
    """Largest error of every joint by the law M^-1 (period / 2) (rate of torque) / Kp [rad].

    A torque held over a sample is late by half a sample; the error is what that delay makes of it.
    """
    arm = puma()
    time = np.linspace(0.0, duration, 801)
    q, qd, qdd = motion(duration, profile).at(time)
    torque = arm.inverse_dynamics(q, qd, qdd, friction=False, rotors=rotors)
    late = PERIOD / 2 * np.gradient(torque, time, axis=0)
    M = arm.mass_matrix(q, rotors=rotors)
    return np.abs(np.linalg.solve(M, late[..., None])[..., 0] / KP).max(axis=0)


@dataclass(frozen=True)
class Case:
    """Largest errors of one kind of motion over its duration."""

    label: str
    profile: str
    rotors: bool
    durations: Array
    predicted: Array
    trial_durations: Array
    simulated: Array
    shortest: float  # duration from which on the paper's bound is kept, simulated


def case(profile: str, rotors: bool) -> Case:
    predicted = np.array([predicted_errors(d, profile, rotors).max() for d in DURATIONS])
    near = float(np.interp(-np.log(BOUND), -np.log(predicted), DURATIONS))
    shortest = float(
        brentq(
            lambda d: largest_error(round(d, 2), profile, rotors) - BOUND,
            0.8 * near,
            1.02 * near,
            xtol=2e-2,
        )
    )
    trials = np.array([1.0, 2.0, 4.0])
    return Case(
        label=f"{profile}, {'with' if rotors else 'without'} rotors",
        profile=profile,
        rotors=rotors,
        durations=DURATIONS,
        predicted=predicted,
        trial_durations=trials,
        simulated=np.array([largest_error(d, profile, rotors) for d in trials]),
        shortest=shortest,
    )


@dataclass(frozen=True)
class LoadTrial:
    label: str
    run: Simulation


def load_trials(duration: float = 3.0) -> list[LoadTrial]:
    return [
        LoadTrial("computed torque, no load", experiment(duration)),
        LoadTrial(f"computed torque, {LOAD} kg unknown", experiment(duration, payload=LOAD)),
        LoadTrial(
            f"adaptive, {LOAD} kg unknown", experiment(duration, payload=LOAD, controller="adaptive")
        ),
    ]


def sampled_poles(period: float = PERIOD) -> Array:
    """Moduli of the poles of e'' + Kv e' + Kp e = 0 with the acceleration held over each sample."""
    step, square = KV * period, KP * period**2 / 2
    return np.sort(np.abs(np.roots([1.0, step + square - 2.0, 1.0 - step + square])))


def longest_stable_period() -> float:
    return float(brentq(lambda T: sampled_poles(T).max() - 1.0, 0.02, 0.5))


def zero_crossings(run: Simulation) -> Array:
    """How often the error of every joint changes its sign."""
    assert run.error is not None
    return (np.diff(np.sign(run.error[1:]), axis=0) != 0).sum(axis=0)


@dataclass(frozen=True)
class Ratio:
    """Operations of the Lagrange controller over those of the Newton-Euler controller, n = 6."""

    multiplications: float
    additions: float


def printed_ratio(n: int = 6) -> Ratio:
    return Ratio(
        float(LEE_1.multiplications(n) / LEE_2.multiplications(n)),
        float(LEE_1.additions(n) / LEE_2.additions(n)),
    )


def traces(n: int) -> tuple[int, int]:
    """Traces of the Coriolis terms that Table 1 counts, and how many there are: i <= m, j <= k <= m."""
    counted = n * n * (n + 1) * (n + 2) // 6
    return counted, sum(m * m * (m + 1) // 2 for m in range(1, n + 1))


# Section 5: a PDP 11/45 takes 3.3 us for a multiplication, 0.5 us for an addition, 0.45 us for a fetch.
MULTIPLY, ADD, FETCH = 3.3e-6, 0.5e-6, 0.45e-6


def pdp_time(n: int = 6) -> float:
    """What the printed counts take on the paper's computer [s], one fetch for every operation."""
    m, a = int(LEE_2.multiplications(n)), int(LEE_2.additions(n))
    return m * (MULTIPLY + FETCH) + a * (ADD + FETCH)
