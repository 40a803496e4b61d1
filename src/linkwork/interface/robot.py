"""What all robots share: a frozen description, and methods that run as kernels."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linkwork.errors import InputError
from linkwork.formatting import AngleUnit
from linkwork.interface.base_parameters import STATES, BaseParameters, base_parameters
from linkwork.interface.coordinates import Coordinates
from linkwork.interface.diagnosis import diagnose
from linkwork.interface.foreign_names import hint_for
from linkwork.interface.limits import LimitReport, Limits, limit_report
from linkwork.interface.options import RuntimeInputs, flag, parameter_names, runtime_inputs
from linkwork.interface.quantity import Quantity
from linkwork.kernels import Kernel, Recipe
from linkwork.kernels.builtin import Builtin
from linkwork.kernels.recipes import Expression
from linkwork.mechanics.methods import Method
from linkwork.mechanics.plant import Plant
from linkwork.mechanics.snapshot import SNAPSHOT
from linkwork.names import one_of
from linkwork.robots.fields import check_range, field_names, field_of, value_of, with_values
from linkwork.robots.mechanism import MechanismModel
from linkwork.robots.parameters import FRICTION, ROTOR, FreeParameters, Parameters, all_free

Array = NDArray[np.float64]
Errors = Literal["raise", "nan"]
# Compared by identity where it is the default: an equal text of another make takes the checked way.
RAISE: Final = "raise"
Noun = Literal["joint", "leg"]


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


class Robot(ABC):
    """A mechanism whose methods become kernels when they are first called.

    A state is a position and a velocity. For an arm they are those of the joints; a platform's are its
    pose and twist. Efforts are the torques [N m] and forces [N] of its actuators: the joints of an arm,
    the legs of a platform. Arrays have any leading batch shape and broadcast. Every method that computes
    takes `errors`: "raise" (default) makes a non-finite number an error that names its row and element,
    "nan" fills the rows concerned with NaN. Those that return one array take `out`, an array for it
    (float64, C order, of the result's shape), for loops that allocate nothing.
    """

    model: Any
    # The field of the robot file with which `natural_frequencies` works; None if it has no such method.
    stiffness_field: str | None = None
    has_assembly_modes = False  # whether `assembly_modes` finds all positions of given actuators
    _kernel_options: tuple[str, ...] = ()  # of all kernels of a kind, besides a method's own

    def __init__(self) -> None:
        self._kernels: dict[tuple[str, Any], Kernel] = {}
        self._calls: dict[Hashable, Kernel] = {}  # the same kernels by the key of a call
        # Their builtin functions: by the key, and those without optional inputs by method and options.
        self._fast: dict[Hashable, Builtin] = {}
        self._plain: dict[Hashable, Builtin] = {}
        self._filling: dict[Hashable, Builtin] = {}  # those that fill `out`, by the key

    # What the robot is.

    @property
    def name(self) -> str:
        """The name in the robot file."""
        return str(self.model.name)

    @property
    def angle_unit(self) -> AngleUnit:
        """The unit of the angles in the robot file, in which answers for people are told."""
        unit: AngleUnit = self.model.angle_unit
        return unit

    @cached_property
    @abstractmethod
    def mechanism(self) -> MechanismModel:
        """Bodies, joints, rods, cylinders and coordinates that the robot is; `model` is its file."""

    @property
    @abstractmethod
    def n(self) -> int:
        """Number of actuators, and so of efforts."""

    @property
    @abstractmethod
    def size(self) -> float:
        """How large the machine is [m], roughly: the reach of an arm, the widest part of others."""

    @property
    @abstractmethod
    def noun(self) -> Noun:
        """What carries the efforts: joints or legs."""

    @property
    def determinate(self) -> bool:
        """Whether statics alone determines all joint reactions."""
        return True

    @property
    @abstractmethod
    def coordinates(self) -> Coordinates:
        """Names, labels and units of a position."""

    @property
    @abstractmethod
    def velocities(self) -> Coordinates:
        """Names, labels and units of a velocity."""

    @property
    @abstractmethod
    def efforts(self) -> Coordinates:
        """Names, labels and units of the efforts."""

    @property
    @abstractmethod
    def home(self) -> Array:
        """The home configuration, a position."""

    @property
    @abstractmethod
    def formulations(self) -> tuple[str, ...]:
        """Names that `formulation=` takes in inverse_dynamics."""

    @property
    @abstractmethod
    def limits(self) -> Limits:
        """Bounds of the actuators."""

    @property
    @abstractmethod
    def parameters(self) -> Parameters:
        """Names and values of what the efforts are linear in."""

    @property
    @abstractmethod
    def wrench_option(self) -> str:
        """The option of the dynamics methods that takes an external wrench."""

    def on_tool(self, wrench: Array) -> Array:
        """What acts on the tool, in its axes at its origin, from what `wrench_option` takes."""
        return wrench

    # What it computes. Arguments have other names in the kinds, so these are positional.

    @abstractmethod
    def inverse_dynamics(
        self,
        position: ArrayLike,
        velocity: ArrayLike,
        acceleration: ArrayLike,
        /,
        *,
        friction: bool = True,
        formulation: str | None = None,
        errors: Errors = "raise",
    ) -> Array:
        """Efforts (..., n) that a motion needs."""

    @abstractmethod
    def forward_dynamics(
        self,
        position: ArrayLike,
        velocity: ArrayLike,
        effort: ArrayLike,
        /,
        *,
        friction: bool = True,
        errors: Errors = "raise",
    ) -> Array:
        """Acceleration under efforts."""

    @abstractmethod
    def mass_matrix(self, position: ArrayLike, /, *, errors: Errors = "raise") -> Array:
        """Symmetric matrix of the kinetic energy in the velocities."""

    @abstractmethod
    def bias(self, position: ArrayLike, velocity: ArrayLike, /, *, errors: Errors = "raise") -> Array:
        """What the velocity and gravity need at zero acceleration, in the coordinates' own axes."""

    @abstractmethod
    def gravity_load(self, position: ArrayLike, /, *, errors: Errors = "raise") -> Array:
        """Efforts (..., n) that hold the robot at rest against gravity."""

    @abstractmethod
    def energy(self, position: ArrayLike, velocity: ArrayLike, /, *, errors: Errors = "raise") -> Energy:
        """Kinetic and potential energy; the potential is zero with all mass at the base origin."""

    @abstractmethod
    def reactions(
        self,
        position: ArrayLike,
        velocity: ArrayLike,
        acceleration: ArrayLike,
        wrench: ArrayLike | None = None,
        /,
        *,
        errors: Errors = "raise",
    ) -> Any:
        """Forces [N] and moments [N m] in the joints by name: a named tuple of (..., n, 3)."""

    @abstractmethod
    def actuator_motion(
        self,
        position: ArrayLike,
        velocity: ArrayLike | None = None,
        acceleration: ArrayLike | None = None,
        /,
    ) -> ActuatorMotion:
        """How the actuators move: the joints of an arm, the lengths of a platform's legs."""

    @property
    def kernel_methods(self) -> tuple[str, ...]:
        """Methods that have a compiled form, which `kernel` gives."""
        return tuple(name for name in self._methods() if hasattr(self, name))

    def kernel_options(self, method: str) -> tuple[str, ...]:
        """Options that `kernel` takes for a method."""
        spec = self._methods()[one_of(method, self.kernel_methods, "method")]
        formulation = ("formulation",) if spec.formulations else ()
        return (*spec.options, *formulation, *self._kernel_options, *spec.runtime)

    def kernel(self, method: str, *, parameters: Sequence[str] = (), **options: Any) -> Kernel:
        """The compiled form of a method.

        Args:
            method: the name of a method of this robot, such as "inverse_dynamics".
            options: the method's own options. Optional inputs (gravity, a wrench, base_motion) are
                absent unless given as "input"; a gravity vector is folded in. Defaults are the
                method's: friction and rotors on, except friction in bias.
            parameters: fields of the robot file, such as "platform.mass", "legs[0].base_point" or
                "geometry.base_radius", that become inputs of the kernel, after all others and in this
                order: a million robots are one call. An inertia is xx yy zz xy xz yz; a field of all
                legs, such as "legs.base_point", has one row after the other.
        """
        allowed = self.kernel_options(method)
        spec = self._methods()[method]
        chosen = dict(options)
        inputs = runtime_inputs(spec.runtime, chosen)
        for name in chosen:
            one_of(name, allowed, f"option of {method}")
        if "friction" in spec.options:
            chosen.setdefault("friction", method != "bias")
        if fields := parameter_names(self.model, parameters):
            chosen["parameters"] = fields
        return self._compiled(method, self._options(method, inputs, chosen))

    def snapshot_recipe(self, *, wrench: bool = False, friction: bool = True) -> Recipe:
        """The expression of all that a page shows of one state: see `mechanics/snapshot.py`.

        Its inputs are position, velocity, acceleration, a payload's mass, a factor of gravity, and a
        wrench on the tool if asked for, see `on_tool`.
        """
        inputs = RuntimeInputs(("wrench",) if wrench else (), None)
        return self._recipe(SNAPSHOT, self._options(SNAPSHOT, inputs, {"friction": friction}))

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
                raise InputError(f"{name} = {value!r}: allowed are {field.size} numbers.") from None
            if not np.isfinite(full).all():
                raise InputError(f"{name} = {value!r}: allowed are finite numbers.")
            check_range(field, full)
            given[field] = np.array(full)
        kind: Callable[[Any], Self] = type(self)
        return kind(with_values(self.model, given))

    @abstractmethod
    def quantities(
        self, position: Array, velocity: Array | None = None, effort: Array | None = None, /
    ) -> tuple[Quantity, ...]:
        """All that may have limits along a motion (N, ...), with the limits of the robot file."""

    def plant(self, *, friction: bool = True, rotors: bool = True) -> Plant:
        """The robot as a system of differential equations, for simulations."""
        raise InputError(f"{self.name} is of a kind that cannot be simulated.")

    def regressor(self, position: ArrayLike, velocity: ArrayLike, acceleration: ArrayLike, /) -> Array:
        """Y (..., n, p) with Y @ parameters.values = inverse_dynamics(...)."""
        raise InputError(f"{self.name} is of a kind that has no regressor yet.")

    def with_parameters(self, values: ArrayLike) -> Robot:
        """The same robot with other values of `parameters`."""
        raise InputError(f"{self.name} is of a kind whose parameters cannot be replaced yet.")

    def free_parameters(self, *, shared_legs: bool = False) -> FreeParameters:
        """The parameters that vary on their own, for identification."""
        if flag(shared_legs, "shared_legs"):
            raise InputError(f"shared_legs is not for {self.name}, which has no alike legs.")
        return all_free(self.parameters)

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
        Y = self.regressor(*self._revealing_motion(STATES))
        return base_parameters(Y.reshape(-1, Y.shape[-1]), free, self.parameters.values)

    def random_motion(self, count: int, seed: int = 0) -> tuple[Array, Array, Array]:
        """Positions, velocities and accelerations at which gravity and inertia count alike."""
        raise InputError(f"{self.name} is of a kind whose base parameters cannot be found yet.")

    def _revealing_motion(self, count: int) -> tuple[Array, Array, Array]:
        """Motions in which all parameters show that ever do."""
        return self.random_motion(count)

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

    # How it is computed.

    @abstractmethod
    def _methods(self) -> Mapping[str, Method[Any, Any]]:
        """The methods that become kernels, by name."""

    @abstractmethod
    def _options(self, method: str, inputs: RuntimeInputs, options: dict[str, Any]) -> Any:
        """Frozen options of a kernel from those of a call, checked."""

    @abstractmethod
    def _positions(self, position: ArrayLike) -> Array:
        """Positions as an array whose last axis fits, or an InputError."""

    @abstractmethod
    def _express(self, method: str, options: Any) -> Expression:
        """The expression of a method; `options` is frozen data."""

    @abstractmethod
    def _labels(self) -> dict[str, tuple[str, ...]]:
        """Names of the elements of inputs, to tell where a wrong number stands."""

    @abstractmethod
    def _reason(self, method: str, inputs: dict[str, Array]) -> str:
        """Why a method has no finite answer for one state of finite numbers."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies and pickles carry the description; kernels are made anew where they are needed."""
        return type(self), (self.model,)

    if not TYPE_CHECKING:  # a type checker takes it for a class that has every name

        def __getattr__(self, name: str) -> Any:
            """Names of other libraries are told what they are called here."""
            hint = hint_for(name, type(self))
            message = f"{type(self).__name__} has no attribute {name!r}{hint}"
            raise AttributeError(message, name=name, obj=self)

    def _compiled(self, method: str, options: Any) -> Kernel:
        """The kernel of a method with these options; the same object every time."""
        key = (method, options)
        if key not in self._kernels:
            self._kernels[key] = self.make_kernel(self._recipe(method, options))
        return self._kernels[key]

    def _recipe(self, method: str, options: Any) -> Recipe:
        return Recipe((self.model, method, options), lambda: self._express(method, options))

    def make_kernel(self, recipe: Recipe) -> Kernel:
        """Machine code for a method. A subclass may evaluate the recipe otherwise."""
        return Kernel.from_recipe(recipe)

    def _implied_options(self, method: str, arrays: tuple[Any, ...]) -> dict[str, Any]:
        """Options of a kernel that follow from the shapes of the inputs."""
        return {}

    def _run(
        self,
        method: str,
        arrays: tuple[Any, ...],
        optional: tuple[ArrayLike | None, ...],
        errors: Errors,
        out: Array | None = None,
        **options: Any,
    ) -> Any:
        """Run a method on its inputs and on those optional ones that are given."""
        given = []
        for value in optional:
            given.append(value is not None)
            if value is not None:
                arrays += (value,)
        values = options.values()
        key = (method, *given, *values, *map(type, values))  # by type too: 1 equals True, and is no flag
        try:
            fast = self._fast.get(key)
        except TypeError:  # an option that cannot be a name or a flag
            raise InputError(f"{method}: an option is of a wrong type among {options!r}.") from None
        if fast is not None and errors is RAISE:
            if out is None:
                result = fast(*arrays)
                if result is not None:
                    return result
            elif self._filling[key](*arrays, out):
                return out
        kernel = self._chosen(method, given, key, arrays, options)
        self._filling[key] = kernel.fill  # before the other, which tells that both are there
        self._fast[key] = kernel.fast
        if not any(given):
            self._plain[method, *values] = kernel.fast
        result, nonfinite = kernel.evaluate(arrays, out)
        if nonfinite or errors is not RAISE:
            return diagnose(kernel, arrays, result, errors, self._labels(), self._reason)
        return result

    def _chosen(
        self,
        method: str,
        given: list[bool],
        key: tuple[Any, ...],
        arrays: tuple[Any, ...],
        options: dict[str, Any],
    ) -> Kernel:
        """The kernel of a call, remembered by its key and what the shapes of its arrays imply."""
        implied = self._implied_options(method, arrays)
        whole = (key, *implied.values())
        kernel = self._calls.get(whole)
        if kernel is None:
            names = self._methods()[method].runtime
            runtime = tuple(name for name, there in zip(names, given, strict=False) if there)
            inputs = RuntimeInputs(runtime, None)
            kernel = self._compiled(method, self._options(method, inputs, {**options, **implied}))
            self._calls[whole] = kernel
        return kernel


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
