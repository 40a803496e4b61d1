"""linkwork bench: how fast this robot is on this machine, beside engines that are installed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from linkwork.cli.arguments import AsJson, RobotName, robot_of
from linkwork.cli.output import print_json, print_table, say

if TYPE_CHECKING:
    from linkwork.core.table_files import Plain
    from linkwork.model.urdf.chain import ChainSelection
    from linkwork.robot.robot import Robot


def bench(
    robot: RobotName = "ur5",
    states: Annotated[int, typer.Option(min=1, max=10_000_000, help="States per call.")] = 20_000,
    seconds: Annotated[
        float, typer.Option(min=0.01, max=600, help="Time for all engines together.")
    ] = 2.0,
    threads: Annotated[int, typer.Option(min=1, max=256, help="Threads for Linkwork's batches.")] = 1,
    latency: Annotated[
        bool, typer.Option("--latency", help="Latency of single calls instead: p50, p99 and maximum.")
    ] = False,
    chain: ChainSelection | None = None,
    json: AsJson = False,
) -> None:
    """Benchmark inverse and forward dynamics, against Pinocchio and MuJoCo if installed.

    Compare ratios: times depend on the computer and its load. Peers load the same arm as a URDF, without
    friction and rotors, and are called state by state from Python; Pinocchio's batch calls too.

    \b
    Example:
      linkwork bench ur5 --seconds 1
    """
    from linkwork.analysis.speed import speed_of

    found = robot_of(robot, chain=chain)
    if latency:
        _show_latency(found, seconds, json)
        return
    times, missing = speed_of(found, states, seconds, threads, progress=None)
    for reason in missing:
        say(f"note: {reason}")
    rows: list[Plain] = [
        {"what": what, "engine": engine, "ns_per_state": value, "ratio": value / group["linkwork"]}
        for what, group in times.items()
        for engine, value in group.items()
    ]
    if json:
        facts: Plain = {"robot": found.name, "states": states, "threads": threads}
        print_json({**facts, "times": rows, "missing": missing})
        return
    cores = "one thread" if threads == 1 else f"{threads} threads"
    print_table(
        ("what", "engine", "ns per state", "times ours"),
        [(r["what"], r["engine"], f"{r['ns_per_state']:.0f}", f"{r['ratio']:.1f}") for r in rows],
        title=f"{found.name}, arrays of {states:,} states, {cores}, best of several runs",
        left=("engine",),
    )


def _show_latency(robot: Robot, seconds: float, json: bool) -> None:
    from dataclasses import asdict

    from linkwork.analysis.speed import latency_of

    times = latency_of(robot, seconds)
    if json:
        rows = [{"call": name, **asdict(found)} for name, found in times.items()]
        print_json({"robot": robot.name, "latency_ns": rows})
        return
    print_table(
        ("one state", "calls", "p50 [us]", "p99 [us]", "longest [us]"),
        [
            (name, f"{t.calls:,}", f"{t.p50 / 1e3:.2f}", f"{t.p99 / 1e3:.2f}", f"{t.max / 1e3:.1f}")
            for name, t in times.items()
        ],
        title=f"{robot.name}, latency of single calls from Python, garbage collection off",
    )
