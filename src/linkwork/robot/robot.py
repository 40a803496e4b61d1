"""A robot as users meet it: arrays in, arrays out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from linkwork.core.arguments import flag, not_negative, numbers, one_of
from linkwork.core.checked import checked
from linkwork.core.errors import InputError
from linkwork.core.rotations import quaternion_of
from linkwork.mechanics.mechanism.methods import METHODS
from linkwork.model.coupled import with_motors
from linkwork.model.geometry import Body
from linkwork.model.mechanism import reaction_names, tool_frame
from linkwork.model.parameters import FRICTION, ROTOR, STRIBECK, mechanism_with, parameter_values
from linkwork.model.payloads import loaded
from linkwork.robot.base_parameters import SLOWEST, STATES, BaseParameters, base_parameters
from linkwork.robot.compiled import Array, DType, Errors
from linkwork.robot.coordinates import JointNames
from linkwork.robot.description import Described
from linkwork.robot.diagnosis import ERRORS
from linkwork.robot.foundation import on_foundation
from linkwork.robot.limits import (
    LimitReport,
    Margins,
    Quantity,
    limit_report,
    margins_of,
    of_motors,
    quantities_of,
)
from linkwork.robot.method_bodies import computed
from linkwork.robot.results import (
    ActuatedTaskSpace,
    ActuatorMotion,
    EffortBreakdown,
    Energy,
    ForwardDerivatives,
    InverseDerivatives,
    MechanismMotion,
    MechanismReactions,
    ParallelJacobians,
    Singularities,
)
from linkwork.robot.state_space import StateSpace, linearized

# mypy: disable-error-code="empty-body"
# Bodies of methods that are `computed` are made from their signatures.


__all__ = ["ActuatorMotion", "Array", "Energy", "Errors", "Mechanism", "Robot"]
AGREE = 1e-9  # two solutions of statics, relative to the largest wrench


class Robot(Described):
    """Dynamics of any mechanism of rigid bodies: chains, loops, rods, cylinders, couplings.

    `mechanism` is what it is made of, `model` what its file says; for files of `kind: mechanism` both
    are the same. `Arm`, `Platform` and `ParallelRobot` are robots with the names of their families.

    Coordinates c are those that the file declares, (..., d), with their time derivatives cd and cdd:
    joints and cylinders count from home, poses are absolute. A body with all six pose coordinates takes
    x y z and a unit quaternion w x y z, or x y z roll pitch yaw; its velocity is a twist. A `wrench`
    (force, then moment) acts on the tool, in its axes at its origin. Efforts tau are those of the
    motors: joints and cylinders in the order of the file.
    """

    @property
    def joints(self) -> JointNames:
        """Names of all joints that turn or slide and of all cylinders; `robot.joints(c, cd, cdd)` is
        the same as `joint_motion`."""
        return JointNames(self.joint_names, self.joint_motion)

    def _repr_html_(self) -> str:
        """In a notebook: the robot as a live figure, with its joints and bodies."""
        from linkwork.reports.report import report

        return report(self)._repr_html_()

    def show(self) -> Path:
        """Open the robot as a live figure in a browser."""
        from linkwork.reports.report import report

        return report(self).show()

    def with_payload(
        self, mass: float, center_of_mass: ArrayLike = (0, 0, 0), inertia: ArrayLike | None = None
    ) -> Robot:
        """The robot with a load on its tool, given in the tool's frame."""
        load = checked_load(self, mass, center_of_mass, inertia)
        return type(self)(loaded(self.model, load))

    @checked
    def with_motors(self, motors: Mapping[str, Mapping[str, float]]) -> Robot:
        """The robot with motors that act on several joints with ratios, as in coupled wrists.

        Other joints keep their own motors; efforts of these motors come last. `identify` finds their
        rotors and friction.

        Args:
            motors: such as {"m5": {"joint5": 1}, "m6": {"joint5": 1, "joint6": 1}}; the turn of a motor
                is this sum.
        """
        return Robot(with_motors(self.mechanism, motors))

    # Dynamics.

    @computed(METHODS)
    def inverse_dynamics(
        self,
        c: ArrayLike,
        cd: ArrayLike,
        cdd: ArrayLike,
        wrench: ArrayLike | None = None,
        *,
        formulation: str | None = None,
        gravity: ArrayLike | None = None,
        base_motion: ArrayLike | None = None,
        friction: bool = True,
        rotors: bool = True,
        dtype: DType = "float64",
        errors: Errors = "raise",
        out: Array | None = None,
    ) -> Array:
        """Efforts [N m, N] that a motion needs, (..., n).

        With more motors than freedoms many efforts do the same: these have the least norm.

        Args:
            gravity: acceleration of gravity in base axes, (..., 3); the robot's own if None.
            base_motion: angular velocity, angular acceleration and linear acceleration of the base in
                base axes, (..., 9), for a base that moves.
            friction, rotors: include joint friction, reflected rotor inertia.
        """

    @computed(METHODS)
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
        dtype: DType = "float64",
        errors: Errors = "raise",
        out: Array | None = None,
    ) -> Array:
        """cdd under efforts `tau`, (..., d)."""

    @computed(METHODS, c=Described._as_home)
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
        dtype: DType = "float64",
        errors: Errors = "raise",
    ) -> InverseDerivatives:
        """Exact derivatives of `inverse_dynamics` by c, cd and cdd, (..., n, d) each.

        The pose of a body with all six coordinates varies in its tangent space: translations of its
        origin and rotations, in the axes it is seen from: p + dx, exp(dtheta~) R. So do rotations that
        are given by a quaternion.
        """

    @computed(METHODS, c=Described._as_home)
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
        dtype: DType = "float64",
        errors: Errors = "raise",
    ) -> ForwardDerivatives:
        """Exact derivatives of `forward_dynamics` by c and cd, (..., d, d), and by tau, (..., d, n).

        A pose varies in its tangent space, as in `inverse_dynamics_derivatives`.
        """

    @checked
    def linearize(
        self,
        c: ArrayLike | None = None,
        cd: ArrayLike | None = None,
        tau: ArrayLike | None = None,
        *,
        inputs: str | Sequence[str] = "efforts",
        outputs: str | Sequence[str] = "coordinates",
        flexible: bool = False,
        stiffness: ArrayLike | None = None,
        damping_ratio: float = 0.0,
        friction: bool = True,
    ) -> StateSpace:
        """State space A, B, C, D about a state, exact: by default at rest at home, held by its efforts.

        States are small motions in the axes of the velocity (turns are rotation vectors) and their
        rates. Coulomb friction has no slope and is left out.

        Args:
            tau: efforts of the operating point; None are those that keep `cd` constant.
            inputs: "efforts", "wrench" (on the tool, in its axes), or both.
            outputs: "coordinates", "velocities", "actuators" (motors), "tool" (x y z and rotation
                vector in base axes), or several.
            flexible: every motor drives its joint or leg through the `stiffness` of the robot file; its
                rotor is a mass of its own. At rest only.
            stiffness: of the drives instead [N/m or N m/rad], one number or one per motor.
            damping_ratio: of the drives' lowest natural frequency with motors held; dampers are in
                proportion to the springs.
        """
        return linearized(
            self, c, cd, tau, inputs=inputs, outputs=outputs, flexible=flexible, stiffness=stiffness,
            damping_ratio=damping_ratio, friction=friction,
        )  # fmt: skip

    @computed(METHODS)
    def regressor(
        self,
        c: ArrayLike,
        cd: ArrayLike,
        cdd: ArrayLike,
        /,
        *,
        gravity: ArrayLike | None = None,
        dtype: DType = "float64",
        errors: Errors = "raise",
        out: Array | None = None,
    ) -> Array:
        """Y (..., n, p) with Y @ parameters.values = inverse_dynamics(c, cd, cdd)."""

    def with_parameters(self, values: ArrayLike) -> Robot:
        """The same robot with other values of `parameters`."""
        return Robot(mechanism_with(self.mechanism, parameter_values(self.parameters, values)))

    def base_parameters(
        self, *, friction: bool = True, rotors: bool = True, shared_legs: bool = False
    ) -> BaseParameters:
        """The combinations of `parameters` that efforts can show, with names, values and maps.

        By the rank of the regressor at random states, as it is in motion: at rest, where Coulomb
        friction jumps, nothing is looked at.

        Args:
            friction: friction and offsets are among the parameters.
            rotors: rotors of the motors are.
            shared_legs: of a platform: all legs have the same deviations from the file.
        """
        free = self.free_parameters(shared_legs=shared_legs)
        absent = () if flag(friction, "friction") else FRICTION
        free = free.without((*absent, *(() if flag(rotors, "rotors") else (ROTOR,))))
        c, cd, cdd = self._revealing_motion(STATES)
        if any(name.endswith(f".{STRIBECK}") for name in self.parameters.names):  # seen near rest only
            slower = 10.0 ** np.random.default_rng(0).uniform(SLOWEST, 0.0, (STATES, 1))
            c, cd, cdd = (np.concatenate(two) for two in ((c, c), (cd, slower * cd), (cdd, cdd)))
        Y = self.regressor(c, cd, cdd)
        return base_parameters(Y.reshape(-1, Y.shape[-1]), free, self.parameters.values)

    @computed(METHODS)
    def mass_matrix(
        self,
        c: ArrayLike,
        *,
        rotors: bool = True,
        dtype: DType = "float64",
        errors: Errors = "raise",
        out: Array | None = None,
    ) -> Array:
        """M (..., d, d) of the whole mechanism in the coordinates."""

    @computed(METHODS)
    def bias(
        self,
        c: ArrayLike,
        cd: ArrayLike,
        wrench: ArrayLike | None = None,
        *,
        gravity: ArrayLike | None = None,
        base_motion: ArrayLike | None = None,
        friction: bool = False,
        dtype: DType = "float64",
        errors: Errors = "raise",
        out: Array | None = None,
    ) -> Array:
        """h (..., d): the generalized forces of the motors are M cdd + h."""

    @computed(METHODS)
    def task_space(
        self,
        c: ArrayLike,
        cd: ArrayLike,
        wrench: ArrayLike | None = None,
        *,
        dtype: DType = "float64",
        errors: Errors = "raise",
    ) -> ActuatedTaskSpace:
        """Mass matrix, bias and what motors do to the coordinates."""

    def cone_angles(self, c: ArrayLike, *, errors: Errors = "raise") -> Array:
        """Angles of universal and ball joints from their mounting axes, by `mechanism.cones`, (..., k)
        [rad]."""
        if not self.mechanism.cones:
            return np.empty((*self._positions(c).shape[:-1], 0))
        cosines = self._run("cones", (c,), (), errors)
        return np.asarray(np.arccos(np.clip(cosines, -1.0, 1.0)))

    @computed(METHODS)
    def gravity_load(
        self,
        c: ArrayLike,
        gravity: ArrayLike | None = None,
        *,
        dtype: DType = "float64",
        errors: Errors = "raise",
        out: Array | None = None,
    ) -> Array:
        """Efforts that hold the robot at rest against gravity and springs, (..., n)."""

    @computed(METHODS)
    def effort_breakdown(
        self,
        c: ArrayLike,
        cd: ArrayLike,
        cdd: ArrayLike,
        wrench: ArrayLike | None = None,
        *,
        dtype: DType = "float64",
        errors: Errors = "raise",
    ) -> EffortBreakdown:
        """Efforts split by what needs them: tool, other bodies, springs, rotors, friction."""

    @computed(METHODS)
    def energy(
        self,
        c: ArrayLike,
        cd: ArrayLike,
        gravity: ArrayLike | None = None,
        *,
        dtype: DType = "float64",
        errors: Errors = "raise",
    ) -> Energy:
        """Kinetic and potential energy; the potential is zero with all mass at the base origin and
        springs at their free lengths."""

    def joint_reactions(
        self,
        c: ArrayLike,
        cd: ArrayLike,
        cdd: ArrayLike,
        wrench: ArrayLike | None = None,
        *,
        errors: Errors = "raise",
    ) -> MechanismReactions:
        """Forces and moments in every joint, at both ends of rods and cylinders and in their slides.

        A mechanism with more constraints than statics needs (`determinate` is False) has parts that
        depend on the elasticity of its links: those are NaN, the determinate ones are given.
        """
        return Robot.reactions(self, c, cd, cdd, wrench, errors=errors)  # views have their own forms

    def reactions(
        self,
        c: ArrayLike,
        cd: ArrayLike,
        cdd: ArrayLike,
        wrench: ArrayLike | None = None,
        *,
        errors: Errors = "raise",
    ) -> MechanismReactions:
        """The same as `joint_reactions`, in the form that all mechanisms have."""
        found = self._run("reactions", (c, cd, cdd), (wrench,), errors)
        wrenches = agreed(*found) if isinstance(found, tuple) else found
        return MechanismReactions(wrenches[..., :3], wrenches[..., 3:], reaction_names(self.mechanism))

    def foundation_load(
        self,
        c: ArrayLike,
        cd: ArrayLike,
        cdd: ArrayLike,
        wrench: ArrayLike | None = None,
        *,
        errors: Errors = "raise",
    ) -> Array:
        """What the robot does to what it stands on (..., 6): force, then moment about the base's origin.

        In base axes; the wrench is that of `reactions`. The sum is known even where single reactions are
        not. Rotors act as inertias of their joints: the moment that spins them up is not in it.
        """
        push = None if wrench is None else self.on_tool(wrench)
        found = self._run("reactions", (c, cd, cdd), (push,), errors)
        wrenches = found[0] if isinstance(found, tuple) else found
        return on_foundation(self, self._positions(c), wrenches)

    # Kinematics.

    def joint_motion(
        self, c: ArrayLike, cd: ArrayLike, cdd: ArrayLike, *, errors: Errors = "raise"
    ) -> MechanismMotion:
        """How all joints, cylinders and bodies move, and the tool."""
        q, qd, qdd, p, R, v, a, *tool = self._run("joint_motion", (c, cd, cdd), (), errors)
        position, rotation, twist, acceleration = tool
        return MechanismMotion(
            *(q, qd, qdd),
            *(poses(position, rotation), twist, acceleration),
            *(poses(p, R), v, a),
            names=tuple(each.name for each in self.elements),
            bodies=self.bodies,
        )

    def body_pose(self, c: ArrayLike, body: str | None = None, *, errors: Errors = "raise") -> Array:
        """Pose (..., 7) of a body's frame in base axes; of the tool's if none is named."""
        return poses(*self._run("body_pose", (c,), (), errors, body=body))

    @computed(METHODS)
    def jacobian(
        self,
        c: ArrayLike,
        body: str | None = None,
        *,
        dtype: DType = "float64",
        errors: Errors = "raise",
        out: Array | None = None,
    ) -> Array:
        """J (..., 6, d): twist of a body's frame, or of the tool, linear then angular, base axes."""

    @computed(METHODS)
    def inverse_kinematics(
        self,
        c: ArrayLike,
        *,
        dtype: DType = "float64",
        errors: Errors = "raise",
        out: Array | None = None,
    ) -> Array:
        """Positions of the motors (..., n), zero at home, with all loops on their home branches."""

    def forward_kinematics(
        self, actuators: ArrayLike, guess: ArrayLike | None = None, *, errors: Errors = "raise"
    ) -> Array:
        """Coordinates near `guess` (or home) of these positions of the motors, in the form of home."""
        from linkwork.kinematics.forward import coordinates_from_actuators

        return coordinates_from_actuators(self, actuators, guess, errors)

    def placed(self, c: Array, target: Array, turn: bool = True) -> Array:
        """Coordinates that bring the tool to a pose (4, 4), from those of one position, as near as it
        gets; where it goes with any orientation, if it need not `turn`."""
        from linkwork.kinematics.tool_placing import placed

        return placed(self, c, target, turn)

    @computed(METHODS)
    def jacobians(
        self, c: ArrayLike, *, dtype: DType = "float64", errors: Errors = "raise"
    ) -> ParallelJacobians:
        """Both Jacobians (Gosselin and Angeles 1990), Jx cd = Jq * velocities of the motors."""

    def condition_number(
        self, c: ArrayLike, length_scale: float | str | None = None, *, errors: Errors = "raise"
    ) -> Array:
        """How near to a singularity, (...): 1 is isotropic, infinite is singular.

        Ratio of the greatest to the least singular value: of Jx, or of the tool's Jacobian where the
        coordinates are the motors (of its linear part with up to three of them).

        Args:
            length_scale: [m], makes lengths and rotations comparable; None takes that of the robot,
                with which the number has no unit. 1 m gives the papers' number of a platform.
        """
        from linkwork.kinematics.singularity import condition, dimensionless_jacobian

        return condition(dimensionless_jacobian(self, c, length_scale, errors))

    @cached_property
    def length_scale(self) -> float:
        """The unit of length [m] of condition numbers: the RMS distance of what holds the tool's body
        from its origin, or half the robot's size where the coordinates are the motors."""
        from linkwork.kinematics.singularity import length_scale

        return length_scale(self)

    def singularities(self, c: ArrayLike, *, errors: Errors = "raise") -> Singularities:
        """How near to the three kinds of singularities, told apart."""
        from linkwork.kinematics.singularity import singularities

        return singularities(self, c, errors)

    @checked
    def margins(
        self,
        c: ArrayLike,
        *,
        clearance: float = 0.0,
        leg_diameter: float = 0.0,
        errors: Errors = "raise",
    ) -> Margins:
        """How far coordinates are from every limit of the workspace, at rest.

        Args:
            clearance: from singularities, of reciprocal condition numbers and of levers relative to
                those at home, see `singularities`.
            leg_diameter: Stewart platforms only: the thickness of other robots is not known.
            errors: coordinates out of reach are told by `reach`, whatever this says.
        """
        clear = not_negative(clearance, "clearance", "1")
        one_of(errors, ERRORS, "value of errors")
        if leg_diameter:
            raise InputError(
                "leg_diameter applies to Stewart platforms only: the thickness of other mechanisms is"
                " unknown."
            )
        return margins_of(self, self._positions(c), clear)

    def actuator_motion(
        self, c: ArrayLike, cd: ArrayLike | None = None, cdd: ArrayLike | None = None, /
    ) -> ActuatorMotion:
        """Positions of the motors and how they change."""
        if cd is None:
            return ActuatorMotion(self.inverse_kinematics(c), None, None)
        found = self.joint_motion(c, cd, np.zeros(self.dof) if cdd is None else cdd)
        position, velocity, acceleration = of_motors(self, found)
        return ActuatorMotion(position, velocity, None if cdd is None else acceleration)

    def quantities(
        self, c: Array, cd: Array | None = None, effort: Array | None = None, /
    ) -> tuple[Quantity, ...]:
        """All that may have limits along a motion (N, ...), with the limits of the robot file."""
        return quantities_of(self, c, cd, effort)

    @checked
    def check_limits(
        self,
        position: ArrayLike,
        velocity: ArrayLike | None = None,
        acceleration: ArrayLike | None = None,
        wrench: ArrayLike | None = None,
        *,
        effort: ArrayLike | None = None,
        time: ArrayLike | None = None,
    ) -> LimitReport:
        """Which joint or leg breaks which limit when, and by how much, along a motion.

        Velocities are checked if given, efforts if given or if they follow from `acceleration`.
        The report's `mask` tells for every state whether it breaks a limit.
        """
        if velocity is None and acceleration is not None:
            raise InputError("check_limits: acceleration is given without velocity; efforts need both.")
        if wrench is not None and (acceleration is None or effort is not None):
            raise InputError(
                "check_limits: wrench goes with velocity and acceleration, and not with effort."
            )
        states = self._positions(position)
        batch = states.shape[:-1]
        if 0 in batch:
            raise InputError(f"check_limits: there is no state: position has shape {states.shape}.")
        rows = states.reshape(-1, states.shape[-1])
        m = len(self.velocities)

        def like_states(value: ArrayLike | None, name: str, *shape: int) -> Array | None:
            return None if value is None else _like_states(value, name, batch, shape)

        times = like_states(time, "time")
        given = like_states(velocity, "velocity", m)
        efforts = like_states(effort, "effort", self.n)
        if efforts is None and acceleration is not None:
            external = like_states(wrench, "wrench", 6)
            options = {} if external is None else {self.wrench_option: external}
            motion = (rows, given, like_states(acceleration, "acceleration", m))
            efforts = self.inverse_dynamics(*motion, **options)  # type: ignore[arg-type]
        return limit_report(self.quantities(rows, given, efforts), batch, times)


