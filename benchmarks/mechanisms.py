"""Mechanisms with loops and branches beside MuJoCo on the same mechanism: run with `make bench`."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

import mujoco
import numpy as np
from rich.console import Console
from rich.table import Table

import linkwork as lw
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
console = Console(width=120)


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


def main() -> None:
    table = Table(title="Mechanisms, one core, ns per state", title_justify="left")
    titles = ("mechanism", "inverse", "x MuJoCo", "goal", "forward", "x MuJoCo", "goal", "operations")
    for column in titles:
        table.add_column(column, justify="left" if column == "mechanism" else "right")
    lw.set_threads(1)
    for name, goals in GOALS.items():
        robot = lw.Mechanism(model("delta")) if name == "delta, six rods" else lw.load_mechanism(name)
        oracle = Oracle(robot.model)
        times = contenders(robot, oracle.home, peer_at(oracle, np.random.default_rng(1)))
        cells = [name]
        for kind, goal in zip(("inverse", "forward"), goals, strict=True):
            ratio = times[f"mj_{kind}"] / times[kind]
            cells += [f"{times[kind] * 1e9:.0f}", f"{ratio:.0f}x", "" if goal is None else f"{goal}x"]
        counts = robot.kernel("inverse_dynamics", friction=False).counts
        operations = f"{counts.multiplications}m {counts.additions}a {counts.divisions}d"
        table.add_row(*cells, operations)
    lw.set_threads(None)
    console.print(table)
    table = Table(
        title="From the file, cold (goals: load 0.2 s, first answer 1.5 s)", title_justify="left"
    )
    for column in ("mechanism", "load [s]", "first answer [s]"):
        table.add_column(column, justify="left" if column == "mechanism" else "right")
    for name in [each for each in GOALS if each in lw.bundled_names()]:
        table.add_row(name, *(f"{seconds:.2f}" for seconds in first_answer(name)))
    console.print(table)


if __name__ == "__main__":
    main()
