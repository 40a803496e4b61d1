"""Coordinates from actuators by Newton's method.

Legs with a closed form need no passive joints: the rod of an actuated arm, or an actuated telescope,
keeps a distance, S.(dp + dtheta x b) = (l^2 - S.S)/2, S leading from the knee to the platform's point.
In other legs the passive joints are eliminated: what remains of P dx + e across their columns must
vanish. The error that is left is that of inverse kinematics on the home branch, so that another
assembly of the legs is never taken for a solution.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from linkwork.mechanics.expressions import SX, cross, number, times, zeros
from linkwork.mechanics.linear import solve_orthogonal
from linkwork.mechanics.parallel.chain import Configuration, home_place, turned
from linkwork.mechanics.parallel.coordinates import by_twist, chosen, pose_of
from linkwork.mechanics.parallel.kinematics import Posture, posture
from linkwork.mechanics.parallel.left_inverse import Tall, left_inverse
from linkwork.mechanics.parallel.mechanism import LegPlan, LegState, Mechanism, tip_arm
from linkwork.mechanics.parallel.newton import closure_error, moved
from linkwork.mechanics.pose import turned_by
from linkwork.robots.parallel import ParallelModel

STEPS = 6


@dataclass(frozen=True, eq=False)
class _Unknown:
    """The coordinates on the way: six values, or a position and a quaternion."""

    model: ParallelModel
    size: int
    values: SX  # independent, then parasitic

    @property
    def parasitic(self) -> SX | None:
        return self.values[self.size :] if self.model.parasitic else None

    @property
    def c(self) -> SX:
        return self.values[0 : self.size]

    def stepped(self, dx: SX) -> _Unknown:
        d = self.model.freedoms
        if not by_twist(self.model, self.size):
            return _Unknown(self.model, self.size, self.values + dx)
        turned_c = turned_by(self.values[d - 3 : d + 1], dx[d - 3 : d])
        return _Unknown(
            self.model, self.size, ca.vertcat(self.values[0 : d - 3] + dx[0 : d - 3], turned_c)
        )


def _is_distance(plan: LegPlan) -> bool:
    """Whether the only actuator of a leg is the arm or the slide of its closed form."""
    actuated = [k for k, joint in enumerate(plan.chain.leg.joints) if joint.actuated]
    if plan.form is None:
        return False
    return actuated == [0 if plan.form.plan == "arm-rod" else plan.chain.n - 1]


@dataclass(frozen=True, eq=False)
class _Rod:
    """A distance to keep: from the knee (base axes) to the platform's point."""

    knee: SX
    squared: SX


def _rod(plan: LegPlan, q: SX) -> _Rod:
    chain = plan.chain
    here = moved_actuators(Configuration(chain, home_place(chain)), [q])
    R, p, tip = number(chain.base.R), number(chain.base.p), chain.tip.p
    assert plan.form is not None
    if plan.form.plan == "telescope":
        along = here.place.heights[-1] + float(tip[2])
        return _Rod(p, float(tip[0] ** 2 + tip[1] ** 2) + along * along)
    knee = here.origin(0) + turned(here.place.turns[0], here.origin(1))
    return _Rod(p + times(R, knee), SX(float(tip @ tip)))


def moved_actuators(configuration: Configuration, values: list[SX]) -> Configuration:
    """A leg with its actuated joints at given coordinates, the others as they are."""
    place, chain = configuration.place, configuration.chain
    home = home_place(chain)
    actuated = [k for k, joint in enumerate(chain.leg.joints) if joint.actuated]
    for k, step in enumerate(chain.steps):
        if step.kind == "fixed" or step.joint not in actuated:
            continue
        q = step.sign * values[actuated.index(step.joint)]
        if step.kind == "revolute":
            (c0, s0), c, s = home.turns[k], ca.cos(q), ca.sin(q)
            place = place.with_step(k, turn=(c0 * c - s0 * s, s0 * c + c0 * s))
        else:
            place = place.with_step(k, height=home.heights[k] + q)
    return Configuration(chain, place)


def _plane(plan: LegPlan) -> tuple[SX, float] | None:
    """Normal (base axes) and height over the knee of the plane that a leg of two joints moves in."""
    if plan.chain.n != 2:
        return None
    joints = plan.chain.leg.joints
    turning = joints[0] if joints[0].is_revolute else joints[1]
    both = joints[0].is_revolute and joints[1].is_revolute
    if both and np.linalg.norm(np.cross(joints[0].axis, joints[1].axis)) > 1e-12:
        return None
    return number(turning.axis), float(turning.axis @ (plan.chain.leg.end.at - turning.at))


