"""How far coordinates of a parallel robot are from every limit of its workspace."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from linkwork.interface.parallel_conditioning import condition, scaled
from linkwork.interface.results import ParallelMargins
from linkwork.interface.robot import Array

if TYPE_CHECKING:
    from linkwork.interface.parallel import ParallelRobot


def parallel_margins(robot: ParallelRobot, c: Array, clearance: float) -> ParallelMargins:
    """Of coordinates (N, d); what cannot be asked out of reach is 1 there, so that reach is named."""
    found, home = robot.jacobians(c, errors="nan"), robot.jacobians(robot.home)
    with np.errstate(divide="ignore", invalid="ignore"):
        number = condition(scaled(robot, found.Jx, None))
        reached = np.asarray(
            np.isfinite(found.Jx).all(axis=(-2, -1)) & np.isfinite(found.Jq).all(axis=-1)
        )
        levers = (found.Jq / home.Jq).min(axis=-1)
        effort = np.abs(robot.gravity_load(c, errors="nan"))
        left = (1 - effort / robot.limits.effort).min(axis=-1)
        parallel = _side(found.Jx, home.Jx) / number - clearance
        constraint = np.ones(len(c))
        if robot.model.parasitic:
            constraint = 1 / robot.singularities(c, errors="nan").constraint - clearance
    return ParallelMargins(
        np.where(reached, 1.0, -1.0),
        _known(_joints(robot, c)),
        _known(left),
        np.where(reached & ~(levers > clearance), -1.0, 1.0),
        _known(parallel),
        _known(constraint),
        effort.max(axis=-1),
        number,
    )


def _known(margin: Array) -> Array:
    return np.where(np.isfinite(margin), margin, 1.0)


def _side(Jx: Array, at_home: Array) -> Array | float:
    """1 on home's side of the parallel singularities; more actuators than freedoms have no sides."""
    if Jx.shape[-1] != Jx.shape[-2]:
        return 1.0
    return np.asarray(np.sign(np.linalg.det(Jx)) * np.sign(np.linalg.det(at_home)))


def _joints(robot: ParallelRobot, c: Array) -> Array:
    """The least share of its range that a bounded joint is within it."""
    bounded = [k for k, joint in enumerate(robot.model.joints) if joint.limits.position is not None]
    if not bounded:
        return np.ones(len(c))
    still = np.zeros(robot.freedoms)
    q = robot.joints(c, still, still, errors="nan").q[:, bounded]
    low, high = np.array([robot.model.joints[k].limits.position for k in bounded]).T
    return np.asarray((np.minimum(q - low, high - q) / (high - low)).min(axis=-1))
