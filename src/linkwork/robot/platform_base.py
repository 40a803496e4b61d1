"""What a platform is: its names, units, limits, and how its methods become kernels."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkwork.core.arguments import flag, one_of, texts
from linkwork.core.errors import InputError
from linkwork.core.rotations import pose_array, to_angles, with_quaternion
from linkwork.kernels.recipes import Expression
from linkwork.mechanics.mechanism.methods import METHODS as OF_MECHANISMS
from linkwork.mechanics.mechanism.plant import MechanismPlant
from linkwork.mechanics.methods import Method, Methods, Options
from linkwork.mechanics.platform.methods import METHODS, express
from linkwork.mechanics.published.dynamics import FORMULATIONS, PublishedEffort, deviations_of
from linkwork.mechanics.published.pedrammehr2012 import FORMS, FRAMES
from linkwork.mechanics.published.stepwise import DEVIATIONS
from linkwork.model.families.stewart import (
    LEGS,
    PlatformModel,
    home_pose,
    mechanism_of_platform,
    platform_size,
)
from linkwork.model.mechanism import MechanismModel
from linkwork.model.parameters import (
    FreeParameters,
    Parameters,
    free_platform_parameters,
    platform_parameters,
)
from linkwork.robot.compiled import Array, CallOptions, RuntimeInputs
from linkwork.robot.coordinates import Coordinates
from linkwork.robot.description import ActuatedElement
from linkwork.robot.diagnosis import explain_pose, pose_labels
from linkwork.robot.limits import ActuatorLimits, bounds_of, ranges_of
from linkwork.robot.robot import Robot

EXACT = "exact"


def platform_options(
    model: PlatformModel,
    method: str,
    inputs: RuntimeInputs,
    *,
    pose_size: int = 7,
    friction: bool = True,
    rotors: bool = True,
    formulation: str | None = None,
    deviations: Sequence[str] | None = None,
    form: str = "closed",
    frames: str = "printed",
    parameters: tuple[str, ...] = (),
) -> Options:
    """Friction is on where a method cannot leave it out; published models always have it."""
    formulation = EXACT if formulation is None else one_of(formulation, FORMULATIONS, "formulation")
    one_of(form, FORMS, "form")
    one_of(frames, FRAMES, "frames")
    if pose_size not in (6, 7):
        raise InputError(f"pose_size = {pose_size!r}: expected 7 and 6.")
    own = deviation_names(model, deviations)
    options = Options(
        pose_size,
        inputs.names,
        flag(friction, "friction") or "friction" not in METHODS[method].options,
        flag(rotors, "rotors") or "rotors" not in METHODS[method].options,
        gravity=inputs.gravity,
        deviations=deviations_of(formulation, own, form, frames),
        parameters=parameters,
    )
    if options.deviations is not None:
        _check_published(model, formulation, own is not None, options.friction)
    return options


def deviation_names(robot: object, names: Sequence[str] | None) -> tuple[str, ...] | None:
    """Names of deviations in a fixed order, as options of calls and kernels take them."""
    if names is None:
        return None
    given = texts(names, "deviations", "a list of names")
    return tuple(sorted(one_of(name, DEVIATIONS, "deviation") for name in given))


def _check_published(model: PlatformModel, formulation: str, own: bool, friction: bool) -> None:
    """What the papers' models cannot do."""
    if not friction:
        raise InputError("friction=False goes with the exact formulation only.")
    free = [leg.name for leg in model.legs if leg.joints == "SPS"]
    if free and (formulation != "dasgupta1998" or own):
        who = "a deviation" if own else formulation
        raise InputError(
            f"{who} needs universal joints, but {', '.join(free)} of {model.name} have spherical "
            'joints at both ends; use formulation="exact" or "dasgupta1998".'
        )


# Those of any mechanism, and a platform's own in their place.
OF_PLATFORMS: dict[str, Method[Any]] = {**OF_MECHANISMS, **METHODS}
del OF_PLATFORMS["inverse_kinematics"]  # of a platform it is `leg_lengths`


