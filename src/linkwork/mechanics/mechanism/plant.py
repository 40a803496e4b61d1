"""Forward dynamics of a mechanism as a system of differential equations: x = (c, cd)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np

from linkwork.mechanics.bodies import body_of
from linkwork.mechanics.closed_chain import NEWTON_STEPS, ClosedChainPlant
from linkwork.mechanics.expressions import SX, number, zeros
from linkwork.mechanics.mechanism.coordinates import Layout, home_size, turned_bodies
from linkwork.mechanics.mechanism.forward_kinematics import newton
from linkwork.mechanics.mechanism.places import displaced
from linkwork.mechanics.mechanism.robot_dynamics import MechanismDynamics
from linkwork.mechanics.plant import Inputs, Tip
from linkwork.mechanics.pose import orientation_error
from linkwork.robots.mechanism import MechanismModel
from linkwork.robots.mechanism_elements import dry_elements, tool_frame


@dataclass(frozen=True)
class MechanismPlant(ClosedChainPlant):
    """A mechanism in its coordinates; the quaternions of free bodies are kept at unit length.

    `actuators_at_home` are positions of the motors there, if they do not count from home.
    """

    model: MechanismModel
    friction: bool = True
    rotors: bool = True
    actuators_at_home: tuple[float, ...] = ()

    @property
    def _actuators_at_home(self) -> SX:
        return number(np.array(self.actuators_at_home or (0.0,) * self.effort_size))

    @property
    def position_size(self) -> int:
        return home_size(self.model)

    @property
    def velocity_size(self) -> int:
        return len(self.model.coordinates)

    @property
    def effort_size(self) -> int:
        return len(self.model.effort_names)

    @property
    def layout(self) -> Layout:
        return Layout.of(self.model, self.position_size)

    @property
    def has_friction(self) -> bool:
        model = self.model
        acting = [joint.friction.acts for joint in model.joints]
        for each in model.cylinders:
            acting.append(each.friction.acts or bool(each.universal or each.spherical))
        acting += [any(rod.viscous) for rod in model.rods]
        return self.friction and any(acting)

    @property
    def coulomb(self) -> tuple[tuple[float, float], ...]:
        if not self.friction:
            return ()
        frictions = [each.friction for each in dry_elements(self.model)]
        return tuple((each.coulomb_backward, each.coulomb_forward) for each in frictions)

    def dynamics(self, x: SX, inputs: Inputs, slip: SX | None = None) -> MechanismDynamics:
        load = body_of(inputs["payload"]) if "payload" in inputs else None
        size = self.position_size
        return MechanismDynamics(
            self.model,
            x[0:size],
            x[size:],
            self.friction,
            self.rotors,
            gravity=inputs.get("gravity"),
            wrench=inputs.get("wrench"),
            load=load,
            slip=slip,
        )

    def tip(self, x: SX) -> Tip:
        state = self.dynamics(x, {}).drifting
        name, frame = tool_frame(self.model)
        body = displaced(state, name)
        R, p = body.frame(frame)
        return Tip(p, R, body.velocity(frame.p), body.w)

    def holding_effort(self, position: SX, force: SX, gravity: bool, formulation: Any = None) -> SX:
        own = None if gravity else zeros(3)
        robot = MechanismDynamics(self.model, position, friction=False, gravity=own)
        return robot.efforts_for(robot.bias() + force) * robot.guard

    def actuator_jacobian(self, x: SX) -> SX:
        return self.dynamics(x, {}).actuation

    def actuator_position(self, x: SX) -> SX:
        robot = self.dynamics(x, {})
        return robot.actuators(robot.place)[0] + self._actuators_at_home

    def position_of_actuators(self, actuators: SX, near: SX) -> SX:
        wanted = actuators - self._actuators_at_home
        return newton(MechanismDynamics(self.model, near), wanted, NEWTON_STEPS)[0]

    # Positions with quaternions among their numbers.

    def _position_rate(self, x: SX) -> SX:
        size = self.position_size
        return self.layout.rate(x[0:size], x[size:])

    def projected(self, x: SX) -> SX:
        found = SX(x)
        for four in self.layout.four:
            found[four] = x[four] / ca.norm_2(x[four])
        return found

    def position_error(self, wanted: SX, actual: SX) -> SX:
        layout, turned = self.layout, turned_bodies(self.model)
        found = ca.vertcat(*[wanted[place] - actual[place] for place in layout.places])
        for body, place in layout.quaternions.items():
            four, first = slice(place, place + 4), turned[body]
            found[first : first + 3] = orientation_error(wanted[four], actual[four])
        return found
