"""The dynamics object of arms: a load, scales and gravity as symbols, against robots that have them."""

from __future__ import annotations

from dataclasses import replace

import casadi as ca
import numpy as np
import pytest

import linkwork as lw
from linkwork.mechanics.arm.dynamics import ArmDynamics
from linkwork.mechanics.bodies import body_of
from linkwork.mechanics.expressions import SX
from linkwork.robots.geometry import Body

ARMS = ("puma560", "stanford", "panda")


def ten(body: Body) -> np.ndarray:
    """The parameters of a body about its frame's origin."""
    c, m = body.center_of_mass, body.mass
    J = body.inertia + m * (c @ c * np.eye(3) - np.outer(c, c))
    return np.array([m, *(m * c), J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]])


LOAD = Body.of(
    2.5, np.array([0.03, -0.02, 0.1]), np.array([[0.02, 1e-3, 0], [1e-3, 0.03, 0], [0, 0, 0.01]])
)


def carrying(arm: lw.Arm, load: Body) -> lw.Arm:
    """The same arm with the load as part of its last link."""
    *joints, last = arm.model.joints
    return lw.Arm(replace(arm.model, joints=(*joints, replace(last, body=last.body.merged_with(load)))))


def values(arm: lw.Arm, express, *arrays) -> list[np.ndarray]:
    """An expression of an arm with a load as numbers: express(dynamics, *symbols of the arrays)."""
    symbols = [SX.sym(f"s{k}", len(array)) for k, array in enumerate(arrays)]
    phi = SX.sym("phi", 10)
    dynamics = ArmDynamics(arm.model, symbols[0], load=body_of(phi))
    found = express(dynamics, *symbols[1:])
    function = ca.Function("f", [phi, *symbols], list(found))
    return [np.asarray(value, float).squeeze() for value in function.call([ten(LOAD), *arrays])]


@pytest.mark.parametrize("name", ARMS)
def test_a_load_is_a_part_of_the_last_link(name: str) -> None:
    arm = lw.load(name)
    heavy = carrying(arm, LOAD)
    rng = np.random.default_rng(1)
    q, qd, qdd = rng.uniform(-1, 1, (3, arm.n))
    tau = heavy.inverse_dynamics(q, qd, qdd)

    found = values(
        arm,
        lambda d, v, a: [
            d.inverse(v, a),
            d.inverse(v, a, "newton-euler"),
            d.inverse(v, a, "lagrange"),
            d.bias(v),
            d.mass_matrix(),
            d.gravity_load(),
            ca.vertcat(*d.energy(v)),
            d.forward(v, SX(ca.DM(tau))),
            d.forward(v, SX(ca.DM(tau)), "articulated"),
            d.passive_inverse(v, v, a) + d.rotor_inertias * a + d.friction_torques(v),
        ],
        q,
        qd,
        qdd,
    )
    energy = heavy.energy(q, qd)
    bias = heavy.bias(q, qd, friction=True)
    expected = [tau, tau, tau, bias, heavy.mass_matrix(q), heavy.gravity_load(q)]
    expected += [np.array([energy.kinetic, energy.potential]), qdd, qdd, tau]
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-10, atol=1e-10 * np.abs(theirs).max())


def test_scales_change_masses_and_friction() -> None:
    arm = lw.load("puma560")
    factors, q, qd, qdd = np.random.default_rng(2).uniform(0.5, 1.5, (4, arm.n))
    joints = []
    for joint, factor in zip(arm.model.joints, factors, strict=True):
        body = joint.body
        scaled = Body.of(factor * body.mass, body.center_of_mass, factor * body.inertia)
        joints.append(replace(joint, body=scaled))
    other = lw.Arm(replace(arm.model, joints=tuple(joints)))
    symbols = [SX.sym(name, arm.n) for name in ("q", "qd", "qdd", "k")]
    dynamics = ArmDynamics(arm.model, symbols[0], mass_scale=symbols[3], friction_scale=SX(2))
    tau = ca.Function("tau", symbols, [dynamics.inverse(symbols[1], symbols[2])])(q, qd, qdd, factors)
    rigid = other.inverse_dynamics(q, qd, qdd, friction=False)
    friction = other.inverse_dynamics(q, qd, qdd) - rigid
    np.testing.assert_allclose(np.asarray(tau).ravel(), rigid + 2 * friction, rtol=1e-11)


def test_friction_may_be_taken_at_another_velocity() -> None:
    arm = lw.load("puma560")
    q, qd, qdd = np.random.default_rng(3).uniform(-1, 1, (3, arm.n))
    symbols = [SX.sym(name, arm.n) for name in ("q", "qd", "qdd")]
    dynamics = ArmDynamics(arm.model, symbols[0])
    expression = dynamics.inverse(symbols[1], symbols[2], friction_velocity=-symbols[1])
    tau = ca.Function("tau", symbols, [expression])(q, qd, qdd)
    rigid = arm.inverse_dynamics(q, qd, qdd, friction=False)
    there = arm.inverse_dynamics(q, -qd, qdd) - arm.inverse_dynamics(q, -qd, qdd, friction=False)
    np.testing.assert_allclose(np.asarray(tau).ravel(), rigid + there, rtol=1e-11)
