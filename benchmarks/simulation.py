"""Simulation beside MuJoCo's mj_step, same integrator and robot: run with `make bench`."""

from __future__ import annotations

import mujoco
import numpy as np
from rich.console import Console
from rich.table import Table

import linkwork as lw
from benchmarks.platforms import physical
from benchmarks.timing import repeated, side_by_side
from linkwork.control import ComputedTorque, TaskSpaceControl
from linkwork.motion import Quintic, paper_path
from linkwork.papers.lee1982 import END, START
from linkwork.simulation import DigitalLoop, rollout
from linkwork.simulation.system import System
from tests.oracles.mujoco_arm import mujoco_model
from tests.oracles.mujoco_platform import MujocoPlatform

LOOPS = 10_000
STEP = 1e-3
TIMED = 50  # steps of the timed rollouts; every step costs the same
MANY = 200
console = Console(width=120)


def _rk4(model: mujoco.MjModel) -> mujoco.MjData:
    model.opt.timestep = STEP
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
    return mujoco.MjData(model)


def arm_rows(table: Table) -> None:
    arm = lw.load("puma560")
    law = ComputedTorque(arm, Quintic(START, END, 2.0), period=STEP)
    rng = np.random.default_rng(0)
    starts = START + 0.05 * rng.normal(size=(LOOPS, 6))
    peer = mujoco_model(arm.model)
    data = _rk4(peer)
    digital = DigitalLoop(resolution=2 * np.pi / 2**16, velocity="differenced", delay=STEP)
    times = side_by_side(
        {
            "ideal": lambda: rollout(arm, law, starts, duration=TIMED * STEP),
            "digital": lambda: rollout(arm, law, starts, duration=TIMED * STEP, loop=digital),
            "theirs": repeated(lambda: mujoco.mj_step(peer, data), MANY),
        },
        seconds=10.0,
    )
    theirs = times["theirs"] / MANY
    for name, words, goal in (
        ("ideal", "computed torque and RK4 at 1 kHz", "30x"),
        ("digital", "the same, 16-bit positions, differenced, a period of delay", "15x"),
    ):
        ours = times[name] / (LOOPS * TIMED)
        label = f"puma560: {LOOPS:,} closed loops, {words}"
        table.add_row(label, f"{1e-6 / ours:.2f}", f"{1e-6 / theirs:.3f}", f"{theirs / ours:.1f}x", goal)


def platform_rows(table: Table) -> None:
    platform = physical(lw.load("dasgupta1998"))
    system = System(platform)
    count = 5_000
    x = np.tile(np.concatenate([platform.home, np.full(6, 0.1)]), (count, 1))
    force = platform.inverse_dynamics(platform.home, np.zeros(6), np.zeros(6))
    h = np.array([STEP])
    path = paper_path("dasgupta-I")
    law = TaskSpaceControl(platform, path, measured="pose")
    peer = MujocoPlatform(platform.model, platform.home)
    peer.set_motion(np.full(6, 0.1))
    data = _rk4(peer.model)
    starts = np.tile(path.at(0.0).pose, (count, 1))
    times = side_by_side(
        {
            "step": lambda: system.step.evaluate((x, force, h)),
            "loop": lambda: rollout(platform, law, starts, duration=TIMED * STEP),
            "theirs": repeated(lambda: mujoco.mj_step(peer.model, data), MANY),
        }
    )
    theirs = times["theirs"] / MANY
    for label, ours, goal in (
        ("Stewart platform: RK4 step", times["step"] / count, "30x"),
        ("Stewart platform: closed loop and RK4 step", times["loop"] / (count * TIMED), ""),
    ):
        table.add_row(label, f"{1e-6 / ours:.2f}", f"{1e-6 / theirs:.3f}", f"{theirs / ours:.1f}x", goal)


def main() -> None:
    lw.set_threads(1)
    table = Table(title="Million steps per second, one core", title_justify="left")
    for column in ("", "linkwork", "mj_step, RK4", "ratio", "goal"):
        table.add_column(column, justify="left" if not column else "right")
    arm_rows(table)
    platform_rows(table)
    console.print(table)
    lw.set_threads(None)


if __name__ == "__main__":
    main()
