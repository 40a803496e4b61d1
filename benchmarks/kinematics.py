"""Inverse kinematics of arms and all poses of platforms, beside peers: run with `make bench`."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from rich.console import Console
from rich.table import Table
from roboticstoolbox import DHRobot

import linkwork as lw
from benchmarks.peers import toolbox_arm
from benchmarks.timing import side_by_side
from linkwork.kinematics.all_solutions import closed_form
from linkwork.kinematics.assembly_modes import aligned, solve_aligned
from linkwork.kinematics.assembly_paths import stored_start
from linkwork.mechanics.chain.inverse_kinematics import bounds
from linkwork.model.geometry import frozen

POSES = 50_000
RANDOM_POSES = 10_000
FEW = 100  # of a peer that takes one pose per call
PLATFORMS = 200
NEAR = 0.3  # rad
console = Console(width=120)


def reachable(arm: lw.Arm, rng: np.random.Generator, count: int) -> np.ndarray:
    low, high = bounds(arm.model, True)
    return rng.uniform(low, high, (count, arm.n))


def near_guesses(name: str) -> None:
    """Poses per second from guesses within 0.3 rad, beside solvers that take one pose per call."""
    arm = lw.load(name)
    rng = np.random.default_rng(0)
    q = reachable(arm, rng, POSES)
    T = arm.forward_kinematics(q)
    guess = q + rng.uniform(-NEAR, NEAR, q.shape)
    lw.set_threads(1)
    found = arm.inverse_kinematics(T, guess)
    contenders = {"linkwork": lambda: arm.inverse_kinematics(T, guess)}
    counts = {"linkwork": POSES}
    peers = {"ik_LM of Robotics Toolbox": _toolbox(arm, T, guess), "EAIK": _eaik(arm, T)}
    for title, run in peers.items():
        if run is not None:
            contenders[title], counts[title] = run, FEW
    times = side_by_side(contenders)
    table = Table(
        title=f"{name}: inverse kinematics from guesses within {NEAR} rad, one core; "
        f"{found.converged.mean():.3%} converged, residual {found.error[found.converged].max():.1e}",
        title_justify="left",
    )
    for column in ("", "poses per second", "us per pose"):
        table.add_column(column, justify="left" if not column else "right")
    for title, seconds in times.items():
        each = seconds / counts[title]
        table.add_row(title, f"{1 / each:,.0f}".replace(",", " "), f"{each * 1e6:.2f}")
    console.print(table)
    lw.set_threads(None)


def _toolbox(arm: lw.Arm, T: np.ndarray, guess: np.ndarray):
    try:
        robot: DHRobot = toolbox_arm(arm.model)
        robot.ets().ik_LM(T[0], q0=guess[0])
    except Exception as error:  # an arm that the toolbox cannot describe or solve
        console.print(f"Robotics Toolbox: {error}")
        return None
    ets = robot.ets()

    def run() -> None:
        for k in range(FEW):
            ets.ik_LM(T[k], q0=guess[k])

    return run


def _eaik(arm: lw.Arm, T: np.ndarray):
    """Closed forms give all solutions of a pose; they are what Linkwork's all=True starts from."""
    solver = closed_form(arm)
    if solver is None:
        return None

    def run() -> None:
        for k in range(FEW):
            solver(T[k])

    return run


def random_starts(name: str) -> tuple[str, ...]:
    arm = lw.load(name)
    rng = np.random.default_rng(1)
    T = arm.forward_kinematics(reachable(arm, rng, RANDOM_POSES))
    found = arm.inverse_kinematics(T, reachable(arm, rng, RANDOM_POSES))
    good = (found.error <= 1e-10).all(axis=1)
    return name, f"{good.mean():.2%}", "99.5 %", f"{found.error[good].max():.1e}"


def platforms() -> None:
    """Times of all poses: for a geometry that is new, and for one that is known."""
    rng = np.random.default_rng(2)
    start = stored_start()
    model = lw.load("dasgupta1998").model
    new, known, counts, real = [], [], [], []
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
        times = side_by_side({"new": anew, "known": again}, seconds=0.03, turn=0.0)
        new.append(times["new"])
        known.append(times["known"])
        counts.append(modes.solutions)
        real.append(len(modes.poses))
    proven = np.mean(np.equal(counts, 40))
    console.print(
        f"all poses of {PLATFORMS} random platforms, one core, median: {1e3 * np.median(new):.2f} ms "
        f"for a new geometry (goal 1.2), {1e3 * np.median(known):.2f} ms for new lengths of a known one "
        f"(goal 0.5; published: 10 to 14); 40 complex solutions proven for {proven:.1%}, "
        f"{np.mean(real):.1f} poses on average"
    )


def main() -> None:
    for name in ("ur5", "puma560"):
        near_guesses(name)
    table = Table(title=f"{RANDOM_POSES} reachable poses from random starts", title_justify="left")
    for column in ("arm", "solved to 1e-10", "goal", "largest residual"):
        table.add_column(column)
    for name in ("ur5", "puma560", "panda", "iiwa14"):
        table.add_row(*random_starts(name))
    console.print(table)
    platforms()


if __name__ == "__main__":
    main()
