"""The serial arm as users meet it: arrays in, arrays out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkwork.errors import InputError
from linkwork.interface.coordinates import Coordinates
from linkwork.interface.limits import Limits, bounds_of, ranges_of
from linkwork.interface.quantity import Quantity, quantity
from linkwork.interface.results import JointWrenches, NaturalComplement
from linkwork.interface.robot import (
    INPUT,
    ActuatorMotion,
    Array,
    Energy,
    Errors,
    Noun,
    Robot,
    flag,
    is_input,
)
from linkwork.kernels import Kernel
from linkwork.kernels.kernel import as_rows
from linkwork.kernels.recipes import Expression
from linkwork.mechanics.arm.formulations import FIXED_BASE, NAMES
from linkwork.mechanics.arm.methods import METHODS, Options, express
from linkwork.mechanics.arm.plant import ArmPlant
from linkwork.mechanics.methods import Method
from linkwork.names import one_of
from linkwork.robots.arm import ArmModel

SINGULAR = (
    "the mass matrix is singular there: some motion of the joints moves no mass. Give the links beyond "
    "that joint mass or inertia, or the joint a rotor."
)
TOO_LARGE = "the numbers are too large for double precision."


class Arm(Robot):
    """Dynamics of a serial arm.

    Arrays have any leading batch shape and broadcast; the last axis is the joint. SI units, radians.
    Every method takes `errors`: "raise" (default) makes a non-finite number an error that names its
    row and joint, "nan" fills the rows concerned with NaN.
    """

    def __init__(self, model: ArmModel) -> None:
        super().__init__()
        if not isinstance(model, ArmModel):
            raise InputError(f"Arm takes an ArmModel, not {type(model).__name__}; lw.load makes robots.")
        self.model: ArmModel = model

    def __repr__(self) -> str:
        kinds = "".join("R" if joint.is_revolute else "P" for joint in self.model.joints)
        return f"<Arm {self.model.name}: {self.n} joints {kinds}>"

    @property
    def n(self) -> int:
        """Number of joints."""
        return self.model.n

    @property
    def noun(self) -> Noun:
        return "joint"

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the joints, from the base to the tip."""
        return self.model.joint_names

    def _per_joint(self, revolute: str, prismatic: str) -> Coordinates:
        labels = tuple(f"joint {k + 1} ({name})" for k, name in enumerate(self.joint_names))
        units = tuple(revolute if joint.is_revolute else prismatic for joint in self.model.joints)
        return Coordinates(self.joint_names, labels, units)

    @property
    def coordinates(self) -> Coordinates:
        return self._per_joint("rad", "m")

    @property
    def velocities(self) -> Coordinates:
        return self._per_joint("rad/s", "m/s")

    @property
    def efforts(self) -> Coordinates:
        return self._per_joint("N m", "N")

    @property
    def home(self) -> Array:
        """Zero for every joint whose limits allow it, else the middle of its range, (n,)."""
        low, high = self.limits.position.T
        zero = (low <= 0) & (high >= 0)
        with np.errstate(invalid="ignore"):  # a joint without limits may stand at zero
            return np.where(zero, 0.0, (low + high) / 2)

    @property
    def limits(self) -> Limits:
        limits = [joint.limits for joint in self.model.joints]
        return Limits(
            position=ranges_of(each.position for each in limits),
            velocity=bounds_of(each.velocity for each in limits),
            effort=bounds_of(each.effort for each in limits),
        )

    @property
    def wrench_option(self) -> str:
        return "tip_wrench"

    @property
    def formulations(self) -> tuple[str, ...]:
        """Names that `formulation=` takes in inverse_dynamics."""
        return NAMES

    def inverse_dynamics(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        gravity: ArrayLike | None = None,
        tip_wrench: ArrayLike | None = None,
        *,
        friction: bool = True,
        rotors: bool = True,
        formulation: str | None = None,
        base_motion: ArrayLike | None = None,
        errors: Errors = "raise",
    ) -> Array:
        """Joint torques [N m] and forces [N] that a motion needs, shape (..., n).

        Args:
            q, qd, qdd: joint positions, velocities and accelerations, (..., n).
            gravity: acceleration of gravity in base axes, (..., 3); the robot's own if None.
            tip_wrench: force, then moment, of the last link on its surroundings, in the last link's
                frame and at its origin, (..., 6).
            friction, rotors: include joint friction, reflected rotor inertia.
            formulation: a name of `formulations`; None is the fastest.
            base_motion: angular velocity, angular acceleration and linear acceleration of the base in
                base axes, (..., 9), for a base that moves.
        """
        return self._run(
            "inverse_dynamics",
            (q, qd, qdd),
            (gravity, tip_wrench, base_motion),
            errors,
            friction,
            rotors,
            formulation,
        )

    def forward_dynamics(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        gravity: ArrayLike | None = None,
        tip_wrench: ArrayLike | None = None,
        *,
        friction: bool = True,
        rotors: bool = True,
        formulation: str | None = None,
        errors: Errors = "raise",
    ) -> Array:
        """Joint accelerations under torques `tau`, (..., n). At rest, friction takes no torque.

        By "composite" bodies (M and an L D L' solution) or "articulated" bodies; None takes the
        cheaper one for this number of joints.
        """
        return self._run(
            "forward_dynamics",
            (q, qd, tau),
            (gravity, tip_wrench),
            errors,
            friction,
            rotors,
            formulation,
        )

    def mass_matrix(
        self,
        q: ArrayLike,
        *,
        rotors: bool = True,
        formulation: str | None = None,
        errors: Errors = "raise",
    ) -> Array:
        """M(q), (..., n, n), by composite bodies, "strobing", "lagrange" or "natural-complement"."""
        return self._run("mass_matrix", (q,), (), errors, False, rotors, formulation)

    def coriolis_matrices(
        self, q: ArrayLike, *, formulation: str | None = None, errors: Errors = "raise"
    ) -> Array:
        """C(q), (..., n, n, n): Coriolis and centrifugal torque i is qd . C[i] . qd.

        The elements C[i, j, k] are the Christoffel symbols of M; by "strobing" or "lagrange".
        """
        return self._run("coriolis_matrices", (q,), (), errors, False, False, formulation)

    def gravity_load(
        self, q: ArrayLike, gravity: ArrayLike | None = None, *, errors: Errors = "raise"
    ) -> Array:
        """Torques that hold the arm against gravity, (..., n)."""
        return self._run("gravity_load", (q,), (gravity,), errors)

    def bias(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        gravity: ArrayLike | None = None,
        tip_wrench: ArrayLike | None = None,
        *,
        friction: bool = False,
        formulation: str | None = None,
        errors: Errors = "raise",
    ) -> Array:
        """Torques at qdd = 0: qd . C . qd + g, and the tip wrench if given, (..., n)."""
        runtime = (gravity, tip_wrench)
        return self._run("bias", (q, qd), runtime, errors, friction, False, formulation)

    def forward_kinematics(self, q: ArrayLike, *, errors: Errors = "raise") -> Array:
        """Pose of the last link's frame in the base, (..., 4, 4)."""
        return self._run("forward_kinematics", (q,), (), errors)

    def link_frames(self, q: ArrayLike, *, errors: Errors = "raise") -> Array:
        """Poses of all link frames in the base, (..., n, 4, 4)."""
        return self._run("link_frames", (q,), (), errors)

    def jacobian(self, q: ArrayLike, *, errors: Errors = "raise") -> Array:
        """Twist of the last frame per joint velocity: linear, then angular, base axes, (..., 6, n)."""
        return self._run("jacobian", (q,), (), errors)

    def joint_wrenches(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        gravity: ArrayLike | None = None,
        tip_wrench: ArrayLike | None = None,
        *,
        errors: Errors = "raise",
    ) -> Array:
        """All reactions: force, then moment, of link i-1 on link i, (..., n, 6).

        In the axes of link i's frame; the moment is about the joint's origin on link i-1, which for
        standard Denavit-Hartenberg frames is the origin of frame i-1. Rigid-body part only.
        """
        runtime = (gravity, tip_wrench)
        return self._run("joint_wrenches", (q, qd, qdd), runtime, errors)

    def reactions(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        tip_wrench: ArrayLike | None = None,
        *,
        errors: Errors = "raise",
    ) -> JointWrenches:
        """The wrenches of `joint_wrenches` as forces and moments, (..., n, 3) each."""
        wrenches = self.joint_wrenches(q, qd, qdd, tip_wrench=tip_wrench, errors=errors)
        return JointWrenches(wrenches[..., :3], wrenches[..., 3:])

    def actuator_motion(
        self, q: ArrayLike, qd: ArrayLike | None = None, qdd: ArrayLike | None = None, /
    ) -> ActuatorMotion:
        """The joints are the actuators."""
        n = self.n
        velocity = None if qd is None else as_rows(qd, "qd", n)
        return ActuatorMotion(
            self._positions(q), velocity, None if qdd is None else as_rows(qdd, "qdd", n)
        )

    def quantities(
        self, q: Array, qd: Array | None = None, tau: Array | None = None, /
    ) -> tuple[Quantity, ...]:
        limits, names = self.limits, self.joint_names
        units = self.coordinates.units
        found = [quantity("position", names, units, q, limits.position, "position")]
        if qd is not None:
            units = self.velocities.units
            found.append(quantity("velocity", names, units, qd, limits.velocity, "velocity"))
        if tau is not None:
            units = self.efforts.units
            name = {"N m": "torque", "N": "force"}.get(self.efforts.unit, "effort")
            found.append(quantity(name, names, units, tau, limits.effort, "effort"))
        return tuple(found)

    def energy(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        gravity: ArrayLike | None = None,
        *,
        rotors: bool = True,
        errors: Errors = "raise",
    ) -> Energy:
        """Kinetic and potential energy; the potential is zero with all mass at the base origin."""
        return Energy(*self._run("energy", (q, qd), (gravity,), errors, False, rotors))

    def natural_complement(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        gravity: ArrayLike | None = None,
        tip_wrench: ArrayLike | None = None,
        *,
        errors: Errors = "raise",
    ) -> NaturalComplement:
        """Twist-shaping matrix T, its rate, constraint matrix K, T'MT and the wrenches on the links."""
        runtime = (gravity, tip_wrench)
        return NaturalComplement(*self._run("natural_complement", (q, qd, qdd), runtime, errors))

    def kernel(self, method: str, **options: Any) -> Kernel:
        """The compiled form of a method.

        Args:
            method: the name of a method above, such as "inverse_dynamics".
            options: the method's own options. Optional inputs (gravity, tip_wrench, base_motion) are
                absent unless given as "input"; a gravity vector is folded in.
        """
        spec = METHODS[one_of(method, METHODS, "method")]
        runtime, fixed_gravity = [], None
        for name, value in list(options.items()):
            if name in spec.runtime:
                del options[name]
                if name == "gravity" and not (value is None or _is_word(value, INPUT)):
                    fixed_gravity = _three_numbers(value)
                elif is_input(value, name):
                    runtime.append(name)
        # The defaults of the methods: friction and rotors on, except friction in bias.
        chosen: dict[str, Any] = {"friction": method != "bias", "rotors": True, "formulation": None}
        for name, value in options.items():
            allowed = (*spec.options, *spec.runtime, *(("formulation",) if spec.formulations else ()))
            chosen[one_of(name, allowed, f"option of {method}")] = value
        ordered = tuple(name for name in spec.runtime if name in runtime)
        return self._kernel(method, ordered, fixed_gravity, **chosen)

    def _kernel(
        self,
        method: str,
        runtime: tuple[str, ...],
        gravity: tuple[float, float, float] | None,
        friction: bool,
        rotors: bool,
        formulation: str | None,
    ) -> Kernel:
        spec = METHODS[method]
        _check_formulation(spec, formulation, runtime)
        options = Options(
            friction=flag(friction, "friction") and "friction" in spec.options,
            rotors=flag(rotors, "rotors") and "rotors" in spec.options,
            formulation=formulation,
            gravity=gravity,
            runtime=runtime,
        )
        return self._compiled(method, options)

    def plant(self, *, friction: bool = True, rotors: bool = True) -> ArmPlant:
        return ArmPlant(self.model, friction, rotors)

    def _express(self, method: str, options: Options) -> Expression:
        return express(self.model, method, options)

    def _positions(self, position: ArrayLike) -> Array:
        return as_rows(position, "q", self.n)

    def _labels(self) -> dict[str, tuple[str, ...]]:
        return dict.fromkeys(("q", "qd", "qdd", "tau"), self.coordinates.labels)

    def _reason(self, method: str, inputs: dict[str, Array]) -> str:
        return SINGULAR if method == "forward_dynamics" else TOO_LARGE

    def _run(
        self,
        method: str,
        state: tuple[ArrayLike, ...],
        runtime: tuple[ArrayLike | None, ...],
        errors: Errors,
        friction: bool = False,
        rotors: bool = False,
        formulation: str | None = None,
    ) -> Any:
        names: tuple[str, ...] = ()
        arrays = state
        for k, value in enumerate(runtime):
            if value is not None:
                names += (METHODS[method].runtime[k],)
                arrays += (value,)
        key = (method, names, None, friction, rotors, formulation)
        return self._call(key, self._kernel, arrays, errors)


def _check_formulation(
    spec: Method[Any, Options], formulation: str | None, runtime: Sequence[str]
) -> None:
    if formulation is None:
        return
    one_of(formulation, spec.formulations, "formulation")
    if "base_motion" in runtime and formulation in FIXED_BASE:
        moving = [name for name in spec.formulations if name not in FIXED_BASE]
        raise InputError(
            f"formulation {formulation!r} is written for a base that stands still; with base_motion "
            f"use {', '.join(moving)}."
        )


def _is_word(value: Any, word: str) -> bool:
    return isinstance(value, str) and value == word


def _three_numbers(value: ArrayLike) -> tuple[float, float, float]:
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.empty(0)
    if array.shape != (3,) or not np.isfinite(array).all():
        raise InputError(
            f'gravity = {value!r}: allowed are None, three finite numbers [m/s^2] and "input".'
        )
    return float(array[0]), float(array[1]), float(array[2])
