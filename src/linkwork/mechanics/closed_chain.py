"""Plants whose efforts act on the coordinates through a Jacobian: platforms and parallel robots.

Their Coulomb friction acts in joints whose velocities follow from those of the coordinates. There may be
more of such joints than freedoms: friction that holds all of them is then not determined by statics,
and they share it in proportion to what each of them can hold.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Protocol

import casadi as ca

from linkwork.mechanics.bodies import PARAMETERS
from linkwork.mechanics.expressions import SX, times
from linkwork.mechanics.linear import solve_symmetric
from linkwork.mechanics.plant import FrictionKinematics, Inputs, RobotPlant, Wanted
from linkwork.mechanics.pose import orientation_error, quaternion_rate

POSE = 7
# From one control sample to the next: each squares the error, which begins at some centimetres.
NEWTON_STEPS = 4
# Of the diagonal, so that joints that hold each other's load leave a regular matrix. A second solution
# for what the first has left makes the error its square.
COMPLIANCE = 1e-9


class ClosedChain(Protocol):
    """A robot in one state."""

    @property
    def guard(self) -> SX:
        """1, or not finite where the state has no answer."""

    def mass_matrix(self) -> SX: ...

    def bias(self) -> SX:
        """Generalised forces without acceleration, all friction included."""

    def generalised(self, effort: SX, /) -> SX:
        """What efforts do to the coordinates."""

    def inverse(self, acceleration: SX, /) -> SX:
        """Efforts of an acceleration of the coordinates."""

    def need(self, acceleration: SX, /) -> SX:
        """Forces on the coordinates that an acceleration of them needs."""

    def efforts_for(self, force: SX, /) -> SX:
        """Efforts that put a force on the coordinates."""

    def forward(self, effort: SX, /) -> SX:
        """Acceleration of the coordinates."""

    def friction_kinematics(self) -> FrictionKinematics: ...

    def energy(self) -> tuple[SX, SX]: ...


class ClosedChainPlant(RobotPlant):
    """In coordinates, or for all six freedoms in a pose whose quaternion is kept at unit length."""

    @abstractmethod
    def dynamics(self, x: SX, inputs: Inputs, slip: SX | None = None) -> ClosedChain:
        """The robot at a state; `slip` as in `sticking_rate`, by the velocities if None."""

    def _rubbing(self, x: SX, inputs: Inputs, sliding: SX) -> ClosedChain:
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
        formulation: Any = None,
        by_matrix: bool = False,
    ) -> SX:
        if formulation is not None:
            published: SX = formulation.effort_for(x, acceleration, sliding, inputs)
            return published
        robot = self._rubbing(x, inputs, sliding)
        if by_matrix:
            needed = times(robot.mass_matrix(), acceleration) + robot.bias()
            return robot.efforts_for(needed) * robot.guard
        return robot.inverse(acceleration) * robot.guard

    def adaptive_effort(
        self, x: SX, wanted: Wanted, payload: SX, formulation: Any = None
    ) -> tuple[SX, SX]:
        """Coriolis terms are those of the velocity itself, so errors are sure to die out only while the
        pull's k M is above half the rate of M; M of a closed chain changes little."""
        robot = self._rubbing(x, {"payload": payload}, wanted.sliding)
        acceleration = wanted.acceleration + wanted.pull
        return robot.inverse(acceleration) * robot.guard, robot.need(acceleration)

    @property
    def variations(self) -> dict[str, int]:
        return {"payload": PARAMETERS, "wrench": 6}

    @property
    def wrench_sign(self) -> float:
        return 1.0

    @property
    def actuated_coordinates(self) -> bool:
        return False

    @property
    def by_pose(self) -> bool:
        return self.position_size == POSE

    def rate(self, x: SX, effort: SX, inputs: Inputs) -> SX:
        robot = self.dynamics(x, inputs)
        return ca.vertcat(self._position_rate(x), robot.forward(effort) * robot.guard)

    def _position_rate(self, x: SX) -> SX:
        velocity = x[self.position_size :]
        if not self.by_pose:
            return velocity
        return ca.vertcat(velocity[0:3], quaternion_rate(x[3:7], velocity[3:6]))

    def energy(self, x: SX, inputs: Inputs) -> tuple[SX, SX]:
        return self.dynamics(x, inputs).energy()

    def projected(self, x: SX) -> SX:
        if not self.by_pose:
            return x
        quaternion = x[3:7]
        return ca.vertcat(x[0:3], quaternion / ca.norm_2(quaternion), x[7:])

    def position_error(self, wanted: SX, actual: SX) -> SX:
        if not self.by_pose:
            return wanted - actual
        turn = orientation_error(wanted[3:7], actual[3:7])
        return ca.vertcat(wanted[0:3] - actual[0:3], turn)

    # Coulomb friction.

    def friction_kinematics(self, x: SX) -> FrictionKinematics:
        return self.dynamics(x, {}).friction_kinematics()

    def sticking_rate(self, x: SX, effort: SX, slip: SX, inputs: Inputs) -> tuple[SX, SX]:
        robot = self.dynamics(x, inputs, slip)
        sizes = [max(-low, high) for low, high in self.coulomb]
        sticks = ca.vertcat(*[slip[k] == 0 if size else SX(0) for k, size in enumerate(sizes)])
        scale = SX(ca.DM([size or 1.0 for size in sizes]))
        kinematics = robot.friction_kinematics()
        rows = scale * kinematics.jacobian
        b = robot.generalised(effort) - robot.bias()
        solved = solve_symmetric(robot.mass_matrix(), ca.horzcat(b, rows.T))
        freely, yielding = solved[:, 0], solved[:, 1:]
        # hold / scale = y, so that J (freely - yielding y) + drift = 0 of all that stick.
        A = times(rows, yielding)
        both = times(sticks, sticks.T)
        held = A * both + ca.diag((1 - sticks + COMPLIANCE) * ca.diag(A))
        moving = sticks * (times(rows, freely) + scale * kinematics.drift)
        y = solve_symmetric(held, moving)
        y = y + solve_symmetric(held, moving - sticks * times(A, y))
        acceleration = freely - times(yielding, y)
        return ca.vertcat(self._position_rate(x), acceleration * robot.guard), scale * y