def newton(mechanism: Mechanism, actuators: SX, guess: SX, steps: int = STEPS) -> tuple[SX, SX]:
    """The coordinates after some steps, and the error of the actuators that is left [m, rad]."""
    model = mechanism.model
    start = posture(mechanism, guess)
    values = guess
    if model.parasitic:
        assert start.pose.angles is not None
        six = ca.vertcat(start.pose.position, start.pose.angles)
        values = ca.vertcat(guess, *[six[place] for place in model.dependent])
    unknown = _Unknown(model, guess.numel(), values)
    given = _by_leg(mechanism, actuators)
    distance = [
        _is_distance(plan) and (plan.chain.n == 3 or not model.parasitic or _plane(plan) is not None)
        for plan in mechanism.legs
    ]
    rods = [_rod(plan, given[k][0]) if distance[k] else None for k, plan in enumerate(mechanism.legs)]
    found = [moved_actuators(leg.configuration, given[k]) for k, leg in enumerate(start.legs)]
    for _ in range(steps):
        pose = pose_of(model, unknown.c, unknown.parasitic)
        columns_of_twist = chosen(pose.B, (*model.independent, *model.dependent))
        columns = [columns_of_twist[:, k] for k in range(columns_of_twist.shape[1])]
        rows: list[list[SX]] = [[] for _ in columns]
        right: list[SX] = []
        general: list[tuple[int, LegState, SX]] = []
        for k, plan in enumerate(mechanism.legs):
            b, rod = tip_arm(plan, pose.R), rods[k]
            if rod is not None:
                S = pose.position + b - rod.knee
                wrench = ca.vertcat(S, cross(b, S))
                for row, column in zip(rows, columns, strict=True):
                    row.append(ca.dot(wrench, column))
                right.append((rod.squared - ca.sumsqr(S)) / 2)
                plane = _plane(plan) if model.parasitic else None
                if plane is not None:
                    normal, height = plane
                    wrench = ca.vertcat(normal, cross(b, normal))
                    for row, column in zip(rows, columns, strict=True):
                        row.append(ca.dot(wrench, column))
                    right.append(height - ca.dot(normal, S))
                continue
            leg = LegState(plan, found[k], b)
            error = closure_error(found[k], pose.position, pose.R)
            general.append((k, leg, error))
            passive = _passive(leg)
            if plan.form is not None and len(passive) == plan.chain.equations:
                continue  # a leg without actuators that takes no freedom
            across = Tall.of(passive) if passive else None
            for row, column in zip(rows, columns, strict=True):
                motion = leg.tip_motion(column)
                row.append(across.projected(motion) if across else motion)
            right.append(-(across.projected(error) if across else error))
        dx = solve_orthogonal([ca.vertcat(*row) for row in rows], ca.vertcat(*right))
        twist = times(columns_of_twist, dx)
        for k, leg, error in general:
            found[k] = _closed(leg, error + leg.tip_motion(twist))
        unknown = unknown.stepped(dx)
    return unknown.c, _error(posture(mechanism, unknown.c), given)


def _by_leg(mechanism: Mechanism, actuators: SX) -> list[list[SX]]:
    result, k = [], 0
    for plan in mechanism.legs:
        count = sum(joint.actuated for joint in plan.chain.leg.joints)
        result.append([actuators[k + j] for j in range(count)])
        k += count
    return result


def _passive(leg: LegState) -> list[SX]:
    joints = leg.chain.leg.joints
    return [column for column, joint in zip(leg.columns, joints, strict=True) if not joint.actuated]


def _closed(leg: LegState, miss: SX) -> Configuration:
    """The leg after its passive joints took a step towards the platform."""
    passive = _passive(leg)
    if not passive:
        return leg.configuration
    step, dq, k = left_inverse(passive).times(miss), zeros(leg.chain.n), 0
    for j, joint in enumerate(leg.chain.leg.joints):
        if not joint.actuated:
            dq[j] = step[k]
            k += 1
    return moved(leg.configuration, dq)


def _error(found: Posture, given: list[list[SX]]) -> SX:
    total = SX(0)
    for leg, values in zip(found.legs, given, strict=True):
        wanted = moved_actuators(leg.configuration, values)
        for k, step in enumerate(leg.chain.steps):
            if step.kind == "fixed" or not leg.chain.leg.joints[step.joint].actuated:
                continue
            pairs = [(leg.configuration.place.heights[k], wanted.place.heights[k])]
            pairs += list(zip(leg.configuration.place.turns[k], wanted.place.turns[k], strict=True))
            for a, b in pairs:
                total = total + ca.fabs(a - b)  # fmax would hide NaN
    return total * found.guard
