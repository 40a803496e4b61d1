"""Velocities and accelerations of every link frame and mass centre, in base axes.

Link by link from the base: a revolute joint adds e qd to the angular velocity, a prismatic one slides
along e; points of one link differ by w x r, and in acceleration by al x r + w x (w x r).
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from linkwork.mechanics.arm.chain import E3, Chain, Layout
from linkwork.mechanics.arm.kinematics import far_frames, link_frames
from linkwork.mechanics.expressions import SX, cross, times, zeros


@dataclass(frozen=True)
class LinkVelocities:
    """One row per link: twists and accelerations of its frame, linear then angular, and velocity,
    acceleration and place of its mass centre."""

    velocity: list[SX]
    acceleration: list[SX]
    center_velocity: list[SX]
    center_acceleration: list[SX]
    center: list[SX]


@dataclass(frozen=True)
class _Rigid:
    """Motion of a body, v and a those of its point at `origin`."""

    origin: SX
    w: SX
    al: SX
    v: SX
    a: SX

    def point(self, p: SX) -> tuple[SX, SX]:
        """Velocity and acceleration of the body's point at p."""
        r = p - self.origin
        return self.v + cross(self.w, r), self.a + cross(self.al, r) + cross(self.w, cross(self.w, r))


def link_velocities(chain: Chain, where: Layout, qd: SX, qdd: SX) -> LinkVelocities:
    far, own = far_frames(chain), link_frames(chain, where)
    found = LinkVelocities([], [], [], [], [])
    w, al, v, a = zeros(), zeros(), zeros(), zeros()  # of link i-1, v and a at the joint's origin
    for k, link in enumerate(chain.links):
        e = times(far[k][0:3, 0:3], E3)
        if link.revolute:
            al = al + e * qdd[k] + cross(w, e * qd[k])
            w = w + e * qd[k]
        else:  # the point of link i that is at the joint's origin of link i-1 slides along e
            v, a = v + e * qd[k], a + e * qdd[k] + 2 * cross(w, e * qd[k])
        at = _Rigid(far[k][0:3, 3], w, al, v, a)
        frame_v, frame_a = at.point(own[k][0:3, 3])
        far_R, far_p = far[k + 1][0:3, 0:3], far[k + 1][0:3, 3]
        center = times(far_R, link.rbar) + far_p
        center_v, center_a = at.point(center)
        found.velocity.append(ca.vertcat(frame_v, w))
        found.acceleration.append(ca.vertcat(frame_a, al))
        found.center_velocity.append(center_v)
        found.center_acceleration.append(center_a)
        found.center.append(center)
        v, a = at.point(far_p)
    return found
