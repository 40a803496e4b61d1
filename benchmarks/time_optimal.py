"""Time-optimal timing of a path beside TOPP-RA: the same path and limits, both through their public
interfaces and with the same inverse dynamics."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import linkwork as lw
from benchmarks.results import Result, faster
from benchmarks.timing import side_by_side
from linkwork.motion import Waypoints
from tests.oracles.toppra_path import by_toppra, toppra_call

START, VIA, END = (
    [0.0, -1.5, 1.0, 0.0, 0.0, 0.0],
    [1.0, -1.0, 0.0, 1.0, 0.0, 1.0],
    [1.5, -0.5, -1.0, 1.0, 0.5, 2.0],
)
STEPS = 400


def results() -> Iterator[Result]:
    lw.set_threads(1)
    arm = lw.load("ur5")
    path = Waypoints([START, VIA, END], duration=2.0)
    bounds = {
        "velocity": np.full(6, np.pi),
        "acceleration": np.full(6, 20.0),
        "effort": np.array([150, 150, 150, 28, 28, 28.0]),
    }
    ours = lw.time_optimal(arm, path, **bounds, grid=2000)
    theirs = by_toppra(arm, path, bounds, 2000)
    yield Result(
        arm.name,
        "duration apart from TOPP-RA's, 2000 steps",
        100 * abs(ours.duration / theirs - 1),
        "%",
        at_most=0.1,
    )
    times = side_by_side(
        {
            "ours": lambda: lw.time_optimal(arm, path, **bounds, grid=STEPS),
            "theirs": toppra_call(arm, path, bounds, STEPS),
        }
    )
    words = f"time-optimal timing, {STEPS} steps, limits of velocity, acceleration and torque"
    yield faster(arm.name, words, times["ours"], times["theirs"], "TOPP-RA", 10)
