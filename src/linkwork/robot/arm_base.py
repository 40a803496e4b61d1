"""What an arm is: its names, units, limits, and how its methods become kernels."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from linkwork.core.arguments import flag, one_of
from linkwork.core.errors import InputError
from linkwork.kernels.kernel import as_rows
from linkwork.kernels.recipes import Expression
from linkwork.mechanics.chain.dynamics import FORWARD, MINIMAL, NAMES
from linkwork.mechanics.chain.methods import METHODS, express
from linkwork.mechanics.chain.plant import ArmPlant
from linkwork.mechanics.mechanism.methods import METHODS as OF_MECHANISMS
from linkwork.mechanics.methods import Method, Methods, Options
from linkwork.model.families.arm import ArmModel, mechanism_of_arm, reach
from linkwork.model.mechanism import MechanismModel
from linkwork.model.parameters import FreeParameters, Parameters, all_free, arm_parameters
from linkwork.robot.compiled import Array, Arrays, CallOptions, RuntimeInputs
from linkwork.robot.coordinates import Coordinates
from linkwork.robot.limits import Quantity, Words, of_actuators
from linkwork.robot.loading import with_stored_plan
from linkwork.robot.results import ActuatorMotion
from linkwork.robot.robot import Robot


def arm_options(
    method: str,
    inputs: RuntimeInputs,
    *,
    friction: bool = True,
    rotors: bool = True,
    formulation: str | None = None,
    frame: int | None = None,
    parameters: tuple[str, ...] = (),
) -> Options:
    """Options that a method does not take are off."""
    spec = METHODS[method]
    if formulation is not None:
        one_of(formulation, spec.formulations, "formulation")
        if parameters and formulation == MINIMAL:
            others = [name for name in spec.formulations if name != MINIMAL]
            raise InputError(
                f"formulation {MINIMAL!r} is made from the robot's numbers; with parameters use "
                f"{', '.join(others)}."
            )
    return Options(
        friction=flag(friction, "friction") and "friction" in spec.options,
        rotors=flag(rotors, "rotors") and "rotors" in spec.options,
        formulation=formulation,
        gravity=inputs.gravity,
        runtime=inputs.names,
        link=frame,
        parameters=parameters,
    )


SINGULAR = (
    "the mass matrix is singular there: some motion of the joints moves no mass. Give the links beyond "
    "that joint mass or inertia, or the joint a rotor."
)
TOO_LARGE = "the numbers are too large for double precision."
# Those of any mechanism, and an arm's own in their place; `inverse_kinematics` of an arm takes poses.
OF_ARMS: dict[str, Method[Any]] = {**OF_MECHANISMS, **METHODS}
del OF_ARMS["inverse_kinematics"]


class ArmBase(Robot):
    """An arm as a robot among others; `Arm` adds what it computes."""

    described_by = ArmModel
    called = "an arm"
    model: ArmModel
    stiffness_field = "links.stiffness"

    @classmethod
    def of(cls, model: ArmModel) -> Self:
        return cls(with_stored_plan(model))

    def __repr__(self) -> str:
        kinds = "".join("R" if joint.is_revolute else "P" for joint in self.model.joints)
        return f"<Arm {self.model.name}: {self.n} joints {kinds}>"

    @property
    def n(self) -> int:
        """Number of joints."""
        return self.model.n

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the joints, from the base to the tip."""
        return self.model.joint_names

    def _per_joint(self, revolute: str, prismatic: str) -> Coordinates:
        labels = tuple(f"joint {k + 1} ({name})" for k, name in enumerate(self.joint_names))
        units = tuple(revolute if joint.is_revolute else prismatic for joint in self.model.joints)
        return Coordinates(self.joint_names, labels, units)

    @property
    def size(self) -> float:
        return reach(self.model)

    @cached_property
    def coordinates(self) -> Coordinates:
        return self._per_joint("rad", "m")

    @cached_property
    def velocities(self) -> Coordinates:
        return self._per_joint("rad/s", "m/s")

    @cached_property
    def efforts(self) -> Coordinates:
        return self._per_joint("N m", "N")

    @property
    def home(self) -> Array:
        """Of the robot file; else zero for every joint whose limits allow it, or mid-range, (n,)."""
        if self.model.home is not None:
            return np.array(self.model.home)
        low, high = self.limits.position.T
        zero = (low <= 0) & (high >= 0)
        with np.errstate(invalid="ignore"):  # a joint without limits may stand at zero
            return np.where(zero, 0.0, (low + high) / 2)

    @property
    def parameters(self) -> Parameters:
        """What the torques are linear in: fifteen parameters of every joint, see `regressor`."""
        return arm_parameters(self.model)

    def random_states(self, count: int, seed: int = 0) -> tuple[Array, Array, Array]:
        """Any angle and lengths up to the arm's reach, whatever the limits."""
        rng = np.random.default_rng(seed)
        rate = np.sqrt(9.81 / self.size)
        units = np.array([1.0 if joint.is_revolute else self.size for joint in self.model.joints])
        most = np.array([np.pi if joint.is_revolute else self.size for joint in self.model.joints])
        shape = (count, self.n)
        q = rng.uniform(-most, most, shape)
        return q, rate * units * rng.normal(size=shape), rate**2 * units * rng.normal(size=shape)

    def _revealing_motion(self, count: int) -> tuple[Array, Array, Array]:
        return self.random_states(count)

    def _free_parameters(self) -> FreeParameters:
        return all_free(self.parameters)

    @property
    def wrench_option(self) -> str:
        return "tip_wrench"

    def on_tool(self, wrench: ArrayLike) -> Array:
        """The opposite of what the tip exerts."""
        return -super().on_tool(wrench)

    @property
    def formulations(self) -> tuple[str, ...]:
        """Names that `formulation=` takes in inverse_dynamics."""
        return NAMES

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
        effort = {"N m": "torque", "N": "force"}.get(self.efforts.unit, "effort")
        return tuple(of_actuators(self, q, qd, tau, Words(effort=effort)))

    @cached_property
    def mechanism(self) -> MechanismModel:
        """Bodies, joints and coordinates that its description means."""
        return mechanism_of_arm(self.model)

    def _methods(self) -> Methods:
        return OF_ARMS

    def _options(self, method: str, inputs: RuntimeInputs, options: CallOptions) -> Options:
        if method not in METHODS:
            return super()._options(method, inputs, options)
        if options.get("frame") is not None:
            options = {**options, "frame": frame_index(self.joint_names, options["frame"])}
        return arm_options(method, inputs, **options)

    def plant(
        self, *, friction: bool = True, rotors: bool = True, formulation: str | None = None
    ) -> ArmPlant:
        if formulation is not None:
            one_of(formulation, FORWARD, "formulation of forward dynamics")
        return ArmPlant(self.model, friction, rotors, formulation)

    def _implied_options(self, method: str, arrays: Arrays) -> CallOptions:
        return {} if method in METHODS else super()._implied_options(method, arrays)

    def _express(self, method: str, options: Options) -> Expression:
        if method in METHODS:
            return express(self.model, method, options)
        return super()._express(method, options)

    def _positions(self, position: ArrayLike) -> Array:
        return as_rows(position, "q", self.n)

    def _labels(self) -> dict[str, tuple[str, ...]]:
        labels = self.coordinates.labels
        return {**super()._labels(), **dict.fromkeys(("q", "qd", "qdd", "tau"), labels)}

    def _reason(self, method: str, inputs: dict[str, Array]) -> str:
        return SINGULAR if method == "forward_dynamics" else TOO_LARGE


def frame_index(joint_names: tuple[str, ...], frame: int | str | None) -> int:
    """The index of a link frame, as in link_frames; None is the last."""
    n = len(joint_names)
    if frame is None:
        return n - 1
    if isinstance(frame, str) and frame in joint_names:
        return joint_names.index(frame)
    if isinstance(frame, (int, np.integer)) and not isinstance(frame, bool) and 0 <= frame < n:
        return int(frame)
    raise InputError(
        f"frame = {frame!r}: expected None, an integer from 0 to {n - 1}, and the names of "
        f"the joints: {', '.join(joint_names)}."
    )
