"""How long calls take: ours beside the engines that are installed, and the latency of single calls."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from linkwork.core.errors import InputError
from linkwork.core.progress import progress_bar
from linkwork.kernels.threads import set_threads
from linkwork.model.robot_files import urdf_of
from linkwork.robot.compiled import CallOptions
from linkwork.robot.robot import Array, Robot

Call = Callable[[], object]
Key = TypeVar("Key", bound=Hashable)
WARM_UP = 1000
TURN = 500  # calls of one contender before the next has its turn
MOST_CALLS = 2_000_000


@dataclass(frozen=True)
class Latency:
    """Times of single calls [ns], the clock's own time taken off."""

    calls: int
    p50: float
    p99: float
    max: float


def latency_of(robot: Robot, seconds: float) -> dict[str, Latency]:
    """Latency of one state by method and bound loop, garbage collection off as in a control loop."""
    state = position, velocity, acceleration = _motion(robot)
    effort = robot.inverse_dynamics(*state)
    loop = robot.kernel("inverse_dynamics").bind()
    loop(*state)
    q, qd, qdd = (getattr(loop, name) for name in loop.kernel.inputs)

    def write_and_run() -> None:
        q[:] = position
        qd[:] = velocity
        qdd[:] = acceleration
        loop()

    contenders: dict[str, Call] = {
        "inverse_dynamics": lambda: robot.inverse_dynamics(position, velocity, acceleration),
        "forward_dynamics": lambda: robot.forward_dynamics(position, velocity, effort),
        "loop()": loop,
        "loop(), inputs written": write_and_run,
        "an empty function": lambda: None,
    }
    times = _times(contenders, seconds)
    clock = float(np.median(times.pop("an empty function")))
    return {name: _summary(np.maximum(values - clock, 0.0)) for name, values in times.items()}


def _motion(robot: Robot) -> tuple[Array, Array, Array]:
    """A slow motion through the home configuration."""
    velocity = np.full(len(robot.velocities), 0.1)
    return robot.home, velocity, -velocity


def _times(contenders: dict[str, Call], seconds: float) -> dict[str, Array]:
    """Times of every call [ns]; contenders take turns."""
    found: dict[str, list[int]] = {name: [] for name in contenders}
    for call in contenders.values():
        for _ in range(WARM_UP):
            call()
    clock, enabled = time.perf_counter_ns, gc.isenabled()
    gc.disable()
    try:
        end = time.perf_counter() + seconds
        while time.perf_counter() < end and len(found["loop()"]) < MOST_CALLS:
            for name, call in contenders.items():
                keep = found[name].append
                for _ in range(TURN):
                    begin = clock()
                    call()
                    keep(clock() - begin)
    finally:
        if enabled:
            gc.enable()
    return {name: np.array(values, dtype=float) for name, values in found.items()}


def _summary(values: Array) -> Latency:
    p50, p99 = np.percentile(values, [50, 99])
    return Latency(len(values), float(p50), float(p99), float(values.max()))


Motion = tuple[Array, Array, Array]
Jobs = dict[str, dict[str, tuple[Call, int]]]  # by method and engine: a call, and its states
FEW = 500  # states for engines that take one state per call
NANO = 1e9


def speed_of(
    robot: Robot,
    states: int,
    seconds: float,
    threads: int = 1,
    progress: bool | None = False,
) -> tuple[dict[str, dict[str, float]], list[str]]:
    """Nanoseconds per state by method and engine, and why engines are missing."""
    missing: list[str] = []
    motion, jobs = _own_jobs(robot, states)
    _add_peers(jobs, robot, motion, threads, missing)
    set_threads(threads)
    try:
        return _per_state(jobs, seconds, progress), missing
    finally:
        set_threads(None)


def _own_jobs(robot: Robot, states: int) -> tuple[Motion, Jobs]:
    """Rigid dynamics, without friction and rotors, at random states that are within reach."""
    known = robot.kernel_options("inverse_dynamics")
    rigid: CallOptions = {name: False for name in ("friction", "rotors") if name in known}
    drawn = robot.random_states(states)
    reached = np.isfinite(robot.inverse_dynamics(*drawn, errors="nan")).all(axis=-1)
    position, velocity, x = (np.asarray(np.resize(part[reached], part.shape)) for part in drawn)
    tau = robot.inverse_dynamics(position, velocity, x, **rigid)
    jobs: dict[str, Call] = {
        "inverse dynamics": lambda: robot.inverse_dynamics(position, velocity, x, **rigid),
        "forward dynamics": lambda: robot.forward_dynamics(position, velocity, tau, **rigid),
    }
    found = {what: {"linkwork": (call, states)} for what, call in jobs.items()}
    return (position, velocity, x), found


