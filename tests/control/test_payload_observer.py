"""The load at the tool, found while the robot moves."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.signal import lfilter

import linkwork as lw
from linkwork.core.errors import InputError
from linkwork.mechanics.bodies import PARAMETERS
from tests.control.test_momentum_observer import BENT, Held, controller

pin = pytest.importorskip("pinocchio", reason="there is no Pinocchio for this system")

from tests.oracles.pinocchio_arm import PinocchioArm  # noqa: E402

T = 2e-3
LOAD = (2.0, (0.02, 0.03, 0.08), (0.010, 0.012, 0.015))


def swinging(robot: lw.Robot, duration: float, place=BENT):
    time = np.arange(0, duration, T)
    return Held(robot, place, 0.5).at(time)


def acting(effort: np.ndarray) -> np.ndarray:
    """Mean efforts since the sample before."""
    return np.concatenate([effort[:1], (effort[1:] + effort[:-1]) / 2])


def parameters(mass, center, inertia) -> np.ndarray:
    c = np.array(center)
    J = np.diag(inertia) + mass * (c @ c * np.eye(3) - np.outer(c, c))
    return np.array([mass, *(mass * c), *J.diagonal(), J[0, 1], J[0, 2], J[1, 2]])


def momenta(robot: lw.Robot, q, qd) -> tuple[np.ndarray, np.ndarray]:
    """p and b by Pinocchio."""
    other = PinocchioArm(robot.model)
    p, b = np.empty_like(q), np.empty_like(q)
    for k, (place, v) in enumerate(zip(q + other.offsets, qd, strict=True)):
        p[k] = other.mass_matrix(q[k]) @ v
        C = pin.computeCoriolisMatrix(other.model, other.data, place, v)
        b[k] = C.T @ v - pin.computeGeneralizedGravity(other.model, other.data, place)
    return p, b


@pytest.mark.parametrize(("forgetting", "gain_error"), [(1.0, 0.0), (1.0, 0.05), (0.98, 0.05)])
def test_recursive_is_batch_least_squares(forgetting, gain_error) -> None:
    """Of rows that Pinocchio's matrices make, of the robot without a load and with ten others."""
    robot, rng = lw.load("ur5"), np.random.default_rng(2)
    q, qd, qdd = (rows[:150] for rows in swinging(robot, 0.5))
    loaded = robot.with_payload(*LOAD)
    tau = acting(loaded.inverse_dynamics(q, qd, qdd) * 1.02) + 0.3 * rng.normal(size=q.shape)
    noise = np.array([2.0, 1.5, 1.0, 0.4, 0.3, 0.2])
    observer = lw.PayloadObserver(
        robot, T, bandwidth=8, forgetting=forgetting, gain_error=gain_error, noise=noise
    )
    found = observer.over(q, qd, tau)

    p0, b0 = momenta(robot, q, qd)
    loads = [
        (m, rng.uniform(-0.2, 0.2, 3), m * rng.uniform(0.01, 0.015, 3)) for m in rng.uniform(1, 3, 10)
    ]
    loads = [(m, c, J + rng.uniform(0, 0.01)) for m, c, J in loads]
    turned = [np.linalg.qr(rng.normal(size=(3, 3)))[0] for _ in loads]
    vectors, columns = [], []
    for (m, c, J), R in zip(loads, turned, strict=True):
        full = R @ np.diag(J) @ R.T
        p, b = momenta(robot.with_payload(m, c, full), q, qd)
        about = full + m * (c @ c * np.eye(3) - np.outer(c, c))
        vectors.append([m, *(m * c), *about.diagonal(), about[0, 1], about[0, 2], about[1, 2]])
        columns.append((p - p0, b - b0))
    inverse = np.linalg.inv(np.array(vectors).T)
    P, B = (np.einsum("lki,lj->kij", np.array(part), inverse) for part in zip(*columns, strict=True))

    def rate(values):
        return np.concatenate([0 * values[:1], np.diff(values, axis=0) / T])

    def mean(values):
        return np.concatenate([0 * values[:1], (values[1:] + values[:-1]) / 2])

    force = rate(p0) - mean(b0) - tau
    rows = mean(B) - rate(P)
    force[0], rows[0] = 0, 0
    pole = np.exp(-2 * np.pi * 8 * T)
    force, rows = (lfilter([1 - pole], [1, -pole], part, axis=0) for part in (force, rows))
    block = observer.block
    sizes = [np.array(block.sizes_of_load)]
    if gain_error:
        acted = tau[:, :, None] * np.eye(6)
        acted[0] = 0
        scaled = lfilter([1 - pole], [1, -pole], acted, axis=0)
        rows = np.concatenate([rows, scaled], axis=2)
        sizes.append(np.full(6, gain_error))
    sizes = np.concatenate(sizes)
    weight = (1 - pole) / (1 + pole) * forgetting ** np.arange(len(q))[::-1]
    A = rows * np.sqrt(weight)[:, None, None] / noise[:, None]
    y = force * np.sqrt(weight)[:, None] / noise
    prior = np.diag(1 / sizes)
    if gain_error:
        common = np.linalg.cholesky(np.linalg.inv(np.ones((6, 6)) + np.eye(6))).T / gain_error
        prior[PARAMETERS:, PARAMETERS:] = common
    whole = np.concatenate([A.reshape(-1, len(sizes)), prior])
    right = np.concatenate([y.ravel(), np.zeros(len(sizes))])
    wanted = np.linalg.lstsq(whole * sizes, right, rcond=None)[0] * sizes
    assert np.abs((found.load[-1] - wanted[:PARAMETERS]) / sizes[:PARAMETERS]).max() < 1e-9
    if gain_error:
        np.testing.assert_allclose(found.scales[-1], 1 + wanted[PARAMETERS:], atol=1e-9)


