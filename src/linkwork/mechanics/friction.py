"""Friction of joints and cylinders: what it takes of an effort, as an expression."""

from __future__ import annotations

import casadi as ca

from linkwork.mechanics.expressions import SX
from linkwork.model.joint import Friction


def friction_effort(friction: Friction, velocity: SX, slip: SX | None = None) -> SX:
    """Effort that friction takes at this velocity.

    Coulomb friction acts by the sign of `slip`, the velocity if None; where that is 0 it takes nothing.
    """
    direction = velocity if slip is None else slip
    effort = friction.viscous * velocity + friction.offset
    if friction.symmetric:
        return effort + friction.coulomb_forward * ca.sign(direction)
    forward = ca.if_else(direction > 0, friction.coulomb_forward, 0.0)
    return effort + forward + ca.if_else(direction < 0, friction.coulomb_backward, 0.0)
