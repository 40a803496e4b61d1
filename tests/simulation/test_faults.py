"""Simulations that were wrong in silence, or ended with a wrong reason."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import linkwork as lw
from linkwork.control import ComputedTorque, GravityCompensation, TaskSpaceControl, point_payload
from linkwork.model.geometry import Body
from linkwork.motion import Quintic, published_path
from linkwork.simulation import DigitalLoop, SimulationError, rollout, simulate
from linkwork.simulation import dop853 as adaptive


@pytest.fixture(scope="module")
def planar() -> lw.Arm:
    return lw.load_arm("planar-2r")


@pytest.fixture(scope="module")
def motion() -> Quintic:
    return Quintic(np.zeros(2), np.array([1.0, -0.5]), 1.0)


@pytest.fixture(scope="module")
def hexapod() -> lw.Platform:
    return lw.load_platform("dasgupta1998")


def message(call) -> str:
    with pytest.raises(lw.LinkworkError) as caught:
        call()
    return str(caught.value)


@pytest.mark.parametrize(("period", "duration"), [(0.3, 0.4), (0.7, 1.0), (0.25, 1.0)])
def test_a_last_partial_period_is_integrated(planar, motion, period, duration) -> None:
    law = ComputedTorque(planar, motion, 1.0, 2.0, period=period)
    coarse = simulate(planar, law, duration=duration)
    exact = simulate(planar, law, duration=duration, integrator="adaptive")
    assert np.abs(exact.q[-1]).max() > 0.03
    np.testing.assert_allclose(exact.time, coarse.time, atol=1e-12)
    np.testing.assert_allclose(exact.q, coarse.q, atol=1e-6)
    np.testing.assert_allclose(exact.effort, coarse.effort, atol=1e-3)


@pytest.mark.parametrize("integrator", ["rk4", "adaptive"])
def test_limits_hold_from_the_start_and_between_samples(integrator) -> None:
    arm = lw.load_arm("panda")
    options = {"position_limits": "stop", "integrator": integrator, "friction": False}
    text = message(lambda: simulate(arm, duration=0.1, start=np.zeros(7), **options))
    assert "t = 0 s" in text
    assert "its limits are" in text
    with pytest.raises(SimulationError) as caught:
        simulate(arm, duration=3.0, start=(arm.home, np.full(7, 0.3)), **options)
    assert 0 < caught.value.time < 3.0


@pytest.mark.parametrize("integrator", ["rk4", "adaptive"])
def test_a_singular_pose_stops_either_integrator(integrator) -> None:
    """It falls through a singular pose within the time."""
    platform = lw.load_platform("pi-h811")
    with pytest.raises(SimulationError, match="singular pose") as caught:
        simulate(platform, duration=0.35, integrator=integrator)
    assert 0.31 < caught.value.time < 0.32


@pytest.mark.parametrize("integrator", ["rk4", "adaptive"])
def test_no_duration_is_one_sample(planar, integrator) -> None:
    run = simulate(planar, duration=0.0, integrator=integrator)
    assert run.time.tolist() == [0.0]
    np.testing.assert_array_equal(run.q, [planar.home])


@pytest.mark.parametrize(("step", "count"), [(0.3, 5), (0.35, 4), (0.5, 3), (0.1, 11)])
def test_a_run_ends_at_its_duration(planar, motion, step, count) -> None:
    law = ComputedTorque(planar, motion, 1.0, 2.0, period=step)
    for integrator in ("rk4", "adaptive"):
        run = simulate(planar, law, duration=1.0, step=step, integrator=integrator)
        assert run.time[-1] == 1.0
        assert len(run.time) == count
        if integrator == "rk4":
            end = run.q[-1]
    many = rollout(planar, law, duration=1.0, step=step, record_every=1)
    np.testing.assert_allclose(many.final_position[0], end, atol=1e-12)
    np.testing.assert_allclose(many.time, run.time, atol=1e-12)


def test_a_payload_means_the_same_alone_and_in_a_batch(planar, motion) -> None:
    law = ComputedTorque(planar, motion, period=1e-3)
    masses = np.linspace(0, 2, 4)
    options = {"duration": 0.2}
    alone = np.array([simulate(planar, law, payload=mass, **options).q[-1] for mass in masses])
    for given in (masses, masses[:, None], np.array([point_payload(mass) for mass in masses])):
        batch = rollout(planar, law, variations={"payload": given}, **options)
        np.testing.assert_allclose(batch.final_position, alone, atol=1e-12)
    one = rollout(planar, law, batch=2, variations={"payload": masses[3]}, **options)
    np.testing.assert_allclose(one.final_position, alone[[3, 3]], atol=1e-12)
    ten = np.linspace(0, 2, 10)
    assert "not a rigid body" in message(lambda: rollout(planar, law, variations={"payload": ten}))
    several = {"payload": ten, "kp": np.full((10, 1), 100.0)}
    assert "(10, 1)" in message(lambda: rollout(planar, law, variations=several))


def test_a_platform_carries_a_payload(hexapod) -> None:
    """As one whose file contains it; the energy includes it."""
    path = published_path("dasgupta-II")
    load = point_payload(5.0, (0.05, 0.02, 0.1))
    body = Body.of(5.0, np.array([0.05, 0.02, 0.1]), np.zeros((3, 3)))
    heavy = lw.Platform(replace(hexapod.model, platform=hexapod.model.platform.merged_with(body)))
    law = TaskSpaceControl(hexapod, path, measured="pose", period=None)
    ours = simulate(hexapod, law, payload=load, duration=0.1, step=0.01)
    theirs = simulate(heavy, law, duration=0.1, step=0.01)
    np.testing.assert_allclose(ours.pose, theirs.pose, atol=1e-11)
    np.testing.assert_allclose(ours.energy, theirs.energy, rtol=1e-10)


def test_diagnoses_name_the_cause(planar, motion, monkeypatch) -> None:
    monkeypatch.setattr(adaptive, "FIRST_EVALUATIONS", 2000)
    monkeypatch.setattr(adaptive, "EVALUATIONS_PER_SECOND", 0)
    *joints, last = planar.model.joints
    empty = replace(last, body=Body.of(0.0, np.zeros(3), np.zeros((3, 3))))
    light = lw.Arm(replace(planar.model, joints=(*joints, empty)))
    assert "mass matrix is singular" in message(lambda: simulate(light, duration=0.1))
    assert "masses >= 0" in message(lambda: simulate(planar, duration=0.1, payload=-5.0))
    for size in (1e308, 1e200):
        text = message(lambda size=size: simulate(planar, lambda t, s: [size, 0.0], duration=0.1))
        assert "too large for any step" in text
        assert planar.joint_names[0] in text
    stiff = GravityCompensation(planar, motion, 1e9, 1e6, period=None)
    free = {"integrator": "adaptive", "friction": False, "start": np.full(2, 0.1)}
    text = message(lambda: simulate(planar, stiff, duration=1.0, **free))
    assert "too stiff" in text
    assert "Coulomb" not in text
    assert "tolerance = 1e-20" in message(
        lambda: simulate(planar, duration=0.1, integrator="adaptive", tolerance=1e-20)
    )


def test_a_resolution_of_leg_sensors_is_felt(hexapod) -> None:
    path = published_path("dasgupta-II")
    law = TaskSpaceControl(hexapod, path, measured="pose", period=None)
    options = {"duration": 0.1, "step": 0.01}
    exact = simulate(hexapod, law, **options)
    rough = simulate(hexapod, law, loop=DigitalLoop(resolution=1e-4), **options)
    assert np.abs(rough.effort - exact.effort).max() > 0.1


def test_refused_arguments(planar, motion) -> None:
    law = ComputedTorque(planar, motion, period=1e-3)
    for option in ("friction", "rotors"):
        text = message(lambda option=option: simulate(planar, duration=0.1, **{option: "no"}))
        assert f"{option} = 'no'" in text
    assert "friction = 'no'" in message(lambda: ComputedTorque(planar, motion, friction="no"))
    for wrong in (0, -1, 1.5, "x", [2, 3]):
        assert "batch" in message(lambda wrong=wrong: rollout(planar, law, batch=wrong))
        assert "record_every" in message(lambda wrong=wrong: rollout(planar, law, record_every=wrong))
    assert "mass_scale is -1" in message(lambda: rollout(planar, law, variations={"mass_scale": -1.0}))
    smooth = lw.load_arm("ur5")
    still = ComputedTorque(smooth, Quintic(np.zeros(6), np.ones(6), 1.0))
    assert "has no friction" in message(
        lambda: rollout(smooth, still, variations={"friction_scale": 2.0})
    )
    assert "other coordinates" in message(lambda: rollout(smooth, law))
    masked = np.ma.masked_array([0.0, 1.0], mask=[False, True])
    for wrong in (masked, np.array(["0", "1"]), np.array([1j, 0])):
        assert "start" in message(lambda wrong=wrong: simulate(planar, start=wrong, duration=0.1))
