"""A reduced robot as CasADi expressions: inverse dynamics and the mass matrix."""

from __future__ import annotations

from dataclasses import dataclass, replace

import casadi as ca

from linkwork.mechanics.arm.composite_moments import mass_matrix
from linkwork.mechanics.arm.minimal import ZERO, Ends, Form, torques
from linkwork.mechanics.arm.moments import Vector
from linkwork.mechanics.arm.plan import Gravity, Plan, Reduced, Situation, in_frame, realised
from linkwork.mechanics.expressions import SX, cross, number, times
from linkwork.mechanics.sketch import Sketch
from linkwork.robots.arm import ArmModel


def _cosine_sine(angle: SX) -> tuple[SX, SX]:
    return ca.cos(angle), ca.sin(angle)


def _components(v: SX) -> Vector:
    return v[0], v[1], v[2]


@dataclass(frozen=True)
class ReducedArm:
    """Expressions of one robot. Optional inputs are expressions in base axes or the tip's frame."""

    robot: Reduced
    gravity: Gravity | None

    @staticmethod
    def of(model: ArmModel, plan: Plan, situation: Situation) -> ReducedArm:
        return ReducedArm(realised(model, plan, situation), situation.gravity)

    def torques(self, q: SX, qd: SX, qdd: SX, runtime: dict[str, SX]) -> list[SX]:
        """`runtime` may hold gravity, tip_wrench and base_motion (see chain.chain_of)."""
        form = self.robot.form
        if "gravity" in runtime or "base_motion" in runtime:
            form = replace(form, acceleration=1.0)
        if "tip_wrench" in runtime:
            form = replace(form, force=1.0)
        state = tuple([v[k] for k in range(v.shape[0])] for v in (q, qd, qdd))
        ends = self._ends(runtime)
        robot = self.robot
        return torques(robot.steps, robot.parameters, form, state, ends, _cosine_sine)  # type: ignore[arg-type]

    def _ends(self, runtime: dict[str, SX]) -> Ends:
        base, tip = self.robot.base, self.robot.tip
        to_frame0 = number(base.R.T)
        w, al = ZERO, ZERO
        if "gravity" in runtime:
            A = _components(-times(to_frame0, runtime["gravity"]))
        else:
            assert self.gravity is not None
            g = in_frame(base.R, self.gravity)
            A = (-g[0], -g[1], -g[2])
        if "base_motion" in runtime:
            motion = runtime["base_motion"]
            spin, turn, p = motion[0:3], motion[3:6], number(base.p)
            a = motion[6:9] + cross(turn, p) + cross(spin, cross(spin, p))
            w, al = _components(times(to_frame0, spin)), _components(times(to_frame0, turn))
            a = times(to_frame0, a)
            A = (A[0] + a[0], A[1] + a[1], A[2] + a[2])
        f, n = ZERO, ZERO
        if "tip_wrench" in runtime:
            force = times(number(tip.R), runtime["tip_wrench"][0:3])
            moment = times(number(tip.R), runtime["tip_wrench"][3:6]) + cross(number(tip.p), force)
            f, n = _components(force), _components(moment)
        return Ends(w, al, A, f, n)

    def mass_matrix(self, q: SX) -> SX:
        form = min(self._forms(), key=self._mass_matrix_cost)
        rows = mass_matrix(self.robot, [q[k] for k in range(q.shape[0])], _cosine_sine, form)
        M = SX(len(rows), len(rows))
        for i, row in enumerate(rows):
            for j, value in enumerate(row):
                M[i, j] = value
        return ca.densify(M)

    def _forms(self) -> list[Form]:
        """The plan is made for inverse dynamics: other axes may serve the mass matrix better."""
        form = self.robot.form
        everywhere = (True,) * len(form.resting)
        return [form, replace(form, resting=everywhere)]

    def _mass_matrix_cost(self, form: Form) -> tuple[int, int]:
        sketch = Sketch()
        joints = 1 + self.robot.steps[-1].joint
        q = [sketch.symbol(f"q{k}") for k in range(joints)]
        rows = mass_matrix(self.robot, q, sketch.cosine_sine, form)
        return sketch.cost([value for row in rows for value in row])
