"""Serial arms beside Pinocchio, MuJoCo, Robotics Toolbox and CasADi.

Everything goes through the public interface, all contenders of a comparison take turns in one run, and
ratios are what counts: absolute times change with the machine and its load.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator
from typing import Any

import mujoco
import numpy as np
import pinocchio as pin

import linkwork as lw
from benchmarks.peers import Peers, toolbox_arm
from benchmarks.results import NANO, Result, faster
from benchmarks.timing import by_width, repeated, side_by_side
from benchmarks.urdf_arms import urdf_path
from linkwork.analysis.operation_table import general_model

BATCH = 20_000
FEW = 500  # states for contenders that take one state per call
CALLS = 2_000
RIGID = {"friction": False, "rotors": False}


def batches(name: str, arm: lw.Arm, threads: int, goals: dict[str, float]) -> Iterator[Result]:
    """Arrays of states: time per state."""
    q, qd, qdd = arm.random_states(BATCH, 0)
    peers, few = Peers(arm.model, q, qd, qdd), Peers(arm.model, q[:FEW], qd[:FEW], qdd[:FEW])
    lw.set_threads(threads)
    ours = {
        "inverse dynamics": lambda: arm.inverse_dynamics(q, qd, qdd, **RIGID),
        "forward dynamics": lambda: arm.forward_dynamics(q, qd, qdd, **RIGID),
    }
    theirs: dict[str, dict[str, Any]] = {
        "inverse dynamics": {"pin.rneaInParallel": lambda: peers.rnea_in_parallel(threads)},
        "forward dynamics": {"pin.abaInParallel": lambda: peers.aba_in_parallel(threads)},
    }
    if threads == 1:
        ours["mass matrix"] = lambda: arm.mass_matrix(q, rotors=False)
        theirs["inverse dynamics"] |= {
            "pin.rnea": lambda: few.pin_loop(pin.rnea),
            "mj_inverse": lambda: few.mujoco_loop(mujoco.mj_inverse, acceleration=True),
            "CasADi": in_casadi(arm, "inverse_dynamics", q, qd, qdd, **RIGID),
        }
        if all(joint.is_revolute for joint in arm.model.joints):
            toolbox = toolbox_arm(arm.model)
            theirs["inverse dynamics"]["Robotics Toolbox"] = lambda: toolbox.rne(
                q[:FEW], qd[:FEW], qdd[:FEW]
            )
        theirs["forward dynamics"] |= {
            "pin.aba": lambda: few.pin_loop(pin.aba),
            "mj_forward": lambda: few.mujoco_loop(mujoco.mj_forward, acceleration=False),
            "CasADi": in_casadi(arm, "forward_dynamics", q, qd, qdd, **RIGID),
        }
        theirs["mass matrix"] = {
            "pin.crba": few.crba_loop,
            "CasADi": in_casadi(arm, "mass_matrix", q, rotors=False),
        }
    cores = "one core" if threads == 1 else f"{threads} threads"
    for what, call in ours.items():
        times = side_by_side({"linkwork": call, **theirs[what]})
        for peer in theirs[what]:
            states = BATCH if "Parallel" in peer else FEW
            goal = goals.get(what) if "Parallel" in peer else None
            yield faster(
                name,
                f"{what}, arrays, {cores}",
                times["linkwork"] / BATCH,
                times[peer] / states,
                peer,
                goal,
            )
    lw.set_threads(1)


def in_casadi(arm: lw.Arm, method: str, *arrays: np.ndarray, **options: bool):
    """CasADi's own evaluation of our expression over all states in one call."""
    function = arm.kernel(method, **options).casadi.map(FEW)
    columns = [np.asfortranarray(array[:FEW].T) for array in arrays]
    return lambda: function(*columns)


