"""Springs, rotors and friction: efforts at joints, cylinders and between points."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from linkwork.mechanics.expressions import SX, is_there, zeros
from linkwork.mechanics.mechanism.acting import Acting
from linkwork.mechanics.mechanism.joint_motion import Joints
from linkwork.mechanics.mechanism.state import State
from linkwork.mechanics.mechanism.wrenches import Wrenches
from linkwork.robots.mechanism import Cylinder, MechanismJoint, Spring


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
        """Rotors and friction of joints and cylinders, rotors of motors with ratios."""
        acting, state = self.acting, wrenches.state
        for name, element in self.joints.elements.items():
            friction = element.friction if acting.friction else None
            rotor = element.rotor if acting.rotors else 0.0
            if not (is_there(rotor) or (friction and friction.acts)):
                continue
            if isinstance(element, MechanismJoint) and element.kind in ("universal", "spherical"):
                self._rub(wrenches, element)
                continue
            self.joints.put_effort(wrenches, name, sum(self.effort(name, state), SX(0)))
        if acting.rotors:
            for motor in self.joints.plan.model.motors:
                if is_there(motor.rotor):
                    turns = [(n, r, self.joints.motion(n, state)[2]) for n, r in motor.terms]
                    effort = motor.rotor * sum((r * qdd for _, r, qdd in turns), SX(0))
                    for joint, ratio, _ in turns:
                        self.joints.put_effort(wrenches, joint, ratio * effort)

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
