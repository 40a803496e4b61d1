"""Simulation: order, energy, agreement with MuJoCo and with closed forms, and clear ends."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np
import pytest

import linkwork as lw
from linkwork.control import ComputedTorque, LawController, TaskSpaceControl, point_payload
from linkwork.motion import Quintic, published_path
from linkwork.papers import lee1982
from linkwork.simulation import DigitalLoop, Simulation, SimulationError, rollout, simulate
from tests.oracles.mujoco_arm import mujoco_model

FREE = {"friction": False, "rotors": False}


@pytest.fixture(scope="module")
def ur5() -> lw.Arm:
    return lw.load_arm("ur5")


@pytest.fixture(scope="module")
def puma() -> lw.Arm:
    return lw.load_arm("puma560")


def test_observed_order_is_four(ur5) -> None:
    start = (np.array([0.1, -0.5, 0.3, 0.2, 0.1, 0.3]), np.full(6, 0.3))
    exact = simulate(
        ur5, start=start, duration=0.32, integrator="adaptive", tolerance=1e-13, step=0.32, **FREE
    )
    errors = []
    for step in (0.008, 0.004, 0.002):
        run = simulate(ur5, start=start, duration=0.32, step=step, **FREE)
        errors.append(np.abs(run.q[-1] - exact.q[-1]).max())
    orders = np.log2(np.array(errors[:-1]) / np.array(errors[1:]))
    np.testing.assert_allclose(orders, 4.0, atol=0.1)


@pytest.mark.parametrize("duration", [2.5, pytest.param(10.0, marks=pytest.mark.long)])
def test_energy_of_a_free_arm_is_kept(ur5, duration: float) -> None:
    start = (np.array([0.1, -0.5, 0.3, 0.2, 0.1, 0.3]), np.zeros(6))
    run = simulate(
        ur5, start=start, duration=duration, integrator="adaptive", tolerance=1e-12, step=0.1, **FREE
    )
    assert run.kinetic.max() > 10
    assert np.abs(run.energy - run.energy[0]).max() < 1e-9  # J


def test_energy_of_a_free_platform_is_kept() -> None:
    """Legs hold the weight at home with constant forces: energy changes by their work alone."""
    platform = lw.load("simona")
    force = platform.inverse_dynamics(platform.home, np.zeros(6), np.zeros(6))
    lengths = platform.leg_lengths(platform.home)
    start = (platform.home, np.array([0.02, -0.01, 0.03, 0.02, 0.01, -0.02]))
    run = simulate(
        platform,
        lambda time, state: force,
        start=start,
        duration=2.5,  # it comes to a singular pose at 2.55 s
        integrator="adaptive",
        tolerance=1e-12,
        step=0.1,
        friction=False,
    )
    work = (platform.leg_lengths(run.pose) - lengths) @ force  # of constant forces
    assert np.abs(run.pose[-1, :3] - platform.home[:3]).max() > 0.05
    assert np.abs(np.linalg.norm(run.pose[:, 3:], axis=1) - 1).max() < 1e-12
    drift = run.energy - run.energy[0] - work
    assert np.abs(drift).max() < 1e-9 * np.abs(run.energy).max()


def test_free_fall_agrees_with_mujoco(ur5) -> None:
    model = mujoco_model(ur5.model)
    model.opt.timestep = 1e-3
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
    data = mujoco.MjData(model)
    q, qd = np.array([0.1, -0.5, 0.3, 0.2, 0.1, 0.3]), np.array([0.1, 0.2, -0.3, 0.5, 0.1, 0.2])
    data.qpos[:], data.qvel[:] = q, qd
    for _ in range(500):
        mujoco.mj_step(model, data)
    run = simulate(ur5, start=(q, qd), duration=0.5, **FREE)
    np.testing.assert_allclose(run.q[-1], data.qpos, atol=1e-9)
    np.testing.assert_allclose(run.qd[-1], data.qvel, atol=1e-8)


def test_integrators_agree(puma) -> None:
    motion = Quintic(lee1982.START, lee1982.END, 1.0)
    law = ComputedTorque(puma, motion, friction=False)
    coarse = simulate(puma, law, friction=False)
    fine = simulate(puma, law, friction=False, integrator="adaptive", step=0.01)
    np.testing.assert_allclose(coarse.q[::10], fine.q, atol=1e-9)
    np.testing.assert_allclose(coarse.effort[::10], fine.effort, atol=1e-6)


@pytest.mark.parametrize("name", ["planar-2r", "puma560"])
def test_the_steps_of_turney_give_the_same_motion(name: str) -> None:
    """Section 7: M by strobing, bias by Newton-Euler. puma560 has Coulomb friction, the other none."""
    arm = lw.load_arm(name)
    start, effort = (np.full(arm.n, 0.3), np.full(arm.n, 0.2)), np.full(arm.n, 0.5)
    given: dict[str, object] = {"start": start, "duration": 0.05, "payload": 0.3}
    own = simulate(arm, lambda time, state: effort, formulation="strobing", **given)
    fastest = simulate(arm, lambda time, state: effort, **given)
    np.testing.assert_allclose(own.q, fastest.q, rtol=0, atol=1e-12)
    with pytest.raises(lw.LinkworkError, match="'kane'; there are composite, articulated, strobing"):
        simulate(arm, duration=0.1, formulation="kane")
    with pytest.raises(lw.LinkworkError, match="dasgupta1998 is a Stewart platform, which moves by the"):
        simulate(lw.load("dasgupta1998"), duration=0.1, formulation="strobing")


def test_lees_experiment() -> None:
    """The bound of the paper holds from 2.2 s; a centered torque cuts the error by far."""
    paper = lee1982.experiment(2.25)
    assert np.abs(paper.error).max() < lee1982.BOUND
    assert np.abs(lee1982.experiment(2.0).error).max() > lee1982.BOUND
    centered = lee1982.experiment(2.25, lookahead=lee1982.PERIOD / 2)
    assert np.abs(centered.error).max() < np.abs(paper.error).max() / 30
    rough = lee1982.experiment(3.0, loop=DigitalLoop(resolution=lee1982.BOUND))
    assert np.abs(rough.error).max() < lee1982.BOUND
    loaded = lee1982.experiment(3.0, payload=2.3)
    assert np.abs(loaded.error).max() > 100 * lee1982.BOUND
    adapted = lee1982.experiment(3.0, payload=2.3, controller="adaptive")
    assert np.abs(adapted.error[-1]).max() < 3 * lee1982.BOUND
    figure = lee1982.error_figure(paper)
    assert len(figure.axes) == 6


@pytest.mark.parametrize("name", ["dasgupta-I", "dasgupta-II"])
def test_platform_follows_the_papers_paths(name) -> None:
    platform = lw.load("dasgupta1998")
    path = published_path(name)
    step = path.duration / 600
    run = simulate(platform, TaskSpaceControl(platform, path, 400, 40, period=step), step=step)
    assert np.abs(run.error).max() < 5e-4  # of sampling: half a period of acceleration over kp
    planned = platform.inverse_dynamics(*path.at(run.time))
    smooth = np.abs(run.effort - planned).max(axis=1)
    assert np.median(smooth) < 0.02 * np.abs(planned).max()


def test_path_three_stops_at_the_singularity() -> None:
    platform = lw.load("dasgupta1998")
    path = published_path("dasgupta-III")
    with pytest.raises(SimulationError) as caught:
        simulate(platform, TaskSpaceControl(platform, path, measured="legs"), step=1e-3)
    # The reference is singular at 3.6705 s; the platform lags behind it as the forces grow.
    assert 3.67 < caught.value.time < 3.85
    assert "singular pose" in str(caught.value)
    kept = caught.value.result
    assert kept.time[-1] == pytest.approx(caught.value.time, abs=2e-3)
    assert np.abs(kept.error[kept.time < 3.0]).max() < 5e-3
    assert platform.condition_number(kept.pose[-1]) > 1e4


def test_rollouts_equal_single_simulations(puma) -> None:
    motion = Quintic(lee1982.START, lee1982.END, 0.5)
    for period in (1e-3, 0.01):
        law = ComputedTorque(puma, motion, period=period, lookahead=period / 2)
        starts = lee1982.START + 0.05 * np.random.default_rng(0).normal(size=(3, 6))
        loads = np.array([point_payload(mass) for mass in (0.0, 1.0, 2.0)])
        batch = rollout(puma, law, starts, variations={"payload": loads}, record_every=100)
        for k in range(3):
            alone = simulate(puma, law, start=starts[k], payload=loads[k])
            np.testing.assert_allclose(batch.final_position[k], alone.q[-1], atol=1e-12)
            np.testing.assert_allclose(batch.position[2, k], alone.q[200], atol=1e-12)
        assert not batch.diverged.any()


def test_variations_change_what_they_say(puma) -> None:
    motion = Quintic(lee1982.START, lee1982.END, 0.5)
    ur5 = lw.load("ur5")  # its file tells of no friction
    smooth_law = ComputedTorque(ur5, motion, period=1e-3)
    same = rollout(ur5, smooth_law, variations={"mass_scale": np.ones(6)})
    free = rollout(ur5, smooth_law)
    np.testing.assert_allclose(same.final_position, free.final_position, atol=1e-11)
    law = ComputedTorque(puma, motion, period=1e-3)
    plain = rollout(puma, law)
    once = rollout(puma, law, variations={"friction_scale": 1.0})
    # At rest, rounding alone decides which way Coulomb friction pushes first.
    np.testing.assert_allclose(once.final_position, plain.final_position, atol=1e-4)
    heavy = rollout(puma, law, variations={"mass_scale": 1.3})
    assert heavy.largest_error.max() > 10 * plain.largest_error.max()
    smooth = rollout(puma, law, variations={"friction_scale": [0.0, 1.0, 2.0]})
    assert smooth.largest_error.shape == (3, 6)
    assert smooth.largest_error[2].max() > plain.largest_error.max()
    loads = {"payload": np.zeros(10), "mass_scale": 1.3, "friction_scale": 0.5}
    either = [
        rollout(puma, law, variations=dict(order)) for order in (loads.items(), reversed(loads.items()))
    ]
    np.testing.assert_array_equal(either[0].final_position, either[1].final_position)
    stiff = rollout(
        puma, law, variations={"mass_scale": 1.3, "kp": [[100.0] * 6, [400.0] * 6], "kv": 40.0}
    )
    assert stiff.rms_error[1].max() < stiff.rms_error[0].max()


@dataclass(frozen=True)
class Springs:
    """A user's own law, as an expression."""

    stiffness: float

    def torque(self, model, signals):
        return self.stiffness * (signals.q_ref - signals.q) - signals.kv * signals.qd


