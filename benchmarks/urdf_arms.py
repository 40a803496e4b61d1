"""Arms as users bring them: URDF files of example-robot-data, with the plan found at once and searched.

`minimize_operations` searches for a plan with so many evaluations; the goal is the plan that every new
arm gets within 5 % of its time.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from importlib.metadata import files
from pathlib import Path

import linkwork as lw
from benchmarks.peers import Peers
from benchmarks.results import Result, faster
from benchmarks.timing import side_by_side

ARMS = (
    "ur3_robot", "ur5_robot", "ur10_robot", "ur5_joint_limited_robot", "z1", "xarm7", "kinova",
    "double_pendulum", "double_pendulum_continuous", "TwoDofs", "talos_left_arm",
)  # fmt: skip
RIGID = {"friction": False, "rotors": False}
STATES = 20_000
EVALUATIONS = 500


def urdf_path(name: str) -> Path:
    """A file of the example-robot-data package."""
    for path in files("example-robot-data") or ():
        if Path(str(path)).name == f"{name}.urdf":
            return Path(str(path.locate()))
    raise FileNotFoundError(f"{name}.urdf is not in example-robot-data; install linkwork[bench].")


def results() -> Iterator[Result]:
    for name in (*ARMS, "ur5"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", lw.RobotWarning)
            arm = lw.load(name if name == "ur5" else urdf_path(name))
        found = lw.minimize_operations(arm, evaluations=EVALUATIONS, store=False, progress=False)
        state = arm.random_states(STATES, 0)
        peers = Peers(arm.model, *state)
        times = side_by_side(
            {
                "quick": lambda arm=arm, s=state: arm.inverse_dynamics(*s, **RIGID),
                "searched": lambda arm=found, s=state: arm.inverse_dynamics(*s, **RIGID),
                "rnea": lambda peers=peers: peers.rnea_in_parallel(1),
            }
        )
        quick, searched, theirs = (times[key] / STATES for key in ("quick", "searched", "rnea"))
        counts = arm.kernel("inverse_dynamics", **RIGID).counts
        yield Result(name, "operations of inverse dynamics", counts.flops, "")
        yield Result(
            name, "time of the plan found at once", quick / searched, "of a searched one", at_most=1.05
        )
        yield faster(name, "inverse dynamics, arrays, one core", quick, theirs, "pin.rneaInParallel")
