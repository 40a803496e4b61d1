"""The Stewart platform as users meet it: arrays in, arrays out."""
# mypy: disable-error-code="empty-body"
# Bodies of methods that are `computed` are made from their signatures.

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from linkwork.core.arguments import flag, not_negative
from linkwork.core.checked import checked
from linkwork.core.errors import InputError
from linkwork.core.rotations import with_quaternion
from linkwork.kernels import Kernel
from linkwork.kernels.kernel import as_rows
from linkwork.mechanics.methods import Options
from linkwork.mechanics.platform.margins import KINDS
from linkwork.mechanics.platform.methods import METHODS
from linkwork.model.parameters import parameter_values, platform_with
from linkwork.robot.compiled import Array, DType, Errors
from linkwork.robot.limits import Margins, Quantity, Words, bounds_of, of_actuators, quantity
from linkwork.robot.method_bodies import computed
from linkwork.robot.platform_base import PlatformBase, deviation_names
from linkwork.robot.results import (
    ActuatorMotion,
    BodyMotion,
    Demand,
    Energy,
    ForwardDerivatives,
    InverseDerivatives,
    JointAngles,
    JointReactions,
    LegKinematics,
    Modes,
    ParallelJacobians,
    PlatformMotion,
    TaskSpace,
    modes_of,
    needs_stiffness,
)

if TYPE_CHECKING:
    from linkwork.kinematics.assembly_modes import AssemblyModes
    from linkwork.kinematics.path_planning import Objective, SingularityFreePath


OF_LEGS = Words("length", "velocity", "force", ("length", "rate", "force", "force_velocity"))


