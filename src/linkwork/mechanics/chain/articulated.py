"""Accelerations from torques by articulated bodies (Featherstone): cost linear in the joints.

The motion-independent part only: it solves M qdd = b link by link, without forming M. A link and all
beyond it respond to an acceleration (a, al) of the near joint's origin with force and moment

    f = M a + H' al,    n = H a + J al,

where the joints beyond are free. Everything is about O_{i-1} in frame i-1, where the axis is e3.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from linkwork.mechanics.bodies import CompositeBody
from linkwork.mechanics.chain.chain import Chain, Link
from linkwork.mechanics.chain.composite import about_far_end, turned, turned_any
from linkwork.mechanics.expressions import SX, cross, skew, times, vector, zeros
from linkwork.mechanics.linear import SMALLEST_PIVOT


@dataclass(frozen=True)
class Response:
    """Articulated inertia in three blocks; M and J are symmetric."""

    M: SX
    H: SX
    J: SX

    def __add__(self, other: Response) -> Response:
        return Response(self.M + other.M, self.H + other.H, self.J + other.J)


@dataclass(frozen=True)
class Axis:
    """What joint i needs of its articulated body: U = (f, n) of a unit acceleration, and 1/D."""

    f: SX
    n: SX
    inverse: SX


def _rigid(body: CompositeBody) -> Response:
    return Response(body.m * SX.eye(3), skew(body.h), body.J)


def _shifted(body: Response, r: SX) -> Response:
    """About a new origin, from which r leads to the old one."""
    R = skew(r)
    H = body.H + times(R, body.M)
    cross_term = times(R, body.H.T)
    return Response(body.M, H, body.J + cross_term + cross_term.T - times(times(R, body.M), R))


def _to_near_joint(body: Response, link: Link) -> Response:
    moved, turn = _shifted(body, link.r), link.turn
    return Response(turned(moved.M, turn), turned_any(moved.H, turn), turned(moved.J, turn))


def _axis(body: Response, link: Link, rotor: SX, smallest: SX) -> Axis:
    """D at or below `smallest` is rounding error of a joint that moves no mass."""
    f, n = (body.H[2, :].T, body.J[:, 2]) if link.revolute else (body.M[:, 2], body.H[:, 2])
    D = (n[2] if link.revolute else f[2]) + rotor
    return Axis(f, n, 1 / ca.if_else(smallest < D, D, 0))


def _freed(body: Response, axis: Axis) -> Response:
    """The body as the link before feels it: it gives way along the joint."""
    f, n = axis.f * axis.inverse, axis.n * axis.inverse
    return Response(
        body.M - times(f, axis.f.T), body.H - times(n, axis.f.T), body.J - times(n, axis.n.T)
    )


def _largest_inertias(chain: Chain, load: CompositeBody | None) -> list[SX]:
    """For every joint, what the links beyond it can weigh or resist a turn with, however they stand.

    Numbers but for prismatic joints and a load: mass, length of the first moment, trace of the second.
    """
    m, h, trace = SX(0), SX(0), SX(0)
    if load is not None:
        m, h, trace = load.m, ca.norm_2(load.h), ca.trace(load.J)
    result: list[SX] = []
    for link in reversed(chain.links):
        reach, r = ca.norm_2(link.rbar), ca.norm_2(link.r)
        m = m + link.m
        h = h + link.m * reach
        trace = trace + ca.trace(link.I) + 2 * link.m * reach**2
        trace = trace + 4 * h * r + 2 * m * r**2  # about the near joint
        h = h + m * r
        result.append(trace / 2 if link.revolute else m)  # no moment of inertia exceeds the other two
    return result[::-1]


def accelerations(chain: Chain, b: SX, rotors: SX, load: CompositeBody | None = None) -> SX:
    """qdd with M(q) qdd = b, M including a load in frame n and `rotors` on its diagonal."""
    n = len(chain.links)
    largest = _largest_inertias(chain, load)  # the scale that a pivot is judged by
    axes: list[Axis] = []
    efforts: list[SX] = []
    beyond = None if load is None else _rigid(load)  # articulated body, in frame i
    f, moment = zeros(), zeros()  # its bias force
    for k in reversed(range(n)):
        link = chain.links[k]
        own = _rigid(about_far_end(link))
        body = _to_near_joint(own if beyond is None else own + beyond, link)
        moment = link.rotation.to_parent(moment + cross(link.r, f))
        f = link.rotation.to_parent(f)
        axis = _axis(body, link, rotors[k], SMALLEST_PIVOT * (largest[k] + rotors[k]))
        effort = b[k] - (moment[2] if link.revolute else f[2])
        step = effort * axis.inverse
        f, moment = f + axis.f * step, moment + axis.n * step
        beyond = _freed(body, axis)
        axes.append(axis)
        efforts.append(effort)

    result = zeros(n)
    a, al = zeros(), zeros()
    for k, link in enumerate(chain.links):
        axis, effort = axes[n - 1 - k], efforts[n - 1 - k]
        qdd = (effort - ca.dot(axis.f, a) - ca.dot(axis.n, al)) * axis.inverse
        result[k] = qdd
        push = vector(0, 0, qdd)
        a, al = (a, al + push) if link.revolute else (a + push, al)
        al = link.rotation.to_child(al)
        a = link.rotation.to_child(a) + cross(al, link.r)
    return result
