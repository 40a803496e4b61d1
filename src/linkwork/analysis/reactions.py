"""Forces and moments in the joints of a robot along a motion, as magnitudes."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

import numpy as np

from linkwork.interface.arm import Arm
from linkwork.interface.platform import Platform
from linkwork.interface.quantity import Quantity, quantity
from linkwork.interface.robot import Array, Mechanism, Robot
from linkwork.robots.mechanism_elements import reaction_names


def reaction_magnitudes(robot: Robot, position: Array, reactions: Any) -> tuple[Quantity, ...]:
    """Of every joint or leg, from what `robot.reactions` returns at positions (N, ...).

    A force is called so in its name, everything else is a moment. Where statics determines some
    components only, the magnitude is that of these.
    """
    found = _telling(robot, position, reaction_vectors(reactions))
    sizes = {name: _magnitude(values) for name, values in found.items()}
    known = [values[np.isfinite(values)] for values in sizes.values()]
    size = max((float(each.max()) for each in known if each.size), default=0.0)  # [N], moments at 1 m
    return tuple(
        quantity(
            name.replace("_", " "),
            reaction_channels(robot, name),
            "N" if "force" in name else "N m",
            without_rounding(values, size),
        )
        for name, values in sizes.items()
    )


def reaction_vectors(reactions: Any) -> dict[str, Array]:
    """Forces and moments (..., k, 3) by name, without the names of the joints."""
    return {name: values for name, values in reactions._asdict().items() if name != "names"}


def _magnitude(values: Array) -> Array:
    """Of vectors (..., 3), of their determinate components; NaN where there are none."""
    known = np.isfinite(values)
    size = np.linalg.norm(np.where(known, values, 0.0), axis=-1)
    return np.where(known.any(axis=-1), size, np.nan)


@singledispatch
def reaction_channels(robot: Robot, name: str) -> tuple[str, ...]:
    """Names of the joints or legs that a reaction is of."""
    return robot.efforts.names


@reaction_channels.register
def _(robot: Arm | Platform, name: str) -> tuple[str, ...]:
    return robot.efforts.names


@reaction_channels.register
def _(robot: Mechanism, name: str) -> tuple[str, ...]:
    return reaction_names(robot.mechanism)


@singledispatch
def _telling(robot: Robot, position: Array, found: dict[str, Array]) -> dict[str, Array]:
    """Those reactions that tell what the joints must bear: all of them."""
    return found


@_telling.register
def _of_legs(robot: Platform, pose: Array, found: dict[str, Array]) -> dict[str, Array]:
    """Across the leg the slider's force is a reaction; along it, the actuator's own force."""
    still = np.zeros(6)
    direction = robot.leg_kinematics(pose, still, still).direction
    force = found.pop("prismatic_force")
    along = np.einsum("...i,...i->...", force, direction)
    moment = found.pop("prismatic_moment_at_platform")
    del found["prismatic_moment"]  # the same about the base point, where it says less
    side = force - along[..., None] * direction
    return {**found, "prismatic_side_force": side, "prismatic_moment": moment}


def without_rounding(values: Array, size: float) -> Array:
    """Zeros for what is left of numbers of `size` that cancel; NaN stays, it is not determined."""
    return np.where(np.abs(values) <= 1e-14 * size, 0.0, values)
