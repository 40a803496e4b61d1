"""Joint positions that bring the tip of an arm to a pose: damped least squares within limits."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from linkwork.interface.arm import Arm
from linkwork.interface.robot import Array
from linkwork.rotations import quaternion_of, to_vector

STEPS = 100
DAMPING = 0.1  # of the greatest singular value: keeps steps finite beside singularities
LONGEST_STEP = 0.2  # rad, or share of the arm's length
CLOSE = 1e-9


class Reached(NamedTuple):
    """Joint positions, and by how much the tip misses [m, rad]."""

    q: Array
    distance: float
    angle: float


def limits_of(arm: Arm) -> tuple[Array, Array]:
    """Lowest and highest joint positions; infinite where there is no limit."""
    pairs = [joint.limits.position or (-np.inf, np.inf) for joint in arm.model.joints]
    low, high = np.array(pairs).T
    return low, high


def solve(arm: Arm, q: Array, target: Array, length: float, turn: bool = True) -> Reached:
    """The nearest approach to `target` (4, 4), from `q` on; joints at a limit stay there.

    Args:
        length: typical of the arm [m]; weighs positions against turns.
        turn: whether the orientation counts too.
    """
    low, high = limits_of(arm)
    q = np.clip(np.asarray(q, dtype=np.float64), low, high)
    best, error = q, _error(arm, q, target, length, turn)
    damping = DAMPING
    for _ in range(STEPS):
        if np.linalg.norm(error) < CLOSE:
            break
        J = arm.jacobian(best)
        J = np.concatenate([J[:3] / length, J[3:]]) if turn else J[:3] / length
        step = _step(J, error, damping, best, low, high)
        step *= min(1.0, LONGEST_STEP / max(float(np.abs(step).max()), 1e-12))
        trial = np.clip(best + step, low, high)
        missed = _error(arm, trial, target, length, turn)
        if np.linalg.norm(missed) < np.linalg.norm(error):
            best, error, damping = trial, missed, max(damping / 4, 1e-6)
        else:
            damping *= 8
            if damping > 1e3:
                break
    angle = float(np.linalg.norm(error[3:])) if turn else 0.0
    return Reached(best, float(np.linalg.norm(error[:3])) * length, angle)


def _step(J: Array, error: Array, damping: float, q: Array, low: Array, high: Array) -> Array:
    """A damped step of the joints that are free to make it: those at a limit do not push on."""
    free = np.ones(len(q), dtype=bool)
    step = np.zeros(len(q))
    for _ in range(len(q)):
        A = J[:, free]
        size = damping * max(float(np.linalg.norm(A)), 1e-9)
        step[:] = 0.0
        step[free] = np.linalg.solve(A.T @ A + size**2 * np.eye(A.shape[1]), A.T @ error)
        stuck = free & (((q <= low) & (step < 0)) | ((q >= high) & (step > 0)))
        if not stuck.any():
            break
        free &= ~stuck
        if not free.any():
            return np.zeros(len(q))
    return step


def _error(arm: Arm, q: Array, target: Array, length: float, turn: bool) -> Array:
    """Position in lengths of the arm, then the rotation vector from the tip to the target."""
    frame = arm.forward_kinematics(q)
    away = (target[:3, 3] - frame[:3, 3]) / length
    return (
        np.concatenate([away, to_vector(quaternion_of(target[:3, :3] @ frame[:3, :3].T))])
        if turn
        else away
    )
