"""Derivatives and regressors beside Pinocchio and MuJoCo."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import casadi as ca
import mujoco
import numpy as np
import pinocchio as pin

import linkwork as lw
from benchmarks.platforms import MANY, physical, states
from benchmarks.results import Result, faster
from benchmarks.timing import repeated, side_by_side
from tests.oracles.mujoco_platform import MujocoPlatform
from tests.oracles.pinocchio_arm import PinocchioArm

BATCH = 10_000
LOOP = 500
SMALL = 200  # states at a time, in arrays that are used again and stay in the processor's cache
BODY = 10  # parameters of a link that Pinocchio's regressor has; ours has rotor and friction too
RIGID = {"friction": False, "rotors": False}


def arm(name: str) -> Iterator[Result]:
    """Arrays beside a loop of Pinocchio's calls, which keep no result: each overwrites the last."""
    robot = lw.load_arm(name)
    peer = PinocchioArm(robot.model)
    rng = np.random.default_rng(0)
    q, qd, qdd = rng.uniform(-1, 1, (3, BATCH, robot.n))
    tau = robot.inverse_dynamics(q, qd, qdd, **RIGID)

    def loop(function, third: np.ndarray):
        rows = list(zip(q[:LOOP], qd[:LOOP], third[:LOOP], strict=True))

        def run() -> None:
            for row in rows:
                function(peer.model, peer.data, *row)

        return run

    cases: tuple[Any, ...] = (
        ("inverse_dynamics_derivatives", qdd, RIGID, pin.computeRNEADerivatives, 40),
        ("forward_dynamics_derivatives", tau, RIGID, pin.computeABADerivatives, 30),
        ("regressor", qdd, {}, pin.computeJointTorqueRegressor, 30),
    )
    for method, third, options, function, goal in cases:
        kernel = robot.kernel(method, **options)
        calls = {
            "": lambda m=method, t=third, o=options: getattr(robot, m)(q, qd, t, **o),
            f", {SMALL} states at a time, out=": in_parts(kernel, SMALL, q, qd, third),
        }
        if method == "regressor":
            calls[", columns of bodies alone"] = in_parts(bodies(kernel), SMALL, q, qd, third)
        times = side_by_side({**calls, "theirs": loop(function, third)})
        theirs, peer_name = times["theirs"] / LOOP, f"pin.{function.__name__}"
        for how in calls:
            yield faster(
                name, method + how, times[how] / BATCH, theirs, peer_name, None if how else goal
            )


def in_parts(kernel: lw.Kernel, size: int, *arrays: np.ndarray):
    """All states, `size` at a time, through one set of result arrays."""
    places = tuple(np.zeros((size, *shape)) for shape in kernel.outputs.values())
    out = places if len(places) > 1 else places[0]
    parts = list(zip(*(array.reshape(-1, size, array.shape[1]) for array in arrays), strict=True))

    def run() -> None:
        for part in parts:
            kernel.evaluate(part, out)

    return run


def bodies(kernel: lw.Kernel) -> lw.Kernel:
    """A regressor without what Pinocchio's has not: rotors, friction and offsets."""
    ((n, columns),) = kernel.outputs.values()
    kept = [k for k in range(n * columns) if k % (columns // n) < BODY]
    inputs = [ca.SX.sym(name, size) for name, size in kernel.inputs.items()]
    function = ca.Function("bodies", inputs, [kernel.casadi(*inputs)[kept]], [*kernel.inputs], ["Y"])
    return lw.Kernel(function, ((n, n * BODY),))


def platform(name: str) -> Iterator[Result]:
    robot = physical(lw.load_platform(name))
    pose, twist, acceleration = states(robot, BATCH)
    peer = MujocoPlatform(robot.model, pose[0])
    peer.set_motion(twist[0])
    nv, nu = peer.model.nv, peer.model.nsensordata
    outputs = [np.zeros((nv, nv)) for _ in range(3)]
    sensors = [np.zeros((nv, nu)) for _ in range(3)] if nu else [None] * 3

    def differentiate() -> None:
        mujoco.mjd_inverseFD(peer.model, peer.data, 1e-6, 0, *outputs, *sensors, None)

    contenders = {
        "inverse": lambda: robot.inverse_dynamics_derivatives(pose, twist, acceleration),
        "mjd_inverseFD": repeated(differentiate, MANY),
    }
    times = side_by_side(contenders)
    ours, theirs = times["inverse"] / BATCH, times["mjd_inverseFD"] / MANY
    yield faster(name, "inverse_dynamics_derivatives", ours, theirs, "mjd_inverseFD", 30)


def results() -> Iterator[Result]:
    yield from arm("ur5")
    yield from arm("puma560")
    yield from platform("simona")
