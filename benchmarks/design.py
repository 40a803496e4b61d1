"""Machines compared: kernels with parameters beside folded ones, poses judged per second, sweeps.

python -m benchmarks.design
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

import linkwork as lw
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


def best(call: Callable[[], object], repeats: int = 15) -> float:
    """The shortest of several calls [s]."""
    call()
    times = []
    for _ in range(repeats):
        begun = time.perf_counter()
        call()
        times.append(time.perf_counter() - begun)
    return min(times)


def states(robot: lw.Platform, count: int) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(0)
    pose = np.tile(robot.home, (count, 1))
    pose[:, :3] += rng.uniform(-0.1, 0.1, (count, 3))
    return pose, *rng.normal(size=(2, count, 6))


def parameters(robot: lw.Platform) -> None:
    """All geometry of a platform as inputs: another machine in every row."""
    motion = states(robot, STATES)
    names = ["legs.base_point", "legs.platform_point"]
    values = [np.tile(robot.field(name), (STATES, 1)) for name in names]
    for method in ("inverse_dynamics", "forward_dynamics"):
        folded, free = robot.kernel(method), robot.kernel(method, parameters=names)
        one = best(partial(folded, *motion)) / STATES * 1e9
        other = best(partial(free, *motion, *values)) / STATES * 1e9
        print(f"  {method:18} folded {one:4.0f} ns, 36 numbers as inputs {other:4.0f} ns:", end=" ")
        print(f"{other / one:.2f}x")


def margins(robot: lw.Platform) -> None:
    """Poses against every limit of the workspace."""
    pose = states(robot, 100_000)[0]
    took = best(lambda: robot.margins(pose, clearance=0.1, leg_diameter=0.1, errors="nan"), 5) / len(
        pose
    )
    print(f"  all limits of a pose {took * 1e9:5.0f} ns: {1e-6 / took:.2f} million poses per second")


def sweep(period: float, *variants: int) -> None:
    """`linkwork sweep` beside the bare kernel on as many states, in processor time of one core.

    The command runs twice, short and long: what both need is its start, the rest grows with the states.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "study.yaml"
        times = {}
        for count in variants:
            sampling = {"method": "sobol", "count": count}
            path.write_text(json.dumps(STUDY | {"period": period, "sampling": sampling}))
            times[count] = command(path, Path(folder) / f"runs-{count}")
        found = open_sweep(path, Path(folder) / f"runs-{variants[-1]}")
        size = sum(each.stat().st_size for each in found.folder.glob("part-*.parquet"))
    motion = found.task.evaluator.motions[0]
    state = (motion.position, motion.velocity, motion.acceleration)
    inputs = [np.array([x]) for x in (1.6, 1.3, 2.0, 1500.0)]
    kernel = robot_kernel(found.task.evaluator.robot)
    kernel(*state, *inputs)
    begun = time.process_time()
    for _ in range(found.count):
        kernel(*state, *inputs)
    bare = time.process_time() - begun
    few, many = variants
    each = (times[many] - times[few]) / (many - few)
    start = times[few] - few * each
    print(
        f"  {many} variants of {found.states} states: {times[many]:.1f} s, of which start {start:.1f} s"
    )
    print(f"    {60e-6 * found.states / each:.0f} million states per minute, five metrics, one core")
    print(f"    above the bare kernel ({bare:.1f} s): {100 * (each * many / bare - 1):.0f} %,", end=" ")
    print(f"with the start {100 * (times[many] / bare - 1):.0f} %")
    print(f"    {found.chunks} files, {size / found.count:.0f} bytes per variant")


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


def main() -> None:
    lw.set_threads(1)
    robot = lw.load_platform("simona")
    print("Parameters as inputs, simona, arrays of 20,000, one core")
    parameters(robot)
    print("Workspace, simona, one core")
    margins(robot)
    print("Sweep of the flight simulator")
    sweep(0.01, 8_192, 204_800)
    sweep(0.05, 8_192, 614_400)


if __name__ == "__main__":
    main()
