"""The one symbolic model of any mechanism: bodies, rods, struts, springs, drives, gravity and wrench.

    G_a' tau = M(c) cdd + h(c, cd)

c are the independent coordinates, G_a' what unit efforts of the motors do to them. Loops are solved
block after block forward, forces are carried back the same way (`wrenches.py`); no multiplier of the
whole system and no dense Jacobian is ever formed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from linkwork.mechanics.expressions import SX, number, times
from linkwork.mechanics.linear import solve_positive, solve_symmetric, solved
from linkwork.mechanics.mechanism.applied_forces import AppliedLoads, Drives, Joints, Tool
from linkwork.mechanics.mechanism.blocks import STEPS, Solution, placed
from linkwork.mechanics.mechanism.mass_matrix import MassMatrix
from linkwork.mechanics.mechanism.masses import Moments, RodMasses, body_need, reduced_masses
from linkwork.mechanics.mechanism.motion import AbsoluteMotion
from linkwork.mechanics.mechanism.planning.placement_plan import PlacementPlan, spinning_bodies
from linkwork.mechanics.mechanism.planning.spanning import home_value
from linkwork.mechanics.mechanism.state import Inputs, MechanismState
from linkwork.mechanics.mechanism.struts import Spin, Strut
from linkwork.mechanics.mechanism.wrenches import Wrenches
from linkwork.model.geometry import Array
from linkwork.model.mechanism import BASE, Cylinder, MechanismModel, Rod, motor_terms

if TYPE_CHECKING:
    from linkwork.mechanics.mechanism.serial_tips import SerialTip, TipArm


# Tips are needed when an expression is traced: a kernel from the cache does without.


@dataclass(frozen=True, eq=False)
class Dynamics:
    """A mechanism at the coordinates of `inputs`, which may have rates."""

    plan: PlacementPlan
    inputs: Inputs
    acting: AppliedLoads
    steps: int = STEPS  # of Newton's method, from home
    reducing: bool = False  # whether serial tips are arms of their own, which takes a search

    @cached_property
    def solution(self) -> Solution:
        return placed(self.plan, self.inputs, self.steps)

    @property
    def guard(self) -> SX:
        """1 where all loops close on the branches of home, else not finite."""
        product = SX(1)
        for guard in self.solution.state.guards:
            product = product * guard
        return product

    @property
    def model(self) -> MechanismModel:
        return self.plan.model

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(each.name for each in self.model.coordinates)

    @cached_property
    def joints(self) -> Joints:
        return Joints(self.plan)

    @cached_property
    def drives(self) -> Drives:
        return Drives(self.joints, self.acting)

    @cached_property
    def tool(self) -> Tool:
        return Tool(self.plan, self.acting)

    def joint_motion(self, name: str, state: MechanismState) -> tuple[SX, SX, SX]:
        """Coordinate from home, rate and acceleration of a joint or cylinder."""
        return self.joints.motion(name, state)

    def put_effort(self, wrenches: Wrenches, name: str, effort: SX) -> None:
        """An effort at a joint or cylinder, as needed by both bodies."""
        self.joints.put_effort(wrenches, name, effort)

    @cached_property
    def tips(self) -> tuple[SerialTip, ...]:
        """Serial ends that are arms of their own."""
        from linkwork.mechanics.mechanism.serial_tips import tips_of

        return tips_of(self.plan) if self.reducing else ()

    def masses_with(self, arms: Sequence[TipArm]) -> dict[str, Moments]:
        """Moments of all bodies but those of tips, with what these leave to their hosts."""
        bodies = [body for tip in self.tips for body in tip.bodies]
        left = [(tip.host, arm.left) for tip, arm in zip(self.tips, arms, strict=True)]
        return reduced_masses(self.plan, self.solution.state, bodies, left)

    @cached_property
    def masses(self) -> dict[str, Moments]:
        return self.masses_with([self._reduced_tip(tip) for tip in self.tips])

    def _reduced_tip(self, tip: SerialTip) -> TipArm:
        own = self.acting.gravity.is_constant() and self.acting.base_motion is None
        return tip.standing if tip.host == BASE and own else tip.moving

    @cached_property
    def struts(self) -> tuple[Cylinder | Rod, ...]:
        rubbing = [rod for rod in self.model.rods if any(rod.viscous)]
        return (*self.model.cylinders, *rubbing)

    @cached_property
    def spinning(self) -> tuple[Rod, ...]:
        """Rods whose inertia about their own axis counts, and is not that of a strut already."""
        rods = self.model.rods
        return tuple(r for r in rods if r.axis is not None and r.axial and not any(r.viscous))

    def _rods(self, wrenches: Wrenches, motion: AbsoluteMotion) -> None:
        """The coupling of the accelerations of both ends of a rod."""
        for rod in self.model.rods:
            masses = RodMasses.of(rod)
            if masses.between.is_zero():
                continue
            start, end = wrenches.state.both(rod)
            at_start, at_end = motion.absolute(start)[2], motion.absolute(end)[2]
            wrenches.add(start, masses.between * at_end)
            wrenches.add(end, masses.between * at_start)

    # Motions and forces.

    def moving(self, accelerations: dict[str, SX]) -> MechanismState:
        return self.solution.moved(replace(self.inputs, accelerations=accelerations))

    @cached_property
    def units(self) -> tuple[MechanismState, ...]:
        """Motions from rest under a unit acceleration of each coordinate."""
        inputs = replace(self.inputs, rates={})
        return tuple(
            self.solution.moved(replace(inputs, accelerations={name: SX(1)})) for name in self.names
        )

    def need(self, state: MechanismState) -> SX:
        """What a motion needs at the coordinates, before motors give it, (d)."""
        acting = self.acting
        motion = AbsoluteMotion(state, acting.gravity, acting.base_motion)
        wrenches = Wrenches(state)
        self._inertia(wrenches, motion)
        self._tips(wrenches, motion)
        self._rods(wrenches, motion)
        self.put_struts(wrenches, motion)
        self.put_passive(wrenches, motion)
        return wrenches.swept(self.solution)

    def put_struts(self, wrenches: Wrenches, motion: AbsoluteMotion, at_foot: bool = False) -> None:
        """Cylinders and rods that spin, the mass of cylinders' rods left out."""
        for element in self.struts:
            along = self.drives.along(element, wrenches.state)
            strut = Strut(element, wrenches.state)
            strut.need(wrenches, motion, self.acting.friction, along)
        for rod in self.spinning:
            Spin(rod, wrenches.state).need(wrenches, motion, at_foot)

    def put_passive(self, wrenches: Wrenches, motion: AbsoluteMotion) -> None:
        """Springs, rotors and friction of joints other than struts, load and wrench on the tool."""
        self.drives.put_springs(wrenches)
        self.drives.put_drives(wrenches)
        if not any(tip.has_tool for tip in self.tips):
            self.tool.put_wrench(wrenches)
        self.tool.put_load(wrenches, motion)

    def _inertia(self, wrenches: Wrenches, motion: AbsoluteMotion) -> None:
        state = wrenches.state
        for body, moments in self.masses.items():
            if moments.nothing:
                continue
            wrenches.add_body(body, *body_need(moments, state.turns[body], *motion.body(body)))

    def _tips(self, wrenches: Wrenches, motion: AbsoluteMotion) -> None:
        state = wrenches.state
        for tip in self.tips:
            q, qd, qdd = (
                ca.vertcat(*[of.get(name, SX(0)) for name in tip.names])
                for of in (state.inputs.values, state.rates, state.accelerations)
            )
            wrench = self.acting.wrench if tip.has_tool else None
            torques, force, moment = self._reduced_tip(tip).needs(
                q, qd, qdd, motion.in_body(tip.host), None if wrench is None else -wrench
            )
            for name, torque in zip(tip.names, torques, strict=True):
                wrenches.felt(name, torque)
            if tip.host != BASE:
                turn = state.turns[tip.host]
                wrenches.add_body(tip.host, turn.out(force), turn.out(moment))

    # The public quantities.

    @cached_property
    def actuation(self) -> SX:
        """G_a': what a unit effort of every motor does to the coordinates, (d, n)."""
        columns = [SX(len(self.names), 0)]
        for terms in motor_terms(self.model).values():
            wrenches = Wrenches(self.solution.state)
            for joint, ratio in terms:
                self.put_effort(wrenches, joint, SX(ratio))
            columns.append(wrenches.swept(self.solution))
        return ca.horzcat(*columns)

    def efforts_for(self, generalized: SX) -> SX:
        """tau with G_a' tau = generalized, (d, ...); of more motors than freedoms, the least norm."""
        A, (d, n) = self.actuation, self.actuation.shape
        if n < d:
            raise ValueError("fewer motors than freedoms")
        if n > d:
            return times(A.T, solve_symmetric(times(A, A.T), generalized))
        rows = [[A[i, j] for j in range(n)] for i in range(d)]
        right = [generalized[i, :] for i in range(d)]
        return ca.vertcat(*solved(rows, right, lambda: actuation_at_home(self.plan)))

    def inverse(self, accelerations: dict[str, SX]) -> SX:
        """tau."""
        return self.efforts_for(self.need(self.moving(accelerations)))

    def bias(self) -> SX:
        return self.need(self.moving({}))

    def forward(self, effort: SX) -> SX:
        """cdd."""
        return solve_positive(self.mass_matrix(), times(self.actuation, effort) - self.bias())

    def mass_matrix(self) -> SX:
        return MassMatrix(self).matrix


