"""The robots as systems of differential equations: state and effort in, rate of the state out.

An arm's state is q and qd; a platform's is its pose (with a unit quaternion) and twist. Parameters that
a batch of simulations varies (a payload, a change of mass or friction) are inputs of the expression.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from linkwork.mechanics.arm import composite, payload
from linkwork.mechanics.arm.chain import chain_of
from linkwork.mechanics.arm.joint_forces import friction_torques, rotor_inertias
from linkwork.mechanics.arm.modified_newton_euler import torques
from linkwork.mechanics.arm.rigid import rigid_mass_matrix, rigid_torques
from linkwork.mechanics.expressions import SX, cross, number, zeros
from linkwork.mechanics.linear import solve_symmetric
from linkwork.mechanics.platform import exact, legs
from linkwork.mechanics.platform.pose import rotation_wxyz
from linkwork.robots.arm import ArmModel
from linkwork.robots.platform import PlatformModel

# What a batch of arms may vary.
ARM_VARIATIONS = ("payload", "mass_scale", "friction_scale")


def variation_sizes(names: tuple[str, ...], n: int) -> dict[str, int]:
    sizes = {"payload": payload.PARAMETERS, "mass_scale": n, "friction_scale": 1}
    return {name: sizes[name] for name in names}


@dataclass(frozen=True)
class ArmPlant:
    """Forward dynamics of an arm with friction, rotors and optional variations."""

    model: ArmModel
    friction: bool = True
    rotors: bool = True

    @property
    def state_size(self) -> int:
        return 2 * self.model.n

    @property
    def effort_size(self) -> int:
        return self.model.n

    def _rigid(self, q: SX, qd: SX, variations: dict[str, SX]) -> tuple[SX, SX]:
        """Mass matrix and bias of the links and the load."""
        still = zeros(self.model.n)
        chain = chain_of(self.model, q)
        if not {"mass_scale", "payload"} & variations.keys():
            return rigid_mass_matrix(self.model, q, chain), rigid_torques(self.model, q, qd, still)
        if "mass_scale" in variations:
            chain = payload.scaled(chain, variations["mass_scale"])
        load = payload.body_of(variations["payload"]) if "payload" in variations else None
        moving = chain if load is None else payload.loaded(chain, qd, still, load)
        return composite.mass_matrix(chain, load), ca.vertcat(*torques(moving, qd, still))

    def rate(self, x: SX, tau: SX, variations: dict[str, SX]) -> SX:
        n = self.model.n
        q, qd = x[0:n], x[n:]
        M, bias = self._rigid(q, qd, variations)
        effort = tau - bias
        if self.friction:
            friction = ca.vertcat(*friction_torques(self.model, qd))
            effort = effort - variations.get("friction_scale", SX(1)) * friction
        if self.rotors:
            M = M + ca.diag(SX(ca.DM(rotor_inertias(self.model))))
        return ca.vertcat(qd, solve_symmetric(M, effort))

    @staticmethod
    def settle(x: SX) -> SX:
        return x


@dataclass(frozen=True)
class PlatformPlant:
    """Forward dynamics of a platform; its quaternion is kept at unit length."""

    model: PlatformModel
    friction: bool = True

    state_size = 13
    effort_size = 6

    def rate(self, x: SX, force: SX, variations: dict[str, SX]) -> SX:
        position, quaternion, twist = x[0:3], x[3:7], x[7:13]
        R = rotation_wxyz(quaternion)
        state = exact.State(
            model=self.model,
            R=R,
            twist=twist,
            wrench=zeros(6),
            gravity=number(self.model.gravity),
            legs=tuple(legs.geometry(leg, position, R) for leg in self.model.legs),
            friction=self.friction,
        )
        W, w, v = twist[3:6], quaternion[0], quaternion[1:4]
        turning = ca.vertcat(-ca.dot(W, v), w * W + cross(W, v)) / 2
        return ca.vertcat(twist[0:3], turning, exact.platform_acceleration(state, force))

    @staticmethod
    def settle(x: SX) -> SX:
        quaternion = x[3:7]
        return ca.vertcat(x[0:3], quaternion / ca.norm_2(quaternion), x[7:13])


Plant = ArmPlant | PlatformPlant


def rate_function(plant: Plant, variations: tuple[str, ...] = ()) -> ca.Function:
    """xd = f(x, effort, variations...)."""
    x, effort = SX.sym("x", plant.state_size), SX.sym("effort", plant.effort_size)
    sizes = variation_sizes(variations, plant.effort_size)
    symbols = {name: SX.sym(name, size) for name, size in sizes.items()}
    rate = plant.rate(x, effort, symbols)
    return ca.Function("rate", [x, effort, *symbols.values()], [rate], ["x", "effort", *symbols], ["xd"])
