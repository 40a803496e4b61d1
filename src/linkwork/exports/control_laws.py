"""Control laws of a robot as kernels, with the gains among their inputs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial, singledispatch

import casadi as ca

from linkwork.control.laws import ComputedTorqueLaw, GravityLaw, Law, law_function
from linkwork.control.platform_law import exact_law_function, platform_law_function
from linkwork.interface.arm import Arm
from linkwork.interface.platform import Platform
from linkwork.interface.platform_options import EXACT
from linkwork.interface.robot import Robot
from linkwork.kernels import Kernel, Recipe
from linkwork.mechanics.arm.formulations import NAMES
from linkwork.mechanics.closed_chain import ClosedChainPlant
from linkwork.mechanics.published.formulation import Formulation
from linkwork.names import one_of

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


@singledispatch
def laws_of(robot: Robot) -> dict[str, ControlLaw]:
    """Control laws by name: of any mechanism with a motor for every freedom."""
    plant = robot.plant()
    if not isinstance(plant, ClosedChainPlant) or plant.effort_size < plant.velocity_size:
        return {}

    def kernel() -> Kernel:
        ingredients = ("task space", robot.model, Formulation(EXACT))
        return _kernel(robot, ingredients, lambda: exact_law_function(plant))

    return {"task_space_control": ControlLaw(kernel)}


@laws_of.register
def _(robot: Arm) -> dict[str, ControlLaw]:
    def kernel(make: Callable[..., Law], **options: object) -> Kernel:
        formulation = options.get("formulation")
        if formulation is not None:
            one_of(str(formulation), NAMES, "formulation")
        law = make(**options)
        return _kernel(robot, ("law", robot.model, law), lambda: law_function(robot.model, law))

    return {
        "computed_torque": ControlLaw(
            partial(kernel, ComputedTorqueLaw), ("friction", "rotors", "formulation", "lookahead")
        ),
        "gravity_compensation": ControlLaw(partial(kernel, GravityLaw), ("formulation",)),
    }


@laws_of.register
def _(robot: Platform) -> dict[str, ControlLaw]:
    def kernel(formulation: str = EXACT) -> Kernel:
        model = Formulation(one_of(formulation, robot.formulations, "formulation"))
        ingredients = ("task space", robot.model, model)
        return _kernel(
            robot, ingredients, lambda: platform_law_function(robot.model, robot.plant(), model)
        )

    return {"task_space_control": ControlLaw(kernel, ("formulation",))}


def _kernel(robot: Robot, ingredients: tuple[object, ...], trace: Callable[[], ca.Function]) -> Kernel:
    """By the same ingredients as the controllers', so that both share one kernel."""
    return Kernel.from_recipe(Recipe(ingredients, lambda: (trace(), ((robot.n,),))))
