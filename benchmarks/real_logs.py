"""Identification on logs of a real robot: plain least squares and Linkwork in one table.

    python -m benchmarks.real_logs ROBOT TRAIN [LOG ...] [--gains 10,10.7,...]

Trained on the first log, judged on all. Shown is the norm of what predictions leave over the norm of the
efforts as measured, in per cent, where actuators move. Plain least squares take motion and efforts of a
filter of 5 Hz and all base parameters, actuators unweighted.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

import linkwork as lw
from linkwork.identification.regression import moves
from linkwork.identification.smoothing import low_pass, smoothed

BANDWIDTH = 5.0  # [Hz]


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


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("robot")
    parser.add_argument("logs", nargs="+")
    parser.add_argument("--gains")
    options = parser.parse_args()
    robot = lw.load(options.robot)
    gains = None if options.gains is None else np.array([float(g) for g in options.gains.split(",")])
    logs = [lw.read_log(robot, path) for path in options.logs]
    logs = [log if gains is None else log.with_gains(gains) for log in logs]
    ours = lw.identify(robot, logs[0], validate=logs[1:])
    rows = {"plain least squares, 5 Hz": plain(robot, logs[0], logs)}
    rows["linkwork identify"] = [
        share(each.measured - each.after, each.measured, each.moving)
        for each in (*ours.predictions, *ours.validation)
    ]
    table = Table("left of the efforts [%]", *(Path(path).stem[-20:] for path in options.logs))
    for label, values in rows.items():
        table.add_row(label, *(f"{value:.2f}" for value in values))
    console = Console(width=60 + 22 * len(logs))
    console.print(table)
    if len(logs) > 1:
        coverage = lw.identify(robot, logs).coverage
        told = "say too little one by one" if coverage is None else f"agree in {100 * coverage:.1f} %"
        console.print(f"logs one by one, within 95 % intervals of one set of laws: {told}")


if __name__ == "__main__":
    main()
