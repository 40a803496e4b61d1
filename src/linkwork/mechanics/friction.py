"""Friction of joints and cylinders: what it takes of an effort, as an expression."""

from __future__ import annotations

import casadi as ca

from linkwork.mechanics.expressions import SX
from linkwork.model.geometry import vanishes
from linkwork.model.joint import Friction

LINEAR = 1e-3  # [rad/s or m/s] below, viscous friction of any power grows linearly


def friction_effort(friction: Friction, velocity: SX, slip: SX | None = None) -> SX:
    """Effort that friction takes at this velocity.

    Coulomb friction acts by the sign of `slip`, the velocity if None; where that is 0 it takes nothing.
    """
    direction = velocity if slip is None else slip
    effort = friction.viscous * viscous_shape(friction, velocity) + friction.offset
    if not vanishes(friction.stribeck):
        effort = effort + friction.stribeck * stribeck_shape(friction, velocity, direction)
    if friction.symmetric:
        return effort + friction.coulomb_forward * ca.sign(direction)
    forward = ca.if_else(direction > 0, friction.coulomb_forward, 0.0)
    return effort + forward + ca.if_else(direction < 0, friction.coulomb_backward, 0.0)


def carried_effort(shares: SX, effort: SX) -> SX:
    """What joints carry, of efforts without their other friction.

    effort = carried + share |carried|, where a share has the sign of the velocity and is 0 at rest.
    """
    return effort / (1 + shares * ca.sign(effort))


def held_by_others(shares: SX, effort: SX, hold: SX) -> SX:
    """Of friction that holds joints at rest, what friction under load leaves to Coulomb friction.

    Args:
        shares: of what joints carry, as magnitudes.
        effort: without other friction, of which `hold` is taken.
    """
    under_load = shares * ca.fabs(effort - hold)
    return ca.sign(hold) * ca.fmax(ca.fabs(hold) - under_load, 0)


def viscous_shape(friction: Friction, velocity: SX) -> SX:
    """What viscous friction is a multiple of: the velocity, or a power of it that is smooth at rest."""
    power = friction.viscous_power
    return velocity if power == 1 else velocity * (velocity**2 + LINEAR**2) ** ((power - 1) / 2)


def stribeck_shape(friction: Friction, velocity: SX, direction: SX) -> SX:
    """What Stribeck friction is a multiple of."""
    return ca.sign(direction) * ca.exp(-((velocity / friction.stribeck_velocity) ** 2))


def friction_columns(friction: Friction, velocity: SX) -> list[SX]:
    """What viscous, Coulomb (forward and backward) and constant friction are multiples of."""
    return [viscous_shape(friction, velocity), velocity > 0, velocity < 0, SX(1)]
