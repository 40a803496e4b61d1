"""States that Newton's method does not reach from home in the steps of a kernel, reached on a path.

The coordinates are led from home to where they are asked for, and the loops are followed: each part of
the way begins where the one before has ended and is short enough that the unknowns move little, so that
they stay on the branch of home. A way that meets a singularity, or leaves the reach of the mechanism,
ends there, and the state is refused as before.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.interface.compiled import Array
from linkwork.kernels import Kernel
from linkwork.mechanics.mechanism.coordinates import Layout, home_angles, with_quaternions
from linkwork.mechanics.mechanism.methods import GUESS, LOOPS, Options
from linkwork.mechanics.mechanism.newton import home_values, slides
from linkwork.mechanics.mechanism.robot_dynamics import planned

if TYPE_CHECKING:
    from linkwork.interface.described import Described

FIRST, SHORTEST, LONGER = 1 / 8, 1e-4, 1.5  # parts of the way
FARTHEST = 0.3  # that an unknown may move on one part of the way [rad, of the machine's size]
WITHOUT = ("diagnosis", "newton", LOOPS)  # methods that tell of such states, or begin elsewhere


def try_again(robot: Described, kernel: Kernel, arrays: tuple[Any, ...], result: Any) -> None:
    """Fill those rows of a result that are not finite and that a path from home reaches."""
    method, options = next(key for key, made in robot._kernels.items() if made is kernel)
    if "c" not in kernel.inputs or method in WITHOUT or not home_values(planned(robot.mechanism)):
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
    plan, model = planned(robot.mechanism), robot.mechanism
    kernel = robot._compiled(LOOPS, Options(c.shape[-1], (GUESS,)))
    home = with_quaternions(model, home_angles(model), c.shape[-1])
    four = Layout.of(model, c.shape[-1]).four
    goal = c.copy()
    for part in four:  # of both quaternions of a rotation, the nearer one
        goal[:, part] *= np.where(goal[:, part] @ home[part] < 0, -1.0, 1.0)[:, None]
    size = np.where(slides(plan), robot.size, 1.0)
    unknowns = np.tile(home_values(plan), (len(c), 1))
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
        turned = np.where(slides(plan), change, np.minimum(change, np.abs(2 * np.pi - change)))
        with np.errstate(invalid="ignore"):
            good = (turned <= FARTHEST * size).all(axis=-1)
        ahead = going[good]
        unknowns[ahead], done[ahead] = moved[good], share[good]
        part_of_way[ahead] *= LONGER
        part_of_way[going[~good]] /= 2
        going = going[(done[going] < 1.0) & (part_of_way[going] >= SHORTEST)]
    unknowns[done < 1.0] = np.nan
    return unknowns
