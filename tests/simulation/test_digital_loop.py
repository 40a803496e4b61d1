"""The digital loop: figures measured before, closed forms, and clear refusals."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import linkwork as lw
from linkwork.control import ComputedTorque, GravityCompensation, TaskSpaceControl
from linkwork.motion import Quintic, published_path
from linkwork.papers import lee1982
from linkwork.simulation import DigitalLoop, SimulationError, rollout, simulate
from linkwork.simulation.digital_loop import PRESETS
from linkwork.simulation.instruments import Instruments
from linkwork.simulation.schedule import schedule

START = np.radians([90.0, 0.0, 90.0, 0.0, 0.0, 0.0])
END = np.radians([45.0, 30.0, 0.0, 45.0, 60.0, 90.0])


@pytest.fixture(scope="module")
def puma() -> lw.Arm:
    return lw.load_arm("puma560")


@pytest.fixture(scope="module")
def mass() -> lw.Arm:
    """One kilogram on a straight guide, without gravity."""
    link = {"name": "slide", "joint": "prismatic", "mass": 1.0, "inertia": [0, 0, 0]}
    link["limits"] = {"position": [-1.0, 1.0], "effort": 4.0}
    return lw.load_arm(
        {"kind": "arm", "name": "mass", "convention": "standard", "gravity": [0, 0, 0], "links": [link]}
    )


@pytest.mark.parametrize(
    ("loop", "bits"),
    [
        (DigitalLoop(resolution=lee1982.BOUND), 0.61),
        (DigitalLoop(resolution=lee1982.BOUND, velocity="differenced"), 2.53),
        (DigitalLoop(delay=3e-3), 0.99),
    ],
)
def test_lees_claim_in_bits(puma, loop, bits) -> None:
    """Figures that were measured before with a loop written for the purpose, in Corke's frames."""
    motion = Quintic(START, END, 3.0)
    law = ComputedTorque(puma, motion, 100.0, 20.0, 0.01, friction=False)
    run = simulate(puma, law, friction=False, loop=loop)
    assert np.abs(run.error).max() / lee1982.BOUND == pytest.approx(bits, abs=0.006)


def test_the_ideal_loop_changes_nothing(puma) -> None:
    law = ComputedTorque(puma, Quintic(START, END, 0.2), friction=False)
    plain = simulate(puma, law, friction=False)
    ideal = simulate(puma, law, friction=False, loop="ideal")
    np.testing.assert_array_equal(plain.q, ideal.q)
    assert plain.loop.ideal
    assert not PRESETS["lee1982"].ideal
    fine = {"resolution": 1e-13, "effort_bits": 48, "effort_range": 1e5}
    nearly = simulate(puma, law, friction=False, loop=DigitalLoop(**fine))
    np.testing.assert_allclose(nearly.q, plain.q, atol=1e-9)


@pytest.mark.parametrize("integrator", ["rk4", "adaptive"])
@pytest.mark.parametrize("delay", [0.0, 0.004, 0.01, 0.023])
def test_delays_against_the_exact_solution(mass, delay, integrator) -> None:
    """A mass under sampled PD with a delay: between changes of the force its motion is a parabola."""
    kp, kv, T = 40.0, 6.0, 0.01
    law = GravityCompensation(mass, Quintic([0.0], [0.0], 1.0), kp, kv, T, gravity=False)
    options = {"start": [0.3], "duration": 0.5, "step": 2e-3, "integrator": integrator}
    run = simulate(mass, law, loop=DigitalLoop(delay=delay), **options)
    forces: list[tuple[float, float]] = []
    x, v, now, force = 0.3, 0.0, 0.0, 0.0
    events = sorted(
        [(k * T, 0, k) for k in range(51)] + [(k * T + delay if k else 0.0, 1, k) for k in range(51)]
    )
    held = {}
    for time, kind, k in events:
        if time > 0.5 + 1e-12:
            break
        h = time - now
        x, v, now = x + h * v + h * h / 2 * force, v + h * force, time
        if kind == 0:
            held[k] = -kp * x - kv * v
        else:
            force = held[k]
            forces.append((time, force))
    h = 0.5 - now
    assert run.q[-1, 0] == pytest.approx(x + h * v + h * h / 2 * force, abs=1e-12)


def test_a_reading_is_as_old_as_the_latency_says(mass) -> None:
    told: list[tuple[float, float]] = []

    class Watching(lw.Controller):
        period = 0.01

        def effort(self, time, state):
            told.append((time, float(state.q[0])))
            return [0.0]

    simulate(mass, Watching(), start=([0.0], [1.0]), duration=0.1, loop=DigitalLoop(latency=0.025))
    for time, position in told:
        assert position == pytest.approx(max(time - 0.025, 0.0), abs=1e-12)


