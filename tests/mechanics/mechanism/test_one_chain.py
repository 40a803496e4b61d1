"""A mechanism that is one chain of driven joints is computed as the arm that it is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import linkwork as lw
from linkwork.model.families.arm import arm_of_mechanism
from linkwork.model.geometry import Body, Transform
from linkwork.model.mechanism import Coordinate, MechanismJoint, MechanismModel, Part
from linkwork.robot.robot import Mechanism

ARMS = ("ur5", "puma560")
METHODS = ("inverse_dynamics", "forward_dynamics", "mass_matrix", "bias", "gravity_load")


def states(n: int, count: int = 20) -> tuple[np.ndarray, ...]:
    return tuple(np.random.default_rng(3).normal(size=(3, count, n)))


@pytest.mark.parametrize("name", ARMS)
def test_an_expanded_arm_has_the_kernels_of_the_arm(name: str):
    arm = lw.load(name)
    mechanism = Mechanism(arm.mechanism)
    state = states(arm.n)
    for method in METHODS:
        assert mechanism.kernel(method).counts == arm.kernel(method).counts
        inputs = state[: len(arm.kernel(method).inputs)]
        assert np.array_equal(getattr(mechanism, method)(*inputs), getattr(arm, method)(*inputs))


@pytest.mark.parametrize("name", ARMS)
@pytest.mark.parametrize("drawn", [False, True])
def test_what_acts_on_a_chain(name: str, drawn: bool):
    """Wrench, gravity, base motion, friction and rotors; also of a drawing that is only numbers."""
    arm = lw.load(name)
    mechanism = Mechanism(replace(arm.mechanism, arm=None) if drawn else arm.mechanism)
    assert arm_of_mechanism(mechanism.model) is not None
    state, rng = states(arm.n), np.random.default_rng(4)
    wrench, base, gravity = (rng.normal(size=(20, k)) for k in (6, 9, 3))
    cases = [
        ({"wrench": wrench}, {"tip_wrench": -wrench}),
        ({"base_motion": base, "gravity": gravity},) * 2,
        ({"friction": False, "rotors": False},) * 2,
    ]
    for given, expected in cases:
        for method in METHODS[:2]:
            found = getattr(mechanism, method)(*state, **given)
            np.testing.assert_allclose(
                found, getattr(arm, method)(*state, **expected), rtol=1e-10, atol=1e-11
            )


def test_a_drawing_costs_what_its_arm_costs():
    """But for the plan that was searched for at length."""
    for name in ARMS:
        arm = lw.load(name)
        plain = lw.Arm(replace(arm.model, operation_plan=""))
        drawn = Mechanism(replace(arm.mechanism, arm=None))
        for method in METHODS:
            counts = [robot.kernel(method).counts for robot in (drawn, plain)]
            operations = [each.multiplications + each.additions for each in counts]
            assert operations[0] <= 1.02 * operations[1]


def test_a_load_and_other_masses_are_not_forgotten():
    arm = lw.load("ur5")
    state = states(arm.n)
    mechanism = Mechanism(arm.mechanism).with_payload(2.0, (0.01, 0.02, 0.05))
    plain = Mechanism(arm.mechanism).inverse_dynamics(*state)
    assert np.abs(mechanism.inverse_dynamics(*state) - plain).max() > 0.1
    values = mechanism.parameters.values * 1.1
    scaled = mechanism.with_parameters(values)
    np.testing.assert_allclose(
        scaled.inverse_dynamics(*state), scaled.regressor(*state) @ values, rtol=1e-9, atol=1e-9
    )


def bar(name: str, center: tuple[float, float, float], mass: float = 1.0) -> Part:
    return Part(name, Body.of(mass, center, np.diag([0.02, 0.03, 0.01])), Transform.of(None, center))


def crooked(**changes: object) -> MechanismModel:
    """Joints drawn from either side, a body fixed to another one, coordinates in another order."""
    joints = (
        MechanismJoint("lift", "prismatic", ("b", "a"), np.zeros(3), (np.array([0.0, 0, 1]),), True),
        MechanismJoint(
            "turn", "revolute", ("base", "a"), np.array([0.1, 0, 0]), (np.array([0.0, 0.6, 0.8]),), True
        ),
        MechanismJoint("weld", "fixed", ("c", "b"), np.zeros(3)),
        MechanismJoint(
            "wrist", "revolute", ("c", "d"), np.array([0.2, 0.3, 0.1]), (np.array([1.0, 0, 0]),), True
        ),
    )
    parts = (
        bar("d", (0.2, 0.4, 0.1)),
        bar("c", (0.2, 0.1, 0.3)),
        bar("a", (0.3, 0, 0.1)),
        bar("b", (0, 0.2, 0.2)),
    )
    coordinates = tuple(Coordinate(name) for name in ("wrist", "turn", "lift"))
    order = ("lift", "turn", "wrist")
    model = MechanismModel("crooked", parts, coordinates, joints, order=order)
    model = replace(model, tool=("d", Transform.of(None, [0.2, 0.5, 0.1])))
    return replace(model, **changes)


def test_a_chain_is_found_however_it_is_drawn():
    model = crooked()
    arm = arm_of_mechanism(model)
    assert arm is not None
    assert arm.joint_names == ("turn", "lift", "wrist")
    found = Mechanism(model)
    general = Mechanism(replace(model, tool=("a", Transform())))  # its tool is not at the end
    assert arm_of_mechanism(general.model) is None
    c, cd, cdd = states(3)
    np.testing.assert_allclose(
        found.inverse_dynamics(c, cd, cdd), general.inverse_dynamics(c, cd, cdd), rtol=1e-11, atol=1e-11
    )
    tau = found.inverse_dynamics(c, cd, cdd)
    np.testing.assert_allclose(found.forward_dynamics(c, cd, tau), cdd, rtol=1e-9, atol=1e-9)
    for method in ("mass_matrix", "gravity_load"):
        np.testing.assert_allclose(
            getattr(found, method)(c), getattr(general, method)(c), rtol=1e-11, atol=1e-11
        )
    np.testing.assert_allclose(found.bias(c, cd), general.bias(c, cd), rtol=1e-11, atol=1e-11)


def test_more_than_a_chain_is_not_taken_for_one():
    model = crooked()
    undriven = tuple(replace(joint, motor=joint.name != "lift") for joint in model.joints)
    assert arm_of_mechanism(replace(model, joints=undriven)) is None
    assert arm_of_mechanism(replace(model, tool=("a", Transform()))) is None
    for name in ("palletizer", "two-arms", "hexapod-with-arm", "gripper"):
        assert arm_of_mechanism(lw.load(name).model) is None
