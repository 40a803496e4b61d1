"""Forward dynamics of a platform as a system of differential equations: x = (pose, twist)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import casadi as ca

from linkwork.mechanics.bodies import PARAMETERS, body_of
from linkwork.mechanics.expressions import SX, times, zeros
from linkwork.mechanics.plant import Inputs, Plant, Tip
from linkwork.mechanics.platform.dynamics import PlatformDynamics
from linkwork.mechanics.platform.forward_kinematics import newton
from linkwork.mechanics.platform.pose import orientation_error, place_of, quaternion_rate
from linkwork.robots.platform import LEGS, PlatformModel

# From one control sample to the next: each squares the error, which begins at some centimetres.
NEWTON_STEPS = 4


@dataclass(frozen=True)
class PlatformPlant(Plant):
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
    def variations(self) -> dict[str, int]:
        return {"payload": PARAMETERS, "wrench": 6}

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

    def friction_velocity(self, x: SX) -> SX:
        return self._dynamics(x, {}).leg_rates()

    def sticking_rate(self, x: SX, effort: SX, slip: SX, inputs: Inputs) -> tuple[SX, SX]:
        rough = [any(pair) for pair in self.coulomb]
        sticks = ca.vertcat(*[slip[k] == 0 if dry else SX(0) for k, dry in enumerate(rough)])
        robot = replace(self._dynamics(x, inputs), slip=slip)
        acceleration, hold = robot.forward_sticking(effort, sticks)
        return ca.vertcat(x[7:10], quaternion_rate(x[3:7], x[10:13]), acceleration), hold

    def _dynamics(self, x: SX, inputs: Inputs) -> PlatformDynamics:
        load = body_of(inputs["payload"]) if "payload" in inputs else None
        return PlatformDynamics(
            self.model, x[0:7], x[7:13], self.friction, wrench=inputs.get("wrench"), load=load
        )

    @property
    def wrench_sign(self) -> float:
        return 1.0

    def tip(self, x: SX) -> Tip:
        position, R = place_of(x[0:7])
        return Tip(position, R, x[7:10], x[10:13])

    def rate(self, x: SX, effort: SX, inputs: Inputs) -> SX:
        turning = quaternion_rate(x[3:7], x[10:13])
        return ca.vertcat(x[7:10], turning, self._dynamics(x, inputs).forward(effort))

    def energy(self, x: SX, inputs: Inputs) -> tuple[SX, SX]:
        return self._dynamics(x, inputs).energy()

    @property
    def actuated_coordinates(self) -> bool:
        return False

    def actuator_jacobian(self, x: SX) -> SX:
        return ca.horzcat(*self._dynamics(x, {}).state.H()).T

    def holding_effort(self, position: SX, force: SX, gravity: bool) -> SX:
        R = place_of(position)[1].T
        against = -ca.vertcat(times(R, force[0:3]), times(R, force[3:6]))
        own = None if gravity else zeros(3)
        robot = PlatformDynamics(self.model, position, friction=False, gravity=own, wrench=against)
        return robot.inverse(zeros(6))

    def actuator_position(self, x: SX) -> SX:
        return ca.vertcat(*[leg.L for leg in self._dynamics(x, {}).state.legs])

    def position_of_actuators(self, actuators: SX, near: SX) -> SX:
        return newton(self.model, actuators, near, NEWTON_STEPS)[0]

    def projected(self, x: SX) -> SX:
        quaternion = x[3:7]
        return ca.vertcat(x[0:3], quaternion / ca.norm_2(quaternion), x[7:13])

    def position_error(self, wanted: SX, actual: SX) -> SX:
        turn = orientation_error(wanted[3:7], actual[3:7])
        return ca.vertcat(wanted[0:3] - actual[0:3], turn)
