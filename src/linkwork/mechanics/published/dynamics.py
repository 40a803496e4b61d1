"""A platform in one state by the equations of a paper."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import casadi as ca

from linkwork.mechanics.expressions import SX, number, times, zeros
from linkwork.mechanics.leg_reactions import LegReactions
from linkwork.mechanics.linear import solve_orthogonal
from linkwork.mechanics.pose import place_of
from linkwork.mechanics.published import task_space
from linkwork.mechanics.published.formulation import Formulation
from linkwork.mechanics.published.legs import geometry
from linkwork.mechanics.published.state import State
from linkwork.mechanics.published.stepwise import Reading
from linkwork.robots.platform import LEGS, PlatformModel


@dataclass(frozen=True)
class PublishedDynamics:
    """At a pose (7 or 6 numbers), moving with a twist. The models always have viscous friction.

    Args:
        reading: which deviations from the exact equations there are.
        gravity, wrench, base_motion: as those of `MechanismDynamics`.
        slip: the twist by whose leg rates dry friction has its signs; the twist itself if None.
    """

    model: PlatformModel
    pose: SX
    reading: Reading
    twist: SX | None = None
    gravity: SX | None = None
    wrench: SX | None = None
    base_motion: SX | None = None
    slip: SX | None = None

    @cached_property
    def state(self) -> State:
        position, R = place_of(self.pose)
        return State(
            model=self.model,
            R=R,
            twist=zeros(6) if self.twist is None else self.twist,
            wrench=zeros(6) if self.wrench is None else self.wrench,
            gravity=number(self.model.gravity) if self.gravity is None else self.gravity,
            legs=tuple(geometry(leg, position, R) for leg in self.model.legs),
        )

    @property
    def _carried(self) -> SX:
        """H F that the motion of the base needs."""
        if self.base_motion is None:
            return zeros(6)
        return task_space.added_load(self.state, self.base_motion, self.reading)

    def _coulomb(self) -> SX:
        """What dry friction along the legs takes of the actuator forces; the papers have none."""
        if not self.model.has_coulomb:
            return zeros(LEGS)
        twist = self.state.twist if self.slip is None else self.slip
        rates = times(ca.horzcat(*self.state.H()).T, twist)
        return ca.sign(rates) * ca.vertcat(*[leg.friction.coulomb for leg in self.model.legs])

    def inverse(self, acceleration: SX) -> SX:
        """Actuator forces of a motion."""
        return self._smooth_inverse(acceleration) + self._coulomb()

    def _smooth_inverse(self, acceleration: SX) -> SX:
        if self.base_motion is None:
            return task_space.actuator_forces(self.state, acceleration, self.reading)
        need = task_space.demand(self.state, acceleration, self.reading)
        return solve_orthogonal(self.state.H(), need + self._carried)

    def bias(self) -> SX:
        """h, in task space."""
        dry = times(ca.horzcat(*self.state.H()), self._coulomb())
        return task_space.bias(self.state, self.reading) + self._carried + dry

    def mass_matrix(self) -> SX:
        """M(X), in task space."""
        return task_space.mass_matrix(self.state, self.reading)

    def forward(self, force: SX) -> SX:
        """Acceleration under actuator forces."""
        free = force - self._coulomb()
        return task_space.platform_acceleration(self.state, free, self._carried, self.reading)

    def reactions(self, acceleration: SX) -> list[LegReactions]:
        """Forces and moments in the joints of every leg."""
        forces = self._smooth_inverse(acceleration)
        return task_space.reactions(self.state, acceleration, forces, self.reading, self.base_motion)


@dataclass(frozen=True)
class PublishedEffort:
    """A published model in a control law; frozen data, so that kernels can be named by it."""

    model: PlatformModel
    formulation: Formulation

    def effort_for(self, x: SX, acceleration: SX, sliding: SX, inputs: Mapping[str, SX]) -> SX:
        """Actuator forces at x = (pose, twist), with dry friction as of the twist `sliding`."""
        reading = self.formulation.reading
        assert reading is not None
        robot = PublishedDynamics(
            self.model, x[0:7], reading, x[7:13], wrench=inputs.get("wrench"), slip=sliding
        )
        return robot.inverse(acceleration)
