"""Control laws: equal where they must be, and good for what they promise."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import linkwork as lw
from linkwork.control import (
    AdaptiveComputedTorque,
    ComputedTorque,
    GravityCompensation,
    State,
    TaskSpaceControl,
    gains,
    point_load,
)
from linkwork.mechanics.platform.pose import orientation_error
from linkwork.motion import Quintic, paper_path
from linkwork.rotations import rotation_of
from linkwork.simulation import simulate
from tests.random_arms import random_arm

RNG = np.random.default_rng(0)


@pytest.fixture(scope="module")
def ur5() -> lw.Arm:
    return lw.load_arm("ur5")


def random_arm_state(n: int) -> State:
    return State(RNG.normal(size=n), RNG.normal(size=n))


@pytest.mark.parametrize("seed", range(3))
def test_both_forms_of_computed_torque_are_equal(seed) -> None:
    arm = lw.Arm(random_arm(seed, 5, "general"))
    motion = Quintic(np.zeros(5), np.ones(5), 2.0)
    state = random_arm_state(5)
    recursive = ComputedTorque(arm, motion, 100, 20).effort(0.7, state)
    matrix = ComputedTorque(arm, motion, 100, 20, form="matrix").effort(0.7, state)
    q, qd, qdd = motion.at(0.7)
    wanted = qdd + 20 * (qd - state.qd) + 100 * (q - state.q)
    expected = arm.inverse_dynamics(state.q, state.qd, wanted)
    np.testing.assert_allclose(recursive, expected, rtol=1e-12)
    np.testing.assert_allclose(matrix, expected, rtol=1e-12)


def test_gravity_compensation_holds_the_arm() -> None:
    arm = lw.load("planar-2r")
    rest = np.array([0.3, -0.8])
    law = GravityCompensation(arm, Quintic(rest, rest, 1.0), kp=50, kv=10)
    np.testing.assert_allclose(law.effort(0.0, State(rest, np.zeros(2))), arm.gravity_load(rest))
    run = simulate(arm, law, duration=2.0, start=rest + 0.05)
    assert np.abs(run.error[-1]).max() < 0.1 * np.abs(run.error[0]).max()
    bare = GravityCompensation(arm, Quintic(rest, rest, 1.0), kp=50, kv=10, gravity=False)
    assert np.abs(simulate(arm, bare, duration=2.0).error[-1]).max() > 0.05


def test_gains_place_the_poles() -> None:
    kp, kv = gains(10 / (2 * np.pi))
    assert (kp, kv) == pytest.approx((100, 20))
    roots = np.roots([1, *gains(3.0, 0.5)[::-1]])
    assert np.abs(roots) == pytest.approx(2 * np.pi * 3)
    assert -roots.real / np.abs(roots) == pytest.approx(0.5)


def test_error_dies_out_as_the_gains_say(ur5) -> None:
    """Without sampling, e'' + kv e' + kp e = 0 holds exactly."""
    motion = Quintic(np.zeros(6), 0.5 * np.ones(6), 2.0)
    law = ComputedTorque(ur5, motion, 100, 20, period=None)
    run = simulate(ur5, law, duration=1.0, start=(motion.at(0.0).q + 0.1, motion.at(0.0).qd), step=1e-3)
    expected = -0.1 * (1 + 10 * run.time) * np.exp(-10 * run.time)
    np.testing.assert_allclose(run.error, np.tile(expected[:, None], (1, 6)), atol=1e-8)


def test_adaptive_law_learns_the_load() -> None:
    arm = lw.load("puma560")
    motion = Quintic(np.radians([90, 0, 90, 0, 0, 0]), np.radians([45, 30, 0, 45, 60, 90]), 3.0)
    fixed = simulate(arm, ComputedTorque(arm, motion, friction=False), payload=2.3, friction=False)
    law = AdaptiveComputedTorque(arm, motion, friction=False)
    learned = simulate(arm, law, payload=2.3, friction=False)
    assert np.abs(fixed.error).max() > 0.1
    assert np.abs(fixed.error[-1]).max() > 0.03
    assert np.abs(learned.error[-1]).max() < 1e-3
    assert np.abs(learned.error).max() < np.abs(fixed.error).max() / 2
    assert law.load[0] == pytest.approx(2.3, rel=0.05)
    again = simulate(arm, law, payload=2.3, friction=False)  # a new run forgets the load
    np.testing.assert_array_equal(again.q, learned.q)


def test_adaptive_law_without_learning_is_computed_torque_like() -> None:
    """With the load known to be nothing, torque at zero error is that of the model."""
    arm = lw.load("ur5")
    motion = Quintic(np.zeros(6), np.ones(6), 2.0)
    q, qd, qdd = motion.at(0.8)
    law = AdaptiveComputedTorque(arm, motion, learning_rate=0.0)
    np.testing.assert_allclose(
        law.effort(0.8, State(q, qd)), arm.inverse_dynamics(q, qd, qdd), rtol=1e-12
    )


def test_orientation_error_turns_the_right_way() -> None:
    import casadi as ca

    a, b = RNG.normal(size=(2, 4))
    a /= np.linalg.norm(a)
    small = 1e-4 * RNG.normal(size=3)
    b = np.concatenate([[a[0] - small @ a[1:] / 2], a[1:] + (a[0] * small + np.cross(small, a[1:])) / 2])
    b /= np.linalg.norm(b)
    x, y = ca.SX.sym("x", 4), ca.SX.sym("y", 4)
    function = ca.Function("f", [x, y], [orientation_error(x, y)])
    for sign in (1, -1):
        found = np.array(function(sign * b, a))[:, 0]
        np.testing.assert_allclose(found, small, atol=1e-11)


