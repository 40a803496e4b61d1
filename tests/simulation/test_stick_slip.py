"""Coulomb friction that sticks and slips, against closed forms, at any step and by every integrator."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import linkwork as lw
from linkwork.control import ComputedTorque, GravityCompensation
from linkwork.model.joint import Friction
from linkwork.motion import Quintic
from linkwork.simulation import rollout, simulate

MASS, SLOPE, GRAVITY = 2.0, 0.5, 9.81


def rubbing(arm: lw.Arm, *torques: float) -> lw.Arm:
    """The arm with symmetric Coulomb friction of these sizes and none else."""
    joints = [
        replace(joint, friction=Friction(0.0, torque, -torque))
        for joint, torque in zip(arm.model.joints, torques, strict=True)
    ]
    return lw.Arm(replace(arm.model, joints=tuple(joints)))


def block(friction: float, pull: float = GRAVITY * np.sin(SLOPE)) -> lw.Arm:
    """A mass on a straight guide that gravity pulls backward with `pull` per mass."""
    arm = lw.load(
        {
            "kind": "arm",
            "name": "block",
            "convention": "standard",
            "gravity": [0, 0, -float(pull)],
            "links": [{"name": "block", "joint": "prismatic", "mass": MASS, "inertia": [0, 0, 0]}],
        }
    )
    return rubbing(arm, friction)


WAYS = [{"step": 1e-3}, {"step": 0.01}, {"step": 0.07}, {"step": 0.05, "integrator": "adaptive"}]


@pytest.mark.parametrize("way", WAYS)
def test_what_friction_holds_does_not_drift(way) -> None:
    arm = rubbing(lw.load_arm("planar-2r"), 60.0, 60.0)
    assert np.abs(arm.gravity_load(arm.home)).max() > 15
    run = simulate(arm, duration=1.0, **way)
    np.testing.assert_array_equal(run.q, np.tile(arm.home, (len(run.time), 1)))
    if "integrator" in way:
        return
    still = GravityCompensation(
        arm, Quintic(arm.home, arm.home, 1.0), 0.0, 0.0, way["step"], gravity=False
    )
    many = rollout(arm, still, batch=3, step=way["step"])
    np.testing.assert_array_equal(many.final_position, np.tile(arm.home, (3, 1)))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("friction", [15.0, 3.0])
def test_a_block_thrown_up_a_slope(way, friction) -> None:
    """It decelerates at g sin + F/m; at the top it stays, or slides back at g sin - F/m."""
    arm, speed, duration = block(friction), 1.5, 1.0
    pull = GRAVITY * np.sin(SLOPE)
    up, down = pull + friction / MASS, max(pull - friction / MASS, 0.0)
    top, later = speed**2 / (2 * up), duration - speed / up
    run = simulate(arm, start=([0.0], [speed]), duration=duration, **way)
    assert run.q[-1, 0] == pytest.approx(top - down * later**2 / 2, abs=1e-12)
    assert run.qd[-1, 0] == pytest.approx(-down * later, abs=1e-12)
    if "integrator" in way:
        return
    law = GravityCompensation(arm, Quintic([0.0], [0.0], 1.0), 0.0, 0.0, way["step"], gravity=False)
    many = rollout(arm, law, ([[0.0], [0.0]], [[speed], [speed / 2]]), step=way["step"])
    assert many.final_position[0, 0] == pytest.approx(run.q[-1, 0], abs=1e-12)


@pytest.mark.parametrize("way", [{"step": 2e-3}, {"step": 0.05, "integrator": "adaptive"}])
def test_a_spring_comes_to_rest_where_friction_holds_it(way) -> None:
    """Every half swing of a mass on a spring is shorter by 2 F / k, until F holds it."""
    stiffness, friction, start = 200.0, 10.0, 0.37
    arm = block(friction, pull=0.0)
    spring = lambda time, state: -stiffness * state.q  # noqa: E731
    band, place, halves = friction / stiffness, start, 0
    while abs(place) > band:
        place, halves = -np.sign(place) * (abs(place) - 2 * band), halves + 1
    settled = halves * np.pi * np.sqrt(MASS / stiffness)
    run = simulate(arm, spring, start=[start], duration=settled + 0.2, **way)
    assert halves == 4
    assert run.q[-1, 0] == pytest.approx(place, abs=1e-8)
    moving = run.time < settled - 1e-6
    assert (run.qd[~moving] == 0).all()
    assert (np.abs(run.qd[moving][1:]) > 0).all()


def test_friction_scales_from_loop_to_loop() -> None:
    """Half of the friction does not hold what all of it holds."""
    arm = block(15.0)
    law = GravityCompensation(arm, Quintic([0.0], [0.0], 1.0), 0.0, 0.0, 0.01, gravity=False)
    many = rollout(arm, law, variations={"friction_scale": [1.0, 0.5, 2.0]}, step=0.01)
    down = GRAVITY * np.sin(SLOPE) - 7.5 / MASS
    np.testing.assert_allclose(many.final_position[:, 0], [0.0, -down / 2, 0.0], atol=1e-12)


def test_integrators_and_batches_agree_on_an_arm_with_friction() -> None:
    """Six joints that start at rest, stop and turn."""
    arm = lw.load_arm("puma560")
    start, end = np.radians([90, 0, 90, 0, 0, 0]), np.radians([80, 10, 70, 20, -10, 15])
    law = ComputedTorque(arm, Quintic(start, end, 0.4), period=0.01)
    begin = start + 0.02
    fine = simulate(arm, law, start=begin, duration=0.5, step=5e-4)
    coarse = simulate(arm, law, start=begin, duration=0.5, step=2e-3)
    exact = simulate(arm, law, start=begin, duration=0.5, integrator="adaptive", step=0.01)
    np.testing.assert_allclose(fine.q[-1], exact.q[-1], atol=1e-7)
    np.testing.assert_allclose(coarse.q[-1], exact.q[-1], atol=1e-6)
    many = rollout(arm, law, [begin, begin], duration=0.5, step=2e-3)
    np.testing.assert_allclose(many.final_position, [coarse.q[-1]] * 2, atol=1e-11)


def test_energy_of_a_stuck_joint_beside_a_moving_one() -> None:
    """The held joint stands still while the other falls: the arm is a pendulum, its energy kept."""
    arm = rubbing(lw.load_arm("planar-2r"), 500.0, 0.0)
    run = simulate(arm, start=np.array([0.3, 0.4]), duration=1.0, step=1e-3)
    np.testing.assert_array_equal(run.q[:, 0], 0.3)
    assert np.ptp(run.q[:, 1]) > 0.5
    np.testing.assert_allclose(run.energy, run.energy[0], atol=1e-6 * np.abs(run.energy).max())
