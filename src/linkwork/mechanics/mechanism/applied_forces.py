"""What acts on a mechanism besides its motion: gravity, loads on the tool, springs, rotors, friction."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import casadi as ca

from linkwork.mechanics.bodies import CompositeBody
from linkwork.mechanics.expressions import SX, cross, number, times, zeros
from linkwork.mechanics.friction import friction_effort
from linkwork.mechanics.mechanism.masses import Moments, body_need
from linkwork.mechanics.mechanism.motion import AbsoluteMotion
from linkwork.mechanics.mechanism.planning.placement_plan import PlacementPlan
from linkwork.mechanics.mechanism.planning.spanning import two_normals
from linkwork.mechanics.mechanism.state import MechanismState, SeenPoint, clean
from linkwork.mechanics.mechanism.struts import Strut
from linkwork.mechanics.mechanism.wrenches import Wrenches
from linkwork.model.geometry import vanishes
from linkwork.model.mechanism import Cylinder, MechanismJoint, Motor, Rod, Spring, tool_frame


@dataclass(frozen=True, eq=False)
class AppliedLoads:
    """What acts besides the motion: gravity (base axes), base motion, a wrench on the tool, a load."""

    gravity: SX
    base_motion: SX | None = None
    wrench: SX | None = None
    load: CompositeBody | None = None
    friction: bool = True
    rotors: bool = True
    slip: dict[str, SX] | None = None


@dataclass(frozen=True, eq=False)
class Tool:
    """The frame at which a wrench and a load act, both given in its axes at its origin."""

    plan: PlacementPlan
    acting: AppliedLoads

    def put_wrench(self, wrenches: Wrenches) -> None:
        if self.acting.wrench is not None:
            view = self.view(wrenches.state)
            force, moment = (view.R.out(times(self.axes, self.acting.wrench[k : k + 3])) for k in (0, 3))
            wrenches.add(view, -force, -moment)

    def put_load(self, wrenches: Wrenches, motion: AbsoluteMotion) -> None:
        if self.acting.load is not None:
            view = self.view(wrenches.state)
            wrenches.add(view, *body_need(self.load, view.R, *motion.absolute(view)))

    @property
    def _group(self) -> int:
        return self.plan.of_body[tool_frame(self.plan.model)[0]].group

    def view(self, state: MechanismState) -> SeenPoint:
        """Its origin in the axes of its body's group."""
        body, frame = tool_frame(self.plan.model)
        return state.view(body, frame.p, self._group)

    @cached_property
    def axes(self) -> SX:
        """Its axes at home in those of its body's group."""
        frame = tool_frame(self.plan.model)[1]
        return number(clean(self.plan.groups[self._group].C.T @ frame.R))

    @cached_property
    def load(self) -> Moments:
        """About its origin, in the axes of its body's group at home."""
        load, C = self.acting.load, self.axes
        assert load is not None
        J = ca.trace(load.J) / 2 * SX.eye(3) - load.J
        return Moments(load.m, times(C, load.h), times(times(C, J), C.T))


@dataclass(frozen=True, eq=False)
class Joints:
    """Those of a plan, whether they carry bodies, close loops or are cylinders."""

    plan: PlacementPlan

    @cached_property
    def elements(self) -> dict[str, MechanismJoint | Cylinder]:
        return {each.name: each for each in self.plan.model.elements}

    @cached_property
    def motors(self) -> dict[str, Motor]:
        """Those that act on several joints."""
        return {each.name: each for each in self.plan.model.motors}

    @cached_property
    def coordinates(self) -> set[str]:
        return {each.name for each in self.plan.model.coordinates}

    def motion(self, name: str, state: MechanismState) -> tuple[SX, SX, SX]:
        """Coordinate from home, rate and acceleration of a joint, cylinder or motor."""
        if name in self.motors:
            turns = [(r, self.motion(joint, state)) for joint, r in self.motors[name].terms]
            q, qd, qdd = (sum((r * turn[k] for r, turn in turns), SX(0)) for k in range(3))
            return q, qd, qdd
        if name in self.plan.carrying:
            zero = SX(0)
            return state.offset(name), state.rates.get(name, zero), state.accelerations.get(name, zero)
        element = self.elements[name]
        if isinstance(element, Cylinder):
            strut = Strut(element, state)
            Ld, Ldd, _, _ = strut.motion
            return strut.frame[0] - element.length, Ld, Ldd
        a, b = state.both(element)
        z = state.seen_direction(a, element.axes[0])
        # The axis belongs to both bodies, so that its own turning adds nothing.
        w, al = b.w - a.w, b.al - a.al - cross(a.w, b.w)
        n = element.axes[0]
        return self._closing_angle(element, a, b, state), ca.dot(z, w), ca.dot(z, al) if n.size else al

    def _closing_angle(
        self, joint: MechanismJoint, a: SeenPoint, b: SeenPoint, state: MechanismState
    ) -> SX:
        axis = joint.axes[0]
        n, m = two_normals(axis)
        here, there, across = (
            state.seen_direction(b, n),
            state.seen_direction(a, n),
            state.seen_direction(a, m),
        )
        return ca.atan2(ca.dot(across, here), ca.dot(there, here))

    def put_effort(self, wrenches: Wrenches, name: str, effort: SX) -> None:
        """An effort at a joint, cylinder or motor, as needed by the bodies."""
        if name in self.motors:
            for joint, ratio in self.motors[name].terms:
                self.put_effort(wrenches, joint, ratio * effort)
            return
        if name in self.plan.carrying:
            wrenches.felt(name, effort)
            return
        element, state = self.elements[name], wrenches.state
        if isinstance(element, Cylinder):
            if element.name in self.coordinates:
                wrenches.felt(name, effort)
            else:
                Strut(element, state).push(wrenches, effort)
            return
        a, b = state.both(element)
        wrenches.add_pair(a, b, zeros(3), effort * state.seen_direction(a, element.axes[0]))


