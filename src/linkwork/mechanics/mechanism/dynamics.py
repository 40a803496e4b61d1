"""The one symbolic model of any mechanism: bodies, rods, struts, springs, drives, gravity and wrench.

    G_a' tau = M(c) cdd + h(c, cd)

c are the independent coordinates, G_a' what unit efforts of the motors do to them. Loops are solved
block after block forwards, forces are carried back the same way (`wrenches.py`); no multiplier of the
whole system and no dense Jacobian is ever formed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import casadi as ca
import numpy as np

from linkwork.mechanics.bodies import CompositeBody
from linkwork.mechanics.expressions import (
    SX,
    cross,
    number,
    operator,
    skew,
    squared,
    times,
    turning,
    vector,
    zeros,
)
from linkwork.mechanics.linear import solve_orthogonal, solve_symmetric
from linkwork.mechanics.mechanism.blocks import STEPS, Solution, placed
from linkwork.mechanics.mechanism.legs import Leg, legs_of
from linkwork.mechanics.mechanism.masses import Moments, RodMasses, reduced_masses
from linkwork.mechanics.mechanism.plan import Plan
from linkwork.mechanics.mechanism.solving import Cramer
from linkwork.mechanics.mechanism.state import Inputs, State, View, clean
from linkwork.mechanics.mechanism.struts import Spin, Strut, congruent
from linkwork.mechanics.mechanism.turns import Turn
from linkwork.mechanics.mechanism.wrenches import Wrenches
from linkwork.robots.geometry import Array, Transform
from linkwork.robots.mechanism import (
    BASE,
    Cylinder,
    MechanismJoint,
    MechanismModel,
    Motor,
    Rod,
    Spring,
)

Element = str | Cylinder | Rod | MechanismJoint | Motor
Term = tuple[SX, ...]
SMALLEST = 1e-13  # of the determinant at home: rounding error of a singular matrix
Root = tuple[SX, SX, SX]  # angular velocity, angular acceleration, acceleration less gravity


@dataclass(frozen=True, eq=False)
class Acting:
    """What acts besides the motion: gravity (base axes), base motion, a wrench on the tool, a load."""

    gravity: SX
    base_motion: SX | None = None
    wrench: SX | None = None
    load: CompositeBody | None = None
    friction: bool = True
    rotors: bool = True
    slip: dict[str, SX] | None = None


class Motion:
    """A state in motion with the absolute motion of its groups' roots."""

    def __init__(self, state: State, gravity: SX, base_motion: SX | None = None) -> None:
        self.state = state
        self.plan = state.plan
        self.gravity = gravity
        self.base_motion = base_motion
        self._roots: dict[int, Root] = {}

    def root(self, group: int) -> Root:
        """Of the root of a group at the group's origin, in the group's axes."""
        if group not in self._roots:
            self._roots[group] = self._root(group)
        return self._roots[group]

    def _root(self, group: int) -> Root:
        there = self.plan.groups[group]
        if there.root == BASE:
            C = number(there.C).T
            if self.base_motion is None:
                return zeros(3), zeros(3), -times(C, self.gravity)
            w, al = self.base_motion[0:3], self.base_motion[3:6]
            o = number(there.origin)
            a = self.base_motion[6:9] + cross(al, o) + cross(w, cross(w, o)) - self.gravity
            return times(C, w), times(C, al), times(C, a)
        state, body = self.state, there.root
        w, al, A = self.body(body)
        turn, K = state.turns[body], number(state.step(group)).T
        rho = turn.out(state.offset_in(body, there.origin))
        A = A + cross(al, rho) + squared(w, rho)
        return tuple(times(K, turn.back(each)) for each in (w, al, A))  # type: ignore[return-value]

    def body(self, body: str) -> Root:
        """Of a body at its origin, in the axes of its group."""
        state = self.state
        none = zeros(3)
        return self._moved(
            state.plan.of_body[body].group,
            state.p[body],
            *(of.get(body, none) for of in (state.v, state.a, state.w, state.al)),
        )

    def absolute(self, view: View) -> Root:
        """Of a viewed point, in the axes of the view."""
        if view.group is None:
            return zeros(3), zeros(3), -self.gravity
        return self._moved(view.group, view.p, view.v, view.a, view.w, view.al)

    def _moved(self, group: int, p: SX, v: SX, a: SX, w_rel: SX, al_rel: SX) -> Root:
        w, al, A = self.root(group)
        if w.is_zero() and al.is_zero():
            return w_rel, al_rel, A + a
        moved = A + times(operator(w, al), p) + 2 * cross(w, v) + a
        return w + w_rel, al + al_rel + cross(w, w_rel), moved


