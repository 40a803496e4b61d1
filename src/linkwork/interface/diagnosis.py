"""The slow path after a kernel met a non-finite number: find it, name it, or keep it in its row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwork.errors import InputError, LinkworkError
from linkwork.kernels import Kernel
from linkwork.names import one_of

Array = NDArray[np.float64]
ERRORS = ("raise", "nan")


def _place(row: tuple[int, ...]) -> str:
    if not row:
        return ""
    return f" at row {row[0] if len(row) == 1 else row}"


def _wrong_input(arrays: dict[str, Array], labels: dict[str, tuple[str, ...]]) -> str | None:
    for name, values in arrays.items():
        wrong = np.argwhere(~np.isfinite(values))
        if len(wrong):
            index = tuple(int(k) for k in wrong[0])
            column = index[-1]
            where = labels[name][column] if name in labels else f"[{column}]"
            more = f" and {len(wrong) - 1} more" if len(wrong) > 1 else ""
            return (
                f"{name} is {values[index]}{_place(index[:-1])}, {where}{more}; allowed are finite "
                'numbers. With errors="nan" such rows come back as NaN.'
            )
    return None


def diagnose(
    kernel: Kernel,
    arrays: tuple[Any, ...],
    result: Any,
    errors: str,
    labels: dict[str, tuple[str, ...]],
    reason: Callable[[str, dict[str, Array]], str],
) -> Any:
    """Raise an error that names the culprit, or fill its rows with NaN.

    Args:
        labels: names of the elements of an input.
        reason: of (method, inputs of one row), why finite inputs have no finite answer.
    """
    one_of(errors, ERRORS, "value of errors")
    inputs = {
        name: np.asarray(array, dtype=np.float64)
        for name, array in zip(kernel.inputs, arrays, strict=True)
    }
    results = result if isinstance(result, tuple) else (result,)
    batch_axes = results[0].ndim - len(next(iter(kernel.outputs.values())))
    batch = results[0].shape[:batch_axes]
    nonfinite = np.zeros(batch, dtype=bool)
    for values in inputs.values():
        nonfinite |= ~np.isfinite(values).all(axis=-1)
    for values in results:
        nonfinite |= ~np.isfinite(values).all(axis=tuple(range(batch_axes, values.ndim)))
    if not nonfinite.any():
        return result
    if errors == "nan":
        for values in results:
            values[nonfinite] = np.nan
        return result
    message = _wrong_input(inputs, labels)
    if message is not None:
        raise InputError(f"{kernel.name}: {message}")
    row = tuple(int(k) for k in np.argwhere(nonfinite)[0])
    at_row = {
        name: np.broadcast_to(values, (*batch, values.shape[-1]))[row] for name, values in inputs.items()
    }
    with np.errstate(all="ignore"):  # the numbers are known to be beyond what can be computed with
        why = reason(kernel.name, at_row)
    raise LinkworkError(f"{kernel.name}: no finite answer{_place(row)}: {why}")
