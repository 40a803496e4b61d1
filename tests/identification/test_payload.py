"""Loads found in logs of robots whose files, friction, clocks and gains are wrong as real ones are."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork.control.payload_columns import payload_columns
from linkwork.identification.logs import Log, checked_log
from linkwork.identification.payload import Payload, quantities
from linkwork.identification.possible_body import possible_body
from linkwork.mechanics.bodies import pseudo_inertia
from linkwork.motion.bundled import motion_for
from linkwork.simulation.loads import payload_parameters
from tests.identification.generated import possible, true_robot

MASS, CENTER, INERTIA = 3.0, (0.03, -0.02, 0.12), (0.02, 0.015, 0.01)
COUNT = 2 * np.pi / 2**15
ROBOT = "ur5"
STRAIGHT = np.zeros(6)


def flawed_log(
    robot: lw.Robot, carrying: lw.Robot, seed: int, factor: float, gains, about: np.ndarray = STRAIGHT
) -> Log:
    """Currents on a robot's clock of 8 and 10 ms, with encoder counts, other friction and noise."""
    rng = np.random.default_rng(seed)
    motion = lw.Excitation(about + 0.4, [1.2] * robot.n, 0.06, 6, seed=3)
    time = np.cumsum(rng.choice([0.008, 0.010], size=int(motion.duration / 0.009)))
    time = time[time < motion.duration - 0.01]
    q, qd, qdd = motion.at(time)
    strength = 0.03 * np.abs(carrying.gravity_load(q)).max(axis=0) + 1.0
    tau = carrying.inverse_dynamics(q, qd, qdd) + factor * strength * (np.tanh(qd / 0.01) + 0.5 * qd)
    tau = tau + 0.02 * np.abs(tau).max(axis=0) * rng.normal(size=tau.shape)
    read = np.round(q / COUNT) * COUNT
    return checked_log(robot, f"generated {seed}", time, read, tau / gains, currents=True)


def found_in(seed: int, gain_error: float, about: np.ndarray = STRAIGHT, **options) -> Payload:
    """The load of logs whose gains are wrong by draws of this size, all alike and each for itself."""
    robot = possible(ROBOT)
    true = true_robot(robot, seed)
    rng = np.random.default_rng([seed, 7])
    nominal = np.full(robot.n, 10.0)
    gains = nominal * (1 + gain_error * (rng.normal() + rng.normal(size=robot.n)))
    carrying = true.with_payload(MASS, CENTER, INERTIA)
    empty = flawed_log(robot, true, 2 * seed, 1.0, gains, about)
    full = flawed_log(robot, carrying, 2 * seed + 1, 1.2, gains, about)
    return lw.identify_payload(
        robot, full, unloaded=empty, gains=nominal, gain_error=gain_error, **options
    )


def truth() -> np.ndarray:
    return np.array([MASS, *CENTER, *INERTIA, 0, 0, 0])


def inside(found: Payload) -> np.ndarray:
    return (found.interval[:, 0] <= truth()) & (truth() <= found.interval[:, 1])


def test_intervals_hold_with_exact_gains_and_are_narrow() -> None:
    found = found_in(1, 0.0)
    assert inside(found).mean() >= 0.9
    assert found.mass == pytest.approx(MASS, rel=0.02)
    np.testing.assert_allclose(found.center, CENTER, atol=0.006)
    assert (found.interval[0, 1] - found.interval[0, 0]) / 2 < 0.05 * MASS
    np.testing.assert_allclose(found.scales, 1.0, rtol=1e-12)
    assert np.linalg.eigvalsh(pseudo_inertia(found.parameters))[0] > 0
    left = found.predictions[0]
    assert (left.rms[1:4] < 0.5 * left.rms_before[1:4]).all()
    assert found.loaded.n == found.robot.n


def test_wrong_gains_are_in_the_interval_and_told() -> None:
    found = found_in(2, 0.1)
    assert inside(found).mean() >= 0.9
    low, high = found.interval[0]
    assert high - low > 0.25 * MASS
    assert found.exact_gains[0, 1] - found.exact_gains[0, 0] < 0.3 * (high - low)
    assert any("--gain-error" in note for note in found.notes)


def test_a_known_mass_tells_the_gains() -> None:
    seed, error = 2, 0.1
    rng = np.random.default_rng([seed, 7])
    factors = 1 + error * (rng.normal() + rng.normal(size=6))
    found = found_in(seed, error, mass=MASS)
    assert found.mass == pytest.approx(MASS)
    # Not of the base, which a load hardly moves.
    np.testing.assert_allclose(found.scales[1:5], factors[1:5], rtol=0.03)
    inside = (found.scales_interval[:, 0] <= factors) & (factors <= found.scales_interval[:, 1])
    assert inside.mean() > 0.8


