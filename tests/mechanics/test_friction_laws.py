"""Stribeck friction and powers of the velocity: by their formulas, as parameters, in files, at rest."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import linkwork as lw
from linkwork.mechanics.friction import LINEAR
from linkwork.model.joint import Friction

LAW = Friction(0.7, 0.5, -0.4, 0.1, stribeck=0.3, stribeck_velocity=0.2, viscous_power=0.6)
STATE = np.array([[0.1, 0.2]]), np.array([[0.15, -0.3]]), np.array([[1.0, 2.0]])
MECHANISM = """\
kind: mechanism
name: pair
bodies:
  arm: {mass: 1, center_of_mass: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1]}
  slide: {mass: 2, center_of_mass: [1, 0, 0], inertia: [0.1, 0.1, 0.1]}
joints:
  turn: {R: z, joins: [base, arm], at: [0, 0, 0], motor: true, viscous: 0.7, coulomb: [0.5, -0.4],
    stribeck: 0.3, stribeck_velocity: 0.2, viscous_power: 0.6}
  push: {P: x, joins: [arm, slide], motor: true}
coordinates: [turn, push]
"""


def taken(v: float) -> float:
    """What the law takes at a forward velocity."""
    return float(0.7 * v * (v**2 + LINEAR**2) ** -0.2 + 0.5 + 0.3 * np.exp(-((v / 0.2) ** 2)))


@pytest.fixture(scope="module")
def arm() -> lw.Arm:
    plain = lw.load_arm("planar-2r").model
    first, second = plain.joints
    return lw.Arm(replace(plain, joints=(replace(first, friction=LAW), second)))


def rubbing(robot: lw.Robot) -> float:
    return float((robot.inverse_dynamics(*STATE) - robot.inverse_dynamics(*STATE, friction=False))[0, 0])


def test_the_effort_is_that_of_the_formula(arm, tmp_path) -> None:
    assert rubbing(arm) == pytest.approx(taken(0.15) + 0.1, rel=1e-12)
    path = tmp_path / "pair.yaml"
    path.write_text(MECHANISM)
    assert rubbing(lw.load(path)) == pytest.approx(taken(0.15), rel=1e-12)


def test_it_is_among_the_parameters_and_in_files(arm, tmp_path) -> None:
    path = tmp_path / "pair.yaml"
    path.write_text(MECHANISM)
    for robot, name in ((arm, "shoulder"), (lw.load(path), "turn")):
        own = robot.parameters
        assert own.names[-1] == f"{name}.stribeck"
        np.testing.assert_allclose(robot.regressor(*STATE) @ own.values, robot.inverse_dynamics(*STATE))
        assert f"{name}.stribeck" in robot.base_parameters().names
        changed = robot.with_parameters(np.array(own.values) * 1.1)
        lw.write_robot(changed, tmp_path / "again.yaml")
        again = lw.load(tmp_path / "again.yaml")
        np.testing.assert_allclose(again.parameters.values, changed.parameters.values, rtol=1e-12)
        np.testing.assert_allclose(again.inverse_dynamics(*STATE), changed.inverse_dynamics(*STATE))


def test_derivatives_are_finite_at_rest(arm) -> None:
    q, _, qdd = STATE
    assert np.isfinite(arm.inverse_dynamics_derivatives(q, np.zeros((1, 2)), qdd).dqd).all()


def test_it_holds_at_rest_by_coulomb_and_stribeck_friction(arm) -> None:
    """Without weight, more than Coulomb friction moves nothing; more than breakaway does."""
    model = replace(arm.model, gravity=np.zeros(3))
    free = lw.Arm(model)
    for effort, moves in ((0.85, False), (0.95, True)):
        run = lw.simulate(
            free,
            lambda t, state, tau=effort: [tau, 0.0],
            duration=0.1,
            start=(np.array([0.0, 0.5]), np.zeros(2)),
        )
        assert (np.abs(run.velocity).max() > 1e-3) == moves


def test_motor_side_and_missing_velocity(tmp_path) -> None:
    text = (
        "kind: arm\nname: one\nconvention: standard\nlinks:\n  - {name: a, joint: revolute, a: 1, "
        "mass: 1, inertia: [0.1, 0.1, 0.1], rotor: {inertia: 0, gear_ratio: 50}, friction: "
        "{side: motor, stribeck: 0.01, viscous: 0.002, viscous_power: 0.5"
    )
    path = tmp_path / "one.yaml"
    path.write_text(f"{text}, stribeck_velocity: 5}}}}\n")
    found = lw.load(path).model.joints[0].friction
    assert found.stribeck == pytest.approx(0.5)
    assert found.stribeck_velocity == pytest.approx(0.1)
    assert found.viscous == pytest.approx(0.002 * 50**1.5)
    path.write_text(f"{text}}}}}\n")
    with pytest.raises(lw.LinkworkError, match="no stribeck_velocity"):
        lw.load(path)


def test_exports_that_cannot_say_it_say_so(arm, tmp_path) -> None:
    told = lw.write_robot(arm, tmp_path / "arm.urdf")
    assert any("Stribeck" in line and "shoulder" in line for line in told)


# Friction that grows with what a joint carries.

SHARE = 0.2
LOOP = """\
kind: mechanism
name: press
bodies:
  crank: {mass: 1, center_of_mass: [0.1, 0, 0.1], inertia: [0.01, 0.02, 0.01]}
  ram: {mass: 5, center_of_mass: [0, 0, 0.7], inertia: [0.1, 0.1, 0.1]}
