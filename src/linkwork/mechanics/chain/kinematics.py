"""Where the links of an arm are, how they and the tip move, and their energy."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from linkwork.mechanics.bodies import CompositeBody
from linkwork.mechanics.chain.chain import E3, Chain, ChainLayout
from linkwork.mechanics.expressions import SX, cross, dot, number, times, zeros
from linkwork.model.geometry import Transform


def _homogeneous(R: SX, p: SX) -> SX:
    return ca.vertcat(ca.horzcat(R, p), SX(ca.DM([[0, 0, 0, 1]])))


def _undone(transform: Transform) -> SX:
    """The matrix of the inverse; distances may be expressions."""
    if not isinstance(transform.p, SX):
        return SX(ca.DM(transform.inverse().matrix()))
    back = number(transform.R.T)
    return _homogeneous(back, -times(back, transform.p))


def far_frames(chain: Chain) -> list[SX]:
    """Frame 0, then frame i of every link, in the base: 4 x 4."""
    frames = [_homogeneous(chain.base_R, chain.base_p)]
    for link in chain.links:
        R = link.rotation.matrix
        frames.append(times(frames[-1], _homogeneous(R, times(R, link.r))))
    return frames


def link_frames(chain: Chain, where: ChainLayout) -> list[SX]:
    """The link frames of the robot's own description, in the base: 4 x 4."""
    far = far_frames(chain)[1:]
    return [times(frame, _undone(end)) for frame, end in zip(far, where.far_ends, strict=True)]


def frame_jacobian(chain: Chain, origin: SX, frame: int) -> SX:
    """Linear, then angular velocity of link frame `frame`, at `origin`, per joint velocity: 6 x n."""
    columns = []
    for k, (link, far) in enumerate(zip(chain.links, far_frames(chain), strict=False)):
        e, o = times(far[0:3, 0:3], E3), far[0:3, 3]
        if k > frame:
            columns.append(zeros(6))
        elif link.revolute:
            columns.append(ca.vertcat(cross(e, origin - o), e))
        else:
            columns.append(ca.vertcat(e, zeros()))
    return ca.horzcat(*columns)


def jacobian(chain: Chain, where: ChainLayout, frame: int) -> SX:
    """Twist of link frame `frame` per joint velocity, base axes."""
    return frame_jacobian(chain, link_frames(chain, where)[frame][0:3, 3], frame)


def energies(chain: Chain, gravity: SX, qd: SX, load: CompositeBody | None = None) -> tuple[SX, SX]:
    """Kinetic energy of the links, and potential energy - sum m g.c with zero at the base.

    A load in frame n is counted with them.
    """
    kinetic, potential = SX(0), SX(0)
    w, v = zeros(), zeros()  # of link i-1, v at O_{i-1}
    frames = far_frames(chain)[1:]
    for k, (link, frame) in enumerate(zip(chain.links, frames, strict=True)):
        to_child = link.rotation.to_child
        if link.revolute:
            w, v = to_child(w + qd[k] * E3), to_child(v)
        else:
            w, v = to_child(w), to_child(v + qd[k] * E3)
        v = v + cross(w, link.r)
        velocity = v + cross(w, link.rbar)
        kinetic += (link.m * dot(velocity, velocity) + dot(w, times(link.I, w))) / 2
        center = times(frame[0:3, 0:3], link.rbar) + frame[0:3, 3]
        potential -= link.m * dot(gravity, center)
    if load is not None:
        kinetic += (load.m * dot(v, v) + dot(w, times(load.J, w))) / 2 + dot(v, cross(w, load.h))
        tip = frames[-1]
        potential -= dot(gravity, load.m * tip[0:3, 3] + times(tip[0:3, 0:3], load.h))
    return kinetic, potential


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


def link_velocities(chain: Chain, where: ChainLayout, qd: SX, qdd: SX) -> dict[str, list[SX]]:
    """One entry per link: twists and accelerations of its frame, linear then angular, and velocity,
    acceleration and place of its center of mass, base axes.

    Link by link from the base: a revolute joint adds e qd to the angular velocity, a prismatic one
    slides along e; points of one link differ by w x r, and in acceleration by al x r + w x (w x r).
    """
    far, own = far_frames(chain), link_frames(chain, where)
    names = ("velocity", "acceleration", "center_velocity", "center_acceleration", "center")
    found: dict[str, list[SX]] = {name: [] for name in names}
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
        moving = (ca.vertcat(frame_v, w), ca.vertcat(frame_a, al), center_v, center_a, center)
        for name, value in zip(names, moving, strict=True):
            found[name].append(value)
        v, a = at.point(far_p)
    return found
