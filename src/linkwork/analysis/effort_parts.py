"""What the effort of a motion is for: each cause computed on its own, so that their sum is a check."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkwork.interface.arm import Arm
from linkwork.interface.platform import Platform
from linkwork.interface.robot import Array, Mechanism, Robot
from linkwork.robots.mechanism_elements import tool_frame
from linkwork.rotations import rotation_of


@singledispatch
def effort_parts(
    robot: Robot,
    position: Array,
    velocity: Array,
    acceleration: Array,
    wrench: ArrayLike | None = None,
) -> dict[str, Array]:
    """Joint torques or leg forces (..., n) by cause; their sum is the effort of the whole motion.

    Causes that the robot does not have (rotors, friction) or that are not given (the wrench) are left
    out. For an arm `wrench` is the tip wrench.
    """
    still = np.zeros(len(robot.velocities))
    held = robot.gravity_load(position)
    moving = robot.inverse_dynamics(position, velocity, acceleration)
    steady = robot.inverse_dynamics(position, velocity, still)
    parts = {"gravity": held, "inertia": moving - steady, "velocity": steady - held}
    if wrench is not None:
        options: dict[str, Any] = {robot.wrench_option: wrench}
        parts["external wrench"] = (
            robot.inverse_dynamics(position, velocity, acceleration, **options) - moving
        )
    return parts


@effort_parts.register
def _arm(
    robot: Arm,
    position: Array,
    velocity: Array,
    acceleration: Array,
    wrench: ArrayLike | None = None,
) -> dict[str, Array]:
    joints = robot.model.joints
    gravity, bias = robot.gravity_load(position), robot.bias(position, velocity)
    mass = robot.mass_matrix(position, rotors=False)
    parts = {
        "gravity": gravity,
        "inertia": np.einsum("...ij,...j->...i", mass, acceleration),
        "Coriolis and centrifugal": bias - gravity,
    }
    if any(joint.rotor.reflected for joint in joints):
        parts["rotors"] = np.array([joint.rotor.reflected for joint in joints]) * acceleration
    if any(vars(joint.friction) != vars(type(joint.friction)()) for joint in joints):
        parts["friction"] = robot.bias(position, velocity, friction=True) - bias
    if wrench is not None:
        parts["tip wrench"] = _joint_efforts(robot, position, np.asarray(wrench, dtype=np.float64))
    return parts


def _joint_efforts(arm: Arm, q: Array, wrench: Array) -> Array:
    """J' of a wrench given in the tip's axes."""
    R = arm.forward_kinematics(q)[..., :3, :3]
    turned = np.einsum("...ij,...kj->...ki", R, wrench.reshape(*wrench.shape[:-1], 2, 3))
    return np.einsum("...ji,...j->...i", arm.jacobian(q), turned.reshape(*turned.shape[:-2], 6))


@effort_parts.register
def _platform(
    robot: Platform,
    position: Array,
    velocity: Array,
    acceleration: Array,
    wrench: ArrayLike | None = None,
) -> dict[str, Array]:
    still = np.zeros(6)
    moving = robot.force_parts(position, velocity, acceleration)
    weight = robot.force_parts(position, still, still)
    parts = {
        "weight of the platform": weight.massless,
        "inertia of the platform": moving.massless - weight.massless,
        "weight of the legs": weight.leg_inertia,
        "inertia of the legs": moving.leg_inertia - weight.leg_inertia,
    }
    if any(any(vars(leg.friction).values()) for leg in robot.model.legs):
        parts["friction"] = moving.friction
    if wrench is not None:
        parts["external wrench"] = _leg_forces(robot, position, np.asarray(wrench, dtype=np.float64))
    return parts


@effort_parts.register
def _mechanism(
    robot: Mechanism,
    position: Array,
    velocity: Array,
    acceleration: Array,
    wrench: ArrayLike | None = None,
) -> dict[str, Array]:
    """Springs, rotors and friction only where the robot has them: elsewhere they are exactly zero."""
    still, tool = np.zeros(robot.freedoms), tool_frame(robot.mechanism)[0]
    moving = robot.effort_parts(position, velocity, acceleration)
    weight = robot.effort_parts(position, still, still)
    parts = {
        f"weight of the {tool}": weight.tool,
        f"inertia of the {tool}": moving.tool - weight.tool,
        "weight of other bodies": weight.bodies,
        "inertia of other bodies": moving.bodies - weight.bodies,
    }
    for name in ("springs", "rotors", "friction"):
        if getattr(moving, name).any():
            parts[name] = getattr(moving, name)
    if wrench is not None:
        loaded = robot.effort_parts(position, velocity, acceleration, wrench)
        parts["external wrench"] = loaded.tool - moving.tool
    return parts


def _leg_forces(platform: Platform, pose: Array, wrench: Array) -> Array:
    """Forces that hold a wrench on the platform, given in its axes: J' F = -wrench."""
    turned = np.einsum("...ij,...kj->...ki", rotation_of(pose), wrench.reshape(*wrench.shape[:-1], 2, 3))
    J = platform.jacobian(pose)
    pulled = -turned.reshape(*turned.shape[:-2], 6)
    return np.linalg.solve(np.swapaxes(J, -1, -2), pulled[..., None])[..., 0]