def test_own_laws_are_compiled_too(puma) -> None:
    law = LawController(puma, Quintic(lee1982.START, lee1982.END, 0.2), Springs(50.0), 0.0, 5.0)
    alone, batch = simulate(puma, law), rollout(puma, law, batch=3)
    np.testing.assert_allclose(batch.final_position[2], alone.q[-1], atol=1e-12)
    state = alone.q[7], alone.qd[7]
    expected = 50.0 * (alone.reference[7] - state[0]) - 5.0 * state[1]
    np.testing.assert_allclose(alone.effort[7], expected, atol=1e-12)


def test_platform_rollout_equals_simulation() -> None:
    platform = lw.load("dasgupta1998")
    law = TaskSpaceControl(platform, published_path("dasgupta-II"), measured="pose")
    alone = simulate(platform, law)
    batch = rollout(platform, law, batch=2)
    np.testing.assert_allclose(batch.final_position, np.tile(alone.pose[-1], (2, 1)), atol=1e-12)
    np.testing.assert_allclose(batch.largest_error[0], np.abs(alone.error[:-1]).max(axis=0), atol=1e-9)


def test_results_are_saved_whole(tmp_path, ur5) -> None:
    run = simulate(ur5, duration=0.01)
    run.save(tmp_path / "run.npz")
    with np.load(tmp_path / "run.npz") as stored:
        np.testing.assert_array_equal(stored["position"], run.q)
    run.save(tmp_path / "run.csv")
    table = np.genfromtxt(tmp_path / "run.csv", delimiter=",", names=True)
    np.testing.assert_array_equal(table["time"], run.time)
    np.testing.assert_array_equal(table[f"position_{ur5.joint_names[1]}"], run.q[:, 1])
    run.save(tmp_path / "run.parquet")
    import pyarrow.parquet

    stored = pyarrow.parquet.read_table(tmp_path / "run.parquet")
    np.testing.assert_array_equal(stored["time"].to_numpy(), run.time)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run.csv", "run.npz", "run.parquet"]
    with pytest.raises(lw.InputError, match="allowed endings"):
        run.save(tmp_path / "run.txt")
    with pytest.raises(lw.LinkworkError, match="cannot be written"):
        run.save(tmp_path / "missing" / "run.csv")
    assert len(run.plot().axes) == 3