joints:
  turn: {R: y, joins: [base, crank], at: [0, 0, 0], motor: true, rotor: 0.1, viscous: 0.7, coulomb: 0.5,
    load_friction: 0.2}
  slide: {P: z, joins: [base, ram], coulomb: 2, viscous: 1}
rods:
  rod: {joins: [crank, ram], from: [0.1, 0, 0.1], to: [0, 0, 0.7], mass: 0.4}
coordinates: [turn]
"""


@pytest.fixture(params=["arm", "chain", "loop"])
def loaded(request, arm, tmp_path) -> tuple[lw.Robot, str]:
    """A robot with such friction in its first joint, and the name of that."""
    path = tmp_path / "robot.yaml"
    if request.param == "arm":
        first, second = arm.model.joints
        law = replace(LAW, load_friction=SHARE)
        return lw.Arm(replace(arm.model, joints=(replace(first, friction=law), second))), "shoulder"
    upright = MECHANISM.replace("R: z", "R: y").replace("0.6}", "0.6, load_friction: 0.2}")
    path.write_text(LOOP if request.param == "loop" else upright)
    return lw.load(path), "turn"


def without(robot: lw.Robot, name: str) -> lw.Robot:
    values = np.array(robot.parameters.values)
    values[robot.parameters.names.index(f"{name}.load_friction")] = 0.0
    return robot.with_parameters(values)


def states(robot: lw.Robot, count: int = 20):
    """Near home, and away from rest, where friction has no slope."""
    c, cd, cdd = robot.random_states(count, seed=3)
    return robot.home + 0.3 * np.tanh(c - robot.home), np.where(np.abs(cd) < 0.2, 0.2, cd), cdd


def test_it_is_a_share_of_what_the_joint_carries(loaded) -> None:
    robot, name = loaded
    motion = states(robot)
    carried = robot.inverse_dynamics(*motion, friction=False)[:, 0]
    more = robot.inverse_dynamics(*motion) - without(robot, name).inverse_dynamics(*motion)
    direction = np.sign(robot.actuator_motion(*motion[:2]).velocity[:, 0])
    np.testing.assert_allclose(more[:, 0], SHARE * np.abs(carried) * direction, rtol=1e-9, atol=1e-12)
    assert not np.abs(more[:, 1:]).any()


def test_forward_dynamics_knows_it(loaded) -> None:
    robot, _ = loaded
    c, cd, cdd = states(robot)
    tau = robot.inverse_dynamics(c, cd, cdd)
    np.testing.assert_allclose(robot.forward_dynamics(c, cd, tau), cdd, rtol=1e-8, atol=1e-8)
    bias = robot.inverse_dynamics(c, cd, np.zeros_like(cdd))
    if len(robot.coordinates.names) == robot.n:
        felt = robot.bias(c, cd, friction=True)
        np.testing.assert_allclose(felt, bias, rtol=1e-9, atol=1e-9)


def test_derivatives_are_those_of_finite_differences(loaded) -> None:
    robot, _ = loaded
    c, cd, cdd = states(robot, 4)
    tau = robot.inverse_dynamics(c, cd, cdd)
    step, d = 1e-6, cd.shape[1]
    for method, motion in (("inverse_dynamics", (c, cd, cdd)), ("forward_dynamics", (c, cd, tau))):
        found = getattr(robot, f"{method}_derivatives")(*motion)
        for k, slopes in enumerate(found):
            for j in range(motion[k].shape[1]):
                moved = [list(motion), list(motion)]
                for way, sign in zip(moved, (1, -1), strict=True):
                    way[k] = motion[k] + sign * step * np.eye(d)[j]
                high, low = (getattr(robot, method)(*way) for way in moved)
                np.testing.assert_allclose(
                    slopes[..., j], (high - low) / (2 * step), rtol=1e-4, atol=1e-4
                )


def test_it_is_a_parameter_and_in_files(loaded, tmp_path) -> None:
    robot, name = loaded
    motion = states(robot)
    np.testing.assert_allclose(
        robot.regressor(*motion) @ robot.parameters.values, robot.inverse_dynamics(*motion), rtol=1e-9
    )
    assert f"{name}.load_friction" in robot.base_parameters().names
    lw.write_robot(robot, tmp_path / "again.yaml")
    again = lw.load(tmp_path / "again.yaml")
    np.testing.assert_allclose(
        again.inverse_dynamics(*motion), robot.inverse_dynamics(*motion), rtol=1e-12
    )
    np.testing.assert_allclose(again.parameters.values, robot.parameters.values, rtol=1e-12)


@pytest.mark.parametrize("beyond", [0.9, 1.1])
def test_a_loaded_joint_at_rest_is_held_by_it_too(loaded, beyond) -> None:
    """Between what it carries less and more all friction nothing moves."""
    robot, name = loaded
    start = np.array(robot.home, dtype=float) + (0.3 if name == "shoulder" else 0.1)
    rest = np.zeros(len(start))
    carried = robot.inverse_dynamics(start, rest, rest, friction=False)
    dry = abs(robot.inverse_dynamics(start, rest + 1e-9, rest, friction=True) - carried)
    other = dry[0] - SHARE * abs(carried[0])
    # All that holds: other dry friction, and the share of what is carried beyond it.
    tau = np.array(carried)
    tau[0] += beyond * (other + SHARE * abs(carried[0]))
    run = lw.simulate(robot, lambda t, state: tau, duration=0.05, start=(start, rest))
    assert (np.abs(run.velocity[:, 0]).max() > 1e-4) == (beyond > 1)


def test_exports_compute_it(arm, tmp_path) -> None:
    first, second = arm.model.joints
    law = replace(LAW, load_friction=SHARE)
    robot = lw.Arm(replace(arm.model, joints=(replace(first, friction=law), second)))
    for method, last in (("inverse_dynamics", STATE[2]), ("forward_dynamics", STATE[2])):
        function = robot.kernel(method).casadi
        found = np.array(function(STATE[0][0], STATE[1][0], last[0])).ravel()
        np.testing.assert_allclose(found, getattr(robot, method)(*STATE[:2], last)[0], rtol=1e-12)
    assert "fabs" in robot.kernel("inverse_dynamics").c_source()
    told = lw.write_robot(robot, tmp_path / "arm.urdf")
    assert any("load" in line and "shoulder" in line for line in told)
