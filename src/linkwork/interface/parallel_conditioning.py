"""How near a parallel robot is to its singularities: parallel, serial and constraint ones apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from linkwork.checks import positive
from linkwork.interface.results import Singularities
from linkwork.interface.robot import Array, Errors
from linkwork.mechanics.parallel.methods import Options

if TYPE_CHECKING:
    from linkwork.interface.parallel import ParallelRobot


def radius(robot: ParallelRobot) -> float:
    """The mean distance of the platform's joints from its origin [m], by which turns become ways."""
    points = np.array([leg.end.at for leg in robot.model.legs]) - robot.model.home[:3]
    return float(np.linalg.norm(points, axis=1).mean()) or 1.0


def scaled(robot: ParallelRobot, Jx: Array, length: float | None) -> Array:
    """Jx with its columns of rotations divided by a length, where it has both kinds."""
    turns = [k for k, place in enumerate(robot.model.independent) if place >= 3]
    return _by_length(
        Jx, turns, radius(robot) if length is None else positive(length, "length_scale", "m")
    )


def condition(matrices: Array) -> Array:
    """Condition numbers (...) of matrices (..., n, d); NaN where a matrix is."""
    usable = np.isfinite(matrices).all(axis=(-2, -1))
    result = np.full(usable.shape, np.nan)
    result[usable] = np.linalg.cond(matrices[usable])
    return result


def singularities(robot: ParallelRobot, c: ArrayLike, errors: Errors) -> Singularities:
    found = robot.jacobians(c, errors=errors)
    parallel = condition(scaled(robot, found.Jx, None))
    serial = np.abs(found.Jq / robot.jacobians(robot.home).Jq)
    constraint = np.where(np.isnan(parallel), np.nan, 1.0)
    if robot.model.parasitic:
        positions = robot._positions(c)
        kernel = robot._compiled("diagnosis", Options(positions.shape[-1]))
        *_, rows = kernel.evaluate((positions,))[0]
        with np.errstate(invalid="ignore"):
            unit = rows / np.linalg.norm(rows, axis=-1, keepdims=True)
        turns = [k for k, place in enumerate(robot.model.dependent) if place >= 3]
        constraint *= condition(_by_length(unit, turns, radius(robot)))
    return Singularities(parallel, serial, constraint)


def _by_length(matrices: Array, turns: list[int], length: float) -> Array:
    result = matrices.copy()
    if len(turns) < matrices.shape[-1]:
        result[..., turns] /= length
    return result
