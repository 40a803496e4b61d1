"""M of a mechanism: powers of the wrenches of unit accelerations with unit motions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import casadi as ca

from linkwork.mechanics.expressions import SX, skew, times, zeros
from linkwork.mechanics.mechanism.inertial import body_need, spatial
from linkwork.mechanics.mechanism.legs import Leg, legs_of
from linkwork.mechanics.mechanism.masses import Moments, RodMasses
from linkwork.mechanics.mechanism.motion import Motion
from linkwork.mechanics.mechanism.plan import Plan, Terms
from linkwork.mechanics.mechanism.state import State
from linkwork.mechanics.mechanism.struts import Spin, Strut
from linkwork.robots.geometry import vanishes
from linkwork.robots.mechanism import BASE, Cylinder, MechanismJoint, Motor, Rod

if TYPE_CHECKING:
    from linkwork.mechanics.mechanism.dynamics import Dynamics
    from linkwork.mechanics.mechanism.tip_arm import Composite
    from linkwork.mechanics.mechanism.tips import Tip

Element = str | Cylinder | Rod | MechanismJoint | Motor
Term = tuple[SX, ...]


@dataclass(frozen=True, eq=False)
class MassMatrix:
    """Of a mechanism at one place."""

    dynamics: Dynamics

    @property
    def plan(self) -> Plan:
        return self.dynamics.plan

    @cached_property
    def _units(self) -> list[State]:
        """Motions at rest under unit accelerations of each coordinate."""
        inputs = replace(self.dynamics.inputs, rates={})
        return [
            self.dynamics.solution.moved(replace(inputs, accelerations={name: SX(1)}))
            for name in self.dynamics.names
        ]

    @property
    def matrix(self) -> SX:
        """M_ij: the power of the wrenches of unit acceleration i with unit motion j."""
        inside = [part for leg in self._legs for part in leg.elements]
        motions = [Motion(state, zeros(3)) for state in self._units]
        rest = [each for each in self._all_elements if each not in inside]
        M = self._kinetic(motions, rest, self._carried)
        if self.dynamics.acting.load is not None:
            M = M + self._load_mass(motions)
        return M + self._of_tips(motions) if self._composites else M

    def _load_mass(self, motions: list[Motion]) -> SX:
        tool = self.dynamics.tool
        views = [tool.view(motion.state) for motion in motions]
        moved = [motion.absolute(view)[:0:-1] for motion, view in zip(motions, views, strict=True)]
        return _paired(moved, [body_need(tool.load, views[0].R, zeros(3), al, A) for A, al in moved])

    # Tips: with the host they move as one body; their own joints feel what they always do.

    @cached_property
    def _composites(self) -> list[tuple[Tip, Composite]]:
        values = self.dynamics.inputs.values
        return [
            (tip, tip.inertia.composite(ca.vertcat(*[values[name] for name in tip.names])))
            for tip in self.dynamics.tips
        ]

    @cached_property
    def masses(self) -> dict[str, Moments]:
        """Of bodies, hosts with their tips."""
        found = self.dynamics.masses_with([tip.inertia for tip in self.dynamics.tips])
        for tip, composite in self._composites:
            if tip.host != BASE:
                found[tip.host] = found[tip.host] + composite.whole
        return found

    def _of_tips(self, motions: list[Motion]) -> SX:
        """Of the coordinates of tips among each other and with those that move their hosts."""
        names = self.dynamics.names
        M = SX.zeros(len(names), len(names))
        for tip, composite in self._composites:
            places = [names.index(name) for name in tip.names]
            M[places, places] = composite.M
            for i in [k for k in range(len(names)) if k not in places]:
                _, al, A = motions[i].in_body(tip.host)
                for j, (force, moment) in zip(places, composite.wrenches, strict=True):
                    M[i, j] = M[j, i] = ca.dot(A, force) + ca.dot(al, moment)
        return M

    @cached_property
    def _all_elements(self) -> list[Element]:
        """Everything that has inertia: bodies by name, struts, rods, what has a rotor."""
        found: list[Element] = [body for body, m in self.masses.items() if not m.nothing]
        found += [body for body in self._carried if body not in found]
        found += [each for each in self.plan.model.cylinders if each.name not in self._standing]
        found += [
            rod
            for rod in self.plan.model.rods
            if not all(map(vanishes, (rod.mass, rod.across, rod.axial)))
        ]
        if self.dynamics.acting.rotors:
            found += [
                each
                for each in self.plan.model.elements
                if not vanishes(each.rotor) and each not in found
            ]
            found += [motor for motor in self.plan.model.motors if not vanishes(motor.rotor)]
        return found

    def _kinetic(self, motions: list[Motion], elements: list[Element], carried: dict[str, SX]) -> SX:
        """The matrix of the kinetic energy of some elements in the velocities of some motions."""
        M = SX.zeros(len(motions), len(motions))
        for element in elements:
            for moved, wrenches in self._terms(element, motions, carried):
                M = M + _paired(moved, wrenches)
        return M

    def _terms(
        self, element: Element, motions: list[Motion], carried: dict[str, SX]
    ) -> Iterator[tuple[Sequence[Term], Sequence[Term]]]:
        """Accelerations of an element in every motion, and what goes with them."""
        if isinstance(element, str):
            turn, moments = self.dynamics.solution.state.turns[element], self.masses[element]
            moved = [motion.body(element)[:0:-1] for motion in motions]
            extra = carried.get(element)
            if extra is None and turn.matrix is None:
                still = zeros(3)
                yield moved, [body_need(moments, turn, still, al, A) for A, al in moved]
                return
            matrix = spatial(moments, turn, extra)
            both = [times(matrix, ca.vertcat(A, al)) for A, al in moved]
            yield moved, [(each[0:3], each[3:6]) for each in both]
            return
        # The spin of a rod that stands on the base is part of what the body at its end carries.
        carried_spin = isinstance(element, Rod) and element.name in self._standing
        if element in self.dynamics.struts and not carried_spin:
            struts = [Strut(element, motion.state) for motion in motions]
            swung = [strut.moved(m.absolute) for strut, m in zip(struts, motions, strict=True)]
            yield swung, [struts[0].wrench_of(each) for each in swung]
        if isinstance(element, Rod):
            between = RodMasses.of(element).between
            if not between.is_zero():
                ends = [self._ends(element, motion) for motion in motions]
                yield ends, [(between * end, between * start) for start, end in ends]
            if element in self.dynamics.spinning:
                spins = [(Spin(element, m.state).motion(m.absolute).change,) for m in motions]
                yield spins, [(element.axial / element.length**2 * spin,) for (spin,) in spins]
            return
        if self.dynamics.acting.rotors and not vanishes(element.rotor):
            terms = element.terms if isinstance(element, Motor) else ((element.name, 1.0),)
            turns = [
                (sum((r * self.dynamics.joint_motion(n, m.state)[2] for n, r in terms), SX(0)),)
                for m in motions
            ]
            yield turns, [(element.rotor * turn,) for (turn,) in turns]

    def _turn(self, terms: Terms, motion: Motion) -> SX:
        """Acceleration of what has a rotor: a joint, or a motor with ratios."""
        moved = [ratio * self.dynamics.joint_motion(name, motion.state)[2] for name, ratio in terms]
        return sum(moved, SX(0))

    def _ends(self, rod: Rod, motion: Motion) -> tuple[SX, SX]:
        start, end = motion.state.both(rod.joins, rod.start, rod.end)
        return motion.absolute(start)[2], motion.absolute(end)[2]

    # What a body carries: masses of struts and legs on the base, as it feels them at one point.

    @cached_property
    def _standing(self) -> set[str]:
        """Struts that stand on the base, whose apparent mass the body at their end carries."""
        found = set()
        for element in self.dynamics.struts:
            if element.joins[0] == BASE:
                tip = Strut(element, self.dynamics.solution.state).ends[1]
                if tip.group == self.plan.of_body[tip.body].group and not getattr(element, "rotor", 0.0):
                    found.add(element.name)
        return found

    @cached_property
    def _carried(self) -> dict[str, SX]:
        """6 x 6 matrices of bodies."""
        found: dict[str, SX] = {}

        def carry(body: str, lever: SX, Q: SX) -> None:
            q = skew(lever)
            qQ = times(q, Q)
            matrix = ca.vertcat(ca.horzcat(Q, qQ.T), ca.horzcat(qQ, -times(qQ, q)))
            found[body] = found[body] + matrix if body in found else matrix

        state = self.dynamics.solution.state
        for element in self.dynamics.struts:
            if element.name in self._standing:
                strut = Strut(element, state)
                carry(element.joins[1], strut.ends[1].lever, strut.apparent_mass())
        for leg in self._legs:
            lever = state.view(leg.body, leg.point, self.plan.of_body[leg.body].group).lever
            carry(leg.body, lever, self._kinetic(self._leg_motions(leg), list(leg.elements), {}))
        return found

    def _leg_motions(self, leg: Leg) -> list[Motion]:
        """Of a leg whose end has unit accelerations along the axes of the body's group."""
        found = []
        for k in range(3):
            unit = zeros(3)
            unit[k] = 1
            found.append(Motion(self.dynamics.solution.leg_moved(leg.block, leg.body, unit), zeros(3)))
        return found

    @cached_property
    def _legs(self) -> list[Leg]:
        return legs_of(self.plan, self.dynamics.acting.rotors)


def _paired(moved: Sequence[Term], wrenches: Sequence[Term]) -> SX:
    """Powers of wrenches i with motions j, a symmetric matrix of which one half is formed."""
    d = len(moved)
    M = SX.zeros(d, d)
    for i in range(d):
        for j in range(i + 1):
            M[i, j] = M[j, i] = sum(map(ca.dot, moved[j], wrenches[i]), SX(0))
    return M
