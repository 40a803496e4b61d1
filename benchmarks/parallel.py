"""Parallel robots beside MuJoCo on the same mechanism: run with `make bench`."""

from __future__ import annotations

import mujoco
import numpy as np
from rich.console import Console
from rich.table import Table

import linkwork as lw
from benchmarks.timing import repeated, side_by_side
from linkwork.analysis.agreement import random_states
from linkwork.robot.parallel import ParallelRobot
from tests.oracles.mujoco_parallel import MujocoParallel

BATCH = 20_000
MANY = 200
# Times MuJoCo's, inverse and forward dynamics: what the study of this formulation reached at least.
GOALS = {
    "delta": (60, 100),
    "rotary-hexapod": (30, 35),
    "hexaglide": (35, 50),
    "3-rps": (25, 40),
    "five-bar": (60, 100),
    "planar-3rrr": (50, 80),
    "4-puu": (None, None),
}
ALONE = ("tricept", "agile-eye")  # closed as frames: MuJoCo has no such constraint without softness
console = Console(width=120)


def states(robot: ParallelRobot) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    c, _, _ = random_states(robot, BATCH)
    cd, cdd = rng.normal(size=(2, len(c), robot.freedoms))
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


def dynamics() -> None:
    table = Table(title="Parallel robots, one core, ns per state", title_justify="left")
    titles = (
        "robot",
        "inverse",
        "x MuJoCo",
        "goal",
        "forward",
        "x MuJoCo",
        "goal",
        "reactions",
        "operations",
    )
    for column in titles:
        table.add_column(column, justify="left" if column == "robot" else "right")
    lw.set_threads(1)
    for name in (*GOALS, *ALONE):
        robot = lw.load_parallel(name)
        peer = MujocoParallel(robot, robot.home) if name in GOALS else None
        if peer is not None:
            mujoco.mj_forward(peer.model, peer.data)
        times = contenders(robot, peer)
        goals = GOALS.get(name, (None, None))
        cells = [name]
        for kind, goal in zip(("inverse", "forward"), goals, strict=True):
            ratio = times[f"mj_{kind}"] / times[kind] if peer is not None else None
            cells += [f"{times[kind] * 1e9:.0f}", "" if ratio is None else f"{ratio:.0f}x"]
            cells.append("" if goal is None else f"{goal}x")
        counts = robot.kernel("inverse_dynamics", friction=False).counts
        operations = f"{counts.multiplications}m {counts.additions}a {counts.divisions}d"
        table.add_row(*cells, f"{times['reactions'] * 1e9:.0f}", operations)
    lw.set_threads(None)
    console.print(table)


def kinematics(name: str) -> None:
    robot = lw.load_parallel(name)
    c, *_ = states(robot)
    actuators = robot.inverse_kinematics(c)
    lw.set_threads(1)
    seconds = side_by_side({"newton": lambda: robot.forward_kinematics(actuators)})["newton"]
    lw.set_threads(None)
    found = robot.forward_kinematics(actuators)
    residual = np.abs(robot.inverse_kinematics(found) - actuators).max()
    goal = "" if robot.freedoms == 6 else " (goal 1)"
    console.print(
        f"forward kinematics of {name} from home, one core: {len(c) / seconds / 1e6:.2f} million poses "
        f"per second{goal}, residual {residual:.1e}"
    )


def main() -> None:
    dynamics()
    for name in ("delta", "five-bar", "rotary-hexapod"):
        kinematics(name)


if __name__ == "__main__":
    main()
