"""Arms as users bring them: URDF files of example-robot-data, with the plan found at once and searched.

    python -m benchmarks.urdf_arms [evaluations]

Per arm: sines and cosines, operations and time of rigid inverse dynamics, by the plan that every new arm
gets and by one searched with so many evaluations (2000), and Pinocchio's batch call. Goal: the plan
found at once within 5 % of the searched one.
"""

from __future__ import annotations

import sys
import warnings
from importlib.metadata import files
from pathlib import Path

import pinocchio as pin
from rich.console import Console
from rich.table import Table

import linkwork as lw
from benchmarks.peers import Peers
from benchmarks.timing import side_by_side

ARMS = (
    "ur3_robot", "ur5_robot", "ur10_robot", "ur5_joint_limited_robot", "z1", "xarm7", "kinova",
    "double_pendulum", "double_pendulum_continuous", "TwoDofs", "talos_left_arm",
)  # fmt: skip
RIGID = {"friction": False, "rotors": False}
STATES = 20_000
COLUMNS = ("arm", "sin cos", "operations", "ns", "searched", "ns", "ratio", "rneaInParallel", "ours is")


def urdf_path(name: str) -> Path:
    """A file of the example-robot-data package."""
    for path in files("example-robot-data") or ():
        if Path(str(path)).name == f"{name}.urdf":
            return Path(str(path.locate()))
    raise FileNotFoundError(f"{name}.urdf is not in example-robot-data; install linkwork[bench].")


def _row(name: str, evaluations: int) -> list[str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lw.RobotWarning)
        arm = lw.load(name if name == "ur5" else urdf_path(name))
    found = lw.minimise(arm, evaluations=evaluations, store=False, progress=False)
    state = arm.random_motion(STATES, 0)
    peers = Peers(arm.model, *state)
    times = side_by_side(
        {
            "quick": lambda: arm.inverse_dynamics(*state, **RIGID),
            "searched": lambda: found.inverse_dynamics(*state, **RIGID),
            "rnea": lambda: peers.rnea_in_parallel(1),
        },
        seconds=1.0,
    )
    ns = {key: seconds / STATES * 1e9 for key, seconds in times.items()}
    counts, best = (robot.kernel("inverse_dynamics", **RIGID).counts for robot in (arm, found))
    return [
        name, str(counts.sine_cosines), str(counts.flops), f"{ns['quick']:.1f}",
        f"{best.sine_cosines}, {best.flops}", f"{ns['searched']:.1f}",
        f"{ns['quick'] / ns['searched']:.2f}", f"{ns['rnea']:.0f}", f"{ns['rnea'] / ns['quick']:.0f}x",
    ]  # fmt: skip


def main(evaluations: int) -> None:
    lw.set_threads(1)
    table = Table(title=f"URDF arms, inverse dynamics, one core, per state; pin {pin.__version__}")
    for column in COLUMNS:
        table.add_column(column, justify="left" if column == "arm" else "right")
    for name in (*ARMS, "ur5"):
        table.add_row(*_row(name, evaluations))
    Console(width=130).print(table)
    lw.set_threads(None)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000)
