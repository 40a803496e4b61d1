"""M of a mechanism: powers of the wrenches of unit accelerations with unit motions.

Legs that stand on the base and hold a body at one point are felt by the body as a mass there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from linkwork.mechanics.expressions import SX, skew, times, zeros
from linkwork.mechanics.mechanism.closures import Gap, Length
from linkwork.mechanics.mechanism.masses import Moments, RodMasses, body_need, spatial
from linkwork.mechanics.mechanism.motion import AbsoluteMotion
from linkwork.mechanics.mechanism.planning.placement_plan import PlacementBlock, PlacementPlan
from linkwork.mechanics.mechanism.struts import Spin, Strut
from linkwork.model.geometry import Array, vanishes
from linkwork.model.mechanism import BASE, Cylinder, MechanismJoint, Motor, PointSpring, Rod

if TYPE_CHECKING:
    from linkwork.mechanics.mechanism.dynamics import Dynamics
    from linkwork.mechanics.mechanism.serial_tips import Composite, SerialTip


Element = str | Cylinder | Rod | MechanismJoint | Motor
Term = tuple[SX, ...]


@dataclass(frozen=True, eq=False)
class MassMatrix:
    """Of a mechanism at one place."""

    dynamics: Dynamics

    @property
    def plan(self) -> PlacementPlan:
        return self.dynamics.plan

    @property
    def matrix(self) -> SX:
        """M_ij: the power of the wrenches of unit acceleration i with unit motion j."""
        inside = [part for leg in self._legs for part in leg.elements]
        motions = [AbsoluteMotion(state, zeros(3)) for state in self.dynamics.units]
        rest = [each for each in self._all_elements if each not in inside]
        M = self._kinetic(motions, rest, self._carried)
        if self.dynamics.acting.load is not None:
            M = M + self._load_mass(motions)
        return M + self._of_tips(motions) if self._composites else M

    def _load_mass(self, motions: list[AbsoluteMotion]) -> SX:
        tool = self.dynamics.tool
        views = [tool.view(motion.state) for motion in motions]
        moved = [motion.absolute(view)[:0:-1] for motion, view in zip(motions, views, strict=True)]
        return _paired(moved, [body_need(tool.load, views[0].R, zeros(3), al, A) for A, al in moved])

    # Tips: with the host they move as one body; their own joints feel what they always do.

    @cached_property
    def _composites(self) -> list[tuple[SerialTip, Composite]]:
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

    def _of_tips(self, motions: list[AbsoluteMotion]) -> SX:
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

    def _kinetic(
        self, motions: list[AbsoluteMotion], elements: list[Element], carried: dict[str, SX]
    ) -> SX:
        """The matrix of the kinetic energy of some elements in the velocities of some motions."""
        M = SX.zeros(len(motions), len(motions))
        for element in elements:
            for moved, wrenches in self._terms(element, motions, carried):
                M = M + _paired(moved, wrenches)
        return M

    def _terms(
        self, element: Element, motions: list[AbsoluteMotion], carried: dict[str, SX]
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
            swung = [strut.moved(m) for strut, m in zip(struts, motions, strict=True)]
            yield swung, [struts[0].wrench_of(each) for each in swung]
        if isinstance(element, Rod):
            between = RodMasses.of(element).between
            if not between.is_zero():
                ends = [motion.of_ends(element) for motion in motions]
                yield ends, [(between * end, between * start) for start, end in ends]
            if element in self.dynamics.spinning:
                spins = [(Spin(element, m.state).moving(m).change,) for m in motions]
                yield spins, [(element.axial / element.length**2 * spin,) for (spin,) in spins]
            return
        if self.dynamics.acting.rotors and not vanishes(element.rotor):
            terms = element.terms if isinstance(element, Motor) else ((element.name, 1.0),)
            turns = [
                (sum((r * self.dynamics.joint_motion(n, m.state)[2] for n, r in terms), SX(0)),)
                for m in motions
            ]
            yield turns, [(element.rotor * turn,) for (turn,) in turns]

    # What a body carries: masses of struts and legs on the base, as it feels them at one point.

    @cached_property
    def _standing(self) -> set[str]:
        """Struts that stand on the base, whose apparent mass the body at their end carries."""
        found = set()
        for element in self.dynamics.struts:
            if element.joins[0] == BASE:
                tip = Strut(element, self.dynamics.solution.state).ends[1]
                if tip.group == self.plan.of_body[tip.body].group and vanishes(
                    getattr(element, "rotor", 0.0)
                ):
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

    def _leg_motions(self, leg: StandingLeg) -> list[AbsoluteMotion]:
        """Of a leg whose end has unit accelerations along the axes of the body's group."""
        found = []
        for k in range(3):
            unit = zeros(3)
            unit[k] = 1
            found.append(
                AbsoluteMotion(self.dynamics.solution.leg_moved(leg.block, leg.body, unit), zeros(3))
            )
        return found

    @cached_property
    def _legs(self) -> list[StandingLeg]:
        return legs_of(self.plan, self.dynamics.acting.rotors)


