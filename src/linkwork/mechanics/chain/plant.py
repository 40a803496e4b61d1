"""Forward dynamics of an arm as a system of differential equations: x = (q, qd)."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from linkwork.mechanics.bodies import PARAMETERS, body_of
from linkwork.mechanics.chain import kinematics
from linkwork.mechanics.chain.chain import layout
from linkwork.mechanics.chain.dynamics import MASS_MATRICES, ArmDynamics
from linkwork.mechanics.expressions import SX, zeros
from linkwork.mechanics.plant import ChosenFormulation, Inputs, Plant, ReferenceMotion, TipMotion
from linkwork.model.families.arm import ArmModel


@dataclass(frozen=True)
class ArmPlant(Plant):
    """An arm with friction, rotors and optional variations.

    `formulation` is the one of its forward dynamics, a name of FORWARD; None is the cheapest.
    """

    model: ArmModel
    friction: bool = True
    rotors: bool = True
    formulation: str | None = None

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
        found = [joint.friction.breakaway for joint in self.model.joints]
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
            gravity=inputs.get("gravity"),
        )

    @property
    def wrench_sign(self) -> float:
        return -1.0

    def tip(self, x: SX) -> TipMotion:
        n = self.model.n
        chain, where = self._dynamics(x[0:n], {}).chain, layout(self.model)
        T = kinematics.link_frames(chain, where)[-1]
        twist = ca.mtimes(kinematics.jacobian(chain, where, n - 1), x[n:])
        return TipMotion(T[0:3, 3], T[0:3, 0:3], twist[0:3], twist[3:6])

    def _rate(self, x: SX, effort: SX, inputs: Inputs) -> SX:
        q, qd = x[0 : self.model.n], x[self.model.n :]
        return ca.vertcat(qd, self._dynamics(q, inputs).forward(qd, effort, self.formulation))

    def _sticking_rate(self, x: SX, effort: SX, slip: SX, inputs: Inputs) -> tuple[SX, SX]:
        q, qd = x[0 : self.model.n], x[self.model.n :]
        dry = [any(pair) for pair in self.coulomb]
        sticks = ca.vertcat(*[slip[k] == 0 if rough else SX(0) for k, rough in enumerate(dry)])
        arm = self._dynamics(q, inputs)
        qdd, hold = arm.forward_sticking(qd, effort, slip, sticks, self.formulation)
        return ca.vertcat(qd, qdd), hold

    def _energy(self, x: SX, inputs: Inputs) -> tuple[SX, SX]:
        q, qd = x[0 : self.model.n], x[self.model.n :]
        return self._dynamics(q, inputs).energy(qd)

    def momentum(self, x: SX, inputs: Inputs) -> tuple[SX, SX]:
        q, qd = x[0 : self.model.n], x[self.model.n :]
        arm = self._dynamics(q, inputs)
        return ca.mtimes(arm.mass_matrix(), qd), arm.bias(qd)

    def effort_for(
        self,
        x: SX,
        acceleration: SX,
        sliding: SX,
        inputs: Inputs,
        formulation: ChosenFormulation = None,
        by_matrix: bool = False,
    ) -> SX:
        """A wrench measured at the wrist is the recursion's f_(n+1) and n_(n+1) (Turney 3)."""
        n = self.model.n
        arm = self._dynamics(x[0:n], inputs)
        if not by_matrix:
            return arm.inverse(x[n:], acceleration, formulation, friction_velocity=sliding)
        bias = arm.rigid(x[n:], zeros(n), formulation)
        return arm.with_friction(ca.mtimes(arm.mass_matrix(formulation), acceleration) + bias, sliding)

    def holding_effort(
        self, position: SX, force: SX, gravity: bool, formulation: ChosenFormulation = None
    ) -> SX:
        if not gravity:
            return force
        arm, still = ArmDynamics(self.model, position), zeros(self.model.n)
        if formulation is None:
            return force + arm.gravity_load()
        return force + arm.rigid(still, still, formulation)

    def adaptive_effort(
        self, x: SX, wanted: ReferenceMotion, payload: SX, formulation: ChosenFormulation = None
    ) -> tuple[SX, SX]:
        """Slotine and Li's: Coriolis terms are linear in the velocity and in the reference velocity."""
        n = self.model.n
        arm = self._dynamics(x[0:n], {"payload": payload})
        rigid = arm.passive_inverse(x[n:], wanted.velocity, wanted.acceleration, formulation)
        M = arm.mass_matrix(formulation if formulation in MASS_MATRICES else None)
        tau = rigid + arm.rotor_inertias * wanted.acceleration + ca.mtimes(M, wanted.pull)
        return arm.with_friction(tau, wanted.sliding), rigid

    @property
    def actuated_coordinates(self) -> bool:
        return True

    def actuator_jacobian(self, x: SX) -> SX:
        return SX.eye(self.model.n)
