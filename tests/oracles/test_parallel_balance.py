"""Reactions of random parallel robots: Newton's and Euler's equations of every body, one by one.

Motions of the bodies come from their joints by screws in base axes, which share nothing with the
recursions that make the reactions.
"""

from __future__ import annotations

import numpy as np
import pytest

from linkwork.core.rotations import quaternion_of, rotation_of
from linkwork.model.families.parallel import ParallelModel
from tests.oracles.placed_legs import PlacedLeg, placed
from tests.oracles.test_pinocchio_parallel import interpreted, robot_of, state
from tests.random_parallel import random_parallel

TOLERANCE = 1e-10


def link_motions(leg: PlacedLeg, qd: np.ndarray, qdd: np.ndarray) -> list[tuple[np.ndarray, ...]]:
    """Angular velocity and acceleration of every link, and acceleration of its center of mass."""
    found: list[tuple[np.ndarray, ...]] = []
    point, w, al, v, a = np.zeros((5, 3))
    for joint, rate, second in zip(leg.joints, qd, qdd, strict=False):
        arm = joint.point - point
        v = v + np.cross(w, arm)
        a = a + np.cross(al, arm) + np.cross(w, np.cross(w, arm))
        if joint.revolute:
            al = al + joint.axis * second + np.cross(w, joint.axis * rate)
            w = w + joint.axis * rate
        else:
            a = a + joint.axis * second + 2 * np.cross(w, joint.axis * rate)
            v = v + joint.axis * rate
        point = joint.point
        arm = joint.center - point
        found.append((w, al, a + np.cross(al, arm) + np.cross(w, np.cross(w, arm))))
    return found


def wrench_points(leg: PlacedLeg, q: np.ndarray) -> list[np.ndarray]:
    """Where wrenches of the joints are given: a point of the joint's link, which slides with it."""
    return [
        joint.point + (0.0 if joint.revolute else value) * joint.axis
        for joint, value in zip(leg.joints, q, strict=False)
    ]


def needed(
    mass: float, inertia: np.ndarray, gravity: np.ndarray, motion: tuple[np.ndarray, ...]
) -> tuple[np.ndarray, np.ndarray]:
    """Force and moment about the center of mass that a body needs."""
    w, al, a = motion
    return mass * (a - gravity), inertia @ al + np.cross(w, inertia @ w)


def unbalanced(model: ParallelModel, seed: int, braced: bool = False) -> tuple[float, float]:
    """The greatest force or moment that is missing at a body, and the greatest there is."""
    for share in (1.0, 0.1, 0.01):
        c, cd, cdd = state(model, seed, share)
        q, qd, qdd, position, R, twist, acceleration = interpreted(model, "joints", c, cd, cdd)
        if np.isfinite(q).all():
            break
    joints, closures, *other = interpreted(model, "joint_reactions", c, cd, cdd)
    if braced:  # another solution of statics
        joints, closures = other
    (tau,) = interpreted(model, "inverse_dynamics", c, cd, cdd)
    at = placed(model, q, np.concatenate([position, quaternion_of(R)]))
    held = np.zeros(6)  # by the legs, at the platform's origin
    missing, k, motor = [0.0], 0, 0
    for index, (leg, own) in enumerate(zip(model.legs, at.legs, strict=True)):
        n = len(leg.joints)
        tip = at.origin if leg.frame else own.tip
        on_platform = -closures[index]
        held[:3] += on_platform[:3]
        held[3:] += on_platform[3:] + np.cross(tip - at.origin, on_platform[:3])
        points = [*wrench_points(own, q[k : k + n]), tip]
        motions = link_motions(own, qd[k : k + n], qdd[k : k + n])
        for j, (joint, body) in enumerate(zip(leg.joints, own.joints, strict=False)):
            force, moment = needed(body.mass, body.inertia, model.gravity, motions[j])
            last = j + 1 == n
            here = joints[k + j]
            there = closures[index] if last else -joints[k + j + 1]
            given = here[3:] + np.cross(points[j] - body.center, here[:3])
            given = given + there[3:] + np.cross(points[j + 1] - body.center, there[:3])
            missing += [*np.abs(here[:3] + there[:3] - force), *np.abs(given - moment)]
            # Along its freedom a joint passes on what its motor gives, less friction and rotor.
            through = here[3:] if joint.is_revolute else here[:3]
            rate, friction = qd[k + j], joint.friction
            effort = -joint.rotor * qdd[k + j] - friction.viscous * rate
            effort -= friction.coulomb_forward if rate > 0 else friction.coulomb_backward
            if joint.actuated:
                effort += tau[motor]
                motor += 1
            missing.append(abs(float(through @ body.axis) - effort))
        k += n
    top = model.platform
    turn = rotation_of(np.concatenate([position, quaternion_of(R)]))
    arm, inertia, w, al = (
        turn @ top.center_of_mass,
        turn @ top.inertia @ turn.T,
        twist[3:],
        acceleration[3:],
    )
    a = acceleration[:3] + np.cross(al, arm) + np.cross(w, np.cross(w, arm))
    force, moment = needed(top.mass, inertia, model.gravity, (w, al, a))
    missing += [*np.abs(held[:3] - force), *np.abs(held[3:] - moment - np.cross(arm, force))]
    return float(np.max(missing)), float(np.abs(np.vstack([joints, closures])).max())


def check(seed: int) -> None:
    model = random_parallel(seed)
    for braced in (False,) if robot_of(model).determinate else (False, True):
        missing, greatest = unbalanced(model, seed, braced)
        assert missing <= TOLERANCE * greatest


@pytest.mark.parametrize("seed", range(1, 6))
def test_bodies_of_random_robots_are_in_balance(seed: int) -> None:
    check(seed)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(100, 400))
def test_bodies_of_many_random_robots_are_in_balance(seed: int) -> None:
    check(seed)
