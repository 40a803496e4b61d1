"""How near a mechanism is to its singularities and to what ends its workspace."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from linkwork.checks import positive
from linkwork.interface.compiled import Array, Errors
from linkwork.interface.mechanism_diagnosis import diagnosis
from linkwork.interface.mechanism_names import turns
from linkwork.interface.results import ParallelMargins, Singularities
from linkwork.mechanics.mechanism.jacobians import radius

if TYPE_CHECKING:
    from linkwork.interface.robot import Robot

AGREE = 1e-9  # two solutions of statics, relative to the largest wrench


def condition_number(robot: Robot, c: ArrayLike, length_scale: float | None, errors: Errors) -> Array:
    """The one that terminal, reports and studio show too: see `Mechanism.condition_number`."""
    if robot.moved_by_motors:
        by = robot.size if length_scale is None else positive(length_scale, "length_scale", "m")
        return condition(robot.jacobian(c, errors=errors) / np.array([[by]] * 3 + [[1.0]] * 3))
    return condition(scaled(robot, robot.jacobians(c, errors=errors).Jx, length_scale))


def scaled_condition(robot: Robot, c: ArrayLike) -> Array:
    """Of Jx with its rotations divided by the size of the tool's body, whatever a family's own is."""
    return condition(scaled(robot, robot.jacobians(c).Jx, None))


def scaled(robot: Robot, Jx: Array, length: float | None) -> Array:
    """Jx with its columns of rotations divided by a length, where it has both kinds."""
    by = radius(robot.mechanism) if length is None else positive(length, "length_scale", "m")
    turning, result = np.array(turns(robot.mechanism)), Jx.copy()
    if not turning.all():
        result[..., turning] /= by
    return result


def condition(matrices: Array) -> Array:
    """Condition numbers (...) of matrices (..., n, d); NaN where a matrix is."""
    usable = np.isfinite(matrices).all(axis=(-2, -1))
    result = np.full(usable.shape, np.nan)
    result[usable] = np.linalg.cond(matrices[usable])
    return result


def singularities(robot: Robot, c: ArrayLike, errors: Errors) -> Singularities:
    found = robot.jacobians(c, errors=errors)
    parallel = condition(scaled(robot, found.Jx, None))
    serial = np.abs(found.Jq / robot.jacobians(robot.home).Jq)
    constraint = np.where(np.isnan(parallel), np.nan, 1.0)
    for name, matrix in diagnosis(robot, robot._positions(c)).items():
        if name.startswith("constraint"):
            constraint = np.maximum(constraint, condition(matrix))
    return Singularities(parallel, serial, constraint)


def margins_of(robot: Robot, c: Array, clearance: float) -> ParallelMargins:
    """Of coordinates (N, d); what cannot be asked out of reach is 1 there, so that reach is named."""
    found, home = robot.jacobians(c, errors="nan"), robot.jacobians(robot.home)
    with np.errstate(divide="ignore", invalid="ignore"):
        near = robot.singularities(c, errors="nan")
        reached = np.asarray(
            np.isfinite(found.Jx).all(axis=(-2, -1)) & np.isfinite(found.Jq).all(axis=-1)
        )
        levers = (found.Jq / home.Jq).min(axis=-1, initial=1.0)
        effort, left = np.zeros((len(c), 1)), np.ones(len(c))
        if robot.n >= robot.freedoms:
            effort = np.abs(robot.gravity_load(c, errors="nan"))
            left = (1 - effort / robot.limits.effort).min(axis=-1)
        parallel = _side(found.Jx, home.Jx) / near.parallel - clearance
        constraint = 1 / near.constraint - clearance
        constraint = np.where(near.constraint == 1.0, 1.0, constraint)
    return ParallelMargins(
        np.where(reached, 1.0, -1.0),
        _known(_joints(robot, c)),
        _known(left),
        np.where(reached & ~(levers > clearance), -1.0, 1.0),
        _known(parallel),
        _known(constraint),
        effort.max(axis=-1),
        robot.condition_number(c, errors="nan"),
    )


def _known(margin: Array) -> Array:
    return np.where(np.isfinite(margin), margin, 1.0)


def _side(Jx: Array, at_home: Array) -> Array | float:
    """1 on home's side of the parallel singularities; more actuators than freedoms have no sides."""
    if Jx.shape[-1] != Jx.shape[-2]:
        return 1.0
    return np.asarray(np.sign(np.linalg.det(Jx)) * np.sign(np.linalg.det(at_home)))


def _joints(robot: Robot, c: Array) -> Array:
    """The least share of its range that a bounded joint is within it."""
    bounded = [k for k, each in enumerate(robot.elements) if each.limits.position is not None]
    if not bounded:
        return np.ones(len(c))
    still = np.zeros(robot.freedoms)
    q = robot.joint_motion(c, still, still, errors="nan").q[:, bounded]
    low, high = np.array([robot.elements[k].limits.position for k in bounded]).T
    return np.asarray((np.minimum(q - low, high - q) / (high - low)).min(axis=-1))


def agreed(one: Array, other: Array) -> Array:
    """One of two solutions of statics (..., k, 6), with NaN where they differ."""
    axes = (-2, -1)
    size = np.maximum(
        np.abs(one).max(axis=axes, keepdims=True), np.abs(other).max(axis=axes, keepdims=True)
    )
    return np.where(np.abs(one - other) <= AGREE * size, one, np.nan)
