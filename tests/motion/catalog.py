"""One trajectory of every kind, for properties that all must have."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np

import linkwork as lw
from linkwork import motion as m

START = np.array([0.3, -1.0, 0.5, 0.0])
END = np.array([1.1, 0.4, -0.7, 0.0])
POSES = np.array(
    [
        [0.1, 0.0, 0.4, 0.0, 0.0, -0.2],
        [0.2, 0.1, 0.5, 0.3, -0.2, 0.4],
        [0.25, 0.0, 0.55, -0.2, 0.1, 1.5],
        [0.3, 0.0, 0.6, 0.0, 0.0, 0.2],
    ]
)
POINTS = np.array([[0.0, 1.0], [0.5, 0.7], [0.4, -0.3], [1.2, 0.2], [0.6, 0.9], [0.0, 1.0]])
TIMES = np.array([0.0, 0.4, 1.0, 1.3, 2.0, 2.4])
TURNED = (0.3, 0.2, 0.6, 2.0, 0.7, -1.5)


@cache
def hexapod() -> lw.Platform:
    return lw.load_platform("dasgupta1998")


def smooth_poses(t: np.ndarray) -> np.ndarray:
    return np.stack([0.2 + 0.1 * np.sin(t), 0.1 * t, 0.5 + 0 * t, 0.3 * t, np.sin(t), -(t**2)], axis=-1)


def legs() -> m.JointTrajectory:
    lengths = hexapod().leg_lengths(POSES[[0, 3]])
    return m.Quintic(lengths[0], lengths[1], 1.5)


def samples() -> np.ndarray:
    return np.linspace(0, 2, 41)


def line() -> m.RpyLine:
    return m.RpyLine(POSES[0], TURNED, 2.0, 0.2, 1.6)


def sines(t: np.ndarray) -> np.ndarray:
    return np.stack([np.sin(t), np.cos(2 * t)], axis=1)


BUILD: dict[str, Callable[[], m.Trajectory]] = {
    "Quintic": lambda: m.Quintic(START, END, 1.7),
    "Cubic": lambda: m.Cubic(START, END, 1.7),
    "LinearParabolicBlend": lambda: m.LinearParabolicBlend(START, END, 1.7, 0.4),
    "JointLine": lambda: m.JointLine(START, END, m.UniformProfile(1.7)),
    "Trapezoid": lambda: m.Trapezoid(START, END, velocity=1.0, acceleration=3.0),
    "Waypoints": lambda: m.Waypoints(POINTS, TIMES),
    "Waypoints, natural": lambda: m.Waypoints(POINTS, TIMES, ends="natural"),
    "Waypoints, periodic": lambda: m.Waypoints(POINTS, TIMES, ends="periodic"),
    "Excitation": lambda: m.Excitation(START, 0.5, 0.4, 5, seed=3),
    "SampledTrajectory": lambda: m.SampledTrajectory(samples(), sines(samples())),
    "Retimed": lambda: m.Retimed(m.Waypoints(POINTS, TIMES), m.QuinticProfile(1.1)),
    "RpyLine": line,
    "SlerpLine": lambda: m.SlerpLine(POSES[0], TURNED, 2.0, 0.2, 1.6),
    "PoseLine": lambda: m.PoseLine(POSES[0], TURNED, m.QuinticProfile(2.0), turning="axis"),
    "PoseWaypoints": lambda: m.PoseWaypoints(POSES, duration=2.0),
    "PoseWaypoints, natural": lambda: m.PoseWaypoints(POSES, [0, 0.5, 1.2, 2.0], ends="natural"),
    "SampledPoses": lambda: m.SampledPoses(samples(), smooth_poses(samples())),
    "RetimedPoses": lambda: m.RetimedPoses(line(), m.CubicProfile(1.1)),
    "LegLengthTrajectory": lambda: m.LegLengthTrajectory(hexapod(), legs(), POSES[0]),
    "dasgupta-II": lambda: m.published_path("dasgupta-II"),
    "pedrammehr-1": lambda: m.published_path("pedrammehr-1"),
}


@cache
def trajectory_of(name: str) -> m.Trajectory:
    """Built when a test asks for it, not when tests are collected."""
    return BUILD[name]()


# Where the acceleration or its derivative jumps [s], besides the ends.
JUMPS = {
    "Waypoints, natural": list(TIMES[1:-1]),
    "PoseWaypoints, natural": [0.5, 1.2],
    "LinearParabolicBlend": [0.4, 1.3],
    "Trapezoid": [1 / 3, 1.4],
    "dasgupta-II": [0.1, 0.5, 0.6 - 0.08**0.5 / 0.8, 0.08**0.5 / 0.8],
}
