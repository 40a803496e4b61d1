"""Methods of a robot as kernels, made when they are first called: their options, recipes and names."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linkwork.core.arguments import one_of, texts
from linkwork.core.earlier_names import present_name
from linkwork.core.errors import InputError
from linkwork.core.package_digest import Sources
from linkwork.core.text import nearest
from linkwork.kernels import Kernel, Recipe
from linkwork.kernels.abi import Builtin
from linkwork.kernels.kernel import Results
from linkwork.kernels.machine import host
from linkwork.kernels.reals import DOUBLE, Real, real_of
from linkwork.kernels.recipes import Expression
from linkwork.mechanics.methods import Methods, Options
from linkwork.mechanics.snapshot import SNAPSHOT
from linkwork.model.fields import field_of
from linkwork.robot.diagnosis import diagnose
from linkwork.robot.method_bodies import RAISE

INPUT = "input"
CallOptions = dict[str, Any]  # options of a call by name, not checked yet
Vector = tuple[float, float, float]


class RuntimeInputs(NamedTuple):
    """Optional inputs that a kernel takes, in their order, and gravity if it is folded in."""

    names: tuple[str, ...]
    gravity: Vector | None


def runtime_inputs(allowed: tuple[str, ...], options: CallOptions) -> RuntimeInputs:
    """Take the optional inputs out of the options of a kernel."""
    names, gravity = [], None
    for name in allowed:
        value = options.pop(name, None)
        if isinstance(value, str) and value == INPUT:
            names.append(name)
        elif name == "gravity" and value is not None:
            gravity = _three_numbers(value)
        elif value is True:
            names.append(name)
        elif value not in (None, False):
            raise InputError(f'{name} = {value!r}: expected None or "input".')
    return RuntimeInputs(tuple(names), gravity)


def _three_numbers(value: ArrayLike) -> Vector:
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.empty(0)
    if array.shape != (3,) or not np.isfinite(array).all():
        raise InputError(f'gravity = {value!r}: expected None, three finite numbers [m/s^2] or "input".')
    return float(array[0]), float(array[1]), float(array[2])


def parameter_names(model: Model, names: Sequence[str]) -> tuple[str, ...]:
    """Fields of a robot that become inputs of a kernel, each one known and named once."""
    given = texts(names, "parameters", "a list of fields, such as ['platform.mass']")
    words = Counter(field_of(model, name).identifier for name in given)
    if doubled := [word for word, count in words.items() if count > 1]:
        raise InputError(f"parameters name {doubled[0]} twice; name each field once.")
    return given


# From Pinocchio, the Robotics Toolbox, MuJoCo, Drake and Simscape.
FOREIGN_NAMES = {
    "rne": "inverse_dynamics",
    "rnea": "inverse_dynamics",
    "id": "inverse_dynamics",
    "itorque": "inverse_dynamics",
    "inverseDynamics": "inverse_dynamics",
    "aba": "forward_dynamics",
    "fd": "forward_dynamics",
    "accel": "forward_dynamics",
    "fdyn": "forward_dynamics",
    "forwardDynamics": "forward_dynamics",
    "crba": "mass_matrix",
    "inertia": "mass_matrix",
    "massMatrix": "mass_matrix",
    "nle": "bias",
    "coriolis": "coriolis_matrices",
    "gravload": "gravity_load",
    "gravityTorque": "gravity_load",
    "computeGeneralizedGravity": "gravity_load",
    "fkine": "forward_kinematics",
    "fk": "forward_kinematics",
    "forwardKinematics": "forward_kinematics",
    "getTransform": "forward_kinematics",
    "ikine": "inverse_kinematics",
    "ikine_LM": "inverse_kinematics",
    "ik": "inverse_kinematics",
    "jacob0": "jacobian",
    "jacobe": "jacobian",
    "jacob": "jacobian",
    "computeJointJacobian": "jacobian",
    "geometricJacobian": "jacobian",
    "nq": "n",
    "nv": "n",
    "dof": "n",
    "qlim": "limits",
}


def hint_for(name: str, kind: type) -> str:
    """What to use instead of a name that a robot does not have; empty if nothing is near."""
    here = FOREIGN_NAMES.get(name)
    if here is not None and hasattr(kind, here):
        return f"; use {here} (see docs/coming-from.md)"
    if name.startswith("_"):
        return ""
    public = [each for each in dir(kind) if not each.startswith("_")]
    close = nearest(name, public)
    return f"; did you mean {close}?" if close else ""


# Recipes are written in these folders, and expressions are traced by what they import. Readers of robot
# files end in a model, which is an ingredient of its own: those in `files/` need not be named here.
SHAPING = Sources(
    "certification",
    "control",
    "core",
    "exports",
    "kernels",
    "kinematics",
    "mechanics",
    "model",
    "operators",
    "robot",
    "simulation",
)


def recipe_of(ingredients: tuple[object, ...], express: Callable[[], Expression]) -> Recipe:
    """The recipe of an expression that our own code traces from these ingredients."""
    return Recipe(ingredients, express, SHAPING)


if TYPE_CHECKING:
    from linkwork.model.robot_files import Model

Array = NDArray[np.float64]
Arrays = tuple[ArrayLike, ...]
Optionals = tuple[ArrayLike | None, ...]
Errors = Literal["raise", "nan"]
DType = Literal["float64", "float32"]  # or NumPy's own names of them
# Of the methods that are run by name, those with one result.
OfOneArray = Literal["regressor", "stiffness", "twist_from_rates"]


class Compiled(ABC):
    """A description whose methods run as machine code."""

    model: Model
    _kernel_options: tuple[str, ...] = ()  # of all kernels of a robot, besides a method's own

    def __init__(self, make_kernel: Callable[[Recipe], Kernel] | None = None) -> None:
        # Machine code, unless recipes are to be evaluated otherwise.
        self.make_kernel = Kernel.from_recipe if make_kernel is None else make_kernel
        self._kernels: dict[tuple[str, Options, Real], Kernel] = {}
        self._calls: dict[Hashable, Kernel] = {}  # the same kernels by the key of a call
        # Their builtin functions: by the key, and those without optional inputs by method and options.
        self._fast: dict[Hashable, Builtin] = {}
        self._plain: dict[Hashable, Builtin] = {}
        self._filling: dict[Hashable, Builtin] = {}  # those that fill `out`, by the key

    @property
    def kernel_methods(self) -> tuple[str, ...]:
        """Methods that have a compiled form, which `kernel` gives."""
        return tuple(name for name in self._methods() if hasattr(type(self), name))

    def _method(self, name: str) -> str:
        """The method of this name, of today or of before."""
        now = present_name(type(self), name) if isinstance(name, str) else None
        return one_of(now or name, self.kernel_methods, "method")

    def kernel_options(self, method: str) -> tuple[str, ...]:
        """Options that `kernel` takes for a method."""
        spec = self._methods()[self._method(method)]
        formulation = ("formulation",) if spec.formulations else ()
        return (*spec.options, *formulation, *self._kernel_options, *spec.runtime)

    def kernel(
        self, method: str, *, parameters: Sequence[str] = (), dtype: DType = "float64", **options: Any
    ) -> Kernel:
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
            dtype: "float32" computes in single precision, of float32 arrays: about twice the states per
                second, seven digits instead of sixteen.
        """
        method = self._method(method)
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
        return self._compiled(method, self._options(method, inputs, chosen), real_of(dtype))

    def sweep_kernel(self, method: str, parameters: Sequence[str]) -> Kernel:
        """The compiled form of a method that sweeps over many robots call and nobody else, such as the
        lowest natural frequency in a pose."""
        one_of(method, self._methods(), "method")
        chosen: CallOptions = {}
        if fields := parameter_names(self.model, parameters):
            chosen["parameters"] = fields
        return self._compiled(method, self._options(method, RuntimeInputs((), None), chosen))

    def snapshot_recipe(self, *, wrench: bool = False, friction: bool = True) -> Recipe:
        """The expression of all that a page shows of one state: see `mechanics/snapshot.py`.

        Its inputs are position, velocity, acceleration, a payload's mass, a factor of gravity, and a
        wrench on the tool if asked for, see `on_tool`.
        """
        inputs = RuntimeInputs(("wrench",) if wrench else (), None)
        return self._recipe(SNAPSHOT, self._options(SNAPSHOT, inputs, {"friction": friction}))

    # How it is computed.

    @property
    @abstractmethod
    def wrench_option(self) -> str:
        """The option of the dynamics methods that takes an external wrench."""

    @abstractmethod
    def _methods(self) -> Methods:
        """The methods that become kernels, by name."""

    @abstractmethod
    def _options(self, method: str, inputs: RuntimeInputs, options: CallOptions) -> Options:
        """Frozen options of a kernel from those of a call, checked."""

    @abstractmethod
    def _express(self, method: str, options: Options) -> Expression:
        """The expression of a method; `options` is frozen data."""

    @abstractmethod
    def _labels(self) -> dict[str, tuple[str, ...]]:
        """Names of the elements of inputs, to tell where a wrong number stands."""

    @abstractmethod
    def _reason(self, method: str, inputs: dict[str, Array]) -> str:
        """Why a method has no finite answer for one state of finite numbers."""

    def __reduce__(self) -> tuple[object, ...]:
        """Copies and pickles carry the description; kernels are made anew where they are needed."""
        return type(self), (self.model,)

    if not TYPE_CHECKING:  # a type checker takes it for a class that has every name

        def __getattr__(self, name: str) -> Any:
            """Earlier names, and what names of other libraries are called here."""
            now = present_name(type(self), name)
            if now is not None:
                return getattr(self, now)
            hint = hint_for(name, type(self))
            message = f"{type(self).__name__} has no attribute {name!r}{hint}"
            raise AttributeError(message, name=name, obj=self)

    def _compiled(self, method: str, options: Options, real: Real = DOUBLE) -> Kernel:
        """The kernel of a method with these options; the same object every time."""
        key = (method, options, real)
        if key not in self._kernels:
            recipe = self._recipe(method, options)
            single = None if real == DOUBLE else Kernel.from_recipe(recipe, host().in_precision(real))
            self._kernels[key] = single or self.make_kernel(recipe)
        return self._kernels[key]

    def _recipe(self, method: str, options: Options) -> Recipe:
        return recipe_of((self.model, method, options), lambda: self._express(method, options))

    def _implied_options(self, method: str, arrays: Arrays) -> CallOptions:
        """Options of a kernel that follow from the shapes of the inputs."""
        return {}

    @overload
    def _run(self, method: OfOneArray, arrays: Arrays, optional: Optionals, errors: Errors) -> Array: ...
    @overload
    def _run(
        self, method: str, arrays: Arrays, optional: Optionals, errors: Errors, **options: Any
    ) -> Results: ...
    def _run(
        self,
        method: str,
        arrays: Arrays,
        optional: Optionals,
        errors: Errors,
        out: Array | None = None,
        **options: Any,
    ) -> Results:
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
        if nonfinite:
            self._try_again(kernel, arrays, result)
        if nonfinite or errors is not RAISE:
            return diagnose(kernel, arrays, result, errors, self._labels(), self._reason)
        return result

    def _try_again(self, kernel: Kernel, arrays: Arrays, result: Results) -> None:
        """Fill rows that are not finite and that a slower way finds, if there is one."""
        return None

    def _chosen(
        self,
        method: str,
        given: list[bool],
        key: tuple[object, ...],
        arrays: Arrays,
        options: CallOptions,
    ) -> Kernel:
        """The kernel of a call, remembered by its key and what the shapes of its arrays imply."""
        implied = self._implied_options(method, arrays)
        whole = (key, *implied.values())
        kernel = self._calls.get(whole)
        if kernel is None:
            names = self._methods()[method].runtime
            runtime = tuple(name for name, there in zip(names, given, strict=False) if there)
            inputs = RuntimeInputs(runtime, None)
            chosen = {**options, **implied}
            real = real_of(chosen.pop("dtype", DOUBLE.name))
            kernel = self._compiled(method, self._options(method, inputs, chosen), real)
            self._calls[whole] = kernel
        return kernel
