"""External wrenches, contact, loads that change, and force feedback: against closed forms."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np
import pytest

import linkwork as lw
from linkwork.control import ComputedTorque, GravityCompensation, TaskSpaceControl
from linkwork.motion import Quintic, published_path
from linkwork.simulation import DigitalLoop, SimulationError, SpringWall, WrenchTable, rollout, simulate


@pytest.fixture(scope="module")
def slide() -> lw.Arm:
    """Two kilograms on a straight guide along the base's z axis, without gravity."""
    link = {"name": "slide", "joint": "prismatic", "mass": 2.0, "inertia": [0, 0, 0]}
    file = {"kind": "arm", "name": "slide", "convention": "standard", "gravity": [0, 0, 0]}
    return lw.load_arm({**file, "links": [link]})


@pytest.fixture(scope="module")
def puma() -> lw.Arm:
    return lw.load_arm("puma560")


def idle(arm: lw.Arm, period: float = 0.01) -> GravityCompensation:
    rest = np.zeros(arm.n)
    return GravityCompensation(arm, Quintic(rest, rest, 1.0), 0.0, 0.0, period, gravity=False)


RAMP = WrenchTable([0.2, 0.5, 0.5, 0.8], [[0, 0, -f, 0, 0, 0] for f in (0.0, 6.0, -2.0, -2.0)])


def ramped(time: float) -> tuple[float, float]:
    """Place and velocity of the slide under RAMP, whose force on the mass is -f_z."""
    a = 6.0 / 0.3 / 2.0
    if time <= 0.2:
        return 0.0, 0.0
    t = min(time, 0.5) - 0.2
    x, v = a * t**3 / 6, a * t**2 / 2
    t = max(time - 0.5, 0.0)
    return x + v * t - t * t / 2, v - t


@pytest.mark.parametrize("integrator", ["rk4", "adaptive"])
def test_a_table_over_time(slide, integrator) -> None:
    """Force on a mass: cubic where it grows, a parabola after the jump, which no step straddles."""
    run = simulate(slide, duration=1.0, step=0.05, wrench=RAMP, integrator=integrator)
    expected = np.array([ramped(t) for t in run.time])
    tolerance = 1e-12 if integrator == "rk4" else 1e-8  # rows are kinks to it
    np.testing.assert_allclose(run.q[:, 0], expected[:, 0], atol=tolerance)
    np.testing.assert_allclose(run.qd[:, 0], expected[:, 1], atol=tolerance)


def test_a_rollout_takes_the_same_table(slide) -> None:
    many = rollout(slide, idle(slide, 0.05), batch=2, duration=0.9, step=0.05, wrench=RAMP)
    np.testing.assert_allclose(many.final_position[:, 0], ramped(0.9)[0], atol=1e-12)
    each = {"wrench": [[0, 0, -2.0, 0, 0, 0], [0, 0, 4.0, 0, 0, 0]]}
    many = rollout(slide, idle(slide), variations=each, duration=1.0, step=0.01)
    np.testing.assert_allclose(many.final_position[:, 0], [0.5, -1.0], atol=1e-12)


@pytest.mark.parametrize("way", [{"step": 1e-3}, {"step": 0.05, "integrator": "adaptive"}])
def test_a_function_of_time_and_state(slide, way) -> None:
    """A spring on the mass, as a function: a cosine."""
    spring = lambda time, state: [0, 0, 50.0 * state.q[0], 0, 0, 0]  # noqa: E731
    run = simulate(slide, start=[0.1], duration=1.0, wrench=spring, **way)
    np.testing.assert_allclose(run.q[:, 0], 0.1 * np.cos(5 * run.time), atol=1e-8)
    sampled = simulate(slide, idle(slide), start=[0.1], duration=0.5, wrench=spring, step=1e-3)
    np.testing.assert_allclose(sampled.q[:, 0], 0.1 * np.cos(5 * sampled.time), atol=1e-8)


