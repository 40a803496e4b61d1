"""What methods of robots return: named arrays, with the batch shape of the states first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from linkwork.core.earlier_names import with_earlier_names
from linkwork.core.errors import InputError
from linkwork.robot.compiled import Array


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


class LegJointMotion(NamedTuple):
    """All joints (..., joints), zero at home, and the platform: pose (..., 7), twist, acceleration."""

    q: Array
    qd: Array
    qdd: Array
    pose: Array
    twist: Array
    acceleration: Array


@with_earlier_names
class ParallelJacobians(NamedTuple):
    """Jx cd = Jq * actuator velocities.

    Jx (..., n, d) is singular in a parallel singularity; Jq (..., n) is zero in a serial one: the lever
    arm [m] of a revolute actuator, or the cosine of the pressure angle of a prismatic one.
    """

    direct_jacobian: Array  # Jx
    inverse_jacobian: Array  # Jq


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


class EffortBreakdown(NamedTuple):
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

    @property
    def massless(self) -> Array:
        """Platform and wrench only, as if the legs had no mass and their joints no friction."""
        return self.tool

    @property
    def leg_inertia(self) -> Array:
        """Inertia and weight of the legs, rotors included."""
        return self.bodies + self.rotors

    @property
    def dynamic_fraction(self) -> Array:
        """Share of the legs' mass and friction in the total (Dasgupta 4.4)."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return (self.leg_inertia + self.friction) / self.total


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


class Modes(NamedTuple):
    """Natural frequencies [Hz], ascending, (..., m), and their shapes (..., m, m).

    Column k of `shapes` is the small motion of mode k, in the robot's velocity coordinates, scaled to
    unit modal mass. An unstable direction, where loads outweigh the springs, has frequency NaN.
    """

    frequencies: Array
    shapes: Array

    @property
    def stable(self) -> NDArray[np.bool_]:
        """Whether the robot stays where it is, (...)."""
        return np.asarray(np.isfinite(self.frequencies).all(axis=-1))


def modes_of(K: Array, M: Array) -> Modes:
    """Of symmetric matrices; rows with NaN give NaN.

    At rest under forces with a potential K is symmetric; what is left beside it is rounding, or a
    moment that follows the body, and is averaged.
    """
    K = (K + np.swapaxes(K, -1, -2)) / 2
    shape = np.broadcast_shapes(K.shape, M.shape)
    K, M = np.broadcast_to(K, shape), np.broadcast_to(M, shape)
    usable = np.isfinite(K).all(axis=(-2, -1)) & np.isfinite(M).all(axis=(-2, -1))
    frequencies = np.full(shape[:-1], np.nan)
    shapes = np.full(shape, np.nan)
    L = np.linalg.cholesky(M[usable])
    inverse = np.linalg.inv(L)
    squares, vectors = np.linalg.eigh(inverse @ K[usable] @ np.swapaxes(inverse, -1, -2))
    with np.errstate(invalid="ignore"):
        frequencies[usable] = np.sqrt(squares) / (2 * np.pi)
    shapes[usable] = np.swapaxes(inverse, -1, -2) @ vectors
    return Modes(frequencies, shapes)


def needs_stiffness(
    robot: str, names: Sequence[str], values: Sequence[float | None], field: str
) -> None:
    """An InputError if a joint or leg has no stiffness."""
    missing = [name for name, value in zip(names, values, strict=True) if value is None]
    if missing:
        raise InputError(
            f"{robot}: {', '.join(missing)} have no stiffness; add stiffness: ... to the robot file, or "
            f'take robot.with_fields({{"{field}": ...}}).'
        )


class LinkMotion(NamedTuple):
    """How every link moves, base axes. Twists are linear, then angular, at the link frame's origin."""

    velocity: Array  # (..., n, 6)
    acceleration: Array  # (..., n, 6), gravity not included
    center_velocity: Array  # (..., n, 3) of the center of mass
    center_acceleration: Array  # (..., n, 3)
    center: Array  # (..., n, 3) where the center of mass is


class Manipulability(NamedTuple):
    """What unit joint velocities can do at the tip.

    The joint velocities of norm one move the frame within two ellipsoids; `*_axes[..., :, k]` is the
    direction of semi-axis k in base axes, `*_radii[..., k]` its length, greatest first.
    """

    measure: Array  # sqrt(det(J J')), Yoshikawa 1985; of fewer than six joints, sqrt(det(J' J))
    condition: Array  # the condition number, see `Robot.condition_number`: 1 is isotropic
    linear_radii: Array  # (..., 3) [m/s per rad/s]
    linear_axes: Array  # (..., 3, 3)
    angular_radii: Array  # (..., 3)
    angular_axes: Array  # (..., 3, 3)


class JointAngles(NamedTuple):
    """Angles of the joints of every leg from their mounting axes [rad], (..., 6), and their limits.

    Limits are those of the robot file, (6,), infinite where there are none.
    """

    universal: Array  # at the base, as the base sees the leg
    spherical: Array  # at the platform, as the platform sees the leg
    universal_limit: Array
    spherical_limit: Array

    @property
    def within(self) -> NDArray[np.bool_]:
        """Whether each leg keeps both limits, (..., 6)."""
        kept = (self.universal <= self.universal_limit) & (self.spherical <= self.spherical_limit)
        return np.asarray(kept)
