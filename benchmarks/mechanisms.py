"""Mechanisms with loops and branches beside MuJoCo on the same mechanism."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator

import mujoco
import numpy as np

import linkwork as lw
from benchmarks.results import Result, faster
from benchmarks.timing import repeated, side_by_side
from tests.mechanism_reference import model
from tests.oracles.mujoco_mechanism import MujocoMechanism
from tests.oracles.pinocchio_mechanism import Oracle

FIRST = """
import sys, time
import numpy as np
import linkwork as lw
from linkwork.model.bundled import bundled_file
lw.load(str(bundled_file("planar-2r")))  # the readers of files
start = time.perf_counter()
robot = lw.load(str(bundled_file(sys.argv[1])))
loaded = time.perf_counter()
still = np.zeros(len(robot.velocities))
robot.inverse_dynamics(robot.home, still, still)
print(loaded - start, time.perf_counter() - start)
"""  # with an empty cache, modules of readers loaded
BATCH = 20_000
MANY = 200
SPREAD = 0.1  # of joints [rad, m] and poses [m, rad] around home
# Times MuJoCo's, inverse and forward dynamics.
GOALS = {
    "palletizer": (100, 100),
    "excavator": (100, 100),
    "par4": (100, 100),
    "ankle": (100, 100),
    "delta, six rods": (180, None),
    "gripper": (None, None),
    "hexapod-with-arm": (None, None),
    "two-arms": (None, None),
}


def peer_at(oracle: Oracle, rng: np.random.Generator) -> MujocoMechanism:
    """MuJoCo's mechanism at a state that closes its loops, in motion."""
    n = len(oracle.home)
    c = oracle.home + rng.uniform(-SPREAD / 2, SPREAD / 2, n)
    cd, cdd = rng.normal(size=(2, n))
    state = oracle.state(c, cd, cdd)
    names = oracle.names
    peer = MujocoMechanism(oracle.model, rotors=True)
    q = np.array([state.q[name] for name in names]) - oracle.home_q
    peer.place(q, np.array([state.qd[name] for name in names]))
    peer.data.qacc[:] = [state.qdd[name] for name in names]
    return peer


def contenders(robot, home: np.ndarray, peer: MujocoMechanism) -> dict[str, float]:
    """Seconds per state by name."""
    rng = np.random.default_rng(0)
    n = len(home)
    c = home + rng.uniform(-SPREAD, SPREAD, (BATCH, n))
    cd, cdd = rng.normal(size=(2, BATCH, n))
    tau = robot.inverse_dynamics(c, cd, cdd, friction=False)
    times = side_by_side(
        {
            "inverse": lambda: robot.inverse_dynamics(c, cd, cdd, friction=False),
            "forward": lambda: robot.forward_dynamics(c, cd, tau, friction=False),
            "mj_inverse": repeated(lambda: mujoco.mj_inverse(peer.model, peer.data), MANY),
            "mj_forward": repeated(lambda: mujoco.mj_forward(peer.model, peer.data), MANY),
        }
    )
    return {
        name: seconds / (MANY if name.startswith("mj") else BATCH) for name, seconds in times.items()
    }


def first_answer(name: str) -> tuple[float, float]:
    """Seconds to load a mechanism from its file, and to its first efforts, in a new process."""
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "LINKWORK_CACHE": cache}
        command = [sys.executable, "-c", FIRST, name]
        found = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    load, whole = found.stdout.split()
    return float(load), float(whole)


def dynamics(name: str, goals: tuple[float | None, float | None]) -> Iterator[Result]:
    robot = lw.Mechanism(model("delta")) if name == "delta, six rods" else lw.load_mechanism(name)
    oracle = Oracle(robot.model)
    times = contenders(robot, oracle.home, peer_at(oracle, np.random.default_rng(1)))
    for kind, goal in zip(("inverse", "forward"), goals, strict=True):
        what = f"{kind} dynamics, arrays, one core"
        yield faster(name, what, times[kind], times[f"mj_{kind}"], f"mj_{kind}", goal)
    counts = robot.kernel("inverse_dynamics", friction=False).counts
    yield Result(name, "operations of inverse dynamics", counts.flops, "")


def results() -> Iterator[Result]:
    for name, goals in GOALS.items():
        yield from dynamics(name, goals)
    for name in (each for each in GOALS if each in lw.bundled_names()):
        load, answer = first_answer(name)
        yield Result(name, "loaded from its file, nothing cached", load, "s", at_most=0.2)
        yield Result(name, "first answer, nothing cached", answer, "s", at_most=1.5)
