"""The one symbolic model of an arm's dynamics: links, load, drives, gravity and what acts at its ends.

    tau = M(q) qdd + c(q, qd) + g(q) + friction(qd),    M with rotor inertias on its diagonal.

Friction that grows with the load adds a share of |M qdd + c + g|, joint by joint.

Kernels of methods, plants of simulations and control laws are all made of it. A load is known by mass m,
first moment h and inertia J about the origin of the last frame, in that frame. It acts on the last link
with the wrench that its motion needs, so it enters every formulation as a tip wrench, linear in its ten
parameters.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import casadi as ca

from linkwork.mechanics.bodies import CompositeBody
from linkwork.mechanics.chain import (
    angeles,
    articulated,
    composite,
    gibbs_appell,
    kane,
    kinematics,
    lagrange,
    modified_newton_euler,
    natural_complement,
    newton_euler,
    recursive_lagrange,
    strobing,
)
from linkwork.mechanics.chain.chain import Chain, chain_of
from linkwork.mechanics.chain.cheapest import rigid_mass_matrix, rigid_torques
from linkwork.mechanics.chain.kinematics import far_frames, frame_jacobian
from linkwork.mechanics.chain.modified_newton_euler import twice_antisymmetric
from linkwork.mechanics.expressions import (
    SX,
    acceleration_operator,
    cross,
    number,
    skew,
    times,
    zeros,
)
from linkwork.mechanics.friction import carried_effort, friction_effort, held_by_others
from linkwork.mechanics.linear import LOCK, solve_symmetric
from linkwork.model.families.arm import ArmModel

if TYPE_CHECKING:
    from linkwork.mechanics.chain.minimal.operation_plan import Gravity


Formulation = Callable[[Chain, SX, SX, SX], list[SX]]
FORMULATIONS: dict[str, Formulation] = {
    "newton-euler": lambda chain, q, qd, qdd: newton_euler.torques(chain, qd, qdd),
    "modified-newton-euler": lambda chain, q, qd, qdd: modified_newton_euler.torques(chain, qd, qdd),
    "angeles": angeles.torques,
    "lagrange": lambda chain, q, qd, qdd: lagrange.torques(chain, qd, qdd),
    "natural-complement": lambda chain, q, qd, qdd: natural_complement.torques(chain, qd, qdd),
    "recursive-lagrange": lambda chain, q, qd, qdd: recursive_lagrange.torques(chain, qd, qdd),
    "kane": lambda chain, q, qd, qdd: kane.torques(chain, qd, qdd),
    "gibbs-appell": lambda chain, q, qd, qdd: gibbs_appell.torques(chain, qd, qdd),
}
MINIMAL = "minimal"
NAMES = (*FORMULATIONS, MINIMAL)
MASS_MATRICES: dict[str, Callable[[Chain], SX]] = {
    "composite": composite.mass_matrix,
    "strobing": lambda chain: strobing.mass_matrix(chain, newton_euler.torques),
    "lagrange": lagrange.mass_matrix,
    "natural-complement": natural_complement.generalized_inertia,
}
# M qdd = b, with rotor inertias on the diagonal of M. Up to this many joints, forming M costs less.
LONGEST_COMPOSITE = 16
# How forward dynamics forms M, and the formulation of its bias; None is the cheapest. T 7 reads M from
# the recursion by strobing, A 7.5 has both from the natural complement.
FORWARD: dict[str, str | None] = {
    "composite": None,
    "articulated": None,
    "strobing": "newton-euler",
    "lagrange": "lagrange",
    "natural-complement": "natural-complement",
}


@dataclass(frozen=True)
class ArmDynamics:
    """An arm at q.

    Args:
        gravity: in base axes, three numbers or an expression; the robot's own if None.
        tip_wrench: force, then moment, of the last link on its surroundings.
        base_motion: angular velocity, angular acceleration and linear acceleration of the base.
        load: a body in the hand, in the last frame.
        mass_scale: factors of mass and inertia, one per link.
        friction_scale: factor of all friction.
        reduced: whether the links are numbers, from which fewer operations can be found.
    """

    model: ArmModel
    q: SX
    friction: bool = True
    rotors: bool = True
    gravity: Gravity | SX | None = None
    tip_wrench: SX | None = None
    base_motion: SX | None = None
    load: CompositeBody | None = None
    mass_scale: SX | None = None
    friction_scale: SX | None = None
    reduced: bool = True

    @cached_property
    def gravity_vector(self) -> SX:
        if isinstance(self.gravity, SX):
            return self.gravity
        return number(self.model.gravity) if self.gravity is None else SX(ca.DM(self.gravity))

    @cached_property
    def chain(self) -> Chain:
        """The links as the papers draw them, with what acts at both ends except the load."""
        chain = chain_of(
            self.model,
            self.q,
            gravity=self.gravity_vector,
            tip_wrench=self.tip_wrench,
            base_motion=self.base_motion,
        )
        return chain if self.mass_scale is None else scaled(chain, self.mass_scale)

    @property
    def _own_links(self) -> bool:
        """Whether links are the robot's own, as the reduced expressions suppose."""
        return self.load is None and self.mass_scale is None and self.reduced

    @cached_property
    def rotor_inertias(self) -> SX:
        n = self.model.n
        return ca.vertcat(*map(SX, rotor_inertias(self.model))) if self.rotors else zeros(n)

    def friction_torques(self, qd: SX, slip: SX | None = None) -> SX:
        """Friction at qd, where joints slip in the directions of `slip`: those of qd if None."""
        if not self.friction:
            return zeros(self.model.n)
        way = qd if slip is None else slip
        joints = enumerate(self.model.joints)
        torques = ca.vertcat(*[friction_effort(joint.friction, qd[k], way[k]) for k, joint in joints])
        return torques if self.friction_scale is None else self.friction_scale * torques

    def load_shares(self, slip: SX) -> SX | None:
        """Of what joints carry, that friction takes, by the sign of slip; None if none has that."""
        joints = self.model.joints
        if not (self.friction and any(joint.friction.grows_with_load for joint in joints)):
            return None
        sizes = ca.vertcat(*[SX(joint.friction.load_friction or 0.0) for joint in joints])
        return (1 if self.friction_scale is None else self.friction_scale) * sizes * ca.sign(slip)

    def with_friction(self, carried: SX, qd: SX, slip: SX | None = None) -> SX:
        """Torques of joints that carry this, which have friction at qd."""
        torques = carried + self.friction_torques(qd, slip)
        shares = self.load_shares(qd if slip is None else slip)
        return torques if shares is None else torques + shares * ca.fabs(carried)

    def _friction_under(self, tau: SX, qd: SX, slip: SX | None = None) -> SX:
        """Friction at qd under these torques."""
        torques = self.friction_torques(qd, slip)
        shares = self.load_shares(qd if slip is None else slip)
        return torques if shares is None else tau - carried_effort(shares, tau - torques)

    def rigid(self, qd: SX, qdd: SX, formulation: str | None = None) -> SX:
        """Torques of links and load; by the cheapest formulation if None."""
        if formulation in (None, MINIMAL) and self._own_links:
            inputs = {"tip_wrench": self.tip_wrench, "base_motion": self.base_motion}
            runtime = {name: value for name, value in inputs.items() if value is not None}
            fixed = self.gravity
            if isinstance(fixed, SX):
                runtime, fixed = {"gravity": fixed, **runtime}, None
            return rigid_torques(self.model, self.q, qd, qdd, fixed, runtime)
        return self._recursion(self.chain, qd, qdd, formulation)

    def _recursion(self, chain: Chain, qd: SX, qdd: SX, formulation: str | None) -> SX:
        """Torques of a chain with the load, link by link as its formulation has them."""
        if self.load is not None:
            chain = loaded(chain, qd, qdd, self.load)
        if formulation in (None, MINIMAL):
            return ca.vertcat(*modified_newton_euler.torques(chain, qd, qdd))
        return ca.vertcat(*FORMULATIONS[formulation](chain, self.q, qd, qdd))

    def inverse(
        self, qd: SX, qdd: SX, formulation: str | None = None, friction_velocity: SX | None = None
    ) -> SX:
        """Torques of a motion; friction may be taken at another velocity than the arm's."""
        drive = self.rotor_inertias * qdd
        slip = qd if friction_velocity is None else friction_velocity
        return self.with_friction(self.rigid(qd, qdd, formulation) + drive, slip)

    def bias(self, qd: SX, formulation: str | None = None) -> SX:
        """Torques at qdd = 0."""
        return self.with_friction(self.rigid(qd, zeros(self.model.n), formulation), qd)

    def mass_matrix_felt(self, qd: SX, qdd: SX) -> SX:
        """Change of torques with accelerations: the mass matrix, and friction that follows the load."""
        M, shares = self.mass_matrix(), self.load_shares(qd)
        if shares is None:
            return M
        carried = self.rigid(qd, qdd) + self.rotor_inertias * qdd
        return ca.diag(1 + shares * ca.sign(carried)) @ M

    def mass_matrix(self, formulation: str | None = None) -> SX:
        """M with rotors; by the cheapest formulation if None."""
        if formulation in (None, MINIMAL) and self._own_links:
            M = rigid_mass_matrix(self.model, self.q, self.chain)
        elif formulation in (None, MINIMAL, "composite"):
            M = composite.mass_matrix(self.chain, self.load)
        else:
            M = MASS_MATRICES[formulation](self.chain)
            if self.load is not None:
                M = M + load_mass_matrix(self.chain, self.load)
        return M + ca.diag(self.rotor_inertias)

    def forward(self, qd: SX, tau: SX, formulation: str | None = None) -> SX:
        """Accelerations under torques, by a name of FORWARD; None is the cheapest."""
        still, of_bias = zeros(self.model.n), None if formulation is None else FORWARD[formulation]
        bias = self.rigid(qd, still, of_bias) + self._friction_under(tau, qd)
        return self._solved(tau - bias, still, formulation)

    def _solved(self, b: SX, added: SX, formulation: str | None = None) -> SX:
        """qdd with (M + diag(added)) qdd = b."""
        short = self.model.n <= LONGEST_COMPOSITE
        chosen = formulation or ("composite" if short else "articulated")
        if chosen == "articulated":
            return articulated.accelerations(self.chain, b, self.rotor_inertias + added, self.load)
        M = self.mass_matrix(None if chosen == "composite" else chosen)
        return solve_symmetric(M + ca.diag(added), b)

    def forward_sticking(
        self, qd: SX, tau: SX, slip: SX, sticks: SX, formulation: str | None = None
    ) -> tuple[SX, SX]:
        """Accelerations where some joints stand still, and the friction that holds those.

        A joint is held by a huge inertia; what that takes up is the friction that holds the joint.

        Args:
            slip: direction in which each joint slips, +1 or -1.
            sticks: 1 for a joint that friction holds, else 0.
            formulation: as in `forward`.
        """
        of_bias = None if formulation is None else FORWARD[formulation]
        bias = self.rigid(qd, zeros(self.model.n), of_bias) + self._friction_under(tau, qd, slip)
        qdd = self._solved(tau - bias, LOCK * sticks, formulation)
        hold, shares = LOCK * sticks * qdd, self.load_shares(sticks)
        if shares is not None:
            hold = held_by_others(shares, tau - self.friction_torques(qd, slip), hold)
        return (1 - sticks) * qdd, hold

    def gravity_load(self) -> SX:
        """Torques that hold links and load at rest."""
        chain, still = self.chain, zeros(self.model.n)
        if self.load is not None:
            chain = loaded(strobing.resting(chain), still, still, self.load)
            return ca.vertcat(*newton_euler.torques(chain, still, still))
        return ca.vertcat(*strobing.gravity_load(chain, newton_euler.torques))

    def energy(self, qd: SX) -> tuple[SX, SX]:
        """Kinetic energy with rotors, and potential energy."""
        kinetic, potential = kinematics.energies(self.chain, self.gravity_vector, qd, self.load)
        return kinetic + ca.dot(self.rotor_inertias, qd * qd) / 2, potential

    def passive_inverse(self, qd: SX, qd_r: SX, qdd_r: SX, formulation: str | None = None) -> SX:
        """M qdd_r + C(q, qd) qd_r + g of links and load, with the C that is linear in both velocities.

        c(a, b) by polarization of the Coriolis torques: (c(a + b) - c(a - b)) / 4.
        """
        still = zeros(self.model.n)
        free = strobing.weightless(self.chain)
        by_velocity = [self._recursion(free, v, still, formulation) for v in (qd + qd_r, qd - qd_r)]
        mixed = (by_velocity[0] - by_velocity[1]) / 4
        return self._recursion(self.chain, still, qdd_r, formulation) + mixed