def test_a_wall_throws_a_mass_back(slide) -> None:
    """Half a swing of the spring, then the velocity is turned; energy is kept."""
    wall = SpringWall((0, 0, 0.2), (0, 0, -3.0), stiffness=800.0)
    half = np.pi / np.sqrt(800.0 / 2.0)
    run = simulate(slide, start=([0.0], [1.0]), duration=0.6, step=1e-3, wrench=wall)
    assert run.q[-1, 0] == pytest.approx(0.2 - (0.6 - 0.2 - half), abs=1e-5)
    np.testing.assert_allclose(run.energy, run.energy[0], atol=1e-4)
    assert run.potential.max() == pytest.approx(1.0, abs=1e-3)
    exact = simulate(
        slide, start=([0.0], [1.0]), duration=0.6, step=0.01, wrench=wall, integrator="adaptive"
    )
    assert exact.q[-1, 0] == pytest.approx(0.2 - (0.6 - 0.2 - half), abs=1e-8)
    many = rollout(slide, idle(slide), ([[0.0]], [[1.0]]), duration=0.6, step=1e-3, wrench=wall)
    np.testing.assert_allclose(many.final_position[0], run.q[-1], atol=1e-12)
    damped = SpringWall((0, 0, 0.2), (0, 0, -1), stiffness=800.0, damping=40.0)
    slower = simulate(slide, start=([0.0], [1.0]), duration=0.6, step=1e-3, wrench=damped)
    assert -1.0 < slower.qd[-1, 0] < 0.0


def test_contact_pushes_as_a_tip_wrench_does(puma) -> None:
    """The wall's wrench on an arm is J' F, and no other than `tip_wrench` of the dynamics methods."""
    q = np.array([0.3, 0.4, -0.5, 0.2, 0.6, 0.1])
    T = puma.forward_kinematics(q)
    normal = np.array([1.0, 2.0, -2.0]) / 3
    wall = SpringWall(tuple(T[:3, 3] + 0.01 * normal), tuple(normal), stiffness=3e4)
    told = []

    def law(time, state):
        told.append(state.wrench)
        return puma.gravity_load(q)

    run = simulate(puma, law, start=q, duration=1e-3, step=1e-3, wrench=wall, friction=False)
    force = 3e4 * 0.01 * normal
    torque = puma.jacobian(q)[:3].T @ force
    np.testing.assert_allclose(
        puma.inverse_dynamics(q, np.zeros(6), np.zeros(6), tip_wrench=told[0], friction=False),
        puma.gravity_load(q) - torque,
        atol=1e-9,
    )
    first = puma.forward_dynamics(
        q, np.zeros(6), puma.gravity_load(q), tip_wrench=told[0], friction=False
    )
    np.testing.assert_allclose(run.qd[-1] / 1e-3, first, rtol=0.02, atol=0.05 * np.abs(first).max())


@pytest.mark.parametrize("name", ["delta", pytest.param("dasgupta1998", marks=pytest.mark.long)])
def test_a_wrench_on_a_platform(name) -> None:
    """Legs that carry weight and wrench hold it still, and force feedback does the same by itself."""
    robot = lw.load(name)
    wrench = np.array([3.0, -5.0, 8.0, 0.3, 0.2, -0.1])
    still = np.zeros(len(robot.velocities))
    force = robot.inverse_dynamics(robot.home, still, still, wrench=wrench)
    run = simulate(robot, lambda t, s: force, duration=0.02, step=2e-3, wrench=wrench)
    np.testing.assert_allclose(run.position[-1], robot.home, atol=1e-9)
    if name == "delta":
        return
    path = published_path("dasgupta-I")
    options = {"duration": 0.3, "step": 0.01, "wrench": 20 * wrench}
    errors = []
    for feedback in (False, True):
        law = TaskSpaceControl(
            robot, path, 400, 40, period=0.01, measured="pose", force_feedback=feedback
        )
        errors.append(np.abs(simulate(robot, law, **options).error).max())
    assert errors[1] < errors[0] / 10


@dataclass(frozen=True)
class Rubber(lw.Contact):
    """A user's own contact: a cubic spring toward the base's origin."""

    stiffness: float

    def wrench(self, tip):
        return ca.vertcat(-self.stiffness * tip.position * ca.sumsqr(tip.position), ca.DM.zeros(3))


def test_own_contacts_are_compiled(slide) -> None:
    run = simulate(slide, start=[0.4], duration=0.5, wrench=Rubber(300.0))
    by_hand = simulate(slide, lambda t, s: -300.0 * s.q**3, start=[0.4], duration=0.5)
    np.testing.assert_allclose(run.q, by_hand.q, atol=1e-10)
    many = rollout(slide, idle(slide), [[0.4]], duration=0.5, wrench=Rubber(300.0))
    np.testing.assert_allclose(many.final_position[0], run.q[-1], atol=1e-12)


