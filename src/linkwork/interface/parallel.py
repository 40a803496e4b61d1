"""The parallel robot as users meet it: arrays in, arrays out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkwork.errors import InputError
from linkwork.interface.coordinates import POSE, TWIST, Coordinates
from linkwork.interface.limits import Limits, bounds_of, ranges_of
from linkwork.interface.options import RuntimeInputs, flag
from linkwork.interface.parallel_diagnosis import explain
from linkwork.interface.parallel_kinematics import coordinates_from_actuators
from linkwork.interface.quantity import Quantity, quantity
from linkwork.interface.results import (
    ActuatedTaskSpace,
    EffortParts,
    JointMotion,
    ParallelJacobians,
    ParallelReactions,
)
from linkwork.interface.robot import ActuatorMotion, Array, Energy, Errors, Noun, Robot
from linkwork.kernels.recipes import Expression
from linkwork.mechanics.methods import Method
from linkwork.mechanics.parallel.coordinates import takes_quaternion
from linkwork.mechanics.parallel.methods import METHODS, Options, express
from linkwork.mechanics.parallel.plant import ParallelPlant
from linkwork.mechanics.parallel.reactions import is_determinate
from linkwork.names import one_of
from linkwork.robots.geometry import Body
from linkwork.robots.parallel import COORDINATES, ParallelModel
from linkwork.robots.parameters import Parameters, parallel_parameters
from linkwork.rotations import quaternion_of, with_quaternion

EXACT = "exact"
UNITS = dict(zip(COORDINATES, ("m", "m", "m", "rad", "rad", "rad"), strict=True))
VELOCITIES = ("vx", "vy", "vz", "roll_rate", "pitch_rate", "yaw_rate")
AGREE = 1e-9  # two solutions of statics, relative to the largest wrench


class ParallelRobot(Robot):
    """Dynamics of a platform on any legs.

    Coordinates c are those that the file declares, (..., d), with their time derivatives cd and cdd. A
    robot with all six freedoms takes a pose, (..., 7) or (..., 6), a twist and an acceleration, as
    `Platform` does. A robot with three rotations may take a unit quaternion for roll, pitch, yaw;
    its velocities and accelerations are then angular. A `wrench` (force, then moment) acts on the
    platform, in platform axes at its origin. Efforts tau are those of the actuated joints, in the order
    of the legs.
    """

    _kernel_options = ("position_size",)

    def __init__(self, model: ParallelModel) -> None:
        super().__init__()
        if not isinstance(model, ParallelModel):
            raise InputError(
                f"ParallelRobot takes a ParallelModel, not {type(model).__name__}; lw.load makes robots."
            )
        self.model: ParallelModel = model

    def __repr__(self) -> str:
        legs = f"{len(self.model.legs)} legs"
        return f"<ParallelRobot {self.name}: {legs}, {', '.join(self.model.coordinates)}>"

    # What the robot is.

    @property
    def n(self) -> int:
        """Number of actuators."""
        return len(self.model.actuators)

    @property
    def freedoms(self) -> int:
        """Number of independent coordinates."""
        return self.model.freedoms

    @property
    def noun(self) -> Noun:
        return "leg" if self._actuated_once else "joint"

    @property
    def _actuated_once(self) -> bool:
        counts = [sum(joint.actuated for joint in leg.joints) for leg in self.model.legs]
        return max(counts) == 1

    @property
    def leg_names(self) -> tuple[str, ...]:
        """Names of the legs."""
        return self.model.leg_names

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of all joints, in the order of the legs."""
        return tuple(joint.name for joint in self.model.joints)

    @property
    def coordinates(self) -> Coordinates:
        if self.freedoms == 6:
            return POSE
        names = self.model.coordinates
        return Coordinates(names, names, tuple(UNITS[name] for name in names))

    @property
    def velocities(self) -> Coordinates:
        if self.freedoms == 6:
            return TWIST
        names = self.model.coordinates
        labels = tuple(f"velocity of {name}" for name in names)
        units = tuple(f"{UNITS[name]}/s" for name in names)
        return Coordinates(tuple(VELOCITIES[COORDINATES.index(name)] for name in names), labels, units)

    @property
    def efforts(self) -> Coordinates:
        units = tuple("N m" if joint.is_revolute else "N" for joint in self.model.actuators)
        if self._actuated_once:
            legs = [leg.name for leg in self.model.legs if any(j.actuated for j in leg.joints)]
            return Coordinates(tuple(legs), tuple(legs), units)
        names = tuple(joint.name for joint in self.model.actuators)
        return Coordinates(names, names, units)

    @property
    def limits(self) -> Limits:
        """Bounds of the actuated joints."""
        limits = [joint.limits for joint in self.model.actuators]
        return Limits(
            position=ranges_of(each.position for each in limits),
            velocity=bounds_of(each.velocity for each in limits),
            effort=bounds_of(each.effort for each in limits),
        )

    @property
    def wrench_option(self) -> str:
        return "wrench"

    @property
    def formulations(self) -> tuple[str, ...]:
        return (EXACT,)

    @property
    def home(self) -> Array:
        """Where the legs are described: a pose (7,), or the coordinates (d,)."""
        home = self.model.home
        return with_quaternion(home) if self.freedoms == 6 else home[list(self.model.independent)]

    @property
    def size(self) -> float:
        return self.model.size()

    @property
    def parameters(self) -> Parameters:
        return parallel_parameters(self.model)

    @property
    def determinate(self) -> bool:
        """Whether statics alone determines all joint reactions."""
        return is_determinate(self.model)

    def with_payload(
        self, mass: float, center_of_mass: ArrayLike = (0, 0, 0), inertia: ArrayLike | None = None
    ) -> ParallelRobot:
        """The robot with a load on its platform, given in the platform's frame."""
        moments = np.zeros((3, 3)) if inertia is None else np.asarray(inertia, dtype=np.float64)
        moments = np.diag(moments) if moments.ndim == 1 else moments
        center = np.asarray(center_of_mass, dtype=np.float64)
        if not (np.isfinite(mass) and mass >= 0 and center.shape == (3,) and moments.shape == (3, 3)):
            raise InputError(
                "with_payload takes a mass >= 0 [kg], center_of_mass (3,) [m] and inertia (3,) or (3, 3)"
                " about it [kg m^2]."
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
        pose = np.concatenate([position, quaternion_of(R)], axis=-1)
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
        Jx = self.jacobians(c, errors=errors).Jx.copy()
        turns = [k for k, place in enumerate(self.model.independent) if place >= 3]
        if len(turns) < self.freedoms:
            Jx[..., turns] /= self._length() if length_scale is None else length_scale
        usable = np.isfinite(Jx).all(axis=(-2, -1))
        result = np.full(usable.shape, np.nan)
        result[usable] = np.linalg.cond(Jx[usable])
        return result

    def _length(self) -> float:
        points = np.array([leg.end.at for leg in self.model.legs]) - self.model.home[:3]
        return float(np.linalg.norm(points, axis=1).mean()) or 1.0

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
        limits, names = self.limits, self.efforts.names
        units = tuple("rad" if joint.is_revolute else "m" for joint in self.model.actuators)
        still = np.zeros(self.freedoms)
        everything = self.joints(c, still if cd is None else cd, still)
        actuated = np.array([joint.actuated for joint in self.model.joints])
        found = [
            quantity("position", names, units, everything.q[:, actuated], limits.position, "position")
        ]
        if cd is not None:
            speeds = everything.qd[:, actuated]
            per_second = tuple(f"{unit}/s" for unit in units)
            found.append(quantity("velocity", names, per_second, speeds, limits.velocity, "velocity"))
        if effort is not None:
            found.append(quantity("effort", names, self.efforts.units, effort, limits.effort, "effort"))
        bounded = [
            k
            for k, joint in enumerate(self.model.joints)
            if not joint.actuated and joint.limits.position is not None
        ]
        if bounded:
            passive = [self.model.joints[k] for k in bounded]
            found.append(
                quantity(
                    "passive joint position",
                    tuple(joint.name for joint in passive),
                    tuple("rad" if joint.is_revolute else "m" for joint in passive),
                    everything.q[:, bounded],
                    ranges_of(joint.limits.position for joint in passive),
                    "position",
                )
            )
        return tuple(found)

    # How it is computed.

    @property
    def _sizes(self) -> tuple[int, ...]:
        """Allowed sizes of the coordinates."""
        d = self.freedoms
        return (d, d + 1) if takes_quaternion(self.model) else (d,)

    def _methods(self) -> Mapping[str, Method[Any, Options]]:
        return METHODS

    def _options(self, method: str, inputs: RuntimeInputs, options: dict[str, Any]) -> Options:
        size = options.get("position_size", len(self.home))
        if size not in self._sizes:
            raise InputError(f"position_size = {size!r}: allowed are {_either(self._sizes)}.")
        one_of(options.get("formulation") or EXACT, (EXACT,), "formulation")
        friction = flag(options.get("friction", True), "friction")
        rotors = flag(options.get("rotors", True), "rotors")
        return Options(size, inputs.names, friction, rotors, inputs.gravity)

    def _implied_options(self, method: str, arrays: tuple[Any, ...]) -> dict[str, Any]:
        """Quaternions and angles have kernels of their own."""
        c = arrays[METHODS[method].inputs.index("c")]
        try:
            size = c.shape[-1]
        except (AttributeError, IndexError):
            size = self._positions(c).shape[-1]
        if size not in self._sizes:
            self._positions(c)
        return {"position_size": size}

    def plant(self, *, friction: bool = True, rotors: bool = True) -> ParallelPlant:
        """The robot as a system of differential equations in its coordinates."""
        return ParallelPlant(self.model, friction, rotors)

    def _express(self, method: str, options: Options) -> Expression:
        return express(self.model, method, options)

    def _positions(self, position: ArrayLike) -> Array:
        try:
            c = np.asarray(position, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise InputError(f"c is not an array of real numbers: {error}.") from None
        if c.ndim == 0 or c.shape[-1] not in self._sizes:
            names = ", ".join(self.model.coordinates)
            raise InputError(
                f"c has shape {c.shape}; its last axis must be {_either(self._sizes)}: {names}"
                + (", or a unit quaternion w x y z for the rotations." if len(self._sizes) > 1 else ".")
            )
        return c

    def _labels(self) -> dict[str, tuple[str, ...]]:
        d, names = self.freedoms, self.model.coordinates
        forces = ("fx", "fy", "fz", "mx", "my", "mz")
        positions = (*names[: d - 3], "qw or roll", "qx or pitch", "qy or yaw", "qz")
        return {
            "c": positions if takes_quaternion(self.model) else names,
            "cd": self.velocities.labels,
            "cdd": tuple(f"acceleration of {name}" for name in names),
            "tau": self.efforts.labels,
            "actuators": self.efforts.labels,
            "wrench": forces,
            "gravity": ("x", "y", "z"),
        }

    def _reason(self, method: str, inputs: dict[str, Array]) -> str:
        return explain(self, method, inputs)


def _either(sizes: tuple[int, ...]) -> str:
    return " or ".join(str(size) for size in sizes)


def _agreed(one: Array, other: Array) -> Array:
    """One of two solutions, with NaN where they differ."""
    axes = (-2, -1)
    size = np.maximum(
        np.abs(one).max(axis=axes, keepdims=True), np.abs(other).max(axis=axes, keepdims=True)
    )
    return np.where(np.abs(one - other) <= AGREE * size, one, np.nan)
