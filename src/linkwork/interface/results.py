"""What the methods of robots return, by name."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from linkwork.interface.quantity import Array


class NaturalComplement(NamedTuple):
    """Matrices of Angeles 7.5 in base axes; twists [w; v of the center of mass], wrenches [n; f].

    The wrenches on all links, (..., 6 n), are those of (7.48): inertia needs the sum of them all.
    """

    T: Array
    T_rate: Array
    K: Array
    inertia: Array
    actuator_wrench: Array
    constraint_wrench: Array
    gravity_wrench: Array
    external_wrench: Array  # of the surroundings at the tip
    dissipative_wrench: Array  # w^D, of friction in the joints


class InverseDerivatives(NamedTuple):
    """Derivatives of the efforts by position, velocity and acceleration, (..., n, n) each.

    Row i belongs to effort i. For a platform the position is its pose, whose derivative is by three
    translations of the reference point and three rotations, in base axes.
    """

    dq: Array
    dqd: Array
    dqdd: Array


class ForwardDerivatives(NamedTuple):
    """Derivatives of the acceleration by position, velocity and effort, (..., n, n) each."""

    dq: Array
    dqd: Array
    dtau: Array


class Demand(NamedTuple):
    """What a motion asks of the legs at every state: over all legs, (...) each, but `square`."""

    force: Array  # greatest magnitude [N]
    square: Array  # of every leg's force, (..., 6) [N^2]
    shortest: Array  # [m]
    longest: Array  # [m]
    speed: Array  # greatest magnitude of a leg's rate [m/s]
    power: Array  # greatest magnitude [W]


class Margins(NamedTuple):
    """How far poses are from what ends the workspace, (...) each; negative beyond a limit.

    length: share of the stroke; universal_angle, spherical_angle: cosine above that of the limit; force:
    share of the limit that holding the pose leaves; singularity: a lower bound of the least singular
    value of J, moments over the platform's size, above the clearance asked for, -1 on the other side of
    a singularity than home; legs: distance of the nearest legs above their diameter [m]. A limit that
    the robot file does not have is 1. Then the greatest holding force [N] and the condition number.
    """

    length: Array
    universal_angle: Array
    spherical_angle: Array
    force: Array
    singularity: Array
    legs: Array
    holding_force: Array
    condition: Array

    @property
    def least(self) -> Array:
        """The smallest of the margins; negative outside the workspace."""
        return np.asarray(np.min(self[:6], axis=0))

    @property
    def kind(self) -> Array:
        """Which margin is smallest: an index into the fields."""
        return np.asarray(np.argmin(self[:6], axis=0))


class ParallelMargins(NamedTuple):
    """How far a robot is from what bounds its workspace, (...) each; negative beyond a limit.

    reach: 1 where all legs close on their home branches, else -1; joints: share of a joint's range;
    effort: share of the limit that holding the pose leaves; serial: 1 where the levers Jq of all
    actuators keep their sides and the clearance asked for, else -1; parallel: reciprocal condition
    number of Jx above the clearance, negative on the other side than home; constraint: reciprocal
    condition number of what determines the parasitic coordinates, above the clearance. What the robot
    file does not bound is 1. Then the greatest holding effort [N, N m] and the condition number.
    """

    reach: Array
    joints: Array
    effort: Array
    serial: Array
    parallel: Array
    constraint: Array
    holding_force: Array
    condition: Array

    @property
    def least(self) -> Array:
        """The smallest of the margins; negative outside the workspace."""
        return np.asarray(np.min(self[:6], axis=0))

    @property
    def kind(self) -> Array:
        """Which margin is smallest: an index into the fields."""
        return np.asarray(np.argmin(self[:6], axis=0))


class JointReactions(NamedTuple):
    """Reactions of every leg, (..., 6, 3), base axes [N, N m]; a joint's own friction not included."""

    spherical_force: Array  # platform on leg
    universal_force: Array  # base on leg
    universal_moment: Array  # base on leg, along the normal of the universal joint's cross
    prismatic_force: Array  # lower on upper part; along the leg it is the actuator force
    prismatic_moment: Array  # lower on upper part, about the base point
    prismatic_moment_at_platform: Array  # the same about the platform point


class LegKinematics(NamedTuple):
    """Lengths, rates and accelerations (..., 6); directions and true rotation (..., 6, 3), base axes."""

    length: Array
    rate: Array
    acceleration: Array
    direction: Array
    angular_velocity: Array
    angular_acceleration: Array


class BodyMotion(NamedTuple):
    """Of all bodies of a platform, base axes, (..., 13, 3) each: the lower parts of the legs, the upper
    parts, the platform. `center` is the place of the center of mass."""

    center: Array
    center_velocity: Array
    center_acceleration: Array
    angular_velocity: Array
    angular_acceleration: Array