def test_force_feedback_keeps_the_arm_on_its_way() -> None:
    """Turney's n+1 terms from a force-torque sensor: contact no longer pushes the arm aside."""
    arm, q = lw.load_arm("planar-2r"), np.array([0.3, 0.4])
    motion = Quintic(q, q + 0.2, 0.5)
    options = {"wrench": [2.0, -3.0, 0.0, 0.0, 0.0, 0.4], "step": 2e-3}
    law = {
        feedback: ComputedTorque(arm, motion, period=2e-3, force_feedback=feedback)
        for feedback in (False, True)
    }
    blind, exact = (simulate(arm, law[feedback], **options) for feedback in (False, True))
    free = simulate(arm, law[False], step=2e-3)
    assert np.abs(blind.error).max() > 100 * np.abs(exact.error).max()
    np.testing.assert_allclose(exact.q, free.q, atol=1e-4)  # the wrench turns while torques are held
    rough = DigitalLoop(wrist_resolution=0.05, wrist_noise=0.05, wrist_bias=0.1)
    measured = simulate(arm, law[True], loop=rough, **options)
    assert np.abs(exact.error).max() < np.abs(measured.error).max() < np.abs(blind.error).max()
    height = float(arm.forward_kinematics(q)[1, 3])
    for wrench in (options["wrench"], SpringWall((0, height + 0.02, 0), (0, -1, 0), 2e4)):
        batch = rollout(arm, law[True], batch=1, loop=rough, wrench=wrench, step=2e-3)
        alone = simulate(arm, law[True], loop=rough, wrench=wrench, step=2e-3)
        np.testing.assert_allclose(batch.final_position[0], alone.q[-1], atol=1e-10)
        assert np.abs(alone.q - free.q).max() > 1e-4


@pytest.mark.parametrize("integrator", ["rk4", "adaptive"])
def test_a_load_is_picked_up_and_dropped(slide, integrator) -> None:
    """Momentum comes with the load: the velocity stays, and the force then moves more mass."""
    push = lambda time, state: [6.0]  # noqa: E731
    loads = [(0.25, 1.0), (0.55, None)]
    run = simulate(slide, push, duration=1.0, step=0.02, payload=loads, integrator=integrator)
    x = v = 0.0
    for length, mass in ((0.25, 2.0), (0.3, 3.0), (0.45, 2.0)):
        a = 6.0 / mass
        x, v = x + v * length + a * length**2 / 2, v + a * length
    assert run.q[-1, 0] == pytest.approx(x, abs=1e-12)
    assert run.qd[-1, 0] == pytest.approx(v, abs=1e-12)


def test_a_load_changes_in_a_rollout() -> None:
    arm = lw.load_arm("planar-2r")
    law = ComputedTorque(arm, Quintic(np.zeros(2), np.full(2, 0.4), 0.3), period=0.01)
    loads = [(0.0, 0.5), (0.1234, lw.point_payload(2.0, (0.1, 0, 0))), (0.2, None)]
    alone = simulate(arm, law, payload=loads)
    many = rollout(arm, law, payload=loads, batch=2)
    np.testing.assert_allclose(many.final_position, [alone.q[-1]] * 2, atol=1e-11)
    assert np.abs(alone.q[-1] - simulate(arm, law).q[-1]).max() > 1e-4


def message(call) -> str:
    with pytest.raises(lw.LinkworkError) as caught:
        call()
    return str(caught.value)


def test_errors(slide) -> None:
    law = idle(slide)
    assert "wrench has shape (3,)" in message(lambda: simulate(slide, duration=0.1, wrench=[1, 2, 3]))
    assert "time goes back" in message(lambda: WrenchTable([0, 2, 1], np.zeros((3, 6))))
    assert "(N, 6)" in message(lambda: WrenchTable([0, 1], np.zeros((3, 6))))
    assert "rollout compiles its wrench" in message(lambda: rollout(slide, law, wrench=lambda t, s: 0))
    twice = {"payload": [1.0, 2.0]}
    assert "given twice" in message(lambda: rollout(slide, law, payload=1.0, variations=twice))
    assert "times >= 0" in message(lambda: simulate(slide, payload=[(2, 1.0), (1, 2.0)], duration=1.0))
    assert "pairs" in message(lambda: simulate(slide, payload=[(2, 1.0, 3)], duration=1.0))
    assert "normal" in message(lambda: SpringWall((0, 0, 0), (0, 0, 0), 10.0))
    assert "stiffness" in message(lambda: SpringWall((0, 0, 0), (0, 0, 1), -10.0))
    assert "one or six" in message(lambda: DigitalLoop(wrist_noise=[1, 2]))
    with pytest.raises(SimulationError, match="shape"):
        simulate(slide, law, duration=0.1, wrench=lambda time, state: [1.0])