def stopped(call) -> SimulationError:
    with pytest.raises(SimulationError) as caught:
        call()
    assert isinstance(caught.value.result, Simulation)
    return caught.value


def test_what_stops_a_simulation(puma) -> None:
    def later(value):
        return lambda time, state: value if time > 0.0495 else np.zeros(6)

    error = stopped(lambda: simulate(puma, later(np.full(6, np.nan)), duration=1.0))
    assert "nan for waist" in str(error)
    assert error.time == pytest.approx(0.05)
    assert len(error.result.time) == 50
    assert "shape (5,)" in str(stopped(lambda: simulate(puma, later(np.zeros(5)), duration=1.0)))

    def raising(time, state):
        raise ValueError("sensor unplugged")

    error = stopped(lambda: simulate(puma, raising, duration=1.0))
    assert "ValueError: sensor unplugged" in str(error)
    assert isinstance(error.__cause__, ValueError)
    error = stopped(lambda: simulate(puma, duration=5.0, position_limits="stop"))
    assert "shoulder is at" in str(error)
    assert "its limits are" in str(error)
    free = {"duration": 5.0, "position_limits": "stop", "friction": False}
    coarse = stopped(lambda: simulate(puma, **free))
    exact = stopped(lambda: simulate(puma, integrator="adaptive", step=0.1, **free))
    low = puma.model.joints[1].limits.position[0]
    assert exact.result.q[-1, 1] == pytest.approx(low, abs=1e-9)  # at the instant, not at a sample
    assert abs(exact.time - coarse.time) < 2e-3
    damped = lambda time, state: -1e5 * state.qd  # noqa: E731
    start = (np.zeros(6), np.ones(6))
    error = stopped(lambda: simulate(puma, damped, duration=1.0, start=start, step=0.01, friction=False))
    assert "too large" in str(error)
    assert "0.001" in str(error)


