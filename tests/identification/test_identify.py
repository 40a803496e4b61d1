"""Robots identified from generated logs: the truth, honest intervals, possible bodies."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

import linkwork as lw
from linkwork.identification.identify import Identification
from linkwork.motion.bundled import motion_for
from tests.identification.generated import (
    arm_log,
    covered,
    platform_log,
    possible,
    true_robot,
    typical_error,
)

SHORT = 2  # seeds of every run of the tests; a hundred in the long ones


DATA = Path(__file__).parents[1] / "data" / "identification"


@cache
def excited(name: str, seed: int):
    """A motion as `linkwork excite` wrote it; number 1 is for validation."""
    return motion_for(lw.load(name), str(DATA / f"{name}-{seed}.yaml"))


def puma_runs(seeds) -> list[tuple[Identification, lw.Robot]]:
    arm = lw.load_arm("puma560")
    runs = []
    for seed in seeds:
        true = true_robot(possible("puma560"), seed)
        log = arm_log(arm, true, excited("puma560", 0), seed)
        new = arm_log(arm, true, excited("puma560", 1), 1000 + seed)
        runs.append((lw.identify(arm, log, validate=new), true))
    return runs


def simona_runs(seeds) -> list[tuple[Identification, lw.Robot]]:
    robot = lw.load_platform("simona")
    runs = []
    for seed in seeds:
        true = true_robot(robot, seed)
        log = platform_log(robot, true, excited("simona", 0), seed)
        new = platform_log(robot, true, excited("simona", 1), 1000 + seed)
        runs.append((lw.identify(robot, log, validate=new, shared_legs=True), true))
    return runs


def check(runs, tmp_path) -> None:
    """Coverage, prediction of a new motion, and bodies that exist, of many runs."""
    share = np.concatenate([covered(found, true) for found, true in runs]).mean()
    assert 0.9 <= share <= 0.99 or len(runs) < 10
    assert share > 0.8
    gains = []
    for found, true in runs:
        (log,) = found.validation
        part = log.measured - true_efforts(found, true, log)
        noise = np.sqrt((log.moving * part**2).sum(axis=0) / log.moving.sum(axis=0))
        assert (log.rms < 1.2 * noise).all()
        gains.append(log.rms / log.rms_before)
        path = tmp_path / "identified.yaml"
        lw.write_robot(found.robot, path)
        assert lw.findings(path) == []
        again = lw.load(path).parameters.values
        np.testing.assert_allclose(again, found.robot.parameters.values, rtol=1e-9, atol=1e-9)
        # As good as without the bounds of bodies, to a few per cent of the noise.
        assert (found.predictions[0].rms < 1.05 * found.noise).all()
    # Of the file's errors little is left on average. A joint alone says nothing: where the true robot
    # happens to be the file's to within the noise, there is nothing to gain.
    assert np.mean(gains) < 0.3


def true_efforts(found: Identification, true: lw.Robot, log) -> np.ndarray:
    """The efforts without noise: from the same motion, since only the noise is asked for."""
    name, seed = (found.robot.name, 1)
    motion = excited(name, seed)
    return true.inverse_dynamics(*motion.at(log.time))


def test_puma(tmp_path) -> None:
    check(puma_runs(range(SHORT)), tmp_path)


def test_simona(tmp_path) -> None:
    check(simona_runs(range(1)), tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("runs", [puma_runs, simona_runs])
def test_a_hundred_seeds(runs, tmp_path) -> None:
    check(runs(range(100)), tmp_path)


@pytest.fixture(scope="module")
def planar():
    return lw.load_arm("planar-2r")


def planar_log(planar, change=lambda tau, qd: tau, seed: int = 0, amplitude=(1.0, 1.2)):
    motion = lw.Excitation([0.0, 0.5], amplitude, 0.2, 5, 4, periods=2)
    true = true_robot(planar, 5)
    values = np.array(true.parameters.values)
    names = list(planar.parameters.names)
    values[names.index("shoulder.viscous")] = 1.0
    values[names.index("elbow.coulomb_forward")] = 0.5
    values[names.index("elbow.coulomb_backward")] = -0.7
    true = planar.with_parameters(values)
    log = arm_log(planar, true, motion, seed, noise=0.05)
    _, qd, _ = motion.at(log.time)
    return lw.Log(log.source, log.time, log.position, change(log.effort, qd)), true


def test_outliers_do_not_move_the_estimate(planar) -> None:
    def spikes(tau, qd):
        rng = np.random.default_rng(1)
        hit = rng.random(tau.shape) < 0.01
        return tau + hit * rng.normal(size=tau.shape) * 50

    clean, _ = planar_log(planar)
    dirty, true = planar_log(planar, spikes)
    plain, robust = lw.identify(planar, clean), lw.identify(planar, dirty)
    assert robust.outliers > 0.008
    assert typical_error(robust, true) < 2
    assert (robust.standard_error < 2 * plain.standard_error).all()


def test_stribeck_friction_is_found_only_where_it_is(planar) -> None:
    def stribeck(tau, qd):
        more = np.sign(qd) * np.exp(-((qd / 0.2) ** 2))
        return tau + more * [1.0, 0.0]

    without, _ = planar_log(planar)
    assert lw.identify(planar, without).stribeck == ()
    log, true = planar_log(planar, stribeck)
    found = lw.identify(planar, log)
    (friction,) = found.stribeck
    assert friction.name == "shoulder"
    assert 0.7 < friction.coefficient < 1.3
    assert typical_error(found, true) < 3  # the Stribeck velocity is one of five that are tried


def test_what_a_log_cannot_show_stays_as_in_the_file(planar) -> None:
    """The elbow stands still: its friction and rotor show in nothing."""
    motion = lw.Excitation([0.0, 0.5], [1.0, 1e-9], 0.2, 5, 4, periods=2)
    true = true_robot(planar, 5)
    found = lw.identify(planar, arm_log(planar, true, motion, 0, noise=0.02))
    names = [name.partition(" ")[0] for name in found.not_shown]
    assert "elbow.viscous" in names
    assert "elbow.rotor" in names
    assert len(found.hints) == len(names)
    assert "elbow" in found.hints[-1]
    kept = ~found.shown
    np.testing.assert_allclose(found.estimate[kept], found.base.values[kept], atol=1e-7)
    np.testing.assert_allclose(found.physical[kept], found.base.values[kept], atol=1e-3)


def test_measured_velocities_are_used_and_wrong_ones_refused(planar) -> None:
    log, true = planar_log(planar)
    motion = lw.Excitation([0.0, 0.5], [1.0, 1.2], 0.2, 5, 4, periods=2)
    _, qd, _ = motion.at(log.time)
    with_rates = lw.Log(log.source, log.time, log.position, log.effort, velocity=qd)
    assert typical_error(lw.identify(planar, with_rates), true) < 2
    degrees = lw.Log(log.source, log.time, log.position, log.effort, velocity=np.degrees(qd))
    with pytest.raises(lw.InputError, match=r"velocity column of shoulder .* Check its unit"):
        lw.identify(planar, degrees)


def test_several_logs_are_better_than_one(planar) -> None:
    first, _ = planar_log(planar, seed=0)
    second, _ = planar_log(planar, seed=1)
    one, two = lw.identify(planar, first), lw.identify(planar, [first, second])
    assert np.median(two.standard_error / one.standard_error) < 0.85


def test_efforts_of_another_sign_unit_or_order_are_refused(planar) -> None:
    def told(change) -> str:
        with pytest.raises(lw.InputError) as error:
            lw.identify(planar, planar_log(planar, change)[0])
        return str(error.value)

    assert "runs against what the file predicts" in told(lambda tau, qd: -tau)
    one = told(lambda tau, qd: tau * [1, -1])
    assert "effort of elbow: it runs against" in one
    assert "Turn the sign" in one
    assert "tau1 [N mm]" in told(lambda tau, qd: 1000 * tau)
    assert "cannot exist" in told(lambda tau, qd: tau[:, ::-1])
    noise = np.random.default_rng(0)
    assert "recorded together" in told(lambda tau, qd: noise.normal(size=tau.shape))


def test_what_stays_unexplained_is_said(planar) -> None:
    """Efforts that come a tenth of a second late."""
    log, _ = planar_log(planar, lambda tau, qd: np.roll(tau, 25, axis=0))
    found = lw.identify(planar, log)
    assert any("stays unexplained" in note and "delay" in note for note in found.notes)
    assert lw.identify(planar, planar_log(planar)[0]).notes == ()


def test_options_are_checked(planar) -> None:
    log, _ = planar_log(planar)
    with pytest.raises(lw.InputError, match="at least one log"):
        lw.identify(planar, [])
    with pytest.raises(lw.InputError, match="confidence"):
        lw.identify(planar, log, confidence=95)
    with pytest.raises(lw.InputError, match="lower bandwidth"):
        lw.identify(planar, log, bandwidth=500)
    without = lw.identify(planar, log, friction=False, rotors=False)
    assert len(without.base) == 6
