"""What is exported: methods of a robot, control laws and observers, each a kernel with named inputs and
outputs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from linkwork.control.laws import JOINTS, POSES, HoldingLaw, Law, ModelLaw, Names, law_function
from linkwork.control.observers import MomentumObserver
from linkwork.control.payload_observer import PayloadObserver
from linkwork.core.arguments import one_of, texts
from linkwork.core.errors import InputError
from linkwork.kernels import Kernel
from linkwork.robot.compiled import CallOptions, recipe_of
from linkwork.robot.robot import Robot

# What a law computes, for comments; gains on accelerations are 1/s^2 and 1/s, whatever the joint.
FORMULAS = {
    "computed_torque": "inverse dynamics at qdd_ref + kv (qd_ref - qd) + kp (q_ref - q); "
    "kp [1/s^2], kv [1/s]; friction at qd_ref",
    "gravity_compensation": "gravity load at q, + kv (qd_ref - qd) + kp (q_ref - q); "
    "kp [N m/rad], kv [N m s/rad]; [N/m], [N s/m] of slides",
    "task_space_control": "inverse dynamics at the reference acceleration + kv (error of velocity) "
    "+ kp (error of position); kp [1/s^2], kv [1/s]",
    "momentum_observer": "what acts beside the actuators, from the balance of momenta; call it at every "
    "sample with what it gave as memory_next before, zeros at first; the effort is what acted since the "
    "last sample",
    "payload_observer": "the load at the tool by recursive least squares; called as momentum_observer",
}


@dataclass(frozen=True)
class ControlLaw:
    """How the kernel of a law or observer is made, and the options of that."""

    kernel: Callable[..., Kernel]
    options: tuple[str, ...] = ()


def laws_of(robot: Robot) -> dict[str, ControlLaw]:
    """Control laws by name, of a robot with a motor for every freedom: those of joints where coordinates
    are plain numbers, that of the task space where they are not the motors'."""
    if robot.n < len(robot.velocities):
        return {}
    choice = ("formulation",) if len(robot.formulations) > 1 else ()

    def computed_torque(
        formulation: str | None = None,
        lookahead: float = 0.0,
        friction: bool = True,
        rotors: bool = True,
    ) -> Kernel:
        law = ModelLaw(lookahead, robot.chosen_formulation(formulation))
        return _kernel(robot, law, JOINTS, friction=friction, rotors=rotors)

    def gravity_compensation(formulation: str | None = None) -> Kernel:
        return _kernel(robot, HoldingLaw(formulation=robot.chosen_formulation(formulation)), JOINTS)

    def task_space_control(formulation: str | None = None) -> Kernel:
        return _kernel(robot, ModelLaw(formulation=robot.chosen_formulation(formulation)), POSES)

    found = {}
    if not robot.coordinates.quaternions:
        options = ("friction", "rotors", *choice, "lookahead")
        found["computed_torque"] = ControlLaw(computed_torque, options)
        found["gravity_compensation"] = ControlLaw(gravity_compensation, choice)
    if not robot.plant().actuated_coordinates:
        found["task_space_control"] = ControlLaw(task_space_control, choice)
    return found


def _kernel(robot: Robot, law: Law, names: Names, friction: bool = True, rotors: bool = True) -> Kernel:
    plant, shapes = robot.plant(friction=friction, rotors=rotors), ((robot.n,),)
    ingredients = ("exported law", plant, law, names)
    return Kernel.from_recipe(
        recipe_of(ingredients, lambda: (law_function(plant, robot.model, law, names=names), shapes))
    )


def observers_of(robot: Robot) -> dict[str, ControlLaw]:
    """Observers by name."""

    def momentum_observer(
        order: float = 1, moments: bool = True, friction: bool = True, rotors: bool = True
    ) -> Kernel:
        if not float(order).is_integer():
            raise InputError(f"order = {order!r}: expected an integer.")
        parts = {"moments": moments, "friction": friction, "rotors": rotors}
        return MomentumObserver(robot, order=int(order), **parts).kernel

    def payload_observer(gain_error: float = 0.0, friction: bool = True, rotors: bool = True) -> Kernel:
        return PayloadObserver(robot, gain_error=gain_error, friction=friction, rotors=rotors).kernel

    parts = ("friction", "rotors")
    return {
        "momentum_observer": ControlLaw(momentum_observer, ("order", "moments", *parts)),
        "payload_observer": ControlLaw(payload_observer, ("gain_error", *parts)),
    }


def blocks_of(robot: Robot) -> dict[str, ControlLaw]:
    """Control laws and observers by name."""
    return {**laws_of(robot), **observers_of(robot)}


DEFAULT_METHODS = ("inverse_dynamics", "forward_dynamics", "gravity_load")


@dataclass(frozen=True)
class Routine:
    """A method, a control law or an observer under its name, compiled."""

    name: str
    kernel: Kernel


def routine_names(robot: Robot) -> tuple[str, ...]:
    """Everything of a robot that can be exported."""
    return (*robot.kernel_methods, *blocks_of(robot))


def routines_of(robot: Robot, methods: Sequence[str], options: CallOptions) -> tuple[Routine, ...]:
    """Kernels of methods, laws and observers; an option goes to each of them that knows it.

    Args:
        options: as `robot.kernel` takes them, such as friction=False or gravity="input".
    """
    what = f"a list of names, such as {DEFAULT_METHODS}"
    if not texts(methods, "methods", what):
        raise InputError(f"methods = {methods!r}: expected {what}.")
    blocks = blocks_of(robot)
    names = routine_names(robot)
    known = {
        name: blocks[name].options if name in blocks else robot.kernel_options(name)
        for name in dict.fromkeys(one_of(method, names, f"method of {robot.name}") for method in methods)
    }
    every = sorted({option for allowed in known.values() for option in allowed})
    for option in options:
        one_of(option, every, f"option of {', '.join(known)}")
    found = []
    for name, allowed in known.items():
        chosen = {key: value for key, value in options.items() if key in allowed}
        kernel = blocks[name].kernel(**chosen) if name in blocks else robot.kernel(name, **chosen)
        found.append(Routine(name, kernel))
    return tuple(found)