def test_efforts_saturate_at_their_limits(puma) -> None:
    limited = DigitalLoop(effort_limits=True)
    run = simulate(puma, lambda time, state: np.full(6, 1e4), duration=0.01, loop=limited)
    limits = [joint.limits.effort for joint in puma.model.joints]
    np.testing.assert_allclose(run.effort[0], limits)


def message(call) -> str:
    with pytest.raises(lw.LinkworkError) as caught:
        call()
    return str(caught.value)


def test_errors(puma) -> None:
    motion = Quintic(lee1982.START, lee1982.END, 1.0)
    law = ComputedTorque(puma, motion)
    assert "duration is missing" in message(lambda: simulate(puma))
    assert "step = 0" in message(lambda: simulate(puma, duration=1.0, step=0))
    text = message(lambda: simulate(puma, law, step=3e-3))
    assert "not a multiple" in text
    assert "take step" in text
    assert "start has shapes" in message(lambda: simulate(puma, duration=1.0, start=np.zeros(5)))
    assert "start is nan" in message(lambda: simulate(puma, duration=1.0, start=np.full(6, np.nan)))
    for option in ("duration", "step", "start", "payload", "loop", "tolerance"):
        given = {"duration": 1.0, option: "x"}
        assert option in message(lambda given=given: simulate(puma, **given))
    assert "batch is empty" in message(lambda: rollout(puma, law, np.zeros((0, 6))))
    assert "start" in message(lambda: rollout(puma, law, "x"))
    assert "expected a Controller" in message(lambda: rollout(puma, 3))
    assert "unknown integrator" in message(lambda: simulate(puma, duration=1.0, integrator="euler"))
    assert "too many" in message(lambda: simulate(puma, duration=1e9))
    assert "payload" in message(lambda: simulate(puma, duration=1.0, payload=[1, 2]))
    assert "lw.load" in message(lambda: simulate("puma560", duration=1.0))
    assert "expected a Controller" in message(lambda: simulate(puma, 3, duration=1.0))
    assert "unknown variation" in message(lambda: rollout(puma, law, variations={"wind": 1.0}))
    assert "kp has shape" in message(lambda: rollout(puma, law, variations={"kp": np.ones(4)}))
    assert "differ in number" in message(
        lambda: rollout(puma, law, np.zeros((3, 6)), variations={"friction_scale": [1.0, 2.0]})
    )
    hexapod, path = lw.load("dasgupta1998"), published_path("dasgupta-I")
    assert "other coordinates" in message(lambda: rollout(puma, TaskSpaceControl(hexapod, path)))
