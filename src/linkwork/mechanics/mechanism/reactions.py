"""Forces and moments in all joints: the sweep of forces once more, with masses where they are.

Multipliers of the closures that solved the blocks are forces of the joints that were cut. Bodies that
were placed by a relation are held by further closures, of which as many are solved for. Closures that
are still left make the mechanism statically indeterminate: any forces of theirs give another solution.
A second one is formed so; where both agree, the reaction is determinate.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from linkwork.mechanics.expressions import SX, cross, number, times, zeros
from linkwork.mechanics.linear import factored
from linkwork.mechanics.mechanism.applied_forces import pull
from linkwork.mechanics.mechanism.closures import Closure, Gap, Level, Twist
from linkwork.mechanics.mechanism.dynamics import Dynamics
from linkwork.mechanics.mechanism.masses import RodMasses, body_need, true_masses
from linkwork.mechanics.mechanism.motion import AbsoluteMotion
from linkwork.mechanics.mechanism.planning.placement_plan import (
    PlacementPlan,
    Placing,
    complete_pivoting,
    home_jacobian,
    unknown_columns,
)
from linkwork.mechanics.mechanism.state import MechanismState
from linkwork.mechanics.mechanism.struts import Spin, Strut
from linkwork.mechanics.mechanism.wrenches import Wrench, Wrenches
from linkwork.model.geometry import Array
from linkwork.model.mechanism import BASE, Coupling, Cylinder, MechanismJoint, Rod, motor_terms


@dataclass(frozen=True)
class Gear:
    """A coupling, which may load all joints that it couples."""

    coupling: Coupling

    @property
    def key(self) -> tuple[str, object]:
        return "coupling", self.coupling.terms


Holding = Closure | Gear


@dataclass(frozen=True, eq=False)
class Holds:
    """Which redundant closures hold the bodies that follow others, chosen at home."""

    plan: PlacementPlan

    @cached_property
    def related(self) -> list[tuple[Placing, int]]:
        """Coordinates that follow others, by placing and place in it."""
        return [
            (placing, k)
            for placing in self.plan.placings
            for k, terms in enumerate(placing.terms)
            if terms is not None and terms != ((placing.names[k], 1.0),)
        ]

    @cached_property
    def candidates(self) -> list[Holding]:
        return [*self.plan.redundant, *(Gear(each) for each in self.plan.model.couplings)]

    @cached_property
    def _choice(self) -> tuple[list[int], tuple[tuple[int, int], ...]]:
        """Candidates that are solved for, and the order of elimination (rows: related coordinates)."""
        unknown = unknown_columns(self.plan.placings)
        blocks = [closure for block in self.plan.blocks for closure in block.closures]
        extra = self._rows(self.candidates, self.related)
        if unknown:
            inner = np.linalg.solve(self._rows(blocks, unknown), self._rows(blocks, self.related))
            extra = extra - self._rows(self.candidates, unknown) @ inner
        order, _ = complete_pivoting(extra.T, least=1e-9)
        chosen = [column for _, column in order]
        return chosen, tuple((row, k) for k, (row, _) in enumerate(order))

    @property
    def chosen(self) -> list[Holding]:
        return [self.candidates[k] for k in self._choice[0]]

    @property
    def left(self) -> list[Holding]:
        """Redundant closures, whose forces statics does not tell."""
        return [each for k, each in enumerate(self.candidates) if k not in self._choice[0]]

    @property
    def pivots(self) -> tuple[tuple[int, int], ...]:
        return self._choice[1]

    def _rows(
        self, closures: list[Holding] | list[Closure], columns: list[tuple[Placing, int]]
    ) -> Array:
        """Rates of closures per unit rates of coordinates of the tree, at home."""
        plan, equations = self.plan, [c for c in closures if isinstance(c, Closure)]
        J = home_jacobian(plan.groups, plan.placed, equations, columns, plan.model.size)
        gears = [closure for closure in closures if isinstance(closure, Gear)]  # after the equations
        rows = np.zeros((len(gears), len(columns)))
        for row, gear in zip(rows, gears, strict=True):
            for name, ratio in gear.coupling.terms:
                row += [ratio * (placing.names[k] == name) for placing, k in columns]
        return np.vstack([J, rows])


def is_determinate(plan: PlacementPlan) -> bool:
    return not Holds(plan).left


# Of the redundant closures, for a second solution: no two alike, none special.
WEIGHTS = np.random.default_rng(7).uniform(0.3, 1.0, 400)


@dataclass
class Recorded(Wrenches):
    """Wrenches that remember what went through every placing and closure."""

    passed: dict[str, Wrench] = field(default_factory=dict)
    multipliers: dict[object, SX] = field(default_factory=dict)

    def multiply(self, closure: Closure, multiplier: SX) -> None:
        self.multipliers[closure.key] = self.multipliers.get(closure.key, SX(0)) + multiplier
        closure.put(self, multiplier)

    def passing(self, placing: Placing, force: SX, moment: SX) -> None:
        self.passed[placing.body] = (force, moment)

    def _distribute(self, placing: Placing, k: int, effort: SX) -> None:
        """Bodies that follow others are held by closures: what they feel stays with them."""
        self.felt(placing.names[k], effort)


def to_base(state: MechanismState, group: int | None, v: SX) -> SX:
    """A vector in a group's axes, in those of the base."""
    if group is None:
        return v
    there = state.plan.groups[group]
    if there.root == BASE:
        return times(number(there.C), v)
    outer = state.plan.of_body[there.root].group
    return to_base(state, outer, state.turns[there.root].out(times(number(state.step(group)), v)))


