"""Controllers by the options of the command line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from linkwork.cli.arguments import numbers_of
from linkwork.errors import InputError

if TYPE_CHECKING:
    from linkwork.interface.robot import Robot
    from linkwork.motion.bundled import Motion

FOLLOWING = ("computed-torque", "adaptive", "gravity-compensation", "task-space")
FOR_ALL = ("constant", "none")
CONTROLLERS = (*FOLLOWING, *FOR_ALL)


@dataclass(frozen=True)
class ControllerOptions:
    """What the command line says of the controller; None is not said."""

    name: str | None = None
    kp: str | None = None
    kv: str | None = None
    period: float | None = None
    effort: str | None = None
    lookahead: float = 0.0


def controller_of(robot: Robot, motion: Motion | None, options: ControllerOptions) -> Any:
    """A controller, a function, or None for no effort."""
    from linkwork.names import one_of

    of_joints = robot.coordinates.names == robot.efforts.names
    name = options.name or _usual(of_joints, motion, options)
    other = "computed-torque" if robot.coordinates.quaternions else None
    if robot.plant().actuated_coordinates:
        other = "task-space"
    own = tuple(each for each in FOLLOWING if each != other)
    one_of(name, CONTROLLERS, "controller")
    one_of(name, (*own, *FOR_ALL), f"controller of {robot.name}")
    if name != "constant" and options.effort is not None:
        raise InputError("--effort goes with --controller constant.")
    if name in FOR_ALL:
        return _without_motion(robot, motion, name, options)
    if motion is None:
        raise InputError(f"--controller {name} follows a motion; give --motion (linkwork motions).")
    return _following(robot, motion, name, options)


def _usual(of_joints: bool, motion: Motion | None, options: ControllerOptions) -> str:
    if motion is None:
        return "none" if options.effort is None else "constant"
    return "computed-torque" if of_joints else "task-space"


def _without_motion(robot: Robot, motion: Motion | None, name: str, options: ControllerOptions) -> Any:
    if motion is not None:
        raise InputError(f"--controller {name} follows no motion; leave --motion out.")
    for option in ("kp", "kv", "period"):
        if getattr(options, option) is not None:
            raise InputError(f"--controller {name} takes no --{option}.")
    if name == "none":
        return None
    if options.effort is None:
        raise InputError("--controller constant needs --effort, one number per joint or leg.")
    effort = numbers_of(options.effort, "--effort", robot.n)
    return lambda time, state: effort


def _following(robot: Any, motion: Motion, name: str, options: ControllerOptions) -> Any:
    from linkwork import control

    given: dict[str, Any] = {}
    for option in ("kp", "kv"):
        text = getattr(options, option)
        if text is not None:
            gains = numbers_of(text, f"--{option}")
            given[option] = gains if len(gains) > 1 else float(gains[0])
    if options.period is not None:
        given["period"] = options.period or None
    missing = [f"--{option}" for option in ("kp", "kv") if option not in given]
    if name == "gravity-compensation" and missing:
        raise InputError(f"--controller {name} needs {' and '.join(missing)} [N m/rad, N m s/rad].")
    if name == "task-space":
        return control.TaskSpaceControl(robot, motion, **given)
    if name == "computed-torque":
        return control.ComputedTorque(robot, motion, **given, lookahead=options.lookahead)
    of_joints = robot.plant().actuated_coordinates
    if name == "gravity-compensation":
        law = control.GravityCompensation if of_joints else control.TaskSpacePD
        return law(robot, motion, **given)
    if options.period == 0:
        raise InputError("--controller adaptive learns between samples; --period must be above 0.")
    learning: Any = control.AdaptiveComputedTorque if of_joints else control.AdaptiveTaskSpaceControl
    return learning(robot, motion, **given)
