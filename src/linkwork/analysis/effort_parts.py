"""What the effort of a motion is for: the library evaluated with parts of the motion switched off."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from linkwork.interface.arm import Arm
from linkwork.interface.platform import Platform
from linkwork.interface.robot import Array


def effort_parts(
    robot: Arm | Platform,
    position: Array,
    velocity: Array,
    acceleration: Array,
    wrench: ArrayLike | None = None,
) -> dict[str, Array]:
    """Joint torques or leg forces (..., n) by cause; their sum is the effort of the whole motion.

    Causes that the robot does not have (rotors, friction) or that are not given (the wrench) are left
    out. For an arm `wrench` is the tip wrench.
    """
    state = (position, velocity, acceleration)
    parts = _arm_parts(robot, *state) if isinstance(robot, Arm) else _platform_parts(robot, *state)
    if wrench is not None:
        without = robot.inverse_dynamics(*state)
        if isinstance(robot, Arm):
            parts["tip wrench"] = robot.inverse_dynamics(*state, tip_wrench=wrench) - without
        else:
            parts["external wrench"] = robot.inverse_dynamics(*state, wrench) - without
    return parts


def _arm_parts(arm: Arm, q: Array, qd: Array, qdd: Array) -> dict[str, Array]:
    still = np.zeros(arm.n)

    def rigid(rate: Array, acceleration: Array) -> Array:
        return arm.inverse_dynamics(q, rate, acceleration, friction=False, rotors=False)

    gravity = rigid(still, still)
    parts = {
        "gravity": gravity,
        "inertia": rigid(still, qdd) - gravity,
        "Coriolis and centrifugal": rigid(qd, still) - gravity,
    }
    geared = arm.inverse_dynamics(q, qd, qdd, friction=False)
    if any(joint.rotor.reflected for joint in arm.model.joints):
        parts["rotors"] = geared - rigid(qd, qdd)
    friction = [joint.friction for joint in arm.model.joints]
    if any(
        (part.viscous, part.coulomb_forward, part.coulomb_backward) != (0, 0, 0) for part in friction
    ):
        parts["friction"] = arm.inverse_dynamics(q, qd, qdd) - geared
    return parts


def _platform_parts(
    platform: Platform, pose: Array, twist: Array, acceleration: Array
) -> dict[str, Array]:
    still = np.zeros(6)
    moving = platform.force_parts(pose, twist, acceleration)
    weight = platform.force_parts(pose, still, still)
    parts = {
        "weight of the platform": weight.massless,
        "inertia of the platform": moving.massless - weight.massless,
        "weight of the legs": weight.leg_inertia,
        "inertia of the legs": moving.leg_inertia - weight.leg_inertia,
    }
    friction = [leg.friction for leg in platform.model.legs]
    if any((part.universal, part.prismatic, part.spherical) != (0, 0, 0) for part in friction):
        parts["friction"] = moving.friction
    return parts
