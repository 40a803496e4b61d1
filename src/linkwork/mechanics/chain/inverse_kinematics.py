"""Joint positions for a pose of the tool, by Levenberg-Marquardt within the limits of the joints.

The error is the position in lengths of the arm, in base axes, and twice the vector part of the
quaternion from the target to the frame, in the target's axes: 2 sin(angle/2) u, which grows up to half
a turn. Its exact derivative is w omega + omega x v. Damping in proportion to the squared error
(Sugihara 2011) vanishes at a solution, where the steps become Newton's, and its factor adapts where
the target is out of reach. A joint at its limit that the error pushes further stands still (Bertsekas
1982), so what remains beyond reach is the nearest pose within the limits.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from linkwork.mechanics.chain.chain import Chain, chain_of, layout
from linkwork.mechanics.chain.kinematics import frame_jacobian, link_frames
from linkwork.mechanics.expressions import SX, cross, rotation_wxyz, row_major, times
from linkwork.mechanics.linear import solve_symmetric
from linkwork.model.families.arm import ArmModel

STEPS = 5
LEAST_DAMPING = 4e-13  # keeps the matrix definite at a singular solution
LEAST_FACTOR, LARGEST_FACTOR = 1e-9, 1e9
EASE, BRAKE = 0.2, 8.0
SMALLEST_COSINE = 1e-24  # of half the angle, squared: half a turn has no direction of its own
ROTATION_TOLERANCE = 1e-6


@dataclass(frozen=True)
class InverseKinematicsOptions:
    """What is folded into the steps.

    Args:
        frame: index of the link frame that is to reach the target.
        mask: which of x y z (base axes) and the turns about x y z (target's axes) count.
        limits: whether joints keep their limits.
        matrix: targets are 4 x 4 matrices, row after row, not x y z and quaternion.
        posture: whether the joints are drawn to given positions, as far as the target leaves them free.
    """

    frame: int
    mask: tuple[bool, ...] = (True,) * 6
    limits: bool = True
    matrix: bool = False
    posture: bool = False


@dataclass(frozen=True)
class Iterate:
    """Joint positions, the error there, its derivative and its square."""

    q: SX
    e: SX
    J: SX
    cost: SX


def reach(model: ArmModel) -> float:
    """A length typical of the arm [m]: it weighs positions against turns."""
    steps = [np.linalg.norm(joint.before.p) + np.linalg.norm(joint.after.p) for joint in model.joints]
    return max(float(sum(steps)) / 2, 1e-3)


def bounds(model: ArmModel, limits: bool) -> tuple[np.ndarray, np.ndarray]:
    """Lowest and highest joint positions; infinite where there is no limit."""
    pairs = [(limits and joint.limits.position) or (-np.inf, np.inf) for joint in model.joints]
    low, high = np.array(pairs, dtype=np.float64).T
    return low, high


class _Problem:
    """One target for one arm."""

    def __init__(self, model: ArmModel, options: InverseKinematicsOptions, target: SX) -> None:
        self.model, self.options = model, options
        self.length = reach(model)
        self.where = layout(model)
        self.rows = [k for k, counts in enumerate(options.mask) if counts]
        self.p, self.R = _place(target, options.matrix)
        self.low, self.high = bounds(model, options.limits)
        # Steps are measured in radians, or in lengths of the arm.
        self.unit = np.array([1.0 if joint.is_revolute else self.length for joint in model.joints])

    def at(self, q: SX) -> Iterate:
        chain: Chain = chain_of(self.model, q)
        frame = link_frames(chain, self.where)[self.options.frame]
        J = frame_jacobian(chain, frame[0:3, 3], self.options.frame)
        away = (self.p - frame[0:3, 3]) / self.length
        turned = times(self.R.T, frame[0:3, 0:3])  # the frame as the target sees it
        w, v = _quaternion(turned)
        omega = times(self.R.T, J[3:6, :])
        turn = w * omega
        for k in range(omega.size2()):
            turn[:, k] += cross(omega[:, k], v)
        full = ca.vertcat(J[0:3, :] / self.length, turn)
        e = ca.vertcat(away, -2 * v)[self.rows]
        scaled = times(full, ca.diag(SX(ca.DM(self.unit))))
        return Iterate(q, e, scaled[self.rows, :], ca.sumsqr(e))

    def free(self, state: Iterate) -> SX:
        """1 for joints that may move, 0 for those at a limit that the error pushes further."""
        push = times(state.J.T, state.e)
        flags = []
        for k, (low, high) in enumerate(zip(self.low, self.high, strict=True)):
            held = SX(0)
            if np.isfinite(low):
                held = ca.logic_and(state.q[k] <= low, push[k] < 0)
            if np.isfinite(high):
                held = ca.logic_or(held, ca.logic_and(state.q[k] >= high, push[k] > 0))
            flags.append(1 - held)
        return ca.vertcat(*flags)

    def within(self, q: SX) -> SX:
        parts = []
        for k, (low, high) in enumerate(zip(self.low, self.high, strict=True)):
            part = q[k]
            part = ca.fmax(part, low) if np.isfinite(low) else part
            parts.append(ca.fmin(part, high) if np.isfinite(high) else part)
        return ca.vertcat(*parts)

    def step(self, state: Iterate, factor: SX, pull: SX | None) -> SX:
        """Where a damped step leads. `pull` is the way of the joints to a posture, in their units."""
        n = self.model.n
        free = self.free(state) if self.options.limits else SX.ones(n)
        J = times(state.J, ca.diag(free))
        damping = factor * state.cost + LEAST_DAMPING
        if pull is not None:
            pull = pull * free
        e = state.e if pull is None else state.e - times(J, pull)
        if len(self.rows) <= n:
            A = times(J, J.T) + damping * SX.eye(len(self.rows))
            move = times(J.T, solve_symmetric(A, e))
        else:
            A = times(J.T, J) + damping * SX.eye(n)
            move = solve_symmetric(A, times(J.T, e))
        if pull is not None:
            move = move + pull
        return self.within(state.q + move * self.unit)


def _place(target: SX, matrix: bool) -> tuple[SX, SX]:
    """Position and rotation of a target; not finite if it is not a rotation."""
    if not matrix:
        return target[0:3], rotation_wxyz(target[3:7])
    T = ca.reshape(target, 4, 4).T
    R = T[0:3, 0:3]
    off = ca.sumsqr(times(R.T, R) - SX.eye(3)) + (ca.det(R) - 1) ** 2
    return T[0:3, 3] + ca.if_else(off <= ROTATION_TOLERANCE**2, 0, ca.inf), R


def _quaternion(R: SX) -> tuple[SX, SX]:
    """w >= 0 and v of a rotation matrix; accurate except close to half a turn."""
    w = ca.sqrt(ca.fmax(1 + R[0, 0] + R[1, 1] + R[2, 2], SMALLEST_COSINE)) / 2
    v = ca.vertcat(R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]) / (4 * w)
    return w, v


def _chosen(condition: SX, new: Iterate, old: Iterate) -> Iterate:
    pairs = ((new.q, old.q), (new.e, old.e), (new.J, old.J), (new.cost, old.cost))
    return Iterate(*(ca.if_else(condition, a, b) for a, b in pairs))


def steps(
    model: ArmModel, options: InverseKinematicsOptions
) -> tuple[ca.Function, tuple[tuple[int, ...], ...]]:
    """Some steps: target, q and damping factor to better ones, what is left, and held joints.

    What is left: a distance [m], and the sine of half an angle.

    With `posture`, also its joint positions and the share of the way to them that a step may take.
    """
    target = SX.sym("pose", 16 if options.matrix else 7)
    q, factor = SX.sym("q", model.n), SX.sym("factor")
    inputs = [target, q, factor]
    posture, gain = SX.sym("posture", model.n), SX.sym("gain")
    if options.posture:
        inputs += [posture, gain]
    problem = _Problem(model, options, target)
    state, mu = problem.at(problem.within(q)), factor
    for _ in range(STEPS):
        pull = gain * (posture - state.q) / problem.unit if options.posture else None
        trial = problem.at(problem.step(state, mu, pull))
        # Drawn to a posture, the error may grow for a while.
        better = trial.cost < state.cost
        if pull is not None:
            better = ca.logic_or(better, gain > 0)
        state = _chosen(better, trial, state)
        mu = ca.fmin(ca.fmax(mu * ca.if_else(better, EASE, BRAKE), LEAST_FACTOR), LARGEST_FACTOR)
    position = sum(1 for k in problem.rows if k < 3)
    half = ca.norm_2(state.e[position:]) / 2 if len(problem.rows) > position else SX(0)
    distance = ca.norm_2(state.e[:position]) * problem.length if position else SX(0)
    outputs = {
        "solution": (state.q, (model.n,)),
        "left": (ca.vertcat(distance, half), (2,)),
        "damping": (mu, ()),
        "held": (1 - problem.free(state), (model.n,)),
    }
    function = ca.Function(
        "inverse_kinematics",
        inputs,
        [row_major(value) for value, _ in outputs.values()],
        [x.name() if x.numel() == 1 else x[0].name().rsplit("_", 1)[0] for x in inputs],
        list(outputs),
    )
    return function, tuple(shape for _, shape in outputs.values())
