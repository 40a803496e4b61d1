"""Forward dynamics of an arm as a system of differential equations: x = (q, qd)."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from linkwork.mechanics.arm import kinematics
from linkwork.mechanics.arm.chain import layout
from linkwork.mechanics.arm.dynamics import ArmDynamics
from linkwork.mechanics.bodies import PARAMETERS, body_of
from linkwork.mechanics.expressions import SX
from linkwork.mechanics.plant import Inputs, Plant, Tip
from linkwork.robots.arm import ArmModel


@dataclass(frozen=True)
class ArmPlant(Plant):
    """An arm with friction, rotors and optional variations."""

    model: ArmModel
    friction: bool = True
    rotors: bool = True

    @property
    def position_size(self) -> int:
        return self.model.n

    @property
    def velocity_size(self) -> int:
        return self.model.n

    @property
    def effort_size(self) -> int:
        return self.model.n

    @property
    def variations(self) -> dict[str, int]:
        return {"payload": PARAMETERS, "wrench": 6, "mass_scale": self.model.n, "friction_scale": 1}

    @property
    def has_friction(self) -> bool:
        return self.friction and any(joint.friction.acts for joint in self.model.joints)

    @property
    def coulomb(self) -> tuple[tuple[float, float], ...]:
        found = [
            (joint.friction.coulomb_backward, joint.friction.coulomb_forward)
            for joint in self.model.joints
        ]
        return tuple(found) if self.friction and any(any(pair) for pair in found) else ()

    def _dynamics(self, q: SX, inputs: Inputs) -> ArmDynamics:
        return ArmDynamics(
            self.model,
            q,
            friction=self.friction,
            rotors=self.rotors,
            load=body_of(inputs["payload"]) if "payload" in inputs else None,
            mass_scale=inputs.get("mass_scale"),
            friction_scale=inputs.get("friction_scale"),
            tip_wrench=inputs.get("wrench"),
        )

    @property
    def wrench_sign(self) -> float:
        return -1.0

    def tip(self, x: SX) -> Tip:
        n = self.model.n
        chain, where = self._dynamics(x[0:n], {}).chain, layout(self.model)
        T = kinematics.link_frames(chain, where)[-1]
        twist = ca.mtimes(kinematics.jacobian(chain, where, n - 1), x[n:])
        return Tip(T[0:3, 3], T[0:3, 0:3], twist[0:3], twist[3:6])

    def rate(self, x: SX, effort: SX, inputs: Inputs) -> SX:
        q, qd = x[0 : self.model.n], x[self.model.n :]
        return ca.vertcat(qd, self._dynamics(q, inputs).forward(qd, effort))

    def sticking_rate(self, x: SX, effort: SX, slip: SX, inputs: Inputs) -> tuple[SX, SX]:
        q, qd = x[0 : self.model.n], x[self.model.n :]
        dry = [any(pair) for pair in self.coulomb]
        sticks = ca.vertcat(*[slip[k] == 0 if rough else SX(0) for k, rough in enumerate(dry)])
        qdd, hold = self._dynamics(q, inputs).forward_sticking(qd, effort, slip, sticks)
        return ca.vertcat(qd, qdd), hold

    def energy(self, x: SX, inputs: Inputs) -> tuple[SX, SX]:
        q, qd = x[0 : self.model.n], x[self.model.n :]
        return self._dynamics(q, inputs).energy(qd)

    @property
    def actuated_coordinates(self) -> bool:
        return True

    def actuator_jacobian(self, x: SX) -> SX:
        return SX.eye(self.model.n)
