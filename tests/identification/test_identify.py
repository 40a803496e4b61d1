"""Robots identified from generated logs: the truth, honest intervals, possible bodies."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from statistics import NormalDist

import numpy as np
import pytest

import linkwork as lw
from linkwork.identification.identify import Identification
from linkwork.model.joint import Friction
from linkwork.motion.bundled import motion_for
from tests.identification.generated import (
    arm_log,
    covered,
    platform_log,
    possible,
    true_robot,
    typical_error,
)

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
        assert lw.lint(path) == []
        again = lw.load(path).parameters.values
        np.testing.assert_allclose(again, found.robot.parameters.values, rtol=1e-9, atol=1e-9)
        # As good as without the bounds of bodies, to a few percent of the noise.
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
    check(puma_runs(range(1)), tmp_path)


def test_simona(tmp_path) -> None:
    check(simona_runs(range(1)), tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("runs", [puma_runs, simona_runs])
def test_a_hundred_seeds(runs, tmp_path) -> None:
    check(runs(range(100)), tmp_path)


@pytest.fixture(scope="module")
def planar():
    return lw.load_arm("planar-2r")


MOTION = lw.Excitation([0.0, 0.5], [1.0, 1.2], 0.2, 5, 4, periods=2)


def with_friction(robot: lw.Robot) -> lw.Robot:
    """The planar arm with some friction, which its file does not have."""
    values = np.array(robot.parameters.values)
    names = list(robot.parameters.names)
    values[names.index("shoulder.viscous")] = 1.0
    values[names.index("elbow.coulomb_forward")] = 0.5
    values[names.index("elbow.coulomb_backward")] = -0.7
    return robot.with_parameters(values)


def planar_log(planar, change=lambda tau, qd: tau, seed: int = 0, amplitude=(1.0, 1.2)):
    motion = lw.Excitation([0.0, 0.5], amplitude, 0.2, 5, 4, periods=2)
    true = with_friction(true_robot(planar, 5))
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


def test_laws_of_friction_are_found_only_where_they_are(planar, tmp_path) -> None:
    """Stribeck friction at the shoulder, viscous friction that grows with the root at the elbow."""
    motion = lw.Excitation([0.0, 0.5], [1.0, 1.2], 0.2, 5, 4, periods=2)
    laws = (
        Friction(0.8, 1.2, -1.0, 0.0, stribeck=1.0, stribeck_velocity=0.2),
        Friction(2.0, 0.5, -0.7, 0.0, viscous_power=0.5),
    )
    plain, _ = planar_log(planar)
    assert lw.identify(planar, plain).friction == ()
    model = planar.model
    joints = [replace(each, friction=law) for each, law in zip(model.joints, laws, strict=True)]
    true = lw.Arm(replace(model, joints=tuple(joints)))
    log = arm_log(planar, true, motion, 0, noise=0.05)
    new = arm_log(planar, true, lw.Excitation([0.0, 0.5], [1.1, 1.3], 0.17, 5, 9), 1, noise=0.05)
    found = lw.identify(planar, log, validate=new)
    assert [each.name for each in found.friction] == ["shoulder", "elbow"]
    first, second = found.friction
    assert first.power == 1.0
    assert 0.1 < first.stribeck_velocity < 0.4
    assert second.power in (0.35, 0.5, 0.65)
    assert second.rms < second.plain_rms
    assert 0.7 < found.robot.model.joints[0].friction.stribeck < 1.3
    # Refitted with the law: as good as the noise on a new log, and as written in the file.
    (left,) = found.validation
    spread = np.median(np.abs(left.measured - left.after), axis=0) / NormalDist().inv_cdf(0.75)
    assert (spread < 1.15 * 0.05).all()
    lw.write_robot(found.robot, tmp_path / "found.yaml")
    assert (
        lw.load(tmp_path / "found.yaml").model.joints[0].friction == found.robot.model.joints[0].friction
    )


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


def test_measured_velocities_are_used_where_they_tell_more(planar) -> None:
    log, true = planar_log(planar)
    motion = lw.Excitation([0.0, 0.5], [1.0, 1.2], 0.2, 5, 4, periods=2)
    _, qd, _ = motion.at(log.time)
    with_rates = lw.Log(log.source, log.time, log.position, log.effort, velocity=qd)
    assert typical_error(lw.identify(planar, with_rates), true) < 2
    coarse = np.round(log.position, 2)
    exact = lw.identify(planar, lw.Log(log.source, log.time, coarse, log.effort, velocity=qd))
    assert not any("not used" in note for note in exact.notes)
    derived = lw.identify(planar, lw.Log(log.source, log.time, coarse, log.effort))
    assert exact.noise.sum() < derived.noise.sum()
    degrees = lw.identify(
        planar, lw.Log(log.source, log.time, log.position, log.effort, velocity=np.degrees(qd))
    )
    assert any("velocities as measured are not used" in note for note in degrees.notes)
    assert typical_error(degrees, true) < 2


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
    assert "Invert the sign" in one
    assert "tau1 [N mm]" in told(lambda tau, qd: 1000 * tau)
    assert "cannot exist" in told(lambda tau, qd: tau[:, ::-1])
    noise = np.random.default_rng(0)
    assert "recorded together" in told(lambda tau, qd: noise.normal(size=tau.shape))


@pytest.mark.parametrize(
    "name",
    ["planar-2r", *(pytest.param(n, marks=pytest.mark.long) for n in ("puma560", "ur5", "simona"))],
)
def test_efforts_swapped_in_another_unit_or_late_are_told(name) -> None:
    robot = possible(name)
    true = true_robot(robot, 3)
    if robot.actuated_element == "leg":
        log = platform_log(robot, true, excited(name, 0), 1)
    else:
        log = arm_log(robot, true, lw.Excitation(np.full(robot.n, 0.1), 0.4, 0.2, seed=1), 1)
    effort = log.effort

    def taken(changed) -> tuple[str, ...]:
        return lw.identify(robot, replace(log, effort=changed)).notes

    assert not taken(effort)
    swapped = effort[:, [1, 0, *range(2, robot.n)]]
    for changed in (0.01 * effort, 100 * effort, swapped):
        with pytest.raises(lw.InputError, match=r"effort"):
            taken(changed)
    late = round(0.02 / log.period)
    found = lw.identify(
        robot, replace(log, effort=np.concatenate([effort[:1].repeat(late, axis=0), effort[:-late]]))
    )
    assert found.delay.seconds == pytest.approx(0.02, abs=2e-3)
    assert any("ms late" in note for note in found.notes)


def test_a_delay_is_found_and_taken_back(planar) -> None:
    """Efforts that come 8 and 100 ms late; what is left is said."""
    clean, true = planar_log(planar)
    assert lw.identify(planar, clean).delay.seconds == 0
    late, _ = planar_log(planar, lambda tau, qd: np.roll(tau, 2, axis=0))
    found = lw.identify(planar, late)
    assert found.delay.seconds == pytest.approx(0.008, abs=5e-4)
    assert typical_error(found, true) < 2
    assert any("8" in note and "ms late" in note for note in found.notes)
    early, _ = planar_log(planar, lambda tau, qd: np.roll(tau, -25, axis=0))
    assert lw.identify(planar, early).delay.seconds == pytest.approx(-0.1, abs=2e-3)


def test_what_stays_unexplained_is_said(planar) -> None:
    """An effort of something else, as of a hand that pushes."""
    rng = np.random.default_rng(0)
    push = 60 * np.convolve(rng.normal(size=9000), np.hanning(60) / 30, mode="same")

    def pushed(tau, qd):
        return tau + push[: len(tau), None] * [1.0, 0.0]

    found = lw.identify(planar, planar_log(planar, pushed)[0])
    assert any("shoulder" in note and "stays unexplained" in note for note in found.notes)
    assert lw.identify(planar, planar_log(planar)[0]).notes == ()


def currents(log: lw.Log, gains) -> lw.Log:
    return replace(log, effort=log.effort / gains, currents=True)


def test_currents_need_gains(planar) -> None:
    log, _ = planar_log(planar)
    gains = np.array([7.0, 12.0])
    with pytest.raises(lw.InputError, match=r"has currents .*--gains with 2 numbers"):
        lw.identify(planar, currents(log, gains))
    found = lw.identify(planar, currents(log, gains), gains=gains)
    np.testing.assert_allclose(found.estimate, lw.identify(planar, log).estimate, rtol=1e-6, atol=1e-9)
    assert found.gains.source == "given"
    for wrong in ([1.0, 2.0, 3.0], [0.0, 1.0], "guess"):
        with pytest.raises(lw.InputError, match=r"gains .*expected"):
            lw.identify(planar, currents(log, gains), gains=wrong)
    with pytest.raises(lw.InputError, match="belong together"):
        lw.identify(planar, currents(log, gains), loaded=log)


def test_gains_by_the_masses_of_the_file(planar) -> None:
    """Where the file is right but for friction, which it does not have."""
    log = arm_log(planar, with_friction(planar), MOTION, 0, noise=0.05)
    gains = np.array([7.0, 12.0])
    found = lw.identify(planar, currents(log, gains), gains="file").gains
    np.testing.assert_allclose(found.values, gains, rtol=1e-2)


def test_gains_by_a_load_of_known_mass(planar) -> None:
    """The arm differs from its file; a load of 1.3 kg gives currents their scale."""
    true = with_friction(true_robot(planar, 5))
    tool = np.array([1.3, 0.05, 0.02, 0.0, 0.01, 0.01, 0.02, 0.0, 0.0, 0.0])
    values = np.array(true.parameters.values)
    first = true.parameters.names.index("elbow.m")
    values[first : first + 10] += tool
    carrying = true.with_parameters(values)
    gains = np.array([7.0, 12.0])
    log = currents(arm_log(planar, true, MOTION, 0, noise=0.05), gains)
    loaded = currents(arm_log(planar, carrying, MOTION, 1, noise=0.05), gains)
    found = lw.identify(planar, log, loaded=loaded, load=1.3)
    assert (np.abs(found.gains.values - gains) < 4 * found.gains.error).all()
    np.testing.assert_allclose(found.gains.values, gains, rtol=0.02)
    assert typical_error(found, true) < 4  # gains are wrong by less than a percent


def test_another_weight_than_the_file_s_is_a_finding(planar) -> None:
    log, _ = planar_log(planar, lambda tau, qd: 0.1 * tau)
    notes = lw.identify(planar, log).notes
    assert any("the efforts carry 0.1" in note and "--gains" in note for note in notes)


def test_coverage_between_logs_is_told(planar) -> None:
    logs = [planar_log(planar, seed=seed)[0] for seed in range(3)]
    assert lw.identify(planar, logs[0]).coverage is None
    assert 0.85 <= lw.identify(planar, logs).coverage <= 1


def test_bodies_are_like_the_file_s_at_no_price() -> None:
    """A motion of the wrist alone says little of the PUMA's bodies: they stay possible and plausible."""
    arm = possible("puma560")
    true = true_robot(arm, 3)
    found = lw.identify(arm, arm_log(arm, true, excited("puma560", 0), 0))
    assert found.pull_price < 0.005
    file, now = (
        dict(zip(arm.parameters.names, each.parameters.values, strict=True))
        for each in (arm, found.robot)
    )
    for name in arm.joint_names:
        if file[f"{name}.m"] > 0.1:
            assert 0.3 < now[f"{name}.m"] / file[f"{name}.m"] < 3
            center = [
                np.linalg.norm([v[f"{name}.m{x}"] for x in "xyz"]) / v[f"{name}.m"] for v in (file, now)
            ]
            assert center[1] < center[0] + 0.3


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