@pytest.mark.long
@pytest.mark.parametrize("gain_error", [0.0, 0.05])
def test_coverage(gain_error: float) -> None:
    """100 robots, logs and gains, in turn about the straight arm and about home."""
    about = (STRAIGHT, lw.load(ROBOT).home)
    held = np.array([inside(found_in(seed, gain_error, about[seed % 2])) for seed in range(100)])
    assert 0.9 <= held.mean() <= 0.995
    assert held[:, 0].mean() >= 0.88


def test_without_unloaded_logs_the_file_is_believed_as_far_as_said() -> None:
    robot = possible(ROBOT)
    full = flawed_log(robot, robot.with_payload(MASS, CENTER, INERTIA), 3, 1.0, np.ones(6))
    found = lw.identify_payload(robot, full, gains=1.0, gain_error=0.0, file_error=0.003)
    assert inside(found).mean() >= 0.9
    assert found.mass == pytest.approx(MASS, rel=0.1)
    wide = lw.identify_payload(robot, full, gains=1.0, gain_error=0.0)
    assert np.ptp(wide.interval[0]) > 2 * np.ptp(found.interval[0])


@pytest.mark.parametrize("name", ["puma560", "simona", "delta", "palletizer", "five-bar"])
def test_columns_are_what_a_load_adds(name: str) -> None:
    """Against the robot that has the load in its model."""
    robot = lw.load(name)
    point = name in ("delta", "five-bar")
    load = (
        payload_parameters(2.0) if point else np.array([2.0, 0.1, 0.06, -0.2, 0.2, 0.3, 0.2, 0.01, 0, 0])
    )
    body = (2.0,) if point else (2.0, load[1:4] / 2.0, _matrix(quantities(load)[4:]))
    states = robot.random_states(5, seed=1)
    columns = payload_columns(robot, *states)
    carrying = robot.with_payload(*body)
    added = carrying.inverse_dynamics(*states) - robot.inverse_dynamics(*states)
    np.testing.assert_allclose(columns @ load, added, atol=1e-9 * np.abs(added).max())


def _matrix(values: np.ndarray) -> np.ndarray:
    xx, yy, zz, xy, xz, yz = values
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def test_a_platforms_load_from_its_legs() -> None:
    robot = lw.load("simona")
    motion = motion_for(robot, "excitation")
    time, states = motion.sample(0.01)
    efforts = [
        each.inverse_dynamics(*states) for each in (robot, robot.with_payload(300.0, (0.1, 0.2, 0.5)))
    ]
    rng = np.random.default_rng(0)
    empty, full = (
        checked_log(robot, "generated", time, states[0], each + 20 * rng.normal(size=each.shape))
        for each in efforts
    )
    found = lw.identify_payload(robot, full, unloaded=empty, gain_error=0.0)
    assert found.interval[0, 0] < 300 < found.interval[0, 1]
    np.testing.assert_allclose(found.values[:4], [300, 0.1, 0.2, 0.5], rtol=0.02, atol=0.01)


def test_bodies_that_cannot_exist_become_possible_near_the_estimate() -> None:
    wanted = np.array([2.0, 0.2, 0, 0, 0.01, 0.005, 0.03, 0, 0, 0])  # less than its own point mass
    covariance = np.diag([1e-4, *[1e-6] * 3, *[1e-4] * 6])
    found = possible_body(wanted, covariance, 1.0)
    assert np.linalg.eigvalsh(pseudo_inertia(found))[0] > 0
    assert np.linalg.eigvalsh(pseudo_inertia(wanted))[0] < 0
    distance = (found - wanted) @ np.linalg.solve(covariance, found - wanted)
    rng = np.random.default_rng(0)
    for _ in range(200):  # no other body is nearer
        other = found + rng.normal(size=10) * np.sqrt(np.diagonal(covariance)) * 0.3
        if np.linalg.eigvalsh(pseudo_inertia(other))[0] > 1e-6:
            assert (other - wanted) @ np.linalg.solve(covariance, other - wanted) > 0.98 * distance


def test_what_cannot_be_a_load_is_refused() -> None:
    robot = possible(ROBOT)
    log = flawed_log(robot, robot, 5, 1.0, np.ones(6))
    with pytest.raises(lw.InputError, match="need the gains"):
        lw.identify_payload(robot, log)
    heavier = flawed_log(robot, robot.with_payload(MASS, CENTER, INERTIA), 6, 1.0, np.ones(6))
    with pytest.raises(lw.InputError, match="exchanged"):
        lw.identify_payload(robot, log, unloaded=heavier, gains=1.0)
    still = checked_log(
        robot,
        "still",
        np.arange(300) / 100,
        np.zeros((300, 6)),
        np.ones((300, 6)) + np.arange(300)[:, None] * 1e-6,
    )
    with pytest.raises(lw.InputError, match="nothing moves"):
        lw.identify_payload(robot, still)
