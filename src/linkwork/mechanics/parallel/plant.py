"""Forward dynamics of a parallel robot as a system of differential equations: x = (c, cd)."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from linkwork.mechanics.bodies import PARAMETERS, body_of
from linkwork.mechanics.expressions import SX, zeros
from linkwork.mechanics.parallel.forward_kinematics import newton
from linkwork.mechanics.parallel.mechanism import mechanism_of
from linkwork.mechanics.parallel.state import ParallelDynamics
from linkwork.mechanics.plant import Inputs, Plant, Tip
from linkwork.mechanics.platform.plant import NEWTON_STEPS
from linkwork.mechanics.platform.pose import orientation_error, quaternion_rate
from linkwork.robots.parallel import ParallelModel


@dataclass(frozen=True)
class ParallelPlant(Plant):
    """A parallel robot in its coordinates; of six freedoms the quaternion is kept at unit length."""

    model: ParallelModel
    friction: bool = True
    rotors: bool = True

    @property
    def _by_pose(self) -> bool:
        return self.model.freedoms == 6

    @property
    def position_size(self) -> int:
        return 7 if self._by_pose else self.model.freedoms

    @property
    def velocity_size(self) -> int:
        return self.model.freedoms

    @property
    def effort_size(self) -> int:
        return len(self.model.actuators)

    @property
    def variations(self) -> dict[str, int]:
        return {"payload": PARAMETERS, "wrench": 6}

    @property
    def has_friction(self) -> bool:
        joints = any(vars(joint.friction) != vars(type(joint.friction)()) for joint in self.model.joints)
        return self.friction and (joints or any(leg.end.viscous for leg in self.model.legs))

    def dynamics(self, x: SX, inputs: Inputs) -> ParallelDynamics:
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
        )

    @property
    def wrench_sign(self) -> float:
        return 1.0

    def tip(self, x: SX) -> Tip:
        place = self.dynamics(x, {}).posture
        twist = place.twist(x[self.position_size :])
        return Tip(place.pose.position, place.pose.R, twist[0:3], twist[3:6])

    def rate(self, x: SX, effort: SX, inputs: Inputs) -> SX:
        robot = self.dynamics(x, inputs)
        cdd = robot.forward(effort) * robot.posture.guard
        if not self._by_pose:
            return ca.vertcat(x[self.position_size :], cdd)
        return ca.vertcat(x[7:10], quaternion_rate(x[3:7], x[10:13]), cdd)

    def energy(self, x: SX, inputs: Inputs) -> tuple[SX, SX]:
        return self.dynamics(x, inputs).energy()

    @property
    def actuated_coordinates(self) -> bool:
        return False

    def holding_effort(self, position: SX, force: SX, gravity: bool) -> SX:
        own = None if gravity else zeros(3)
        robot = ParallelDynamics(self.model, position, friction=False, gravity=own)
        return robot.reduced.efforts_for(robot.bias() + force) * robot.posture.guard

    def actuator_jacobian(self, x: SX) -> SX:
        return ca.horzcat(*self.dynamics(x, {}).reduced.actuation).T

    def actuator_position(self, x: SX) -> SX:
        legs = self.dynamics(x, {}).posture.legs
        q = [value for leg in legs for value in leg.configuration.joint_coordinates()]
        found = [value for value, joint in zip(q, self.model.joints, strict=True) if joint.actuated]
        return ca.vertcat(*found)

    def position_of_actuators(self, actuators: SX, near: SX) -> SX:
        return newton(mechanism_of(self.model), actuators, near, NEWTON_STEPS)[0]

    def projected(self, x: SX) -> SX:
        if not self._by_pose:
            return x
        quaternion = x[3:7]
        return ca.vertcat(x[0:3], quaternion / ca.norm_2(quaternion), x[7:13])

    def position_error(self, wanted: SX, actual: SX) -> SX:
        if not self._by_pose:
            return wanted - actual
        turn = orientation_error(wanted[3:7], actual[3:7])
        return ca.vertcat(wanted[0:3] - actual[0:3], turn)
