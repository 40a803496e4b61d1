"""What arms and platforms share: a frozen description, and methods that run as kernels."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from linkwork.errors import InputError
from linkwork.interface.diagnosis import settle
from linkwork.kernels import Kernel, Recipe
from linkwork.kernels.recipes import Expression

Array = NDArray[np.float64]
Errors = Literal["raise", "nan"]


class Energy(NamedTuple):
    """Energies [J], with the batch shape of the state."""

    kinetic: Array
    potential: Array

    @property
    def total(self) -> Array:
        return self.kinetic + self.potential


class Robot(ABC):
    """A description whose methods become kernels when they are first called."""

    model: Any

    def __init__(self) -> None:
        self._kernels: dict[tuple[str, Any], Kernel] = {}
        self._calls: dict[Hashable, Kernel] = {}  # the same kernels by the words of a call

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

    def _compiled(self, method: str, options: Any) -> Kernel:
        """The kernel of a method with these options; the same object every time."""
        key = (method, options)
        if key not in self._kernels:
            recipe = Recipe((self.model, method, options), lambda: self._express(method, options))
            self._kernels[key] = Kernel.from_recipe(recipe)
        return self._kernels[key]

    def _call(
        self,
        words: tuple[Any, ...],
        choose: Callable[..., Kernel],
        arrays: tuple[Any, ...],
        errors: Errors,
    ) -> Any:
        """Run the kernel that `choose(*words)` names, remembered by `words`, on `arrays`."""
        try:
            kernel = self._calls.get(words)
        except TypeError:  # an option that cannot be a name or a flag
            raise InputError(f"{words[0]}: an option is of a wrong type among {words[1:]!r}.") from None
        if kernel is None:
            kernel = self._calls[words] = choose(*words)
        result, nonfinite = kernel.evaluate(arrays)
        if nonfinite or errors != "raise":
            return settle(kernel, arrays, result, errors, self._labels(), self._reason)
        return result


def flag(value: Any, name: str) -> bool:
    """An option that is on or off."""
    if not isinstance(value, (bool, np.bool_)):
        raise InputError(f"{name} = {value!r}: allowed are True and False.")
    return bool(value)
