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
