"""Random paths of any robot with limits that it can keep, and by how much a motion exceeds them."""

from __future__ import annotations

import numpy as np

import linkwork as lw
from linkwork.motion import PoseWaypoints, Waypoints


def random_case(robot, rng):
    """A smooth path near home, and bounds by name: of acceleration every other time."""
    count = rng.integers(2, 7)
    if robot.coordinates.is_pose:
        home = np.asarray(robot.coordinates.to_angles(robot.home))
        near = 0.05 * robot.size
        path = PoseWaypoints(home + near * rng.uniform(-1, 1, (count, 6)), duration=1.0)
    else:
        home = np.asarray(robot.home)
        near = 1.0 if isinstance(robot, lw.Arm) else 0.05 * robot.size
        path = Waypoints(home + near * rng.uniform(-1, 1, (count, len(home))), duration=1.0)
    position, velocity, _ = path.at(np.linspace(0, 1, 200))
    holding = robot.gravity_load(position)
    slow = robot.inverse_dynamics(position, 1e-3 * velocity, 0 * velocity)
    friction = np.abs(slow - holding).max(axis=0)
    own = robot.limits
    effort = 1.3 * friction + np.abs(holding).max(axis=0) * rng.uniform(1.3, 3)
    effort += np.where(np.isfinite(own.effort), own.effort, 100.0) * rng.uniform(0.2, 0.8, robot.n)
    bounds = {
        "velocity": np.where(np.isfinite(own.velocity), own.velocity, 2.0),
        "acceleration": np.full(robot.n, rng.uniform(2, 30) if rng.random() < 0.5 else np.inf),
        "effort": effort,
    }
    return path, bounds


def excess(robot, fast, bounds, rng, samples=4000) -> float:
    """By which share a motion exceeds a limit at random times, the first and the last instant."""
    t = np.concatenate([rng.uniform(0, fast.duration, samples), [0.0, fast.duration]])
    motion = fast.at(np.sort(t))
    actuators = robot.actuator_motion(*motion)
    shares = {
        "velocity": actuators.velocity,
        "acceleration": actuators.acceleration,
        "effort": robot.inverse_dynamics(*motion),
    }
    return max(float((np.abs(value) / bounds[kind]).max()) for kind, value in shares.items()) - 1


def worst_excess(name: str, first: int, count: int) -> float:
    """Of `count` random paths of a bundled robot; a few have corners, and are refused for them."""
    robot, worst, refused = lw.load(name), -1.0, 0
    for seed in range(first, first + count):
        rng = np.random.default_rng(seed)
        path, bounds = random_case(robot, rng)
        try:
            fast = lw.time_optimal(robot, path, **bounds)
        except lw.InputError as error:
            if "turns sharply" not in str(error):
                raise
            refused += 1
            continue
        worst = max(worst, excess(robot, fast, bounds, rng))
    assert refused <= 0.05 * count
    return worst
