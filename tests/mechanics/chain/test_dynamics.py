"""The dynamics object of arms: a load, scales and gravity as symbols, against robots that have them."""

from __future__ import annotations

from dataclasses import replace

import casadi as ca
import numpy as np
import pytest

import linkwork as lw
from linkwork.mechanics.bodies import body_of
from linkwork.mechanics.chain.dynamics import FORWARD, NAMES, ArmDynamics
from linkwork.mechanics.expressions import SX
from linkwork.model.geometry import Body

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
            d.passive_inverse(v, v, a) + d.rotor_inertias * a + d.friction_torques(v),
            *[d.forward(v, SX(ca.DM(tau)), name) for name in FORWARD],
            *[
                d.passive_inverse(v, v, a, name) + d.rotor_inertias * a + d.friction_torques(v)
                for name in NAMES
            ],
        ],
        q,
        qd,
        qdd,
    )
    energy = heavy.energy(q, qd)
    bias = heavy.bias(q, qd, friction=True)
    expected = [tau, tau, tau, bias, heavy.mass_matrix(q), heavy.gravity_load(q)]
    expected += [np.array([energy.kinetic, energy.potential]), qdd, tau]
    expected += [qdd for _ in FORWARD] + [tau for _ in NAMES]
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


def test_the_wrenches_of_the_complement_balance_with_friction() -> None:
    """A (7.48): inertia = w^A + w^G + w^E + w^D + w^C; friction is the actuators' and w^D's alone."""
    arm = lw.load("puma560")
    q, qd, qdd = np.random.default_rng(5).uniform(-1, 1, (3, arm.n))
    tip = np.random.default_rng(6).normal(size=6)
    with_friction, without = (
        arm.natural_complement(q, qd, qdd, tip_wrench=tip, friction=choice) for choice in (True, False)
    )
    tau, rigid = (
        arm.inverse_dynamics(q, qd, qdd, tip_wrench=tip, friction=choice, rotors=False)
        for choice in (True, False)
    )
    T = with_friction.T
    np.testing.assert_allclose(T.T @ with_friction.actuator_wrench, tau, rtol=1e-12)
    np.testing.assert_allclose(-T.T @ with_friction.dissipative_wrench, tau - rigid, atol=1e-12)
    assert qd @ T.T @ with_friction.dissipative_wrench < 0  # friction takes power
    np.testing.assert_array_equal(without.dissipative_wrench, 0)
    np.testing.assert_allclose(without.constraint_wrench, with_friction.constraint_wrench, atol=1e-12)

    motion = arm.link_motion(q, qd, qdd)
    turned = arm.link_frames(q)[:, :3, :3]
    inertial = []
    for k, joint in enumerate(arm.model.joints):
        I = turned[k] @ joint.body.inertia @ turned[k].T  # noqa: E741
        w, al = motion.velocity[k, 3:], motion.acceleration[k, 3:]
        inertial += [*(I @ al + np.cross(w, I @ w)), *(joint.body.mass * motion.center_acceleration[k])]
    kinds = ("actuator", "gravity", "external", "dissipative", "constraint")
    acting = sum(getattr(with_friction, f"{kind}_wrench") for kind in kinds)
    np.testing.assert_allclose(acting, inertial, atol=1e-12 * np.abs(inertial).max())


def test_the_complement_on_a_moving_base() -> None:
    arm = lw.load("stanford")
    q, qd, qdd = np.random.default_rng(8).uniform(-1, 1, (3, arm.n))
    base = np.random.default_rng(9).normal(size=9)
    parts = arm.natural_complement(q, qd, qdd, base_motion=base, friction=False)
    tau = arm.inverse_dynamics(q, qd, qdd, base_motion=base, friction=False, rotors=False)
    np.testing.assert_allclose(parts.T.T @ parts.actuator_wrench, tau, atol=1e-12 * np.abs(tau).max())
    idle = parts.T.T @ parts.constraint_wrench
    np.testing.assert_allclose(idle, 0, atol=1e-12 * np.abs(parts.constraint_wrench).max())


def test_mass_centers_are_where_their_velocities_say() -> None:
    arm = lw.load("stanford")
    q, qd, qdd = np.random.default_rng(7).uniform(-1, 1, (3, arm.n))
    step = 1e-6
    before, here, after = (arm.link_motion(q + k * step * qd, qd, qdd) for k in (-1, 0, 1))
    difference = (after.center - before.center) / (2 * step)
    np.testing.assert_allclose(difference, here.center_velocity, atol=1e-9)
