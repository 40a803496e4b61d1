"""This tree beside another revision of it, robot by robot: python -m benchmarks.versus REVISION.

Two processes, one per revision, take turns on the same states; a ratio below 1: this tree is faster.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

import numpy as np

ROOT = Path(__file__).parents[1]
BATCH, MANY = 20_000, 2000
ROUNDS = 9
SPREAD = 0.01  # about home [rad, of the machine's size]
WHAT = ("inverse", "forward", "reactions", "call")


def worker() -> None:
    """Answers lines `robot what` with seconds; the first answer about a robot compiles and warms up."""
    import linkwork as lw

    lw.set_threads(1)
    calls: dict[tuple[str, str], object] = {}
    for line in sys.stdin:
        name, what = line.split()
        if (name, what) not in calls:
            try:
                calls |= {(name, each): call for each, call in _calls(lw, name).items()}
                calls[name, what]()
            except Exception as error:
                print("nan", type(error).__name__, flush=True)
                continue
        start = perf_counter()
        calls[name, what]()
        print(perf_counter() - start, flush=True)


def _calls(lw, name: str):
    robot = lw.load(name)
    rng = np.random.default_rng(0)
    home = np.asarray(robot.home, dtype=np.float64)
    d = len(robot.velocities)
    c = np.repeat(home[None], BATCH, axis=0)
    names = [name.rpartition(".")[2] for name in robot.coordinates.names]
    plain = [k for k, name in enumerate(names) if name not in ("qw", "qx", "qy", "qz")]
    c[:, plain] += SPREAD * robot.size * rng.uniform(-1, 1, (BATCH, len(plain)))
    cd, cdd = rng.normal(size=(2, BATCH, d))
    tau = robot.inverse_dynamics(c, cd, cdd, friction=False)
    one = (c[0], cd[0], cdd[0])
    reactions = (
        robot.joint_wrenches if "joint_wrenches" in robot.kernel_methods else robot.joint_reactions
    )

    def call() -> None:
        for _ in range(MANY):
            robot.inverse_dynamics(*one)

    return {
        "inverse": lambda: robot.inverse_dynamics(c, cd, cdd, friction=False),
        "forward": lambda: robot.forward_dynamics(c, cd, tau, friction=False),
        "reactions": lambda: reactions(c, cd, cdd),
        "call": call,
    }


class Side:
    """One revision in a process of its own."""

    def __init__(self, tree: Path) -> None:
        environment = {**os.environ, "PYTHONPATH": str(tree / "src")}
        self.process = subprocess.Popen(
            [sys.executable, str(Path(__file__).resolve()), "--worker"],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def seconds(self, name: str, what: str) -> float:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{name} {what}\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline().split()[0])


def ratios(here: Side, there: Side, name: str) -> list[tuple[float, float]]:
    """Ratio of the least times, and this tree's least time per state or call [ns]."""
    found = []
    for what in WHAT:
        times = [(here.seconds(name, what), there.seconds(name, what)) for _ in range(ROUNDS)]
        ours, theirs = np.min(times, axis=0)
        found.append((ours / theirs, ours / (MANY if what == "call" else BATCH) * 1e9))
    return found


def main() -> None:
    from rich.console import Console
    from rich.table import Table

    import linkwork as lw

    revision, *names = sys.argv[1:]
    table = Table(title=f"This tree over {revision}, one core (ns per state)", title_justify="left")
    for column in ("robot", *WHAT):
        table.add_column(column, justify="left" if column == "robot" else "right")
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "before"
        git = ["git", "-C", str(ROOT), "worktree"]
        subprocess.run([*git, "add", "--quiet", "--detach", str(tree), revision], check=True)
        try:
            here, there = Side(ROOT), Side(tree)
            for name in names or lw.bundled_names():
                found = ratios(here, there, name)
                table.add_row(name, *(f"{ratio:.2f} ({ns:.0f})" for ratio, ns in found))
        finally:
            subprocess.run([*git, "remove", "--force", str(tree)], check=True)
    Console(width=110).print(table)


if __name__ == "__main__":
    worker() if "--worker" in sys.argv else main()
