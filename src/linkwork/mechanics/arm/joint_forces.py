"""What the drive adds at each joint: reflected rotor inertia and friction."""

from __future__ import annotations

import casadi as ca

from linkwork.mechanics.expressions import SX
from linkwork.robots.arm import ArmModel, Friction


def rotor_inertias(model: ArmModel) -> list[float]:
    """G^2 J of every joint."""
    return [joint.rotor.reflected for joint in model.joints]


def friction_torque(friction: Friction, velocity: SX, slip: SX) -> SX:
    """Torque that friction takes at this velocity; Coulomb friction by the sign of `slip`, none at 0."""
    torque = friction.viscous * velocity + friction.offset
    if not isinstance(friction.coulomb_forward, SX) and friction.symmetric:
        return torque + friction.coulomb_forward * ca.sign(slip)
    forward = ca.if_else(slip > 0, friction.coulomb_forward, 0.0)
    return torque + forward + ca.if_else(slip < 0, friction.coulomb_backward, 0.0)


def friction_torques(model: ArmModel, qd: SX, slip: SX | None = None) -> list[SX]:
    """Of all joints; they slip in the direction of their velocity unless told otherwise."""
    way = qd if slip is None else slip
    return [friction_torque(joint.friction, qd[k], way[k]) for k, joint in enumerate(model.joints)]