@dataclass(frozen=True, eq=False)
class Reactions:
    """Of a mechanism in motion under the efforts that the motion needs."""

    dynamics: Dynamics
    accelerations: dict[str, SX]

    @cached_property
    def state(self) -> MechanismState:
        return self.dynamics.moving(self.accelerations)

    @cached_property
    def motion(self) -> AbsoluteMotion:
        acting = self.dynamics.acting
        return AbsoluteMotion(self.state, acting.gravity, acting.base_motion)

    @cached_property
    def efforts(self) -> dict[str, SX]:
        """Of all joints and cylinders with a motor, alone or through ratios."""
        tau = self.dynamics.efforts_for(self.dynamics.need(self.state))
        found: dict[str, SX] = {}
        for k, terms in enumerate(motor_terms(self.dynamics.model).values()):
            for joint, ratio in terms:
                found[joint] = found.get(joint, SX(0)) + ratio * tau[k]
        return found

    @cached_property
    def holds(self) -> Holds:
        return Holds(self.dynamics.plan)

    def solved(self, second: bool = False) -> Recorded:
        """All wrenches; the second solution loads what statics leaves open."""
        loads = self._needed(Recorded(self.state))
        if second:
            size = sum((effort * effort for effort in self.efforts.values()), SX(1e-6)) ** 0.5
            for weight, holding in zip(WEIGHTS, self.holds.left, strict=False):
                self._hold(loads, holding, float(weight) * size)
        self._balance_related(loads)
        loads.swept(self.dynamics.solution)
        return loads

    def solutions(self) -> Iterator[tuple[str, list[tuple[str, SX, SX]]]]:
        """All joints' wrenches; a second time, named "_other", where statics leaves them open."""
        for suffix in ("", "_other") if self.holds.left else ("",):
            yield suffix, [*self.joints(self.solved(second=bool(suffix)))]

    def _needed(self, wrenches: Recorded) -> Recorded:
        dynamics, state, motion = self.dynamics, self.state, self.motion
        for body, moments in true_masses(dynamics.plan, state).items():
            if not moments.nothing:
                wrenches.add_body(body, *body_need(moments, state.turns[body], *motion.body(body)))
        for rod in dynamics.model.rods:
            start, end = state.both(rod)
            at_start, at_end = self.rod_inertia(rod)
            wrenches.add(start, at_start)
            wrenches.add(end, at_end)
        dynamics.put_struts(wrenches, motion, at_foot=True)
        for cylinder in dynamics.model.cylinders:
            tip = state.both(cylinder)[1]
            wrenches.add(tip, cylinder.rod.mass * motion.absolute(tip)[2])
        dynamics.put_passive(wrenches, motion)
        for name, effort in self.efforts.items():
            dynamics.put_effort(wrenches, name, -effort)
        return wrenches

    def rod_inertia(self, rod: Rod) -> tuple[SX, SX]:
        """What the mass of a thin rod needs at both ends."""
        masses = RodMasses.of(rod)
        A, B = self.motion.of_ends(rod)
        return masses.start * A + masses.between * B, masses.between * A + masses.end * B

    def _balance_related(self, loads: Recorded) -> None:
        holds, solution = self.holds, self.dynamics.solution
        if not holds.related:
            return
        names = [placing.names[k] for placing, k in holds.related]
        trial = Recorded(self.state, dict(loads.of_body), dict(loads.of_root), dict(loads.at_joint))
        trial.swept(solution)
        right = [-trial.at_joint.get(name, SX(0)) for name in names]
        columns = []
        for holding in holds.chosen:
            unit = Recorded(self.state)
            self._hold(unit, holding, SX(1))
            unit.swept(solution)
            columns.append([unit.at_joint.get(name, SX(0)) for name in names])
        kept = [row for row, _ in holds.pivots]
        rows = [[column[row] for column in columns] for row in kept]
        pivots = tuple((k, column) for k, (_, column) in enumerate(holds.pivots))
        multipliers = factored(rows, pivots).solve([right[row] for row in kept]) if rows else []
        for holding, multiplier in zip(holds.chosen, multipliers, strict=True):
            self._hold(loads, holding, multiplier)

    def _hold(self, wrenches: Recorded, holding: Holding, multiplier: SX) -> None:
        if isinstance(holding, Gear):
            for name, ratio in holding.coupling.terms:
                self.dynamics.put_effort(wrenches, name, ratio * multiplier)
        else:
            wrenches.multiply(holding, multiplier)

    # What goes through the joints, by name: force and moment on the second body, base axes.

    def joints(self, loads: Recorded) -> Iterator[tuple[str, SX, SX]]:
        """Of every joint about its point, every rod at both ends, every cylinder at ends and slide.

        Of a joint: what the first body does to the second; rotor and friction of the joint itself are
        not included. A rod or cylinder: `name start` is what the first body does to it, `name end` what
        it does to the second, `name slide` what a barrel does to its rod, about the start.
        """
        for joint in self.dynamics.model.joints:
            yield joint.name, *self._joint(joint, loads)
        for rod in self.dynamics.model.rods:
            yield from self._rod(rod, loads)
        for cylinder in self.dynamics.model.cylinders:
            yield from self._cylinder(cylinder, loads)

    def _joint(self, joint: MechanismJoint, loads: Recorded) -> tuple[SX, SX]:
        state, plan = self.state, self.dynamics.plan
        placing = next((p for p in reversed(plan.placings) if p.joint == joint.name), None)
        if placing is not None:
            F, N = loads.passed.get(placing.body, (zeros(3), zeros(3)))
            there = state.view(joint.joins[1], joint.at, placing.group)
            N = N - cross(there.p - state.p[placing.body], F)
            F, N = (placing.sense * to_base(state, placing.group, each) for each in (F, N))
            return F, N
        a, b = state.both(joint)
        force, moment = zeros(3), zeros(3)
        for closure in (*plan.redundant, *(c for block in plan.blocks for c in block.closures)):
            multiplier = loads.multipliers.get(closure.key)
            if multiplier is None or closure.key[0] != joint.name:
                continue
            if isinstance(closure, Gap):
                force[closure.direction] -= multiplier
            elif isinstance(closure, Level):
                n, m = state.seen_direction(a, closure.of_a), state.seen_direction(b, closure.of_b)
                moment = moment - multiplier * cross(m, n)
        return to_base(state, a.group, force), to_base(state, a.group, moment)

    def _rod(self, rod: Rod, loads: Recorded) -> Iterator[tuple[str, SX, SX]]:
        state = self.state
        a, b = state.both(rod)
        start, end = self.rod_inertia(rod)
        along = loads.multipliers.get((rod.name, "length"), SX(0)) * (b.p - a.p)
        start, end = start - along, end + along
        at_start, at_end = zeros(3), zeros(3)
        if rod in self.dynamics.spinning:
            spin = Spin(rod, state)
            f, moment = spin.wrench(self.motion)
            start, end, at_start = start - f, end + f, moment
        elif any(rod.viscous):
            strut = Strut(rod, state)
            load = strut.load(self.motion, self.dynamics.acting.friction)
            end, start = end + strut.from_components(load.tip), start + strut.from_components(load.foot)
            at_start = strut.from_components(load.at_foot)
        twist = loads.multipliers.get((rod.name, "twist"))
        if twist is not None:
            closure = Twist(rod)
            _, _, near, far = closure.ties(state)
            f = twist * (near.swing - far.swing)
            start, end = start - f, end + f
            at_start = at_start + twist * rod.length * near.turn
            at_end = at_end - twist * rod.length * far.turn
        group = a.group
        yield f"{rod.name} start", to_base(state, group, start), to_base(state, group, at_start)
        yield f"{rod.name} end", -to_base(state, group, end), -to_base(state, group, at_end)

    def _cylinder(self, cylinder: Cylinder, loads: Recorded) -> Iterator[tuple[str, SX, SX]]:
        strut = Strut(cylinder, self.state)
        group = strut.ends[0].group
        for part, wrench in self.in_cylinder(strut, loads).items():
            force, moment = (to_base(self.state, group, strut.from_components(each)) for each in wrench)
            yield f"{cylinder.name} {part}", force, moment

    def in_cylinder(self, strut: Strut, loads: Recorded) -> dict[str, tuple[SX, SX]]:
        """Force and moment at its start, in its slide and at its end, in its own components."""
        cylinder, dynamics = strut.element, self.dynamics
        assert isinstance(cylinder, Cylinder)
        rotor, rubbing = dynamics.drives.effort(cylinder.name, self.state)
        push = self.efforts.get(cylinder.name, SX(0)) - rotor - rubbing
        if cylinder.spring is not None:
            push = push - pull(cylinder.spring, strut.frame[0])
        held = loads.multipliers.get((cylinder.name, "length"))
        if held is not None:  # its length is a coordinate: the multiplier is what holds it
            push = -held * strut.frame[0]
        sideways = loads.multipliers.get((cylinder.name, "plane"), SX(0))
        return strut.reactions(self.motion, push, sideways, dynamics.acting.friction)
