"""How every body of a platform moves: lower and upper parts of the legs, then the platform."""

from __future__ import annotations

from dataclasses import dataclass

from linkwork.mechanics.expressions import SX, cross, number, times
from linkwork.mechanics.platform import legs
from linkwork.mechanics.platform.exact import State


@dataclass(frozen=True)
class BodyMotion:
    """One body in base axes: c, c', c'' of its mass centre, w and w'."""

    center: SX
    center_velocity: SX
    center_acceleration: SX
    angular_velocity: SX
    angular_acceleration: SX


def _turning(origin: SX, r: SX, v: SX, a: SX, w: SX, al: SX) -> BodyMotion:
    """A body turning with w and al, its mass centre at r from a point that moves with v and a."""
    swept = cross(w, r)
    return BodyMotion(origin + r, v + swept, a + cross(al, r) + cross(w, swept), w, al)


def body_motions(state: State, acceleration: SX) -> list[BodyMotion]:
    """Lower parts of all legs, upper parts of all legs, the platform."""
    lower, upper = [], []
    W, al = state.twist[3:6], acceleration[3:6]
    for at in state.legs:
        rate = legs.rates(at, state.twist)
        motion = legs.accelerations(at, rate, state.twist, acceleration)
        base = number(at.leg.base_point)
        w, A = times(at.T, rate.w), times(at.T, motion.A)
        r_d, r_u = (times(at.T, number(part.center_of_mass)) for part in (at.leg.lower, at.leg.upper))
        lower.append(_turning(base, r_d, SX(3, 1), SX(3, 1), w, A))
        velocity = state.twist[0:3] + cross(W, at.q)
        tip = acceleration[0:3] + cross(al, at.q) + cross(W, cross(W, at.q))
        upper.append(_turning(base + at.S, r_u, velocity, tip, w, A))
    first = state.legs[0]
    position = number(first.leg.base_point) + first.S - first.q
    Rc = times(state.R, number(state.model.platform.center_of_mass))
    platform = _turning(position, Rc, state.twist[0:3], acceleration[0:3], W, al)
    return [*lower, *upper, platform]