def body_need(moments: Moments, turn: Turn, w: SX, al: SX, A: SX) -> tuple[SX, SX]:
    """Force and moment about its origin that a body's motion needs, in group axes."""
    h = turn.out(moments.h)
    if w[0].is_zero() and w[1].is_zero() and al[0].is_zero() and al[1].is_zero():
        thd, fast = al[2], -w[2] * w[2]
        F = moments.m * A + vector(fast * h[0] - thd * h[1], fast * h[1] + thd * h[0], 0)
        J = turned_moments(moments.J, turn)
        Nx = -thd * J[0, 2] - fast * J[1, 2]
        Ny = fast * J[0, 2] - thd * J[1, 2]
        about = moments.J if turn.matrix is None else J  # a turn about z leaves the sum as it is
        Nz = (about[0, 0] + about[1, 1]) * thd
        return F, vector(Nx, Ny, Nz) + cross(h, A)
    U = operator(w, al)
    F = moments.m * A + times(U, h)
    if turn.matrix is not None:
        own = operator(turn.back(w), turn.back(al))
        return F, turn.out(turning(own, moments.J)) + cross(h, A)
    J = turned_moments(moments.J, turn)
    return F, turning(U, J) + cross(h, A)


def turned_moments(J: SX, turn: Turn) -> SX:
    """T J T' of a symmetric J."""
    if turn.matrix is not None:
        return times(times(turn.matrix, J), turn.matrix.T)
    if turn.pair is None:
        return J
    c, s = turn.pair
    mean, half, cc = (J[0, 0] + J[1, 1]) / 2, (J[0, 0] - J[1, 1]) / 2, c * c - s * s
    double = 2 * c * s
    change = half * cc - J[0, 1] * double
    xy = half * double + J[0, 1] * cc
    xz, yz = c * J[0, 2] - s * J[1, 2], s * J[0, 2] + c * J[1, 2]
    return ca.vertcat(
        ca.horzcat(mean + change, xy, xz),
        ca.horzcat(xy, mean - change, yz),
        ca.horzcat(xz, yz, J[2, 2]),
    )