class PlatformBase(Robot):
    """A platform as a robot among others; `Platform` adds what it computes."""

    _kernel_options = ("pose_size",)
    _size_options = MappingProxyType({"pose": "pose_size", "c": "position_size"})
    described_by = PlatformModel
    called = "a Stewart platform"
    model: PlatformModel
    stiffness_field = "legs.stiffness"
    has_assembly_modes = True

    def __repr__(self) -> str:
        return f"<Platform {self.name}: {self.model.in_brief}>"

    @property
    def actuated_element(self) -> ActuatedElement:
        return "leg"

    @property
    def leg_names(self) -> tuple[str, ...]:
        """Names of the legs."""
        return self.model.leg_names

    @property
    def size(self) -> float:
        return platform_size(self.model)

    @cached_property
    def efforts(self) -> Coordinates:
        labels = tuple(f"leg {k + 1} ({name})" for k, name in enumerate(self.leg_names))
        return Coordinates(self.leg_names, labels, ("N",) * LEGS)

    @property
    def limits(self) -> ActuatorLimits:
        """Bounds of leg lengths (position), of how fast they change (velocity), and of forces."""
        limits = [leg.limits for leg in self.model.legs]
        return ActuatorLimits(
            position=ranges_of(each.length for each in limits),
            velocity=bounds_of(each.rate for each in limits),
            effort=bounds_of(each.force for each in limits),
            envelopes=tuple(each.force_velocity for each in limits),
        )

    @property
    def parameters(self) -> Parameters:
        """What the leg forces are linear in: ten of the platform, 23 of every leg, see `regressor`."""
        return platform_parameters(self.model)

    def free_parameters(self, *, shared_legs: bool = False) -> FreeParameters:
        return free_platform_parameters(self.model, flag(shared_legs, "shared_legs"))

    def random_states(self, count: int, seed: int = 0) -> tuple[Array, Array, Array]:
        """Poses about home: a fifth of the machine's size and 0.4 rad away."""
        rng = np.random.default_rng(seed)
        units = np.repeat([self.size, 1.0], 3)
        rate = np.sqrt(9.81 / self.size)
        away = units * np.repeat([0.2, 0.4], 3) * rng.uniform(-1, 1, (count, 6))
        home = np.concatenate([self.home[:3], to_angles(self.home[3:])])
        velocity, acceleration = rng.normal(size=(2, count, 6))
        pose = with_quaternion(home + away)
        return pose, rate * units * velocity, rate**2 * units * acceleration

    def _revealing_motion(self, count: int) -> tuple[Array, Array, Array]:
        return self.random_states(count)

    @property
    def formulations(self) -> tuple[str, ...]:
        """Names that `formulation=` takes in inverse_dynamics."""
        return FORMULATIONS

    def chosen_formulation(self, name: str | None = None, **options: Any) -> PublishedEffort | None:
        inputs = RuntimeInputs((), None)
        chosen = platform_options(
            self.model, "inverse_dynamics", inputs, formulation=name, **options
        ).deviations
        return None if chosen is None else PublishedEffort(self.model, chosen)

    @property
    def home(self) -> Array:
        """The home pose of the robot file, or a pose above the base, (7,)."""
        return home_pose(self.model)

    @cached_property
    def mechanism(self) -> MechanismModel:
        """Bodies, joints and coordinates that its description means."""
        return mechanism_of_platform(self.model, self.home)

    @property
    def _sizes(self) -> tuple[int, ...]:
        return 6, 7

    def _methods(self) -> Methods:
        return OF_PLATFORMS

    def _options(self, method: str, inputs: RuntimeInputs, options: CallOptions) -> Options:
        if method not in METHODS:
            return super()._options(method, inputs, options)
        return platform_options(self.model, method, inputs, **options)

    def plant(
        self, *, friction: bool = True, rotors: bool = True, formulation: str | None = None
    ) -> MechanismPlant:
        """The platform as a system of differential equations."""
        self._exact_only(formulation)
        lengths = tuple(each.length for each in self.mechanism.cylinders)
        return MechanismPlant(self.mechanism, friction, rotors, actuators_at_home=lengths)

    def _express(self, method: str, options: Options) -> Expression:
        if method in METHODS:
            return express(self.model, self.mechanism, method, options)
        return super()._express(method, options)

    def _as_home(self, c: ArrayLike) -> Array:
        return with_quaternion(c)

    def _positions(self, position: ArrayLike) -> Array:
        return pose_array(position, "pose")

    def _labels(self) -> dict[str, tuple[str, ...]]:
        legs = self.efforts.labels
        return {
            **super()._labels(),
            **pose_labels(),
            **dict.fromkeys(("force", "lengths", "rates"), legs),
        }

    def _reason(self, method: str, inputs: dict[str, Array]) -> str:
        if method in METHODS:
            return explain_pose(self, method, inputs)
        return super()._reason(method, inputs)
