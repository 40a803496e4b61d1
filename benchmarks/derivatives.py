"""Derivatives and regressors beside Pinocchio and MuJoCo: run with `make bench`."""

from __future__ import annotations

import ctypes
import math

import casadi as ca
import mujoco
import numpy as np
import pinocchio as pin
from rich.console import Console
from rich.table import Table

import linkwork as lw
from benchmarks.platforms import MANY, physical, states
from benchmarks.timing import repeated, side_by_side
from tests.oracles.mujoco_platform import MujocoPlatform
from tests.oracles.pinocchio_arm import PinocchioArm

BATCH = 20_000
LOOP = 500
SMALL = 200  # states at a time, in arrays that are used again and stay in the processor's cache
BODY = 10  # parameters of a link that Pinocchio's regressor has; ours has rotor and friction too
console = Console(width=120)


def table(title: str) -> Table:
    result = Table(title=title, title_justify="left")
    for column in ("", "linkwork", "peer", "ratio", "goal"):
        result.add_column(column, justify="left" if not column else "right")
    return result


def add(result: Table, name: str, ours: float, theirs: float, goal: str) -> None:
    result.add_row(name, f"{ours * 1e9:.0f}", f"{theirs * 1e9:.0f}", f"{theirs / ours:.1f}x", goal)


def arm(name: str) -> None:
    robot = lw.load_arm(name)
    peer = PinocchioArm(robot.model)
    rng = np.random.default_rng(0)
    q, qd, qdd = rng.uniform(-1, 1, (3, BATCH, robot.n))
    tau = robot.inverse_dynamics(q, qd, qdd, friction=False, rotors=False)
    model, data = peer.model, peer.data

    def loop(function, third: np.ndarray):
        rows = list(zip(q[:LOOP], qd[:LOOP], third[:LOOP], strict=True))

        def run() -> None:
            for row in rows:
                function(model, data, *row)

        return run

    options = {"friction": False, "rotors": False}
    pairs = {
        "inverse / computeRNEADerivatives": (
            lambda: robot.inverse_dynamics_derivatives(q, qd, qdd, **options),
            loop(pin.computeRNEADerivatives, qdd),
            "40x",
        ),
        "forward / computeABADerivatives": (
            lambda: robot.forward_dynamics_derivatives(q, qd, tau, **options),
            loop(pin.computeABADerivatives, tau),
            "30x",
        ),
        "regressor / computeJointTorqueRegressor": (
            lambda: robot.regressor(q, qd, qdd),
            loop(pin.computeJointTorqueRegressor, qdd),
            "30x",
        ),
    }
    kernels = (
        robot.kernel("inverse_dynamics_derivatives", **options),
        robot.kernel("forward_dynamics_derivatives", **options),
        robot.kernel("regressor"),
    )
    result = table(f"{name}, one core, ns per state: arrays of {BATCH}, a loop of Pinocchio's calls")
    for (title, (ours, theirs, goal)), kernel in zip(pairs.items(), kernels, strict=True):
        states = (q, qd, tau if "forward" in title else qdd)
        contenders = {
            title: ours,
            "  in the same arrays again, out=": in_parts(kernel, BATCH, *states),
            f"  the same, {SMALL} states at a time": in_parts(kernel, SMALL, *states),
        }
        if "regressor" in title:
            contenders["  its columns of bodies alone"] = in_parts(bodies(kernel), SMALL, *states)
        doubles = sum(math.prod(shape) for shape in kernel.outputs.values())
        memory = np.zeros(BATCH * doubles)
        contenders[f"  memset of its {8 * doubles} bytes"] = lambda memory=memory: ctypes.memset(
            memory.ctypes.data, 0, memory.nbytes
        )
        # One after the other: results are large.
        times = side_by_side({**contenders, "theirs": theirs})
        for row in contenders:
            add(result, row, times[row] / BATCH, times["theirs"] / LOOP, goal if row == title else "")
    console.print(result)
    console.print("Pinocchio's loop keeps no result: every call overwrites the one before.")


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


def platform(name: str) -> None:
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
    result = table(f"{name}, one core, ns per state")
    ours, theirs = times["inverse"] / BATCH, times["mjd_inverseFD"] / MANY
    add(result, "inverse / mjd_inverseFD", ours, theirs, "30x")
    console.print(result)


if __name__ == "__main__":
    lw.set_threads(1)
    arm("ur5")
    arm("puma560")
    platform("simona")
