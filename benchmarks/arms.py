"""Serial arms beside Pinocchio, MuJoCo, Robotics Toolbox and CasADi: run with `make bench`.

Everything goes through the public interface, all contenders of a table take turns in one run, and
ratios are what counts: absolute times change with the machine and its load.
"""

from __future__ import annotations

import os
import platform
import tempfile
import time

import mujoco
import numpy as np
import pinocchio as pin
from rich.console import Console
from rich.table import Table

import linkwork as lw
from benchmarks.peers import Peers, toolbox_arm
from benchmarks.timing import repeated, side_by_side
from benchmarks.urdf_arms import urdf_path
from linkwork.analysis.operation_table import general_model

BATCH = 50_000
FEW = 1_000  # states for contenders that take one state per call
RIGID = {"friction": False, "rotors": False}
console = Console(width=120)


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title, title_justify="left")
    table.add_column(columns[0], no_wrap=True)
    for column in columns[1:]:
        table.add_column(column, justify="right")
    return table


def _batch_rows(table: Table, kind: str, times: dict[str, float], ours: str, goal: str) -> None:
    for name, seconds in times.items():
        ratio = "" if name == ours else f"{seconds / times[ours]:.1f}x"
        wanted = goal if "InParallel" in name else ""
        table.add_row(kind if name == ours else "", name, f"{seconds * 1e9:.0f}", ratio, wanted)
    table.add_section()


def _per_state(contenders: dict, counts: dict[str, int]) -> dict[str, float]:
    best = side_by_side(contenders)
    return {name: seconds / counts.get(name, BATCH) for name, seconds in best.items()}


def batches(name: str, threads: int, arm: lw.Arm | None = None) -> None:
    """Arrays of states: time per state."""
    arm = arm or lw.load_arm(name)
    q, qd, qdd = arm.random_motion(BATCH, 0)
    peers, few = Peers(arm.model, q, qd, qdd), Peers(arm.model, q[:FEW], qd[:FEW], qdd[:FEW])
    lw.set_threads(threads)
    cores = "one core" if threads == 1 else f"{threads} threads"
    table = _table(
        f"{name}, arrays of {BATCH:,} states, {cores}", "", "engine", "ns per state", "ours is", "goal"
    )
    table.columns[1].justify = "left"
    inverse = {
        "linkwork": lambda: arm.inverse_dynamics(q, qd, qdd, **RIGID),
        "pin.rneaInParallel": lambda: peers.rnea_in_parallel(threads),
    }
    forward = {
        "linkwork": lambda: arm.forward_dynamics(q, qd, qdd, **RIGID),
        "pin.abaInParallel": lambda: peers.aba_in_parallel(threads),
    }
    mass = {"linkwork": lambda: arm.mass_matrix(q, rotors=False)}
    if threads == 1:
        inverse |= {
            "pin.rnea, a loop": lambda: few.pin_loop(pin.rnea),
            "mujoco mj_inverse, a loop": lambda: few.mujoco_loop(mujoco.mj_inverse, acceleration=True),
            "casadi, same expression": _casadi(arm, "inverse_dynamics", q, qd, qdd),
        }
        if all(joint.is_revolute for joint in arm.model.joints):
            toolbox = toolbox_arm(arm.model)
            inverse["roboticstoolbox rne"] = lambda: toolbox.rne(q[:FEW], qd[:FEW], qdd[:FEW])
        forward |= {
            "pin.aba, a loop": lambda: few.pin_loop(pin.aba),
            "mujoco mj_forward, a loop": lambda: few.mujoco_loop(mujoco.mj_forward, acceleration=False),
            "casadi, same expression": _casadi(arm, "forward_dynamics", q, qd, qdd),
        }
        mass |= {
            "pin.crba, a loop": few.crba_loop,
            "casadi, same expression": _casadi(arm, "mass_matrix", q),
        }
    counts = {
        key: FEW
        for group in (inverse, forward, mass)
        for key in group
        if "loop" in key or "toolbox" in key
    }
    goals = ("60x", "55x") if threads == 1 and name.startswith("ur5") else ("", "")
    _batch_rows(table, "inverse dynamics", _per_state(inverse, counts), "linkwork", goals[0])
    _batch_rows(table, "forward dynamics", _per_state(forward, counts), "linkwork", goals[1])
    if threads == 1:
        _batch_rows(table, "mass matrix", _per_state(mass, counts), "linkwork", "")
    console.print(table)
    lw.set_threads(None)


def _casadi(arm: lw.Arm, method: str, *arrays: np.ndarray):
    """CasADi's own evaluation of our expression over all states in one call."""
    mapped = arm.kernel(
        method, **{k: v for k, v in RIGID.items() if method != "mass_matrix" or k == "rotors"}
    )
    function = mapped.casadi.map(BATCH)
    columns = [np.asfortranarray(array.T) for array in arrays]
    return lambda: function(*columns)


