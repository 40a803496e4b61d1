"""The cheapest trusted expressions of an arm: the reduced ones, held against the plain recursion.

A reduced robot is the result of several steps of algebra on its numbers. Before a kernel is made from
it, its expression is compared with the plain Newton-Euler recursion on random states; if they differ,
the plain recursion is used and a warning says so.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from linkwork.mechanics.chain import composite, modified_newton_euler, newton_euler
from linkwork.mechanics.chain.chain import Chain, chain_of
from linkwork.mechanics.expressions import SX
from linkwork.model.families.arm import ArmModel
from linkwork.model.geometry import Array

# The package `minimal` is needed when an expression is traced: a kernel from the cache does without.
if TYPE_CHECKING:
    from linkwork.mechanics.chain.minimal.operation_plan import Gravity, OperationPlan, Situation
    from linkwork.mechanics.chain.minimal.reduced_arm import ReducedArm

STATES = 6
AGREEMENT = 1e-12  # of the largest torque of a joint
# A torque is one component of a joint's whole moment, in which rounding errors are made.
ROUNDING = 1e-14  # of the largest torque of all, and of the joint's moment
ULP = float(np.finfo(float).eps)  # of the largest moment of all joints
SPREAD = 4.0  # times what two plain recursions differ by, which no comparison can get below


class ReductionWarning(UserWarning):
    """A robot for which the reduced expressions are not used."""


@lru_cache(maxsize=64)
def operation_plan(model: ArmModel, gravity: Gravity) -> OperationPlan:
    """The robot's own plan, or one found quickly. Models are frozen and known by identity."""
    from linkwork.mechanics.chain.minimal.operation_plan import OperationPlan
    from linkwork.mechanics.chain.minimal.search import quick_plan

    return OperationPlan.parse(model.operation_plan, model) or quick_plan(model, gravity)


def own_gravity(model: ArmModel) -> Gravity:
    x, y, z = (float(value) for value in model.gravity)
    return x, y, z


@lru_cache(maxsize=64)
def reduced_arm(model: ArmModel, situation: Situation, textbook: bool = False) -> ReducedArm:
    """A robot by its plan; `textbook` replaces its conditions on the parameters by the usual ones,
    which suit a mass matrix better, in cost and in digits."""
    plan = operation_plan(model, situation.gravity or own_gravity(model))
    from linkwork.mechanics.chain.minimal.reduced_arm import ReducedArm

    return ReducedArm.of(model, replace(plan, conditions=()) if textbook else plan, situation)


def _reduced_arm(model: ArmModel, situation: Situation, textbook: bool = False) -> ReducedArm | None:
    """None for numbers so extreme that the algebra of the reduction fails on them."""
    try:
        return reduced_arm(model, situation, textbook)
    except (ArithmeticError, ValueError):
        return None


def _products(sizes: Array) -> Array:
    """sqrt(s_i s_j) for every state, flat: what an element of M may be as large as."""
    root = np.sqrt(np.abs(sizes))
    return np.asarray((root[:, :, None] * root[:, None, :]).reshape(len(root), -1))


def _values(expressions: list[SX]) -> list[Array]:
    """Expressions at random values of their symbols, one row per state."""
    symbols = ca.vertcat(*ca.symvar(ca.vertcat(*expressions)))
    function = ca.Function("values", [symbols], [ca.densify(x) for x in expressions])
    points = np.random.default_rng(0).uniform(-2, 2, (symbols.numel(), STATES))
    results = [function.call([points[:, k]]) for k in range(STATES)]
    return [
        np.array([np.asarray(row[i], float).ravel() for row in results]) for i in range(len(expressions))
    ]


def _agree(ours: Array, reference: Array, other: Array, whole: Array) -> bool:
    """Whether torques are as good as those of two plain recursions.

    `whole` is the size of each joint's moment or force, of which a torque is one component.
    """
    scale = np.abs(reference).max(axis=0)
    rounded = np.maximum(scale.max(initial=0.0), np.abs(whole).max(axis=0))
    noise = SPREAD * np.abs(other - reference).max(axis=0) + ULP * np.abs(whole).max(initial=0.0)
    allowed = AGREEMENT * scale + ROUNDING * rounded + noise
    return bool((np.abs(ours - reference) <= allowed).all())


def _refuse(model: ArmModel, what: str) -> None:
    warnings.warn(
        f"{model.name}: the reduced {what} does not agree with the plain recursion to "
        f"{AGREEMENT:.0e}; the plain recursion is used instead. Results are right, only slower.",
        ReductionWarning,
        stacklevel=2,
    )


def rigid_torques(
    model: ArmModel,
    q: SX,
    qd: SX,
    qdd: SX,
    gravity: Gravity | None = None,
    runtime: dict[str, SX] | None = None,
) -> SX:
    """Torques of the rigid links.

    Args:
        gravity: replaces the robot's own.
        runtime: expressions of gravity, tip_wrench and base_motion, as chain_of takes them.
    """
    inputs = runtime or {}
    fixed = None if "gravity" in inputs else gravity or own_gravity(model)
    from linkwork.mechanics.chain.minimal.operation_plan import Situation

    situation = Situation(fixed, "base_motion" not in inputs)
    chain = chain_of(
        model,
        q,
        gravity=inputs.get("gravity", None if fixed is None else SX(ca.DM(fixed))),
        tip_wrench=inputs.get("tip_wrench"),
        base_motion=inputs.get("base_motion"),
    )
    plain = ca.vertcat(*modified_newton_euler.torques(chain, qd, qdd))
    reduced = _reduced_arm(model, situation)
    if reduced is not None:
        ours = ca.vertcat(*reduced.torques(q, qd, qdd, inputs))
        wrenches = list(zip(chain.links, newton_euler.wrenches(chain, qd, qdd), strict=True))
        reference = ca.vertcat(*[link.along_axis(f, n) for link, (f, n) in wrenches])
        whole = ca.vertcat(*[ca.norm_2(n if link.revolute else f) for link, (f, n) in wrenches])
        if _agree(*_values([ours, reference, plain, whole])):
            return ours
    _refuse(model, "inverse dynamics")
    return plain


def rigid_mass_matrix(model: ArmModel, q: SX, chain: Chain) -> SX:
    """M of the rigid links; `chain` is that of q."""
    plain = composite.mass_matrix(chain)
    from linkwork.mechanics.chain.minimal.operation_plan import Situation

    reduced = _reduced_arm(model, Situation(own_gravity(model)), textbook=True)
    if reduced is not None:
        ours = reduced.mass_matrix(q)
        bodies = zip(chain.links, composite.composite_bodies(chain), strict=True)
        whole = ca.vertcat(*[ca.trace(body.J) if link.revolute else body.m for link, body in bodies])
        values, expected, sizes = _values([ca.vec(ours), ca.vec(plain), whole])
        diagonal = expected.reshape(-1, model.n, model.n).diagonal(axis1=1, axis2=2)
        allowed = AGREEMENT * _products(diagonal) + ROUNDING * _products(sizes)
        if (np.abs(values - expected) <= allowed).all():
            return ours
    _refuse(model, "mass matrix")
    return plain
