"""Machines compared: kernels with parameters beside folded ones, poses judged per second, sweeps."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np

import linkwork as lw
from benchmarks.results import NANO, Result
from benchmarks.timing import side_by_side
from linkwork.design.sweep import open_sweep

STATES = 20_000
ROBOT = Path(__file__).parents[1] / "examples" / "flight-simulator.yaml"
STUDY = {
    "robot": str(ROBOT),
    "variables": {
        "geometry.base_radius": [1.4, 2.2],
        "geometry.platform_radius": [1.0, 1.8],
        "geometry.height": [1.8, 2.6],
        "platform.mass": [1000, 2000],
    },
    "motions": [str(ROBOT.with_name("simulator-heave.yaml"))],
    "metrics": ["peak_effort", "rms_effort", "stroke", "speed", "power"],
}
VARIANTS = (8_192, 131_072)
PERIOD = 0.05
POSES = 3  # million per second, the goal


def states(robot: lw.Platform, count: int) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(0)
    pose = np.tile(robot.home, (count, 1))
    pose[:, :3] += rng.uniform(-0.1, 0.1, (count, 3))
    return pose, *rng.normal(size=(2, count, 6))


def parameters(robot: lw.Platform) -> Iterator[Result]:
    """All geometry of a platform as inputs: another machine in every row."""
    motion = states(robot, STATES)
    names = ["legs.base_point", "legs.platform_point"]
    values = [np.tile(robot.field(name), (STATES, 1)) for name in names]
    for method in ("inverse_dynamics", "forward_dynamics"):
        folded, free = robot.kernel(method), robot.kernel(method, parameters=names)
        times = side_by_side(
            {"folded": partial(folded, *motion), "free": partial(free, *motion, *values)}
        )
        share, each = times["free"] / times["folded"], times["free"] / STATES * NANO
        yield Result(robot.name, f"{method}, 36 numbers as inputs", share, "of folded", ours=each)


def margins(robot: lw.Platform) -> Iterator[Result]:
    """Poses against every limit of the workspace."""
    pose = states(robot, STATES)[0]
    judged = partial(robot.margins, pose, clearance=0.1, leg_diameter=0.1, errors="nan")
    speed = STATES / side_by_side({"margins": judged})["margins"] / 1e6
    yield Result(robot.name, "all limits of a pose", speed, "million poses per second", POSES)


def sweep() -> Iterator[Result]:
    """`linkwork sweep` beside the bare kernel on as many states, in processor time of one core.

    The command runs twice, short and long: what both need is its start, the rest grows with the states.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "study.yaml"
        times = {}
        for count in VARIANTS:
            sampling = {"method": "sobol", "count": count}
            path.write_text(json.dumps(STUDY | {"period": PERIOD, "sampling": sampling}))
            times[count] = command(path, Path(folder) / f"runs-{count}")
        found = open_sweep(path, Path(folder) / f"runs-{VARIANTS[-1]}")
        size = sum(each.stat().st_size for each in found.folder.glob("part-*.parquet"))
    motion = found.task.evaluator.motions[0]
    state = (motion.position, motion.velocity, motion.acceleration)
    inputs = [np.array([x]) for x in (1.6, 1.3, 2.0, 1500.0)]
    kernel = robot_kernel(found.task.evaluator.robot)
    bare = side_by_side({"bare": partial(kernel, *state, *inputs)})["bare"]
    few, many = VARIANTS
    each = (times[many] - times[few]) / (many - few)
    what = "linkwork sweep, five metrics"
    yield Result(
        ROBOT.stem, what, 60e-6 * found.states / each, "million states per minute and core", 660
    )
    yield Result(ROBOT.stem, f"{what}, a variant", each / bare, "of the bare kernel's time", None, 1.3)
    yield Result(ROBOT.stem, f"{what}, start", times[few] - few * each, "s")
    yield Result(ROBOT.stem, f"{what}, files", size / found.count, "bytes per variant")


def sheet() -> Iterator[Result]:
    """`linkwork datasheet` of a platform with drives, nothing in the cache of kernels: start to page."""
    with tempfile.TemporaryDirectory() as folder:
        asked = ROBOT.with_name("flight-simulator-requirements.yaml")
        robot, page = ROBOT.with_name("driven-simulator.yaml"), Path(folder) / "sheet.html"
        words = ["datasheet", str(robot), str(asked), "-o", str(page)]
        environment = os.environ | {"LINKWORK_CACHE": str(Path(folder) / "cache")}
        begin = time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "linkwork", *words], check=True, capture_output=True, env=environment
        )
        yield Result(robot.stem, "linkwork datasheet, cold", time.perf_counter() - begin, "s", None, 30)


def command(study: Path, folder: Path) -> float:
    """Processor time of the command, its start and all its files included [s]."""
    words = [sys.executable, "-m", "linkwork", "sweep", str(study), "-o", str(folder)]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(words, check=True, capture_output=True, env=os.environ | {"LINKWORK_THREADS": "1"})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def robot_kernel(robot: lw.Robot) -> lw.Kernel:
    """The kernel that the sweep calls."""
    return robot.kernel("demand", parameters=list(STUDY["variables"]))


def results() -> Iterator[Result]:
    robot = lw.load_platform("simona")
    yield from parameters(robot)
    yield from margins(robot)
    yield from sweep()
    yield from sheet()