def test_velocity_sources_follow_a_ramp_and_a_parabola(mass) -> None:
    """Differences lag by half a period; the observer, told the acceleration, does not lag at all."""
    T, count = 0.01, 400
    time = T * np.arange(count)
    for kind, lag in (("differenced", T / 2), ("filtered", None), ("observer", 0.0)):
        loop = DigitalLoop(velocity=kind, bandwidth=None if kind == "differenced" else 5.0)
        tools = Instruments.of(loop, mass, T)
        for acceleration in (0.0, 2.0):
            q, qd = 0.1 + 3 * time + acceleration / 2 * time**2, 3 + acceleration * time
            before = tools.first(q[:1], qd[:1])
            for k in range(count):
                before = tools.estimate(q[k : k + 1], qd[k : k + 1], acceleration, before)
            late = T / 2 + T * np.exp(-2 * np.pi * 5.0 * T) / (1 - np.exp(-2 * np.pi * 5.0 * T))
            expected = acceleration * (late if lag is None else lag)
            assert qd[-1] - before.velocity[0] == pytest.approx(expected, abs=1e-9)


def test_converters(mass) -> None:
    tools = Instruments.of(DigitalLoop(position_bits=3, effort_bits=4), mass, 0.01)
    readings = tools.reading(np.linspace(-2, 2, 1001)[:, None])
    assert len(np.unique(readings)) == 8
    assert (readings.min(), readings.max()) == (-1.0, 0.75)
    inside = np.linspace(-1, 0.75, 101)[:, None]
    assert np.abs(tools.reading(inside) - inside).max() <= 0.125 + 1e-12
    given = tools.effort_applied(np.linspace(-9, 9, 1001)[:, None])
    assert (given.min(), given.max()) == (-4.0, 4.0)
    np.testing.assert_allclose(given / 0.5, np.round(given / 0.5), atol=1e-12)


def test_noise_is_repeated_by_its_seed(puma) -> None:
    law = ComputedTorque(puma, Quintic(START, END, 0.2))
    loop = DigitalLoop(noise=1e-3, jitter=2e-3, seed=3)
    first, again, other = (
        simulate(puma, law, loop=each) for each in (loop, loop, replace(loop, seed=4))
    )
    np.testing.assert_array_equal(first.q, again.q)
    assert np.abs(first.q - other.q).max() > 1e-6


def test_jitter_is_late_and_never_early() -> None:
    plan = schedule(1.0, 1e-3, 0.01, DigitalLoop(jitter=4e-3))
    read = {k: now.time for now in plan for k in now.read}
    late = np.array([read[k] - plan.samples[k] for k in read])
    assert late.min() >= 0
    assert 3e-3 < late.max() < 4e-3


def test_a_platform_feels_its_leg_sensors() -> None:
    hexapod, path = lw.load("dasgupta1998"), published_path("dasgupta-II")
    law = TaskSpaceControl(hexapod, path, 400, 40, period=0.01, measured="pose")
    options = {"duration": 0.4, "step": 0.01}
    errors = {
        name: np.abs(simulate(hexapod, law, loop=loop, **options).error).max()
        for name, loop in {
            "ideal": DigitalLoop(),
            "fine": DigitalLoop(resolution=1e-9),
            "biased": DigitalLoop(bias=1e-3),
            "differenced": DigitalLoop(resolution=1e-5, velocity="differenced"),
            "observer": DigitalLoop(resolution=1e-5, velocity="observer", bandwidth=30.0),
            "late": DigitalLoop(delay=0.005),
        }.items()
    }
    assert errors["fine"] == pytest.approx(errors["ideal"], rel=1e-3)
    assert errors["biased"] > 5e-4
    assert errors["ideal"] < errors["observer"] < errors["differenced"]
    assert errors["late"] > errors["ideal"]


def test_an_unstable_loop_ends_with_a_message_and_results(puma) -> None:
    law = ComputedTorque(puma, Quintic(START, END, 3.0), 400, 40, friction=False)
    simulate(puma, law, friction=False, duration=0.1)
    with pytest.raises(SimulationError, match="the loop is unstable") as caught:
        simulate(puma, law, friction=False, loop=DigitalLoop(delay=0.08), start=START + 1e-3)
    assert "0.08 s" in str(caught.value)
    assert "Lower the gains" in str(caught.value)
    assert len(caught.value.result.time) > 100


FULL = DigitalLoop(
    resolution=1e-4,
    noise=1e-5,
    bias=1e-3,
    latency=2e-3,
    velocity="filtered",
    bandwidth=20.0,
    delay=0.0135,
    effort_bits=12,
    effort_limits=True,
    jitter=1e-3,
)


