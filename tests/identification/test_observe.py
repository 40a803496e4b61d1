"""Collisions: thresholds from logs of free motion, false alarms, and delays that were predicted."""

from __future__ import annotations

import json

import numpy as np
import pytest

import linkwork as lw
from linkwork.control.observers import push_columns
from linkwork.core.errors import InputError
from linkwork.identification.collisions import delay_of
from linkwork.identification.logs import Log, checked_log
from linkwork.reports.observe import observation_report, push_rows
from tests.cli.process import run
from tests.identification.generated import ENCODER

PERIOD, START = 0.004, np.array([0.3, -1.0, 1.2, -0.7, 0.8, 0.2])


def log_of(seed: int, duration: float = 6.0, push=None, at: float = 3.0, name="ur5") -> Log:
    """Encoders and noisy torques of an arm that is pushed from a time on."""
    rng, arm = np.random.default_rng(seed), lw.load(name)
    time = np.arange(0, duration, PERIOD)
    w = rng.uniform(1.0, 2.5, (3, 6))
    amplitude = rng.uniform(0.05, 0.2, (3, 6))
    angle = w * time[:, None, None]
    q = START + (amplitude * np.sin(angle)).sum(axis=1)
    qd = (amplitude * w * np.cos(angle)).sum(axis=1)
    qdd = -(amplitude * w**2 * np.sin(angle)).sum(axis=1)
    tau = arm.inverse_dynamics(q, qd, qdd) + 0.5 * rng.normal(size=q.shape)
    if push is not None:
        later = arm.inverse_dynamics(q, qd, qdd, tip_wrench=-np.concatenate([push, np.zeros(3)]))
        free = arm.inverse_dynamics(q, qd, qdd)
        tau = tau + (later - free) * (time > at)[:, None]
    return checked_log(arm, f"log {seed}", time, np.round(q / ENCODER) * ENCODER, tau, qd)


def test_free_logs_have_no_alarms_and_new_ones_few() -> None:
    """Thresholds of two logs, tried on eight others: a tail that is continued to one alarm per hour."""
    arm = lw.load("ur5")
    found = lw.observe(arm, [log_of(1), log_of(2)])
    assert [log.alarms for log in found.logs] == [(), ()]
    assert (found.thresholds > found.largest).all()
    assert found.held_back == 0
    assert found.bound == pytest.approx(2.9957 / found.held_back_hours, rel=1e-4)
    others = lw.observe(arm, [log_of(seed) for seed in range(10, 14)], free=[log_of(1), log_of(2)])
    np.testing.assert_allclose(others.thresholds, found.thresholds)
    assert sum(len(log.alarms) for log in others.logs) == 0
    strict = lw.observe(arm, [log_of(1), log_of(2)], false_alarms=1e4)
    assert (strict.thresholds <= found.thresholds).all()
    assert (strict.thresholds < 0.9 * found.thresholds).any()


def test_a_push_is_noticed_as_soon_as_predicted() -> None:
    arm = lw.load("ur5")
    force = np.array([0.0, 0.0, 60.0])
    free = [log_of(1), log_of(2)]
    found = lw.observe(arm, [log_of(3, push=force)], free=free, pushes=[0.5, 60.0])
    (first, *_) = found.logs[0].alarms
    weak, strong = found.pushes
    assert weak.detected < 0.5 < strong.detected
    assert strong.detected > 0.95
    assert 0 <= first - 3.0 <= 4 * strong.late
    assert np.isinf(weak.median)
    after = (found.logs[0].time > 3.3) & (found.logs[0].time < 5.9)
    np.testing.assert_allclose(found.logs[0].wrench[after].mean(axis=0)[:3], force, atol=1.5)


def test_delays_are_those_of_the_observer_itself() -> None:
    """A push that is added to residuals is seen in the same row as in a log of the pushed robot."""
    arm, force = lw.load("ur5"), np.array([1.6, -2.6, 2.0])
    calm, touched = log_of(3), log_of(3, push=force)
    found = lw.observe(arm, touched, free=[log_of(1), log_of(2)])
    seen = lw.observe(arm, calm, free=[log_of(1), log_of(2)])
    start = int(np.searchsorted(calm.time, 3.0))
    push = push_columns(found.observer, calm.position)[..., :3] @ force
    delay = delay_of(found.observer, calm, seen.logs[0], push, start, found.thresholds)
    assert found.logs[0].alarms[0] - 3.0 == pytest.approx(delay, abs=1.01 * calm.period)
    assert delay > 2 * calm.period


def test_a_lonely_peak_is_told() -> None:
    arm = lw.load("ur5")
    pushed = log_of(1, push=np.array([80.0, 0.0, 0.0]), at=5.9)
    notes = lw.observe(arm, [pushed, log_of(2)]).notes
    assert any("its threshold is that of one peak of" in note and "log 1" in note for note in notes)


def test_platforms_without_velocities() -> None:
    platform = lw.load("small-hexapod")
    rng, time = np.random.default_rng(1), np.arange(0, 4, PERIOD)
    home = np.array([*platform.home[:3], 0.0, 0.0, 0.0])
    step = np.array([0.02, -0.01, 0.03, 0.1, -0.08, 0.12])
    motion = lw.PoseWaypoints([home, home + step, home - step, home], [0.0, 1.0, 3.0, 4.0])
    pose, twist, acceleration = motion.at(time)
    force = platform.inverse_dynamics(pose, twist, acceleration) + 0.2 * rng.normal(size=(len(time), 6))
    log = checked_log(platform, "poses", time, pose, force)
    found = lw.observe(platform, log)
    assert found.logs[0].alarms == ()
    assert found.pushes[2].detected > 0.9
    page = observation_report(found).html()
    for words in ("Momentum", "false alarms per hour", "residual", "detected within 1 s"):
        assert words.lower() in page.lower()
    assert page.count("<figure id=") == 2
    assert len(push_rows(found)) == 3


def test_what_does_not_fit_is_refused() -> None:
    arm = lw.load("ur5")
    with pytest.raises(InputError, match="less than a quarter of the logs'"):
        lw.observe(arm, log_of(1, 2.0), bandwidth=100)
    with pytest.raises(InputError, match=r"too short for a bandwidth of 0.5 Hz"):
        lw.observe(arm, log_of(1, 2.0), bandwidth=0.5)
    with pytest.raises(InputError, match="expected forces > 0"):
        lw.observe(arm, log_of(1, 2.0), pushes=[-1.0])


def test_the_command(tmp_path) -> None:
    words = ("observe", "planar-2r", "planar-2r-loaded", "--free", "planar-2r-log", "--bandwidth", "5")
    said = run(*words, "--no-moments", "-o", "r.csv", "--json", cwd=tmp_path)
    told = json.loads(said.stdout)
    assert [log["free"] for log in told["logs"]] == [False, True]
    assert told["logs"][1]["alarms"] == []
    assert len(told["coordinates"]) == 2
    header = (tmp_path / "r.csv").read_text("utf-8").splitlines()[0].split(",")
    assert header[:2] == ["time", "residual_shoulder"]
    assert header[-1] == "external_wrench_mz"
    assert "coordinate" in run(*words, cwd=tmp_path).stdout
