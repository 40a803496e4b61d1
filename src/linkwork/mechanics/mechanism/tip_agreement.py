"""Whether the reduced expressions of a tip may be used: they are held against the plain recursion.

A reduced arm is the result of several steps of algebra on its numbers. Before a kernel is made from one
its torques, the wrench on its host and its inertia are compared with the plain Newton-Euler recursion on
random states; if they differ, the tip is left to the general formulation and a warning says so.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable

import casadi as ca
import numpy as np

from linkwork.mechanics.arm import newton_euler
from linkwork.mechanics.arm.chain import chain_of
from linkwork.mechanics.arm.rigid import ReductionWarning
from linkwork.mechanics.expressions import SX, cross, times, zeros
from linkwork.mechanics.mechanism.inertial import body_need
from linkwork.mechanics.mechanism.tip_arm import TipArm
from linkwork.mechanics.mechanism.turns import Turn
from linkwork.robots.arm import ArmModel
from linkwork.robots.geometry import Array

STATES = 6
AGREEMENT = 1e-12  # of the largest effort at a joint, or of the host's force or moment
ROUNDING = 1e-14  # of the largest of all
Loads = Callable[[SX, SX, SX, SX], SX]  # of q, qd, qdd and the host's motion


def agrees(arm: ArmModel, moving: TipArm, inertia: TipArm, on_base: bool) -> bool:
    """Whether both reductions of a tip do what the plain recursion does."""
    n = arm.n
    plain, ours = _values(arm, _plain(arm)), _values(arm, _reduced(moving))
    rng = np.random.default_rng(0)
    motions = rng.uniform(-2, 2, (STATES, 3 * n + 9))
    good = _close(np.array([ours(x) for x in motions]), np.array([plain(x) for x in motions]))
    places = rng.uniform(-2, 2, (STATES, n))
    expected = np.array([_by_units(plain, q) for q in places])
    found = np.array([*map(_composite(inertia, n), places)])
    if on_base:  # of which nothing but the joints' own part is used
        expected, found = expected[:, :n, :n], found[:, :n, :n]
    count = expected.shape[1]
    good = good and _close(found.reshape(-1, count), expected.reshape(-1, count))
    if not good:
        warnings.warn(
            f"{arm.name}: the reduced expressions do not agree with the plain recursion to"
            f" {AGREEMENT:.0e}; the general formulation is used. Results are right, only slower.",
            ReductionWarning,
            stacklevel=2,
        )
    return good


def _close(found: Array, expected: Array) -> bool:
    scale = np.abs(expected).max(axis=0)
    return bool((np.abs(found - expected) <= AGREEMENT * scale + ROUNDING * scale.max()).all())


def _values(arm: ArmModel, loads: Loads) -> Callable[[Array], Array]:
    q, qd, qdd = (SX.sym(name, arm.n) for name in ("q", "qd", "qdd"))
    host = SX.sym("host", 9)
    symbols = ca.vertcat(q, qd, qdd, host)
    function = ca.Function("loads", [symbols], [ca.densify(loads(q, qd, qdd, host))])
    return lambda x: np.array(function(x)).ravel()


def _reduced(tip: TipArm) -> Loads:
    """Torques, then force and moment about the host's origin."""

    def loads(q: SX, qd: SX, qdd: SX, host: SX) -> SX:
        moving = host[0:3], host[3:6], host[6:9]
        torques, force, moment = tip.needs(q, qd, qdd, moving, None)
        left = body_need(tip.left, Turn(), *moving)
        return ca.vertcat(*torques, force + left[0], moment + left[1])

    return loads


def _plain(arm: ArmModel) -> Loads:
    def loads(q: SX, qd: SX, qdd: SX, host: SX) -> SX:
        chain = chain_of(arm, q, gravity=zeros(3), base_motion=host)
        pairs = newton_euler.wrenches(chain, qd, qdd)
        torques = [link.along_axis(f, n) for link, (f, n) in zip(chain.links, pairs, strict=True)]
        rotation = chain.links[0].rotation
        force, moment = (times(chain.base_R, rotation.to_parent(each)) for each in pairs[0])
        return ca.vertcat(*torques, force, moment + cross(chain.base_p, force))

    return loads


def _by_units(loads: Callable[[Array], Array], q: Array) -> Array:
    """Inertia of joints and host: loads of unit accelerations from rest, (n + 6, n + 6)."""
    n = len(q)
    rows = []
    for k in [*range(n), *range(n + 6, n + 9), *range(n + 3, n + 6)]:  # A before al, as force, moment
        unit = np.zeros(3 * n + 9)
        unit[:n], unit[2 * n + k] = q, 1.0
        rows.append(loads(unit))
    return np.array(rows)


def _composite(tip: TipArm, n: int) -> Callable[[Array], Array]:
    """The same by the composite, as a function of q."""
    q = SX.sym("q", n)
    found = tip.composite(q)
    result = SX.zeros(n + 6, n + 6)
    result[:n, :n] = found.M
    for k, wrench in enumerate(found.wrenches):
        result[k, n:] = ca.vertcat(*wrench).T
        result[n:, k] = ca.vertcat(*wrench)
    for k in range(6):
        unit = zeros(6)
        unit[k] = 1
        need = body_need(found.whole + tip.left, Turn(), zeros(3), unit[3:6], unit[0:3])
        result[n:, n + k] = ca.vertcat(*need)
    function = ca.Function("inertia", [q], [ca.densify(result)])
    return lambda x: np.array(function(x))
