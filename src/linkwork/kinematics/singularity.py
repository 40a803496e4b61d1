"""Condition numbers and singularities: one definition, one length scale, one set of thresholds.

The condition number of a robot is the ratio of the greatest to the least singular value (the condition
number in the 2-norm) of the matrix that its motors and its tool move by, see `dimensionless_jacobian`.
Lengths in it are measured in `robot.length_scale`, so that it has no unit: in the worst direction the
motors need so many times the speed, or carry so many times the effort, of the best one. Everything that
shows a condition number shows this one; sweeps compute it within their kernels
(`mechanics/linear.singular_values`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from linkwork.core.arguments import one_of, positive
from linkwork.mechanics.mechanism.jacobians import radius
from linkwork.mechanics.mechanism.planning.planner import placement_plan
from linkwork.model.mechanism import motor_terms
from linkwork.robot.compiled import Array, Errors
from linkwork.robot.coordinates import turns
from linkwork.robot.diagnosis import diagnosis
from linkwork.robot.results import Manipulability, Singularities

if TYPE_CHECKING:
    from linkwork.robot.arm import Arm
    from linkwork.robot.robot import Robot

# Efforts are of the order of the load: a designer aims here.
WELL_CONDITIONED = 10.0
# Most bundled platforms stay below it wherever they go; bundled motions and the studio call it usable.
USABLE = 30.0
# A motor that is used to a hundredth in the best direction is fully used in the worst one: what it needs
# there is due to the singularity nearby, not to the motion. The wrist of a six-axis arm is then two
# degrees from its singularity. Terminal, reports, inverse kinematics and `follow` warn.
NEAR_SINGULAR = 100.0
# Newton's method ends within a milliradian of a singular position: what it reached is taken as singular.
REACHED_SINGULAR = 1e3
# No machine has actuators for it: a simulated platform has fallen out of its legs' hold.
LOST = 1e5
# More than half of the digits of double precision are gone: a singular position, rounded.
SINGULAR = 1e9

GRADES = ((WELL_CONDITIONED, "good"), (USABLE, "fair"), (LOST, "poor"))


def grade_of(condition: float) -> str:
    """ "good", "fair", "poor" or "singular"."""
    return next((name for most, name in GRADES if condition < most), "singular")


def length_scale(robot: Robot) -> float:
    """Half the size of a robot whose coordinates are its motors, else the RMS distance of what holds the
    tool's body from the tool's origin."""
    return robot.size / 2 if robot.moved_by_motors else radius(robot.mechanism)


def by_position(robot: Robot) -> bool:
    """Whether it is judged by how it moves the tool's origin: up to three motors that all do so."""
    if robot.dof > 3 or not robot.moved_by_motors:
        return False
    somewhere = robot.jacobian(robot.random_states(1)[0][0])[:3]
    return int(np.linalg.matrix_rank(somewhere, tol=1e-9 * robot.size)) == robot.dof


def dimensionless_jacobian(
    robot: Robot,
    c: ArrayLike,
    length: float | str | None = None,
    errors: Errors = "nan",
    frame: int | str | None = None,
) -> Array:
    """The matrices (..., rows, columns) whose singular values tell how well a robot moves.

    Of a robot whose coordinates are its motors: twists of the tool (or of the frame that is named) by
    velocities of the motors, lengths over the length scale; only the linear part where `by_position`. Of
    others Jx, with its columns of rotations over the length scale where it has both kinds.
    """
    if isinstance(length, str):
        one_of(length, ("platform",), "length scale")  # an older name of the robot's own
        length = None
    by = robot.length_scale if length is None else positive(length, "length_scale", "m")
    if not robot.moved_by_motors:
        return _scaled(robot, robot.jacobians(c, errors=errors).direct_jacobian, by)
    J = np.where(turns(robot.mechanism), 1.0, by) * robot.jacobian(c, frame, errors=errors)  # type: ignore[arg-type]
    J[..., :3, :] /= by
    return J[..., :3, :] if by_position(robot) else J


