"""Forward dynamics of a platform as a system of differential equations: x = (pose, twist)."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from linkwork.mechanics.bodies import body_of
from linkwork.mechanics.closed_chain import ClosedChainPlant
from linkwork.mechanics.expressions import SX, times, zeros
from linkwork.mechanics.plant import Inputs, Tip
from linkwork.mechanics.platform.dynamics import PlatformDynamics
from linkwork.mechanics.platform.forward_kinematics import newton
from linkwork.mechanics.platform.pose import place_of
from linkwork.robots.platform import LEGS, PlatformModel

# From one control sample to the next: each squares the error, which begins at some centimetres.
NEWTON_STEPS = 4


@dataclass(frozen=True)
class PlatformPlant(ClosedChainPlant):
    """A platform whose quaternion is kept at unit length."""

    model: PlatformModel
    friction: bool = True

    @property
    def position_size(self) -> int:
        return 7

    @property
    def velocity_size(self) -> int:
        return 6

    @property
    def effort_size(self) -> int:
        return LEGS

    @property
    def has_friction(self) -> bool:
        kinds = ("universal", "prismatic", "spherical")
        values = [getattr(leg.friction, kind) for leg in self.model.legs for kind in kinds]
        return self.friction and (any(values) or self.model.has_coulomb)

    @property
    def coulomb(self) -> tuple[tuple[float, float], ...]:
        if not self.friction or not self.model.has_coulomb:
            return ()
        return tuple((-leg.friction.coulomb, leg.friction.coulomb) for leg in self.model.legs)

    def dynamics(self, x: SX, inputs: Inputs, slip: SX | None = None) -> PlatformDynamics:
        load = body_of(inputs["payload"]) if "payload" in inputs else None
        wrench = inputs.get("wrench")
        return PlatformDynamics(
            self.model, x[0:7], x[7:13], self.friction, wrench=wrench, load=load, slip=slip
        )

    def tip(self, x: SX) -> Tip:
        position, R = place_of(x[0:7])
        return Tip(position, R, x[7:10], x[10:13])

    def actuator_jacobian(self, x: SX) -> SX:
        return ca.horzcat(*self.dynamics(x, {}).state.H()).T

    def holding_effort(self, position: SX, force: SX, gravity: bool) -> SX:
        R = place_of(position)[1].T
        against = -ca.vertcat(times(R, force[0:3]), times(R, force[3:6]))
        own = None if gravity else zeros(3)
        robot = PlatformDynamics(self.model, position, friction=False, gravity=own, wrench=against)
        return robot.inverse(zeros(6))

    def actuator_position(self, x: SX) -> SX:
        return ca.vertcat(*[leg.L for leg in self.dynamics(x, {}).state.legs])

    def position_of_actuators(self, actuators: SX, near: SX) -> SX:
        return newton(self.model, actuators, near, NEWTON_STEPS)[0]
