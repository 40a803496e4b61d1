"""What knowledge of object layouts gains: the same calls with LINKWORK_ABI=off."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator

import linkwork as lw
from benchmarks.results import Result
from benchmarks.timing import repeated, side_by_side

ROBOT = "ur5"
BATCH, CALLS = 20_000, 1_000
LOOP = "one call of a bound loop"
UNITS = {"one call": "us", LOOP: "us", "arrays": "ns per state", "derivatives": "ns per state"}


def measured() -> dict[str, float]:
    """In this process, by the names of UNITS."""
    arm = lw.load_arm(ROBOT)
    states = arm.random_states(BATCH, 0)
    one = tuple(array[0] for array in states)
    loop = arm.kernel("inverse_dynamics").bind()
    loop(*one)
    times = side_by_side(
        {
            "one call": repeated(lambda: arm.inverse_dynamics(*one), CALLS),
            LOOP: repeated(loop, CALLS),
            "arrays": lambda: arm.inverse_dynamics(*states),
            "derivatives": lambda: arm.inverse_dynamics_derivatives(*states),
        }
    )
    each = {"us": 1e6 / CALLS, "ns per state": 1e9 / BATCH}
    return {name: seconds * each[UNITS[name]] for name, seconds in times.items()}


def results() -> Iterator[Result]:
    for setting in ("on", "off"):
        environment = os.environ | {"LINKWORK_ABI": setting, "LINKWORK_THREADS": "1"}
        command = [sys.executable, "-m", "benchmarks.kernel_abi"]
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
        for name, value in json.loads(done.stdout).items():
            yield Result(ROBOT, f"{name}, LINKWORK_ABI={setting}", value, UNITS[name])


if __name__ == "__main__":
    print(json.dumps(measured()))
