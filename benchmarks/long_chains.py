"""General revolute chains of 1 to 30 joints beside Pinocchio: cost per joint, and time to compile."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator

import linkwork as lw
from benchmarks.peers import Peers
from benchmarks.results import Result, faster
from benchmarks.timing import side_by_side
from linkwork.analysis.operation_table import general_model

JOINTS = (1, 2, 4, 6, 8, 12, 20, 30)
STATES = 5_000
METHODS = {"inverse_dynamics": "pin.rneaInParallel", "forward_dynamics": "pin.abaInParallel"}


def chain(n: int) -> Iterator[Result]:
    model, name = general_model(n), f"general {n}R"
    arm = lw.Arm(model)
    state = arm.random_states(STATES, n)
    peers = Peers(model, *state)
    calls = {
        "pin.rneaInParallel": lambda: peers.rnea_in_parallel(1),
        "pin.abaInParallel": lambda: peers.aba_in_parallel(1),
    }
    last = n == JOINTS[-1]
    for method, peer in METHODS.items():
        start = time.process_time()  # of this process: others may keep the machine busy
        code = arm.kernel(method).code
        made = time.process_time() - start
        assert code is not None
        times = side_by_side({"linkwork": lambda m=method: getattr(arm, m)(*state), peer: calls[peer]})
        words = method.replace("_", " ")
        yield Result(name, f"{words}, compiled", made, "s", at_most=5 if last else None)
        yield faster(
            name, words, times["linkwork"] / STATES, times[peer] / STATES, peer, 20 if last else None
        )
    yield Result(name, "operations per joint", arm.kernel("inverse_dynamics").counts.flops / n, "")


def results() -> Iterator[Result]:
    with tempfile.TemporaryDirectory() as folder:
        os.environ["LINKWORK_CACHE"] = folder  # nothing is compiled yet
        for n in JOINTS:
            yield from chain(n)
