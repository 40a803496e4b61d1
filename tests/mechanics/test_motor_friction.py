"""Rotor and friction of motors that act on several joints, as those of a shaft that turns with them."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw

WRIST = """\
kind: mechanism
name: wrist
bodies:
  fork: {mass: 1.2, center_of_mass: [0, 0.01, 0.1], inertia: [2.0e-2, 2.0e-2, 1.0e-2]}
  hand: {mass: 0.8, center_of_mass: [0.05, 0, 0.25], inertia: [1.5e-2, 1.5e-2, 6.0e-3]}
SHAFT
joints:
  pitch: {R: y, joins: [base, fork], at: [0, 0, 0], motor: true, rotor: 0.02, viscous: 0.3, coulomb: 0.2}
  roll: {R: x, joins: [fork, hand], at: [0, 0, 0.2], viscous: 0.1}
  TURN
coordinates: [pitch, roll]
tool: {body: hand, at: [0, 0, 0.3]}
"""
FRICTION = "rotor: 0.03, viscous: 0.4, coulomb: [0.5, -0.4], offset: 0.1"
COUPLED = (
    WRIST.replace("SHAFT\n", "").replace("  TURN\n", "")
    + f"motors:\n  second: {{joints: {{pitch: 1, roll: 1}}, {FRICTION}}}\n"
)
SHAFT = (
    WRIST.replace(
        "SHAFT", "  shaft: {mass: 1.0e-9, center_of_mass: [1, 0, 0], inertia: [1.0e-9, 1.0e-9, 1.0e-9]}"
    ).replace("TURN", f"second: {{R: x, joins: [base, shaft], at: [1, 0, 0], motor: true, {FRICTION}}}")
    + "couplings:\n  - terms: {second: 1, pitch: -1, roll: -1}\n"
)


@pytest.fixture
def wrist(tmp_path) -> lw.Robot:
    path = tmp_path / "wrist.yaml"
    path.write_text(COUPLED)
    return lw.load(path)


def test_it_is_that_of_a_shaft_which_turns_with_both(wrist, tmp_path) -> None:
    path = tmp_path / "shaft.yaml"
    path.write_text(SHAFT)
    other = lw.load(path)
    assert other.efforts.names == wrist.efforts.names == ("pitch", "second")
    motion = wrist.random_states(20, seed=1)
    tau = wrist.inverse_dynamics(*motion)
    np.testing.assert_allclose(tau, other.inverse_dynamics(*motion), rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(wrist.forward_dynamics(*motion[:2], tau), motion[2], rtol=1e-9, atol=1e-9)
    start = wrist.home + np.array([0.3, -0.2]), np.array([0.5, 1.5])
    runs = [
        lw.simulate(robot, lambda t, state: [1.0, 0.5], duration=0.5, start=start)
        for robot in (wrist, other)
    ]
    np.testing.assert_allclose(runs[0].position[-1], runs[1].position[-1], atol=1e-5)


def test_it_is_among_the_parameters_and_in_files(wrist, tmp_path) -> None:
    motion = wrist.random_states(20, seed=2)
    own = wrist.parameters
    assert [name for name in own.names if name.startswith("second.")] == [
        f"second.{kind}"
        for kind in ("rotor", "viscous", "coulomb_forward", "coulomb_backward", "offset")
    ]
    tau = wrist.inverse_dynamics(*motion)
    np.testing.assert_allclose(wrist.regressor(*motion) @ own.values, tau, rtol=1e-9, atol=1e-12)
    lw.write_robot(wrist.with_parameters(np.array(own.values) * 1.1), tmp_path / "again.yaml")
    again = lw.load(tmp_path / "again.yaml")
    np.testing.assert_allclose(again.parameters.values, np.array(own.values) * 1.1, rtol=1e-9)
    rubbing = wrist.inverse_dynamics(*motion, friction=False)
    assert (np.abs(tau - rubbing)[:, 1] > 0.05).all()


def test_it_holds_the_differential_at_rest(wrist) -> None:
    """The motor's dry friction holds pitch + roll, and no more."""
    start, rest = wrist.home, np.zeros(2)
    held = wrist.inverse_dynamics(start, rest, rest, friction=False)
    for effort, moves in ((0.45, False), (0.75, True)):
        tau = held + np.array([0.0, effort])
        run = lw.simulate(wrist, lambda t, state, tau=tau: tau, duration=0.05, start=(start, rest))
        assert (np.abs(run.velocity).max() > 1e-4) == moves


def test_mujoco_has_it_too(wrist, tmp_path) -> None:
    mujoco = pytest.importorskip("mujoco")
    model = mujoco.MjModel.from_xml_string(_written(wrist, tmp_path))
    assert model.tendon_armature.tolist() == pytest.approx([0.03])
    assert model.tendon_damping.tolist() == pytest.approx([0.4])
    assert model.tendon_frictionloss.tolist() == pytest.approx([0.45])


def _written(robot: lw.Robot, folder) -> str:
    lw.export(robot, "mjcf", folder / "mjcf")
    return next((folder / "mjcf").glob("*.xml")).read_text()
