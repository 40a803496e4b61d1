"""What a robot is: its names, units, limits, fields and parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike

from linkwork.core.arguments import flag, one_of, real
from linkwork.core.errors import InputError
from linkwork.core.text import AngleUnit
from linkwork.files.faults import shown
from linkwork.kernels import Kernel, Recipe
from linkwork.kernels.kernel import Results
from linkwork.kernels.recipes import Expression
from linkwork.mechanics.mechanism.coordinates import (
    home_angles,
    home_size,
    sizes,
    turned_bodies,
    with_quaternions,
)
from linkwork.mechanics.mechanism.methods import METHODS, express
from linkwork.mechanics.mechanism.planning.planner import placement_plan
from linkwork.mechanics.mechanism.plant import MechanismPlant
from linkwork.mechanics.mechanism.reactions import is_determinate
from linkwork.mechanics.methods import Methods, Options
from linkwork.mechanics.plant import ChosenFormulation, Plant
from linkwork.model.drive import Drive, drive_faults
from linkwork.model.driven import drives_of, model_with_drives
from linkwork.model.fields import check_range, field_names, field_of, value_of, with_values
from linkwork.model.mechanism import BASE, Element, MechanismModel, elements
from linkwork.model.parameters import (
    FreeParameters,
    Parameters,
    free_mechanism_parameters,
    mechanism_parameters,
)
from linkwork.robot.compiled import Array, Arrays, CallOptions, Compiled, RuntimeInputs
from linkwork.robot.coordinates import (
    Coordinates,
    coordinates_of,
    effort_units,
    position_names,
    turns,
    velocities_of,
)
from linkwork.robot.diagnosis import check_mobility, explain, try_again, without_motor
from linkwork.robot.limits import ActuatorLimits, bounds_of, ranges_of

if TYPE_CHECKING:
    from linkwork.files.faults import Document
    from linkwork.model.robot_files import Model

ActuatedElement = Literal["joint", "leg"]
EXACT = "exact"
PLACES = ("at", "from", "to")  # fields that say where joints, rods and cylinders are
FAR = 6.0  # times the excursions of random motions
SINGULAR = 30.0  # times the regressor of these
# Methods that ask for efforts: there must be a motor for every freedom.
EFFORTS = (
    "inverse_dynamics",
    "inverse_dynamics_derivatives",
    "regressor",
    "gravity_load",
    "effort_breakdown",
    "joint_reactions",
    "reactions",
    "newton",
)


class Described(Compiled):
    """A mechanism and what is known of it; `Robot` adds what it computes."""

    _kernel_options = ("position_size",)
    # Inputs that are positions, and the option that tells their size.
    _size_options: Mapping[str, str] = MappingProxyType({"c": "position_size"})

    described_by: ClassVar[type[Model]] = MechanismModel
    called: ClassVar[str] = "a robot from lw.load"  # in messages
    # The field of the robot file with which `vibration_modes` works; None if it has no such method.
    stiffness_field: ClassVar[str | None] = None
    # Whether `assembly_modes` finds all positions of given actuators.
    has_assembly_modes: ClassVar[bool] = False

    def __init__(self, model: Model, make_kernel: Callable[[Recipe], Kernel] | None = None) -> None:
        super().__init__(make_kernel)
        if not isinstance(model, self.described_by):
            raise InputError(
                f"{type(self).__name__} takes a {self.described_by.__name__}, not"
                f" {type(model).__name__}; lw.load makes robots."
            )
        self.model = model

    @classmethod
    def expect(cls, value: object, asked_by: str) -> Self:
        """`value` if it is such a robot; else an InputError that says who asks for one."""
        if isinstance(value, cls):
            return value
        given = repr(value) if isinstance(value, Described) else type(value).__name__
        raise InputError(f"{asked_by}: expected {cls.called}, got {given}.")

    @classmethod
    def of(cls, model: Any) -> Self:
        """The robot of a description that was read, with all that is kept for it."""
        return cls(model)

    def check_mobility(self, document: Document, source: str) -> None:
        """A RobotFileError if a file of bodies and joints moves otherwise than its coordinates say;
        arms and Stewart platforms cannot."""
        if self.model is self.mechanism:
            check_mobility(self.mechanism, document, source)

    @cached_property
    def mechanism(self) -> MechanismModel:
        """Bodies, joints, rods, cylinders and coordinates: the description itself."""
        assert isinstance(self.model, MechanismModel)  # families expand into one
        return self.model

    @property
    def name(self) -> str:
        """The name in the robot file."""
        return str(self.model.name)

    @property
    def angle_unit(self) -> AngleUnit:
        """The unit of the angles in the robot file, in which answers for people are told."""
        unit: AngleUnit = self.model.angle_unit
        return unit

    def __repr__(self) -> str:
        count = f"{len(self.mechanism.parts)} bodies"
        return f"<Mechanism {self.name}: {count}, {', '.join(self.coordinates.names)}>"

    @property
    def n(self) -> int:
        """Number of motors."""
        return len(self.mechanism.effort_names)

    @property
    def dof(self) -> int:
        """Number of independent coordinates."""
        return len(self.mechanism.coordinates)

    @property
    def actuated_element(self) -> ActuatedElement:
        """What carries the efforts: joints, or legs."""
        return "joint"

    @cached_property
    def elements(self) -> tuple[Element, ...]:
        """Joints that turn or slide, and cylinders, with all that the file says of them."""
        return elements(self.mechanism)

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the joints that turn or slide, and of the cylinders, in the order of the file."""
        return tuple(each.name for each in self.elements)

    @property
    def bodies(self) -> tuple[str, ...]:
        """Names of the bodies, without the base."""
        return tuple(part.name for part in self.mechanism.parts)

    @cached_property
    def coordinates(self) -> Coordinates:
        return coordinates_of(self.mechanism)

    @cached_property
    def velocities(self) -> Coordinates:
        return velocities_of(self.mechanism)

    @cached_property
    def efforts(self) -> Coordinates:
        names = self.mechanism.effort_names
        return Coordinates(names, names, effort_units(self.mechanism))

    @cached_property
    def moved_by_motors(self) -> bool:
        """Whether the coordinates are the motors themselves, as those of an arm are."""
        return {*self.coordinates.names} == {*self.efforts.names}

    @cached_property
    def limits(self) -> ActuatorLimits:
        """Bounds of the motors; positions count from home."""
        known = {each.name: each.limits for each in (*self.elements, *self.mechanism.motors)}
        limits = [known[name] for name in self.mechanism.effort_names]
        return ActuatorLimits(
            position=ranges_of(each.position for each in limits).reshape(-1, 2),
            velocity=bounds_of(each.velocity for each in limits),
            effort=bounds_of(each.effort for each in limits),
            envelopes=tuple(each.effort_velocity for each in limits),
        )

    @property
    def wrench_option(self) -> str:
        return "wrench"

    def on_tool(self, wrench: ArrayLike) -> Array:
        """What acts on the tool, in its axes at its origin, from what `wrench_option` takes."""
        return real(wrench, "wrench")

    @property
    def formulations(self) -> tuple[str, ...]:
        return (EXACT,)

    def chosen_formulation(self, name: str | None = None, **options: object) -> ChosenFormulation:
        """A formulation as control laws take it, None if it is the fastest; `options` are those of
        published models."""
        if options:
            raise InputError(
                f"{next(iter(options))} is an option of published models; {self.name} has none."
            )
        chosen = None if name is None else one_of(name, self.formulations, "formulation")
        return None if chosen == EXACT else chosen

    @cached_property
    def home(self) -> Array:
        """Where the mechanism is drawn: joints at zero, poses where they are."""
        found = with_quaternions(self.mechanism, home_angles(self.mechanism), home_size(self.mechanism))
        found.flags.writeable = False
        return found

    def random_states(self, count: int, seed: int = 0) -> tuple[Array, Array, Array]:
        """Positions about home: a twentieth of the machine's size and 0.15 rad away."""
        return self._motion_about_home(count, seed, 1.0)

    def _revealing_motion(self, count: int) -> tuple[Array, Array, Array]:
        """Farther from home where the loops reach; else links that turn little look alike."""
        near, far = self.random_states(count), self._motion_about_home(count, 1, FAR)
        sizes = [
            np.abs(self._run("regressor", each, (), "nan")).max(axis=(-2, -1)) for each in (near, far)
        ]
        reached = sizes[1] < SINGULAR * sizes[0].max()  # near a singularity it would drown all others
        both = [np.where(reached[:, None], b, a) for a, b in zip(near, far, strict=True)]
        return both[0], both[1], both[2]

    def _motion_about_home(self, count: int, seed: int, times: float) -> tuple[Array, Array, Array]:
        rng = np.random.default_rng(seed)
        turning = np.array(turns(self.mechanism))
        units = np.where(turning, 1.0, self.size)
        rate = np.sqrt(9.81 / self.size)
        away, velocity, acceleration = rng.normal(size=(3, count, len(units)))
        reach = times * units * np.where(turning, 0.15, 0.05)
        angles = home_angles(self.mechanism) + reach * np.clip(away, -1, 1)
        position = with_quaternions(self.mechanism, angles, home_size(self.mechanism))
        return position, rate * units * velocity, rate**2 * units * acceleration

    @property
    def size(self) -> float:
        return self.mechanism.size

    @property
    def parameters(self) -> Parameters:
        """What the efforts are linear in; see `model/parameters.py`."""
        return mechanism_parameters(self.mechanism)

    def free_parameters(self, *, shared_legs: bool = False) -> FreeParameters:
        """The parameters that vary on their own, for identification."""
        if flag(shared_legs, "shared_legs"):
            raise InputError(f"shared_legs is not for {self.name}, which has no alike legs.")
        return self._free_parameters()

    def _free_parameters(self) -> FreeParameters:
        return free_mechanism_parameters(self.mechanism)

    @property
    def determinate(self) -> bool:
        """Whether statics alone determines all joint reactions."""
        return is_determinate(placement_plan(self.mechanism))

    @property
    def field_names(self) -> list[str]:
        """Fields of the robot file that may be changed by `with_fields` or be a kernel's parameters."""
        return field_names(self.model)

    def field(self, name: str) -> Array:
        """The numbers of a field of the robot file, such as "platform.mass", (size,)."""
        return value_of(self.model, field_of(self.model, name))

    def with_fields(self, values: Mapping[str, ArrayLike]) -> Self:
        """The same robot with other numbers in some fields, each as many as `field` has.

        One value for several numbers, such as one mass for "legs.lower.mass", is put in each.
        """
        given = {}
        if not isinstance(values, Mapping):
            raise InputError(f"with_fields takes a dict of fields and values, not {values!r}.")
        for name, value in values.items():
            field = field_of(self.model, name)
            try:
                array = np.asarray(value, dtype=np.float64)
                full = np.broadcast_to(array.reshape(-1), (field.size,))
            except (TypeError, ValueError):
                raise InputError(f"{name} = {value!r}: expected {field.size} numbers.") from None
            if not np.isfinite(full).all():
                raise InputError(f"{name} = {value!r}: expected finite numbers.")
            check_range(field, full)
            given[field] = np.array(full)
        return type(self)(with_values(self.model, given))

    @property
    def drives(self) -> tuple[Drive | None, ...]:
        """Of the actuators in the order of efforts; None where the file has none."""
        return drives_of(self.mechanism)

    def with_drives(self, drives: Drive | Mapping[str, Drive | None] | None) -> Self:
        """The same robot with other drives: one for all actuators, some by the names of their joints or
        legs, or none."""
        names = self.efforts.names
        if isinstance(drives, Mapping):
            for name in drives:
                one_of(name, names, "joint or leg with a motor")
            given = dict(zip(names, self.drives, strict=True)) | dict(drives)
        else:
            given = dict.fromkeys(names, drives)
        for name, drive in given.items():
            if not (drive is None or isinstance(drive, Drive)):
                raise InputError(f"with_drives: {name} gets {shown(drive)}; expected a Drive or None.")
            for path, fault in drive_faults(drive, self.efforts.units[names.index(name)] == "N"):
                raise InputError(f"with_drives: {name}: {'.'.join(map(str, path))} {fault}.")
        return type(self)(model_with_drives(self.model, [given[name] for name in names]))

    # How it is computed.

    @property
    def _sizes(self) -> tuple[int, ...]:
        """Allowed sizes of the coordinates."""
        return sizes(self.mechanism)

    def _methods(self) -> Methods:
        return METHODS

    def _options(self, method: str, inputs: RuntimeInputs, options: CallOptions) -> Options:
        parameters = self._parameters(method, options.get("parameters", ()))
        size = options.get("position_size", home_size(self.mechanism))
        if size not in self._sizes:
            raise InputError(f"position_size = {size!r}: expected {_either(self._sizes)}.")
        chosen = options.get("formulation")
        one_of(EXACT if chosen is None else chosen, (EXACT,), "formulation")
        friction = flag(options.get("friction", True), "friction")
        rotors = flag(options.get("rotors", True), "rotors")
        body = options.get("body")
        if body is not None:
            one_of(body, (BASE, *self.bodies), f"body of {self.name}")
        if method in EFFORTS:
            self._driven(method)
        return Options(size, inputs.names, friction, rotors, inputs.gravity, body, parameters=parameters)

    def _parameters(self, method: str, names: tuple[str, ...]) -> tuple[str, ...]:
        """Fields that become inputs: those of the mechanism's own file that move nothing, since its
        plan and the branches of its loops are found by its places."""
        wrong = [name for name in names if name.rpartition(".")[2] in PLACES]
        if wrong or (names and self.model is not self.mechanism):
            raise InputError(
                f"parameters of {method} of {self.name}: {(wrong or names)[0]} is folded into the "
                "kernel; with_fields makes a robot of other numbers."
            )
        return names

    def _driven(self, method: str) -> None:
        """An InputError if there are fewer motors than freedoms."""
        if self.n < self.dof:
            asked = "forward_kinematics" if method == "newton" else method
            raise InputError(without_motor(self, asked))

    def _implied_options(self, method: str, arrays: Arrays) -> CallOptions:
        """Quaternions and angles have kernels of their own."""
        inputs = self._methods()[method].inputs
        name = next(each for each in self._size_options if each in inputs)
        c: Any = arrays[inputs.index(name)]
        try:
            size = c.shape[-1]
        except (AttributeError, IndexError):
            size = self._positions(c).shape[-1]
        if size not in self._sizes:
            self._positions(c)
        return {self._size_options[name]: size}

    def plant(
        self, *, friction: bool = True, rotors: bool = True, formulation: str | None = None
    ) -> Plant:
        """The robot as a system of differential equations in its coordinates; `formulation` is that of
        an arm's forward dynamics."""
        self._exact_only(formulation)
        return MechanismPlant(self.mechanism, friction, rotors)

    def _exact_only(self, formulation: object) -> None:
        """Refuse a choice that only the plant of an arm has."""
        if formulation is not None:
            raise InputError(
                f"formulation = {shown(formulation)}: {self.name} is {self.called}, which moves by the "
                "exact equations only; leave it out. An arm's forward dynamics has a choice."
            )

    def _express(self, method: str, options: Options) -> Expression:
        return express(self.mechanism, method, options, self._methods()[method])

    def _positions(self, position: ArrayLike) -> Array:
        c = real(position, "c")
        if c.ndim == 0 or c.shape[-1] not in self._sizes:
            names = ", ".join(position_names(self.mechanism))
            turned = ", or a unit quaternion w x y z for the rotations" if len(self._sizes) > 1 else ""
            raise InputError(
                f"c has shape {c.shape}; its last axis must be {_either(self._sizes)}: {names}{turned}."
            )
        return c

    def _as_home(self, c: ArrayLike) -> Array:
        """Positions with quaternions where home has them."""
        array = self._positions(c)
        size = home_size(self.mechanism)
        return with_quaternions(self.mechanism, array, size) if array.shape[-1] == self.dof else array

    def _labels(self) -> dict[str, tuple[str, ...]]:
        forces = ("fx", "fy", "fz", "mx", "my", "mz")
        names = position_names(self.mechanism)
        efforts = self.efforts.labels
        return {
            "c": self._position_labels(),
            "cd": self.velocities.labels,
            "cdd": tuple(f"acceleration of {name}" for name in names),
            "tau": efforts,
            "actuators": efforts,
            "wrench": forces,
            "gravity": ("x", "y", "z"),
        }

    def _position_labels(self) -> tuple[str, ...]:
        names, turned = list(position_names(self.mechanism)), turned_bodies(self.mechanism)
        if len(turned) == 1 and len(self._sizes) > 1:
            (first,) = turned.values()
            roll, pitch, yaw = names[first : first + 3]
            names[first : first + 3] = [f"qw or {roll}", f"qx or {pitch}", f"qy or {yaw}", "qz"]
        most = max(self._sizes)
        return (*names, *(f"element {k}" for k in range(len(names), most)))

    def _try_again(self, kernel: Kernel, arrays: Arrays, result: Results) -> None:
        """Loops that are far from home are followed there."""
        try_again(self, kernel, arrays, result)

    def _reason(self, method: str, inputs: dict[str, Array]) -> str:
        return explain(self, method, inputs)

    _held = "the rest of the loop"  # what the bodies of a block must reach

    def _block_name(self, unknowns: tuple[str, ...]) -> str:
        """What a block of the plan solves for, in words."""
        return ", ".join(unknowns)


def _either(sizes: tuple[int, ...]) -> str:
    return " or ".join(str(size) for size in sizes)
