"""How long single calls take, and how much longer the worst of them: what a control loop asks."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from linkwork.interface.robot import Array, Robot

WARM_UP = 1000
TURN = 500  # calls of one contender before the next has its turn
MOST_CALLS = 2_000_000


@dataclass(frozen=True)
class Latency:
    """Times of single calls [ns], the clock's own time taken off."""

    calls: int
    p50: float
    p99: float
    max: float


def latency_of(robot: Robot, seconds: float) -> dict[str, Latency]:
    """Latency of one state by method and bound loop, garbage collection off as in a control loop."""
    state = position, velocity, acceleration = _motion(robot)
    effort = robot.inverse_dynamics(*state)
    loop = robot.kernel("inverse_dynamics").bind()
    loop(*state)
    q, qd, qdd = (getattr(loop, name) for name in loop.kernel.inputs)

    def write_and_run() -> None:
        q[:] = position
        qd[:] = velocity
        qdd[:] = acceleration
        loop()

    contenders: dict[str, Callable[[], object]] = {
        "inverse_dynamics": lambda: robot.inverse_dynamics(position, velocity, acceleration),
        "forward_dynamics": lambda: robot.forward_dynamics(position, velocity, effort),
        "loop()": loop,
        "loop(), inputs written": write_and_run,
        "an empty function": lambda: None,
    }
    times = _times(contenders, seconds)
    clock = float(np.median(times.pop("an empty function")))
    return {name: _summary(np.maximum(values - clock, 0.0)) for name, values in times.items()}


def _motion(robot: Robot) -> tuple[Array, Array, Array]:
    """A slow motion through the home configuration."""
    velocity = np.full(len(robot.velocities), 0.1)
    return robot.home, velocity, -velocity


def _times(contenders: dict[str, Callable[[], object]], seconds: float) -> dict[str, Array]:
    """Times of every call [ns]; contenders take turns."""
    found: dict[str, list[int]] = {name: [] for name in contenders}
    for call in contenders.values():
        for _ in range(WARM_UP):
            call()
    clock, enabled = time.perf_counter_ns, gc.isenabled()
    gc.disable()
    try:
        end = time.perf_counter() + seconds
        while time.perf_counter() < end and len(found["loop()"]) < MOST_CALLS:
            for name, call in contenders.items():
                keep = found[name].append
                for _ in range(TURN):
                    begin = clock()
                    call()
                    keep(clock() - begin)
    finally:
        if enabled:
            gc.enable()
    return {name: np.array(values, dtype=float) for name, values in found.items()}


def _summary(values: Array) -> Latency:
    p50, p99 = np.percentile(values, [50, 99])
    return Latency(len(values), float(p50), float(p99), float(values.max()))
