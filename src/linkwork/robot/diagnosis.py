"""Where a kernel has no finite answer: the culprit is found and named, or kept in its row.

States of a mechanism that Newton's method does not reach from home in the steps of a kernel are reached
on a path first: the coordinates are led from home to where they are asked for, and the loops are
followed, so that they stay on the branch of home. A way that meets a singularity, or leaves the reach,
ends there, and the state is refused with the reason.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linkwork.core.arguments import one_of
from linkwork.core.errors import InputError, LinkworkError
from linkwork.core.rotations import off_unit
from linkwork.kernels import Kernel
from linkwork.kernels.kernel import Results
from linkwork.mechanics.mechanism.blocks import unknown_home, unknown_slides
from linkwork.mechanics.mechanism.coordinates import (
    CoordinateLayout,
    home_angles,
    home_size,
    with_quaternions,
)
from linkwork.mechanics.mechanism.methods import GUESS, LOOPS
from linkwork.mechanics.mechanism.planning.planner import placement_plan
from linkwork.mechanics.mechanism.universal import SMALLEST_SINE
from linkwork.mechanics.methods import Options
from linkwork.model.families.stewart import leg_columns
from linkwork.model.mechanism import POSE, MechanismModel

if TYPE_CHECKING:
    from linkwork.files.faults import Document
    from linkwork.robot.description import Described
    from linkwork.robot.platform_base import PlatformBase

Array = NDArray[np.float64]
ERRORS = ("raise", "nan")


def place_of(row: tuple[int, ...]) -> str:
    """ " at row 3", nothing for a single state."""
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
                f"{name} is {values[index]}{place_of(index[:-1])}, {where}{more}; expected finite "
                'numbers. With errors="nan" such rows come back as NaN.'
            )
    return None


def diagnose(
    kernel: Kernel,
    arrays: tuple[ArrayLike, ...],
    result: Results,
    errors: str,
    labels: dict[str, tuple[str, ...]],
    reason: Callable[[str, dict[str, Array]], str],
) -> Results:
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
    raise LinkworkError(f"{kernel.name}: no finite answer{place_of(row)}: {why}")


TOO_LARGE = "the numbers are too large for double precision."
LARGEST_LENGTH = 1e100  # squares of it are still finite


def pose_labels() -> dict[str, tuple[str, ...]]:
    """Names of the elements of poses, twists and wrenches."""
    linear, angular = ("vx", "vy", "vz"), ("wx", "wy", "wz")
    return {
        "pose": ("x", "y", "z", "qw or roll", "qx or pitch", "qy or yaw", "qz"),
        "twist": linear + angular,
        "acceleration": ("ax", "ay", "az", "alphax", "alphay", "alphaz"),
        "wrench": ("fx", "fy", "fz", "mx", "my", "mz"),
    }


def explain_pose(robot: PlatformBase, method: str, inputs: dict[str, Array]) -> str:
    """What is wrong with a pose for which `method` has no finite answer."""
    model, pose = robot.model, inputs["pose"]
    if pose.shape[-1] == 7:
        norm = float(np.linalg.norm(pose[3:]))
        if off_unit(pose[3:]):
            return (
                f"the quaternion of the pose has norm {norm:.9g}; expected a unit quaternion w x y z. "
                "Divide it by its norm."
            )
    H, lengths = leg_columns(model, pose)
    for k, name in enumerate(model.leg_names):
        if lengths[k] < 1e-12:
            return f"leg {k + 1} ({name}) has length zero: its base point and platform point coincide."
    if not np.isfinite(H).all() or np.abs(pose).max() > LARGEST_LENGTH:
        return TOO_LARGE
    for k, leg in enumerate(model.legs):
        sine = np.linalg.norm(np.cross(leg.fixed_axis, H[:3, k]))
        if leg.joints == "UPS" and not sine > SMALLEST_SINE:
            return (
                f"leg {k + 1} ({leg.name}) lies along its fixed axis, where the axes of its universal "
                "joint do not span a plane. Choose another fixed_axis or stay clear of this pose."
            )
    from linkwork.kinematics.singularity import SINGULAR, condition

    H[3:] /= robot.length_scale
    number = float(condition(H))
    if number > SINGULAR:
        return (
            f"the pose is singular (condition number {number:.3g}): the platform can move with all "
            "legs locked, and no leg forces hold it. Stay clear of this pose."
        )
    if method in ("forward_dynamics", "step", "rate"):
        return (
            "the mass matrix is singular there: some motion of the platform moves no mass. Give the "
            "platform or its legs mass and inertia."
        )
    return TOO_LARGE


SINGULAR = 1e-9
SINGULAR_HOME = 1e-6  # of the largest singular value of motors by coordinates
OPEN = 1e-10  # residual of a closed loop, of the machine's size


def explain(robot: Described, method: str, inputs: dict[str, Array]) -> str:
    """What is wrong with coordinates for which `method` has no finite answer."""
    c = inputs["c"]
    if np.abs(c).max() > LARGEST_LENGTH:
        return TOO_LARGE
    for four in CoordinateLayout.of(robot.mechanism, len(c)).four:
        if off_unit(c[four]):
            norm = float(np.linalg.norm(c[four]))
            told = f"the quaternion has norm {norm:.9g}; expected a unit quaternion."
            return f"{told} Divide it by its norm."
    found = diagnosis(robot, c)
    names = [
        robot._block_name(block.unknowns)
        for block in placement_plan(robot.mechanism).blocks
        if block.unknowns
    ]
    reach, closing, side = (found[key][1:] for key in ("reach", "closing", "side"))
    lost = ~(np.isfinite(reach) & np.isfinite(closing))
    if lost.any():
        which = ", ".join(dict.fromkeys(n for n, out in zip(names, lost, strict=True) if out))
        return (
            f"{which} cannot reach {robot._held} there on the branch of home. Move the coordinates"
            " toward home, or change dimensions."
        )
    serial = [
        name
        for name, lever in zip(robot.efforts.names, found["Jq"], strict=True)
        if abs(lever) < SINGULAR * max(1.0, robot.size)
    ]
    if serial:
        return (
            f"{', '.join(serial)}: serial singularity, the actuator does not move the coordinates"
            " (Jq = 0): its links are stretched or folded. Stay clear of this place."
        )
    for key, matrix in found.items():
        if key.startswith("constraint") and not _regular(matrix):
            return (
                "constraint singularity: the loops no longer determine all bodies there, and the"
                " mechanism gains a freedom. Stay clear of this place."
            )
    bad = ~(closing <= OPEN) | ~(side > 0)
    if bad.any():
        which = ", ".join(dict.fromkeys(n for n, wrong in zip(names, bad, strict=True) if wrong))
        return (
            f"{which} does not close on the branch of home (by {float(np.nanmax(closing)):.3g}"
            " of the size): the place is out of reach, or only another branch reaches it."
        )
    if method != "forward_dynamics" and robot.n >= robot.dof and not _regular(found["Jx"]):
        return (
            "parallel singularity (Jx is singular): the mechanism can move with all actuators locked,"
            " and no efforts hold it. Stay clear of this place."
        )
    if method == "forward_dynamics":
        return (
            "the mass matrix is singular there: some motion moves no mass. Give the bodies that move"
            " mass or inertia, or a joint a rotor."
        )
    return TOO_LARGE


def diagnosis(robot: Described, c: Array) -> dict[str, Array]:
    """Outputs of the kernel that tells why a state has no answer, by name."""
    kernel = robot._compiled("diagnosis", Options(c.shape[-1]))
    return dict(zip(kernel.outputs, kernel.evaluate((c,))[0], strict=True))


def without_motor(robot: Described, method: str) -> str:
    """What to say of a mechanism with fewer motors than freedoms."""
    kernel = robot._compiled("actuation", Options(home_size(robot.mechanism)))
    Ga = np.asarray(kernel.evaluate((np.asarray(robot.home),))[0]).reshape(robot.n, robot.dof)
    _, values, rows = np.linalg.svd(Ga) if robot.n else (None, np.zeros(0), np.eye(robot.dof))
    rank = int((values > SINGULAR * max(values.max(initial=0.0), 1e-300)).sum())
    moving = np.abs(rows[rank:]).max(axis=0) > 1e-6
    names = [each.name for each, moves in zip(robot.mechanism.coordinates, moving, strict=True) if moves]
    motors, freedoms = _counted(robot.n, "motor"), _counted(robot.dof, "freedom")
    moves = f"{', '.join(names)} still move{'' if len(names) > 1 else 's'}"
    return (
        f"{method}: {robot.name} has {freedoms} and {motors}: with all motors held, {moves}, so no"
        " efforts give a chosen motion. Give more joints or cylinders `motor: true`, or ask"
        " forward_dynamics how it moves."
    )


def _counted(count: int, word: str) -> str:
    return f"{count} {word}" + ("" if count == 1 else "s")


def _regular(matrix: Array) -> bool:
    if not np.isfinite(matrix).all():
        return False
    values = np.linalg.svd(matrix, compute_uv=False)
    return bool(values[-1] > SINGULAR * values[0])


FIRST, SHORTEST, LONGER = 1 / 8, 1e-4, 1.5  # parts of the way
FARTHEST = 0.3  # that an unknown may move on one part of the way [rad, of the machine's size]
WITHOUT = ("diagnosis", "newton", LOOPS)  # methods that tell of such states, or begin elsewhere


def try_again(robot: Described, kernel: Kernel, arrays: tuple[ArrayLike, ...], result: Results) -> None:
    """Fill those rows of a result that are not finite and that a path from home reaches."""
    method, options, _ = next(key for key, made in robot._kernels.items() if made is kernel)
    if (
        "c" not in kernel.inputs
        or method in WITHOUT
        or not unknown_home(placement_plan(robot.mechanism))
    ):
        return
    results = result if isinstance(result, tuple) else (result,)
    shapes = list(kernel.outputs.values())
    batch = results[0].shape[: results[0].ndim - len(shapes[0])]
    flat = [each.reshape(-1, *shape) for each, shape in zip(results, shapes, strict=True)]
    inputs = [np.asarray(array, dtype=np.float64) for array in arrays]
    rows = [np.broadcast_to(x, (*batch, x.shape[-1])).reshape(-1, x.shape[-1]) for x in inputs]
    given = np.all([np.isfinite(each).all(axis=-1) for each in rows], axis=0)
    found = np.all([np.isfinite(each.reshape(len(each), -1)).all(axis=-1) for each in flat], axis=0)
    lost = np.flatnonzero(given & ~found)
    if not len(lost):
        return
    c = rows[list(kernel.inputs).index("c")][lost]
    guess = followed(robot, c)
    reached = np.isfinite(guess).all(axis=-1)
    if not reached.any():
        return
    lost, guess = lost[reached], guess[reached]
    again = robot._compiled(method, replace(options, runtime=(*options.runtime, GUESS)))
    values, _ = again.evaluate((*(each[lost] for each in rows), guess))
    for place, value in zip(flat, values if isinstance(values, tuple) else (values,), strict=True):
        place[lost] = value
    for each, place in zip(results, flat, strict=True):
        if not np.may_share_memory(each, place):  # of an array that the caller gave
            each[...] = place.reshape(each.shape)


def followed(robot: Described, c: Array) -> Array:
    """Unknowns of the loops at coordinates c, (N, unknowns); NaN where the way from home ends before."""
    plan, model = placement_plan(robot.mechanism), robot.mechanism
    kernel = robot._compiled(LOOPS, Options(c.shape[-1], (GUESS,)))
    home = with_quaternions(model, home_angles(model), c.shape[-1])
    four = CoordinateLayout.of(model, c.shape[-1]).four
    goal = c.copy()
    for part in four:  # of both quaternions of a rotation, the nearer one
        goal[:, part] *= np.where(goal[:, part] @ home[part] < 0, -1.0, 1.0)[:, None]
    size = np.where(unknown_slides(plan), robot.size, 1.0)
    unknowns = np.tile(unknown_home(plan), (len(c), 1))
    done, part_of_way = np.zeros(len(c)), np.full(len(c), FIRST)
    going = np.arange(len(c))
    while len(going):
        share = np.minimum(done[going] + part_of_way[going], 1.0)
        here = home + share[:, None] * (goal[going] - home)
        for part in four:
            here[:, part] /= np.linalg.norm(here[:, part], axis=-1, keepdims=True)
        here = np.where((share == 1.0)[:, None], c[going], here)
        moved = np.asarray(kernel.evaluate((here, unknowns[going]))[0])
        change = np.abs(moved - unknowns[going])
        turned = np.where(unknown_slides(plan), change, np.minimum(change, np.abs(2 * np.pi - change)))
        with np.errstate(invalid="ignore"):
            good = (turned <= FARTHEST * size).all(axis=-1)
        ahead = going[good]
        unknowns[ahead], done[ahead] = moved[good], share[good]
        part_of_way[ahead] *= LONGER
        part_of_way[going[~good]] /= 2
        going = going[(done[going] < 1.0) & (part_of_way[going] >= SHORTEST)]
    unknowns[done < 1.0] = np.nan
    return unknowns


def check_mobility(model: MechanismModel, document: Document, source: str) -> None:
    """A RobotFileError, at the line of `coordinates`, if the mechanism moves otherwise."""
    from linkwork.files.faults import error_of  # not needed by robots that were read before
    from linkwork.mechanics.mechanism.dynamics import massless_coordinates
    from linkwork.mechanics.mechanism.planning.analysis import MobilityError

    try:
        plan = placement_plan(model)
        if idle := massless_coordinates(plan):
            text = f"{model.name} at home: {', '.join(idle)} can move without moving any mass"
            raise MobilityError(f"{text}: no acceleration follows from a force.")
    except MobilityError as error:
        text = str(error)
        what = f"{text.rstrip('.')}. {way_out(model, text)}"
        raise error_of(source, [document.fault(("coordinates",), what)]) from None


def check_home(model: MechanismModel, document: Document, source: str) -> None:
    """A RobotFileError, at the line of `home`, if motors do not determine all coordinates there."""
    from linkwork.files.faults import error_of
    from linkwork.mechanics.mechanism.dynamics import actuation_at_home

    plan = placement_plan(model)
    # Lengths in the size of the machine: work per unit of a coordinate, and of a motor's own motion.
    turning = {joint.name for joint in model.joints if joint.is_revolute}
    rows = [1.0 if each.pose in POSE[3:] else model.size for each in model.coordinates]
    columns = [1.0 if name in turning else 1 / model.size for name in model.effort_names]
    sizes = np.linalg.svd(actuation_at_home(plan) * np.outer(rows, columns), compute_uv=False)
    if sizes[-1] <= SINGULAR_HOME * sizes[0]:
        what = (
            "is a parallel singularity: the platform can move there while all actuators stand still."
            " Choose another home, or actuate other joints"
        )
        raise error_of(source, [document.fault(("home",), what)])


def way_out(model: MechanismModel, text: str) -> str:
    """What to do about it."""
    spinning = _between_balls(model)
    if "without moving any mass" in text:
        return "Give the bodies that it moves mass or inertia, or the joint a rotor."
    if "still move" in text and "cannot move" in text:
        return "Declare coordinates among those that move instead of those that cannot."
    if "still move" in text:
        if spinning:
            return (
                f"{', '.join(spinning)} may spin between two balls: write it as a rod (`rods:`), which"
                " has no spin."
            )
        return (
            "Declare more coordinates, or add what holds them: a joint, a rod or a coupling that was"
            " left out."
        )
    if "cannot move" in text:
        return "Take them out of the coordinates, or take out a joint that holds them."
    if "depend on each other" in text:
        return "Declare coordinates that move on their own."
    return ""


def _between_balls(model: MechanismModel) -> list[str]:
    """Bodies that only two ball joints hold."""
    found = []
    for part in model.parts:
        kinds = [joint.kind for joint in model.joints if part.name in joint.joins]
        struts = [each for each in model.struts if part.name in each.joins]
        if kinds == ["spherical", "spherical"] and not struts:
            found.append(part.name)
    return found
