"""The studio's own work: one pose with forces, all reactions, conditioning and limits."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator

import numpy as np

import linkwork as lw
from benchmarks.results import Result
from linkwork.studio.controls import controls_of, position_of
from linkwork.studio.design import interpreted
from linkwork.studio.reading import MotionState, read

GOAL = 2  # ms
UPDATES = 300
ROBOTS = ("dasgupta1998", "simona", "puma560", "iiwa14")


def states(robot: lw.Robot) -> list[MotionState]:
    """Poses all over the middle half of the sliders, with rates and accelerations."""
    random = np.random.default_rng(0)
    controls = controls_of(robot)
    low, high = (np.array([getattr(c, side) for c in controls]) for side in ("low", "high"))
    found = []
    for _ in range(UPDATES):
        values = (low + high) / 2 + (high - low) / 4 * random.uniform(-1, 1, len(low))
        rates = random.uniform(-0.1, 0.1, (2, robot.dof))
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


def results() -> Iterator[Result]:
    for name in ROBOTS:
        robot = lw.load(name)
        poses = states(robot)
        taken = seconds(robot, poses)
        yield Result(name, "one update, median", 1e3 * statistics.median(taken), "ms", at_most=GOAL)
        yield Result(
            name, "one update, slowest of 100", 1e3 * statistics.quantiles(taken, n=100)[-1], "ms"
        )
        edited = statistics.median(seconds(interpreted(robot.model), poses[:50]))
        yield Result(name, "one update while the design is edited, median", 1e3 * edited, "ms")