def test_task_space_control_cancels_the_dynamics() -> None:
    platform = lw.load("dasgupta1998")
    path = paper_path("dasgupta-I")
    motion = path.at(1.3)
    for measured in ("legs", "pose"):
        law = TaskSpaceControl(platform, path, measured=measured)
        force = law.effort(1.3, State(motion.pose, motion.twist))
        expected = platform.inverse_dynamics(motion.pose, motion.twist, motion.acceleration)
        np.testing.assert_allclose(force, expected, rtol=1e-9)
    assert rotation_of(motion.pose).shape == (3, 3)


@pytest.mark.parametrize("formulation", ["newton-euler", "lagrange", "natural-complement", "minimal"])
def test_any_formulation_drives_an_arm(formulation) -> None:
    arm = lw.Arm(random_arm(7, 4, "general"))
    motion, state = Quintic(np.zeros(4), np.ones(4), 2.0), random_arm_state(4)
    for kind, options in (
        (ComputedTorque, {}),
        (ComputedTorque, {"form": "matrix"}),
        (GravityCompensation, {"kp": 50.0, "kv": 5.0}),
    ):
        if formulation == "newton-euler" and "form" in options:
            continue
        plain = kind(arm, motion, **options).effort(0.7, state)
        ours = kind(arm, motion, **options, formulation=formulation).effort(0.7, state)
        np.testing.assert_allclose(ours, plain, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize(
    "options",
    [
        {"formulation": "dasgupta1998"},
        {"formulation": "pedrammehr2012"},
        {"formulation": "pedrammehr2012", "form": "step", "frames": "local"},
    ],
)
def test_published_models_drive_a_platform(options) -> None:
    """The controller's force is that of the published inverse dynamics, errors included."""
    platform, path = lw.load("dasgupta1998"), paper_path("dasgupta-I")
    law = TaskSpaceControl(platform, path, 100.0, 20.0, measured="pose", **options)
    motion = path.at(1.3)
    force = law.effort(1.3, State(motion.pose, motion.twist))
    expected = platform.inverse_dynamics(*motion, **options)
    np.testing.assert_allclose(force, expected, rtol=1e-9)
    exact = platform.inverse_dynamics(*motion)
    assert np.abs(force - exact).max() > 1e-3
    again = pickle.loads(pickle.dumps(law)).effort(1.3, State(motion.pose, motion.twist))
    np.testing.assert_array_equal(again, force)


def message(call) -> str:
    with pytest.raises(lw.LinkworkError) as caught:
        call()
    return str(caught.value)


def test_errors(ur5) -> None:
    motion = Quintic(np.zeros(6), np.ones(6), 1.0)
    hexapod = lw.load("dasgupta1998")
    assert "for arms" in message(lambda: ComputedTorque(hexapod, motion))
    assert "for Stewart platforms" in message(lambda: TaskSpaceControl(ur5, motion))
    assert "kp = -1" in message(lambda: ComputedTorque(ur5, motion, kp=-1))
    assert "6 of them" in message(lambda: ComputedTorque(ur5, motion, kv=[1, 2]))
    assert "period = 0" in message(lambda: ComputedTorque(ur5, motion, period=0))
    assert "unknown form" in message(lambda: ComputedTorque(ur5, motion, form="lagrange"))
    assert "lookahead" in message(lambda: ComputedTorque(ur5, motion, lookahead=-1))
    assert "kv^2 >= 4 kp" in message(lambda: AdaptiveComputedTorque(ur5, motion, kp=100, kv=5))
    assert "learning_rate" in message(lambda: AdaptiveComputedTorque(ur5, motion, learning_rate=-1))
    path = paper_path("dasgupta-I")
    assert "measured" in message(lambda: TaskSpaceControl(hexapod, path, measured="eyes"))
    for wrong in ("quintic", path, Quintic(np.zeros(3), np.ones(3), 1.0)):
        assert "trajectory" in message(lambda wrong=wrong: ComputedTorque(ur5, wrong))
    assert "trajectory" in message(lambda: TaskSpaceControl(hexapod, motion))
    assert "for arms" in message(lambda: AdaptiveComputedTorque(hexapod, motion))
    for option in ("kp", "kv", "period", "lookahead"):
        assert option in message(lambda option=option: ComputedTorque(ur5, motion, **{option: "x"}))
    assert "unknown formulation" in message(lambda: ComputedTorque(ur5, motion, formulation="lagrang"))
    matrix = {"form": "matrix", "formulation": "angeles"}
    assert "lagrange" in message(lambda: ComputedTorque(ur5, motion, **matrix))
    assert "formulation" in message(lambda: TaskSpaceControl(hexapod, path, formulation="minimal"))
    delta = lw.load("delta")
    still = Quintic(delta.home, delta.home, 1.0)
    assert "formulation" in message(lambda: TaskSpaceControl(delta, still, formulation="dasgupta1998"))
    assert "bandwidth" in message(lambda: gains("x"))
    assert "bandwidth" in message(lambda: gains(0))
    assert "mass" in message(lambda: point_load(-1))
