"""Motion of the links of a leg, from the base outwards.

U = al~ + w~ w~ gives the acceleration of points of a link: A + U r. A of frame 0 is minus gravity, so
that weight needs no terms of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import casadi as ca

from linkwork.mechanics.arm.minimal.link_motion import acceleration_operator
from linkwork.mechanics.expressions import SX, cross, number, times, vector, zeros
from linkwork.mechanics.parallel.chain import Configuration
from linkwork.mechanics.parallel.mechanism import LegState


@dataclass(frozen=True)
class LinkMotion:
    """Angular velocity and acceleration, U, and A of the frame's origin, in the frame."""

    w: SX
    al: SX
    A: SX

    @property
    def U(self) -> SX:
        w, al = self.w, self.al
        rows: Any = acceleration_operator((w[0], w[1], w[2]), (al[0], al[1], al[2]))
        return SX(ca.vertcat(*[ca.horzcat(*row) for row in rows]))


STILL = LinkMotion(zeros(3), zeros(3), zeros(3))


def link_motions(
    configuration: Configuration, qd: SX, qdd: SX, base: LinkMotion = STILL
) -> list[LinkMotion]:
    """Of all links; `base` is the motion of frame 0."""
    here, result = base, []
    for k, step in enumerate(configuration.steps):
        A = configuration.out(k, here.A + times(here.U, configuration.origin(k)))
        w, al = configuration.out(k, here.w), configuration.out(k, here.al)
        if step.kind == "revolute":
            rate, push = step.sign * qd[step.joint], step.sign * qdd[step.joint]
            al = vector(al[0] + w[1] * rate, al[1] - w[0] * rate, al[2] + push)
            w = vector(w[0], w[1], w[2] + rate)
        elif step.kind == "prismatic":
            rate, push = step.sign * qd[step.joint], step.sign * qdd[step.joint]
            A = A + 2 * cross(w, vector(0, 0, rate)) + vector(0, 0, push)
        here = LinkMotion(w, al, A)
        result.append(here)
    return result


def drift_at_tip(leg: LegState, twist: SX) -> SX:
    """a_i0: acceleration of the tip while the joints do not accelerate, frame n."""
    qd = leg.K.times(leg.tip_motion(twist))
    last = link_motions(leg.configuration, qd, zeros(leg.chain.n))[-1]
    linear = last.A + times(last.U, number(leg.chain.tip.p))
    return ca.vertcat(linear, last.al) if leg.chain.leg.frame else linear
