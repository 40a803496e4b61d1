"""A kernel: one expression as machine code, called with NumPy arrays."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike, NDArray

from linkwork.core.errors import InputError
from linkwork.kernels import abi
from linkwork.kernels.bound import BoundKernel
from linkwork.kernels.c_code import Style, file_source
from linkwork.kernels.graph import Counts, Graph, depth, graph_counts, graph_of, traced_counts
from linkwork.kernels.lowering import assembly
from linkwork.kernels.machine import (
    MachineCode,
    Processor,
    host,
    machine_code,
    object_key,
    stored_code,
)
from linkwork.kernels.optimize import optimized
from linkwork.kernels.pullback import pulled_back
from linkwork.kernels.reals import DOUBLE, Real
from linkwork.kernels.recipes import (
    Expression,
    IndexEntry,
    Recipe,
    Shape,
    index_key,
    read_entry,
    write_entry,
)
from linkwork.kernels.settings import switched_off
from linkwork.kernels.threads import WORTHWHILE_OPERATIONS, SharedBatch, helpers_for

Array = NDArray[np.float64]
Results = Array | tuple[Array, ...]  # a kernel of several outputs has a tuple
Out = Results | None
OPTIMIZER_VARIABLE = "LINKWORK_OPTIMIZER"


class Lowering(NamedTuple):
    """How an expression becomes assembly; the name tells lowerings of one recipe apart in the index."""

    name: str
    assembly: Callable[[Graph, Processor], str]


def _with_entry_points(graph: Graph, target: Processor) -> str:
    return assembly(graph, target, abi.entry_points(graph, target.real))


TO_BE_CALLED = Lowering("call", _with_entry_points)


class Kernel:
    """Compiled form of a CasADi function of dense vectors.

    Args:
        function: SX function; every input is a vector, every output a vector of the row-major
            elements of an array.
        output_shapes: shape of every output for one state.
        optimize: whether operations are shared and factored; off shows what that gains.
    """

    def __init__(
        self,
        function: ca.Function,
        output_shapes: tuple[Shape, ...],
        target: Processor | None = None,
        optimize: bool = True,
    ) -> None:
        self._start(lambda: (function, output_shapes), None, target, optimize, TO_BE_CALLED)

    @classmethod
    def from_recipe(
        cls,
        recipe: Recipe,
        target: Processor | None = None,
        optimize: bool = True,
        lowering: Lowering = TO_BE_CALLED,
    ) -> Kernel:
        """A kernel that need not be traced if the cache knows its recipe."""
        kernel = cls.__new__(cls)
        kernel._start(recipe.traced, recipe, target, optimize, lowering)
        return kernel

    def _start(
        self,
        express: Callable[[], Expression],
        recipe: Recipe | None,
        target: Processor | None,
        optimize: bool,
        lowering: Lowering,
    ) -> None:
        self.target = target or host()
        self.dtype = self.target.real.dtype
        self._express, self._recipe, self._lowering = express, recipe, lowering
        self._optimize = optimize and not switched_off(OPTIMIZER_VARIABLE)
        making = "\0".join(
            (self.target.name, abi.layout_name(), lowering.name, f"optimize {self._optimize}")
        )
        self._index_key = recipe and index_key(recipe, making)
        self._entry = read_entry(self._index_key) if self._index_key else None
        if self._entry is None:
            function, shapes = self._expression
            if recipe is None:  # somebody's own expression: say at once what cannot be compiled
                _ = self.graph
            self.name = function.name()
            self.inputs = {function.name_in(k): function.nnz_in(k) for k in range(function.n_in())}
            self.outputs = {function.name_out(k): shape for k, shape in enumerate(shapes)}
        else:
            self.name = self._entry.name
            self.inputs, self.outputs = self._entry.inputs, self._entry.outputs
        self._single_output = len(self.outputs) == 1

    def __repr__(self) -> str:
        inputs = ", ".join(f"{name}({size})" for name, size in self.inputs.items())
        outputs = ", ".join(f"{name}{shape}" for name, shape in self.outputs.items())
        return f"<Kernel {self.name}: {inputs} -> {outputs}, {self.target.lanes} lanes of {self.dtype}>"

    @cached_property
    def _expression(self) -> Expression:
        return self._express()

    @property
    def casadi(self) -> ca.Function:
        """The expression as a CasADi function, for users' own optimizers and derivatives."""
        return self._expression[0]

    @cached_property
    def graph(self) -> Graph:
        """The expression as lowered: common subexpressions shared, common factors taken out."""
        graph = graph_of(*self._expression)
        return optimized(graph) if self._optimize else graph

    @cached_property
    def code(self) -> MachineCode:
        """The loaded machine code; made, or fetched from the cache, when first needed."""
        if self._entry is not None:
            ready = stored_code(self._entry.object_key, self.target)
            if ready is not None:
                return ready
        text = self.llvm_ir()
        code = machine_code(text, self.target)
        if self._index_key and self._recipe and self._recipe.is_current:
            key = object_key(text, self.target)
            entry = IndexEntry(self.name, self.inputs, self.outputs, key, self._operations)
            write_entry(self._index_key, entry)
        return code

    def llvm_ir(self) -> str:
        """The LLVM assembly that the machine code is made from."""
        return self._lowering.assembly(self.graph, self.target)

    def c_source(self, name: str | None = None, *, single: bool = False, libm: bool = False) -> str:
        """C99 for one state from the optimized graph, ready for a controller.

        The function is `int name(inputs..., outputs...)`, arrays of real numbers; it returns 0, or 1 if
        an input or a result is not finite. `lw.export` writes whole folders of them.

        Args:
            name: of the function; the kernel's own if None.
            single: float instead of double.
            libm: sine and cosine of math.h instead of the ones that come along.
        """
        for option, value in (("single", single), ("libm", libm)):
            if not isinstance(value, bool):
                raise InputError(f"{option} = {value!r}: expected True and False.")
        if not isinstance(name, str | None):
            raise InputError(f"name = {name!r}: expected the name of a C function.")
        return file_source(self.graph, name or self.name, Style(single, libm))

    @cached_property
    def counts(self) -> Counts:
        """Operations per state of this kernel: common subexpressions counted once."""
        return graph_counts(self.graph)

    @cached_property
    def traced_counts(self) -> Counts:
        """Operations per state of the expression as written, before sharing: the papers' measure."""
        return traced_counts(self.casadi)

    @cached_property
    def depth(self) -> int:
        """Operations in the longest chain that must run one after the other."""
        return depth(self.graph)

    @cached_property
    def _operations(self) -> int:
        if self._entry is not None:
            return self._entry.operations
        return max(1, len(self.graph.nodes) + 40 * self.counts.sine_cosines)

    @cached_property
    def fast(self) -> abi.Builtin:
        """Input arrays to fresh results, or None for whatever is unusual: see `abi`.

        It takes batches up to the size that is worth several threads, or memory that is kept.
        """
        rows = max(1, WORTHWHILE_OPERATIONS // self._operations)
        largest = max((math.prod(shape) for shape in self.outputs.values()), default=1)
        own_memory = abi.LARGE // (self.dtype.itemsize * max(1, largest))  # larger results have that
        rows = min(rows, max(1, own_memory))
        return abi.builtin_function(self.code, "call", abi.METH_FASTCALL, max_rows=rows) or _nothing

    @cached_property
    def fill(self) -> abi.Builtin:
        """Input arrays, then arrays for the results, to whether all is finite, or None."""
        return abi.builtin_function(self.code, "fill", abi.METH_FASTCALL) or _nothing

    @property
    def recipe(self) -> Recipe:
        """What the kernel was made of."""
        return self._recipe or Recipe((), self._express)

    @cached_property
    def pullback(self) -> Kernel:
        """The vector-Jacobian product as a kernel: from the inputs, then one cotangent per output (its
        elements in a row), to the gradient by each input. Its own pullback has second derivatives."""
        made = self.recipe.followed_by("pullback", pulled_back)
        return Kernel.from_recipe(made, self.target, self._optimize, self._lowering)

    def bind(self) -> BoundKernel:
        """Fixed buffers and a call without allocation, for a control loop in one thread."""
        return BoundKernel(self)

    def __reduce__(self) -> tuple[object, ...]:
        """Copies and pickles carry the expression; machine code is made for the machine at hand."""
        shapes = tuple(self.outputs.values())
        return _unpickled, (self.casadi.serialize(), shapes, self._optimize, self.target.real)

    def __call__(self, *arrays: ArrayLike, out: Out = None) -> Results:
        """Evaluate; a non-finite number anywhere is an InputError.

        Args:
            out: an array for the result, or a tuple of arrays for several: of its dtype, in C order.
        """
        result, nonfinite = self.evaluate(arrays, out)
        if nonfinite:
            raise InputError(f"kernel {self.name}: an input or a result is not finite.")
        return result

    def evaluate(self, arrays: tuple[ArrayLike, ...], out: Out = None) -> tuple[Results, bool]:
        """Results with the batch shape of the broadcast inputs, and whether to look for NaN."""
        if out is not None:
            if self.fill(*arrays, *(out if isinstance(out, tuple) else (out,))):
                return out, False
            return self._evaluate_batch(arrays, out)
        result = self.fast(*arrays)
        if result is not None:
            return result, False
        return self._evaluate_batch(arrays, None)

    def _prepare(self, arrays: tuple[ArrayLike, ...]) -> list[Array]:
        if len(arrays) != len(self.inputs):
            raise InputError(
                f"kernel {self.name}: {len(arrays)} arrays were given, it takes "
                f"{len(self.inputs)}: {', '.join(self.inputs)}."
            )
        prepared = []
        for array, (name, size) in zip(arrays, self.inputs.items(), strict=True):
            prepared.append(as_rows(array, name, size, self.dtype))
        return prepared

    def _evaluate_batch(self, arrays: tuple[ArrayLike, ...], out: Out) -> tuple[Results, bool]:
        prepared = self._prepare(arrays)
        if out is None:  # lists and other numbers are plain arrays by now
            result = self.fast(*prepared)
            if result is not None:
                return result, False
        batch = self._batch_shape(prepared)
        rows = math.prod(batch)
        if out is None:
            results = tuple([abi.empty(batch + shape, self.dtype) for shape in self.outputs.values()])
        else:
            results = self._checked(out, batch)
        given = results
        if out is not None and any(np.may_share_memory(a, b) for a in prepared for b in results):
            results = tuple([np.empty(result.shape, self.dtype) for result in results])
        nonfinite = bool(rows) and self._run(prepared, results, batch, rows)
        if results is not given:
            for result, place in zip(results, given, strict=True):
                place[...] = result
        return (given[0] if self._single_output else given), nonfinite

    def _run(
        self, prepared: list[Array], results: tuple[Array, ...], batch: tuple[int, ...], rows: int
    ) -> bool:
        """Fill the results; True if a non-finite number was met."""
        flat = [_row_layout(array, batch, rows) for array in prepared]
        helpers = helpers_for(rows, self._operations)
        if helpers <= 0:
            places = [
                x.reshape(rows, *shape) for x, shape in zip(results, self.outputs.values(), strict=True)
            ]
            finite = self.fill(*[array for array, _ in flat], *places)
            if finite is not None:
                return not finite
        words = [word for array, stride in flat for word in (_address(array), stride)]
        words += [_address(result) for result in results]
        packet = (ctypes.c_int64 * len(words))(*words)
        if helpers <= 0:
            return bool(self.code.batch(ctypes.addressof(packet), 0, rows))
        job = SharedBatch(self.code, packet, (flat, results), rows, self._operations)
        return job.run(helpers)

    def _checked(self, out: Results, batch: tuple[int, ...]) -> tuple[Array, ...]:
        """Arrays that a caller offers for the results, or an InputError that says what they must be."""
        places = out if isinstance(out, tuple) else (out,)
        shapes = [batch + shape for shape in self.outputs.values()]
        for k, shape in enumerate(shapes):
            place = places[k] if k < len(places) else None
            if not (
                type(place) is np.ndarray
                and place.shape == shape
                and place.dtype == self.dtype
                and place.flags.carray
            ):
                found = (
                    f"{place.dtype} {place.shape}"
                    if isinstance(place, np.ndarray)
                    else type(place).__name__
                )
                raise InputError(
                    f"out for {list(self.outputs)[k]} is {found}: expected a writeable {self.dtype} "
                    f"array of shape {shape} in C order."
                )
        if len(places) != len(shapes):
            raise InputError(
                f"out has {len(places)} arrays, kernel {self.name} has {len(shapes)} results."
            )
        return places

    def _batch_shape(self, prepared: list[Array]) -> tuple[int, ...]:
        shapes = {array.shape[:-1] for array in prepared}
        if len(shapes) == 1:
            return shapes.pop()
        try:
            return np.broadcast_shapes(*shapes)
        except ValueError:
            listed = ", ".join(
                f"{name} {array.shape}" for name, array in zip(self.inputs, prepared, strict=True)
            )
            raise InputError(
                f"the batch shapes do not fit together: {listed}. All axes but the last must be "
                "equal or 1."
            ) from None


def _nothing(*arrays: ArrayLike) -> None:
    """In place of an entry point where there is none."""


def _unpickled(function: str, shapes: tuple[Shape, ...], optimize: bool, real: Real) -> Kernel:
    return Kernel(ca.Function.deserialize(function), shapes, host().in_precision(real), optimize)


def as_rows(array: ArrayLike, name: str, size: int, dtype: np.dtype[Any] = DOUBLE.dtype) -> Array:
    """An argument in its precision with last axis `size`, or an InputError that names it."""
    try:
        if isinstance(array, np.ma.MaskedArray) and np.ma.is_masked(array):
            raise TypeError("it has masked elements; fill them, or leave their rows out")
        raw = np.asarray(array)
        if raw.dtype.kind not in "fiu" and raw.size:
            raise TypeError(f"its type is {raw.dtype}")
        result = raw.astype(dtype, copy=False)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"{name} is not an array of real numbers: {error}.") from None
    if result.ndim == 0 or result.shape[-1] != size:
        raise InputError(
            f"{name} has shape {result.shape}; its last axis must be {size}, with any batch axes before."
        )
    return result


def _row_layout(array: Array, batch: tuple[int, ...], rows: int) -> tuple[Array, int]:
    """An array in memory as the code reads it, and its row stride in numbers."""
    size, width = array.shape[-1], array.itemsize
    if array.size == size:  # one row for all states
        return np.ascontiguousarray(array), 0
    if array.shape[:-1] != batch:
        array = np.broadcast_to(array, (*batch, size))
    flat = array.reshape(rows, size)
    dense = flat.strides[1] == width or size == 1
    if not (dense and flat.strides[0] % width == 0 and flat.flags.aligned):
        flat = np.ascontiguousarray(flat)
    return flat, flat.strides[0] // width


def _address(array: Array) -> int:
    """Of the first element. `array.ctypes.data` says the same and takes three times as long."""
    if array.flags.writeable and array.flags.c_contiguous:
        return ctypes.addressof(ctypes.c_char.from_buffer(array.data))
    return int(array.ctypes.data)
