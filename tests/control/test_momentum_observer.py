"""What acts from outside, found from motion and efforts."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork.core.errors import InputError

T = 1e-3


class Held:
    """A robot that stands still, or swings about a place."""

    def __init__(
        self, robot: lw.Robot, place=None, amplitude: float = 0.0, duration: float = 3.0
    ) -> None:
        self.place = np.array(robot.home if place is None else place, dtype=float)
        self.size = len(robot.velocities)
        self.amplitude, self.duration = amplitude, duration

    def at(self, t):
        t = np.asarray(t, dtype=float)[..., None]
        w = 2 * np.pi * np.linspace(0.3, 0.8, self.size)
        swing = self.amplitude * np.stack([np.sin(w * t), w * np.cos(w * t), -(w**2) * np.sin(w * t)])
        position = np.broadcast_to(self.place, (*t.shape[:-1], len(self.place))).copy()
        if self.amplitude:
            position[..., : self.size] += swing[0]
        return position, swing[1], swing[2]


BENT = (0.3, -1.0, 1.2, -0.7, 0.8, 0.2)
PLACES = {"ur5": BENT, "panda": (*BENT[:3], -1.8, 0.4, 1.6, 0.2)}
ALL, FORCE = (12.0, -7.0, 20.0, 1.0, -2.0, 0.5), (12.0, -7.0, 20.0, 0.0, 0.0, 0.0)


def controller(robot: lw.Robot, motion: Held, period: float = T, **options):
    if robot.plant().actuated_coordinates:
        return lw.ComputedTorque(robot, motion, 1600, 80, period, friction=False, **options)
    return lw.TaskSpaceControl(robot, motion, 1600, 80, period, measured="pose", **options)


@pytest.mark.parametrize(
    ("name", "wrench", "order", "moments"),
    [
        pytest.param("ur5", ALL, 1, True, marks=pytest.mark.long),
        ("panda", ALL, 3, True),
        ("small-hexapod", ALL, 2, True),
        ("delta", FORCE, 1, True),
        ("palletizer", FORCE, 2, False),
        pytest.param("five-bar", (3.0, -2.0, 0.0, 0.0, 0.0, 0.0), 1, True, marks=pytest.mark.long),
    ],
)
def test_the_wrench_of_a_push_returns(name, wrench, order, moments) -> None:
    robot = lw.load(name)
    plant = robot.plant()
    control = controller(robot, Held(robot, PLACES.get(name)))
    settings = {"bandwidth": 40, "order": order, "moments": moments, "friction": False}
    observer = lw.MomentumObserver(robot, T, **settings)
    run = lw.simulate(
        robot,
        control,
        duration=1.0,
        wrench=plant.wrench_sign * np.array(wrench),
        friction=False,
        observer=observer,
    )
    found = run.observed["external_wrench"]
    scale = np.abs(wrench).max()
    assert np.abs(found[3] - wrench).max() > 0.1 * scale  # not at once
    assert np.abs(found[-1] - wrench).max() <= 1e-9 * scale
    assert "external_wrench_fx" in run.columns()


@pytest.mark.parametrize("name", ["ur5", "small-hexapod", "palletizer"])
def test_nothing_is_found_where_nothing_acts(name) -> None:
    """What is left of a free motion is the error of the trapezoidal rule: a quarter at half the
    period."""
    robot = lw.load(name)
    small = 0.4 if robot.plant().actuated_coordinates else 0.02 * robot.size
    motion = Held(robot, PLACES.get(name), small)
    if robot.coordinates.quaternions:
        home = np.array([*robot.home[:3], 0.0, 0.0, 0.0])
        step = np.array([0.02, -0.01, 0.03, 0.1, -0.08, 0.12])
        motion = lw.PoseWaypoints([home, home + step, home], [0.0, 0.3, 0.6])
    largest = []
    for period in (2e-3, 1e-3):
        position, velocity, acceleration = motion.at(np.arange(0, 0.6, period))
        effort = robot.inverse_dynamics(position, velocity, acceleration)
        acted = np.concatenate([effort[:1], (effort[1:] + effort[:-1]) / 2])
        found = lw.MomentumObserver(robot, period, bandwidth=5).over(position, velocity, acted)
        largest.append(np.abs(found.residual).max())
        assert largest[-1] < 1e-4 * np.abs(effort).max()
    assert largest[0] / largest[1] == pytest.approx(4, rel=0.15)


@pytest.mark.parametrize("order", [1, 2, 4])
def test_the_bandwidth_is_where_the_residual_is_3_db_down(order) -> None:
    robot, period, bandwidth = lw.load("planar-2r"), 1e-4, 5.0
    time = np.arange(0, 1.0, period)
    still = np.tile([0.3, 0.5], (len(time), 1))
    push = np.sin(2 * np.pi * bandwidth * time)[:, None] * [1.0, -0.5]
    effort = robot.gravity_load(still) - push
    observer = lw.MomentumObserver(robot, period, bandwidth=bandwidth, order=order)
    found = observer.over(still, 0 * still, effort).residual[len(time) // 2 :]
    assert np.abs(found).max(axis=0) == pytest.approx(np.array([1.0, 0.5]) / np.sqrt(2), rel=5e-3)


def test_many_loops_at_once() -> None:
    robot = lw.load("ur5")
    q, qd, _ = robot.random_states(5, 1)
    observer = lw.MomentumObserver(robot, T, order=2)
    tau = np.random.default_rng(0).normal(size=q.shape)
    memory = np.tile(observer.start(), (5, 1))
    for _ in range(3):
        memory, found = observer.update(memory, q, qd, tau)
    alone = observer.start()
    for _ in range(3):
        alone, single = observer.update(alone, q[3], qd[3], tau[3])
    np.testing.assert_array_equal(found.wrench[3], single.wrench)
    np.testing.assert_array_equal(memory[3], alone)


def test_near_a_singular_position_the_wrench_stays_finite() -> None:
    robot = lw.load("ur5")
    straight = np.zeros(6)
    observer = lw.MomentumObserver(robot, T)
    memory, _ = observer.update(observer.start(), straight, straight, straight)
    _, found = observer.update(memory, straight, straight, straight)
    assert np.isfinite(found.wrench).all()


@pytest.mark.parametrize("name", ["ur5", pytest.param("palletizer", marks=pytest.mark.long)])
def test_rollouts_compile_what_simulations_do(name) -> None:
    robot = lw.load(name)
    amplitude = 0.2 if name == "ur5" else 0.02
    control = controller(robot, Held(robot, PLACES.get(name), amplitude, 0.1))
    observer = lw.MomentumObserver(robot, T, bandwidth=20, order=2)
    wrench = np.array(ALL)
    run = lw.simulate(robot, control, wrench=wrench, observer=observer)
    loops = lw.rollout(robot, control, batch=3, wrench=wrench, record_every=20, observer=observer)
    told = run.observed["residual"]
    size = np.abs(told).max()
    found = loops.observed["residual"]
    assert found.shape == (6, 3, len(robot.velocities))
    np.testing.assert_allclose(found[:-1, 1], told[:100:20], atol=1e-9 * size)
    largest = np.abs(run.observed["external_wrench"][:-1]).max(axis=0)
    np.testing.assert_allclose(loops.observed["largest_external_wrench"][2], largest, rtol=1e-9)


def test_rollouts_keep_what_observers_tell(tmp_path) -> None:
    robot = lw.load("planar-2r")
    control = controller(robot, Held(robot, [0.3, 0.5], 0.1, 0.05))
    loops = lw.rollout(robot, control, batch=2, record_every=10, observer=lw.MomentumObserver(robot, T))
    for ending in ("npz", "parquet"):
        loops.save(tmp_path / f"loops.{ending}")
        again = type(loops).load(tmp_path / f"loops.{ending}")
        assert again.observed.keys() == loops.observed.keys()
        for name, values in loops.observed.items():
            np.testing.assert_array_equal(again.observed[name], values)


def test_what_does_not_fit_is_refused() -> None:
    robot = lw.load("planar-2r")
    control = controller(robot, Held(robot))
    with pytest.raises(InputError, match=r"period of 0.002 s; its controller samples every 0.001 s"):
        lw.simulate(robot, control, observer=lw.MomentumObserver(robot, 0.002))
    with pytest.raises(InputError, match="which has other coordinates than"):
        lw.rollout(robot, control, observer=lw.MomentumObserver(lw.load("ur5"), T))
    with pytest.raises(InputError, match="samples at no period"):
        lw.simulate(robot, duration=0.1, observer=lw.MomentumObserver(robot, T))
    with pytest.raises(InputError, match="order = 9"):
        lw.MomentumObserver(robot, order=9)
    with pytest.raises(InputError, match="bandwidth"):
        lw.MomentumObserver(robot, bandwidth=0.0)
