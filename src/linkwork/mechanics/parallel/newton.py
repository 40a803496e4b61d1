"""Inverse kinematics of any leg by Newton's method from its joints at home.

Revolute joints turn by Cayley's form of a rotation, which keeps cos^2 + sin^2 = 1, converges
quadratically and bounds a step below half a turn.
"""

from __future__ import annotations

import casadi as ca

from linkwork.mechanics.expressions import SX, number, times, vector
from linkwork.mechanics.parallel.chain import Chain, Configuration, Place
from linkwork.mechanics.parallel.left_inverse import left_inverse

STEPS = 6


def in_frame0(chain: Chain, point: SX) -> SX:
    """A point of the base in frame 0."""
    return times(number(chain.base.R.T), point - number(chain.base.p))


def closure_error(configuration: Configuration, position: SX, R: SX) -> SX:
    """How far the platform is from the leg's tip, frame n; of a frame, the turn as a vector too."""
    chain = configuration.chain
    if not chain.leg.frame:
        target = in_frame0(chain, position + times(R, number(chain.platform_point)))
        return configuration.to_tip(target - configuration.tip_point())
    linear = configuration.to_tip(in_frame0(chain, position) - configuration.tip_point())
    axes = ca.horzcat(*[configuration.from_base(R[:, k]) for k in range(3)])
    turn = times(axes, number(chain.tip.R.T))
    vee = vector(turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1])
    return ca.vertcat(linear, vee / 2)


def moved(configuration: Configuration, dq: SX) -> Configuration:
    """The joints after a step dq."""
    place = configuration.place
    turns, heights = list(place.turns), list(place.heights)
    for k, step in enumerate(configuration.steps):
        if step.kind == "revolute":
            c, s = turns[k]
            half = step.sign * dq[step.joint] / 2
            inverse = 1 / (1 + half * half)
            cosine, sine = (1 - half * half) * inverse, 2 * half * inverse
            turns[k] = (c * cosine - s * sine, s * cosine + c * sine)
        elif step.kind == "prismatic":
            heights[k] = heights[k] + step.sign * dq[step.joint]
    return Configuration(configuration.chain, Place(tuple(turns), tuple(heights)))


def newton(start: Configuration, position: SX, R: SX, steps: int = STEPS) -> Configuration:
    here = start
    for _ in range(steps):
        error = closure_error(here, position, R)
        here = moved(here, left_inverse(here.columns()).times(error))
    return here
