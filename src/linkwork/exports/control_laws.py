"""Control laws of a robot as kernels, with the gains among their inputs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from linkwork.control.laws import JOINTS, POSES, HoldingLaw, Law, ModelLaw, Names, law_function
from linkwork.interface.robot import Robot
from linkwork.kernels import Kernel, Recipe

# What a law computes, for comments; gains on accelerations are 1/s^2 and 1/s, whatever the joint.
FORMULAS = {
    "computed_torque": "inverse dynamics at qdd_ref + kv (qd_ref - qd) + kp (q_ref - q); "
    "kp [1/s^2], kv [1/s]; friction at qd_ref",
    "gravity_compensation": "gravity load at q, + kv (qd_ref - qd) + kp (q_ref - q); "
    "kp [N m/rad], kv [N m s/rad]; [N/m], [N s/m] of slides",
    "task_space_control": "inverse dynamics at the reference acceleration + kv (error of velocity) "
    "+ kp (error of position); kp [1/s^2], kv [1/s]",
}


@dataclass(frozen=True)
class ControlLaw:
    """How the kernel of a law is made, and the options of that."""

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


def _kernel(robot: Robot, law: Law, names: Names, **parts: Any) -> Kernel:
    plant, shapes = robot.plant(**parts), ((robot.n,),)
    ingredients = ("exported law", plant, law, names)
    return Kernel.from_recipe(
        Recipe(ingredients, lambda: (law_function(plant, robot.model, law, names=names), shapes))
    )
