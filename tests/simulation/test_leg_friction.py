"""Coulomb friction in the legs of a platform: inverse, forward, sticking, against closed forms."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import linkwork as lw
from linkwork.control import TaskSpaceControl
from linkwork.motion import RpyLine
from linkwork.simulation import rollout, simulate

FRICTION = 600.0  # N, of every leg


@pytest.fixture(scope="module")
def hexapod() -> lw.Platform:
    model = lw.load_platform("simona").model
    legs = [replace(leg, friction=replace(leg.friction, coulomb=FRICTION)) for leg in model.legs]
    return lw.Platform(replace(model, legs=tuple(legs)))


@pytest.fixture(scope="module")
def smooth() -> lw.Platform:
    return lw.load_platform("simona")


def test_friction_opposes_the_rates_of_the_legs(hexapod, smooth) -> None:
    rng = np.random.default_rng(0)
    pose, twist, acceleration = hexapod.home, 0.1 * rng.normal(size=6), rng.normal(size=6)
    force = hexapod.inverse_dynamics(pose, twist, acceleration)
    plain = smooth.inverse_dynamics(pose, twist, acceleration)
    rate = hexapod.leg_kinematics(pose, twist, acceleration).rate
    np.testing.assert_allclose(force - plain, FRICTION * np.sign(rate), atol=1e-9)


@pytest.mark.long
def test_forward_dynamics_and_regressor_have_it_too(hexapod) -> None:
    rng = np.random.default_rng(1)
    pose, twist, acceleration = hexapod.home, 0.1 * rng.normal(size=6), rng.normal(size=6)
    force = hexapod.inverse_dynamics(pose, twist, acceleration)
    back = hexapod.forward_dynamics(pose, twist, force)
    np.testing.assert_allclose(back, acceleration, atol=1e-9)
    Y = hexapod.regressor(pose, twist, acceleration)
    np.testing.assert_allclose(Y @ hexapod.parameters.values, force, rtol=1e-9)
    assert hexapod.parameters.names[-1].endswith("coulomb")
    again = hexapod.with_parameters(hexapod.parameters.values)
    assert again.model.legs[3].friction.coulomb == FRICTION


def test_a_robot_file_tells_of_it(tmp_path, hexapod) -> None:
    path = tmp_path / "rough.yaml"
    lw.write_robot(hexapod, path)
    assert lw.load_platform(path).model.legs[2].friction.coulomb == FRICTION
    assert "coulomb" in path.read_text()


WAYS = [
    {"step": 5e-3},
    pytest.param({"step": 0.05}, marks=pytest.mark.long),
    {"step": 0.05, "integrator": "adaptive"},
]


@pytest.mark.parametrize("way", WAYS)
def test_what_friction_holds_does_not_drift(hexapod, way) -> None:
    """Forces that miss the weight by less than the friction: nothing moves at all."""
    weight = hexapod.gravity_load(hexapod.home)
    push = 0.95 * FRICTION * np.array([1, -1, 1, 1, -1, -1.0])
    run = simulate(hexapod, lambda time, state: weight + push, duration=0.2, **way)
    assert np.abs(run.pose - hexapod.home).max() < 1e-15
    run = simulate(hexapod, lambda time, state: weight + 2 * push, duration=0.2, **way)
    assert np.abs(run.pose - hexapod.home).max() > 1e-4


def test_some_legs_slide_and_others_stand(hexapod) -> None:
    """The lengths of legs that stick stay; what the sliding ones do is energy and heat."""
    weight = hexapod.gravity_load(hexapod.home)
    force = weight + np.array([3 * FRICTION, 0, 0, 0, 0, 0.0])
    run = simulate(hexapod, lambda time, state: force, duration=0.1, step=1e-3)
    stroke = hexapod.leg_lengths(run.pose[-1]) - hexapod.leg_lengths(hexapod.home)
    assert stroke[0] > 1e-3
    slides = np.abs(stroke) > 1e-6
    assert 1 <= slides.sum() <= 3
    assert np.abs(stroke[~slides]).max() < 1e-11
    work = force @ stroke - FRICTION * np.abs(stroke).sum()
    viscous = run.energy[0] + work - run.energy[-1]
    assert 0 <= viscous < 0.02 * FRICTION * np.abs(stroke).sum()
    exact = simulate(hexapod, lambda time, state: force, duration=0.1, step=0.02, integrator="adaptive")
    np.testing.assert_allclose(run.pose[-1], exact.pose[-1], atol=1e-7)


@pytest.mark.long
def test_a_platform_thrown_up_comes_to_rest(hexapod) -> None:
    """Legs that carry the weight and no more: friction alone stops it, and it stays where it stops."""
    law = lambda time, state: hexapod.gravity_load(state.pose)  # noqa: E731
    start = (hexapod.home, np.array([0, 0, 0.05, 0, 0, 0.0]))
    run = simulate(hexapod, law, start=start, duration=0.3, step=2e-3)
    stopped = np.abs(run.twist).max(axis=1) == 0
    assert stopped[-1]
    assert run.pose[-1, 2] > hexapod.home[2]
    first = int(np.argmax(stopped))
    np.testing.assert_array_equal(run.pose[first:], np.tile(run.pose[-1], (len(stopped) - first, 1)))


@pytest.mark.long
def test_a_law_knows_it_and_rollouts_have_it(hexapod, smooth) -> None:
    end = hexapod.home.copy()
    end[2] += 0.05
    path = RpyLine(hexapod.home, end, duration=0.5, speed=0.15, turn_rate=0.1)
    options = {"duration": 0.3, "step": 2e-3}
    knows = TaskSpaceControl(hexapod, path, 400, 40, period=2e-3, measured="pose")
    ignores = TaskSpaceControl(smooth, path, 400, 40, period=2e-3, measured="pose")
    errors = [np.abs(simulate(hexapod, law, **options).error).max() for law in (knows, ignores)]
    assert errors[0] < errors[1]
    alone = simulate(hexapod, ignores, **options)
    many = rollout(hexapod, ignores, batch=2, **options)
    np.testing.assert_allclose(many.final_position, [alone.pose[-1]] * 2, atol=1e-11)
