"""Time-optimal durations by TOPP-RA, through its public interface."""

from __future__ import annotations

import logging

import numpy as np
import pytest


def by_toppra(robot, path, bounds, steps) -> float:
    """Of an arm's path under bounds by name [s]; limits at both ends of every step.

    The path is the spline of the library through points of ours, spaced by their distance.
    """
    return toppra_call(robot, path, bounds, steps)()


def toppra_call(robot, path, bounds, steps):
    """What computes this, from points to duration."""
    ta = pytest.importorskip("toppra", reason="toppra has no binary package for this system")
    logging.getLogger("toppra").setLevel(logging.ERROR)
    from toppra import algorithm, constraint

    scheme = constraint.DiscretizationType.Interpolation

    def both(bound):
        return np.stack([-np.ones(robot.n) * bound, np.ones(robot.n) * bound], axis=1)

    limits = [constraint.JointVelocityConstraint(both(bounds["velocity"]))]
    if np.isfinite(bounds["acceleration"]).all():
        limits.append(
            constraint.JointAccelerationConstraint(
                both(bounds["acceleration"]), discretization_scheme=scheme
            )
        )
    limits.append(
        constraint.JointTorqueConstraint(
            robot.inverse_dynamics,
            both(bounds["effort"]),
            np.zeros(robot.n),
            discretization_scheme=scheme,
        )
    )
    from linkwork.motion.arc import along_arc

    way, s = along_arc(path)
    points, grid = way.at(s)[0], np.linspace(0.0, 1.0, steps + 1)

    def duration() -> float:
        curve = ta.SplineInterpolator(s, points)
        found = algorithm.TOPPRA(
            limits, curve, gridpoints=grid, solver_wrapper="seidel", parametrizer="ParametrizeConstAccel"
        )
        return float(found.compute_trajectory(0, 0).duration)

    return duration
