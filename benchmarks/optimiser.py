"""What the graph optimiser gains, kernel by kernel: run with `make bench`.

Every kernel is made twice from the same expression, as traced and optimised. Both take turns.
"""

from __future__ import annotations

import os
import sys
import time
from functools import partial

import numpy as np
from rich.console import Console
from rich.table import Table

import linkwork as lw
from benchmarks.platforms import states
from benchmarks.timing import side_by_side
from linkwork.kernels import Kernel
from linkwork.mechanics.chain.methods import METHODS as ARM_METHODS
from linkwork.mechanics.platform.methods import METHODS as PLATFORM_METHODS

BATCH = 20_000
LARGEST_RESULT = 500_000  # numbers
ROBOTS = ("ur5", "puma560", "stanford", "panda", "dasgupta1998")
SECONDS = 1.0
console = Console(width=130)


def _made(kernel: Kernel, optimise: bool) -> tuple[Kernel, float]:
    """A kernel from the expression of another, and the seconds until its code stands ready."""
    function, shapes = kernel.casadi, tuple(kernel.outputs.values())
    start = time.perf_counter()
    made = Kernel(function, shapes, kernel.target, optimise)
    assert made.code is not None
    return made, time.perf_counter() - start


def _arrays(robot: lw.Arm | lw.Platform) -> dict[str, np.ndarray]:
    if isinstance(robot, lw.Platform):
        pose, twist, acceleration = states(robot, BATCH)
        force = robot.inverse_dynamics(pose, twist, acceleration)
        return {"pose": pose, "twist": twist, "acceleration": acceleration, "force": force}
    q, qd, qdd = robot.random_motion(BATCH, 0)
    return {"q": q, "qd": qd, "qdd": qdd, "tau": qdd}


def _operations(kernel: Kernel) -> str:
    counts = kernel.counts
    text = f"{counts.multiplications}+{counts.additions}"
    slow = f" {counts.divisions}/{counts.square_roots}"
    return text + (slow if counts.divisions or counts.square_roots else "")


def compare(name: str) -> list[float]:
    """A table of all methods of one robot; returns the ratios of times."""
    robot = lw.load(name)
    arrays = _arrays(robot)
    table = Table(
        title=f"{name}: as traced and optimised, arrays of up to {BATCH:,}, one core",
        title_justify="left",
    )
    table.add_column("method", no_wrap=True)
    pairs = ("mul+add div/sqrt", "depth", "made in ms", "ns per state")
    for column in [title for pair in pairs for title in (pair, "")] + ["ratio"]:
        table.add_column(column, justify="right", no_wrap=True)
    ratios = []
    methods = ARM_METHODS if isinstance(robot, lw.Arm) else PLATFORM_METHODS
    for method in filter(partial(hasattr, robot), methods):
        kernel = robot.kernel(method)
        (plain, plain_made), (better, better_made) = (_made(kernel, each) for each in (False, True))
        # Results beyond this size stand in fresh memory, whose page faults would be all one measures.
        width = sum(int(np.prod(shape)) for shape in kernel.outputs.values())
        rows = min(BATCH, LARGEST_RESULT // width)
        inputs = [arrays[key][:rows] for key in kernel.inputs]
        calls = {"plain": partial(plain, *inputs), "better": partial(better, *inputs)}
        times = side_by_side(calls, SECONDS)
        ratios.append(times["better"] / times["plain"])
        table.add_row(
            method,
            _operations(plain), _operations(better),
            str(plain.depth), str(better.depth),
            f"{plain_made * 1e3:.0f}", f"{better_made * 1e3:.0f}",
            f"{times['plain'] / rows * 1e9:.1f}", f"{times['better'] / rows * 1e9:.1f}",
            f"{ratios[-1]:.3f}",
        )  # fmt: skip
    console.print(table)
    return ratios


def main() -> None:
    os.environ["LINKWORK_CACHE"] = "off"  # making a kernel is measured too
    lw.set_threads(1)
    ratios = [ratio for name in sys.argv[1:] or ROBOTS for ratio in compare(name)]
    mean = float(np.exp(np.mean(np.log(ratios))))
    console.print(f"{len(ratios)} kernels, geometric mean of the ratios {mean:.3f}")


if __name__ == "__main__":
    main()