@dataclass(frozen=True, eq=False)
class Dynamics:
    """A mechanism at the coordinates of `inputs`, which may have rates."""

    plan: Plan
    inputs: Inputs
    acting: Acting
    steps: int = STEPS  # of Newton's method, from home

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
    def masses(self) -> dict[str, Moments]:
        return reduced_masses(self.plan, self.solution.state)

    # Elements.

    @cached_property
    def _elements(self) -> dict[str, MechanismJoint | Cylinder]:
        return {each.name: each for each in self.model.elements}

    @cached_property
    def _struts(self) -> tuple[Cylinder | Rod, ...]:
        rubbing = [rod for rod in self.model.rods if any(rod.viscous)]
        return (*self.model.cylinders, *rubbing)

    @cached_property
    def spinning(self) -> tuple[Rod, ...]:
        """Rods whose inertia about their own axis counts, and is not that of a strut already."""
        rods = self.model.rods
        return tuple(r for r in rods if r.axis is not None and r.axial and not any(r.viscous))

    def strut(self, element: Cylinder | Rod, state: State) -> Strut:
        return Strut(element, state)

    def joint_motion(self, name: str, state: State) -> tuple[SX, SX, SX]:
        """Coordinate from home, rate and acceleration of a joint or cylinder."""
        if name in self.plan.carrying:
            zero = SX(0)
            return (
                state.offset(name),
                state.rates.get(name, zero),
                state.accelerations.get(name, zero),
            )
        element = self._elements[name]
        if isinstance(element, Cylinder):
            strut = Strut(element, state)
            Ld, Ldd, _, _ = strut.motion
            return strut.frame[0] - element.length, Ld, Ldd
        a, b = state.both(element.joins, element.at, element.at)
        z = state.seen_direction(a, element.axes[0])
        # The axis belongs to both bodies, so that its own turning adds nothing.
        w, al = b.w - a.w, b.al - a.al - cross(a.w, b.w)
        n = element.axes[0]
        return self._closing_angle(element, a, b, state), ca.dot(z, w), ca.dot(z, al) if n.size else al

    def _closing_angle(self, joint: MechanismJoint, a: View, b: View, state: State) -> SX:
        from linkwork.mechanics.mechanism.spanning import two_normals

        axis = joint.axes[0]
        n, m = two_normals(axis)
        here, there, across = (
            state.seen_direction(b, n),
            state.seen_direction(a, n),
            state.seen_direction(a, m),
        )
        return ca.atan2(ca.dot(across, here), ca.dot(there, here))

    def put_effort(self, wrenches: Wrenches, name: str, effort: SX) -> None:
        """An effort at a joint or cylinder, as needed by both bodies."""
        if name in self.plan.carrying:
            wrenches.felt(name, effort)
            return
        element, state = self._elements[name], wrenches.state
        if isinstance(element, Cylinder):
            if element.name in self.names:
                wrenches.felt(name, effort)
            else:
                Strut(element, state).push(wrenches, effort)
            return
        a, b = state.both(element.joins, element.at, element.at)
        moment = effort * state.seen_direction(a, element.axes[0])
        wrenches.add(b, zeros(3), moment)
        wrenches.add(a, zeros(3), -moment)

    def _springs(self, wrenches: Wrenches) -> None:
        for name, element in self._elements.items():
            if element.spring is not None:
                x = self.joint_motion(name, wrenches.state)[0]
                length = element.length if isinstance(element, Cylinder) else 0.0
                self.put_effort(wrenches, name, pull(element.spring, x + length))
        for spring in self.model.springs:
            a, b = wrenches.state.both(spring.joins, spring.start, spring.end)
            S = b.p - a.p
            L = ca.norm_2(S)
            force = S / L * pull(spring.spring, L)
            wrenches.add(b, force)
            wrenches.add(a, -force)

    def _drives(self, wrenches: Wrenches) -> None:
        """Rotors and friction of joints and cylinders, rotors of motors with ratios."""
        acting, state = self.acting, wrenches.state
        for name, element in self._elements.items():
            friction = element.friction if acting.friction else None
            rotor = element.rotor if acting.rotors else 0.0
            if not (rotor or (friction and friction.acts)):
                continue
            if isinstance(element, MechanismJoint) and element.kind in ("universal", "spherical"):
                self._rub(wrenches, element)
                continue
            self.put_effort(wrenches, name, sum(self.drive_effort(name, state), SX(0)))
        if acting.rotors:
            for motor in self.model.motors:
                if motor.rotor:
                    turns = [(n, r, self.joint_motion(n, state)[2]) for n, r in motor.terms]
                    effort = motor.rotor * sum((r * qdd for _, r, qdd in turns), SX(0))
                    for joint, ratio, _ in turns:
                        self.put_effort(wrenches, joint, ratio * effort)

    def drive_effort(self, name: str, state: State) -> tuple[SX, SX]:
        """What rotor and friction of a joint or cylinder take."""
        element, acting = self._elements[name], self.acting
        _, rate, acceleration = self.joint_motion(name, state)
        friction = element.friction
        rubbing = SX(0)
        if acting.friction and friction.acts:
            rubbing = friction.viscous * rate + friction.offset
            if friction.is_dry:
                rubbing = rubbing + self._coulomb(name, element, rate)
        return (element.rotor * acceleration if acting.rotors else SX(0)), rubbing

    def _rub(self, wrenches: Wrenches, joint: MechanismJoint) -> None:
        """Viscous friction of a ball or universal joint, against the whole relative turn."""
        a, b = wrenches.state.both(joint.joins, joint.at, joint.at)
        moment = joint.friction.viscous * (b.w - a.w)
        wrenches.add(b, zeros(3), moment)
        wrenches.add(a, zeros(3), -moment)

    def _coulomb(self, name: str, element: MechanismJoint | Cylinder, rate: SX) -> SX:
        friction = element.friction
        slip = ca.sign(rate) if self.acting.slip is None else self.acting.slip[name]
        if friction.symmetric:
            return friction.coulomb_forward * slip
        return ca.if_else(slip > 0, friction.coulomb_forward, 0) + ca.if_else(
            slip < 0, friction.coulomb_backward, 0
        )

    def _rods(self, wrenches: Wrenches, motion: Motion) -> None:
        """The coupling of the accelerations of both ends of a rod."""
        for rod in self.model.rods:
            masses = RodMasses.of(rod)
            if masses.between.is_zero():
                continue
            start, end = wrenches.state.both(rod.joins, rod.start, rod.end)
            at_start, at_end = motion.absolute(start)[2], motion.absolute(end)[2]
            wrenches.add(start, masses.between * at_end)
            wrenches.add(end, masses.between * at_start)

    # Motions and forces.

    def moving(self, accelerations: dict[str, SX]) -> State:
        return self.solution.moved(replace(self.inputs, accelerations=accelerations))

    def need(self, state: State) -> dict[str, SX]:
        """What a motion needs at the coordinates, before motors give it."""
        acting = self.acting
        motion = Motion(state, acting.gravity, acting.base_motion)
        wrenches = Wrenches(state)
        self._inertia(wrenches, motion)
        self._rods(wrenches, motion)
        self.put_struts(wrenches, motion)
        self.put_passive(wrenches, motion)
        return wrenches.swept(self.solution)

    def put_struts(self, wrenches: Wrenches, motion: Motion, at_foot: bool = False) -> None:
        """Cylinders and rods that spin, the mass of cylinders' rods left out."""
        for element in self._struts:
            Strut(element, wrenches.state).need(wrenches, motion.absolute, self.acting.friction)
        for rod in self.spinning:
            Spin(rod, wrenches.state).need(wrenches, motion.absolute, at_foot)

    def put_passive(self, wrenches: Wrenches, motion: Motion) -> None:
        """Springs, rotors and friction of joints, load and wrench on the tool."""
        self._springs(wrenches)
        self._drives(wrenches)
        self._at_tool(wrenches, motion)

    def _inertia(self, wrenches: Wrenches, motion: Motion) -> None:
        state = wrenches.state
        for body, moments in self.masses.items():
            if moments.nothing:
                continue
            wrenches.add_body(body, *body_need(moments, state.turns[body], *motion.body(body)))

    def _at_tool(self, wrenches: Wrenches, motion: Motion) -> None:
        """External wrench and load, both given in the tool's axes at its origin."""
        state, acting = wrenches.state, self.acting
        if acting.wrench is not None:
            view, C = self._tool_view(state)
            force, moment = (view.R.out(times(C, acting.wrench[k : k + 3])) for k in (0, 3))
            wrenches.add(view, -force, -moment)
        if acting.load is not None:
            view, moments = self._tool_view(state)[0], self._load_moments
            wrenches.add(view, *body_need(moments, view.R, *motion.absolute(view)))

    def _tool_view(self, state: State) -> tuple[View, SX]:
        """The tool's origin in the axes of its body's group, and its axes at home there."""
        body, frame = self.tool
        group = self.plan.of_body[body].group
        return state.view(body, frame.p, group), number(clean(self.plan.groups[group].C.T @ frame.R))

    @property
    def _load_moments(self) -> Moments:
        load, C = self.acting.load, self._tool_view(self.solution.state)[1]
        assert load is not None
        J = ca.trace(load.J) / 2 * SX.eye(3) - load.J
        return Moments(load.m, times(C, load.h), times(times(C, J), C.T))

    @property
    def tool(self) -> tuple[str, Transform]:
        return tool_of(self.model)

    # The public quantities.

    @cached_property
    def actuation(self) -> list[dict[str, SX]]:
        """What a unit effort of every motor does to the coordinates."""
        columns = []
        motors = {motor.name: motor.terms for motor in self.model.motors}
        for name in self.model.effort_names:
            wrenches = Wrenches(self.solution.state)
            for joint, ratio in motors.get(name, ((name, 1.0),)):
                self.put_effort(wrenches, joint, SX(ratio))
            columns.append(wrenches.swept(self.solution))
        return columns

    def efforts_for(self, generalised: dict[str, SX]) -> SX:
        """tau with G_a' tau = generalised; of more motors than freedoms, the least norm."""
        rows = [[column[name] for column in self.actuation] for name in self.names]
        right = [generalised[name] for name in self.names]
        count = len(self.actuation)
        if count < len(rows):
            raise ValueError("fewer motors than freedoms")
        if count > len(rows):
            A = ca.vertcat(*[ca.horzcat(*row) for row in rows])
            return times(A.T, solve_symmetric(times(A, A.T), ca.vertcat(*right)))
        from linkwork.mechanics.mechanism.home import actuation_at_home  # it asks dynamics at home

        return ca.vertcat(*solved(rows, right, lambda: actuation_at_home(self.plan)))

    def generalised(self, effort: SX) -> dict[str, SX]:
        return {
            name: sum((column[name] * effort[k] for k, column in enumerate(self.actuation)), SX(0))
            for name in self.names
        }

    def inverse(self, accelerations: dict[str, SX]) -> SX:
        """tau."""
        return self.efforts_for(self.need(self.moving(accelerations)))

    def bias(self) -> SX:
        need = self.need(self.moving({}))
        return ca.vertcat(*[need[name] for name in self.names])

    def forward(self, effort: SX) -> SX:
        """cdd."""
        pushed = self.generalised(effort)
        free = ca.vertcat(*[pushed[name] for name in self.names]) - self.bias()
        return solve_symmetric(self.mass_matrix(), free)

    @cached_property
    def _units(self) -> list[State]:
        """Motions at rest under unit accelerations of each coordinate."""
        return [
            self.solution.moved(replace(self.inputs, rates={}, accelerations={name: SX(1)}))
            for name in self.names
        ]

    def mass_matrix(self) -> SX:
        """M_ij: the power of the wrenches of unit acceleration i with unit motion j."""
        inside = [part for leg in self._legs for part in leg.elements]
        motions = [Motion(state, zeros(3)) for state in self._units]
        rest = [each for each in self._all_elements if each not in inside]
        M = self._kinetic(motions, rest, self._carried)
        return M if self.acting.load is None else M + self._load_mass(motions)

    def _load_mass(self, motions: list[Motion]) -> SX:
        views = [self._tool_view(motion.state)[0] for motion in motions]
        moved = [motion.absolute(view)[:0:-1] for motion, view in zip(motions, views, strict=True)]
        moments, turn = self._load_moments, views[0].R
        return _paired(moved, [body_need(moments, turn, zeros(3), al, A) for A, al in moved])

    @cached_property
    def _all_elements(self) -> list[Element]:
        """Everything that has inertia: bodies by name, struts, rods, what has a rotor."""
        found: list[Element] = [body for body, m in self.masses.items() if not m.nothing]
        found += [body for body in self._carried if body not in found]
        found += [each for each in self._struts if each.name not in self._standing]
        found += [rod for rod in self.model.rods if rod.mass or rod.across or rod.axial]
        if self.acting.rotors:
            found += [each for each in self._elements.values() if each.rotor and each not in found]
            found += [motor for motor in self.model.motors if motor.rotor]
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
            turn, moments = self.solution.state.turns[element], self.masses[element]
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
        if element in self._struts:
            struts = [Strut(element, motion.state) for motion in motions]
            swung = [strut.moved(m.absolute) for strut, m in zip(struts, motions, strict=True)]
            yield swung, [struts[0].wrench_of(each) for each in swung]
        if isinstance(element, Rod):
            between = RodMasses.of(element).between
            if not between.is_zero():
                ends = [self._ends(element, motion) for motion in motions]
                yield ends, [(between * end, between * start) for start, end in ends]
            if element in self.spinning:
                spins = [(Spin(element, m.state).motion(m.absolute)[1],) for m in motions]
                yield spins, [(element.axial / element.length**2 * spin,) for (spin,) in spins]
            return
        if element.rotor and self.acting.rotors:
            terms = element.terms if isinstance(element, Motor) else ((element.name, 1.0),)
            turns = [
                (sum((r * self.joint_motion(n, m.state)[2] for n, r in terms), SX(0)),) for m in motions
            ]
            yield turns, [(element.rotor * turn,) for (turn,) in turns]

    def _ends(self, rod: Rod, motion: Motion) -> tuple[SX, SX]:
        start, end = motion.state.both(rod.joins, rod.start, rod.end)
        return motion.absolute(start)[2], motion.absolute(end)[2]

    # What a body carries: masses of struts and legs on the base, as it feels them at one point.

    @cached_property
    def _standing(self) -> set[str]:
        """Struts that stand on the base, whose apparent mass the body at their end carries."""
        found = set()
        for element in self._struts:
            if element.joins[0] == BASE:
                tip = Strut(element, self.solution.state).ends[1]
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

        state = self.solution.state
        for element in self._struts:
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
            found.append(Motion(self.solution.leg_moved(leg.block, leg.body, unit), zeros(3)))
        return found

    @cached_property
    def _legs(self) -> list[Leg]:
        return legs_of(self.plan, self.acting.rotors)


