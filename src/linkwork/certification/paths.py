"""Paths as certificates know them: polynomials in roll, pitch, yaw and the other coordinates over time.

Motions are curves of many kinds. Pieces of degree five take position, velocity and acceleration from the
motion at both of their ends, and are halved until between them it is nowhere seen to differ by more than
NEAR_ENOUGH of the robot's size; the tube is wider by twice what was seen.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.certification.areas import DEGREE, Tube
from linkwork.certification.boxes import Array
from linkwork.core.errors import InputError
from linkwork.motion.spaces import angles_of_motion
from linkwork.motion.trajectory import Trajectory
from linkwork.robot.robot import Robot

FEWEST = 8  # pieces
FINEST = (
    2.0**-14
)  # of the duration, below which pieces are not halved: a jump of the acceleration is there
NEAR_ENOUGH = 1e-9
BETWEEN = np.arange(1, 8) / 8  # of each piece, where it is compared with the motion
STEEPEST = 1.4  # rad of pitch, beyond which roll and yaw are hardly told apart


def tube_around(robot: Robot, motion: Trajectory[Any], tube: float, turn: float) -> Tube:
    """All that is as near to a motion, at its time: lengths within `tube`, angles within `turn`."""
    units = np.array(robot.coordinates.by_angles.units)
    around = np.where(units == "rad", turn, tube)
    size = np.where(units == "rad", 1.0, robot.size)
    times = np.linspace(0.0, motion.duration, FEWEST + 1)
    while True:
        pieces, steps = _pieces(robot, motion, times), np.diff(times)
        instants = times[:-1, None] + steps[:, None] * BETWEEN
        actual = _by_angles(robot, motion, instants.reshape(-1))[0].reshape(*instants.shape, -1)
        ours = (pieces[:, None] * BETWEEN[:, None, None] ** np.arange(DEGREE + 1)).sum(axis=-1)
        away = np.abs(actual - ours).max(axis=1)
        coarse = (away > NEAR_ENOUGH * size).any(axis=1) & (steps > FINEST * motion.duration)
        if not coarse.any():
            return Tube(pieces, times, around + 2 * away.max(axis=0))
        times = np.sort(np.concatenate([times, times[:-1][coarse] + steps[coarse] / 2]))


def _by_angles(robot: Robot, motion: Trajectory[Any], t: Array) -> tuple[Array, Array, Array]:
    c, cd, cdd = motion.at(t)
    found = (
        angles_of_motion(robot.coordinates, c, cd, cdd)
        if robot.coordinates.quaternions
        else (c, cd, cdd)
    )
    for three in robot.coordinates.turned:
        steep = np.abs(found[0][:, three.start + 1]) > STEEPEST
        if steep.any():
            raise InputError(
                f"the path pitches by {np.degrees(found[0][steep][0, three.start + 1]):.4g} deg at "
                f"{t[np.argmax(steep)]:.4g} s; certificates count rotations by roll, pitch and yaw, up "
                f"to {np.degrees(STEEPEST):.3g} deg of pitch."
            )
    return found


def _pieces(robot: Robot, motion: Trajectory[Any], times: Array) -> Array:
    """(K, d, 6): the Hermite polynomials of degree five of a parameter from 0 to 1."""
    c, cd, cdd = _by_angles(robot, motion, times)
    T = np.diff(times)[:, None]
    p, v, a = c[:-1], T * cd[:-1], T**2 * cdd[:-1] / 2
    # What is left for the last three coefficients, at the end of the piece.
    rest = c[1:] - p - v - a
    rate = T * cd[1:] - v - 2 * a
    change = T**2 * cdd[1:] - 2 * a
    third = 10 * rest - 4 * rate + change / 2
    fourth = -15 * rest + 7 * rate - change
    fifth = 6 * rest - 3 * rate + change / 2
    return np.stack([p, v, a, third, fourth, fifth], axis=-1)