class TaskSpace(NamedTuple):
    """J' F = M [linear; angular acceleration] + h."""

    mass_matrix: Array
    bias: Array


class ForceParts(NamedTuple):
    """Actuator forces (..., 6) and what they are for: total = massless + leg_inertia + friction."""

    total: Array
    massless: Array  # platform and wrench only: legs without mass, joints without friction
    leg_inertia: Array
    friction: Array

    @property
    def dynamic_fraction(self) -> Array:
        """Share of the legs' mass and friction in the total (Dasgupta 4.4)."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return (self.leg_inertia + self.friction) / self.total


class PlatformMotion(NamedTuple):
    """Twist and acceleration of the platform, (..., 6) each, linear then angular, base axes."""

    twist: Array
    acceleration: Array


class ParallelReactions(NamedTuple):
    """Wrenches in all joints of a parallel robot, base axes [N, N m]; NaN where indeterminate.

    Joints (..., joints, 3): the link before on the joint's link, about the joint's point (of a slide,
    the point of its link that is there at home); about or along its axis a joint passes on what its
    motor gives less friction and rotor. Closures (..., legs, 3): the platform on the leg,
    about the point where it holds it (a leg that ends rigidly: about the platform's origin).
    """

    joint_force: Array
    joint_moment: Array
    closure_force: Array
    closure_moment: Array


class JointMotion(NamedTuple):
    """All joints (..., joints), zero at home, and the platform: pose (..., 7), twist, acceleration."""

    q: Array
    qd: Array
    qdd: Array
    pose: Array
    twist: Array
    acceleration: Array


class ParallelJacobians(NamedTuple):
    """Jx cd = Jq * actuator velocities.

    Jx (..., n, d) is singular in a parallel singularity; Jq (..., n) is zero in a serial one: the lever
    arm [m] of a revolute actuator, or the cosine of the pressure angle of a prismatic one.
    """

    Jx: Array
    Jq: Array


class Singularities(NamedTuple):
    """How near a robot is to its singularities.

    `parallel` (...): condition number of Jx, infinite where the platform moves with locked actuators.
    `serial` (..., n): Jq of every actuator by its value at home, zero where the actuator does not move
    the platform. `constraint` (...): the largest condition number of the blocks without motors
    that Newton's method solves, infinite where a loop gains a freedom; 1 for a robot without them.
    """

    parallel: Array
    serial: Array
    constraint: Array


class ActuatedTaskSpace(NamedTuple):
    """actuation' efforts = M cdd + h; actuation (..., n, d): actuator velocities = actuation cd."""

    mass_matrix: Array
    bias: Array
    actuation: Array


class MechanismMotion(NamedTuple):
    """How a mechanism moves: joints and cylinders (..., joints), zero at home, by `names`.

    The tool: pose (..., 7), twist and acceleration (..., 6), linear then angular, base axes. All bodies
    by `bodies` likewise: poses (..., bodies, 7) of their frames, twists, accelerations.
    """

    q: Array
    qd: Array
    qdd: Array
    pose: Array
    twist: Array
    acceleration: Array
    poses: Array
    twists: Array
    accelerations: Array
    names: tuple[str, ...]
    bodies: tuple[str, ...]


class MechanismEffortParts(NamedTuple):
    """Efforts (..., n) of a mechanism: total = tool + bodies + springs + rotors + friction."""

    total: Array
    tool: Array  # the tool's body with its load, and the wrench on it; everything else without mass
    bodies: Array  # inertia and weight of all other bodies, rods and cylinders
    springs: Array
    rotors: Array
    friction: Array

    @property
    def platform(self) -> Array:
        """The part of a parallel robot's platform: that of the tool."""
        return self.tool

    @property
    def legs(self) -> Array:
        """The part of a parallel robot's legs: that of the other bodies."""
        return self.bodies


class MechanismReactions(NamedTuple):
    """Forces and moments [N, N m] at `names`, (..., k, 3) each, base axes; NaN where indeterminate.

    In a joint: what the first body does to the second, about the joint's point; the joint's own rotor
    and friction are not included. At the `start` of a rod or cylinder: what the first body does to it;
    at the `end`: what it does to the second; in the `slide` of a cylinder: what the barrel does to the
    rod, about the start.
    """

    force: Array
    moment: Array
    names: tuple[str, ...]


class Energy(NamedTuple):
    """Energies [J], with the batch shape of the state."""

    kinetic: Array
    potential: Array

    @property
    def total(self) -> Array:
        """Kinetic and potential energy together."""
        return self.kinetic + self.potential


class ActuatorMotion(NamedTuple):
    """Positions of the actuators (..., n), and velocities and accelerations as far as asked for."""

    position: Array
    velocity: Array | None
    acceleration: Array | None
