"""Control laws: equal where they must be, and good for what they promise."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import linkwork as lw
from linkwork.control import (
    AdaptiveComputedTorque,
    AdaptiveTaskSpaceControl,
    ComputedTorque,
    GravityCompensation,
    State,
    TaskSpaceControl,
    pd_gains,
    point_payload,
)
from linkwork.core.rotations import rotation_of
from linkwork.mechanics.expressions import orientation_error
from linkwork.motion import Quintic, published_path
from linkwork.motion.bundled import motion_for
from linkwork.simulation import DigitalLoop, rollout, simulate
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
    kp, kv = pd_gains(10 / (2 * np.pi))
    assert (kp, kv) == pytest.approx((100, 20))
    roots = np.roots([1, *pd_gains(3.0, 0.5)[::-1]])
    assert np.abs(roots) == pytest.approx(2 * np.pi * 3)
    assert -roots.real / np.abs(roots) == pytest.approx(0.5)


def test_error_decays_as_the_gains_say(ur5) -> None:
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


@pytest.mark.parametrize("formulation", ["newton-euler", "lagrange", "natural-complement", "minimal"])
def test_the_adaptive_law_is_the_same_by_every_formulation(formulation) -> None:
    arm = lw.load("planar-2r")
    motion, state = Quintic(np.zeros(2), np.ones(2), 2.0), random_arm_state(2)
    chosen, plain = (
        AdaptiveComputedTorque(arm, motion, formulation=name) for name in (formulation, None)
    )
    for time in (0.3, 0.31):  # the second sample knows a load
        np.testing.assert_allclose(chosen.effort(time, state), plain.effort(time, state), rtol=1e-11)
    np.testing.assert_allclose(chosen.load, plain.load, rtol=1e-9, atol=1e-12)


def test_adaptive_law_without_learning_is_computed_torque_like() -> None:
    """With the load known to be nothing, torque at zero error is that of the model."""
    arm = lw.load("ur5")
    motion = Quintic(np.zeros(6), np.ones(6), 2.0)
    q, qd, qdd = motion.at(0.8)
    law = AdaptiveComputedTorque(arm, motion, learning_rate=0.0)
    np.testing.assert_allclose(
        law.effort(0.8, State(q, qd)), arm.inverse_dynamics(q, qd, qdd), rtol=1e-12
    )


def test_adaptive_law_of_a_platform_learns_mass_and_center() -> None:
    platform, path = lw.load("dasgupta1998"), published_path("dasgupta-II")
    load = point_payload(10.0, (0.05, -0.03, 0.0))
    options = {"payload": load, "step": 2e-3}
    fixed = TaskSpaceControl(platform, path, 400, 40, period=2e-3, measured="pose")
    law = AdaptiveTaskSpaceControl(platform, path, 400, 40, period=2e-3)
    plain, learned = simulate(platform, fixed, **options), simulate(platform, law, **options)
    assert np.abs(learned.error[-1]).max() < np.abs(plain.error[-1]).max() / 10
    assert law.load[0] == pytest.approx(10.0, rel=0.03)
    np.testing.assert_allclose(law.center[:2], [0.05, -0.03], atol=0.02)
    again = pickle.loads(pickle.dumps(law))
    again.start()
    motion = path.at(0.2)
    force = again.effort(0.2, State(motion.pose, motion.twist))
    np.testing.assert_allclose(force, platform.inverse_dynamics(*motion), rtol=1e-9)
    assert "for Stewart platforms" in message(lambda: AdaptiveTaskSpaceControl(lw.load("ur5"), path))
    assert "kv^2" in message(lambda: AdaptiveTaskSpaceControl(platform, path, 400, 10))


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
    path = published_path("dasgupta-I")
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
    platform, path = lw.load("dasgupta1998"), published_path("dasgupta-I")
    law = TaskSpaceControl(platform, path, 100.0, 20.0, measured="pose", **options)
    motion = path.at(1.3)
    force = law.effort(1.3, State(motion.pose, motion.twist))
    expected = platform.inverse_dynamics(*motion, **options)
    np.testing.assert_allclose(force, expected, rtol=1e-9)
    exact = platform.inverse_dynamics(*motion)
    assert np.abs(force - exact).max() > 1e-3
    again = pickle.loads(pickle.dumps(law)).effort(1.3, State(motion.pose, motion.twist))
    np.testing.assert_array_equal(again, force)


def coupled(n: int, scale: float, seed: int = 5):
    """A full symmetric positive definite matrix."""
    A = np.random.default_rng(seed).normal(size=(n, n))
    return scale * (np.eye(n) + A @ A.T / n)


def test_full_gain_matrices_shape_the_error(ur5) -> None:
    """Without sampling, e'' + Kv e' + Kp e = 0 holds exactly, its joints coupled (Lee 4.3)."""
    from scipy.linalg import expm

    Kp, Kv = coupled(6, 60.0), coupled(6, 12.0, 6)
    motion = Quintic(np.zeros(6), 0.5 * np.ones(6), 2.0)
    first = np.array([0.1, -0.05, 0.02, 0.1, 0.0, -0.1])
    law = ComputedTorque(ur5, motion, Kp, Kv, period=None)
    run = simulate(
        ur5, law, duration=0.4, start=(motion.at(0.0).q - first, motion.at(0.0).qd), step=1e-3
    )
    A = np.block([[np.zeros((6, 6)), np.eye(6)], [-Kp, -Kv]])
    expected = [(expm(A * t) @ np.concatenate([first, np.zeros(6)]))[:6] for t in run.time[::100]]
    np.testing.assert_allclose(run.error[::100], expected, atol=1e-7)
    state = random_arm_state(6)
    by_matrix = ComputedTorque(ur5, motion, Kp, Kv, form="matrix").effort(0.7, state)
    np.testing.assert_allclose(law.effort(0.7, state), by_matrix, rtol=1e-11)  # (4.1) = (4.4)
    diagonal = ComputedTorque(ur5, motion, np.diag(np.full(6, 100.0)), 20.0).effort(0.7, state)
    np.testing.assert_allclose(diagonal, ComputedTorque(ur5, motion).effort(0.7, state), rtol=1e-12)


