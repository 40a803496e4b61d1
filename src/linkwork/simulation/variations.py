"""What differs from loop to loop of a batch, as rows that fit together."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkwork.checks import numbers
from linkwork.errors import InputError
from linkwork.interface.robot import Array, Robot
from linkwork.mechanics.plant import Plant
from linkwork.simulation.payloads import payload_parameters
from linkwork.simulation.system import start_position

# Factors and gains: negative ones turn friction into a motor and mass into lift.
NOT_NEGATIVE = ("kp", "kv", "mass_scale", "friction_scale")


def common_rows(
    robot: Robot,
    plant: Plant,
    start: Any,
    gains: dict[str, Any],
    given: dict[str, ArrayLike],
    batch: int | None,
) -> tuple[Array, dict[str, Array]]:
    """States (batch, size), and everything that stays the same over time by name.

    What is the same for all loops stays one row: it need not travel through memory at every step.
    """
    m = plant.velocity_size
    pair = isinstance(start, tuple) and len(start) == 2
    position, velocity = start if pair else (start, np.zeros(m))
    n = plant.effort_size
    sizes = {"position": plant.position_size, "velocity": m, "kp": n, "kv": n, **plant.variations}
    parts: dict[str, Array] = {
        "position": start_position(robot, position),
        "velocity": numbers(velocity, "start"),
    }
    for name, value in {**gains, **given}.items():
        if name != "payload":
            parts[name] = _factors(robot, plant, name, numbers(value, name), sizes[name])
    counts = {batch or 1}
    for name, array in parts.items():
        _check_shape(name, array, sizes[name])
        counts.add(len(array) if array.ndim == 2 else 1)
    if "payload" in given:
        known = max(counts)  # how many loops there are, as far as all else tells
        parts["payload"] = payload_parameters(given["payload"], known)
        counts.add(len(parts["payload"]) if parts["payload"].ndim == 2 else 1)
    count = _number_of_loops(counts)
    full = {
        name: np.broadcast_to(array, (*array.shape[:-1], sizes[name])) for name, array in parts.items()
    }
    starts = [np.broadcast_to(full.pop(name), (count, sizes[name])) for name in ("position", "velocity")]
    x = np.concatenate(starts, axis=1)
    return x, {name: np.ascontiguousarray(array) for name, array in full.items()}


def _factors(robot: Robot, plant: Plant, name: str, array: Array, size: int) -> Array:
    if name in NOT_NEGATIVE and (array < 0).any():
        raise InputError(f"{name} is {array.min():g} somewhere; allowed are numbers >= 0.")
    if name == "friction_scale" and not plant.has_friction:
        raise InputError(f"{robot.name} has no friction that friction_scale could change; leave it out.")
    one_each = array.ndim == 0 or (size == 1 and array.ndim == 1)
    return array[..., None] if one_each else array


def _check_shape(name: str, array: Array, size: int) -> None:
    if array.shape[-1:] not in ((size,), (1,)) or array.ndim > 2:
        raise InputError(
            f"{name} has shape {array.shape}; allowed are finite numbers ({size},) or (batch, {size})."
        )


def _number_of_loops(counts: set[int]) -> int:
    several = sorted(counts - {1})
    if len(several) > 1:
        raise InputError(
            f"starts and variations differ in number: {several}; give as many of each, or one."
        )
    count = several[0] if several else 1
    if not count:
        raise InputError("rollout: the batch is empty.")
    return count