class Platform(PlatformBase):
    """Dynamics of a Stewart platform: a `Robot` whose coordinates are the platform's pose.

    It adds names of legs, the papers' formulations, assembly modes and singularity-free paths.

    A pose is (..., 7): x y z and the unit quaternion w x y z, or (..., 6): x y z roll pitch yaw. Twists
    and accelerations are (..., 6): linear, then angular, base axes, at the platform's reference point.
    A `wrench` (force, then moment) acts on the platform, in platform axes at the reference point.
    Forces are those of the actuators; positive pushes the two parts of a leg apart.
    """

    @computed(METHODS, deviations=deviation_names)
    def inverse_dynamics(
        self,
        pose: ArrayLike,
        twist: ArrayLike,
        acceleration: ArrayLike,
        wrench: ArrayLike | None = None,
        formulation: str | None = None,
        *,
        gravity: ArrayLike | None = None,
        friction: bool = True,
        rotors: bool = True,
        deviations: Sequence[str] | None = None,
        form: str = "closed",
        frames: str = "printed",
        base_motion: ArrayLike | None = None,
        dtype: DType = "float64",
        errors: Errors = "raise",
        out: Array | None = None,
    ) -> Array:
        """Actuator forces [N] that a motion needs, (..., 6).

        Args:
            gravity: acceleration of gravity in base axes, (..., 3); the robot's own if None.
            formulation: "exact" (None), or as published: "dasgupta1998", "pedrammehr2012".
            friction: viscous friction in the joints; the published models always have it.
            rotors: inertia of the motors, as the legs feel it.
            deviations: the exact equations with these deviations of the papers switched on, one or
                several of `linkwork.mechanics.published.stepwise.DEVIATIONS`; replaces `formulation`.
            form, frames: of pedrammehr2012: its "closed" form (42)-(43), its equations one by one
                ("step", or "step-25" with its (25)); its parallel-axis terms with the frames as
                "printed" or "local".
            base_motion: angular velocity, angular acceleration and linear acceleration of the base in
                base axes, (..., 9), for a base that moves (a ship, a vehicle); pose, twist and
                acceleration are relative to it. The published models take the legs' angular velocity
                relative to the base as they print it, and add what the base adds to the equations of
                Newton and Euler that they write for every body.
        """

    @computed(METHODS)
    def forward_dynamics(
        self,
        pose: ArrayLike,
        twist: ArrayLike,
        force: ArrayLike,
        wrench: ArrayLike | None = None,
        *,
        gravity: ArrayLike | None = None,
        friction: bool = True,
        rotors: bool = True,
        formulation: str | None = None,
        form: str = "closed",
        frames: str = "printed",
        base_motion: ArrayLike | None = None,
        dtype: DType = "float64",
        errors: Errors = "raise",
        out: Array | None = None,
    ) -> Array:
        """Acceleration of the platform under actuator forces, (..., 6).

        A published `formulation` solves its own equations for the acceleration. On a moving base
        (`base_motion`, as in `inverse_dynamics`) it is the acceleration relative to the base.
        """

    @computed(METHODS, pose=PlatformBase._as_home)
    def inverse_dynamics_derivatives(
        self,
        pose: ArrayLike,
        twist: ArrayLike,
        acceleration: ArrayLike,
        wrench: ArrayLike | None = None,
        *,
        gravity: ArrayLike | None = None,
        friction: bool = True,
        rotors: bool = True,
        dtype: DType = "float64",
        errors: Errors = "raise",
    ) -> InverseDerivatives:
        """Exact derivatives of `inverse_dynamics` by pose, twist and acceleration, (..., 6, 6) each.

        The pose varies in its tangent space: column k of `dq` is the derivative for a translation of
        the reference point along x, y, z (k = 0, 1, 2) or a rotation about x, y, z (k = 3, 4, 5), in
        base axes: p + dx, exp(dtheta~) R. Twist and acceleration are held in base axes, the wrench in
        platform axes.
        """

    @computed(METHODS, pose=PlatformBase._as_home)
    def forward_dynamics_derivatives(
        self,
        pose: ArrayLike,
        twist: ArrayLike,
        force: ArrayLike,
        wrench: ArrayLike | None = None,
        *,
        gravity: ArrayLike | None = None,
        friction: bool = True,
        rotors: bool = True,
        dtype: DType = "float64",
        errors: Errors = "raise",
    ) -> ForwardDerivatives:
        """Exact derivatives of `forward_dynamics` by pose, twist and force, (..., 6, 6) each.

        The pose varies in its tangent space, as in `inverse_dynamics_derivatives`.
        """

    @computed(METHODS)
    def regressor(
        self,
        pose: ArrayLike,
        twist: ArrayLike,
        acceleration: ArrayLike,
        *,
        gravity: ArrayLike | None = None,
        dtype: DType = "float64",
        errors: Errors = "raise",
        out: Array | None = None,
    ) -> Array:
        """Y (..., 6, p) with Y @ parameters.values = inverse_dynamics(pose, twist, acceleration).

        p is 148, and 6 more each for Coulomb friction and for rotors of the legs.
        """

    def with_parameters(self, values: ArrayLike) -> Platform:
        """The same platform with other values of `parameters`."""
        return Platform(platform_with(self.model, parameter_values(self.parameters, values)))

    @computed(METHODS, pose=PlatformBase._as_home)
    def jacobian_dot(
        self, pose: ArrayLike, twist: ArrayLike, *, dtype: DType = "float64", errors: Errors = "raise"
    ) -> Array:
        """How `jacobian` changes under a twist, (..., 6, 6)."""

    @computed(METHODS)
    def joint_reactions(
        self,
        pose: ArrayLike,
        twist: ArrayLike,
        acceleration: ArrayLike,
        wrench: ArrayLike | None = None,
        *,
        gravity: ArrayLike | None = None,
        formulation: str | None = None,
        form: str = "closed",
        frames: str = "printed",
        base_motion: ArrayLike | None = None,
        dtype: DType = "float64",
        errors: Errors = "raise",
    ) -> JointReactions:
        """Forces and moments in every joint of every leg; as published, those of Dasgupta 3.3."""

    @computed(METHODS)
    def task_space(
        self,
        pose: ArrayLike,
        twist: ArrayLike,
        wrench: ArrayLike | None = None,
        *,
        gravity: ArrayLike | None = None,
        formulation: str | None = None,
        form: str = "closed",
        frames: str = "printed",
        base_motion: ArrayLike | None = None,
        dtype: DType = "float64",
        errors: Errors = "raise",
    ) -> TaskSpace:
        """Mass matrix (..., 6, 6) and bias (..., 6) in task space: M(X) and h, exact or as published."""

    @computed(METHODS)
    def mass_matrix(
        self,
        pose: ArrayLike,
        *,
        rotors: bool = True,
        formulation: str | None = None,
        form: str = "closed",
        frames: str = "printed",
        dtype: DType = "float64",
        errors: Errors = "raise",
        out: Array | None = None,
    ) -> Array:
        """M (..., 6, 6) of the whole mechanism in task space: legs and platform."""

    def stiffness(
        self,
        pose: ArrayLike,
        wrench: ArrayLike | None = None,
        *,
        gravity: ArrayLike | None = None,
        errors: Errors = "raise",
    ) -> Array:
        """K (..., 6, 6) at rest with actuators held: wrench per small motion of the platform, base axes.

        Small motions are translations of the reference point, then rotations, as in
        `inverse_dynamics_derivatives`. Legs are springs along their axes, `stiffness` [N/m] in the
        robot file; gravity, the wrench and the turning of loaded legs add their part.
        """
        stiff = [leg.stiffness for leg in self.model.legs]
        needs_stiffness(self.name, self.leg_names, stiff, "leg_defaults.stiffness")
        return self._run("stiffness", (with_quaternion(pose),), (gravity, wrench), errors)

    def vibration_modes(
        self,
        pose: ArrayLike,
        wrench: ArrayLike | None = None,
        *,
        gravity: ArrayLike | None = None,
        errors: Errors = "raise",
    ) -> Modes:
        """Frequencies [Hz] and shapes of small vibrations about rest with actuators held, undamped."""
        K = self.stiffness(pose, wrench, gravity=gravity, errors=errors)
        return modes_of(K, self.mass_matrix(pose, rotors=False, errors=errors))

    @computed(METHODS)
    def demand(
        self,
        pose: ArrayLike,
        twist: ArrayLike,
        acceleration: ArrayLike,
        wrench: ArrayLike | None = None,
        *,
        gravity: ArrayLike | None = None,
        dtype: DType = "float64",
        errors: Errors = "raise",
    ) -> Demand:
        """What a motion asks of the legs, in a few numbers per state; sweeps of many variants use it."""

    @checked
    def margins(
        self,
        pose: ArrayLike,
        *,
        clearance: float = 0.0,
        leg_diameter: float = 0.0,
        gravity: ArrayLike | None = None,
        errors: Errors = "raise",
    ) -> Margins:
        """How far poses are from every limit of the workspace, at rest.

        Args:
            clearance: from singularities, of the least singular value of J, see `plan_path`.
            leg_diameter: [m] at which legs that pass each other touch; 0 does not ask.
        """
        clear, wide = (
            not_negative(value, name, unit)
            for value, name, unit in ((clearance, "clearance", "1"), (leg_diameter, "leg_diameter", "m"))
        )
        settings = np.array([clear, wide, self._side])
        *margins, holding = self._run("margins", (pose, settings), (gravity,), errors)
        return Margins(dict(zip(KINDS, margins, strict=True)), holding)

    @cached_property
    def _side(self) -> float:
        """The sign of det J at home."""
        return float(np.sign(np.linalg.det(self.jacobian(self.home))))

    @computed(METHODS)
    def bias(
        self,
        pose: ArrayLike,
        twist: ArrayLike,
        wrench: ArrayLike | None = None,
        *,
        gravity: ArrayLike | None = None,
        friction: bool = False,
        formulation: str | None = None,
        form: str = "closed",
        frames: str = "printed",
        base_motion: ArrayLike | None = None,
        dtype: DType = "float64",
        errors: Errors = "raise",
        out: Array | None = None,
    ) -> Array:
        """h (..., 6) in task space, force then moment: J' F = M acceleration + h.

        The published models always have friction: with one of them, `friction` must be True.
        """

    @computed(METHODS)
    def gravity_load(
        self,
        pose: ArrayLike,
        gravity: ArrayLike | None = None,
        *,
        dtype: DType = "float64",
        errors: Errors = "raise",
        out: Array | None = None,
    ) -> Array:
        """Actuator forces that hold the platform at rest against gravity, (..., 6)."""

    @computed(METHODS, deviations=deviation_names)
    def leg_kinematics(
        self,
        pose: ArrayLike,
        twist: ArrayLike,
        acceleration: ArrayLike,
        *,
        formulation: str | None = None,
        deviations: Sequence[str] | None = None,
        form: str = "closed",
        dtype: DType = "float64",
        errors: Errors = "raise",
    ) -> LegKinematics:
        """Lengths and directions of the legs and how they change, with their true spin.

        Args:
            formulation, deviations, form: as in `inverse_dynamics`. "dasgupta1998" has legs that do not
                turn about themselves, which "pedrammehr2012" calls the simplified motion; its own is
                the true one, but for its equation (25) as printed with form="step-25".
        """

    @computed(METHODS)
    def link_motion(
        self,
        pose: ArrayLike,
        twist: ArrayLike,
        acceleration: ArrayLike,
        *,
        dtype: DType = "float64",
        errors: Errors = "raise",
    ) -> BodyMotion:
        """Velocities and accelerations of all thirteen bodies, and where their centers of mass are."""

    @computed(METHODS)
    def energy(
        self,
        pose: ArrayLike,
        twist: ArrayLike,
        gravity: ArrayLike | None = None,
        *,
        dtype: DType = "float64",
        errors: Errors = "raise",
    ) -> Energy:
        """Kinetic and potential energy; the potential is zero with all mass at the base origin."""

    @computed(METHODS)
    def jacobian(
        self,
        pose: ArrayLike,
        *,
        dtype: DType = "float64",
        errors: Errors = "raise",
        out: Array | None = None,
    ) -> Array:
        """J (..., 6, 6): leg rates = J twist, and J' takes leg forces to the platform."""

    @computed(METHODS)
    def leg_lengths(
        self,
        pose: ArrayLike,
        *,
        dtype: DType = "float64",
        errors: Errors = "raise",
        out: Array | None = None,
    ) -> Array:
        """Distances of the joint points, (..., 6)."""

    def inverse_kinematics(
        self, pose: ArrayLike, *, errors: Errors = "raise", out: Array | None = None
    ) -> Array:
        """The same as `leg_lengths`."""
        return self.leg_lengths(pose, errors=errors, out=out)

    def condition_number(
        self, pose: ArrayLike, length_scale: float | str | None = None, *, errors: Errors = "raise"
    ) -> Array:
        """As of every robot, see `Robot.condition_number`; the papers' number, whose moment rows are in
        meters, has `length_scale=1.0`."""
        return super().condition_number(pose, length_scale, errors=errors)

    def jacobians(self, pose: ArrayLike, *, errors: Errors = "raise") -> ParallelJacobians:
        """Jx is `jacobian`; the legs are the actuators, so Jq is one."""
        J = self.jacobian(pose, errors=errors)
        return ParallelJacobians(J, np.ones(J.shape[:-1]))

    @property
    def _newton_steps(self) -> Kernel:
        """Some steps of Newton's method: lengths and a pose to a better pose and its error [m]."""
        return self._compiled("newton", Options(7))

    def forward_kinematics(
        self, lengths: ArrayLike, guess: ArrayLike | None = None, *, errors: Errors = "raise"
    ) -> Array:
        """The pose (..., 7) near `guess` (or near home) with these leg lengths (..., 6).

        Without a guess, a BranchWarning tells of poses that are parted from home by a singularity.
        """
        from linkwork.kinematics.forward import pose_from_lengths

        return pose_from_lengths(self, lengths, guess, errors)

    def assembly_modes(self, lengths: ArrayLike, *, leg_diameter: float | None = None) -> AssemblyModes:
        """All poses with these leg lengths (6,), up to 40.

        `complete` of the result is True only if it is proven that there are no others.

        Args:
            leg_diameter: [m], at which legs that pass each other touch. None is that of the thickest
                part of a leg, taken for a solid cylinder with the part's mass and its least moment of
                inertia; 0 for parts without such moments.
        """
        from linkwork.kinematics.assembly_modes import assembly_modes

        return assembly_modes(self, lengths, leg_diameter)

    def plan_path(
        self,
        start: ArrayLike,
        end: ArrayLike,
        *,
        clearance: float = 0.0,
        objective: Objective = "condition",
        duration: float = 1.0,
        seed: int = 0,
        certified: bool = False,
    ) -> SingularityFreePath:
        """A way between two poses that is proven to be free of singularities, or a reason against it.

        Args:
            clearance: that the least singular value of J, moments over the platform's size, must
                exceed on the whole way; 0 is any singularity-free path.
            objective: what is made small, the greatest "condition" number or the greatest leg "force".
            duration: [s] of the motion whose forces count.
            seed: of the search.
            certified: prove too that all limits are kept everywhere on the way, in `duration` from rest
                to rest with the forces that this needs; limits are looked at in 513 places otherwise.
        """
        from linkwork.kinematics.path_planning import plan_path

        found = plan_path(self, start, end, clearance, objective, duration, seed)
        if flag(certified, "certified"):
            from linkwork.certification.plans import prove_plan

            prove_plan(found, duration)
        return found

    def joint_angles(self, pose: ArrayLike) -> JointAngles:
        """Angles of the joints at both ends of every leg from their mounting axes [rad], (..., 6).

        Mounting axes that the robot file does not give are the leg's directions at home.
        """
        limits = [leg.limits for leg in self.model.legs]
        universal, spherical, _ = self._run("clearances", (pose,), (), "raise")
        return JointAngles(
            np.arccos(np.clip(universal, -1.0, 1.0)),
            np.arccos(np.clip(spherical, -1.0, 1.0)),
            bounds_of(limit.universal_angle for limit in limits),
            bounds_of(limit.spherical_angle for limit in limits),
        )

    def follow(self, lengths: ArrayLike, start: ArrayLike | None = None) -> Array:
        """Poses (N, 7) along a path of leg lengths (N, 6), staying on the branch of `start`.

        A crossing of a singularity, where the branch is lost, is an error that names the samples.
        """
        from linkwork.kinematics.forward import follow_lengths

        return follow_lengths(self, lengths, start)

    def motion_from_legs(
        self, pose: ArrayLike, rates: ArrayLike, accelerations: ArrayLike, *, errors: Errors = "raise"
    ) -> PlatformMotion:
        """Twist and acceleration of the platform from those of the leg lengths."""
        twist = self._run("twist_from_rates", (pose, rates), (), errors)
        drift = self.leg_kinematics(pose, twist, np.zeros(6), errors=errors).acceleration
        given = as_rows(accelerations, "accelerations", 6)
        try:
            missing = given - drift
        except ValueError:
            raise InputError(
                f"motion_from_legs: accelerations {given.shape} do not fit the states {drift.shape}; "
                "all axes but the last must be equal or 1."
            ) from None
        if errors == "raise" and not np.isfinite(missing).all():
            raise InputError("motion_from_legs: accelerations contain a non-finite number.")
        return PlatformMotion(twist, self._run("twist_from_rates", (pose, missing), (), errors))

    def actuator_motion(
        self, pose: ArrayLike, twist: ArrayLike | None = None, acceleration: ArrayLike | None = None, /
    ) -> ActuatorMotion:
        """Lengths of the legs and how they change."""
        if twist is None:
            return ActuatorMotion(self.leg_lengths(pose), None, None)
        still = np.zeros(6) if acceleration is None else acceleration
        legs = self.leg_kinematics(pose, twist, still)
        return ActuatorMotion(
            legs.length, legs.rate, None if acceleration is None else legs.acceleration
        )

    def quantities(
        self, pose: Array, twist: Array | None = None, force: Array | None = None, /
    ) -> tuple[Quantity, ...]:
        names, legs = self.leg_names, self.model.legs
        moving = self.actuator_motion(pose, twist)
        found = of_actuators(self, moving.position, moving.velocity, force, OF_LEGS)
        if any(leg.limits.universal_angle or leg.limits.spherical_angle for leg in legs):
            angles = self.joint_angles(pose)
            for joint in ("universal", "spherical"):
                values, bounds = getattr(angles, joint), getattr(angles, f"{joint}_limit")
                found.append(quantity(f"{joint} angle", names, "rad", values, bounds, f"{joint}_angle"))
        return tuple(found)