def test_lees_conditions_are_named(ur5) -> None:
    motion = Quintic(np.zeros(6), np.ones(6), 1.0)
    good, skew = coupled(6, 50.0), coupled(6, 50.0)
    skew[0, 3] += 1.0
    undamped = np.diag([20.0, 20.0, 20.0, 20.0, 20.0, 0.0])
    negative = np.diag([20.0, 20.0, 20.0, 20.0, 20.0, -1.0])

    def refused(kp, kv):
        return message(lambda: ComputedTorque(ur5, motion, kp, kv))

    assert "condition (a)" in refused(good, skew)
    assert "[0, 3]" in refused(good, skew)
    assert "condition (a)" in refused(good, negative)
    assert "condition (b)" in refused(skew, good)
    assert "condition (b)" in refused(undamped, good)
    # What kv does not damp must be coupled to what it does: 100 I is not.
    assert "condition (c)" in refused(100.0 * np.eye(6), undamped)
    assert "is 5" in refused(100.0 * np.eye(6), undamped)
    ComputedTorque(ur5, motion, good, undamped)
    assert "(6, 6)" in refused(np.eye(5), 20.0)
    GravityCompensation(ur5, motion, good, undamped)
    assert "condition (a)" in message(lambda: GravityCompensation(ur5, motion, good, skew))
    hexapod, path = lw.load("dasgupta1998"), published_path("dasgupta-I")
    assert "condition (b)" in message(lambda: TaskSpaceControl(hexapod, path, skew, good))
    force = TaskSpaceControl(hexapod, path, 100 * np.eye(6), 20.0, measured="pose")
    plain = TaskSpaceControl(hexapod, path, measured="pose")
    state = State(path.at(1.0).pose, path.at(1.1).twist)
    np.testing.assert_allclose(force.effort(1.0, state), plain.effort(1.0, state), rtol=1e-12)


def test_an_integral_removes_what_a_load_leaves() -> None:
    """PD stands off by the load's torque over kp; with an integral the error decays."""
    arm = lw.load_arm("planar-2r")
    rest = np.array([0.3, -0.8])
    still = Quintic(rest, rest, 1.0)
    options = {"payload": 1.0, "duration": 12.0, "step": 5e-3, "friction": False}
    plain = simulate(arm, ComputedTorque(arm, still, friction=False), **options)
    law = ComputedTorque(arm, still, ki=300.0, friction=False)
    held = simulate(arm, law, **options)
    assert np.abs(plain.error[-1]).max() > 0.01
    assert np.abs(held.error[-1]).max() < 1e-5
    again = simulate(arm, law, **options)  # a new run forgets the integral
    np.testing.assert_array_equal(again.q, held.q)
    many = rollout(
        arm, ComputedTorque(arm, still, ki=300.0), batch=2, duration=0.5, variations={"payload": 1.0}
    )
    alone = simulate(arm, ComputedTorque(arm, still, ki=300.0), duration=0.5, payload=1.0)
    np.testing.assert_allclose(many.final_position, [alone.q[-1]] * 2, atol=1e-12)


