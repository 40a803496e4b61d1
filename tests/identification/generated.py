"""Robots with other masses and friction than their files', and what their sensors would have logged."""

from __future__ import annotations

from functools import cache

import numpy as np

import linkwork as lw
from linkwork.identification.logs import Log, checked_log
from linkwork.identification.physical import BaseEstimate, parameter_sizes, possible_parameters
from linkwork.model.parameters import BODY

ENCODER = 2 * np.pi / 2**17
LENGTH_STEP, LENGTH_NOISE = 1e-5, 2e-5  # [m]
TORQUE_NOISE, FORCE_NOISE = 0.01, 0.005  # of the greatest effort


@cache
def possible(name: str) -> lw.Robot:
    """The robot of a file with the nearest bodies that exist: published ones often do not."""
    robot = lw.load(name)
    base = robot.base_parameters()
    sizes = parameter_sizes(robot, *np.ones((3, robot.n)))
    sharp = BaseEstimate(base.values, 1e6 * np.eye(len(base)))
    found = possible_parameters(robot, robot.free_parameters(), base, sharp, sizes)
    return robot.with_parameters(found.values)


def true_robot(robot: lw.Robot, seed: int) -> lw.Robot:
    """All bodies lighter or heavier by up to 40 %, friction too; legs of a platform alike."""
    rng = np.random.default_rng(seed)
    legs = robot.actuated_element == "leg"
    values = np.array(robot.parameters.values)
    factors: dict[str, float] = {}
    for k, name in enumerate(robot.parameters.names):
        owner, _, kind = name.rpartition(".")
        if legs and not owner.startswith("platform"):
            owner = owner.partition(".")[2]
        key = owner if kind in BODY else f"{owner}.{kind}"
        values[k] *= factors.setdefault(key, rng.uniform(0.7, 1.4))
    return robot.with_parameters(values)


def arm_log(arm: lw.Robot, true: lw.Robot, motion, seed: int, rate: float = 250.0, noise=None) -> Log:
    """Joint angles of an encoder and noisy torques; `noise` is one standard deviation per joint."""
    rng = np.random.default_rng(seed)
    time, (q, qd, qdd) = motion.sample(1 / rate)
    tau = true.inverse_dynamics(q, qd, qdd)
    deviation = TORQUE_NOISE * np.abs(tau).max(axis=0) if noise is None else noise
    tau = tau + deviation * rng.normal(size=tau.shape)
    return checked_log(arm, f"generated {seed}", time, np.round(q / ENCODER) * ENCODER, tau)


def platform_log(robot, true, motion, seed: int, rate: float = 100.0, noise=None) -> Log:
    """Lengths of the legs, noisy and quantized, and noisy forces."""
    rng = np.random.default_rng(seed)
    time, (pose, twist, acceleration) = motion.sample(1 / rate)
    force = true.inverse_dynamics(pose, twist, acceleration)
    deviation = FORCE_NOISE * np.abs(force).max(axis=0) if noise is None else noise
    force = force + deviation * rng.normal(size=force.shape)
    lengths = robot.leg_lengths(pose)
    lengths = lengths + LENGTH_NOISE * rng.normal(size=lengths.shape)
    read = np.round(lengths / LENGTH_STEP) * LENGTH_STEP
    return checked_log(robot, f"generated {seed}", time, read, force, lengths=True)


def values_of(found: lw.Identification, true: lw.Robot) -> np.ndarray:
    """The true parameters; those of a law of friction that was chosen by mistake are 0."""
    own = dict(zip(true.parameters.names, true.parameters.values, strict=True))
    return np.array([own.get(name, 0.0) for name in found.robot.parameters.names])


def covered(found: lw.Identification, true: lw.Robot) -> np.ndarray:
    """Whether the intervals of what is shown hold the truth."""
    truth = found.base.matrix @ values_of(found, true)
    inside = (found.interval[:, 0] <= truth) & (truth <= found.interval[:, 1])
    return inside[found.shown]


def typical_error(found: lw.Identification, true: lw.Robot) -> float:
    """RMS of the errors of what is shown, in standard errors: about 1 if these are honest."""
    truth = found.base.matrix @ values_of(found, true)
    errors = (found.estimate - truth) / found.standard_error
    return float(np.sqrt((errors[found.shown] ** 2).mean()))
