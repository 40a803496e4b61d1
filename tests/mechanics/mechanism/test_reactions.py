"""Joint reactions against multipliers of trees with dense closures, and statics by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from linkwork.model.joint import Friction
from linkwork.model.mechanism import MechanismModel
from linkwork.model.robot_files import load_model
from tests.mechanics.mechanism.traced import Traced
from tests.oracles.pinocchio_mechanism import Oracle
from tests.random_mechanisms import random_mechanism, random_states


def smooth(model: MechanismModel) -> MechanismModel:
    """Without friction and rotors, which the oracle counts to the joint itself."""
    joints = tuple(replace(joint, friction=Friction(), rotor=0.0) for joint in model.joints)
    cylinders = tuple(
        replace(each, friction=Friction(), rotor=0.0, universal=0.0, spherical=0.0)
        for each in model.cylinders
    )
    rods = tuple(replace(rod, viscous=(0.0, 0.0)) for rod in model.rods)
    motors = tuple(replace(motor, rotor=0.0) for motor in model.motors)
    return replace(model, joints=joints, cylinders=cylinders, rods=rods, motors=motors)


def agrees(model: MechanismModel, seed: int) -> int:
    """How many determinate reactions were compared."""
    model = smooth(model)
    c, cd, cdd = random_states(model, np.random.default_rng(seed), 1)
    names, one, other = Traced(model).reactions(c, cd, cdd)
    expected = Oracle(model).state(c[0], cd[0], cdd[0]).wrenches
    scale = max((np.abs(each.force).max() for each in expected.values()), default=1.0)
    compared = 0
    for name, mine, second in zip(names, one[0], other[0], strict=True):
        there = expected.get(name.removesuffix(" end"), expected.get(name))
        if there is None or not there.determinate or name.endswith(" slide"):
            continue
        assert np.abs(mine - second).max() < 1e-8 * scale, name
        assert np.abs(mine[:3] - there.force).max() < 1e-8 * scale, name
        compared += 1
    return compared


@pytest.mark.parametrize("name", ["palletizer", "excavator", "ankle", "hexapod-with-arm", "two-arms"])
def test_bundled_mechanisms(name: str):
    assert agrees(load_model(name), 0) > 0


@pytest.mark.parametrize("seed", [0, 1, 5, 7, 8, 11, 24, 52])
def test_random_mechanisms(seed: int):
    agrees(random_mechanism(seed), seed)


def test_what_a_parallelogram_leaves_open_differs_between_both_solutions():
    model = smooth(load_model("palletizer"))
    c, cd, cdd = random_states(model, np.random.default_rng(0), 1)
    names, one, other = Traced(model).reactions(c, cd, cdd)
    differs = np.abs(one[0] - other[0]).max(axis=1) > 1e-8 * np.abs(one).max()
    assert not differs[names.index("swing")]
    assert differs[names.index("knee")]