def _paired(moved: Sequence[Term], wrenches: Sequence[Term]) -> SX:
    """Powers of wrenches i with motions j, a symmetric matrix of which one half is formed."""
    d = len(moved)
    M = SX.zeros(d, d)
    for i in range(d):
        for j in range(i + 1):
            M[i, j] = M[j, i] = sum(map(ca.dot, moved[j], wrenches[i]), SX(0))
    return M


def spatial(moments: Moments, turn: Turn, extra: SX | None) -> SX:
    """Inertia of a body about its origin in group axes, 6 x 6."""
    h = skew(turn.out(moments.h))
    inertia = moments.inertia
    if turn.matrix is not None or turn.pair is not None:
        inertia = congruent(inertia, turn.R.T)
    matrix = ca.vertcat(ca.horzcat(moments.m * SX.eye(3), -h), ca.horzcat(h, inertia))
    return matrix if extra is None else matrix + extra


def pull(spring: Spring, x: SX) -> SX:
    """Effort that holds a spring of extension x."""
    return spring.preload + spring.stiffness * (x - spring.free)


def tool_of(model: MechanismModel) -> tuple[str, Transform]:
    """The body that wrenches and loads act on, and the frame there: declared, posed, or the last."""
    if model.tool is not None:
        return model.tool
    posed = [each.of for each in model.coordinates if each.pose is not None]
    name = posed[-1] if posed else model.parts[-1].name
    return name, model.part(name).frame


