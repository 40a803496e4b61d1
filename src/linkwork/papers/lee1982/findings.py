"""Numbers behind Lee's section 5: errors, what makes them, loads, gains and counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import expm
from scipy.optimize import brentq

from linkwork.analysis.printed_counts import LEE_1, LEE_2, PrintedTable
from linkwork.analysis.speed import Call, side_by_side
from linkwork.control import ComputedTorque
from linkwork.papers.lee1982.trials import (
    ARM,
    BOUND,
    KP,
    KV,
    LEARNING,
    PERIOD,
    PROFILES,
    experiment,
    motion,
    puma,
)
from linkwork.robot.robot import Array
from linkwork.simulation import Simulation
from linkwork.simulation.loads import Payload

LOAD = 2.3  # kg, a load that a PUMA 560 may carry
STEP = PERIOD  # of the integration where only largest errors are wanted; its error is below 1e-7 rad
DURATIONS = np.geomspace(1.0, 8.0, 24)
SAMPLES = 401  # of a motion, where its torque is differentiated


def largest_error(duration: float, profile: str, rotors: bool, arm: str = ARM) -> float:
    """Simulated [rad]."""
    run = experiment(duration, profile=profile, rotors=rotors, step=STEP, arm=arm)
    assert run.error is not None
    return float(np.abs(run.error).max())


def late_accelerations(durations: Array, profile: str, rotors: bool) -> Array:
    """M^-1 (period / 2) (rate of torque) along motions of these durations, (durations, samples, 6).

    A torque held over a sample is late by half a sample; this is what that delay takes from every joint.
    """
    arm = puma()
    times = durations[:, None] * np.linspace(0.0, 1.0, SAMPLES)
    motions = [motion(d, profile).at(t) for d, t in zip(durations, times, strict=True)]
    q, qd, qdd = (np.stack(parts) for parts in zip(*motions, strict=True))
    torque = arm.inverse_dynamics(q, qd, qdd, friction=False, rotors=rotors)
    step = (durations / (SAMPLES - 1))[:, None, None]
    late = PERIOD / 2 * np.gradient(torque, axis=1) / step
    M = arm.mass_matrix(q, rotors=rotors)
    return np.linalg.solve(M, late[..., None])[..., 0]


def filtered(disturbance: Array, step: Array) -> Array:
    """e of e'' + Kv e' + Kp e = disturbance (K, N, 6), from rest; exact where it is piecewise linear."""
    # With the disturbance as a state that grows linearly, one step is a matrix exponential.
    A = np.array([[0.0, 1, 0, 0], [-KP, -KV, 1, 0], [0, 0, 0, 1], [0, 0, 0, 0]])
    steps = np.stack([expm(A * h) for h in step])[:, None]  # (K, 1, 4, 4)
    error = np.zeros_like(disturbance)
    state = np.zeros((*disturbance[:, 0].shape, 4))
    for k in range(disturbance.shape[1] - 1):
        state[..., 2] = disturbance[:, k]
        state[..., 3] = (disturbance[:, k + 1] - disturbance[:, k]) / step[:, None]
        state = (steps @ state[..., None])[..., 0]
        error[:, k + 1] = state[..., 0]
    return error


@dataclass(frozen=True)
class ErrorLaw:
    """Largest errors [rad] of any joint, one per duration, by the law of the held torque."""

    still: Array  # as if the error followed at once: disturbance / Kp
    filtered: Array  # with the error's own dynamics, e'' + Kv e' + Kp e


def predicted(durations: Array, profile: str, rotors: bool) -> ErrorLaw:
    late = late_accelerations(durations, profile, rotors)
    error = filtered(late, durations / (SAMPLES - 1))
    return ErrorLaw(np.abs(late / KP).max(axis=(1, 2)), np.abs(error).max(axis=(1, 2)))


@dataclass(frozen=True)
class Case:
    """Largest errors of one kind of motion over its duration."""

    label: str
    profile: str
    rotors: bool
    durations: Array
    law: ErrorLaw
    trial_durations: Array
    simulated: Array
    shortest: float  # duration from which on the paper's bound is kept, simulated


def case(profile: str, rotors: bool) -> Case:
    law = predicted(DURATIONS, profile, rotors)
    near = float(np.interp(-np.log(BOUND), -np.log(law.filtered), DURATIONS))
    trials = np.array([1.0, 2.0, 4.0])
    return Case(
        label=f"{profile}, {'with' if rotors else 'without'} rotors",
        profile=profile,
        rotors=rotors,
        durations=DURATIONS,
        law=law,
        trial_durations=trials,
        simulated=np.array([largest_error(d, profile, rotors) for d in trials]),
        shortest=shortest_duration(near, profile, rotors),
    )


def shortest_duration(near: float, profile: str, rotors: bool, arm: str = ARM) -> float:
    """From which duration on the bound is kept, to 0.02 s, sought beside `near`."""
    return float(
        brentq(
            lambda d: largest_error(round(d, 2), profile, rotors, arm) - BOUND,
            0.85 * near,
            1.15 * near,
            xtol=2e-2,
        )
    )


PROFILE_DURATIONS = (2.1, 3.0)
WORDS = {"blends": "parabolic blends, a third of the duration each", "short blends": "blends of 0.5 s"}


def profile_errors() -> dict[str, list[float]]:
    """Largest errors in steps of the converter, by the profile in words."""
    return {
        WORDS.get(profile, profile): [
            largest_error(d, profile, rotors=True) / BOUND for d in PROFILE_DURATIONS
        ]
        for profile in PROFILES
    }


