"""Inverse kinematics of arms and all poses of platforms, beside peers."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

import linkwork as lw
from benchmarks.peers import toolbox_arm
from benchmarks.results import Result, faster
from benchmarks.timing import side_by_side
from linkwork.kinematics.all_solutions import closed_form
from linkwork.kinematics.assembly_modes import aligned, solve_aligned
from linkwork.kinematics.assembly_paths import stored_start
from linkwork.mechanics.chain.inverse_kinematics import bounds
from linkwork.model.geometry import frozen

POSES = 20_000
RANDOM_POSES = 5_000
FEW = 100  # of a peer that takes one pose per call
PLATFORMS = 50
NEAR = 0.3  # rad


def reachable(arm: lw.Arm, rng: np.random.Generator, count: int) -> np.ndarray:
    low, high = bounds(arm.model, True)
    return rng.uniform(low, high, (count, arm.n))


def near_guesses(name: str) -> Iterator[Result]:
    """Poses from guesses within 0.3 rad, beside solvers that take one pose per call."""
    arm = lw.load(name)
    rng = np.random.default_rng(0)
    q = reachable(arm, rng, POSES)
    T = arm.forward_kinematics(q)
    guess = q + rng.uniform(-NEAR, NEAR, q.shape)
    found = arm.inverse_kinematics(T, guess)
    what = f"inverse kinematics from guesses within {NEAR} rad"
    yield Result(name, f"{what}, converged", 100 * float(found.converged.mean()), "%")
    yield Result(name, f"{what}, residual", float(found.error[found.converged].max()), "m and rad")
    peers = {"Robotics Toolbox ik_LM": _toolbox(arm, T, guess), "EAIK": _eaik(arm, T)}
    solvers = {peer: run for peer, run in peers.items() if run is not None}
    times = side_by_side({"linkwork": lambda: arm.inverse_kinematics(T, guess), **solvers})
    yield Result(name, what, POSES / times["linkwork"] / 1e6, "million poses per second")
    for peer in solvers:
        yield faster(name, what, times["linkwork"] / POSES, times[peer] / FEW, peer)


def _toolbox(arm: lw.Arm, T: np.ndarray, guess: np.ndarray):
    ets = toolbox_arm(arm.model).ets()

    def run() -> None:
        for k in range(FEW):
            ets.ik_LM(T[k], q0=guess[k])

    return run


def _eaik(arm: lw.Arm, T: np.ndarray):
    """Closed forms give all solutions of a pose; they are what `arm.all_solutions` starts from."""
    solver = closed_form(arm)
    if solver is None:
        return None

    def run() -> None:
        for k in range(FEW):
            solver(T[k])

    return run


def random_starts(name: str) -> Iterator[Result]:
    arm = lw.load(name)
    rng = np.random.default_rng(1)
    T = arm.forward_kinematics(reachable(arm, rng, RANDOM_POSES))
    found = arm.inverse_kinematics(T, reachable(arm, rng, RANDOM_POSES))
    good = (found.error <= 1e-10).all(axis=1)
    yield Result(
        name, "poses solved to 1e-10 from random starts", 100 * float(good.mean()), "%", at_least=99.5
    )


def platforms() -> Iterator[Result]:
    """Times of all poses: for a geometry that is new, and for one that is known."""
    rng = np.random.default_rng(2)
    start = stored_start()
    model = lw.load("dasgupta1998").model
    new: list[float] = []
    known: list[float] = []
    counts, real = [], []
    for _ in range(PLATFORMS):
        base, points = rng.normal(size=(6, 3)), 0.7 * rng.normal(size=(6, 3))
        legs = tuple(
            replace(leg, base_point=frozen(a), platform_point=frozen(b))
            for leg, a, b in zip(model.legs, base, points, strict=True)
        )
        platform = lw.Platform(replace(model, legs=legs, home=None))
        pose = np.concatenate([rng.normal(size=3), rng.normal(size=4)])
        pose[3:] /= np.linalg.norm(pose[3:])
        lengths = platform.leg_lengths(pose)

        def anew(base=base, points=points, lengths=lengths):
            return solve_aligned(aligned(base, points, lengths, start), start, lengths)

        def again(platform=platform, lengths=lengths):
            return platform.assembly_modes(lengths)

        modes = again()
        for call, times in ((anew, new), (again, known)):
            call()
            begun = time.perf_counter()
            for _ in range(5):
                call()
            times.append((time.perf_counter() - begun) / 5)
        counts.append(modes.solutions)
        real.append(len(modes.poses))
    name, what = "random platforms", "all poses"
    yield Result(
        name, f"{what} of a new geometry, median", 1e3 * float(np.median(new)), "ms", at_most=1.2
    )
    yield Result(
        name, f"{what} of a known geometry, median", 1e3 * float(np.median(known)), "ms", at_most=0.5
    )
    proven = 100 * float(np.mean(np.equal(counts, 40)))
    yield Result(name, f"{what}: 40 complex solutions proven", proven, "%")
    yield Result(name, f"{what}: real ones", float(np.mean(real)), "on average")


def results() -> Iterator[Result]:
    for name in ("ur5", "puma560"):
        yield from near_guesses(name)
    for name in ("ur5", "puma560", "panda", "iiwa14"):
        yield from random_starts(name)
    yield from platforms()
