"""Mechanisms against reference data, and against trees with dense closures for random ones."""

from __future__ import annotations

import numpy as np
import pytest

from tests.mechanics.mechanism.traced import Traced
from tests.mechanism_reference import MECHANISMS, error, model, reference
from tests.oracles.pinocchio_mechanism import Oracle
from tests.random_mechanisms import random_mechanism, random_states

REFUSED = (220, 236, 255)  # a state of theirs, which continuation reaches, is not found from home
SOME = (*range(0, 100, 8), 32, 48, 52, 55, 86)  # all patterns; the last ones were wrong once


@pytest.mark.parametrize("name", MECHANISMS)
def test_the_reference_results(name: str):
    data, mechanism = reference(name), model(name)
    traced = Traced(mechanism, steps=6)
    home = np.array([traced.dynamics.solution.state.homes.get(n, 0.0) for n in traced.dynamics.names])
    c, cd = home + data["c"], data["cd"]
    assert error(traced.inverse(c, cd, data["cdd"]), data["tau"]) < 1e-12
    assert error(traced.forward(c, cd, data["tau_in"]), data["cdd_out"]) < 1e-11
    if "q" not in data:
        return
    named = {each.name for each in mechanism.elements}
    columns = [k for k, joint in enumerate(data["q_names"]) if joint in named]
    found = traced.joints([str(data["q_names"][k]) for k in columns], c, cd, data["cdd"])
    for k, quantity in enumerate(("q", "qd", "qdd")):
        assert error(found[..., k], data[quantity][:, columns]) < 1e-11


def agrees(seed: int) -> None:
    """Efforts, accelerations and joints of two states."""
    mechanism = random_mechanism(seed)
    c, cd, cdd = random_states(mechanism, np.random.default_rng(seed), 2)
    oracle, traced = Oracle(mechanism), Traced(mechanism)
    states = [oracle.state(*state) for state in zip(c, cd, cdd, strict=True)]
    tau = np.array([state.tau for state in states])
    assert error(traced.inverse(c, cd, cdd), tau) < 1e-9
    assert error(traced.forward(c, cd, tau), cdd) < 1e-7
    simple = [each.name for each in mechanism.joints if each.kind in ("revolute", "prismatic")]
    joints = [name for name in simple if name in states[0].q]
    found = traced.joints(joints, c, cd, cdd) if joints else np.zeros((2, 0, 3))
    for k, quantity in enumerate(("q", "qd", "qdd")):
        expected = np.array([[getattr(state, quantity)[name] for name in joints] for state in states])
        scale = 1 + np.abs(expected).max(initial=0.0)
        assert np.abs(found[..., k] - expected).max(initial=0.0) < 1e-8 * scale


@pytest.mark.parametrize("seed", SOME)
def test_random_mechanisms(seed: int):
    agrees(seed)


@pytest.mark.long
@pytest.mark.parametrize("seed", [seed for seed in range(500) if seed not in REFUSED])
def test_five_hundred_random_mechanisms(seed: int):
    agrees(seed)


@pytest.mark.parametrize("seed", REFUSED)
def test_what_newton_does_not_reach_from_home_is_refused(seed: int):
    mechanism = random_mechanism(seed)
    states = random_states(mechanism, np.random.default_rng(seed), 2)
    found = Traced(mechanism).inverse(*states)
    expected = np.array([Oracle(mechanism).inverse(*state) for state in zip(*states, strict=True)])
    answered = np.isfinite(found).all(axis=1)
    assert not answered.all()
    assert np.abs(found - expected)[answered].max(initial=0.0) < 1e-9 * np.abs(expected).max()
