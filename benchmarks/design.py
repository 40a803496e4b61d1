"""Machines compared: kernels with parameters beside folded ones, poses judged per second, sweeps.

python -m benchmarks.design
"""

from __future__ import annotations

import json
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
    "sampling": {"method": "sobol", "count": 32_768},
    "period": 0.01,
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


def sweep() -> None:
    """Rows through files beside the bare kernel on the same states, in processor time of one core.

    Imports of a second (scipy.stats, pyarrow) are done before: a sweep of minutes does not notice them.
    """
    import pyarrow.parquet  # noqa: F401

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "study.yaml"
        path.write_text(json.dumps(STUDY))
        found = open_sweep(path, Path(folder) / "runs")
        task = found.task
        task.rows(0)
        begun = time.process_time()
        found.run()
        whole = time.process_time() - begun
        motion = task.evaluator.motions[0]
        state = (motion.position, motion.velocity, motion.acceleration)
        inputs = [np.array([x]) for x in (1.6, 1.3, 2.0, 1500.0)]
        kernel = robot_kernel(task.evaluator.robot)
        begun = time.process_time()
        for _ in range(found.count):
            kernel(*state, *inputs)
        bare = time.process_time() - begun
        count = found.count * found.states
        print(f"  {count / whole * 60e-6:.0f} million states per minute, five metrics, one core")
        print(f"  overhead above the bare kernel: {100 * (whole / bare - 1):.0f} %")


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
    sweep()


if __name__ == "__main__":
    main()
