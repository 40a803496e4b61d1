"""Simulation beside MuJoCo's mj_step, same integrator and robot."""

from __future__ import annotations

from collections.abc import Iterator

import mujoco
import numpy as np

import linkwork as lw
from benchmarks.platforms import physical
from benchmarks.results import Result, faster
from benchmarks.timing import by_width, repeated, side_by_side
from linkwork.control import ComputedTorque, TaskSpaceControl
from linkwork.motion import Quintic, published_path
from linkwork.papers.lee1982 import END, START
from linkwork.simulation import DigitalLoop, rollout
from linkwork.simulation.plant_functions import plant_kernel
from tests.oracles.mujoco_arm import mujoco_model
from tests.oracles.mujoco_platform import MujocoPlatform

LOOPS = 10_000
STEP = 1e-3
TIMED = 50  # steps of the timed rollouts; every step costs the same
MANY = 200


def _rk4(model: mujoco.MjModel) -> mujoco.MjData:
    model.opt.timestep = STEP
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
    return mujoco.MjData(model)


def arm_loops() -> Iterator[Result]:
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
        }
    )
    theirs = times["theirs"] / MANY
    closed = f"{LOOPS:,} closed loops, computed torque and RK4 at 1 kHz"
    for name, words, goal in (
        ("ideal", closed, by_width(30, 35)),
        ("digital", f"{closed}, 16-bit positions, differenced, a period of delay", 15),
    ):
        yield faster(arm.name, words, times[name] / (LOOPS * TIMED), theirs, "mj_step", goal)


def platform_steps() -> Iterator[Result]:
    platform = physical(lw.load("dasgupta1998"))
    step = plant_kernel("step", platform.plant())
    count = 5_000
    x = np.tile(np.concatenate([platform.home, np.full(6, 0.1)]), (count, 1))
    force = platform.inverse_dynamics(platform.home, np.zeros(6), np.zeros(6))
    h = np.array([STEP])
    path = published_path("dasgupta-I")
    law = TaskSpaceControl(platform, path, measured="pose")
    peer = MujocoPlatform(platform.model, platform.home)
    peer.set_motion(np.full(6, 0.1))
    data = _rk4(peer.model)
    starts = np.tile(path.at(0.0).pose, (count, 1))
    times = side_by_side(
        {
            "step": lambda: step.evaluate((x, force, h)),
            "loop": lambda: rollout(platform, law, starts, duration=TIMED * STEP),
            "theirs": repeated(lambda: mujoco.mj_step(peer.model, data), MANY),
        }
    )
    theirs = times["theirs"] / MANY
    yield faster(platform.name, "RK4 step", times["step"] / count, theirs, "mj_step", 30)
    yield faster(
        platform.name, "closed loop and RK4 step", times["loop"] / (count * TIMED), theirs, "mj_step"
    )


def results() -> Iterator[Result]:
    yield from arm_loops()
    yield from platform_steps()
