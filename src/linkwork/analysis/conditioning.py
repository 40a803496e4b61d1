"""How well a mechanism moves along a motion: condition numbers without units, manipulability."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwork.formatting import number
from linkwork.interface.mechanism_conditioning import (
    by_position,
    conditioned,
    has_levers,
)
from linkwork.interface.mechanism_names import turns
from linkwork.interface.robot import Array, Robot


@dataclass(frozen=True, eq=False)
class Conditioning:
    """A number along a motion (N,); `name` says what it is, `of_efforts` that efforts grow with it."""

    name: str
    values: Array
    least_is_best: bool = True
    of_efforts: bool = False


def condition_number(robot: Robot, position: Array) -> Array:
    """The number that terminal, reports and studio tell, (N,); infinite where singular, NaN where a
    position is impossible. Lengths are measured in `robot.length_scale`."""
    return robot.condition_number(position, robot.length_scale, errors="nan")


def conditioning(robot: Robot, position: Array) -> tuple[Conditioning, ...]:
    """The condition number first.

    Where the coordinates are the motors, manipulability follows. Elsewhere it is that of Jx (parallel
    singularities); the least Jq (serial ones) and what closes the loops follow where the robot has them.
    """
    direct, mixed = robot.moved_by_motors, len({*turns(robot.mechanism)}) > 1
    of = "" if direct else " of Jx (parallel singularities)"
    if by_position(robot):
        of = " of the tool's position"
    scale = f", lengths in units of {number(robot.length_scale, 3)} m" if direct or mixed else ""
    values = condition_number(robot, position)
    found = [Conditioning(f"condition number{of}{scale}", values, of_efforts=not direct)]
    if direct:
        matrices = conditioned(robot, position, None, "nan")
        product = np.prod(np.linalg.svd(matrices, compute_uv=False), axis=-1)
        return (*found, Conditioning("manipulability, in the same units", product, False))
    if mixed:
        raw = robot.condition_number(position, 1.0, errors="nan")
        found.append(Conditioning("condition number, lengths in m", raw))
    near = robot.singularities(position, errors="nan")
    if has_levers(robot):
        name = "least Jq by its value at home (zero in a serial singularity)"
        found.append(Conditioning(name, near.serial.min(axis=-1), False))
    if not (near.constraint == 1.0).all():
        name = "condition number of what closes the loops (constraint singularities)"
        found.append(Conditioning(name, near.constraint))
    return tuple(found)
