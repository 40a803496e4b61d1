"""How long a state takes: ours beside the engines that happen to be installed, in turns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from linkwork.analysis.timing import side_by_side
from linkwork.interface.arm import Arm
from linkwork.interface.robot import Array, Robot
from linkwork.kernels.threads import set_threads
from linkwork.robots.arm import ArmModel
from linkwork.robots.urdf_writer import urdf_text

Call = Callable[[], object]
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
    if isinstance(robot, Arm):  # the engines read a URDF, which only arms can be written as here
        _add_peers(jobs, robot, motion, threads, missing)
    else:
        missing.append("no engine that is compared with knows closed chains from a robot file.")
    set_threads(threads)
    try:
        return _per_state(jobs, seconds, progress), missing
    finally:
        set_threads(None)


def _own_jobs(robot: Robot, states: int) -> tuple[Motion, Jobs]:
    """Rigid dynamics, without friction and rotors, at random states that are within reach."""
    known = robot.kernel_options("inverse_dynamics")
    rigid: dict[str, Any] = {name: False for name in ("friction", "rotors") if name in known}
    drawn = robot.random_motion(states)
    reached = np.isfinite(robot.inverse_dynamics(*drawn, errors="nan")).all(axis=-1)
    position, velocity, x = (np.asarray(np.resize(part[reached], part.shape)) for part in drawn)
    tau = robot.inverse_dynamics(position, velocity, x, **rigid)
    jobs: dict[str, Call] = {
        "inverse dynamics": lambda: robot.inverse_dynamics(position, velocity, x, **rigid),
        "forward dynamics": lambda: robot.forward_dynamics(position, velocity, tau, **rigid),
    }
    found = {what: {"linkwork": (call, states)} for what, call in jobs.items()}
    return (position, velocity, x), found


def _add_peers(jobs: Jobs, arm: Arm, motion: Motion, threads: int, missing: list[str]) -> None:
    for name, add in (("pinocchio", _add_pinocchio), ("mujoco", _add_mujoco)):
        try:
            add(jobs, arm.model, motion, threads)
        except ImportError:
            missing.append(f"{name} is not installed (pip install 'linkwork[peers]').")
        except (ValueError, RuntimeError) as error:
            missing.append(f"{name} does not take {arm.name}: {str(error).strip().splitlines()[0]}")


def _add_pinocchio(
    jobs: Jobs,
    model: ArmModel,
    state: tuple[Array, Array, Array],
    threads: int,
) -> None:
    import pinocchio as pin

    engine = pin.buildModelFromXML(urdf_text(_bounded(model))[0])
    engine.gravity.linear = np.array(model.gravity)
    data = engine.createData()
    few = [part[:FEW] for part in state]

    def loop(function: Any) -> Call:
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


def _bounded(model: ArmModel) -> ArmModel:
    """The arm with limits everywhere: a joint without them has two numbers in Pinocchio."""
    joints = []
    for joint in model.joints:
        position = joint.limits.position or (-np.pi, np.pi)
        joints.append(replace(joint, limits=replace(joint.limits, position=position)))
    return replace(model, joints=tuple(joints))


def _add_mujoco(
    jobs: Jobs,
    model: ArmModel,
    state: tuple[Array, Array, Array],
    threads: int,
) -> None:
    import mujoco

    extension = '<mujoco><compiler balanceinertia="true" boundmass="1e-9" boundinertia="1e-9"/></mujoco>'
    text = urdf_text(_bounded(model))[0].replace("</robot>", f"{extension}</robot>")
    engine = mujoco.MjModel.from_xml_string(text)
    engine.opt.gravity[:] = model.gravity
    engine.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
    data = mujoco.MjData(engine)
    few = [part[:FEW] for part in state]

    def loop(function: Any, target: Array) -> Call:
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