def test_an_integral_does_not_wind_up() -> None:
    """A step that saturates the motor: without anti-windup the integral would overshoot by far."""
    link = {"name": "slide", "joint": "prismatic", "mass": 1.0, "inertia": [0, 0, 0]}
    link["limits"] = {"effort": 2.0}
    file = {"kind": "arm", "name": "mass", "convention": "standard", "gravity": [0, 0, 0]}
    arm = lw.load_arm({**file, "links": [link]})
    law = GravityCompensation(arm, Quintic([1.0], [1.0], 1.0), 30.0, 11.0, 0.01, ki=10.0, gravity=False)
    limited = DigitalLoop(effort_limits=True)
    options = {"start": [0.0], "duration": 6.0, "step": 0.01}
    run = simulate(arm, law, loop=limited, **options)
    assert np.abs(run.effort).max() == 2.0

    class Winding(GravityCompensation):
        def effort_applied(self, wanted, bound):
            super().effort_applied(wanted, np.full_like(bound, np.inf))

    wound = Winding(arm, Quintic([1.0], [1.0], 1.0), 30.0, 11.0, 0.01, ki=10.0, gravity=False)
    overshoot = [simulate(arm, each, loop=limited, **options).q.max() - 1.0 for each in (law, wound)]
    assert overshoot[0] < 0.1
    assert overshoot[1] > 2 * overshoot[0]
    many = rollout(arm, law, [[0.0]], duration=6.0, step=0.01, loop=limited)
    assert many.final_position[0, 0] == pytest.approx(run.q[-1, 0], abs=1e-12)
    assert "period" in message(
        lambda: GravityCompensation(arm, Quintic([1.0], [1.0], 1.0), 1.0, 1.0, None, ki=1.0)
    )


def message(call) -> str:
    with pytest.raises(lw.LinkworkError) as caught:
        call()
    return str(caught.value)


def test_errors(ur5) -> None:
    motion = Quintic(np.zeros(6), np.ones(6), 1.0)
    hexapod = lw.load("dasgupta1998")
    assert "take TaskSpaceControl" in message(lambda: ComputedTorque(hexapod, motion))
    assert "for Stewart platforms" in message(lambda: TaskSpaceControl(ur5, motion))
    assert "kp = -1" in message(lambda: ComputedTorque(ur5, motion, kp=-1))
    assert "6 of them" in message(lambda: ComputedTorque(ur5, motion, kv=[1, 2]))
    assert "period = 0" in message(lambda: ComputedTorque(ur5, motion, period=0))
    assert "unknown form" in message(lambda: ComputedTorque(ur5, motion, form="lagrange"))
    assert "lookahead" in message(lambda: ComputedTorque(ur5, motion, lookahead=-1))
    assert "kv^2 >= 4 kp" in message(lambda: AdaptiveComputedTorque(ur5, motion, kp=100, kv=5))
    assert "learning_rate" in message(lambda: AdaptiveComputedTorque(ur5, motion, learning_rate=-1))
    path = published_path("dasgupta-I")
    assert "measured" in message(lambda: TaskSpaceControl(hexapod, path, measured="eyes"))
    for wrong in ("quintic", path, Quintic(np.zeros(3), np.ones(3), 1.0)):
        assert "trajectory" in message(lambda wrong=wrong: ComputedTorque(ur5, wrong))
    assert "trajectory" in message(lambda: TaskSpaceControl(hexapod, motion))
    assert "is not a serial arm" in message(lambda: AdaptiveComputedTorque(hexapod, motion))
    for option in ("kp", "kv", "period", "lookahead"):
        assert option in message(lambda option=option: ComputedTorque(ur5, motion, **{option: "x"}))
    assert "unknown formulation" in message(lambda: ComputedTorque(ur5, motion, formulation="lagrang"))
    matrix = {"form": "matrix", "formulation": "angeles"}
    assert "lagrange" in message(lambda: ComputedTorque(ur5, motion, **matrix))
    assert "formulation" in message(lambda: TaskSpaceControl(hexapod, path, formulation="minimal"))
    delta = lw.load("delta")
    still = Quintic(delta.home, delta.home, 1.0)
    assert "formulation" in message(lambda: TaskSpaceControl(delta, still, formulation="dasgupta1998"))
    assert "bandwidth" in message(lambda: pd_gains("x"))
    assert "bandwidth" in message(lambda: pd_gains(0))
    assert "mass" in message(lambda: point_payload(-1))


@pytest.mark.parametrize(
    ("name", "kind", "load"),
    [
        ("palletizer", AdaptiveComputedTorque, 20.0),
        ("delta", AdaptiveTaskSpaceControl, 0.5),
        ("hexapod-with-arm", AdaptiveTaskSpaceControl, 2.0),
    ],
)
def test_adaptive_law_of_any_mechanism(name: str, kind, load: float) -> None:
    robot = lw.load(name)
    motion = motion_for(robot, "home-quintic")
    learning = {"learning_rate": 0.0, "period": 2e-3}
    ignorant = simulate(robot, kind(robot, motion, 400, 40, **learning), payload=load)
    law = kind(robot, motion, 400, 40, period=2e-3, learning_rate=100.0)
    learned = simulate(robot, law, payload=load)
    assert np.abs(learned.error[-1]).max() < 0.5 * np.abs(ignorant.error[-1]).max()
    assert law.load[0] > 0.1 * load
    exact = kind(robot.with_payload(load), motion, 400, 40, **learning)
    known = kind(robot, motion, 400, 40, **learning)
    known.load = point_payload(load)
    state = State(*(np.asarray(part) for part in motion.at(0.7)[:2]))
    np.testing.assert_allclose(known.effort(0.7, state), exact.effort(0.7, state), rtol=1e-9, atol=1e-7)
