"""A mechanism's expressions as CasADi functions of c, cd and cdd or tau."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import casadi as ca
import numpy as np

from linkwork.mechanics.expressions import SX, number
from linkwork.mechanics.mechanism.applied_forces import AppliedLoads
from linkwork.mechanics.mechanism.coordinates import CoordinateLayout, by_name
from linkwork.mechanics.mechanism.dynamics import Dynamics
from linkwork.mechanics.mechanism.planning.placement_plan import PlacementPlan
from linkwork.mechanics.mechanism.planning.planner import placement_plan
from linkwork.mechanics.mechanism.reactions import Reactions
from linkwork.model.mechanism import MechanismModel


@dataclass
class Traced:
    """With as many steps of Newton's method as a state far from home may need."""

    model: MechanismModel
    steps: int = 16
    friction: bool = True

    @cached_property
    def plan(self) -> PlacementPlan:
        return placement_plan(self.model)

    @cached_property
    def symbols(self) -> tuple[SX, SX, SX, SX]:
        d, n = len(self.model.coordinates), len(self.model.effort_names)
        return SX.sym("c", d), SX.sym("cd", d), SX.sym("cdd", d), SX.sym("tau", n)

    @cached_property
    def dynamics(self) -> Dynamics:
        c, cd, _, _ = self.symbols
        inputs = CoordinateLayout.of(self.model, c.numel()).inputs(c, cd)
        acting = AppliedLoads(number(self.model.gravity), friction=self.friction)
        return Dynamics(self.plan, inputs, acting, self.steps, reducing=True)

    def _rows(self, expression: SX, last: SX, states: tuple[np.ndarray, ...]) -> np.ndarray:
        c, cd, _, _ = self.symbols
        function = ca.Function("f", [c, cd, last], [expression * self.dynamics.guard])
        return np.array([np.array(function(*row)) for row in zip(*states, strict=True)])

    def inverse(self, *states: np.ndarray) -> np.ndarray:
        cdd = self.symbols[2]
        return self._rows(self.dynamics.inverse(by_name(self.model, cdd)), cdd, states)[..., 0]

    def forward(self, *states: np.ndarray) -> np.ndarray:
        tau = self.symbols[3]
        return self._rows(self.dynamics.forward(tau), tau, states)[..., 0]

    def joints(self, names: list[str], *states: np.ndarray) -> np.ndarray:
        """Coordinate, velocity and acceleration of joints, (N, names, 3)."""
        cdd = self.symbols[2]
        moving = self.dynamics.moving(by_name(self.model, cdd))
        rows = [ca.horzcat(*self.dynamics.joint_motion(name, moving)) for name in names]
        return self._rows(ca.vertcat(*rows), cdd, states)

    def reactions(self, *states: np.ndarray) -> tuple[list[str], np.ndarray, np.ndarray]:
        """Names, and two solutions (N, names, 6)."""
        cdd = self.symbols[2]
        found = Reactions(self.dynamics, by_name(self.model, cdd))
        one, other = (list(found.joints(found.solved(second))) for second in (False, True))
        both = [
            ca.vertcat(*[ca.horzcat(force.T, moment.T) for _, force, moment in each])
            for each in (one, other)
        ]
        first, second = (self._rows(each, cdd, states) for each in both)
        return [name for name, _, _ in one], first, second
