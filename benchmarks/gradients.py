"""Dynamics that PyTorch and JAX differentiate: one core, batches, forward and forward with backward.

Peers write the dynamics in PyTorch or JAX themselves. adam has M and bias of a free base: the efforts of
a motion are its rows of joints, and accelerations the solution with the block of joints. All compute in
double precision, compiled where the library compiles (JAX), as users of them would.

    python -m benchmarks gradients
"""

from __future__ import annotations

import importlib
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"

import jax
import jax.numpy as jnp
import numpy as np
import torch

import linkwork as lw
import linkwork.jax
import linkwork.torch
from benchmarks.results import Result, faster
from benchmarks.timing import repeated, side_by_side
from linkwork.analysis.speed import Call

BATCH = 4096
RIGID = {"friction": False, "rotors": False}
METHODS = ("inverse_dynamics", "forward_dynamics")
CALLS = 200
AHEAD, OVERHEAD = 10, 20  # goals: times the speed of adam; [us] above the call with NumPy
SINGLE = 1.7  # goal: times the states per second of double precision
AGREE = 1e-8  # of peers, relative to the largest result


def tried(call: Callable[[], Any], expected: np.ndarray, name: str) -> None:
    """A peer must compute the same."""
    found = np.asarray(call())
    assert np.abs(found - expected).max() <= AGREE * np.abs(expected).max(), name


def adam(
    library: str, urdf: str, names: list[str], gravity: np.ndarray
) -> dict[str, Callable[..., Any]]:
    """Inverse and forward dynamics by adam's M and bias, for batches."""
    xp: Any = jnp if library == "jax" else torch
    module = importlib.import_module("adam.jax" if library == "jax" else "adam.pytorch")
    kind = module.KinDynComputations
    model = kind(urdf, names, dtype=xp.float64, gravity=xp.asarray([*gravity, 0.0, 0.0, 0.0]))
    if library == "jax":  # it names a device in a way that JAX 0.7 and later refuse under vmap
        model.rbdalgos.math.factory._device = None
    base, still = xp.eye(4), xp.zeros(6)
    if library == "torch":
        base, still = base.double(), still.double()

    def of_one(q: Any, v: Any) -> tuple[Any, Any]:
        M, h = model.mass_matrix(base, q), model.bias_force(base, q, still, v)
        return M[6:, 6:], h[6:]

    def inverse(q: Any, v: Any, a: Any) -> Any:
        M, h = of_one(q, v)
        return M @ a + h

    def forward(q: Any, v: Any, tau: Any) -> Any:
        M, h = of_one(q, v)
        return xp.linalg.solve(M, tau - h)

    many = jax.vmap if library == "jax" else torch.func.vmap
    return {"inverse_dynamics": many(inverse), "forward_dynamics": many(forward)}


def in_jax(function: Callable[..., Any], arrays: list[np.ndarray]) -> tuple[Call, Call]:
    """Calls of a function, and of it with its gradient, compiled."""
    given = [jnp.asarray(each) for each in arrays]
    run = jax.jit(function)
    slope = jax.jit(jax.value_and_grad(lambda *x: (function(*x) ** 2).sum(), argnums=(0, 1, 2)))
    return (
        lambda: jax.block_until_ready(run(*given)),
        lambda: jax.block_until_ready(slope(*given)),
    )


def in_torch(function: Callable[..., Any], arrays: list[np.ndarray]) -> tuple[Call, Call]:
    plain = [torch.from_numpy(each) for each in arrays]
    learned = [each.clone().requires_grad_() for each in plain]

    def both() -> None:
        torch.autograd.grad((function(*learned) ** 2).sum(), learned)

    return lambda: function(*plain), both


def arm(name: str) -> Iterator[Result]:
    robot = lw.load_arm(name)
    rng = np.random.default_rng(0)
    arrays = list(rng.uniform(-1, 1, (3, BATCH, robot.n)))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "arm.urdf")
        lw.export(robot, "urdf", path)
        text = path.read_text()
    gravity = np.array(robot.model.gravity)
    ways = {"jax": in_jax, "torch": in_torch}
    modules = {"jax": linkwork.jax, "torch": linkwork.torch}
    for library, prepared in ways.items():
        ours = modules[library].dynamics(robot, **RIGID)
        theirs = adam(library, text, list(robot.joint_names), gravity)
        for method in METHODS:
            calls: dict[Any, Call] = {}
            for who, function in (("ours", getattr(ours, method)), ("adam", theirs[method])):
                calls[who, ""], calls[who, " and gradient"] = prepared(function, arrays)
            expected = getattr(robot, method)(*arrays, **RIGID)
            tried(calls["ours", ""], expected, f"linkwork.{library}")
            tried(calls["adam", ""], expected, f"adam.{library}")
            for call in calls.values():  # what is compiled at first is compiled now
                call()
            times = side_by_side(calls)
            for what in ("", " and gradient"):
                mine, other = (times[who, what] / BATCH for who in ("ours", "adam"))
                label = f"{method}{what}, {library}"
                yield faster(name, label, mine, other, f"adam ({library})", AHEAD)
    yield from single_precision(robot, arrays)


def single_precision(robot: lw.Arm, arrays: list[np.ndarray]) -> Iterator[Result]:
    single = [each.astype(np.float32) for each in arrays]
    for method in METHODS:
        double_kernel = robot.kernel(method)
        single_kernel = robot.kernel(method, dtype="float32")
        calls: dict[str, Call] = {
            "double": lambda run=double_kernel: run(*arrays),
            "single": lambda run=single_kernel: run(*single),
        }
        times = side_by_side(calls)
        ours, double = times["single"] / BATCH, times["double"] / BATCH
        yield faster(robot.name, f"{method}, float32", ours, double, "float64", SINGLE)


def overhead(name: str) -> Iterator[Result]:
    """Of one state: what an operator adds to the same call with NumPy's arrays."""
    robot = lw.load_arm(name)
    arrays = list(np.random.default_rng(0).uniform(-1, 1, (3, robot.n)))
    plain = [torch.from_numpy(each) for each in arrays]
    learned = [each.clone().requires_grad_() for each in plain]
    given = [jnp.asarray(each) for each in arrays]
    d, compiled = linkwork.torch.dynamics(robot), jax.jit(linkwork.jax.dynamics(robot).inverse_dynamics)
    calls = {
        "numpy": lambda: robot.inverse_dynamics(*arrays),
        "torch": lambda: d.inverse_dynamics(*plain),
        "torch, gradient asked for": lambda: d.inverse_dynamics(*learned),
        "jax, compiled": lambda: jax.block_until_ready(compiled(*given)),
    }
    times = side_by_side({key: repeated(call, CALLS) for key, call in calls.items()})
    for key in list(calls)[1:]:
        more = (times[key] - times["numpy"]) / CALLS * 1e6
        yield Result(name, f"one call, {key}, above NumPy", more, "us", None, OVERHEAD)


def results() -> Iterator[Result]:
    jax.config.update("jax_enable_x64", True)
    torch.set_num_threads(1)
    yield from overhead("ur5")
    yield from arm("ur5")
    yield from arm("panda")