def solved(rows: list[list[SX]], right: list[SX], home: Callable[[], Array]) -> list[SX]:
    """A square system: what stands alone in its row first, the rest by Cramer or Gram-Schmidt.

    `home` is its matrix at home, beside which a singular one is told: it gives infinities.
    """
    n = len(rows)
    left, columns, found = list(range(n)), list(range(n)), {}
    right = list(right)
    changed = True
    while changed:
        changed = False
        for row in left:
            there = [c for c in columns if not rows[row][c].is_zero()]
            if len(there) == 1:
                (column,) = there
                found[column] = right[row] / rows[row][column]
                for other in left:
                    if other != row and not rows[other][column].is_zero():
                        right[other] = right[other] - rows[other][column] * found[column]
                left.remove(row)
                columns.remove(column)
                changed = True
                break
    if left:
        part = [[rows[r][c] for c in columns] for r in left]
        rest = [right[r] for r in left]
        if len(left) <= 3:
            smallest = SMALLEST * abs(float(np.linalg.det(home()[np.ix_(left, columns)])))
            values = Cramer(part, smallest).solve(rest)
        else:
            stacked = [ca.vertcat(*[row[k] for row in part]) for k in range(len(columns))]
            solution = solve_orthogonal(stacked, ca.vertcat(*rest))
            values = [solution[k, :] for k in range(len(columns))]
        found |= dict(zip(columns, values, strict=True))
    return [found[k] for k in range(n)]