def checked_load(
    robot: Described, mass: float, center_of_mass: ArrayLike, inertia: ArrayLike | None
) -> Body:
    """A body in the tool's frame; an InputError if the tool cannot carry it."""
    moments = np.zeros((3, 3)) if inertia is None else numbers(inertia, "inertia")
    moments = np.diag(moments) if moments.ndim == 1 else moments
    center = numbers(center_of_mass, "center_of_mass")
    mass = not_negative(mass, "mass", "kg")
    if center.shape != (3,) or moments.shape != (3, 3):
        raise InputError(
            "with_payload takes a mass >= 0 [kg], center_of_mass (3,) [m] and inertia (3,) or (3, 3)"
            " about it [kg m^2]."
        )
    name, _ = tool_frame(robot.mechanism)
    if robot.mechanism.part(name).point and (center.any() or moments.any()):
        raise InputError(
            f"with_payload: the {name} of {robot.name} is a point that its joints hold: a load beside"
            " it, or with inertia, would swing freely. Give a mass only."
        )
    return Body.of(mass, center, moments)


def agreed(one: Array, other: Array) -> Array:
    """One of two solutions of statics (..., k, 6), with NaN where they differ.

    In their own memory: passes over the arrays take longer than the kernel that filled them.
    """
    size = np.sqrt(np.einsum("...ij,...ij->...", one, one))
    difference = np.abs(np.subtract(other, one, out=other), out=other)
    np.copyto(one, np.nan, where=~(difference <= AGREE * size[..., None, None]))
    return one


def poses(position: Array, R: Array) -> Array:
    """Poses of places and rotation matrices; NaN where these are."""
    usable = np.isfinite(R).all(axis=(-2, -1))
    turn = np.full((*usable.shape, 4), np.nan)
    turn[usable] = quaternion_of(R[usable])
    return np.concatenate([position, turn], axis=-1)


def _like_states(value: ArrayLike, name: str, batch: tuple[int, ...], shape: tuple[int, ...]) -> Array:
    """One row for all states or one for each, of finite numbers, as (N, *shape)."""
    try:
        array = np.asarray(value, dtype=np.float64)
        full = np.broadcast_to(array, (*batch, *shape))
    except (TypeError, ValueError):
        raise InputError(
            f"check_limits: {name} does not fit the states; it must be {(*batch, *shape)} numbers."
        ) from None
    if not np.isfinite(full).all():
        raise InputError(f"check_limits: {name} contains a non-finite number.")
    return full.reshape(-1, *shape)


Mechanism = Robot  # what every robot is
