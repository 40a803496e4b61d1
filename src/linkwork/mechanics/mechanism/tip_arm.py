"""A serial tip as an arm on a moving base, by the minimal recursion with reduced masses."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import casadi as ca
import numpy as np

from linkwork.mechanics.arm.minimal.expressions import TracedGraph
from linkwork.mechanics.arm.minimal.link_axes import axes_of
from linkwork.mechanics.arm.minimal.mass_matrix import CompositeBody, composite_bodies, composite_inertia
from linkwork.mechanics.arm.minimal.moments import PLACES, moments
from linkwork.mechanics.arm.minimal.plan import Reduced, Situation, realised
from linkwork.mechanics.arm.minimal.recursion import Ends, Recursion
from linkwork.mechanics.arm.minimal.scalars import Scalar
from linkwork.mechanics.arm.rigid import own_gravity, plan_of
from linkwork.mechanics.expressions import SX, cross, number, squared, times, zeros
from linkwork.mechanics.mechanism.masses import Moments
from linkwork.robots.arm import ArmModel
from linkwork.robots.geometry import Array, Transform

DUST = 1e-14  # of the largest moment of a tip


@dataclass(frozen=True, eq=False)
class TipArm:
    """The numbers of a tip's recursion, and what its reduction left to the host."""

    reduced: Reduced
    left: Moments

    @staticmethod
    def of(arm: ArmModel, situation: Situation, textbook: bool = False) -> TipArm:
        plan = plan_of(arm, own_gravity(arm))
        if textbook:
            plan = replace(plan, conditions=())
        plan = replace(plan, variant=replace(plan.variant, acceleration=1.0, force=1.0))
        reduced = realised(arm, plan, situation)
        true = [moments(step.body).tolist() for step in reduced.steps]
        difference = _whole(replace(reduced, parameters=true), arm.n) - _whole(reduced, arm.n)
        scale = np.abs(_whole(replace(reduced, parameters=true), arm.n))
        kinds = [scale[:1].max(), *[scale[1:4].max()] * 3, *[scale[4:].max()] * 6]
        difference = np.where(np.abs(difference) < DUST * np.array(kinds), 0.0, difference)
        return TipArm(reduced, _at_host(reduced.base, SX(ca.DM(difference))))

    def needs(
        self, q: SX, qd: SX, qdd: SX, host: tuple[SX, SX, SX], wrench: SX | None
    ) -> tuple[list[SX], SX, SX]:
        """Torques, and force and moment about its origin that the host gives, in the host's axes.

        Args:
            host: its angular velocity, angular acceleration and acceleration less gravity.
            wrench: of the last link on its surroundings, in the last frame.
        """
        robot, traced = self.reduced, TracedGraph()
        R, p = number(robot.base.R), number(robot.base.p)
        w, al, A = host
        at_frame = [times(R.T, each) for each in (w, al, A + cross(al, p) + squared(w, p))]
        force, moment = zeros(3), zeros(3)
        if wrench is not None:
            force = times(number(robot.tip.R), wrench[0:3])
            moment = times(number(robot.tip.R), wrench[3:6]) + cross(number(robot.tip.p), force)
        ends = Ends(*(traced.vector(each) for each in (*at_frame, force, moment)))
        state = (traced.scalars(q), traced.scalars(qd), traced.scalars(qdd))
        axes = axes_of(robot.steps, robot.variant, state[0], traced.graph.cosine_sine)
        recursion = Recursion(robot.steps, robot.parameters, robot.variant, state, axes)
        torques, F, N = recursion.inward(recursion.outward(ends), ends)
        found = traced.expressions([*torques, *F, *N])
        count = len(torques)
        force, moment = (times(R, ca.vertcat(*found[k : k + 3])) for k in (count, count + 3))
        return found[:count], force, moment + cross(p, force)

    def composite(self, q: SX) -> Composite:
        robot, traced = self.reduced, TracedGraph()
        found = composite_inertia(robot, traced.scalars(q), traced.graph.cosine_sine)
        n = len(found.M)
        flat = [value for row in found.M for value in row] + _flat(found.whole)
        flat += [value for wrench in found.wrenches for part in wrench for value in part]
        values = traced.expressions(flat)
        M = ca.reshape(ca.vertcat(*values[: n * n]), n, n)
        whole = _at_host(robot.base, ca.vertcat(*values[n * n : n * n + 10]))
        R, p = number(robot.base.R), number(robot.base.p)
        wrenches = []
        for k in range(n):
            six = ca.vertcat(*values[n * n + 10 + 6 * k : n * n + 16 + 6 * k])
            force = times(R, six[0:3])
            wrenches.append((force, times(R, six[3:6]) + cross(p, force)))
        return Composite(M, whole, wrenches)


@dataclass(frozen=True, eq=False)
class Composite:
    """M of a tip's joints, the whole tip as one body, and what each joint's unit acceleration needs of
    the host, in the host's axes about its origin."""

    M: SX
    whole: Moments
    wrenches: list[tuple[SX, SX]]


def _flat(body: CompositeBody) -> list[Scalar]:
    return [body.m, *body.first, *body.J]


def _whole(robot: Reduced, n: int) -> Array:
    """All links as one body about frame 0, with every joint at zero: ten numbers."""
    q = [0.0] * n
    axes = axes_of(robot.steps, robot.variant, q, _cosine_sine)
    recursion = Recursion(robot.steps, robot.parameters, robot.variant, (q, (), ()), axes)
    return np.array(_flat(composite_bodies(recursion)[0]), dtype=float)


def _cosine_sine(angle: Scalar) -> tuple[Scalar, Scalar]:
    assert isinstance(angle, float)
    return math.cos(angle), math.sin(angle)


def _at_host(base: Transform, ten: SX) -> Moments:
    """Moments that are given in frame 0."""
    J = SX.zeros(3, 3)
    for k, (i, j) in enumerate(PLACES):
        J[i, j] = J[j, i] = ten[4 + k]
    return Moments(ten[0], ten[1:4], J).turned(base.R).about(number(base.p))
