"""Forward dynamics of a parallel robot as a system of differential equations: x = (c, cd)."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from linkwork.mechanics.bodies import body_of
from linkwork.mechanics.closed_chain import NEWTON_STEPS, POSE, ClosedChainPlant
from linkwork.mechanics.expressions import SX, zeros
from linkwork.mechanics.parallel.forward_kinematics import newton
from linkwork.mechanics.parallel.mechanism import mechanism_of
from linkwork.mechanics.parallel.state import ParallelDynamics, dry_joints
from linkwork.mechanics.plant import Inputs, Tip
from linkwork.robots.parallel import ParallelModel


@dataclass(frozen=True)
class ParallelPlant(ClosedChainPlant):
    """A parallel robot in its coordinates; of six freedoms the quaternion is kept at unit length."""

    model: ParallelModel
    friction: bool = True
    rotors: bool = True

    @property
    def position_size(self) -> int:
        return POSE if self.model.freedoms == 6 else self.model.freedoms

    @property
    def velocity_size(self) -> int:
        return self.model.freedoms

    @property
    def effort_size(self) -> int:
        return len(self.model.actuators)

    @property
    def has_friction(self) -> bool:
        joints = any(joint.friction.acts for joint in self.model.joints)
        return self.friction and (joints or any(leg.end.viscous for leg in self.model.legs))

    @property
    def coulomb(self) -> tuple[tuple[float, float], ...]:
        if not self.friction:
            return ()
        frictions = [joint.friction for joint in dry_joints(self.model)]
        return tuple((each.coulomb_backward, each.coulomb_forward) for each in frictions)

    def dynamics(self, x: SX, inputs: Inputs, slip: SX | None = None) -> ParallelDynamics:
        load = body_of(inputs["payload"]) if "payload" in inputs else None
        size = self.position_size
        return ParallelDynamics(
            self.model,
            x[0:size],
            x[size:],
            self.friction,
            self.rotors,
            wrench=inputs.get("wrench"),
            load=load,
            slip=slip,
        )

    def tip(self, x: SX) -> Tip:
        place = self.dynamics(x, {}).posture
        twist = place.twist(x[self.position_size :])
        return Tip(place.pose.position, place.pose.R, twist[0:3], twist[3:6])

    def holding_effort(self, position: SX, force: SX, gravity: bool) -> SX:
        own = None if gravity else zeros(3)
        robot = ParallelDynamics(self.model, position, friction=False, gravity=own)
        return robot.reduced.efforts_for(robot.bias() + force) * robot.guard

    def actuator_jacobian(self, x: SX) -> SX:
        return ca.horzcat(*self.dynamics(x, {}).reduced.actuation).T

    def actuator_position(self, x: SX) -> SX:
        legs = self.dynamics(x, {}).posture.legs
        q = [value for leg in legs for value in leg.configuration.joint_coordinates()]
        found = [value for value, joint in zip(q, self.model.joints, strict=True) if joint.actuated]
        return ca.vertcat(*found)

    def position_of_actuators(self, actuators: SX, near: SX) -> SX:
        return newton(mechanism_of(self.model), actuators, near, NEWTON_STEPS)[0]
