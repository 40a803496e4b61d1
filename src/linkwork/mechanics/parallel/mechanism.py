"""All legs of a robot as chains with a plan of inverse kinematics, made once for an expression."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import casadi as ca
import numpy as np

from linkwork.mechanics.expressions import SX, cross, number, times
from linkwork.mechanics.parallel.chain import Chain, Configuration, chain_of, home_place
from linkwork.mechanics.parallel.closed_forms import ClosedForm, closed_form
from linkwork.mechanics.parallel.left_inverse import LeftInverse, determinant, left_inverse
from linkwork.robots.geometry import Array
from linkwork.robots.parallel import ParallelModel


@dataclass(frozen=True, eq=False)
class LegPlan:
    """A chain, its closed form if it has one, and its Jacobian at home."""

    chain: Chain
    form: ClosedForm | None

    @cached_property
    def home(self) -> Configuration:
        return Configuration(self.chain, home_place(self.chain))

    @cached_property
    def home_jacobian(self) -> Array:
        """J at home, frame n."""
        return np.array(ca.DM(ca.horzcat(*self.home.columns())))

    @cached_property
    def home_constraints(self) -> Array:
        """Left null space of J at home, one column per constraint."""
        u, _, _ = np.linalg.svd(self.home_jacobian)
        return np.asarray(u[:, self.chain.n :])

    @cached_property
    def home_side(self) -> float:
        """The sign of [J, C] at home: 1 or -1."""
        return float(np.sign(np.linalg.det(np.hstack([self.home_jacobian, self.home_constraints]))))


@dataclass(frozen=True, eq=False)
class Mechanism:
    model: ParallelModel
    legs: tuple[LegPlan, ...]

    @cached_property
    def tolerance(self) -> float:
        """Of an error of closure [m, rad]."""
        return 1e-10 * max(1.0, self.model.size())


def mechanism_of(model: ParallelModel) -> Mechanism:
    chains = [chain_of(leg, model) for leg in model.legs]
    return Mechanism(model, tuple(LegPlan(chain, closed_form(chain)) for chain in chains))


@dataclass(frozen=True, eq=False)
class LegState:
    """A leg in a pose of the platform. `b` leads from the platform's origin to the tip, base axes."""

    plan: LegPlan
    configuration: Configuration
    b: SX

    @property
    def chain(self) -> Chain:
        return self.plan.chain

    @cached_property
    def columns(self) -> list[SX]:
        return self.configuration.columns()

    @cached_property
    def K(self) -> LeftInverse:
        return left_inverse(self.columns)

    def tip_motion(self, twist: SX) -> SX:
        """P V: what a twist of the platform is at the tip, frame n."""
        if self.chain.leg.frame:
            parts = (self.configuration.from_base(twist[0:3]), self.configuration.from_base(twist[3:6]))
            return ca.vertcat(*parts)
        return self.configuration.from_base(twist[0:3] + cross(twist[3:6], self.b))

    def tip_acceleration(self, twist: SX, acceleration: SX) -> SX:
        """P A + w x (w x b), frame n."""
        if self.chain.leg.frame:
            return self.tip_motion(acceleration)
        w = twist[3:6]
        spin = cross(acceleration[3:6], self.b) + cross(w, cross(w, self.b))
        return self.configuration.from_base(acceleration[0:3] + spin)

    def at_platform(self, wrench: SX) -> SX:
        """P' f: a wrench at the tip (frame n) at the platform's origin, base axes."""
        force = self.configuration.to_base(wrench[0:3])
        if self.chain.leg.frame:
            return ca.vertcat(force, self.configuration.to_base(wrench[3:6]))
        return ca.vertcat(force, cross(self.b, force))

    @cached_property
    def unit_wrenches(self) -> list[SX]:
        """P' K' e_k: wrenches on the platform's origin that do the work of unit efforts, base axes."""
        units = [self.K.transposed(number(unit)) for unit in np.eye(self.chain.n)]
        return [self.at_platform(unit) for unit in units]

    @cached_property
    def constraints(self) -> list[SX]:
        """C: wrenches at the tip that no joint of the leg feels, frame n."""
        missing = self.chain.equations - self.chain.n
        if missing == 0:
            return []
        if self.chain.equations == 3 and missing == 1:
            return [cross(self.columns[0], self.columns[1])]
        base = self.plan.home_constraints
        result = []
        for k in range(missing):
            column = number(base[:, k])
            # N - J K N: K is a least-squares inverse, so this is the part across the columns.
            moved = self.K.times(column)
            for j, joint in enumerate(self.columns):
                column = column - joint * moved[j]
            result.append(column)
        return result

    @cached_property
    def side(self) -> SX:
        """Determinant of [J, C at home]: changes its sign where the leg changes its branch."""
        return determinant(
            [*self.columns, *[number(c) for c in self.plan.home_constraints.T]],
            np.hstack([self.plan.home_jacobian, self.plan.home_constraints]),
        )


def tip_arm(plan: LegPlan, R: SX) -> SX:
    return times(R, number(plan.chain.platform_point))
