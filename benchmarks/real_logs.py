"""Identification on logs of a real robot: plain least squares, figaroh and Linkwork in one table.

    python -m benchmarks.real_logs ROBOT TRAIN [LOG ...] [--gains 10,10.7] [--each] [--figaroh PYTHON]

Trained on the first log, with `--each` on every one in turn, judged on all. Shown is the norm of what
predictions leave over the norm of the efforts as measured, in percent, where actuators move. Plain
least squares take motion and efforts of a filter of 5 Hz and all base parameters, actuators
unweighted; figaroh (`--figaroh` names a Python that has it) filters alike. Linkwork reads the logs.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

import linkwork as lw
from linkwork.identification.regression import moves
from linkwork.identification.smoothing import low_pass, smoothed

BANDWIDTH = 5.0  # [Hz]
FIGAROH = Path(__file__).with_name("figaroh_run.py")


def share(left: np.ndarray, measured: np.ndarray, moving: np.ndarray) -> float:
    return 100 * float(np.linalg.norm(left * moving) / np.linalg.norm(measured * moving))


def plain(robot: lw.Robot, train: lw.Log, logs: list[lw.Log]) -> list[float]:
    base = robot.base_parameters()

    def rows(log: lw.Log) -> tuple[np.ndarray, np.ndarray]:
        motion = [smoothed(robot, part, BANDWIDTH) for part in log.parts]
        Y = np.concatenate([robot.regressor(*each) for each in motion]) @ base.basis
        return Y, moves(robot, np.concatenate([each.velocity for each in motion]))

    W, moving = rows(train)
    efforts = np.concatenate([low_pass(part.effort, part.period, BANDWIDTH) for part in train.parts])
    estimate = np.linalg.lstsq(W[moving], efforts[moving], rcond=None)[0]
    found = []
    for log in logs:
        W, moving = rows(log)
        found.append(share(log.effort - W @ estimate, log.effort, moving))
    return found


def figaroh(python: str, robot: lw.Robot, logs: list[lw.Log]) -> list[float]:
    """Trained on the first log; a log with gaps counts by its longest part."""
    facts: dict[str, object] = {"bandwidth": BANDWIDTH, "count": len(logs)}
    for k, log in enumerate(logs):
        part = max(log.parts, key=lambda each: len(each.time))
        facts |= {f"period_{k}": part.period, f"q_{k}": part.position, f"tau_{k}": part.effort}
    with tempfile.TemporaryDirectory() as folder:
        lw.write_robot(robot, Path(folder) / "arm.urdf")
        np.savez(Path(folder) / "real-0.npz", **facts)  # type: ignore[arg-type]
        run = [python, str(FIGAROH), folder]
        said = subprocess.run(run, stdout=subprocess.PIPE, text=True, check=True)
    return list(json.loads(said.stdout.splitlines()[-1]))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("robot")
    parser.add_argument("logs", nargs="+")
    parser.add_argument("--gains")
    parser.add_argument("--each", action="store_true")
    parser.add_argument("--figaroh")
    options = parser.parse_args()
    robot = lw.load(options.robot)
    gains = None if options.gains is None else np.array([float(g) for g in options.gains.split(",")])
    logs = [lw.read_log(robot, path) for path in options.logs]
    logs = [log if gains is None else log.with_gains(gains) for log in logs]
    names = [Path(path).stem[-20:] for path in options.logs]
    console = Console(width=60 + 22 * len(logs))
    table = Table("trained on", "left of the efforts [%]", *names)
    for k in range(len(logs) if options.each else 1):
        order = [k, *(j for j in range(len(logs)) if j != k)]
        own = [logs[j] for j in order]
        rows = {"plain least squares, 5 Hz": plain(robot, own[0], own)}
        if options.figaroh:
            rows["figaroh, 5 Hz"] = figaroh(options.figaroh, robot, own)
        found = lw.identify(robot, own[0], validate=own[1:])
        rows["linkwork identify"] = [
            share(each.measured - each.after, each.measured, each.moving)
            for each in (*found.predictions, *found.validation)
        ]
        for label, values in rows.items():
            shown = [f"{values[order.index(j)]:.2f}" for j in range(len(logs))]
            table.add_row(names[k], label, *shown)
    console.print(table)
    if len(logs) > 1:
        coverage = lw.identify(robot, logs).coverage
        told = "say too little one by one" if coverage is None else f"agree in {100 * coverage:.1f} %"
        console.print(f"logs one by one, within 95 % intervals of one set of laws: {told}")


if __name__ == "__main__":
    main()
