"""A reduced robot as CasADi expressions: inverse dynamics and the mass matrix."""

from __future__ import annotations

from dataclasses import dataclass, replace

import casadi as ca
import numpy as np

from linkwork.mechanics.chain.minimal.mass_matrix import mass_matrix
from linkwork.mechanics.chain.minimal.operation_plan import (
    Gravity,
    OperationPlan,
    Reduced,
    Situation,
    in_frame,
    realized,
)
from linkwork.mechanics.chain.minimal.recursion import Ends, Variant, torques
from linkwork.mechanics.chain.minimal.scalars import CountedGraph, TracedGraph
from linkwork.mechanics.expressions import SX, cross, number, times, zeros
from linkwork.model.families.arm import ArmModel


@dataclass(frozen=True)
class ReducedArm:
    """Expressions of one robot. Optional inputs are expressions in base axes or the tip's frame."""

    robot: Reduced
    gravity: Gravity | None

    @staticmethod
    def of(model: ArmModel, plan: OperationPlan, situation: Situation) -> ReducedArm:
        return ReducedArm(realized(model, plan, situation), situation.gravity)

    def torques(self, q: SX, qd: SX, qdd: SX, runtime: dict[str, SX]) -> list[SX]:
        """`runtime` may hold gravity, tip_wrench and base_motion (see chain.chain_of)."""
        robot, variant = self.robot, self.robot.variant
        if "gravity" in runtime or "base_motion" in runtime:
            variant = replace(variant, acceleration=1.0)
        if "tip_wrench" in runtime:
            variant = replace(variant, force=1.0)
        traced = TracedGraph()
        state = (traced.scalars(q), traced.scalars(qd), traced.scalars(qdd))
        ends = self._ends(runtime, traced)
        function = traced.graph.cosine_sine
        return traced.expressions(torques(robot.steps, robot.parameters, variant, state, ends, function))

    def _ends(self, runtime: dict[str, SX], traced: TracedGraph) -> Ends:
        base, tip = self.robot.base, self.robot.tip
        to_frame0 = number(base.R.T)
        w, al, a = zeros(), zeros(), zeros()
        if "base_motion" in runtime:
            motion, p = runtime["base_motion"], number(base.p)
            w, al = motion[0:3], motion[3:6]
            a = motion[6:9] + cross(al, p) + cross(w, cross(w, p))
        if "gravity" in runtime:
            a = times(to_frame0, a - runtime["gravity"])
        else:
            assert self.gravity is not None
            a = times(to_frame0, a) - number(np.array(in_frame(base.R, self.gravity)))
        force, moment = zeros(), zeros()
        if "tip_wrench" in runtime:
            force = times(number(tip.R), runtime["tip_wrench"][0:3])
            moment = times(number(tip.R), runtime["tip_wrench"][3:6]) + cross(number(tip.p), force)
        w, al = times(to_frame0, w), times(to_frame0, al)
        return Ends(*(traced.vector(v) for v in (w, al, a, force, moment)))

    def mass_matrix(self, q: SX) -> SX:
        variant = min(self._variants(), key=self._mass_matrix_cost)
        traced = TracedGraph()
        rows = mass_matrix(self.robot, traced.scalars(q), traced.graph.cosine_sine, variant)
        n = len(rows)
        values = traced.expressions([value for row in rows for value in row])
        return ca.reshape(ca.vertcat(*values), n, n)  # symmetric: rows and columns are the same

    def _variants(self) -> list[Variant]:
        """The plan is made for inverse dynamics: other axes may serve the mass matrix better."""
        variant = self.robot.variant
        everywhere = (True,) * len(variant.resting)
        return [variant, replace(variant, resting=everywhere)]

    def _mass_matrix_cost(self, variant: Variant) -> tuple[int, int]:
        graph = CountedGraph()
        joints = 1 + self.robot.steps[-1].joint
        q = [graph.symbol(f"q{k}") for k in range(joints)]
        rows = mass_matrix(self.robot, q, graph.cosine_sine, variant)
        return graph.cost([value for row in rows for value in row])
