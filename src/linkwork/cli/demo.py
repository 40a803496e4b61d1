"""The demonstration: one arm, one motion, every formulation."""

from __future__ import annotations

import time

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from linkwork.arm import Arm
from linkwork.loading import load

Array = NDArray[np.float64]

ROBOT = "puma560"
# Lee (1982), section 5: from and to these joint angles [deg].
START, END = (90, 0, 90, 0, 0, 0), (45, 30, 0, 45, 60, 90)
DURATION = 2.0
BATCH = 100_000


def quintic(times: Array) -> tuple[Array, Array, Array]:
    """Positions, rates and accelerations of a motion that starts and ends at rest."""
    x = (times / DURATION)[:, None]
    start, end = np.radians(START), np.radians(END)
    way = end - start
    return (
        start + way * (10 * x**3 - 15 * x**4 + 6 * x**5),
        way * (30 * x**2 - 60 * x**3 + 30 * x**4) / DURATION,
        way * (60 * x - 180 * x**2 + 120 * x**3) / DURATION**2,
    )


def _torques(arm: Arm, console: Console) -> None:
    times = np.linspace(0, DURATION, 9)
    q, qd, qdd = quintic(times)
    tau = arm.inverse_dynamics(q, qd, qdd)
    table = Table(title=escape(f"Joint torques of {arm.name} [N m], friction and rotors included"))
    table.add_column(escape("t [s]"), justify="right")
    for name in arm.joint_names:
        table.add_column(name, justify="right")
    for t, row in zip(times, tau, strict=True):
        table.add_row(f"{t:.2f}", *[f"{value:.3f}" for value in row])
    console.print(table)


def _nanoseconds(arm: Arm, formulation: str, state: tuple[Array, Array, Array]) -> float:
    best = float("inf")
    for _ in range(5):
        start = time.perf_counter()
        arm.inverse_dynamics(*state, formulation=formulation)
        best = min(best, time.perf_counter() - start)
    return best / len(state[0]) * 1e9


def _formulations(arm: Arm, console: Console) -> None:
    state = quintic(np.linspace(0, DURATION, BATCH))
    reference = arm.inverse_dynamics(*state, formulation="newton-euler")
    table = Table(title=f"The same {BATCH:,} states by every formulation")
    table.add_column("formulation", no_wrap=True)
    for header in ("largest difference [N m]", "M", "A", "longest chain", "ns per state"):
        table.add_column(escape(header), justify="right")
    for name in arm.formulations:
        difference = np.abs(arm.inverse_dynamics(*state, formulation=name) - reference).max()
        kernel = arm.kernel("inverse_dynamics", formulation=name)
        table.add_row(
            name,
            "reference" if name == "newton-euler" else f"{difference:.1e}",
            str(kernel.counts.multiplications),
            str(kernel.counts.additions),
            str(kernel.depth),
            f"{_nanoseconds(arm, name, state):.0f}",
        )
    console.print(table)
    console.print(
        "M, A: multiplications and additions per state. Chain: operations that wait for each other."
    )


def main() -> None:
    """Torques along a short motion, agreement of the formulations, their counts and their speed."""
    console = Console()
    arm = load(ROBOT)
    _torques(arm, console)
    _formulations(arm, console)


if __name__ == "__main__":
    main()