def _paired(moved: Sequence[Term], wrenches: Sequence[Term]) -> SX:
    """Powers of wrenches i with motions j, a symmetric matrix of which one half is formed."""
    d = len(moved)
    M = SX.zeros(d, d)
    for i in range(d):
        for j in range(i + 1):
            M[i, j] = M[j, i] = sum(map(ca.dot, moved[j], wrenches[i]), SX(0))
    return M


MANY = 3  # coordinates of a body above which three unit motions of the leg's end cost less


@dataclass(frozen=True, eq=False)
class StandingLeg:
    """A block of the plan, the body that it holds, and the point there at home."""

    block: int
    body: str
    point: Array
    elements: tuple[str | Cylinder | Rod | MechanismJoint | Motor, ...]


def legs_of(plan: PlacementPlan, rotors: bool) -> list[StandingLeg]:
    """Blocks that are legs of a body with more than three coordinates."""
    found = [_leg(plan, k, block, rotors) for k, block in enumerate(plan.blocks)]
    return [leg for leg in found if leg is not None]


def _leg(plan: PlacementPlan, k: int, block: PlacementBlock, rotors: bool) -> StandingLeg | None:
    model, own = plan.model, {placing.body for placing in block.placings}
    if not block.unknowns or any(placing.host not in {BASE, *own} for placing in block.placings):
        return None
    outside = {body for closure in block.closures for body in closure.bodies} - own - {BASE}
    if len(outside) != 1:
        return None
    (body,) = outside
    placing = plan.of_body[body]
    coordinates = sum(terms != () for terms in placing.terms)
    if placing.kind != "pose" or placing.host != BASE or coordinates <= MANY:
        return None
    ends = [_end(closure, body) for closure in block.closures]
    point = ends[0]
    if point is None or any(end is None or not np.array_equal(end, point) for end in ends):
        return None
    for other in plan.placings:
        if other.body not in own and (other.host in own or plan.groups[other.group].root in own):
            return None
    struts: list[Rod | Cylinder | PointSpring] = [*model.rods, *model.cylinders, *model.springs]
    ties = [tie for tie in struts if own & {*tie.joins}]
    elements: list[str | Cylinder | Rod | MechanismJoint | Motor] = [*own]
    for tie in ties:
        if isinstance(tie, Rod) and {*tie.joins} <= own | {body}:
            if not np.array_equal(tie.end if tie.joins[1] == body else tie.start, point):
                return None
            elements.append(tie)
        elif not ({*tie.joins} <= own | {BASE}):
            return None
        elif isinstance(tie, Cylinder):
            elements.append(tie)
    for joint in model.joints:
        if own & {*joint.joins} and rotors and not vanishes(joint.rotor):
            if body in joint.joins:
                return None
            elements.append(joint)
    inside = {joint.name for joint in model.joints if own & {*joint.joins}}
    if any(
        not vanishes(motor.rotor) and inside & {name for name, _ in motor.terms}
        for motor in model.motors
    ):
        return None
    return StandingLeg(k, body, point, tuple(elements))


def _end(closure: object, body: str) -> Array | None:
    """The point of a body that a closure holds."""
    if isinstance(closure, Length):
        strut = closure.element
        return strut.end if strut.joins[1] == body else strut.start
    return closure.element.at if isinstance(closure, Gap) else None
