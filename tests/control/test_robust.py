"""Computed torque with an observer: what it cancels, what it must not believe."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork.control import (
    AdaptiveComputedTorque,
    ComputedTorque,
    RobustComputedTorque,
    point_payload,
)
from linkwork.control.base import State
from linkwork.papers.lee1982 import BOUND, experiment
from linkwork.papers.lee1982.findings import CARRIED, STEP
from linkwork.papers.lee1982.trials import motion, puma


def test_a_load_that_changes_is_cancelled_and_not_remembered() -> None:
    """The adaptive law ends several bounds off, plain computed torque is far off on the way."""
    runs = {
        name: experiment(payload=CARRIED, controller=name, step=STEP)
        for name in ("computed-torque", "adaptive", "robust")
    }
    largest = {name: np.abs(run.error).max() for name, run in runs.items()}
    last = {name: np.abs(run.error[-1]).max() for name, run in runs.items()}
    assert largest["robust"] < largest["adaptive"] / 2 < largest["computed-torque"] / 3
    assert last["adaptive"] > 5 * BOUND
    assert last["robust"] < BOUND


def test_an_adaptive_law_that_forgets_or_is_reset_against_one_that_keeps_its_load() -> None:
    """Each pays for what it gains: the one under a load that stays, the other in what it is told."""
    kinds: dict[str, dict[str, object]] = {
        "keeps": {},
        "forgets": {"forgetting": 2.0},
        "reset": {"resets": (2.2,)},
    }
    options = {"controller": "adaptive", "step": STEP}
    last = {
        name: np.abs(experiment(payload=CARRIED, **options, **kind).error[-1]).max()
        for name, kind in kinds.items()
    }
    assert last["reset"] < BOUND < last["forgets"] < last["keeps"] / 2
    stays = {
        name: np.abs(experiment(payload=2.0, **options, **kinds[name]).error[-1]).max()
        for name in ("keeps", "forgets")
    }
    assert stays["keeps"] < BOUND
    assert stays["forgets"] > 10 * BOUND


def test_what_is_forgotten_and_when_a_reset_comes() -> None:
    arm, path = puma(), motion(3.0)
    law = AdaptiveComputedTorque(
        arm, path, learning_rate=0.0, forgetting=3.0, resets=[0.03, 0.5], friction=False
    )
    known = point_payload(2.0, (0.1, 0.0, 0.2))
    law.load = known
    state = State(*path.at(0.0)[:2])
    for k in (0, 1):
        law.effort(0.01 * k, state)
        np.testing.assert_allclose(law.load, np.exp(-0.03 * (k + 1)) * known, rtol=1e-12)
    law.effort(0.03, state)  # a reset between two samples acts at the next
    assert not law.load.any()
    law.load = known
    law.effort(0.04, state)  # and once only
    assert law.load.any()
    with pytest.raises(lw.LinkworkError, match="forgetting = -1"):
        AdaptiveComputedTorque(arm, path, forgetting=-1)
    with pytest.raises(lw.LinkworkError, match="resets"):
        AdaptiveComputedTorque(arm, path, resets=[np.nan])


def test_the_first_sample_is_computed_torque_and_the_observer_follows_its_law() -> None:
    arm, path, T = puma(), motion(3.0), 0.01
    law = RobustComputedTorque(arm, path, 100.0, 20.0, T, bandwidth=20.0, friction=False)
    plain = ComputedTorque(arm, path, 100.0, 20.0, T, friction=False)
    rng = np.random.default_rng(1)
    q, qd = rng.normal(size=(2, 6))
    first = law.effort(0.5, State(q, qd))
    np.testing.assert_allclose(first, plain.effort(0.5, State(q, qd)), rtol=1e-12)
    wanted = path.at(0.5)
    asked = wanted[2] + 20 * (wanted[1] - qd) + 100 * (wanted[0] - q)
    missed = rng.normal(size=6)  # [rad/s^2] on top of what was asked for
    law.effort(0.51, State(q, qd + T * (asked + missed)))
    np.testing.assert_allclose(law.disturbance, (1 - np.exp(-0.2)) * missed, rtol=1e-9)
    law.start()
    assert not law.disturbance.any()


def test_an_effort_beyond_the_motors_teaches_nothing() -> None:
    arm, path = puma(), motion(3.0)
    law = RobustComputedTorque(arm, path, friction=False)
    effort = law.effort(0.0, State(np.zeros(6), np.zeros(6)))
    law.effort_applied(effort, np.full(6, 0.5 * np.abs(effort).max()))
    law.effort(0.01, State(np.zeros(6), np.zeros(6)))
    assert not law.disturbance.any()


def test_what_it_refuses() -> None:
    arm, path = puma(), motion(3.0)
    with pytest.raises(lw.LinkworkError, match="bandwidth = 0"):
        RobustComputedTorque(arm, path, bandwidth=0)
    with pytest.raises(lw.LinkworkError, match="period"):
        RobustComputedTorque(arm, path, period=0)
    with pytest.raises(lw.LinkworkError, match="rollout compiles its controller"):
        lw.rollout(arm, RobustComputedTorque(arm, path))
