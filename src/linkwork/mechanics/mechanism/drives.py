"""Springs, rotors and friction: efforts at joints, cylinders and between points."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from linkwork.mechanics.expressions import SX, zeros
from linkwork.mechanics.mechanism.acting import Acting
from linkwork.mechanics.mechanism.joint_motion import Joints
from linkwork.mechanics.mechanism.state import State
from linkwork.mechanics.mechanism.wrenches import Wrenches
from linkwork.robots.geometry import vanishes
from linkwork.robots.mechanism import Cylinder, MechanismJoint, Rod, Spring


@dataclass(frozen=True, eq=False)
class Drives:
    """What joints take besides the motion of bodies."""

    joints: Joints
    acting: Acting

    def put_springs(self, wrenches: Wrenches) -> None:
        for name, element in self.joints.elements.items():
            if element.spring is not None:
                x = self.joints.motion(name, wrenches.state)[0]
                length = element.length if isinstance(element, Cylinder) else 0.0
                self.joints.put_effort(wrenches, name, pull(element.spring, x + length))
        for spring in self.joints.plan.model.springs:
            a, b = wrenches.state.both(spring.joins, spring.start, spring.end)
            S = b.p - a.p
            L = ca.norm_2(S)
            force = S / L * pull(spring.spring, L)
            wrenches.add(b, force)
            wrenches.add(a, -force)

    def put_drives(self, wrenches: Wrenches) -> None:
        """Rotors and friction of joints, rotors of motors with ratios."""
        acting, state = self.acting, wrenches.state
        for name, element in self.joints.elements.items():
            if not self._takes(element) or self._is_in_strut(element):
                continue
            if isinstance(element, MechanismJoint) and element.kind in ("universal", "spherical"):
                self._rub(wrenches, element)
                continue
            self.joints.put_effort(wrenches, name, sum(self.effort(name, state), SX(0)))
        if acting.rotors:
            for motor in self.joints.plan.model.motors:
                if not vanishes(motor.rotor):
                    turns = [(n, r, self.joints.motion(n, state)[2]) for n, r in motor.terms]
                    effort = motor.rotor * sum((r * qdd for _, r, qdd in turns), SX(0))
                    for joint, ratio, _ in turns:
                        self.joints.put_effort(wrenches, joint, ratio * effort)

    def along(self, strut: Cylinder | Rod, state: State) -> SX:
        """What rotor and friction of a cylinder take, along it."""
        if isinstance(strut, Rod) or not self._takes(strut) or not self._is_in_strut(strut):
            return SX(0)
        return sum(self.effort(strut.name, state), SX(0))

    def _takes(self, element: MechanismJoint | Cylinder) -> bool:
        rubs = self.acting.friction and element.friction.acts
        return rubs or (self.acting.rotors and not vanishes(element.rotor))

    def _is_in_strut(self, element: MechanismJoint | Cylinder) -> bool:
        """Whether the strut itself has its effort; one whose length is a coordinate feels it there."""
        return isinstance(element, Cylinder) and element.name not in self.joints.coordinates

    def effort(self, name: str, state: State) -> tuple[SX, SX]:
        """What rotor and friction of a joint or cylinder take."""
        element, acting = self.joints.elements[name], self.acting
        _, rate, acceleration = self.joints.motion(name, state)
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


def pull(spring: Spring, x: SX) -> SX:
    """Effort that holds a spring of extension x."""
    return spring.preload + spring.stiffness * (x - spring.free)
