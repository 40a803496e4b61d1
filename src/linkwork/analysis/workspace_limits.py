"""Between which values coordinates are looked at for a workspace, and what a pose must keep there."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from linkwork.analysis.reach_bound import reach_bound
from linkwork.errors import InputError
from linkwork.formatting import number
from linkwork.interface.robot import Array, Robot
from linkwork.robots.mechanism import BASE, POSE, Coordinate
from linkwork.rotations import rotation_rpy

TURNS = (np.pi / 2, np.pi / 2, np.pi)  # how far roll, pitch and yaw are followed


def coordinate_range(robot: Robot, k: int, pose: Array) -> tuple[float, float]:
    """Of coordinate k, about a position with rotations by angles."""
    coordinate, start = robot.mechanism.coordinates[k], float(pose[k])
    if coordinate.pose in POSE[3:]:
        far = TURNS[POSE.index(coordinate.pose) - 3]
        return start - far, start + far
    if coordinate.pose is not None:
        low, high = _reach(robot, coordinate, pose)
    else:
        limits = {each.name: each.limits.position for each in robot.elements}
        bounds = limits.get(coordinate.of)
        if bounds is None and robot.coordinates.by_angles.units[k] == "rad":
            return -np.pi, np.pi
        low, high = bounds or (-np.inf, np.inf)
    if not np.isfinite([low, high]).all():
        raise InputError(
            f"{robot.name} slides without limits, so its workspace has no end; add limits: {{position:"
            " [lowest, highest]} to its P joints and cylinders, {length: [shortest, longest]} to"
            " leg_defaults of a platform."
        )
    if low >= high:
        raise InputError(
            f"{robot.name} cannot take this orientation: no position is in reach of all legs."
        )
    # A little more, unevenly: planes of symmetry, often singular ones, are then none of the lattice.
    return low - 0.0113 * (high - low), high + 0.0067 * (high - low)


def _reach(robot: Robot, coordinate: Coordinate, pose: Array) -> tuple[float, float]:
    part, k = robot.mechanism.part(coordinate.of), POSE.index(coordinate.pose or "")
    low, high = reach_bound(robot.mechanism, part.name, part.frame.p, coordinate.relative_to)
    if coordinate.relative_to in robot.bodies:
        origin = robot.mechanism.part(coordinate.relative_to).frame
        # The box of a frame that is turned holds the box: half of its diagonal about its middle.
        middle, half = origin.R.T @ ((low + high) / 2 - origin.p), np.linalg.norm(high - low) / 2
        low, high = middle - half, middle + half
    if robot.coordinates.is_pose:  # what stands on the base and holds it, turned as it is
        moved = rotation_rpy(*pose[3:]) @ part.frame.R.T
        for each in robot.mechanism.cylinders:
            if each.joins == (BASE, part.name) and each.limits.position is not None:
                middle = each.start - moved @ (each.end - part.frame.p)
                longest = each.length + each.limits.position[1]
                low, high = np.maximum(low, middle - longest), np.minimum(high, middle + longest)
    return float(low[k]), float(high[k])


def conditions_of(
    robot: Robot, kinds: Sequence[str], clearance: float, leg_diameter: float
) -> tuple[str, ...]:
    """What a pose must keep, in words, by the kinds of limits that are asked."""
    limits, clear = robot.limits, number(clearance)
    bounded, strong = np.isfinite(limits.position).any(), np.isfinite(limits.effort).any()
    asked = {
        "reach": "all loops closed on their home branches",
        "leg length": "leg lengths" if bounded else "",
        "joint limit": "positions of the joints, as far as the robot file bounds them",
        "force": "forces that hold the pose at rest" if strong else "",
        "effort": "efforts that hold the pose at rest" if strong else "",
        "universal angle": "angles of the joints, as far as the robot file bounds them",
        "singularity": f"a least singular value of the Jacobian above {clear}, on home's side of every"
        " singularity",
        "parallel singularity": f"a reciprocal condition number of Jx above {clear} and levers of the"
        f" actuators above {clear} of those at home, on home's side of every singularity",
        "legs touch": f"legs of {number(1e3 * leg_diameter)} mm do not touch" if leg_diameter else "",
    }
    return tuple(words for kind, words in asked.items() if kind in kinds and words)
