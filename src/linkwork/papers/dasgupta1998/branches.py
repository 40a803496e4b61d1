"""4.5: the branches that can run at the same time, counted as the paper counts them."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from linkwork.kernels.counts import Counts, traced_counts
from linkwork.mechanics.expressions import SX, cross
from linkwork.mechanics.linear import solve_orthogonal
from linkwork.mechanics.published import dasgupta1998, legs, stepwise
from linkwork.mechanics.published.state import State
from linkwork.papers.platform_paths import papers_platform, without_friction


@dataclass(frozen=True)
class Branches:
    """Operations of one leg, of the platform and of the linear system; every operation is one."""

    leg: int
    platform: int
    system: int

    @property
    def total(self) -> int:
        return 6 * self.leg + self.platform + self.system

    @property
    def parallel(self) -> int:
        """With a processor for each of the seven branches, then the system."""
        return max(self.leg, self.platform) + self.system


# Quoted from 4.5, and the serial arm of Fu et al. that it compares with.
PRINTED = Branches(leg=694, platform=273, system=452)
SERIAL = 132 * 6 + 111 * 6 - 4


def _all(outputs: list[SX]) -> int:
    expression = ca.vertcat(*[ca.vec(output) for output in outputs])
    inputs = ca.vertcat(*ca.symvar(expression))
    counts: Counts = traced_counts(ca.Function("branch", [inputs], [expression]))
    return counts.flops + counts.divisions + counts.square_roots


def branches() -> Branches:
    """The paper's own equations as written here, friction left out as in the paper."""
    model = without_friction(papers_platform().model)
    R, position = SX.sym("R", 3, 3), SX.sym("t", 3)
    twist, acceleration = SX.sym("V", 6), SX.sym("a", 6)
    at = legs.geometry(model.legs[0], position, R)
    state = State(model, R, twist, SX.sym("w", 6), SX(ca.DM(model.gravity)), (at,))
    reading = dasgupta1998.READING
    K, D, _ = stepwise.leg_force(state, stepwise.leg_motion(state, at, acceleration, reading), reading)
    columns = [SX.sym(f"h{k}", 6) for k in range(6)]
    solved = SX.sym("D", 6) - solve_orthogonal(columns, SX.sym("c", 6))
    return Branches(
        leg=_all([K, cross(at.q, K), D, at.s, cross(at.q, at.s)]),
        platform=_all([stepwise.platform_equations(state, acceleration, reading)]),
        system=_all([solved]),
    )
