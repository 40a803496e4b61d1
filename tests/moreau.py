"""Coulomb friction by time-stepping (Moreau 1988), against which both integrators are compared.

Every step solves for all friction forces at once: of those within their bounds the ones that take most
energy away, a bounded least-squares problem that SciPy solves. Nothing is located in time and no joint
is declared to stick or to slip. Mass matrix, acceleration without Coulomb friction and the Jacobian of
the joints that have it are data. Second order where the motion is smooth; a change between sticking and
slipping costs the square of a step.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.optimize import lsq_linear

import linkwork as lw
from linkwork.core.rotations import from_vector, multiply
from linkwork.model.mechanism import elements

Array = np.ndarray


def with_coulomb(robot: Any, sizes: Array) -> Any:
    """The robot with symmetric Coulomb friction of these sizes and none else of it: at the joints of an
    arm, the legs of a platform, the joints and cylinders of any other."""
    left = iter(np.asarray(sizes, dtype=float).tolist())

    def rubbing(each: Any) -> Any:
        size = next(left)
        return replace(
            each, friction=replace(each.friction, coulomb_forward=size, coulomb_backward=-size)
        )

    if isinstance(robot, lw.Arm):
        return lw.Arm(replace(robot.model, joints=tuple(map(rubbing, robot.model.joints))))
    if isinstance(robot, lw.Platform):
        legs = [
            replace(leg, friction=replace(leg.friction, coulomb=next(left))) for leg in robot.model.legs
        ]
        return lw.Platform(replace(robot.model, legs=tuple(legs)))
    made = {each.name: rubbing(each) for each in elements(robot.mechanism)}
    parts = {
        kind: tuple(made.get(each.name, each) for each in getattr(robot.mechanism, kind))
        for kind in ("joints", "cylinders")
    }
    return lw.Robot(replace(robot.mechanism, **parts))


def joints_with_friction(robot: Any) -> int:
    """How many sizes `with_coulomb` takes."""
    if isinstance(robot, lw.Arm | lw.Platform):
        return robot.n
    return len(elements(robot.mechanism))


def friction_jacobian(robot: Any, c: Array) -> Array:
    """Velocities of those joints per velocity of the robot."""
    if isinstance(robot, lw.Arm):
        return np.eye(robot.n)
    d = len(robot.velocities)
    if isinstance(robot, lw.Platform):
        return np.asarray(robot.leg_kinematics(c, np.eye(d), np.zeros(d)).rate.T)
    return np.asarray(robot.joint_motion(c, np.eye(d), np.zeros(d)).qd.T)


def moved(c: Array, step: Array) -> Array:
    """A position after a small motion; a pose turns by a rotation vector in base axes."""
    if len(c) == len(step):
        return c + step
    turned = multiply(from_vector(step[3:6]), c[3:7])
    return np.concatenate([c[:3] + step[:3], turned / np.linalg.norm(turned), c[7:] + step[6:]])


def time_stepping(
    smooth: Any,
    sizes: Array,
    effort: Callable[[float], Array],
    start: tuple[Array, Array],
    duration: float,
    steps: int,
) -> tuple[Array, Array]:
    """Position and velocity at the end.

    Args:
        smooth: the robot without Coulomb friction.
        sizes: Coulomb friction as `with_coulomb` takes it.
    """
    (c, v), h = start, duration / steps
    before = v
    for k in range(steps):
        middle, speed = moved(c, h / 2 * v), v + (v - before) / 2
        free = v + h * smooth.forward_dynamics(middle, speed, effort((k + 0.5) * h))
        J, M = friction_jacobian(smooth, middle), smooth.mass_matrix(middle)
        # Velocities are u / L', so that kinetic energy is |u|^2 / 2; friction takes D y off u, |y| <= 1.
        L = np.linalg.cholesky(M)
        D = np.linalg.solve(L, (J * (h * sizes)[:, None]).T)[:, sizes > 0]
        u = L.T @ free
        y = lsq_linear(D, u, (-1.0, 1.0), method="bvls", tol=1e-14).x
        before, v = v, np.linalg.solve(L.T, u - D @ y)
        c = moved(c, h / 2 * (before + v))
    return c, v