def single_calls(name: str) -> None:
    """One state at a time, from Python."""
    arm = lw.load_arm(name)
    q, qd, qdd = (x[0] for x in arm.random_motion(1, 1))
    peers = Peers(arm.model, q[None], qd[None], qdd[None])
    model, data = peers.pinocchio.model, peers.pinocchio.data
    loop = arm.kernel("inverse_dynamics", **RIGID).bind()
    loop.q, loop.qd, loop.qdd = q, qd, qdd
    function = arm.kernel("inverse_dynamics", **RIGID).casadi
    place = np.empty(arm.n)
    many = 2_000

    def loop_with_copies() -> None:
        loop.q[:] = q
        loop.qd[:] = qd
        loop.qdd[:] = qdd
        loop()

    inverse = {
        "pin.rnea": lambda: pin.rnea(model, data, q, qd, qdd),
        "arm.inverse_dynamics": lambda: arm.inverse_dynamics(q, qd, qdd),
        "the same, friction=False, rotors=False": lambda: arm.inverse_dynamics(q, qd, qdd, **RIGID),
        "the same, out=": lambda: arm.inverse_dynamics(q, qd, qdd, out=place),
        "bound loop()": loop,
        "bound loop() with writing q, qd, qdd": loop_with_copies,
        "mujoco mj_inverse": lambda: peers.mujoco_loop(mujoco.mj_inverse, acceleration=True),
        "casadi function": lambda: function(q, qd, qdd),
    }
    forward = {
        "pin.aba": lambda: pin.aba(model, data, q, qd, qdd),
        "arm.forward_dynamics": lambda: arm.forward_dynamics(q, qd, qdd),
    }
    contenders = inverse | forward
    times = side_by_side({key: repeated(call, many) for key, call in contenders.items()})
    goals = {
        "arm.inverse_dynamics": "<= 0.4",
        "arm.forward_dynamics": "<= 0.4",
        "bound loop()": "<= 0.4",
    }
    table = _table(f"{name}, one state per call", "call", "us", "of pin", "goal")
    for group, peer in ((inverse, "pin.rnea"), (forward, "pin.aba")):
        for key in group:
            ratio = f"{times[key] / times[peer]:.2f}x"
            table.add_row(key, f"{times[key] / many * 1e6:.2f}", ratio, goals.get(key, ""))
        table.add_section()
    console.print(table)


def small_batches(name: str) -> None:
    """A few states per call: what Python costs on the way."""
    arm = lw.load_arm(name)
    lw.set_threads(1)
    sizes, many = (1, 4, 16, 64, 256, 1000), 100
    states = {size: arm.random_motion(size, size) for size in sizes}
    times = side_by_side(
        {
            size: repeated(lambda s=state: arm.inverse_dynamics(*s), many)
            for size, state in states.items()
        }
    )
    goals = {16: "<= 1"}
    table = _table(
        f"{name}, inverse dynamics of a few states", "states", "us", "ns per state", "goal us"
    )
    for size, seconds in times.items():
        each = seconds / many
        row = f"{each * 1e6:.2f}", f"{each / size * 1e9:.0f}"
        table.add_row(str(size), *row, goals.get(size, ""))
    console.print(table)
    lw.set_threads(None)


def _kernel_time(model, method: str, formulation: str | None) -> tuple[float, float]:
    """Seconds until machine code stands ready, and until the first answer."""
    options = {"formulation": formulation} if formulation else {}
    state = lw.Arm(model).random_motion(1)
    start = time.perf_counter()
    arm = lw.Arm(model)
    kernel = arm.kernel(method, **options)
    code = kernel.code
    ready = time.perf_counter() - start
    getattr(arm, method)(*state, **options)
    assert code is not None
    return ready, time.perf_counter() - start


def compilation() -> None:
    """From description to machine code: cold, and from the object cache."""
    table = _table(
        "Making a kernel, milliseconds", "kernel", "cold", "from cache", "first answer, cold", "goal"
    )
    cases = [
        ("ur5", "inverse_dynamics", None, "< 500, < 20"),
        ("ur5", "forward_dynamics", None, "< 500, < 20"),
    ]
    cases += [
        ("general 8R", "inverse_dynamics", name, "first answer < 3000")
        for name in lw.load("ur5").formulations
    ]
    before = os.environ.get("LINKWORK_CACHE")
    for robot, method, formulation, goal in cases:
        model = general_model(8) if robot.startswith("general") else lw.load(robot).model
        with tempfile.TemporaryDirectory() as folder:
            os.environ["LINKWORK_CACHE"] = folder
            cold, answer = _kernel_time(model, method, formulation)
            warm = min(_kernel_time(model, method, formulation)[0] for _ in range(5))
        label = f"{robot} {method} {formulation or ''}"
        table.add_row(label, f"{cold * 1e3:.0f}", f"{warm * 1e3:.1f}", f"{answer * 1e3:.0f}", goal)
    if before is None:
        os.environ.pop("LINKWORK_CACHE", None)
    else:
        os.environ["LINKWORK_CACHE"] = before
    console.print(table)


def main() -> None:
    kernel = lw.load("ur5").kernel("inverse_dynamics")
    cores = os.cpu_count() or 1
    console.print(
        f"{platform.machine()}, {kernel.target.cpu}, {cores} cores, {kernel.target.lanes} lanes; "
        f"linkwork {lw.__version__}, pin {pin.__version__}, mujoco {mujoco.__version__}"
    )
    for name in ("ur5", "puma560"):
        batches(name, 1)
    batches("ur5 from its URDF", 1, lw.load_arm(urdf_path("ur5_robot")))
    if cores > 1:
        for name in ("ur5", "puma560"):
            batches(name, cores)
    single_calls("ur5")
    small_batches("ur5")
    compilation()


if __name__ == "__main__":
    main()