def _scaled(robot: Robot, Jx: Array, by: float) -> Array:
    turning, result = np.array(turns(robot.mechanism)), Jx.copy()
    if not turning.all():
        result[..., turning] /= by
    return result


def condition(matrices: Array) -> Array:
    """Condition numbers (...) of matrices (..., n, d); infinite if singular, NaN where a matrix is."""
    usable = np.isfinite(matrices).all(axis=(-2, -1))
    result = np.full(usable.shape, np.nan)
    values = np.linalg.svd(matrices[usable], compute_uv=False)
    # What is left of a singular value that should be zero is rounding.
    singular = ~(values[..., -1] > values[..., 0] * np.finfo(float).eps)
    with np.errstate(divide="ignore", invalid="ignore"):
        result[usable] = np.where(singular, np.inf, values[..., 0] / values[..., -1])
    return result


def masked_condition(arm: Arm, q: Array, frame: int, mask: Sequence[bool]) -> Array:
    """The condition number in the directions that count: linear ones of the base, turns about the axes
    of the frame."""
    J = dimensionless_jacobian(arm, q, None, "raise", frame)
    if all(mask) or J.shape[-2] < len(mask):
        return condition(J)
    R = arm.link_frames(q)[..., frame, :3, :3]
    J[..., 3:, :] = np.swapaxes(R, -1, -2) @ J[..., 3:, :]
    return condition(J[..., np.flatnonzero(mask), :])


def regularity(robot: Robot, J: Array) -> float:
    """The reciprocal condition number of velocities of motors by velocities of coordinates (n, d), with
    the sign of its determinant: of which side of the singularities it is. More motors than freedoms have
    no sides."""
    if not np.isfinite(J).all():
        return 0.0
    scaled = _scaled(robot, J, robot.length_scale)
    side = float(np.sign(np.linalg.det(scaled))) if J.shape[0] == J.shape[1] else 1.0
    return side / float(condition(scaled))


def has_levers(robot: Robot) -> bool:
    """Whether motors may lose their hold on the coordinates: those whose joints close loops can."""
    blocks = placement_plan(robot.mechanism).blocks
    solved = {name for block in blocks for name in block.unknowns}
    return any(terms[0][0] in solved for terms in motor_terms(robot.mechanism).values())


def singularities(robot: Robot, c: ArrayLike, errors: Errors) -> Singularities:
    """See Robot.singularities."""
    found = robot.jacobians(c, errors=errors)
    parallel = condition(_scaled(robot, found.direct_jacobian, robot.length_scale))
    serial = np.abs(found.inverse_jacobian / robot.jacobians(robot.home).inverse_jacobian)
    constraint = np.where(np.isnan(parallel), np.nan, 1.0)
    for name, matrix in diagnosis(robot, robot._positions(c)).items():
        if name.startswith("constraint"):
            constraint = np.maximum(constraint, condition(matrix))
    return Singularities(parallel, serial, constraint)


def manipulability(
    arm: Arm, q: ArrayLike, frame: int | str | None = None, errors: Errors = "raise"
) -> Manipulability:
    """See Arm.manipulability."""
    J = np.asarray(arm.jacobian(q, frame, errors=errors))
    known = np.asarray(np.isfinite(J).all(axis=(-2, -1)))
    safe = np.where(known[..., None, None], J, 0.0)
    values = np.linalg.svd(safe, compute_uv=False)
    number = condition(dimensionless_jacobian(arm, q, None, errors, frame))
    parts: list[Any] = [values.prod(axis=-1), number]
    for rows in (safe[..., :3, :], safe[..., 3:, :]):
        axes, radii, _ = np.linalg.svd(rows)
        missing = [(0, 0)] * (radii.ndim - 1) + [(0, 3 - radii.shape[-1])]
        parts += [np.pad(radii, missing), axes]
    if errors == "nan":
        for part in parts:
            part[~known] = np.nan
    return Manipulability(*parts)
