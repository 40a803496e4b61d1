"""What an array library is given: kernels by method and precision, and those of their derivatives.

`Operations` plans the call of a method: its kernel, and the order of its inputs. What is differentiated,
and how often, is an `Operation`: its pullback is another one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, cast

import numpy as np

from linkwork.core.arguments import flag, one_of
from linkwork.core.errors import InputError, LinkworkError
from linkwork.kernels import Kernel
from linkwork.kernels.kernel import Lowering
from linkwork.kernels.reals import real_of
from linkwork.operators.expressions import frame_expression, step_expression
from linkwork.robot.compiled import DType, parameter_names
from linkwork.robot.diagnosis import ERRORS, diagnose
from linkwork.robot.robot import Robot

ORDERS = 2  # derivatives of derivatives, and no further
METHODS = ("inverse_dynamics", "forward_dynamics", "mass_matrix", "gravity_load", "energy")
FORWARD_KINEMATICS, STEP = "forward_kinematics", "step"
POSE = "body_pose"  # of robots whose own forward kinematics starts from motors
Array = np.ndarray[Any, Any]


Check = Callable[[tuple[Array, ...], tuple[Array, ...]], None]


@dataclass(frozen=True, eq=False)
class Operation:
    """A kernel, and how often its expression has been differentiated.

    `check` is given inputs and results in which a number is not finite: it raises an error, or fills
    rows with NaN.
    """

    kernel: Kernel
    check: Check
    order: int = 0

    @cached_property
    def name(self) -> str:
        return self.kernel.name

    @cached_property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        """Of the outputs for one state."""
        return tuple(self.kernel.outputs.values())

    @cached_property
    def pullback(self) -> Operation:
        if self.order == ORDERS:
            raise LinkworkError(
                f"{self.name}: third derivatives are not compiled; first and second ones are. "
                "Differentiate robot.kernel(...).casadi with CasADi instead."
            )
        return Operation(self.kernel.pullback, self._check_gradient, self.order + 1)

    def _check_gradient(self, inputs: tuple[Array, ...], results: tuple[Array, ...]) -> None:
        """NaN leads to NaN; a gradient that is not finite of itself is an error."""
        if all(np.isfinite(array).all() for array in inputs):
            self.check(inputs[: len(self.kernel.inputs)], results)
            raise LinkworkError(
                f"{self.name}: its gradient is not finite somewhere: the position is singular, or a "
                "loop was followed from home, which gradients are not."
            )

    @cached_property
    def sizes(self) -> list[int]:
        """Of the last axis of every input."""
        return list(self.kernel.inputs.values())

    def check_sizes(self, sizes: list[int]) -> None:
        """Of the last axes that are given; 0 for an array that has none."""
        if sizes != self.sizes:
            for given, (name, size) in zip(sizes, self.kernel.inputs.items(), strict=True):
                if given != size:
                    raise InputError(
                        f"{name} has {given or 'no'} numbers on its last axis; expected {size}, with "
                        "any batch axes before."
                    )

    def evaluate(self, inputs: Sequence[Array]) -> tuple[Array, ...]:
        """Results for arrays of the kernel's precision that broadcast."""
        arrays = tuple(inputs)
        found, nonfinite = self.kernel.evaluate(arrays)
        results = found if isinstance(found, tuple) else (found,)
        if nonfinite:
            self.check(arrays, results)
        return results


class Plan(NamedTuple):
    """An operation, and the names of the inputs that it takes after the states, in its order."""

    operation: Operation
    order: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Operations:
    """The operations of a robot, made when they are first asked for.

    Args:
        lowering: how expressions become assembly, for libraries that call machine code themselves.
    """

    robot: Robot
    parameters: tuple[str, ...]
    friction: bool
    rotors: bool
    errors: str
    lowering: Lowering | None = None
    _plans: dict[tuple[object, ...], Plan] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        robot: Robot,
        parameters: Sequence[str],
        friction: bool,
        rotors: bool,
        errors: str,
        lowering: Lowering | None = None,
    ) -> Operations:
        """After checks of what a user gives."""
        robot = Robot.expect(robot, "dynamics")
        one_of(errors, ERRORS, "value of errors")
        names = parameter_names(robot.model, parameters) if parameters else ()
        return cls(robot, names, flag(friction, "friction"), flag(rotors, "rotors"), errors, lowering)

    def plan(
        self,
        method: str,
        size: int,
        optional: tuple[str, ...],
        parameters: tuple[str, ...],
        dtypes: tuple[object, ...],
    ) -> Plan:
        """What to run for a method: all that a call of it tells before its numbers are known.

        Args:
            size: of the position.
            optional: names of the further inputs that are given.
            parameters: names of the parameters that are given, all that `dynamics` was asked for.
            dtypes: of all arrays.
        """
        key = (method, size, optional, parameters, dtypes)
        plan = self._plans.get(key)
        if plan is None:
            known = self.robot._methods()[self._source(method)].runtime
            for name in optional:
                one_of(name, known, f"input of {method}")
            if {*parameters} != {*self.parameters}:
                raise InputError(
                    f"parameters = {list(parameters)}: expected values of "
                    f"{list(self.parameters) or 'none'}, which dynamics(robot, parameters=...) names."
                )
            given = tuple(name for name in known if name in optional)
            operation = self._operation(method, size, given, _same_precision(dtypes))
            plan = self._plans[key] = Plan(operation, (*given, *self.parameters))
        return plan

    def _source(self, method: str) -> str:
        """The compiled method that an operator is made from."""
        if method == STEP:
            return "forward_dynamics"
        if method == FORWARD_KINEMATICS and method not in self.robot.kernel_methods:
            return POSE
        return method

    def _operation(self, method: str, size: int, given: tuple[str, ...], dtype: DType) -> Operation:
        robot, source = self.robot, self._source(method)
        parts = {"friction": self.friction, "rotors": self.rotors}
        options = {name: parts[name] for name in parts if name in robot.kernel_options(source)}
        states = tuple(np.zeros(size) for _ in robot._methods()[source].inputs)
        options |= robot._implied_options(source, states) | dict.fromkeys(given, "input")
        kernel = robot.kernel(source, parameters=self.parameters, dtype=dtype, **options)
        recipe = kernel.recipe
        if method == STEP:
            plant = robot.plant(friction=False)
            recipe = recipe.followed_by(STEP, lambda found: step_expression(found, plant))
        elif source == POSE:
            recipe = recipe.followed_by("frame", frame_expression)
        if recipe is not kernel.recipe or self.lowering is not None:
            lowering = (self.lowering,) if self.lowering is not None else ()
            kernel = Kernel.from_recipe(recipe, kernel.target, True, *lowering)

        def check(inputs: tuple[Array, ...], results: tuple[Array, ...]) -> None:
            diagnose(kernel, inputs, results, self.errors, robot._labels(), robot._reason)

        return Operation(kernel, check)


def _same_precision(dtypes: Sequence[object]) -> DType:
    """The name of the one precision of all arrays of a call."""
    found = dict.fromkeys(str(dtype).rpartition(".")[2] for dtype in dtypes)
    if len(found) != 1:
        raise InputError(f"arrays of {' and '.join(found)} in one call; convert them to one precision.")
    return cast(DType, real_of(next(iter(found))).name)