@dataclass(frozen=True)
class Theorem:
    """(4.1) against (4.4): torques with M formed, and by the recursion, with full gain matrices."""

    states: int
    difference: float  # over the largest torque
    smallest_gain: float  # least eigenvalue of Kp and Kv: condition (a), (b)
    rank: int  # of [Kv, Kp Kv, ..., Kp^(n-1) Kv]: condition (c)
    smallest_inertia: float  # least eigenvalue of D [kg m^2]


def theorem(states: int = 200) -> Theorem:
    """Section 4: both laws give the same torques, for any gains; with Lagrange's M, H, G in (4.1)."""
    arm, rng = puma(), np.random.default_rng(0)
    n = arm.n
    q, qd, e, ed, qdd = rng.uniform(-1, 1, (5, states, n))
    Kp, Kv = (_symmetric_gain(rng, n, size) for size in (KP, KV))
    wanted = qdd + ed @ Kv.T + e @ Kp.T
    M = arm.mass_matrix(q, rotors=False, formulation="lagrange")
    bias = arm.bias(q, qd, formulation="lagrange")
    by_matrix = np.einsum("sij,sj->si", M, wanted) + bias
    options = {"friction": False, "rotors": False, "formulation": "newton-euler"}
    by_recursion = arm.inverse_dynamics(q, qd, wanted, **options)  # type: ignore[arg-type]
    controllability = np.hstack([np.linalg.matrix_power(Kp / KP, k) @ Kv for k in range(n)])
    return Theorem(
        states,
        float(np.abs(by_matrix - by_recursion).max() / np.abs(by_recursion).max()),
        float(min(np.linalg.eigvalsh(K).min() for K in (Kp, Kv))),
        int(np.linalg.matrix_rank(controllability)),
        float(np.linalg.eigvalsh(M).min()),
    )


def _symmetric_gain(rng: np.random.Generator, n: int, size: float) -> Array:
    A = rng.normal(size=(n, n))
    return np.asarray(size * (np.eye(n) + A @ A.T / n) / 2)


@dataclass(frozen=True)
class LoadTrial:
    label: str
    run: Simulation


def load_trials(duration: float = 3.0) -> list[LoadTrial]:
    kinds = (
        (f"computed torque, {LOAD} kg unknown", "computed-torque"),
        (f"adaptive, {LOAD} kg unknown", "adaptive"),
    )
    return [
        LoadTrial("computed torque, no load", experiment(duration, step=STEP)),
        *[
            LoadTrial(label, experiment(duration, payload=LOAD, controller=name, step=STEP))
            for label, name in kinds
        ],
    ]


PICKED, DROPPED_AT = 0.8, 2.2  # s
CARRIED: list[tuple[float, ArrayLike | None]] = [(PICKED, 2.0), (DROPPED_AT, None)]  # s, kg
# Laws by their names on the page, and what `experiment` takes for them.
LAWS: dict[str, dict[str, Any]] = {
    "computed torque": {"controller": "computed-torque"},
    "adaptive": {"controller": "adaptive"},
    "adaptive, twice as fast": {"controller": "adaptive", "learning_rate": 2 * LEARNING},
    "adaptive, four times as fast": {"controller": "adaptive", "learning_rate": 4 * LEARNING},
    "adaptive, forgets at 2 /s": {"controller": "adaptive", "forgetting": 2.0},
    "adaptive, reset at the drop": {"controller": "adaptive", "resets": (DROPPED_AT,)},
    "robust": {"controller": "robust"},
}
DRAWN = ("computed torque", "adaptive", "adaptive, reset at the drop", "robust")
DROPPED = "2 kg from 0.8 to 2.2 s"
LOADS: dict[str, Payload] = {"no load": None, "2 kg throughout": 2.0, DROPPED: CARRIED}


def changing_load_trials(duration: float = 3.0) -> dict[str, list[LoadTrial]]:
    """By load: every law, with exact sensors. A reset belongs to the load that is dropped."""
    return {
        words: [
            LoadTrial(label, experiment(duration, payload=load, step=STEP, **options))
            for label, options in LAWS.items()
            if words == DROPPED or "resets" not in options
        ]
        for words, load in LOADS.items()
    }


def rough_trial(law: str, duration: float = 3.0) -> Simulation:
    """The changing load with 12-bit positions, their differences and 3 ms of delay."""
    return experiment(duration, payload=CARRIED, loop="lee1982", step=STEP, **LAWS[law])


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


def pdp_time(n: int = 6, table: PrintedTable = LEE_2) -> float:
    """What the printed counts take on the paper's computer [s], one fetch for every operation."""
    m, a = int(table.multiplications(n)), int(table.additions(n))
    return m * (MULTIPLY + FETCH) + a * (ADD + FETCH)


def control_times() -> dict[str, float]:
    """Of one set point on this machine [s]: the law's kernel, and the recursion alone."""
    arm = puma()
    reference = motion(3.0).at(1.0)
    law = ComputedTorque(arm, motion(3.0), KP, KV, PERIOD, friction=False)
    gains = (law.kp, law.kv)
    q, qd, qdd = reference
    calls: dict[str, Call] = {
        "Linkwork, the control law (4.4) as one kernel": lambda: law.kernel.evaluate(
            (q, qd, *reference, *gains)
        ),
        "Linkwork, `arm.inverse_dynamics` alone": lambda: arm.inverse_dynamics(
            q, qd, qdd, friction=False
        ),
    }
    return side_by_side(calls, seconds=0.04)