@pytest.mark.parametrize("name", ["ur5", "palletizer", "five-bar"])
def test_a_load_is_found(name) -> None:
    """Exactly but for the trapezoidal rule; what the motion does not show stays as little as it was."""
    robot = lw.load(name)
    place, given = (BENT, LOAD) if name == "ur5" else (robot.home, (0.1,))
    amplitude = 0.5 if name == "ur5" else 0.05 * robot.size
    position, velocity, acceleration = Held(robot, place, amplitude).at(np.arange(0, 3, T))
    effort = robot.with_payload(*given).inverse_dynamics(position, velocity, acceleration)
    observer = lw.PayloadObserver(robot, T, bandwidth=10, noise=1e-3)
    found = observer.over(position, velocity, acting(effort))
    assert found.mass[-1] == pytest.approx(given[0], rel=1e-3)
    assert np.isfinite(found.carried).all()
    np.testing.assert_array_equal(found.scales[-1], 1.0)
    if name == "ur5":
        np.testing.assert_allclose(found.load[-1], parameters(*given), atol=1e-3)
        np.testing.assert_array_equal(found.carried[-1], found.load[-1])
        np.testing.assert_allclose(found.center[-1], given[1], atol=1e-4)


def test_a_hexapod_finds_its_load() -> None:
    robot = lw.load("small-hexapod")
    home = np.array([*robot.home[:3], 0.0, 0.0, 0.0])
    step = np.array([0.02, -0.01, 0.03, 0.1, -0.08, 0.12])
    motion = lw.PoseWaypoints([home, home + step, home], [0.0, 0.5, 1.0])
    time = np.arange(0, 1.0, T)
    position, velocity, acceleration = motion.at(time)
    loaded = robot.with_payload(3.0, (0.01, 0.02, 0.05), (0.02, 0.02, 0.02))
    effort = loaded.inverse_dynamics(position, velocity, acceleration)
    observer = lw.PayloadObserver(robot, T, bandwidth=10, noise=1e-3)
    found = observer.over(position, velocity, acting(effort))
    assert found.mass[-1] == pytest.approx(3.0, rel=1e-3)
    np.testing.assert_allclose(found.center[-1], [0.01, 0.02, 0.05], atol=2e-3)


def test_wrong_gains_are_within_what_is_said_of_them() -> None:
    robot = lw.load("ur5")
    q, qd, qdd = swinging(robot, 2.0)
    gains = np.array([1.05, 1.03, 1.06, 1.04, 1.02, 1.05])
    effort = acting(robot.with_payload(*LOAD).inverse_dynamics(q, qd, qdd) / gains)
    errors = []
    for gain_error in (0.0, 0.05):
        observer = lw.PayloadObserver(robot, T, bandwidth=10, gain_error=gain_error, noise=0.1)
        memory = observer.start()
        for each in zip(q, qd, effort, strict=True):
            memory, found = observer.update(memory, *each)
        errors.append((found.mass - LOAD[0]) / observer.uncertainty(memory)[0])
    believed, doubted = np.abs(errors)
    assert believed > 10  # efforts that are believed give a wrong load, and are sure of it
    assert doubted < 2