def dynamics_at_home(plan: PlacementPlan) -> Dynamics:
    values = {each.name: SX(home_value(plan.model, each)) for each in plan.model.coordinates}
    inputs = Inputs(values, spins=frozenset(spinning_bodies(plan.model)))
    return Dynamics(plan, inputs, AppliedLoads(number(plan.model.gravity)))


def mass_matrix_at_home(plan: PlacementPlan) -> Array:
    return np.array(ca.DM(ca.evalf(dynamics_at_home(plan).mass_matrix())))


@lru_cache(maxsize=64)
def actuation_at_home(plan: PlacementPlan) -> Array:
    """What unit efforts of the motors do to the coordinates, (d, n)."""
    return np.array(ca.DM(ca.evalf(dynamics_at_home(plan).actuation)))


SMALLEST = 1e-12  # of the largest eigenvalue, in units in which masses compare


def massless_coordinates(plan: PlacementPlan) -> list[str]:
    """Coordinates that can move without moving any mass, which takes a body without any."""
    if all(part.body.mass or part.body.inertia.any() for part in plan.model.parts):
        return []
    M = mass_matrix_at_home(plan)
    scale = np.sqrt(np.maximum(np.diag(M), 0.0))
    names = [each.name for each in plan.model.coordinates]
    if not scale.all():
        return [name for name, size in zip(names, scale, strict=True) if not size]
    values, vectors = np.linalg.eigh(M / np.outer(scale, scale))
    if values[0] > SMALLEST * values[-1]:
        return []
    return [name for name, part in zip(names, np.abs(vectors[:, 0]), strict=True) if part > 1e-3]
