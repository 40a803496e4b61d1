"""Intervals, predictions and bodies of an identified PUMA 560: Linkwork, plain least squares, figaroh.

    python -m benchmarks.identification [--seeds 20] [--figaroh PYTHON]

Arms with other masses and friction than the file's follow a motion of `linkwork excite`; encoders are
quantized, torques noisy. All see the same logs. `--figaroh` names a Python in whose environment figaroh
is installed. Plain least squares take the same filtered motion and the base regressor of every sample,
joints unweighted, white noise. Shown are the share of 95 % intervals of base parameters that hold the
truth, and what predictions of another motion leave, in standard deviations of the noise. figaroh 1.0.2
filters at 20 Hz, the best for it among 3, 6, 10, 20 and 40 Hz; its physical fit is not run.
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
from linkwork.identification.smoothing import smoothed
from linkwork.motion.bundled import motion_for
from tests.identification.generated import TORQUE_NOISE, arm_log, covered, possible, true_robot

FIGAROH_BANDWIDTH = 20.0  # [Hz]
DATA = Path(__file__).parents[1] / "tests" / "data" / "identification"
FIGAROH = Path(__file__).with_name("figaroh_run.py")
Row = tuple[float, float]  # cover, left


def noise_of(true: lw.Robot, motion) -> np.ndarray:
    _, states = motion.sample(1 / 250)
    return TORQUE_NOISE * np.abs(true.inverse_dynamics(*states)).max(axis=0)


def plain(arm: lw.Arm, true: lw.Robot, log: lw.Log, new: lw.Log, bandwidth: float, noise) -> Row:
    base = arm.base_parameters()

    def rows(one: lw.Log) -> np.ndarray:
        Y = arm.regressor(*smoothed(arm, one, bandwidth))
        return Y.reshape(-1, Y.shape[2]) @ base.basis

    W, tau = rows(log), log.effort.reshape(-1)
    estimate, squares = np.linalg.lstsq(W, tau, rcond=None)[:2]
    variance = float(squares[0]) / (len(W) - len(base))
    error = np.sqrt(variance * np.diagonal(np.linalg.inv(W.T @ W)))
    truth = base.matrix @ true.parameters.values
    cover = float((np.abs(estimate - truth) <= 1.96 * error).mean())
    left = new.effort - (rows(new) @ estimate).reshape(new.effort.shape)
    velocity = np.abs(smoothed(arm, new, bandwidth).velocity)
    moving = velocity >= 0.02 * velocity.max(axis=0)
    rms = np.sqrt((moving * left**2).sum(axis=0) / moving.sum(axis=0))
    return cover, float((rms / noise).mean())


def write_for_figaroh(folder: Path, k: int, true: lw.Robot, log, new, bandwidth: float, noise) -> None:
    name = f"true-{k}.urdf"
    lw.write_robot(true, folder / name)
    values = dict(zip(true.parameters.names, true.parameters.values, strict=True))

    def each(kind: str) -> np.ndarray:
        return np.array([values[f"{joint}.{kind}"] for joint in true.efforts.names])

    forward, backward = each("coulomb_forward"), each("coulomb_backward")
    np.savez(
        folder / f"log-{k:03d}.npz",
        true_arm=name,
        period=log.period,
        bandwidth=bandwidth,
        noise=noise,
        q=log.position,
        tau=log.effort,
        new_q=new.position,
        new_tau=new.effort,
        true_fv=each("viscous"),
        true_fs=(forward - backward) / 2,
        true_off=each("offset") + (forward + backward) / 2,
        true_Ia=each("rotor"),
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--figaroh")
    options = parser.parse_args()
    arm = lw.load_arm("puma560")
    first, second = (motion_for(arm, str(DATA / f"puma560-{k}.yaml")) for k in (0, 1))
    ours: list[Row] = []
    simple: list[Row] = []
    theirs: list[Row] = []
    noises = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        lw.write_robot(possible("puma560"), folder / "arm.urdf")
        for seed in range(options.seeds):
            true = true_robot(possible("puma560"), seed)
            noise = noise_of(true, first)
            log = arm_log(arm, true, first, seed, noise=noise)
            new = arm_log(arm, true, second, 1000 + seed, noise=noise)
            found = lw.identify(arm, log, validate=new)
            left = float((found.validation[0].rms / noise).mean())
            ours.append((float(covered(found, true).mean()), left))
            simple.append(plain(arm, true, log, new, found.bandwidth, noise))
            noises.append(noise)
            write_for_figaroh(folder, seed, true, log, new, FIGAROH_BANDWIDTH, noise)
        if options.figaroh:
            said = subprocess.run(
                [options.figaroh, str(FIGAROH), name], stdout=subprocess.PIPE, text=True, check=True
            )
            for line, noise in zip(said.stdout.splitlines(), noises, strict=True):
                facts = json.loads(line)
                theirs.append((facts["cover"], float((np.array(facts["left"]) / noise).mean())))
    table = Table("method", "intervals that hold", "new motion, left / noise", "bodies")
    for label, rows, bodies in (
        ("linkwork identify", ours, "all possible"),
        ("plain least squares", simple, "base parameters only"),
        ("figaroh", theirs, "base parameters only"),
    ):
        if rows:
            cover, left = np.mean(rows, axis=0)
            table.add_row(label, f"{100 * cover:.1f} %", f"{left:.3f}", bodies)
    Console(width=100).print(table)


if __name__ == "__main__":
    main()