def _add_peers(jobs: Jobs, robot: Robot, motion: Motion, threads: int, missing: list[str]) -> None:
    """Engines that read the robot as a URDF, which holds one chain."""
    try:
        urdf_of(robot.model)
    except InputError:
        missing.append("no engine that is compared with knows closed chains from a robot file.")
        return
    text = urdf_of(_bounded(robot.model))[0]
    for name, add in (("pinocchio", _add_pinocchio), ("mujoco", _add_mujoco)):
        try:
            add(jobs, text, robot.model.gravity, motion, threads)
        except ImportError:
            missing.append(f"{name} is not installed (pip install 'linkwork[peers]').")
        except (ValueError, RuntimeError) as error:
            missing.append(f"{name} does not take {robot.name}: {str(error).strip().splitlines()[0]}")


def _add_pinocchio(jobs: Jobs, text: str, gravity: Array, state: Motion, threads: int) -> None:
    import pinocchio as pin

    engine = pin.buildModelFromXML(text)
    engine.gravity.linear = np.array(gravity)
    data = engine.createData()
    few = [part[:FEW] for part in state]

    def loop(function: Callable[..., object]) -> Call:
        return lambda: [function(engine, data, *row) for row in zip(*few, strict=True)]

    columns = [np.asfortranarray(part.T) for part in state]
    result = np.zeros_like(columns[0], order="F")
    jobs["inverse dynamics"]["pinocchio rnea"] = loop(pin.rnea), len(few[0])
    jobs["forward dynamics"]["pinocchio aba"] = loop(pin.aba), len(few[0])
    if hasattr(pin, "rneaInParallel"):
        pool = pin.ModelPool(engine, threads)
        count = len(state[0])
        jobs["inverse dynamics"]["pinocchio rneaInParallel"] = (
            lambda: pin.rneaInParallel(threads, pool, *columns, result),
            count,
        )
        jobs["forward dynamics"]["pinocchio abaInParallel"] = (
            lambda: pin.abaInParallel(threads, pool, *columns, result),
            count,
        )


def _bounded(model: Any) -> Any:
    """The chain with limits everywhere: a joint without them has two numbers in Pinocchio."""
    joints = []
    for joint in model.joints:
        position = joint.limits.position or (-np.pi, np.pi)
        joints.append(replace(joint, limits=replace(joint.limits, position=position)))
    return replace(model, joints=tuple(joints))


def _add_mujoco(jobs: Jobs, text: str, gravity: Array, state: Motion, threads: int) -> None:
    import mujoco

    extension = '<mujoco><compiler balanceinertia="true" boundmass="1e-9" boundinertia="1e-9"/></mujoco>'
    engine = mujoco.MjModel.from_xml_string(text.replace("</robot>", f"{extension}</robot>"))
    engine.opt.gravity[:] = gravity
    engine.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
    data = mujoco.MjData(engine)
    few = [part[:FEW] for part in state]

    def loop(function: Callable[..., object], target: Array) -> Call:
        def run() -> None:
            for q, qd, x in zip(*few, strict=True):
                data.qpos[:], data.qvel[:], target[:] = q, qd, x
                function(engine, data)

        return run

    jobs["inverse dynamics"]["mujoco mj_inverse"] = loop(mujoco.mj_inverse, data.qacc), len(few[0])
    jobs["forward dynamics"]["mujoco mj_forward"] = (
        loop(mujoco.mj_forward, data.qfrc_applied),
        len(few[0]),
    )


def _per_state(jobs: Jobs, seconds: float, progress: bool | None) -> dict[str, dict[str, float]]:
    calls = {(what, name): call for what, group in jobs.items() for name, (call, _) in group.items()}
    best = side_by_side(calls, seconds, progress=progress)
    return {
        what: {name: NANO * best[what, name] / count for name, (_, count) in group.items()}
        for what, group in jobs.items()
    }


def side_by_side(
    contenders: Mapping[Key, Call],
    seconds: float = 3.0,
    turn: float = 0.02,
    progress: bool | None = False,
) -> dict[Key, float]:
    """Best time of each [s]. In short turns, so that changes of the machine's speed meet all alike.

    `progress` shows a bar if it takes long; None shows it on a terminal.
    """
    for call in contenders.values():
        call()
    best = dict.fromkeys(contenders, float("inf"))
    with progress_bar(1000, "timing", progress) as advance:
        start = before = time.perf_counter()
        while time.perf_counter() - start < seconds:
            advance(round(1000 * (time.perf_counter() - before) / seconds))
            before = time.perf_counter()
            for name, call in contenders.items():
                turn_start = time.perf_counter()
                while True:
                    begin = time.perf_counter()
                    call()
                    end = time.perf_counter()
                    best[name] = min(best[name], end - begin)
                    if end - turn_start > turn:
                        break
    return best
