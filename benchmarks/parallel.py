"""Parallel robots beside MuJoCo on the same mechanism."""

from __future__ import annotations

from collections.abc import Iterator

import mujoco
import numpy as np

import linkwork as lw
from benchmarks.results import NANO, Result, faster
from benchmarks.timing import by_width, repeated, side_by_side
from linkwork.analysis.agreement import random_states
from linkwork.robot.parallel import ParallelRobot
from tests.oracles.mujoco_parallel import MujocoParallel

BATCH = 20_000
MANY = 200
# Times MuJoCo's, inverse and forward dynamics.
GOALS = {
    "delta": (by_width(60, 107), by_width(100, 166)),
    "rotary-hexapod": (30, 35),
    "hexaglide": (35, 50),
    "3-rps": (25, 40),
    "five-bar": (60, 100),
    "planar-3rrr": (50, 80),
    "4-puu": (None, None),
}
ALONE = ("tricept", "agile-eye")  # closed as frames: MuJoCo has no such constraint without softness


def states(robot: ParallelRobot) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    c, _, _ = random_states(robot, BATCH)
    cd, cdd = rng.normal(size=(2, len(c), robot.dof))
    return c, cd, cdd


def contenders(robot: ParallelRobot, peer: MujocoParallel | None) -> dict[str, float]:
    """Seconds per state by name."""
    c, cd, cdd = states(robot)
    tau = robot.inverse_dynamics(c, cd, cdd, friction=False)
    found = {
        "inverse": lambda: robot.inverse_dynamics(c, cd, cdd, friction=False),
        "forward": lambda: robot.forward_dynamics(c, cd, tau, friction=False),
        "reactions": lambda: robot.joint_reactions(c, cd, cdd),
    }
    counts = {}
    if peer is not None:
        found["mj_inverse"] = repeated(lambda: mujoco.mj_inverse(peer.model, peer.data), MANY)
        found["mj_forward"] = repeated(lambda: mujoco.mj_forward(peer.model, peer.data), MANY)
        counts = {"mj_inverse": MANY, "mj_forward": MANY}
    times = side_by_side(found)
    return {name: seconds / counts.get(name, len(c)) for name, seconds in times.items()}


def dynamics(name: str) -> Iterator[Result]:
    robot = lw.load_parallel(name)
    peer = MujocoParallel(robot, robot.home) if name in GOALS else None
    if peer is not None:
        mujoco.mj_forward(peer.model, peer.data)
    times = contenders(robot, peer)
    for kind, goal in zip(("inverse", "forward"), GOALS.get(name, (None, None)), strict=True):
        what = f"{kind} dynamics, arrays, one core"
        if peer is None:
            yield Result(name, what, times[kind] * NANO, "ns per state")
        else:
            yield faster(name, what, times[kind], times[f"mj_{kind}"], f"mj_{kind}", goal)
    yield Result(
        name, "all joint reactions, arrays, one core", times["reactions"] * NANO, "ns per state"
    )
    counts = robot.kernel("inverse_dynamics", friction=False).counts
    yield Result(name, "operations of inverse dynamics", counts.flops, "")


def kinematics(name: str) -> Iterator[Result]:
    robot = lw.load_parallel(name)
    c, *_ = states(robot)
    actuators = robot.inverse_kinematics(c)
    seconds = side_by_side({"newton": lambda: robot.forward_kinematics(actuators)})["newton"]
    found = robot.forward_kinematics(actuators)
    residual = float(np.abs(robot.inverse_kinematics(found) - actuators).max())
    goal = None if robot.dof == 6 else 1
    what = "forward kinematics from home"
    yield Result(name, what, len(c) / seconds / 1e6, "million poses per second", at_least=goal)
    yield Result(name, f"{what}, residual", residual, "rad or m")


def results() -> Iterator[Result]:
    for name in (*GOALS, *ALONE):
        yield from dynamics(name)
    for name in ("delta", "five-bar", "rotary-hexapod"):
        yield from kinematics(name)
