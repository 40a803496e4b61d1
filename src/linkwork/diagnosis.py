"""The slow path after a kernel met a non-finite number: find it, name it, or keep it in its row."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.errors import InputError, LinkworkError
from linkwork.kernels import Kernel
from linkwork.names import one_of

ERRORS = ("raise", "nan")
# Inputs whose last axis runs over the joints, so that a joint can be named.
PER_JOINT = ("q", "qd", "qdd", "tau")
REASONS = {
    "forward_dynamics": (
        "the mass matrix is singular there: some motion of the joints moves no mass. Give the links "
        "beyond that joint mass or inertia, or the joint a rotor."
    ),
}


def _place(index: tuple[int, ...], batch_axes: int) -> str:
    row = index[:batch_axes]
    if not row:
        return ""
    return f" at row {row[0] if len(row) == 1 else tuple(int(k) for k in row)}"


def _find_input(kernel: Kernel, arrays: tuple[Any, ...], joints: tuple[str, ...]) -> str | None:
    for name, array in zip(kernel.inputs, arrays, strict=True):
        values = np.asarray(array, dtype=np.float64)
        wrong = np.argwhere(~np.isfinite(values))
        if len(wrong):
            index = tuple(int(k) for k in wrong[0])
            column = index[-1]
            where = f"joint {column + 1} ({joints[column]})" if name in PER_JOINT else f"[{column}]"
            more = f" and {len(wrong) - 1} more" if len(wrong) > 1 else ""
            return (
                f"{name} is {values[index]}{_place(index, len(index) - 1)}, {where}{more}; allowed are "
                'finite numbers. With errors="nan" such rows come back as NaN.'
            )
    return None


def settle(
    kernel: Kernel,
    arrays: tuple[Any, ...],
    result: Any,
    errors: str,
    joints: tuple[str, ...],
    method: str,
) -> Any:
    """Raise an error that names the culprit, or fill its rows with NaN."""
    one_of(errors, ERRORS, "value of errors")
    results = result if isinstance(result, tuple) else (result,)
    batch_axes = results[0].ndim - len(next(iter(kernel.outputs.values())))
    batch = results[0].shape[:batch_axes]
    strange = np.zeros(batch, dtype=bool)
    for array in arrays:
        strange |= ~np.isfinite(np.asarray(array, dtype=np.float64)).all(axis=-1)
    for array in results:
        strange |= ~np.isfinite(array).all(axis=tuple(range(batch_axes, array.ndim)))
    if not strange.any():
        return result
    if errors == "nan":
        for array in results:
            array[strange] = np.nan
        return result
    message = _find_input(kernel, arrays, joints)
    if message is not None:
        raise InputError(f"{method}: {message}")
    row = tuple(int(k) for k in np.argwhere(strange)[0])
    reason = REASONS.get(method, "the numbers are too large for double precision.")
    raise LinkworkError(f"{method}: no finite answer{_place(row, len(row))}: {reason}")
