"""Every formulation against Pinocchio on random arms: nobody here wrote the reference."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from linkwork.mechanics.chain.dynamics import FORWARD, MASS_MATRICES, NAMES
from linkwork.robot.arm import Arm
from tests.oracles.pinocchio_arm import PinocchioArm
from tests.random_arms import CONVENTIONS, random_arm, random_state
from tests.traced import traced

TOLERANCE = 1e-10
STATES = 3

arms = st.builds(
    random_arm,
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(1, 8),
    convention=st.sampled_from(CONVENTIONS),
)


def assert_close(ours: np.ndarray, theirs: np.ndarray) -> None:
    difference = np.abs(ours - np.reshape(theirs, np.shape(ours))).max()
    assert difference <= TOLERANCE * max(np.abs(theirs).max(), 1e-3)


def compare_everything(model) -> None:
    arm, oracle = Arm(model), PinocchioArm(model)
    q, qd, qdd = random_state(1, (STATES, model.n))
    tip = np.random.default_rng(2).normal(size=(STATES, 6))
    expected = np.array([oracle.torque(*row) for row in zip(q, qd, qdd, tip, strict=True)])
    assert_close(arm.inverse_dynamics(q, qd, qdd, tip_wrench=tip), expected)
    for name in NAMES:
        found = traced(arm, "inverse_dynamics", q, qd, qdd, tip, tip_wrench="input", formulation=name)
        assert_close(found, expected)
    back = np.array([oracle.acceleration(*row) for row in zip(q, qd, expected, tip, strict=True)])
    for name in FORWARD:
        found = traced(
            arm, "forward_dynamics", q, qd, expected, tip, tip_wrench="input", formulation=name
        )
        assert_close(found, back)
    assert_close(arm.forward_dynamics(q, qd, expected, tip_wrench=tip), back)
    masses = np.array([oracle.mass_matrix(row) for row in q])
    assert_close(arm.mass_matrix(q), masses)
    for name in MASS_MATRICES:
        assert_close(traced(arm, "mass_matrix", q, formulation=name).reshape(masses.shape), masses)
    for k in range(STATES):
        assert_close(arm.forward_kinematics(q[k]), oracle.tip_pose(q[k]))
        assert_close(arm.jacobian(q[k]), oracle.jacobian(q[k]))
        kinetic, potential = oracle.energies(q[k], qd[k])
        assert_close(arm.energy(q[k], qd[k]).kinetic, np.array(kinetic))
        assert_close(arm.energy(q[k], qd[k]).potential, np.array(potential))


@settings(max_examples=3)
@given(arms)
@example(random_arm(0, 8, "modified"))
def test_random_arms(model) -> None:
    compare_everything(model)


@pytest.mark.long
@settings(max_examples=300)
@given(arms)
def test_many_random_arms(model) -> None:
    compare_everything(model)


@settings(max_examples=3)
@given(arms)
def test_moving_base(model) -> None:
    arm, oracle = Arm(model), PinocchioArm(model, moving_base=True)
    q, qd, qdd = random_state(3, (STATES, model.n))
    base = np.random.default_rng(4).normal(size=(STATES, 9))
    expected = np.array(
        [oracle.torque(*row[:3], base_motion=row[3]) for row in zip(q, qd, qdd, base, strict=True)]
    )
    assert_close(arm.inverse_dynamics(q, qd, qdd, base_motion=base), expected)
    moving = {"base_motion": "input"}
    for name in NAMES:
        found = traced(arm, "inverse_dynamics", q, qd, qdd, base, formulation=name, **moving)
        assert_close(found, expected)
    for name in FORWARD:
        found = traced(arm, "forward_dynamics", q, qd, expected, base, formulation=name, **moving)
        assert_close(found, qdd)


@settings(max_examples=6)
@given(arms, st.integers(0, 100))
def test_gravity_as_an_argument(model, seed) -> None:
    gravity = np.random.default_rng(seed).normal(size=(STATES, 3))
    arm, oracle = Arm(model), PinocchioArm(model)
    q, qd, qdd = random_state(5, (STATES, model.n))
    ours = arm.inverse_dynamics(q, qd, qdd, gravity=gravity)
    at_rest = arm.gravity_load(q, gravity=gravity)
    for k in range(STATES):
        oracle.model.gravity.linear = gravity[k]
        assert_close(ours[k], oracle.torque(q[k], qd[k], qdd[k]))
        assert_close(at_rest[k], oracle.torque(q[k], 0 * qd[k], 0 * qd[k]))
