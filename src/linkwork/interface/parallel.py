"""The parallel robot as users meet it: arrays in, arrays out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from linkwork.checks import not_negative, numbers
from linkwork.errors import InputError
from linkwork.interface.parallel_base import ParallelBase
from linkwork.interface.parallel_conditioning import condition, scaled, singularities
from linkwork.interface.parallel_kinematics import coordinates_from_actuators
from linkwork.interface.parallel_margins import parallel_margins
from linkwork.interface.parallel_quantities import joint_quantities
from linkwork.interface.quantity import Quantity
from linkwork.interface.results import (
    ActuatedTaskSpace,
    EffortParts,
    ForwardDerivatives,
    InverseDerivatives,
    JointMotion,
    ParallelJacobians,
    ParallelMargins,
    ParallelReactions,
    Singularities,
)
from linkwork.interface.robot import ActuatorMotion, Array, Energy, Errors
from linkwork.robots.geometry import Body
from linkwork.robots.parallel_mobility import is_point
from linkwork.robots.parameters import parallel_with, parameter_values
from linkwork.rotations import quaternion_of, with_quaternion

AGREE = 1e-9  # two solutions of statics, relative to the largest wrench


class ParallelRobot(ParallelBase):
    """Dynamics of a platform on any legs.

    Coordinates c are those that the file declares, (..., d), with their time derivatives cd and cdd. A
    robot with all six freedoms takes a pose, (..., 7) or (..., 6), a twist and an acceleration, as
    `Platform` does. A robot with three rotations may take a unit quaternion for roll, pitch, yaw;
    its velocities and accelerations are then angular. A `wrench` (force, then moment) acts on the
    platform, in platform axes at its origin; nothing carries the moment on a platform that is a point,
    as that of a five-bar, and it is left out. Efforts tau are those of the actuated joints, in the order
    of the legs.
    """

    def with_payload(
        self, mass: float, center_of_mass: ArrayLike = (0, 0, 0), inertia: ArrayLike | None = None
    ) -> ParallelRobot:
        """The robot with a load on its platform, given in the platform's frame."""
        moments = np.zeros((3, 3)) if inertia is None else numbers(inertia, "inertia")
        moments = np.diag(moments) if moments.ndim == 1 else moments
        center = numbers(center_of_mass, "center_of_mass")
        mass = not_negative(mass, "mass", "kg")
        if center.shape != (3,) or moments.shape != (3, 3):
            raise InputError(
                "with_payload takes a mass >= 0 [kg], center_of_mass (3,) [m] and inertia (3,) or (3, 3)"
                " about it [kg m^2]."
            )
        if is_point(self.model) and (center.any() or moments.any()):
            raise InputError(
                f"with_payload: the platform of {self.name} is a point that spherical joints hold: a"
                " load beside it, or with inertia, would swing freely. Give a mass only."
            )
        load = Body.of(mass, center, moments)
        return ParallelRobot(replace(self.model, platform=self.model.platform.merged_with(load)))

    # Dynamics.

    def inverse_dynamics(
        self,
        c: ArrayLike,
        cd: ArrayLike,
        cdd: ArrayLike,
        wrench: ArrayLike | None = None,
        formulation: str | None = None,
        *,
        gravity: ArrayLike | None = None,
        base_motion: ArrayLike | None = None,
        friction: bool = True,
        rotors: bool = True,
        errors: Errors = "raise",
    ) -> Array:
        """Efforts [N m, N] that a motion needs, (..., n).

        With more actuators than freedoms many efforts do the same: these have the least norm.

        Args:
            gravity: acceleration of gravity in base axes, (..., 3); the robot's own if None.
            base_motion: angular velocity, angular acceleration and linear acceleration of the base in
                base axes, (..., 9), for a base that moves.
            friction, rotors: include joint friction, reflected rotor inertia.
        """
        return self._run(
            "inverse_dynamics",
            (c, cd, cdd),
            (wrench, gravity, base_motion),
            errors,
            friction=friction,
            rotors=rotors,
            formulation=formulation,
        )

    def forward_dynamics(
        self,
        c: ArrayLike,
        cd: ArrayLike,
        tau: ArrayLike,
        wrench: ArrayLike | None = None,
        *,
        gravity: ArrayLike | None = None,
        base_motion: ArrayLike | None = None,
        friction: bool = True,
        rotors: bool = True,
        errors: Errors = "raise",
    ) -> Array:
        """cdd under efforts `tau`, (..., d)."""
        state, optional = (c, cd, tau), (wrench, gravity, base_motion)
        return self._run("forward_dynamics", state, optional, errors, friction=friction, rotors=rotors)

    def inverse_dynamics_derivatives(
        self,
        c: ArrayLike,
        cd: ArrayLike,
        cdd: ArrayLike,
        wrench: ArrayLike | None = None,
        *,
        gravity: ArrayLike | None = None,
        friction: bool = True,
        rotors: bool = True,
        errors: Errors = "raise",
    ) -> InverseDerivatives:
        """Exact derivatives of `inverse_dynamics` by c, cd and cdd, (..., n, d) each.

        Of a robot with all six freedoms the pose varies in its tangent space: translations of the
        platform's origin and rotations, in base axes: p + dx, exp(dtheta~) R. So do rotations that are
        given by a quaternion.
        """
        state, optional = (self._tangential(c), cd, cdd), (wrench, gravity, None)
        return InverseDerivatives(
            *self._run(
                "inverse_dynamics_derivatives",
                state,
                optional,
                errors,
                friction=friction,
                rotors=rotors,
            )
        )

    def forward_dynamics_derivatives(
        self,
        c: ArrayLike,
        cd: ArrayLike,
        tau: ArrayLike,
        wrench: ArrayLike | None = None,
        *,
        gravity: ArrayLike | None = None,
        friction: bool = True,
        rotors: bool = True,
        errors: Errors = "raise",
    ) -> ForwardDerivatives:
        """Exact derivatives of `forward_dynamics` by c and cd, (..., d, d), and by tau, (..., d, n).

        A pose varies in its tangent space, as in `inverse_dynamics_derivatives`.
        """
        state, optional = (self._tangential(c), cd, tau), (wrench, gravity, None)
        return ForwardDerivatives(
            *self._run(
                "forward_dynamics_derivatives",
                state,
                optional,
                errors,
                friction=friction,
                rotors=rotors,
            )
        )

    def regressor(
        self,
        c: ArrayLike,
        cd: ArrayLike,
        cdd: ArrayLike,
        /,
        *,
        gravity: ArrayLike | None = None,
        errors: Errors = "raise",
        out: Array | None = None,
    ) -> Array:
        """Y (..., n, p) with Y @ parameters.values = inverse_dynamics(c, cd, cdd)."""
        if any(leg.end.viscous for leg in self.model.legs):
            raise InputError(
                f"{self.name}: viscous friction of S joints at the platform is not among the parameters,"
                " so efforts are not linear in these alone. Leave it out of the file."
            )
        return self._run("regressor", (c, cd, cdd), (gravity,), errors, out)

    def with_parameters(self, values: ArrayLike) -> ParallelRobot:
        """The same robot with other values of `parameters`."""
        return ParallelRobot(parallel_with(self.model, parameter_values(self.parameters, values)))

    def _tangential(self, c: ArrayLike) -> ArrayLike:
        """Poses by quaternions, along whose tangents derivatives are taken."""
        return with_quaternion(c, "c") if self.freedoms == 6 else c

    def mass_matrix(self, c: ArrayLike, *, rotors: bool = True, errors: Errors = "raise") -> Array:
        """M (..., d, d) of the whole mechanism in the coordinates."""
        return self._run("mass_matrix", (c,), (), errors, rotors=rotors)

    def bias(
        self,
        c: ArrayLike,
        cd: ArrayLike,
        wrench: ArrayLike | None = None,
        *,
        gravity: ArrayLike | None = None,
        base_motion: ArrayLike | None = None,
        friction: bool = False,
        errors: Errors = "raise",
    ) -> Array:
        """h (..., d): the generalised forces of the actuators are M cdd + h."""
        optional = (wrench, gravity, base_motion)
        return self._run("bias", (c, cd), optional, errors, friction=friction)

    def task_space(
        self, c: ArrayLike, cd: ArrayLike, wrench: ArrayLike | None = None, *, errors: Errors = "raise"
    ) -> ActuatedTaskSpace:
        """Mass matrix, bias and what actuators do to the coordinates."""
        return ActuatedTaskSpace(*self._run("task_space", (c, cd), (wrench,), errors))

    def gravity_load(
        self, c: ArrayLike, gravity: ArrayLike | None = None, *, errors: Errors = "raise"
    ) -> Array:
        """Efforts that hold the robot at rest against gravity, (..., n)."""
        return self._run("gravity_load", (c,), (gravity,), errors)

    def effort_parts(
        self,
        c: ArrayLike,
        cd: ArrayLike,
        cdd: ArrayLike,
        wrench: ArrayLike | None = None,
        *,
        errors: Errors = "raise",
    ) -> EffortParts:
        """Efforts split by what needs them: platform, legs, rotors, friction."""
        return EffortParts(*self._run("effort_parts", (c, cd, cdd), (wrench,), errors))

    def energy(
        self,
        c: ArrayLike,
        cd: ArrayLike,
        gravity: ArrayLike | None = None,
        *,
        errors: Errors = "raise",
    ) -> Energy:
        """Kinetic and potential energy; the potential is zero with all mass at the base origin."""
        return Energy(*self._run("energy", (c, cd), (gravity,), errors))

    def joint_reactions(
        self,
        c: ArrayLike,
        cd: ArrayLike,
        cdd: ArrayLike,
        wrench: ArrayLike | None = None,
        *,
        errors: Errors = "raise",
    ) -> ParallelReactions:
        """Forces and moments in every joint of every leg, and where legs hold the platform.

        A robot with more constraints than statics needs (`determinate` is False) has parts that depend
        on the elasticity of its links: those are NaN, the determinate ones are given.
        """
        found = self._run("joint_reactions", (c, cd, cdd), (wrench,), errors)
        joints, closures, *other = found
        if other:
            joints, closures = _agreed(joints, other[0]), _agreed(closures, other[1])
        return ParallelReactions(joints[..., :3], joints[..., 3:], closures[..., :3], closures[..., 3:])

    def reactions(
        self,
        c: ArrayLike,
        cd: ArrayLike,
        cdd: ArrayLike,
        wrench: ArrayLike | None = None,
        *,
        errors: Errors = "raise",
    ) -> ParallelReactions:
        """The same as `joint_reactions`."""
        return self.joint_reactions(c, cd, cdd, wrench, errors=errors)

    # Kinematics.

    def joints(
        self, c: ArrayLike, cd: ArrayLike, cdd: ArrayLike, *, errors: Errors = "raise"
    ) -> JointMotion:
        """All joint coordinates and the complete motion of the platform."""
        q, qd, qdd, position, R, twist, acceleration = self._run("joints", (c, cd, cdd), (), errors)
        usable = np.isfinite(R).all(axis=(-2, -1))
        turn = np.full((*usable.shape, 4), np.nan)
        turn[usable] = quaternion_of(R[usable])
        pose = np.concatenate([position, turn], axis=-1)
        return JointMotion(q, qd, qdd, pose, twist, acceleration)

    def inverse_kinematics(self, c: ArrayLike, *, errors: Errors = "raise") -> Array:
        """Coordinates of the actuators (..., n), zero at home, with the legs on their home branches."""
        return self._run("inverse_kinematics", (c,), (), errors)

    def forward_kinematics(
        self, actuators: ArrayLike, guess: ArrayLike | None = None, *, errors: Errors = "raise"
    ) -> Array:
        """Coordinates (..., d), or poses (..., 7), near `guess` (or home) of these actuators."""
        return coordinates_from_actuators(self, actuators, guess, errors)

    def jacobians(self, c: ArrayLike, *, errors: Errors = "raise") -> ParallelJacobians:
        """Both Jacobians (Gosselin and Angeles), regular everywhere."""
        return ParallelJacobians(*self._run("jacobians", (c,), (), errors))

    def condition_number(
        self, c: ArrayLike, length_scale: float | None = None, *, errors: Errors = "raise"
    ) -> Array:
        """Of Jx, (...): infinite in a parallel singularity. `length_scale` [m] divides its rotations;
        None takes the mean distance of the platform's joints from its origin."""
        return condition(scaled(self, self.jacobians(c, errors=errors).Jx, length_scale))

    def singularities(self, c: ArrayLike, *, errors: Errors = "raise") -> Singularities:
        """How near to the three kinds of singularities, told apart."""
        return singularities(self, c, errors)

    def margins(self, c: ArrayLike, *, clearance: float = 0.0) -> ParallelMargins:
        """How far coordinates are from every limit of the workspace, at rest.

        Args:
            clearance: from singularities, of reciprocal condition numbers and of levers relative to
                those at home, see `singularities`.
        """
        clear = not_negative(clearance, "clearance", "1")
        positions = self._positions(c)
        rows = positions.reshape(-1, positions.shape[-1])
        found = parallel_margins(self, rows, clear)
        return ParallelMargins(*(values.reshape(positions.shape[:-1]) for values in found))

    def actuator_motion(
        self,
        c: ArrayLike,
        cd: ArrayLike | None = None,
        cdd: ArrayLike | None = None,
        /,
    ) -> ActuatorMotion:
        """Coordinates of the actuated joints and how they change."""
        if cd is None:
            return ActuatorMotion(self.inverse_kinematics(c), None, None)
        actuated = [joint.actuated for joint in self.model.joints]
        found = self.joints(c, cd, np.zeros(self.freedoms) if cdd is None else cdd)
        acceleration = None if cdd is None else found.qdd[..., actuated]
        return ActuatorMotion(found.q[..., actuated], found.qd[..., actuated], acceleration)

    def quantities(
        self, c: Array, cd: Array | None = None, effort: Array | None = None, /
    ) -> tuple[Quantity, ...]:
        return joint_quantities(self, c, cd, effort)


def _agreed(one: Array, other: Array) -> Array:
    """One of two solutions, with NaN where they differ."""
    axes = (-2, -1)
    size = np.maximum(
        np.abs(one).max(axis=axes, keepdims=True), np.abs(other).max(axis=axes, keepdims=True)
    )
    return np.where(np.abs(one - other) <= AGREE * size, one, np.nan)
