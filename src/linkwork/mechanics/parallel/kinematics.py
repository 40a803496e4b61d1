"""Position and velocity of the whole robot: legs, parasitic coordinates, T and A0.

Rows g_i = C_i' P_i say which twists the legs allow. With parasitic coordinates u,

    U = -(G B_u)^-1 G B_c,   T = B_c + B_u U,   ud = U cd,

and their positions follow by Newton's method together with the legs.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import casadi as ca

from linkwork.mechanics.expressions import SX, times
from linkwork.mechanics.parallel.chain import Configuration
from linkwork.mechanics.parallel.coordinates import Pose, chosen, pose_of, spread
from linkwork.mechanics.parallel.left_inverse import Tall
from linkwork.mechanics.parallel.leg_motion import drift_at_tip
from linkwork.mechanics.parallel.mechanism import LegPlan, LegState, Mechanism, tip_arm
from linkwork.mechanics.parallel.newton import closure_error, in_frame0, moved, newton

PARASITIC_STEPS = 4
PARASITIC_STEPS_WITH_NEWTON = 6


@dataclass(frozen=True, eq=False)
class Posture:
    """The robot at coordinates c."""

    mechanism: Mechanism
    pose: Pose
    legs: tuple[LegState, ...]

    @cached_property
    def _rows(self) -> list[SX]:
        """g_i: wrenches on the platform that legs resist without effort, base axes."""
        return [leg.at_platform(c) for leg in self.legs for c in leg.constraints]

    @cached_property
    def parasitic_matrix(self) -> SX:
        """G B_u: singular where the legs do not determine the parasitic coordinates."""
        if not self.mechanism.model.parasitic:
            return SX.zeros(0, 0)
        B = chosen(self.pose.B, self.mechanism.model.dependent)
        return times(ca.horzcat(*self._rows).T, B)

    @cached_property
    def _parasitic(self) -> Tall:
        matrix = self.parasitic_matrix
        return Tall.of([matrix[:, k] for k in range(matrix.shape[1])])

    @cached_property
    def _follow(self) -> SX:
        """U (parasitic x freedoms)."""
        B = chosen(self.pose.B, self.mechanism.model.independent)
        G = ca.horzcat(*self._rows).T
        return ca.horzcat(*[-self._parasitic.times(times(G, B[:, k])) for k in range(B.shape[1])])

    @cached_property
    def T(self) -> SX:
        model = self.mechanism.model
        B = chosen(self.pose.B, model.independent)
        if model.parasitic:
            B = B + times(chosen(self.pose.B, model.dependent), self._follow)
        return ca.densify(B)

    def parasitic_correction(self, errors: list[SX]) -> SX:
        """du for closure errors of the legs (a Newton step)."""
        misses = [
            ca.dot(c, e) for leg, e in zip(self.legs, errors, strict=True) for c in leg.constraints
        ]
        return -self._parasitic.times(ca.vertcat(*misses))

    def twist(self, cd: SX) -> SX:
        return ca.densify(times(self.T, cd))

    def drift(self, cd: SX) -> SX:
        """A0: the platform's acceleration when the coordinates do not accelerate."""
        model = self.mechanism.model
        rates = spread(model.independent, cd)
        if not model.parasitic:
            return self.pose.drift(rates)
        rates = rates + spread(model.dependent, times(self._follow, cd))
        drift, twist = self.pose.drift(rates), self.twist(cd)
        misses = []
        for leg in self.legs:
            if leg.constraints:
                own = drift_at_tip(leg, twist)
                miss = own - leg.tip_acceleration(twist, drift)
                misses += [ca.dot(c, miss) for c in leg.constraints]
        udd = self._parasitic.times(ca.vertcat(*misses))
        return drift + times(chosen(self.pose.B, model.dependent), udd)

    @cached_property
    def guard(self) -> SX:
        """One where all legs close on their home branch, else not finite."""
        kept = SX(1)
        size = self.mechanism.tolerance
        for leg in self.legs:
            if leg.plan.form is None or (leg.constraints and self.mechanism.model.parasitic):
                error = closure_error(leg.configuration, self.pose.position, self.pose.R)
                kept = ca.logic_and(kept, ca.sumsqr(error) < size * size)
            if leg.plan.form is None:
                kept = ca.logic_and(kept, leg.side * leg.plan.home_side > 0)
        return SX(1) if kept.is_constant() else 1 / ca.if_else(kept, 1, 0)


def _solved(plan: LegPlan, pose: Pose) -> Configuration:
    if plan.form is None:
        return newton(plan.home, pose.position, pose.R)
    b = tip_arm(plan, pose.R)
    return Configuration(plan.chain, plan.form.place(in_frame0(plan.chain, pose.position + b)))


def _posture(mechanism: Mechanism, pose: Pose, found: list[Configuration]) -> Posture:
    legs = tuple(
        LegState(plan, configuration, tip_arm(plan, pose.R))
        for plan, configuration in zip(mechanism.legs, found, strict=True)
    )
    return Posture(mechanism, pose, legs)


def posture(mechanism: Mechanism, c: SX) -> Posture:
    """The robot at coordinates c, its legs on their home branches."""
    model = mechanism.model
    if not model.parasitic:
        pose = pose_of(model, c)
        return _posture(mechanism, pose, [_solved(plan, pose) for plan in mechanism.legs])
    iterated = [plan.form is None for plan in mechanism.legs]
    u = SX(ca.DM([model.home[place] for place in model.dependent]))
    found = [plan.home for plan in mechanism.legs]
    for _ in range(PARASITIC_STEPS_WITH_NEWTON if any(iterated) else PARASITIC_STEPS):
        pose = pose_of(model, c, u)
        found = [
            here if iterated[k] else _solved(mechanism.legs[k], pose) for k, here in enumerate(found)
        ]
        state = _posture(mechanism, pose, found)
        errors = [closure_error(here, pose.position, pose.R) for here in found]
        du = state.parasitic_correction(errors)
        twist = times(chosen(pose.B, model.dependent), du)
        for k, leg in enumerate(state.legs):
            if iterated[k]:
                found[k] = moved(found[k], leg.K.times(errors[k] + leg.tip_motion(twist)))
        u = u + du
    pose = pose_of(model, c, u)
    found = [here if iterated[k] else _solved(mechanism.legs[k], pose) for k, here in enumerate(found)]
    return _posture(mechanism, pose, found)
