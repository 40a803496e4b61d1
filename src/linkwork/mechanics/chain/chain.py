"""A serial arm the way the papers draw it.

Joint i acts about or along z_{i-1}, an axis fixed in link i-1; frame i is fixed in link i at its far
end, with z_i along the next joint. Denavit-Hartenberg frames are the special case that the papers
use; here the step from the moved joint to frame i is any fixed transform, so arms of every origin fit.

Symbols as in Turney (T) and Lee (L): the rotation R_{i-1}^i takes frame i components to frame i-1;
r_i runs from O_{i-1} to O_i and rbar_i from O_i to the center of mass; all in frame i.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import casadi as ca
import numpy as np

from linkwork.core.rotations import cosine_sine
from linkwork.mechanics.expressions import SX, cross, dot, number, times, vector, zeros
from linkwork.model.families.arm import ArmModel, Joint
from linkwork.model.geometry import Array, Body, Transform

E3 = SX(ca.DM([0, 0, 1]))


@dataclass(frozen=True)
class Link:
    """One link with its joint; numbers and expressions of q."""

    revolute: bool
    rotation: JointRotation
    turn: JointTurn
    z: SX  # z_{i-1} in frame i
    m: SX
    r: SX  # O_{i-1} to O_i; of a prismatic joint it contains q
    rbar: SX  # O_i to the center of mass
    s: SX  # O_{i-1} to the center of mass
    rho: SX  # s at q = 0
    ms: SX  # m s
    I: SX  # noqa: E741  (inertia about the center of mass)
    K: SX  # tr(I)/2 E - I

    def along_axis(self, f: SX, n: SX) -> SX:
        """What the actuator feels of a force and moment in frame i at O_{i-1}: T (3.21)."""
        return dot(self.z, n if self.revolute else f)

    def moved(self, w: SX, al: SX, a: SX, qd: SX, qdd: SX) -> tuple[SX, SX, SX]:
        """Angular velocity and acceleration of link i, and b: what link i-1 passes on of a.

        T (3.15), (3.16); L (3.21), (3.22). The arguments are those of link i-1, in frame i-1.
        """
        to_child = self.rotation.to_child
        if self.revolute:
            turn = qd * w[0:2]
            spin = vector(turn[1], -turn[0], qdd)  # w x z qd + z qdd
            return to_child(w + vector(0, 0, qd)), to_child(al + spin), to_child(a)
        turn = 2 * qd * w[0:2]
        slide = vector(turn[1], -turn[0], qdd)  # 2 w x z qd + z qdd
        return to_child(w), to_child(al), to_child(a + slide)


@dataclass(frozen=True)
class JointTurn:
    """R_{i-1}^i in two factors: the joint's turn about z (c, s), then a fixed rotation C."""

    c: SX
    s: SX
    C: SX


@dataclass(frozen=True)
class Chain:
    """Links, and what acts at both ends: base motion in frame 0, tip wrench in frame n at O_n."""

    links: tuple[Link, ...]
    w0: SX
    al0: SX
    a0: SX  # acceleration of O_0 minus gravity
    f_tip: SX
    n_tip: SX
    base_R: SX  # frame 0 in the base
    base_p: SX


class JointRotation(Protocol):
    """Takes components between frame i-1 (the parent's) and frame i (the child's)."""

    @property
    def matrix(self) -> SX: ...
    def to_child(self, v: SX) -> SX: ...
    def to_parent(self, v: SX) -> SX: ...


@dataclass(frozen=True)
class DenseRotation:
    """By the nine elements: 9 multiplications and 6 additions if none is 0 or 1."""

    matrix: SX

    def to_child(self, v: SX) -> SX:
        return times(self.matrix.T, v)

    def to_parent(self, v: SX) -> SX:
        return times(self.matrix, v)


@dataclass(frozen=True)
class FactoredRotation:
    """By the angle of the joint, then by the twist of the link: 8 multiplications, 4 additions."""

    c: SX
    s: SX
    lam: SX
    mu: SX

    @property
    def matrix(self) -> SX:
        c, s, lam, mu = self.c, self.s, self.lam, self.mu
        return ca.vertcat(
            ca.horzcat(c, -lam * s, mu * s), ca.horzcat(s, lam * c, -mu * c), ca.horzcat(0, mu, lam)
        )

    def to_child(self, v: SX) -> SX:  # A (7.23)
        r = v[0] * self.s - v[1] * self.c
        return vector(
            v[0] * self.c + v[1] * self.s, v[2] * self.mu - self.lam * r, v[2] * self.lam + self.mu * r
        )

    def to_parent(self, v: SX) -> SX:  # A (7.24), with v for v_2 in its second column corrected
        u = v[1] * self.lam - v[2] * self.mu
        return vector(
            v[0] * self.c - u * self.s, v[0] * self.s + u * self.c, v[1] * self.mu + v[2] * self.lam
        )


@dataclass(frozen=True)
class ChainLayout:
    """Numbers of a chain: where its frames sit relative to the frames of the robot's description."""

    base: Transform  # frame 0 in the base
    steps: tuple[Transform, ...]  # moved joint i to frame i
    far_ends: tuple[Transform, ...]  # frame i in the description's link frame i


