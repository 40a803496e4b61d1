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
from linkwork.mechanics.mechanism.robot_dynamics import planned
from linkwork.robots.mechanism_elements import motor_terms

if TYPE_CHECKING:
    from linkwork.interface.robot import Robot

AGREE = 1e-9  # two solutions of statics, relative to the largest wrench


def length_of(robot: Robot) -> float:
    """Half the size of a robot whose coordinates are its motors, else the radius of what holds the
    tool."""
    return robot.size / 2 if robot.moved_by_motors else radius(robot.mechanism)


def by_position(robot: Robot) -> bool:
    """Whether it is judged by how it moves the tool's origin: up to three motors that all do so."""
    if robot.freedoms > 3 or not robot.moved_by_motors:
        return False
    somewhere = robot.jacobian(robot.random_motion(1)[0][0])[:3]
    return int(np.linalg.matrix_rank(somewhere, tol=1e-9 * robot.size)) == robot.freedoms


def conditioned(robot: Robot, c: ArrayLike, length: float | None, errors: Errors) -> Array:
    """The matrices (..., rows, columns) whose singular values tell how well a robot moves.

    Of a robot whose coordinates are its motors: twists of the tool by velocities of the motors, ways
    over the length. Of others Jx, with its columns of rotations over the length where it has both kinds.
    """
    by = robot.length_scale if length is None else positive(length, "length_scale", "m")
    if robot.moved_by_motors:
        J = without_units(robot, robot.jacobian(c, errors=errors), by)
        return J[..., :3, :] if by_position(robot) else J
    return _scaled(robot, robot.jacobians(c, errors=errors).Jx, by)


def without_units(robot: Robot, J: Array, length: float) -> Array:
    """Jacobians (..., 6, d) of a body with ways, also those of motors that slide, over a length."""
    result = np.where(turns(robot.mechanism), 1.0, length) * J
    result[..., :3, :] /= length
    return result


def _scaled(robot: Robot, Jx: Array, by: float) -> Array:
    turning, result = np.array(turns(robot.mechanism)), Jx.copy()
    if not turning.all():
        result[..., turning] /= by
    return result


def has_levers(robot: Robot) -> bool:
    """Whether motors may lose their hold on the coordinates: those whose joints close loops can."""
    blocks = planned(robot.mechanism).blocks
    solved = {name for block in blocks for name in block.unknowns}
    return any(terms[0][0] in solved for terms in motor_terms(robot.mechanism).values())


def condition(matrices: Array) -> Array:
    """Condition numbers (...) of matrices (..., n, d); NaN where a matrix is."""
    usable = np.isfinite(matrices).all(axis=(-2, -1))
    result = np.full(usable.shape, np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        values = np.linalg.svd(matrices[usable], compute_uv=False)
        found = values[..., 0] / values[..., -1]
    # What is left of a singular value that should be zero is rounding.
    singular = ~(values[..., -1] > values[..., 0] * np.finfo(float).eps)
    result[usable] = np.where(singular, np.inf, found)
    return result


def singularities(robot: Robot, c: ArrayLike, errors: Errors) -> Singularities:
    found = robot.jacobians(c, errors=errors)
    parallel = condition(_scaled(robot, found.Jx, robot.length_scale))
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
    """One of two solutions of statics (..., k, 6), with NaN where they differ.

    In their own memory: passes over the arrays take longer than the kernel that filled them.
    """
    size = np.sqrt(np.einsum("...ij,...ij->...", one, one))
    difference = np.abs(np.subtract(other, one, out=other), out=other)
    np.copyto(one, np.nan, where=~(difference <= AGREE * size[..., None, None]))
    return one
