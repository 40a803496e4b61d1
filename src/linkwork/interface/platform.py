"""The Stewart platform as users meet it: arrays in, arrays out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkwork.errors import InputError
from linkwork.interface.coordinates import POSE, TWIST, Coordinates
from linkwork.interface.forward_kinematics import follow_lengths, home_pose, pose_from_lengths
from linkwork.interface.joint_angles import joint_angles
from linkwork.interface.limits import Limits, bounds_of, ranges_of
from linkwork.interface.platform_diagnosis import explain, pose_labels
from linkwork.interface.quantity import Quantity, quantity
from linkwork.interface.results import (
    ForceParts,
    JointReactions,
    LegKinematics,
    PlatformMotion,
    TaskSpace,
)
from linkwork.interface.robot import ActuatorMotion, Array, Energy, Errors, Noun, Robot, flag, is_input
from linkwork.kernels import Kernel
from linkwork.kernels.kernel import as_rows
from linkwork.kernels.recipes import Expression
from linkwork.mechanics.platform.methods import METHODS, Options, express
from linkwork.mechanics.platform.pedrammehr2012 import FORMS, FRAMES
from linkwork.mechanics.platform.plant import PlatformPlant
from linkwork.mechanics.platform.stepwise import DEVIATIONS
from linkwork.names import one_of
from linkwork.robots.platform import LEGS, PlatformModel
from linkwork.rotations import pose_array

EXACT = "exact"
FORMULATIONS = (EXACT, "dasgupta1998", "pedrammehr2012")
INVERSE_OPTIONS = ("formulation", "friction", "deviations", "form", "frames")
# Steps of forward_kinematics and motion_from_legs are kernels too, but no methods of their own.
PUBLIC_METHODS = tuple(name for name in METHODS if name not in ("newton", "twist_from_rates"))


class Platform(Robot):
    """Dynamics of a Stewart platform.

    A pose is (..., 7): x y z and the unit quaternion w x y z, or (..., 6): x y z roll pitch yaw. Twists
    and accelerations are (..., 6): linear, then angular, base axes, at the platform's reference point.
    A `wrench` (force, then moment) acts on the platform, in platform axes at the reference point.
    Forces are those of the actuators; positive pushes the two parts of a leg apart.
    """

    def __init__(self, model: PlatformModel) -> None:
        super().__init__()
        if not isinstance(model, PlatformModel):
            raise InputError(
                f"Platform takes a PlatformModel, not {type(model).__name__}; lw.load makes robots."
            )
        self.model: PlatformModel = model

    def __repr__(self) -> str:
        kinds = "/".join(sorted({leg.joints for leg in self.model.legs}))
        return f"<Platform {self.model.name}: 6 legs {kinds}>"

    @property
    def n(self) -> int:
        """Number of legs."""
        return LEGS

    @property
    def noun(self) -> Noun:
        return "leg"

    @property
    def leg_names(self) -> tuple[str, ...]:
        """Names of the legs."""
        return self.model.leg_names

    @property
    def coordinates(self) -> Coordinates:
        return POSE

    @property
    def velocities(self) -> Coordinates:
        return TWIST

    @property
    def efforts(self) -> Coordinates:
        labels = tuple(f"leg {k + 1} ({name})" for k, name in enumerate(self.leg_names))
        return Coordinates(self.leg_names, labels, ("N",) * LEGS)

    @property
    def limits(self) -> Limits:
        """Bounds of leg lengths (position), of how fast they change (velocity), and of forces."""
        limits = [leg.limits for leg in self.model.legs]
        return Limits(
            position=ranges_of(each.length for each in limits),
            velocity=bounds_of(each.rate for each in limits),
            effort=bounds_of(each.force for each in limits),
        )

    @property
    def wrench_option(self) -> str:
        return "wrench"

    @property
    def formulations(self) -> tuple[str, ...]:
        """Names that `formulation=` takes in inverse_dynamics."""
        return FORMULATIONS

    @property
    def home(self) -> Array:
        """The home pose of the robot file, or a pose above the base, (7,)."""
        return home_pose(self.model)

    def inverse_dynamics(
        self,
        pose: ArrayLike,
        twist: ArrayLike,
        acceleration: ArrayLike,
        wrench: ArrayLike | None = None,
        formulation: str | None = None,
        *,
        friction: bool = True,
        deviations: Sequence[str] | None = None,
        form: str = "closed",
        frames: str = "printed",
        errors: Errors = "raise",
    ) -> Array:
        """Actuator forces [N] that a motion needs, (..., 6).

        Args:
            formulation: "exact" (None), or as published: "dasgupta1998", "pedrammehr2012".
            friction: viscous friction in the joints; the published models always have it.
            deviations: the exact equations with these deviations of the papers switched on, one or
                several of `linkwork.mechanics.platform.stepwise.DEVIATIONS`; replaces `formulation`.
            form, frames: of pedrammehr2012: its "closed" form (42)-(43), its equations one by one
                ("step", or "step-25" with its (25)); its parallel-axis terms with the frames as
                "printed" or "local".
        """
        chosen = None if deviations is None else _names(deviations)
        options = (formulation or EXACT, friction, chosen, form, frames)
        return self._run("inverse_dynamics", (pose, twist, acceleration), wrench, errors, *options)

    def forward_dynamics(
        self,
        pose: ArrayLike,
        twist: ArrayLike,
        force: ArrayLike,
        wrench: ArrayLike | None = None,
        *,
        friction: bool = True,
        errors: Errors = "raise",
    ) -> Array:
        """Acceleration of the platform under actuator forces, (..., 6)."""
        return self._run("forward_dynamics", (pose, twist, force), wrench, errors, "exact", friction)

    def force_parts(
        self,
        pose: ArrayLike,
        twist: ArrayLike,
        acceleration: ArrayLike,
        wrench: ArrayLike | None = None,
        *,
        errors: Errors = "raise",
    ) -> ForceParts:
        """Actuator forces split into massless-leg part, leg inertia and friction (Dasgupta 4.4)."""
        return ForceParts(*self._run("force_parts", (pose, twist, acceleration), wrench, errors))

    def joint_reactions(
        self,
        pose: ArrayLike,
        twist: ArrayLike,
        acceleration: ArrayLike,
        wrench: ArrayLike | None = None,
        *,
        errors: Errors = "raise",
    ) -> JointReactions:
        """Forces and moments in every joint of every leg."""
        state = (pose, twist, acceleration)
        return JointReactions(*self._run("joint_reactions", state, wrench, errors))

    def task_space(
        self,
        pose: ArrayLike,
        twist: ArrayLike,
        wrench: ArrayLike | None = None,
        *,
        errors: Errors = "raise",
    ) -> TaskSpace:
        """Mass matrix (..., 6, 6) and bias (..., 6) in task space."""
        return TaskSpace(*self._run("task_space", (pose, twist), wrench, errors))

    def mass_matrix(self, pose: ArrayLike, *, errors: Errors = "raise") -> Array:
        """M (..., 6, 6) of the whole mechanism in task space: legs and platform."""
        return self.task_space(pose, np.zeros(6), errors=errors).mass_matrix

    def bias(
        self,
        pose: ArrayLike,
        twist: ArrayLike,
        wrench: ArrayLike | None = None,
        *,
        errors: Errors = "raise",
    ) -> Array:
        """h (..., 6) in task space, force then moment: J' F = M acceleration + h."""
        return self.task_space(pose, twist, wrench, errors=errors).bias

    def gravity_load(self, pose: ArrayLike, *, errors: Errors = "raise") -> Array:
        """Actuator forces that hold the platform at rest against gravity, (..., 6)."""
        still = np.zeros(6)
        return self.inverse_dynamics(pose, still, still, friction=False, errors=errors)

    def leg_kinematics(
        self,
        pose: ArrayLike,
        twist: ArrayLike,
        acceleration: ArrayLike,
        *,
        errors: Errors = "raise",
    ) -> LegKinematics:
        """Lengths and directions of the legs and how they change, with their true spin."""
        state = (pose, twist, acceleration)
        return LegKinematics(*self._run("leg_kinematics", state, None, errors))

    def energy(self, pose: ArrayLike, twist: ArrayLike, *, errors: Errors = "raise") -> Energy:
        """Kinetic and potential energy; the potential is zero with all mass at the base origin."""
        return Energy(*self._run("energy", (pose, twist), None, errors))

    def jacobian(self, pose: ArrayLike, *, errors: Errors = "raise") -> Array:
        """J (..., 6, 6): leg rates = J twist, and J' takes leg forces to the platform."""
        return self._run("jacobian", (pose,), None, errors)

    def leg_lengths(self, pose: ArrayLike, *, errors: Errors = "raise") -> Array:
        """Distances of the joint points, (..., 6)."""
        return self._run("leg_lengths", (pose,), None, errors)

    def condition_number(
        self,
        pose: ArrayLike,
        length_scale: float | str | None = None,
        *,
        errors: Errors = "raise",
    ) -> Array:
        """Ratio of the greatest to the least singular value of J', (...); infinite when singular.

        Args:
            length_scale: None is the papers' raw number, whose moment rows are in metres; a length
                [m] divides them first; "platform" takes the RMS distance of the platform points from
                the reference point. Only with a length is the number free of units.
        """
        J = self.jacobian(pose, errors=errors)
        if length_scale is not None:
            J = J.copy()
            J[..., 3:] /= self._length(length_scale)
        usable = np.isfinite(J).all(axis=(-2, -1))
        result = np.full(usable.shape, np.nan)
        result[usable] = np.linalg.cond(J[usable])
        return result

    def _length(self, scale: float | str) -> float:
        if isinstance(scale, str):
            one_of(scale, ("platform",), "length scale")
            points = self.model.points()[1]
            return float(np.sqrt((points**2).sum(axis=1).mean()))
        if not (isinstance(scale, (int, float, np.number)) and np.isfinite(scale) and scale > 0):
            raise InputError(
                f'length_scale = {scale!r}: allowed are None, "platform" and a length > 0 [m].'
            )
        return float(scale)

    @property
    def _newton_steps(self) -> Kernel:
        """Some steps of Newton's method: lengths and a pose to a better pose and its error [m]."""
        return self._kernel("newton", 7, False)

    def forward_kinematics(
        self, lengths: ArrayLike, guess: ArrayLike | None = None, *, errors: Errors = "raise"
    ) -> Array:
        """The pose (..., 7) near `guess` (or near home) with these leg lengths (..., 6)."""
        return pose_from_lengths(self, lengths, guess, errors)

    def follow(self, lengths: ArrayLike, start: ArrayLike | None = None) -> Array:
        """Poses (N, 7) along a path of leg lengths (N, 6), staying on the branch of `start`.

        A crossing of a singularity, where the branch is lost, is an error that names the samples.
        """
        return follow_lengths(self, lengths, start)

    def motion_from_legs(
        self, pose: ArrayLike, rates: ArrayLike, accelerations: ArrayLike, *, errors: Errors = "raise"
    ) -> PlatformMotion:
        """Twist and acceleration of the platform from those of the leg lengths."""
        twist = self._run("twist_from_rates", (pose, rates), None, errors)
        drift = self.leg_kinematics(pose, twist, np.zeros(6), errors=errors).acceleration
        missing = as_rows(accelerations, "accelerations", 6) - drift
        if not np.isfinite(missing).all() and errors == "raise":
            raise InputError("motion_from_legs: accelerations contain a number that is not finite.")
        return PlatformMotion(twist, self._run("twist_from_rates", (pose, missing), None, errors))

    def reactions(
        self,
        pose: ArrayLike,
        twist: ArrayLike,
        acceleration: ArrayLike,
        wrench: ArrayLike | None = None,
        *,
        errors: Errors = "raise",
    ) -> JointReactions:
        """The same as `joint_reactions`."""
        return self.joint_reactions(pose, twist, acceleration, wrench, errors=errors)

    def actuator_motion(
        self,
        pose: ArrayLike,
        twist: ArrayLike | None = None,
        acceleration: ArrayLike | None = None,
        /,
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
        limits, names, legs = self.limits, self.leg_names, self.model.legs
        moving = self.actuator_motion(pose, twist)
        found = [quantity("length", names, "m", moving.position, limits.position, "length")]
        if moving.velocity is not None:
            found.append(quantity("rate", names, "m/s", moving.velocity, limits.velocity, "rate"))
        if force is not None:
            found.append(quantity("force", names, "N", force, limits.effort, "force"))
        bounds = {
            joint: bounds_of(getattr(leg.limits, f"{joint}_angle") for leg in legs)
            for joint in ("universal", "spherical")
        }
        if self.model.home is not None and np.isfinite([*bounds.values()]).any():
            angles = joint_angles(self, pose)
            for joint, values in zip(bounds, angles, strict=True):
                name, limit = f"{joint} angle", f"{joint}_angle"
                found.append(quantity(name, names, "rad", values, bounds[joint], limit))
        return tuple(found)

    def kernel(self, method: str, **options: Any) -> Kernel:
        """The compiled form of a method.

        Args:
            method: the name of a method above, such as "inverse_dynamics".
            options: the method's own options; `wrench` is absent unless given as "input"; `pose_size`
                is 7 (default) or 6.
        """
        spec = METHODS[one_of(method, PUBLIC_METHODS, "method")]
        allowed = ["pose_size", *(["wrench"] if "wrench" in spec.runtime else [])]
        if method == "inverse_dynamics":
            allowed += INVERSE_OPTIONS
        elif method == "forward_dynamics":
            allowed.append("friction")
        for name in options:
            one_of(name, allowed, f"option of {method}")
        size = options.pop("pose_size", 7)
        if size not in (6, 7):
            raise InputError(f"pose_size = {size!r}: allowed are 7 and 6.")
        wrench = is_input(options.pop("wrench", None), "wrench")
        if "formulation" in options:
            options["formulation"] = options["formulation"] or EXACT
        if options.get("deviations") is not None:
            options["deviations"] = _names(options["deviations"])
        return self._kernel(method, size, wrench, **options)

    def _kernel(
        self,
        method: str,
        pose_size: int,
        wrench: bool,
        formulation: str = "exact",
        friction: bool = True,
        deviations: tuple[str, ...] | None = None,
        form: str = "closed",
        frames: str = "printed",
    ) -> Kernel:
        friction = flag(friction, "friction")
        one_of(formulation, FORMULATIONS, "formulation")
        one_of(form, FORMS, "form")
        one_of(frames, FRAMES, "frames")
        for name in deviations or ():
            one_of(name, DEVIATIONS, "deviation")
        published = formulation != "exact" or deviations is not None
        if published and not friction:
            raise InputError("friction=False goes with the exact formulation only.")
        free = [leg.name for leg in self.model.legs if leg.joints == "SPS"]
        if published and free and (formulation != "dasgupta1998" or deviations is not None):
            who = formulation if deviations is None else "a deviation"
            raise InputError(
                f"{who} needs universal joints, but {', '.join(free)} of {self.name} have spherical "
                'joints at both ends; use formulation="exact" or "dasgupta1998".'
            )
        runtime = ("wrench",) if wrench else ()
        options = Options(pose_size, runtime, friction, formulation, deviations, form, frames)
        return self._compiled(method, options)

    def _run(
        self,
        method: str,
        arrays: tuple[Any, ...],
        wrench: ArrayLike | None,
        errors: Errors,
        *options: Any,
    ) -> Any:
        pose = arrays[METHODS[method].inputs.index("pose")]
        try:
            size = pose.shape[-1]
        except (AttributeError, IndexError):
            size = pose_array(pose, "pose").shape[-1]
        if size not in (6, 7):
            pose_array(pose, "pose")
        if wrench is not None:
            arrays += (wrench,)
        return self._call((method, size, wrench is not None, *options), self._kernel, arrays, errors)

    def plant(self, *, friction: bool = True, rotors: bool = True) -> PlatformPlant:
        """The platform as a system of differential equations; its drives have no rotors."""
        return PlatformPlant(self.model, friction)

    def _express(self, method: str, options: Options) -> Expression:
        return express(self.model, method, options)

    def _positions(self, position: ArrayLike) -> Array:
        return pose_array(position, "pose")

    def _labels(self) -> dict[str, tuple[str, ...]]:
        legs = self.efforts.labels
        return {**pose_labels(), **dict.fromkeys(("force", "lengths", "rates"), legs)}

    def _reason(self, method: str, inputs: dict[str, Array]) -> str:
        return explain(self.model, method, inputs)


def _names(deviations: Sequence[str]) -> tuple[str, ...]:
    """Names of deviations in a fixed order."""
    if isinstance(deviations, str) or not all(isinstance(name, str) for name in deviations):
        raise InputError(f"deviations = {deviations!r}: allowed is a list of names.")
    return tuple(sorted(deviations))
