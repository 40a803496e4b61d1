"""A parallel robot in one state: what its methods, its plant and its controllers are expressed from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import casadi as ca
import numpy as np

from linkwork.mechanics.bodies import CompositeBody
from linkwork.mechanics.expressions import SX, number, times, zeros
from linkwork.mechanics.parallel.dynamics import STANDING, BaseMotion, Dynamics, Load
from linkwork.mechanics.parallel.kinematics import Posture, posture
from linkwork.mechanics.parallel.leg_dynamics import Inertia, composite_bodies
from linkwork.mechanics.parallel.mechanism import Mechanism, mechanism_of
from linkwork.mechanics.plant import FrictionKinematics
from linkwork.robots.geometry import Body
from linkwork.robots.parallel import LegJoint, ParallelModel


def dry_joints(model: ParallelModel) -> list[LegJoint]:
    """Those that have Coulomb friction."""
    return [joint for joint in model.joints if joint.friction.is_dry]


@dataclass(frozen=True, eq=False)
class ParallelDynamics:
    """A robot at coordinates c that move with cd.

    Args:
        gravity: in base axes; the robot's own if None.
        wrench: force, then moment, on the platform, in its axes.
        base_motion: angular velocity and acceleration and linear acceleration of the base.
        load: a body on the platform, about its origin in its axes.
        slip: directions in which `dry_joints` slide, +1 or -1, for their Coulomb friction, 0 for none;
            by their velocities if None.
    """

    model: ParallelModel
    c: SX
    cd: SX | None = None
    friction: bool = True
    rotors: bool = True
    gravity: SX | None = None
    wrench: SX | None = None
    base_motion: SX | None = None
    load: CompositeBody | None = None
    slip: SX | None = None

    @cached_property
    def mechanism(self) -> Mechanism:
        return mechanism_of(self.model)

    @cached_property
    def posture(self) -> Posture:
        return posture(self.mechanism, self.c)

    @property
    def guard(self) -> SX:
        """1 where all legs close on their home branches, else not finite."""
        return self.posture.guard

    @property
    def velocity(self) -> SX:
        return zeros(self.model.freedoms) if self.cd is None else self.cd

    @cached_property
    def acting(self) -> Load:
        base = STANDING
        if self.base_motion is not None:
            motion = self.base_motion
            base = BaseMotion(motion[0:3], motion[3:6], motion[6:9])
        gravity = number(self.model.gravity) if self.gravity is None else self.gravity
        wrench = zeros(6) if self.wrench is None else self.wrench
        slip = None
        if self.slip is not None:
            slip = {joint.name: self.slip[k] for k, joint in enumerate(dry_joints(self.model))}
        return Load(wrench, gravity, base, self.friction, self.rotors, self.load, slip)

    @cached_property
    def true(self) -> Dynamics:
        """With the masses where they are: for reactions and energies."""
        inertias = tuple(Inertia.true(plan.chain) for plan in self.mechanism.legs)
        return Dynamics(self.posture, inertias, self.model.platform, self.acting)

    @cached_property
    def reduced(self) -> Dynamics:
        """With masses where they cost the fewest operations."""
        standing = self.base_motion is None
        gravity = self.acting.gravity
        known = np.array(ca.DM(gravity)).ravel() if standing and gravity.is_constant() else None
        platform, inertias = self.model.platform, []
        for plan in self.mechanism.legs:
            inertia = Inertia.reduced(plan.chain, known, standing)
            at_tip = Body.of(inertia.at_tip, plan.chain.platform_point, np.zeros((3, 3)))
            platform = platform.merged_with(at_tip) if inertia.at_tip else platform
            inertias.append(inertia)
        return Dynamics(self.posture, tuple(inertias), platform, self.acting)

    def inverse(self, cdd: SX) -> SX:
        """Efforts of a motion."""
        return self.reduced.inverse(self.velocity, cdd)

    def forward(self, tau: SX) -> SX:
        """cdd under efforts."""
        return self.reduced.forward(self.velocity, tau)

    def bias(self) -> SX:
        """h, in the coordinates."""
        return self.reduced.bias(self.velocity)

    def mass_matrix(self) -> SX:
        """M, in the coordinates."""
        return self.reduced.mass_matrix()

    def generalised(self, tau: SX) -> SX:
        """What efforts do to the coordinates."""
        return self.reduced.generalised(tau)

    def friction_kinematics(self) -> FrictionKinematics:
        """Of the joints that have Coulomb friction."""
        place, cd = self.posture, self.velocity
        twist, drift = place.twist(cd), place.drift(cd)
        rows, changes = [SX(0, self.model.freedoms)], [SX(0, 1)]
        for leg in place.legs:
            joints = leg.chain.leg.joints
            if not any(joint.friction.is_dry for joint in joints):
                continue
            qdd = self.reduced.joint_accelerations(leg, twist, drift)
            for k, joint in enumerate(joints):
                if joint.friction.is_dry:
                    rows.append(times(place.T.T, leg.unit_wrenches[k]).T)
                    changes.append(qdd[k])
        return FrictionKinematics(ca.vertcat(*rows), ca.vertcat(*changes))

    def gravity_load(self) -> SX:
        """Efforts that hold everything at rest."""
        still = replace(self, cd=None, wrench=None, base_motion=None, friction=False)
        return still.inverse(zeros(self.model.freedoms))

    def energy(self) -> tuple[SX, SX]:
        """Kinetic and potential energy; the potential is zero with all mass at the base origin."""
        pose, gravity, cd = self.posture.pose, self.acting.gravity, self.velocity
        kinetic = ca.dot(cd, times(self.true.mass_matrix(), cd)) / 2
        body = self.model.platform
        centre = pose.position + times(pose.R, number(body.center_of_mass))
        potential = -body.mass * ca.dot(gravity, centre)
        if self.load is not None:
            held = self.load.m * pose.position + times(pose.R, self.load.h)
            potential = potential - ca.dot(gravity, held)
        for leg, inertia in zip(self.posture.legs, self.true.inertias, strict=True):
            whole: Any = composite_bodies(leg.configuration, inertia)[0]
            base = leg.chain.base
            first = times(number(base.R), ca.vertcat(*whole.first)) + whole.m * number(base.p)
            potential = potential - ca.dot(gravity, first)
        return kinetic, potential
