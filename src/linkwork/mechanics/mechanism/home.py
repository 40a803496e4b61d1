"""What a mechanism is like at home, in numbers."""

from __future__ import annotations

from functools import lru_cache

import casadi as ca
import numpy as np

from linkwork.mechanics.expressions import SX, number
from linkwork.mechanics.mechanism.acting import Acting
from linkwork.mechanics.mechanism.dynamics import Dynamics
from linkwork.mechanics.mechanism.plan import Plan, spinning_bodies
from linkwork.mechanics.mechanism.spanning import home_pose
from linkwork.mechanics.mechanism.state import Inputs
from linkwork.robots.geometry import Array
from linkwork.robots.mechanism import POSE

SMALLEST = 1e-12  # of the largest eigenvalue, in units in which masses compare


def dynamics_at_home(plan: Plan) -> Dynamics:
    values = {}
    for each in plan.model.coordinates:
        value = 0.0
        if each.pose is not None:
            value = float(home_pose(plan.model, each.of, each.relative_to)[POSE.index(each.pose)])
        values[each.name] = SX(value)
    inputs = Inputs(values, spins=frozenset(spinning_bodies(plan.model)))
    return Dynamics(plan, inputs, Acting(number(plan.model.gravity)))


def mass_matrix_at_home(plan: Plan) -> Array:
    return np.array(ca.DM(ca.evalf(dynamics_at_home(plan).mass_matrix())))


@lru_cache(maxsize=64)
def actuation_at_home(plan: Plan) -> Array:
    """What unit efforts of the motors do to the coordinates, (d, n)."""
    columns = dynamics_at_home(plan).actuation
    found = [[column[each.name] for column in columns] for each in plan.model.coordinates]
    return np.array(ca.DM(ca.evalf(ca.vertcat(*[ca.horzcat(*row) for row in found]))))


def massless_coordinates(plan: Plan) -> list[str]:
    """Coordinates that can move without moving any mass, which takes a body without any."""
    if all(part.body.mass or part.body.inertia.any() for part in plan.model.parts):
        return []
    M = mass_matrix_at_home(plan)
    scale = np.sqrt(np.maximum(np.diag(M), 0.0))
    names = [each.name for each in plan.model.coordinates]
    if not scale.all():
        return [name for name, size in zip(names, scale, strict=True) if not size]
    values, vectors = np.linalg.eigh(M / np.outer(scale, scale))
    if values[0] > SMALLEST * values[-1]:
        return []
    return [name for name, part in zip(names, np.abs(vectors[:, 0]), strict=True) if part > 1e-3]
