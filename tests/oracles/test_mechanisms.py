"""Mechanisms against reference data, and against trees with dense closures for random ones."""

from __future__ import annotations

import numpy as np
import pytest

from linkwork.model.robot_files import load_model
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


@pytest.mark.parametrize(
    "seed", [REFUSED[0], *(pytest.param(seed, marks=pytest.mark.long) for seed in REFUSED[1:])]
)
def test_what_newton_does_not_reach_from_home_is_refused(seed: int):
    mechanism = random_mechanism(seed)
    states = random_states(mechanism, np.random.default_rng(seed), 2)
    found = Traced(mechanism).inverse(*states)
    expected = np.array([Oracle(mechanism).inverse(*state) for state in zip(*states, strict=True)])
    answered = np.isfinite(found).all(axis=1)
    assert not answered.all()
    assert np.abs(found - expected)[answered].max(initial=0.0) < 1e-9 * np.abs(expected).max()


@pytest.mark.parametrize("viscous", [(0.0, 0.0), (0.3, 0.2)])
def test_a_rod_whose_spin_only_its_far_end_tells(viscous: tuple[float, float]):
    """A crank drives a carriage by a thick rod, its universal joint at the carriage."""
    knee, end = np.array([0.1, 0.25, 0.05]), np.array([0.7, 0.1, -0.1])
    axis = [0.9, 0.3, 0.8]
    across = np.cross(axis, end - knee)
    axial, swinging, mass, share = 0.4, 0.9, 2.5, 0.3
    along = np.outer(end - knee, end - knee) / ((end - knee) @ (end - knee))
    common = {
        "kind": "mechanism",
        "name": "press",
        "joints": {
            "crank": {"R": "z", "at": [0, 0, 0], "joins": ["base", "arm"], "motor": True},
            "slide": {"P": [1, 0, 0.2], "joins": ["base", "carriage"]},
        },
        "bodies": {
            "arm": {"mass": 1, "center_of_mass": [0.05, 0.1, 0], "inertia": [0.02, 0.02, 0.03]},
            "carriage": {"mass": 3, "center_of_mass": end.tolist(), "inertia": [0.1, 0.1, 0.1]},
        },
        "coordinates": ["crank"],
    }
    rod = {
        "joins": ["arm", "carriage"],
        "from": knee.tolist(),
        "to": end.tolist(),
        "mass": mass,
        "center": share,
        "inertia": [axial, swinging],
        "U_to": axis,
        "viscous": list(viscous),
    }
    body = {
        "mass": mass,
        "center_of_mass": (knee + share * (end - knee)).tolist(),
        "inertia": (axial * along + swinging * (np.eye(3) - along)).tolist(),
    }
    pin = {"U": [axis, across.tolist()], "at": end.tolist(), "viscous": viscous[1]}
    ball = {"S": None, "at": knee.tolist(), "viscous": viscous[0]}
    written_out = {
        **common,
        "bodies": {**common["bodies"], "rod": body},
        "joints": {
            **common["joints"],
            "pin": {**pin, "joins": ["carriage", "rod"]},
            "ball": {**ball, "joins": ["arm", "rod"]},
        },
    }
    mechanism = load_model({**common, "rods": {"rod": rod}})
    traced, oracle = Traced(mechanism), Oracle(load_model(written_out))
    c, cd, cdd = np.array([[[0.2]], [[1.7]], [[-2.3]]])
    tau = np.array([oracle.inverse(c[0], cd[0], cdd[0])])
    assert error(traced.inverse(c, cd, cdd), tau) < 1e-10
    assert error(traced.forward(c, cd, tau), cdd) < 1e-9
    spinless = load_model({**common, "rods": {"rod": {**rod, "inertia": [0, swinging]}}})
    assert error(Traced(spinless).inverse(c, cd, cdd), tau) > 1e-4  # it counts
