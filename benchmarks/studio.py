"""The studio's own work: one pose with forces, all reactions, conditioning and limits; goal below 2 ms.

Run with `python -m benchmarks.studio`.
"""

from __future__ import annotations

import statistics
import time

import numpy as np
from rich.console import Console
from rich.table import Table

import linkwork as lw
from linkwork.studio.controls import controls_of, position_of
from linkwork.studio.design import interpreted
from linkwork.studio.reading import MotionState, read

GOAL = 2e-3  # seconds
UPDATES = 300
FRAMES = 60  # per second
ROBOTS = ("dasgupta1998", "simona", "puma560", "iiwa14")


def states(robot: lw.Robot) -> list[MotionState]:
    """Poses all over the middle half of the sliders, with rates and accelerations."""
    random = np.random.default_rng(0)
    controls = controls_of(robot)
    low, high = (np.array([getattr(c, side) for c in controls]) for side in ("low", "high"))
    found = []
    for _ in range(UPDATES):
        values = (low + high) / 2 + (high - low) / 4 * random.uniform(-1, 1, len(low))
        rates = random.uniform(-0.1, 0.1, (2, robot.freedoms))
        found.append(MotionState(position_of(robot, values), *rates))
    return found


def seconds(robot: lw.Robot, poses: list[MotionState]) -> list[float]:
    read(robot, poses[0])  # compiled, or traced, when first needed
    taken = []
    for pose in poses:
        begun = time.perf_counter()
        read(robot, pose)
        taken.append(time.perf_counter() - begun)
    return taken


def main() -> None:
    console = Console(width=110)
    table = Table(title="One update: forces, all reactions, condition number, limits")
    table.add_column("robot")
    for header in (
        "fastest tenth",
        "median",
        "slowest of 100",
        f"of a frame at {FRAMES}/s",
        "while editing",
        "goal",
    ):
        table.add_column(header, justify="right")
    for name in ROBOTS:
        robot = lw.load(name)
        poses = states(robot)
        taken = seconds(robot, poses)
        shares = statistics.quantiles(taken, n=100)
        quick, median, slow = shares[9], statistics.median(taken), shares[-1]
        edited = statistics.median(seconds(interpreted(robot.model), poses[:50]))
        table.add_row(
            name,
            f"{quick * 1e3:.3f} ms",
            f"{median * 1e3:.3f} ms",
            f"{slow * 1e3:.3f} ms",
            f"{100 * median * FRAMES:.1f} %",
            f"{edited * 1e3:.3f} ms",
            f"below {GOAL * 1e3:g} ms: {'kept' if median < GOAL else 'missed'}",
        )
    console.print(table)


if __name__ == "__main__":
    main()
