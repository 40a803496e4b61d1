"""General revolute chains of 1 to 30 joints beside Pinocchio: cost per joint, and time to compile.

python -m benchmarks.long_chains
"""

from __future__ import annotations

import os
import tempfile
import time

from rich.console import Console
from rich.table import Table

import linkwork as lw
from benchmarks.peers import Peers
from benchmarks.timing import side_by_side
from linkwork.analysis.operation_table import general_model

JOINTS = (1, 2, 3, 4, 6, 8, 12, 16, 20, 25, 30)
STATES = 10_000
METHODS = ("inverse_dynamics", "forward_dynamics")
COLUMNS = (
    "joints", "operations", "per joint more", "ns", "rneaInParallel", "ratio", "compiled in s",
    "forward ns", "abaInParallel", "ratio", "compiled in s",
)  # fmt: skip
# Goal: 20x at 30 joints for both, compiled within 5 s; operations of inverse dynamics linear in n.


def main() -> None:
    lw.set_threads(1)
    table = Table(title="General revolute chains, one core, per state; goal at 30 joints: 20x, 5 s")
    for column in COLUMNS:
        table.add_column(column, justify="right")
    before: tuple[int, int] | None = None
    for n in JOINTS:
        model = general_model(n)
        arm, made = lw.Arm(model), {}
        for method in METHODS:
            start = time.process_time()  # of this process: others may keep the machine busy
            kernel = arm.kernel(method)
            _ = kernel.code
            made[method] = f"{time.process_time() - start:.1f}"
        state = arm.random_motion(STATES, n)
        peers = Peers(model, *state)
        times = side_by_side(
            {
                "inverse": lambda arm=arm, s=state: arm.inverse_dynamics(*s),
                "rnea": lambda peers=peers: peers.rnea_in_parallel(1),
                "forward": lambda arm=arm, s=state: arm.forward_dynamics(*s),
                "aba": lambda peers=peers: peers.aba_in_parallel(1),
            },
            seconds=1.0,
        )
        ns = {key: seconds / STATES * 1e9 for key, seconds in times.items()}
        operations = arm.kernel("inverse_dynamics").counts.flops
        slope = "" if before is None else f"{(operations - before[1]) / (n - before[0]):.0f}"
        before = n, operations
        table.add_row(
            str(n), str(operations), slope,
            f"{ns['inverse']:.0f}", f"{ns['rnea']:.0f}", f"{ns['rnea'] / ns['inverse']:.1f}x",
            made["inverse_dynamics"],
            f"{ns['forward']:.0f}", f"{ns['aba']:.0f}", f"{ns['aba'] / ns['forward']:.1f}x",
            made["forward_dynamics"],
        )  # fmt: skip
    Console(width=130).print(table)
    lw.set_threads(None)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.environ["LINKWORK_CACHE"] = folder  # nothing is compiled yet
        main()
