"""Forces and moments in the joints of a robot along a motion, as magnitudes."""

from __future__ import annotations

import numpy as np

from linkwork.analysis.skeleton import body_frames
from linkwork.interface.quantity import Quantity, quantity
from linkwork.interface.results import MechanismReactions
from linkwork.interface.robot import Array, Robot
from linkwork.robots.mechanism import BASE

UNITS = {"force": "N", "moment": "N m"}


def reaction_magnitudes(
    robot: Robot, position: Array, reactions: MechanismReactions
) -> tuple[Quantity, ...]:
    """Of the forces and of the moments in every joint, from `robot.reactions` at positions (N, ...).

    In the slide of a cylinder it is the force across it, along which its motor acts, and the moment
    about its end. Where statics determines some components only, the magnitude is that of these.
    """
    force, moment = _borne(robot, position, reactions)
    sizes = {"force": _magnitude(force), "moment": _magnitude(moment)}
    known = [values[np.isfinite(values)] for values in sizes.values()]
    size = max((float(each.max()) for each in known if each.size), default=0.0)  # [N], moments at 1 m
    return tuple(
        quantity(name, reactions.names, UNITS[name], without_rounding(values, size))
        for name, values in sizes.items()
    )


def _borne(robot: Robot, position: Array, reactions: MechanismReactions) -> tuple[Array, Array]:
    """Forces and moments (N, k, 3) that joints must bear."""
    force, moment = reactions.force.copy(), reactions.moment.copy()
    number = {name: k for k, name in enumerate((BASE, *robot.bodies))}
    cylinders = robot.mechanism.cylinders
    frames = body_frames(robot, position) if cylinders else np.empty(0)
    for each in cylinders:
        row = reactions.names.index(f"{each.name} slide")
        start, end = (
            frames[:, number[body], :, :3] @ at + frames[:, number[body], :, 3]
            for body, at in zip(each.joins, (each.start, each.end), strict=True)
        )
        way, pushed = end - start, force[:, row].copy()
        along = way / np.linalg.norm(way, axis=-1, keepdims=True)
        force[:, row] -= (pushed * along).sum(axis=-1, keepdims=True) * along
        moment[:, row] -= np.cross(way, pushed)
    return force, moment


def _magnitude(values: Array) -> Array:
    """Of vectors (..., 3), of their determinate components; NaN where there are none."""
    known = np.isfinite(values)
    size = np.linalg.norm(np.where(known, values, 0.0), axis=-1)
    return np.where(known.any(axis=-1), size, np.nan)


def without_rounding(values: Array, size: float) -> Array:
    """Zeros for what is left of numbers of `size` that cancel; NaN stays, it is not determined."""
    return np.where(np.abs(values) <= 1e-14 * size, 0.0, values)
