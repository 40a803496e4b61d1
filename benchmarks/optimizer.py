"""What the graph optimizer gains, kernel by kernel.

Every kernel is made twice from the same expression, as traced and optimized. Both take turns.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from functools import partial

import numpy as np

import linkwork as lw
from benchmarks.platforms import states
from benchmarks.results import NANO, Result
from benchmarks.timing import side_by_side
from linkwork.kernels import Kernel
from linkwork.mechanics.chain.methods import METHODS as ARM_METHODS
from linkwork.mechanics.platform.methods import METHODS as PLATFORM_METHODS

BATCH = 20_000
LARGEST_RESULT = 500_000  # numbers
ROBOTS = ("ur5", "dasgupta1998")


def _made(kernel: Kernel, optimize: bool) -> tuple[Kernel, float]:
    """A kernel from the expression of another, and the seconds until its code stands ready."""
    function, shapes = kernel.casadi, tuple(kernel.outputs.values())
    start = time.perf_counter()
    made = Kernel(function, shapes, kernel.target, optimize)
    assert made.code is not None
    return made, time.perf_counter() - start


def _arrays(robot: lw.Arm | lw.Platform) -> dict[str, np.ndarray]:
    if isinstance(robot, lw.Platform):
        pose, twist, acceleration = states(robot, BATCH)
        force = robot.inverse_dynamics(pose, twist, acceleration)
        return {"pose": pose, "twist": twist, "acceleration": acceleration, "force": force}
    q, qd, qdd = robot.random_states(BATCH, 0)
    return {"q": q, "qd": qd, "qdd": qdd, "tau": qdd}


def compare(name: str) -> Iterator[Result]:
    """All methods of a robot: the time of the optimized kernel, by that of the traced one."""
    robot = lw.load(name)
    arrays = _arrays(robot)
    methods = ARM_METHODS if isinstance(robot, lw.Arm) else PLATFORM_METHODS
    for method in filter(partial(hasattr, robot), methods):
        kernel = robot.kernel(method)
        if not arrays.keys() >= kernel.inputs.keys():
            continue  # one of other inputs than states, such as those of a solver
        (plain, _), (better, made) = (_made(kernel, each) for each in (False, True))
        # Results beyond this size stand in fresh memory, whose page faults would be all one measures.
        width = sum(int(np.prod(shape)) for shape in kernel.outputs.values())
        rows = min(BATCH, LARGEST_RESULT // width)
        inputs = [arrays[key][:rows] for key in kernel.inputs]
        times = side_by_side({"plain": partial(plain, *inputs), "better": partial(better, *inputs)})
        each = times["better"] / rows * NANO, times["plain"] / rows * NANO
        yield Result(
            name,
            f"{method}, optimized",
            times["better"] / times["plain"],
            "of as traced",
            None,
            None,
            *each,
        )
        yield Result(name, f"{method}, optimized and compiled", 1e3 * made, "ms")


def results() -> Iterator[Result]:
    os.environ["LINKWORK_CACHE"] = "off"  # making a kernel is measured too
    ratios = []
    for name in ROBOTS:
        for each in compare(name):
            ratios += [each.value] if each.unit == "of as traced" else []
            yield each
    mean = float(np.exp(np.mean(np.log(ratios))))
    yield Result("all", "geometric mean, optimized", mean, "of as traced")