def _aligned(axis: Array) -> Transform:
    """A rotation whose z column is `axis`; exact for coordinate axes."""
    k = int(np.argmax(np.abs(axis)))
    helper = np.roll(np.eye(3)[k], 1)
    x = helper - axis * (helper @ axis)
    x /= np.linalg.norm(x)
    return Transform.of(np.column_stack([x, np.cross(axis, x), axis]))


def _alignment(joint: Joint) -> Transform:
    if np.array_equal(joint.axis, [0.0, 0.0, 1.0]):
        return Transform()
    return _aligned(joint.axis)


def _then(first: Transform, second: Transform) -> Transform:
    """One displacement after another; distances may be expressions."""
    if not any(isinstance(part.p, SX) for part in (first, second)):
        return first @ second
    turned = Transform.of(first.R) @ Transform.of(second.R)
    p: Any = times(number(first.R), number(second.p)) + number(first.p)
    return Transform(turned.R, p)


def layout(model: ArmModel) -> ChainLayout:
    alignments = [_alignment(joint) for joint in model.joints]
    near = [_then(joint.before, a) for joint, a in zip(model.joints, alignments, strict=True)]
    far_ends = (*near[1:], Transform())
    steps = tuple(
        _then(_then(a.inverse(), joint.after), far)
        for joint, a, far in zip(model.joints, alignments, far_ends, strict=True)
    )
    return ChainLayout(near[0], steps, far_ends)


def _rotation_about_z(joint: Joint, q: SX) -> tuple[SX, SX]:
    """Cosine and sine of q + offset; right-angle offsets cost nothing."""
    c0, s0 = cosine_sine(joint.offset)
    if 0.0 in (c0, s0):
        c, s = ca.cos(q), ca.sin(q)
        return c0 * c - s0 * s, s0 * c + c0 * s
    return ca.cos(q + joint.offset), ca.sin(q + joint.offset)


def _seen_from(body: Body, frame: Transform) -> Body:
    """A body in the components of `frame`, which is given in the body's present one."""
    numbers = (body.mass, body.center_of_mass, body.inertia, frame.p)
    if not any(isinstance(part, SX) for part in numbers):
        return body.seen_from(frame)
    R = number(frame.R)
    center: Any = times(R.T, number(body.center_of_mass) - number(frame.p))
    inertia: Any = times(times(R.T, number(body.inertia)), R)
    return Body(body.mass, center, inertia)


def _link(joint: Joint, step: Transform, far_end: Transform, q: SX) -> Link:
    body = _seen_from(joint.body, far_end)
    C, z = number(step.R), number(step.R[2])
    slide = 0.0 if joint.is_revolute else joint.offset
    r = times(C.T, number(step.p)) + slide * z
    rbar, inertia = number(body.center_of_mass), number(body.inertia)
    rho = r + rbar
    s, ms = rho, body.mass * rho
    if joint.is_revolute:
        cosine, sine = _rotation_about_z(joint, q)
        R = times(ca.vertcat(ca.horzcat(cosine, -sine, 0), ca.horzcat(sine, cosine, 0), E3.T), C)
    else:
        cosine, sine, R = SX(1), SX(0), C
        r, s, ms = r + q * z, s + q * z, ms + body.mass * q * z
    return Link(
        revolute=joint.is_revolute,
        rotation=DenseRotation(R),
        turn=JointTurn(cosine, sine, C),
        z=z,
        m=SX(body.mass),
        r=r,
        rbar=rbar,
        s=s,
        rho=rho,
        ms=ms,
        I=inertia,
        K=ca.densify(ca.trace(inertia) / 2 * SX.eye(3) - inertia),
    )


def chain_of(
    model: ArmModel,
    q: SX,
    *,
    gravity: SX | None = None,
    tip_wrench: SX | None = None,
    base_motion: SX | None = None,
) -> Chain:
    """The chain of a robot at q; gravity and base motion are given in base axes.

    Args:
        gravity: expression of three components; the robot's own gravity if None.
        tip_wrench: force, then moment, of the last link on its surroundings.
        base_motion: angular velocity, angular acceleration and linear acceleration of the base.
    """
    where = layout(model)
    links = tuple(
        _link(joint, step, far, q[k])
        for k, (joint, step, far) in enumerate(
            zip(model.joints, where.steps, where.far_ends, strict=True)
        )
    )
    to_frame0 = number(where.base.R.T)
    g = number(model.gravity) if gravity is None else gravity
    w0, al0, a = zeros(), zeros(), -g
    if base_motion is not None:
        w, al = base_motion[0:3], base_motion[3:6]
        p = number(where.base.p)
        a = a + base_motion[6:9] + cross(al, p) + cross(w, cross(w, p))
        w0, al0 = times(to_frame0, w), times(to_frame0, al)
    tip = zeros(6) if tip_wrench is None else tip_wrench
    return Chain(
        links=links,
        w0=w0,
        al0=al0,
        a0=times(to_frame0, a),
        f_tip=tip[0:3],
        n_tip=tip[3:6],
        base_R=to_frame0.T,
        base_p=number(where.base.p),
    )