@pytest.mark.parametrize(
    "loop", [FULL, DigitalLoop(velocity="observer", bandwidth=10.0, jitter=3e-3), PRESETS["lee1982"]]
)
def test_a_rollout_has_the_same_loop(puma, loop) -> None:
    law = ComputedTorque(puma, Quintic(START, END, 0.3), period=0.01)
    alone = simulate(puma, law, loop=loop)
    batch = rollout(puma, law, loop=loop, batch=1)
    np.testing.assert_allclose(batch.final_position[0], alone.q[-1], atol=1e-11)
    assert batch.loop == loop
    if not np.any(loop.noise):
        three = rollout(puma, law, loop=loop, batch=3)
        np.testing.assert_allclose(three.final_position, np.tile(alone.q[-1], (3, 1)), atol=1e-11)


def test_loops_of_a_batch_have_noise_of_their_own(puma) -> None:
    law = ComputedTorque(puma, Quintic(START, END, 0.1), period=0.01)
    batch = rollout(puma, law, loop=DigitalLoop(noise=1e-3), batch=3)
    assert np.abs(batch.final_position[0] - batch.final_position[1]).max() > 1e-6


@pytest.mark.parametrize("name", ["dasgupta1998", "delta"])
def test_a_rollout_of_legs_has_the_same_loop(name) -> None:
    """The pose is found from leg readings inside the kernel."""
    robot = lw.load(name)
    path = published_path("dasgupta-II") if name == "dasgupta1998" else None
    motion = path or Quintic(robot.home, robot.home + np.array([0.05, 0.02, -0.04]), 0.5)
    law = TaskSpaceControl(robot, motion, 400, 40, period=0.01, measured="pose")
    loop = DigitalLoop(resolution=1e-5, velocity="differenced", delay=4e-3)
    options = {"loop": loop, "duration": 0.1, "step": 2e-3}
    alone, batch = simulate(robot, law, **options), rollout(robot, law, batch=1, **options)
    np.testing.assert_allclose(batch.final_position[0], alone.position[-1], atol=1e-9)


def test_rollouts_keep_their_loop(tmp_path, puma) -> None:
    law = ComputedTorque(puma, Quintic(START, END, 0.1), period=0.01)
    batch = rollout(puma, law, loop="lee1982", batch=2)
    for name in ("batch.npz", "batch.parquet"):
        batch.save(tmp_path / name)
        assert lw.Rollouts.load(tmp_path / name).loop == PRESETS["lee1982"]


def message(call) -> str:
    with pytest.raises(lw.LinkworkError) as caught:
        call()
    return str(caught.value)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"resolution": -1}, "resolution = -1"),
        ({"noise": "x"}, "noise"),
        ({"velocity": "guessed"}, "source of velocities"),
        ({"velocity": "filtered"}, "needs its bandwidth"),
        ({"bandwidth": 3.0}, "bandwidth goes with"),
        ({"position_bits": 0}, "position_bits"),
        ({"position_bits": 99}, "1 to 48 bits"),
        ({"position_bits": 12, "resolution": 1e-3}, "give one"),
        ({"position_range": (0, 1)}, "position_bits"),
        ({"position_bits": 12, "position_range": (1, 0)}, "lowest below highest"),
        ({"effort_range": 4.0}, "effort_bits"),
        ({"delay": -1e-3}, "delay"),
        ({"seed": 0.5}, "seed"),
        ({"effort_limits": "no"}, "effort_limits"),
    ],
)
def test_refused_settings(options, text) -> None:
    assert text in message(lambda: DigitalLoop(**options))


def test_refused_combinations(puma, mass) -> None:
    motion = Quintic(START, END, 0.2)
    smooth, law = ComputedTorque(puma, motion, period=None), ComputedTorque(puma, motion)
    late = DigitalLoop(delay=1e-3)
    assert "delay of the digital loop" in message(lambda: simulate(puma, smooth, loop=late))
    assert "jitter" in message(lambda: simulate(puma, law, loop=DigitalLoop(jitter=0.02)))
    assert "6 actuators" in message(lambda: simulate(puma, law, loop=DigitalLoop(noise=[1e-3, 1e-3])))
    planar = lw.load_arm("planar-2r")
    still = ComputedTorque(planar, Quintic(planar.home, planar.home, 0.1))
    assert "position_range" in message(
        lambda: simulate(planar, still, loop=DigitalLoop(position_bits=12))
    )
    assert "unknown digital loop" in message(lambda: simulate(puma, law, loop="lee1983"))
    assert "expected a DigitalLoop" in message(lambda: simulate(puma, law, loop=3))