def rotor_inertias(model: ArmModel) -> list[float]:
    """G^2 J of every joint."""
    return [joint.rotor.reflected for joint in model.joints]


def loaded(chain: Chain, qd: SX, qdd: SX, load: CompositeBody) -> Chain:
    """The chain with the wrench that the load needs for this motion at its tip."""
    w, al, a = tip_motion(chain, qd, qdd)
    A = acceleration_operator(w, al)
    K = ca.trace(load.J) / 2 * SX.eye(3) - load.J
    f = load.m * a + times(A, load.h)
    n = twice_antisymmetric(A, K) + cross(load.h, a)
    return replace(chain, f_tip=chain.f_tip + f, n_tip=chain.n_tip + n)


def tip_motion(chain: Chain, qd: SX, qdd: SX) -> tuple[SX, SX, SX]:
    """Angular velocity and acceleration of the last link; acceleration of its origin less gravity."""
    w, al, a = chain.w0, chain.al0, chain.a0
    for k, link in enumerate(chain.links):
        w, al, b = link.moved(w, al, a, qd[k], qdd[k])
        a = times(acceleration_operator(w, al), link.r) + b
    return w, al, a


def load_mass_matrix(chain: Chain, load: CompositeBody) -> SX:
    """What the load adds to M: J' [[m E, -h~], [h~, J]] J with the Jacobian of the last frame."""
    tip = far_frames(chain)[-1]
    R, last = tip[0:3, 0:3], len(chain.links) - 1
    jacobian = frame_jacobian(chain, tip[0:3, 3], last)
    h = skew(times(R, load.h))
    inertia = times(times(R, load.J), R.T)
    whole = ca.vertcat(ca.horzcat(load.m * SX.eye(3), -h), ca.horzcat(h, inertia))
    return times(times(jacobian.T, whole), jacobian)


def scaled(chain: Chain, factors: SX) -> Chain:
    """The chain with the mass and inertia of every link multiplied by a factor."""
    links = tuple(
        replace(
            link,
            m=factors[k] * link.m,
            ms=factors[k] * link.ms,
            I=factors[k] * link.I,
            K=factors[k] * link.K,
        )
        for k, link in enumerate(chain.links)
    )
    return replace(chain, links=links)