@dataclass(frozen=True, eq=False)
class Drives:
    """What joints take besides the motion of bodies."""

    joints: Joints
    acting: AppliedLoads

    def put_springs(self, wrenches: Wrenches) -> None:
        for name, element in self.joints.elements.items():
            if element.spring is not None:
                x = self.joints.motion(name, wrenches.state)[0]
                length = element.length if isinstance(element, Cylinder) else 0.0
                self.joints.put_effort(wrenches, name, pull(element.spring, x + length))
        for spring in self.joints.plan.model.springs:
            a, b = wrenches.state.both(spring)
            S = b.p - a.p
            L = ca.norm_2(S)
            wrenches.add_pair(a, b, S / L * pull(spring.spring, L))

    def put_drives(self, wrenches: Wrenches) -> None:
        """Rotors and friction."""
        state = wrenches.state
        for name, element in self.joints.elements.items():
            if not self._takes(element) or self._is_in_strut(element):
                continue
            if isinstance(element, MechanismJoint) and element.kind in ("universal", "spherical"):
                self._rub(wrenches, element)
                continue
            self.joints.put_effort(wrenches, name, sum(self.effort(name, state), SX(0)))
        for name, motor in self.joints.motors.items():
            if self._takes(motor):
                self.joints.put_effort(wrenches, name, sum(self.effort(name, state), SX(0)))

    def along(self, strut: Cylinder | Rod, state: MechanismState) -> SX:
        """What rotor and friction of a cylinder take, along it."""
        if isinstance(strut, Rod) or not self._takes(strut) or not self._is_in_strut(strut):
            return SX(0)
        return sum(self.effort(strut.name, state), SX(0))

    def _takes(self, element: MechanismJoint | Cylinder | Motor) -> bool:
        rubs = self.acting.friction and element.friction.acts
        return rubs or (self.acting.rotors and not vanishes(element.rotor))

    def _is_in_strut(self, element: MechanismJoint | Cylinder) -> bool:
        """Whether the strut itself has its effort; one whose length is a coordinate feels it there."""
        return isinstance(element, Cylinder) and element.name not in self.joints.coordinates

    def effort(self, name: str, state: MechanismState) -> tuple[SX, SX]:
        """What rotor and friction of a joint, cylinder or motor take."""
        element, acting = {**self.joints.elements, **self.joints.motors}[name], self.acting
        _, rate, acceleration = self.joints.motion(name, state)
        slip = None if acting.slip is None else acting.slip.get(name)
        rubbing = friction_effort(element.friction, rate, slip) if acting.friction else SX(0)
        return (element.rotor * acceleration if acting.rotors else SX(0)), rubbing

    def _rub(self, wrenches: Wrenches, joint: MechanismJoint) -> None:
        """Viscous friction of a ball or universal joint, against the whole relative turn."""
        a, b = wrenches.state.both(joint)
        wrenches.add_pair(a, b, zeros(3), joint.friction.viscous * (b.w - a.w))


def pull(spring: Spring, x: SX) -> SX:
    """Effort that holds a spring of extension x."""
    return spring.preload + spring.stiffness * (x - spring.free)
