"""Forward dynamics of a mechanism as a system of differential equations: x = (c, cd).

Efforts act on the coordinates through a Jacobian. Coulomb friction acts in joints whose velocities
follow from those of the coordinates. There may be more of such joints than freedoms: friction that holds
all of them is then not determined by statics, and they share it in proportion to what each can hold.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from linkwork.mechanics.bodies import PARAMETERS, body_of
from linkwork.mechanics.expressions import SX, number, orientation_error, times, zeros
from linkwork.mechanics.friction import held_by_others
from linkwork.mechanics.linear import solve_symmetric, symmetric_solver
from linkwork.mechanics.mechanism.coordinates import CoordinateLayout, home_size, turned_bodies
from linkwork.mechanics.mechanism.motion import displaced
from linkwork.mechanics.mechanism.robot_dynamics import MechanismDynamics
from linkwork.mechanics.plant import (
    ChosenFormulation,
    FrictionKinematics,
    Inputs,
    Plant,
    ReferenceMotion,
    TipMotion,
)
from linkwork.model.mechanism import MechanismModel, dry_elements, tool_frame

# From one control sample to the next: each squares the error, which begins at some centimeters.
NEWTON_STEPS = 4
# Of the diagonal, so that joints that hold each other's load leave a regular matrix. What a solution has
# left is solved for again: joints that nearly do so would creep.
COMPLIANCE, SOLUTIONS = 1e-9, 4


@dataclass(frozen=True)
class MechanismPlant(Plant):
    """A mechanism in its coordinates; the quaternions of free bodies are kept at unit length.

    `actuators_at_home` are positions of the motors there, if they do not count from home.
    """

    model: MechanismModel
    friction: bool = True
    rotors: bool = True
    actuators_at_home: tuple[float, ...] = ()

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
    def variations(self) -> dict[str, int]:
        return {"payload": PARAMETERS, "wrench": 6}

    @property
    def has_friction(self) -> bool:
        model = self.model
        acting = [joint.friction.acts for joint in model.joints]
        for each in model.cylinders:
            acting.append(each.friction.acts or bool(each.universal or each.spherical))
        acting += [any(rod.viscous) for rod in model.rods]
        acting += [motor.friction.acts for motor in model.motors]
        return self.friction and any(acting)

    @property
    def coulomb(self) -> tuple[tuple[float, float], ...]:
        if not self.friction:
            return ()
        return tuple(each.friction.breakaway for each in dry_elements(self.model))

    @property
    def wrench_sign(self) -> float:
        return 1.0

    @property
    def actuated_coordinates(self) -> bool:
        return False

    def dynamics(self, x: SX, inputs: Inputs, slip: SX | None = None) -> MechanismDynamics:
        """The robot at a state; `slip` as in `sticking_rate`, by the velocities if None."""
        size = self.position_size
        return MechanismDynamics(
            self.model,
            x[0:size],
            x[size:],
            self.friction,
            self.rotors,
            gravity=inputs.get("gravity"),
            wrench=inputs.get("wrench"),
            load=body_of(inputs["payload"]) if "payload" in inputs else None,
            slip=slip,
        )

    def tip(self, x: SX) -> TipMotion:
        state = self.dynamics(x, {}).drifting
        name, frame = tool_frame(self.model)
        body = displaced(state, name)
        R, p = body.frame(frame)
        return TipMotion(p, R, body.velocity(frame.p), body.w)

    def _rate(self, x: SX, effort: SX, inputs: Inputs) -> SX:
        robot = self.dynamics(x, inputs)
        return ca.vertcat(self.position_rate(x), robot.forward(effort) * robot.guard)

    def _energy(self, x: SX, inputs: Inputs) -> tuple[SX, SX]:
        return self.dynamics(x, inputs).energy()

    def momentum(self, x: SX, inputs: Inputs) -> tuple[SX, SX]:
        robot = self.dynamics(x, inputs)
        return times(robot.mass_matrix(), robot.velocity) * robot.guard, robot.bias()

    # Efforts.

    def _rubbing(self, x: SX, inputs: Inputs, sliding: SX) -> MechanismDynamics:
        """The robot with Coulomb friction as of another velocity."""
        robot = self.dynamics(x, inputs)
        if not self.coulomb:
            return robot
        slip = ca.sign(times(robot.friction_kinematics().jacobian, sliding))
        return self.dynamics(x, inputs, slip)

    def effort_for(
        self,
        x: SX,
        acceleration: SX,
        sliding: SX,
        inputs: Inputs,
        formulation: ChosenFormulation = None,
        by_matrix: bool = False,
    ) -> SX:
        if formulation is not None:
            published: SX = formulation.effort_for(x, acceleration, sliding, inputs)
            return published
        robot = self._rubbing(x, inputs, sliding)
        if by_matrix and robot.load_shares is None:
            needed = times(robot.mass_matrix(), acceleration) + robot.bias()
            return robot.efforts_for(needed) * robot.guard
        return robot.inverse(acceleration) * robot.guard

    def holding_effort(
        self, position: SX, force: SX, gravity: bool, formulation: ChosenFormulation = None
    ) -> SX:
        own = None if gravity else zeros(3)
        robot = MechanismDynamics(self.model, position, friction=False, gravity=own)
        return robot.efforts_for(robot.bias() + force) * robot.guard

    def adaptive_effort(
        self, x: SX, wanted: ReferenceMotion, payload: SX, formulation: ChosenFormulation = None
    ) -> tuple[SX, SX]:
        """Coriolis terms are those of the velocity itself, so errors are sure to die out only while the
        pull's k M is above half the rate of M; M of a closed chain changes little."""
        robot = self._rubbing(x, {"payload": payload}, wanted.sliding)
        acceleration = wanted.acceleration + wanted.pull
        return robot.inverse(acceleration) * robot.guard, robot.need(acceleration)

    # Actuators.

    @property
    def _actuators_at_home(self) -> SX:
        return number(np.array(self.actuators_at_home or (0.0,) * self.effort_size))

    def actuator_jacobian(self, x: SX) -> SX:
        return self.dynamics(x, {}).actuation

    def actuator_position(self, x: SX) -> SX:
        robot = self.dynamics(x, {})
        return robot.actuators(robot.place)[0] + self._actuators_at_home

    def position_of_actuators(self, actuators: SX, near: SX) -> SX:
        wanted = actuators - self._actuators_at_home
        return MechanismDynamics(self.model, near).from_actuators(wanted, NEWTON_STEPS)[0]

    # Positions with quaternions among their numbers.

    @property
    def layout(self) -> CoordinateLayout:
        return CoordinateLayout.of(self.model, self.position_size)

    def position_rate(self, x: SX) -> SX:
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

    # Coulomb friction.

    def friction_kinematics(self, x: SX) -> FrictionKinematics:
        return self.dynamics(x, {}).friction_kinematics()

    def _sticking_rate(self, x: SX, effort: SX, slip: SX, inputs: Inputs) -> tuple[SX, SX]:
        robot = self.dynamics(x, inputs, slip)
        sizes = [max(-low, high) for low, high in self.coulomb]
        sticks = ca.vertcat(*[slip[k] == 0 if size else SX(0) for k, size in enumerate(sizes)])
        scale = SX(ca.DM([size or 1.0 for size in sizes]))
        kinematics = robot.friction_kinematics()
        rows = scale * kinematics.jacobian
        if robot.load_shares is None:
            b = robot.generalized(effort) - robot.bias()
        else:
            carried = robot.carried_under(effort)
            b = robot.generalized(carried) - robot.frictionless.bias()
        responses = solve_symmetric(robot.mass_matrix(), ca.horzcat(b, rows.T))
        freely, yielding = responses[:, 0], responses[:, 1:]
        # hold / scale = y, so that J (freely - yielding y) + drift = 0 of all that stick.
        A = times(rows, yielding)
        both = times(sticks, sticks.T)
        held = A * both + ca.diag((1 - sticks + COMPLIANCE) * ca.diag(A))
        moving = sticks * (times(rows, freely) + scale * kinematics.drift)
        solved, y = symmetric_solver(held), zeros(len(sizes))
        for _ in range(SOLUTIONS):
            y = y + solved(moving - sticks * times(A, y))
        acceleration, hold = freely - times(yielding, y), scale * y
        if robot.load_shares is not None:
            hold = self._held_by_others(carried, sticks, hold)
        return ca.vertcat(self.position_rate(x), acceleration * robot.guard), hold

    def _held_by_others(self, carried: SX, sticks: SX, hold: SX) -> SX:
        """What friction under load leaves to Coulomb friction."""
        motors = self.model.effort_names
        found = SX(hold)
        for k, each in enumerate(dry_elements(self.model)):
            if each.friction.grows_with_load:
                share = SX(each.friction.load_friction or 0.0) * sticks[k]
                found[k] = held_by_others(share, carried[motors.index(each.name)], hold[k])
        return found
