"""What the motion of a leg with a free tip needs: efforts of its joints, and its mass matrix.

With the moments of mass about the joint frames (m, ms, J = integral of r r' dm) force and moment of a
link are F = m A + U ms and N = vee(U J - (U J)') + ms x A. Efforts and mass matrices may use moments
that were changed where no effort notices (`Inertia.reduced`); reactions need the true ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import casadi as ca
import numpy as np

from linkwork.mechanics.arm.minimal.common_normals import Step
from linkwork.mechanics.arm.minimal.conditions import fallback_conditions
from linkwork.mechanics.arm.minimal.mass_matrix import CompositeBody
from linkwork.mechanics.arm.minimal.moments import MX, MY, MZ, PLACES, XX, M
from linkwork.mechanics.arm.minimal.plan import in_frame
from linkwork.mechanics.arm.minimal.regrouping import LARGEST_GROWTH, Regrouping
from linkwork.mechanics.expressions import SX, cross, times, vector
from linkwork.mechanics.parallel.chain import Chain, Configuration
from linkwork.mechanics.parallel.leg_motion import LinkMotion
from linkwork.robots.geometry import Array


@dataclass(frozen=True, eq=False)
class _Given(Regrouping):
    """Regrouping of moments that belong to no body: a mass moved from the tip leaves them so."""

    given: Array | None = None

    @cached_property
    def parameters(self) -> Array:
        assert self.given is not None
        return self.given


@dataclass(frozen=True, eq=False)
class Inertia:
    """Moments of mass of all links, (steps, 10), and the mass moved from the tip to the platform."""

    parameters: Array
    at_tip: float = 0.0

    @staticmethod
    def true(chain: Chain) -> Inertia:
        return Inertia(chain.parameters())

    @staticmethod
    def reduced(chain: Chain, gravity: Array | None, standing: bool = True) -> Inertia:
        """With the fewest moments; `gravity` None if it is not known beforehand."""
        parameters = chain.parameters()
        mass = 0.0 if chain.leg.frame else _mass_at_tip(chain, parameters[-1])
        tip = chain.tip.p
        parameters[-1, M] -= mass
        parameters[-1, MX : MZ + 1] -= mass * tip
        parameters[-1, XX:] -= [mass * tip[i] * tip[j] for i, j in PLACES]
        known = None if gravity is None else in_frame(chain.base.R, _triple(gravity))
        group = _Given(chain.steps, known, standing, parameters.ravel())
        found = group.exactly(group.selected(fallback_conditions(chain.steps)))
        if group.growth(found) > LARGEST_GROWTH:
            return Inertia.true(chain)
        return Inertia(found.reshape(-1, 10), mass)


def _triple(v: Array) -> tuple[float, float, float]:
    return float(v[0]), float(v[1]), float(v[2])


def _mass_at_tip(chain: Chain, p: Array) -> float:
    """How much of the last link may be a point mass at the tip, so that the rest is simplest."""
    tip = chain.tip.p
    if chain.steps[-1].kind == "prismatic":
        return float(p[M])
    reach = float(tip @ tip)
    return float(p[MX : MZ + 1] @ tip) / reach if reach > 0 else 0.0


def link_wrench(p: Array, motion: LinkMotion) -> tuple[SX, SX]:
    """Force and moment about the frame's origin that the motion of a link needs."""
    J = np.zeros((3, 3))
    for (i, j), value in zip(PLACES, p[XX:], strict=True):
        J[i, j] = J[j, i] = value
    ms = SX(ca.DM(p[MX : MZ + 1]))
    force = float(p[M]) * motion.A + times(motion.U, ms)
    UJ = times(motion.U, SX(ca.DM(J)))
    moment = vector(UJ[2, 1] - UJ[1, 2], UJ[0, 2] - UJ[2, 0], UJ[1, 0] - UJ[0, 1])
    return force, moment + cross(ms, motion.A)


def joint_wrenches(
    configuration: Configuration,
    inertia: Inertia,
    motions: list[LinkMotion],
    tip: tuple[SX, SX] | None = None,
) -> list[tuple[SX, SX]]:
    """Force and moment through every joint, in frame k about its origin; `tip` acts on the last link."""
    result: list[tuple[SX, SX]] = []
    beyond: tuple[SX, SX] | None = None
    for k in reversed(range(len(motions))):
        F, N = link_wrench(inertia.parameters[k], motions[k])
        if beyond is not None:
            F, N = F + beyond[0], N + beyond[1]
        elif tip is not None:
            F, N = F - tip[0], N - tip[1]
        result.append((F, N))
        f = configuration.into(k, F)
        beyond = f, configuration.into(k, N) + cross(configuration.origin(k), f)
    return result[::-1]


def felt(step: Step, wrench: tuple[SX, SX]) -> SX:
    """The effort of a joint that carries a wrench."""
    F, N = wrench
    return step.sign * (N[2] if step.kind == "revolute" else F[2])


def efforts(configuration: Configuration, inertia: Inertia, motions: list[LinkMotion]) -> SX:
    """h: efforts of all joints, friction and rotors not included."""
    wrenches = joint_wrenches(configuration, inertia, motions)
    h: list[SX] = [SX(0)] * configuration.chain.n
    for step, wrench in zip(configuration.steps, wrenches, strict=True):
        if step.kind != "fixed":
            h[step.joint] = felt(step, wrench)
    return ca.vertcat(*h)


def composite_bodies(configuration: Configuration, inertia: Inertia) -> list[CompositeBody]:
    """For frame 0 and every link, itself and all beyond as one body, about the frame's origin."""
    result: list[CompositeBody] = []
    beyond: CompositeBody | None = None
    for k in reversed(range(len(configuration.steps))):
        p, step = inertia.parameters[k].tolist(), configuration.steps[k]
        body = CompositeBody(p[M], (p[MX], p[MY], p[MZ]), p[XX:])
        if beyond is not None:
            body = body + beyond
        result.append(body)
        body = body.along_z(configuration.place.heights[k]).turned(configuration.place.turns[k])
        beyond = body.twisted(*step.twist).across(step.a, 0.0)
    assert beyond is not None
    return [beyond, *result[::-1]]


def mass_matrix(configuration: Configuration, inertia: Inertia) -> SX:
    """M_i (n x n) of the leg with a free tip, rotors not included."""
    n, steps = configuration.chain.n, configuration.steps
    result = SX.zeros(n, n)
    for j, body in enumerate(composite_bodies(configuration, inertia)[1:]):
        if steps[j].kind == "fixed":
            continue
        x, y, _ = body.first
        xx, yy, _, _, xz, yz = body.J
        if steps[j].kind == "revolute":
            F, N = vector(-y, x, 0), vector(-xz, -yz, xx + yy)
        else:
            F, N = vector(0, 0, body.m), vector(y, -x, 0)
        for i in range(j, -1, -1):
            if i < j:
                f = configuration.into(i + 1, F)
                F, N = f, configuration.into(i + 1, N) + cross(configuration.origin(i + 1), f)
            if steps[i].kind != "fixed":
                value = steps[j].sign * felt(steps[i], (F, N))
                result[steps[i].joint, steps[j].joint] = value
                result[steps[j].joint, steps[i].joint] = value
    return result