def test_a_load_that_changes_is_followed() -> None:
    robot = lw.load("ur5")
    q, qd, qdd = swinging(robot, 4.0)
    half = len(q) // 2
    bare = robot.inverse_dynamics(q, qd, qdd)
    carrying = robot.with_payload(*LOAD).inverse_dynamics(q, qd, qdd)
    effort = acting(np.concatenate([carrying[:half], bare[half:]]))
    kept, followed = (
        lw.PayloadObserver(robot, T, bandwidth=20, forgetting=each, noise=0.01).over(q, qd, effort).mass
        for each in (1.0, 0.985)
    )
    assert followed[half - 1] == pytest.approx(LOAD[0], abs=0.01)
    assert abs(followed[-1]) < 0.01
    assert kept[-1] > 0.3  # without forgetting, the mean of both


def test_a_controller_that_finds_its_load_tracks_better() -> None:
    robot = lw.load("ur5")
    motion = Held(robot, BENT, 0.5, 1.6)
    load = [(0.0, None), (0.2, 0.5)]
    observer = lw.PayloadObserver(robot, T, bandwidth=20, forgetting=0.985)
    plain = controller(robot, motion, T)
    learning = controller(robot, motion, T, payload_observer=observer)
    errors = []
    for control in (plain, learning):
        run = lw.simulate(robot, control, step=T, payload=load)
        errors.append(np.abs(run.error[600:]).max())
    assert errors[1] < 0.1 * errors[0]
    assert learning.load[0] == pytest.approx(0.5, abs=5e-2)
    assert run.observed["load"].shape == (len(run.time), PARAMETERS)
    assert "load_m" in run.columns()
    loops = lw.rollout(robot, learning, step=T, payload=load, batch=2, record_every=100)
    told = run.observed["load"][:800:100]
    np.testing.assert_allclose(loops.observed["load"][:-1, 1], told, atol=1e-6)


def test_while_nothing_moves_the_estimate_stays() -> None:
    robot = lw.load("ur5")
    q, qd, qdd = swinging(robot, 2.0)
    effort = acting(robot.with_payload(*LOAD).inverse_dynamics(q, qd, qdd))
    rest = np.tile(q[-1], (3000, 1))
    holding = robot.with_payload(*LOAD).gravity_load(rest)
    observer = lw.PayloadObserver(robot, T, bandwidth=10, forgetting=0.99, noise=0.1)
    found = observer.over(
        np.concatenate([q, rest]),
        np.concatenate([qd, 0 * rest]),
        np.concatenate([effort, holding]),
    )
    carrying = robot.with_payload(1.0).gravity_load(q[-1]) - robot.gravity_load(q[-1])
    assert np.abs(found.load[-1]).max() < 3 * LOAD[0]
    held = robot.gravity_load(q[-1]) + _weight(robot, q[-1], found.load[-1])
    np.testing.assert_allclose(held, holding[-1], atol=0.02 * np.abs(carrying).max())


def _weight(robot: lw.Robot, q, load) -> np.ndarray:
    """Torques that hold a load: its mass at the origin, and two masses that have its first moment."""
    found = load[0] * (robot.with_payload(1.0).gravity_load(q) - robot.gravity_load(q))
    for k in range(3):
        there, back = (
            robot.with_payload(1.0, sign * np.eye(3)[k], np.zeros(3)).gravity_load(q) for sign in (1, -1)
        )
        found = found + load[1 + k] * (there - back) / 2
    return found


def test_what_does_not_fit_is_refused() -> None:
    robot = lw.load("planar-2r")
    with pytest.raises(InputError, match=r"forgetting = 1.2: expected numbers > 0 up to 1"):
        lw.PayloadObserver(robot, forgetting=1.2)
    with pytest.raises(InputError, match=r"noise = \[1.0, 2.0, 3.0\]: expected a number > 0, or 2"):
        lw.PayloadObserver(robot, noise=[1.0, 2.0, 3.0])
    own = lw.PayloadObserver(robot, 1e-3)
    control = controller(robot, Held(robot), payload_observer=own)
    with pytest.raises(InputError, match="has a PayloadObserver of its own"):
        lw.simulate(robot, control, observer=own)