def single_calls(name: str) -> Iterator[Result]:
    """One state at a time, from Python; `of pin`: the share of the time of Pinocchio's call."""
    arm = lw.load_arm(name)
    q, qd, qdd = (x[0] for x in arm.random_states(1, 1))
    peers = Peers(arm.model, q[None], qd[None], qdd[None])
    model, data = peers.pinocchio.model, peers.pinocchio.data
    loop = arm.kernel("inverse_dynamics", **RIGID).bind()
    loop.q, loop.qd, loop.qdd = q, qd, qdd
    function = arm.kernel("inverse_dynamics", **RIGID).casadi
    place = np.empty(arm.n)

    def loop_with_copies() -> None:
        loop.q[:] = q
        loop.qd[:] = qd
        loop.qdd[:] = qdd
        loop()

    inverse = {
        "arm.inverse_dynamics": lambda: arm.inverse_dynamics(q, qd, qdd),
        "arm.inverse_dynamics, out=": lambda: arm.inverse_dynamics(q, qd, qdd, out=place),
        "bound loop()": loop,
        "bound loop(), inputs written": loop_with_copies,
        "mj_inverse": lambda: peers.mujoco_loop(mujoco.mj_inverse, acceleration=True),
        "CasADi": lambda: function(q, qd, qdd),
    }
    forward = {"arm.forward_dynamics": lambda: arm.forward_dynamics(q, qd, qdd)}
    peer = {
        "pin.rnea": lambda: pin.rnea(model, data, q, qd, qdd),
        "pin.aba": lambda: pin.aba(model, data, q, qd, qdd),
    }
    calls = {key: repeated(call, CALLS) for key, call in (inverse | forward | peer).items()}
    times = {key: seconds / CALLS for key, seconds in side_by_side(calls).items()}
    goals = {"arm.inverse_dynamics": 0.41, "arm.forward_dynamics": 0.41, "bound loop()": 0.41}
    for group, other in ((inverse, "pin.rnea"), (forward, "pin.aba")):
        for key in group:
            share, both = times[key] / times[other], (times[key] * NANO, times[other] * NANO)
            yield Result(name, f"one call: {key}", share, f"of {other}", None, goals.get(key), *both)


def small_batches(name: str) -> Iterator[Result]:
    """A few states per call: what Python costs on the way."""
    arm = lw.load_arm(name)
    many = 100
    states = {size: arm.random_states(size, size) for size in (1, 4, 16, 64, 256, 1000)}
    calls = {
        size: repeated(lambda s=state: arm.inverse_dynamics(*s), many) for size, state in states.items()
    }
    for size, seconds in side_by_side(calls).items():
        yield Result(
            name,
            f"inverse dynamics of {size} states",
            seconds / many * 1e6,
            "us",
            at_most={16: 1}.get(size),
        )


def kernel_time(model, method: str, options: dict[str, str]) -> tuple[float, float]:
    """Milliseconds until machine code stands ready, and until the first answer."""
    state = lw.Arm(model).random_states(1)
    start = time.perf_counter()
    arm = lw.Arm(model)
    code = arm.kernel(method, **options).code
    ready = time.perf_counter() - start
    getattr(arm, method)(*state, **options)
    assert code is not None
    return 1e3 * ready, 1e3 * (time.perf_counter() - start)


def compilation() -> Iterator[Result]:
    """From description to machine code: cold, and from the object cache."""
    ur5 = lw.load("ur5")
    before = dict(os.environ)
    cases: list[Any] = [
        (ur5.model, "ur5", method, {}) for method in ("inverse_dynamics", "forward_dynamics")
    ]
    general = general_model(8)
    cases += [
        (general, "general 8R", "inverse_dynamics", {"formulation": name}) for name in ur5.formulations
    ]
    for model, name, method, options in cases:
        with tempfile.TemporaryDirectory() as folder:
            os.environ["LINKWORK_CACHE"] = folder
            cold, answer = kernel_time(model, method, options)
            warm = min(kernel_time(model, method, options)[0] for _ in range(5))
        what = " ".join([method, *options.values()])
        if name == "ur5":
            yield Result(name, f"{what}, compiled", cold, "ms", at_most=500)
            yield Result(name, f"{what}, from the cache", warm, "ms", at_most=20)
        else:
            yield Result(name, f"{what}, first answer", answer, "ms", at_most=3000)
    os.environ.clear()
    os.environ.update(before)


def results() -> Iterator[Result]:
    goals = {"inverse dynamics": by_width(60, 97), "forward dynamics": by_width(55, 84)}
    yield from batches("ur5", lw.load_arm("ur5"), 1, goals)
    yield from batches("puma560", lw.load_arm("puma560"), 1, {})
    yield from batches("ur5 from its URDF", lw.load_arm(urdf_path("ur5_robot")), 1, goals)
    if (cores := os.cpu_count() or 1) > 1:
        yield from batches("ur5", lw.load_arm("ur5"), cores, {})
    yield from single_calls("ur5")
    yield from small_batches("ur5")
    yield from compilation()
