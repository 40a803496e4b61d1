"""The one symbolic model of a platform's dynamics: platform, legs, load, gravity and wrench.

    H F = M(X) a + h(X, V),    H = J': what unit forces along the legs do to the platform.

Kernels of methods, plants of simulations and control laws are all made of it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import casadi as ca

from linkwork.mechanics.bodies import CompositeBody
from linkwork.mechanics.expressions import SX, number, times, zeros
from linkwork.mechanics.linear import solve_orthogonal
from linkwork.mechanics.plant import FrictionKinematics
from linkwork.mechanics.platform import (
    dasgupta1998,
    exact,
    legs,
    pedrammehr2012,
    published,
    stepwise,
)
from linkwork.mechanics.platform.moving_base import added_load
from linkwork.mechanics.platform.pose import place_of
from linkwork.mechanics.platform.reactions import Reactions, reactions
from linkwork.robots.platform import LEGS, PlatformModel


@dataclass(frozen=True)
class Formulation:
    """Which equations: exact, or as published. `deviations` None: as the formulation has them."""

    name: str = "exact"
    deviations: tuple[str, ...] | None = None
    form: str = "closed"
    frames: str = "printed"

    @property
    def reading(self) -> stepwise.Reading | None:
        """The deviations from the exact equations; None for the exact ones."""
        if self.deviations is not None:
            return stepwise.Reading(frozenset(self.deviations), self.frames == "local")
        if self.name == "dasgupta1998":
            return dasgupta1998.READING
        if self.name == "pedrammehr2012":
            return pedrammehr2012.reading_of(self.form, self.frames)
        return None


EXACT = Formulation()


@dataclass(frozen=True)
class PlatformDynamics:
    """A platform at a pose (7 or 6 numbers) that moves with a twist.

    Args:
        gravity: in base axes; the robot's own if None.
        wrench: force, then moment, on the platform, in its axes.
        load: a body on the platform, about its reference point in its axes.
        slip: directions in which the legs slide, +1 or -1, for their Coulomb friction, 0 for none; by
            their rates if None.
        base_motion: angular velocity, angular acceleration and linear acceleration of the base; the
            pose and its rates are relative to it. Without a load.
    """

    model: PlatformModel
    pose: SX
    twist: SX | None = None
    friction: bool = True
    gravity: SX | None = None
    wrench: SX | None = None
    load: CompositeBody | None = None
    base_motion: SX | None = None
    slip: SX | None = None

    def carried(self, formulation: Formulation = EXACT) -> SX:
        """H F that the motion of the base needs."""
        reading = formulation.reading
        if self.base_motion is None:
            return zeros(6)
        if reading is None:
            return added_load(self.state, self.base_motion)
        return published.added_load(self.state, self.base_motion, reading)

    @cached_property
    def state(self) -> exact.State:
        """What the formulations are written for."""
        position, R = place_of(self.pose)
        return exact.State(
            model=self.model,
            R=R,
            twist=zeros(6) if self.twist is None else self.twist,
            wrench=zeros(6) if self.wrench is None else self.wrench,
            gravity=number(self.model.gravity) if self.gravity is None else self.gravity,
            legs=tuple(legs.geometry(leg, position, R) for leg in self.model.legs),
            friction=self.friction,
            load=self.load,
        )

    def leg_rates(self, twist: SX | None = None) -> SX:
        """How fast the legs lengthen, at the platform's twist or another one."""
        moving = self.state.twist if twist is None else twist
        return times(ca.horzcat(*self.state.H()).T, moving)

    def coulomb_forces(self) -> SX:
        """What dry friction in the prismatic joints takes of the actuator forces."""
        if not self.friction or not self.model.has_coulomb:
            return zeros(LEGS)
        slip = ca.sign(self.leg_rates()) if self.slip is None else self.slip
        return slip * ca.vertcat(*[leg.friction.coulomb for leg in self.model.legs])

    def inverse(self, acceleration: SX, formulation: Formulation = EXACT) -> SX:
        """Actuator forces of a motion; dry friction along the legs is the same in every formulation."""
        return self._smooth_inverse(acceleration, formulation) + self.coulomb_forces()

    def _smooth_inverse(self, acceleration: SX, formulation: Formulation) -> SX:
        state, reading = self.state, formulation.reading
        if self.base_motion is None:
            if reading is None:
                return exact.actuator_forces(state, acceleration)
            return published.actuator_forces(state, acceleration, reading)
        if reading is None:
            need = exact.load(state, acceleration)
        else:
            need = published.demand(state, acceleration, reading)
        return solve_orthogonal(state.H(), need + self.carried(formulation))

    def massless(self, acceleration: SX) -> SX:
        """Actuator forces with legs without mass and joints without friction."""
        return exact.massless_leg_forces(self.state, acceleration)

    def bias(self, formulation: Formulation = EXACT) -> SX:
        """h, in task space."""
        reading = formulation.reading
        added = self.carried(formulation) + self.generalised(self.coulomb_forces())
        if reading is None:
            return exact.bias(self.state) + added
        return published.bias(self.state, reading) + added

    def mass_matrix(self, formulation: Formulation = EXACT) -> SX:
        """M(X), in task space."""
        reading = formulation.reading
        if reading is None:
            return exact.mass_matrix(self.state)
        return published.mass_matrix(self.state, reading)

    def reactions(self, acceleration: SX, formulation: Formulation = EXACT) -> list[Reactions]:
        """Forces and moments in the joints of every leg."""
        reading, base = formulation.reading, self.base_motion
        forces = self._smooth_inverse(acceleration, formulation)
        if reading is None:
            return reactions(self.state, acceleration, forces, base)
        return published.reactions(self.state, acceleration, forces, reading, base)

    def demand(self, acceleration: SX) -> SX:
        """H F that a motion needs, in task space."""
        return exact.load(self.state, acceleration) + self.generalised(self.coulomb_forces())

    def generalised(self, force: SX) -> SX:
        """H F of actuator forces, in task space."""
        return exact.generalised(self.state, force)

    def forward(self, force: SX, formulation: Formulation = EXACT) -> SX:
        """Acceleration under actuator forces."""
        reading, force = formulation.reading, force - self.coulomb_forces()
        if reading is None:
            return exact.platform_acceleration(self.state, force, self.carried())
        return published.platform_acceleration(self.state, force, self.carried(formulation), reading)

    def friction_kinematics(self) -> FrictionKinematics:
        """How the legs lengthen: by H' V, with accelerations H' A + drift."""
        state = self.state
        drift = [
            legs.accelerations(at, legs.rates(at, state.twist), state.twist, zeros(6)).Ldd
            for at in state.legs
        ]
        return FrictionKinematics(ca.horzcat(*state.H()).T, ca.vertcat(*drift))

    @property
    def guard(self) -> SX:
        return SX(1)

    def gravity_load(self) -> SX:
        """Actuator forces that hold platform, legs and load at rest."""
        return replace(self, twist=None, wrench=None).inverse(zeros(6))

    def energy(self) -> tuple[SX, SX]:
        """Kinetic and potential energy."""
        return exact.energies(self.state)
