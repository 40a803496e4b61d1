"""The task-space law of platforms and mechanisms as an expression."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

import casadi as ca

from linkwork.control.base import PLAIN, LawInputs
from linkwork.control.feedback import times_gain
from linkwork.mechanics.closed_chain import ClosedChain, ClosedChainPlant
from linkwork.mechanics.expressions import SX, times, zeros
from linkwork.mechanics.plant import Inputs, Plant
from linkwork.mechanics.published.dynamics import PublishedDynamics
from linkwork.mechanics.published.formulation import Formulation
from linkwork.robots.platform import PlatformModel

Chain = TypeVar("Chain", bound=ClosedChain, covariant=True)

# Efforts of an acceleration, at a position and a velocity with that of the reference, with a measured
# wrench or none.
InverseDynamics = Callable[[SX, SX, SX, SX, SX | None], SX]


def platform_law_function(
    model: PlatformModel, plant: ClosedChainPlant, formulation: Formulation, inputs: LawInputs = PLAIN
) -> ca.Function:
    """Inverse dynamics of a platform at a_ref + kv ed + kp e, exact or as published.

    Coulomb friction is taken at the reference velocity: at the measured one its sign would chatter at
    rest.
    """
    reading = formulation.reading
    if reading is None:
        return exact_law_function(plant, inputs)

    def inverse(pose: SX, twist: SX, twist_ref: SX, acceleration: SX, wrench: SX | None) -> SX:
        robot = PublishedDynamics(model, pose, reading, twist, wrench=wrench, slip=twist_ref)
        return robot.inverse(acceleration)

    return task_space_function(plant, inverse, inputs)


def exact_law_function(plant: ClosedChainPlant, inputs: LawInputs = PLAIN) -> ca.Function:
    """Exact inverse dynamics at cdd_ref + kv ed + kp e, in the robot's coordinates."""

    def inverse(c: SX, cd: SX, cd_ref: SX, cdd: SX, wrench: SX | None) -> SX:
        robot = rubbing_as(plant, ca.vertcat(c, cd), cd_ref, wrench)
        return robot.inverse(cdd) * robot.guard

    return task_space_function(plant, inverse, inputs)


class Chains(Protocol[Chain]):
    """A plant by its robot in a state."""

    @property
    def coulomb(self) -> tuple[tuple[float, float], ...]: ...
    def dynamics(self, x: SX, inputs: Inputs, slip: SX | None = None) -> Chain: ...


def rubbing_as(plant: Chains[Chain], x: SX, cd_ref: SX, wrench: SX | None) -> Chain:
    """The robot in a state, with Coulomb friction as of the reference velocity."""
    inputs = {} if wrench is None else {"wrench": wrench}
    robot = plant.dynamics(x, inputs)
    if not plant.coulomb:
        return robot
    return plant.dynamics(x, inputs, ca.sign(times(robot.friction_kinematics().jacobian, cd_ref)))


def holding_law_function(
    plant: ClosedChainPlant, gravity: bool, inputs: LawInputs = PLAIN
) -> ca.Function:
    """Efforts that hold the robot at rest and pull its coordinates with kv ed + kp e."""

    def holding(position: SX, velocity: SX, wanted: SX, pull: SX, wrench: SX | None) -> SX:
        return plant.holding_effort(position, pull, gravity)

    return task_space_function(plant, holding, inputs, feedforward=False)


def task_space_function(
    plant: Plant, inverse: InverseDynamics, inputs: LawInputs, feedforward: bool = True
) -> ca.Function:
    """The law as a function of its signals; with an integral also the error."""
    size, d = plant.position_size, plant.velocity_size
    gains = d * d if inputs.matrices else d
    sizes = {"pose": size, "twist": d, "pose_ref": size, "twist_ref": d, "acceleration_ref": d}
    sizes |= {"kp": gains, "kv": gains}
    if inputs.integral:
        sizes["integral"] = d
    if inputs.tip_wrench:
        sizes["tip_wrench"] = 6
    symbols = {name: SX.sym(name, count) for name, count in sizes.items()}
    position, velocity, position_ref, velocity_ref, acceleration_ref, kp, kv = list(symbols.values())[:7]
    error = plant.position_error(position_ref, position)
    wanted = times_gain(kv, velocity_ref - velocity) + times_gain(kp, error)
    wanted = wanted + symbols.get("integral", zeros(d))
    wanted = acceleration_ref + wanted if feedforward else wanted
    outputs = {"force": inverse(position, velocity, velocity_ref, wanted, symbols.get("tip_wrench"))}
    if inputs.integral:
        outputs["error"] = error
    return ca.Function(
        "task_space", list(symbols.values()), list(outputs.values()), list(symbols), list(outputs)
    )
