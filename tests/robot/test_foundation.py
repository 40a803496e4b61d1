"""Loads on the foundation: momentum balance of MuJoCo's bodies, and Pinocchio's reaction at the base."""

from __future__ import annotations

from dataclasses import replace

import mujoco
import numpy as np
import pytest

import linkwork as lw
from linkwork.core.rotations import from_vector, multiply
from linkwork.model.mechanism import BASE
from tests.bundled import representative
from tests.oracles.mujoco_platform import MujocoPlatform
from tests.oracles.pinocchio_arm import PinocchioArm

H = 1e-5


def momentum(platform: lw.Platform, pose: np.ndarray, twist: np.ndarray) -> np.ndarray:
    """Linear momentum, and angular momentum about the base's origin, of MuJoCo's bodies."""
    engine = MujocoPlatform(platform.model, pose)
    engine.set_motion(twist)
    model, data = engine.model, engine.data
    mujoco.mj_subtreeVel(model, data)
    linear = model.body_subtreemass[0] * data.subtree_linvel[0]
    return np.concatenate([linear, data.subtree_angmom[0] + np.cross(data.subtree_com[0], linear)])


def moved(pose: np.ndarray, twist: np.ndarray, rate: np.ndarray, t: float) -> tuple[np.ndarray, ...]:
    """A pose and twist a little later, to second order."""
    step = twist * t + rate * t**2 / 2
    turned = multiply(from_vector(step[3:]), pose[3:])
    return np.concatenate([pose[:3] + step[:3], turned]), twist + rate * t


@pytest.mark.parametrize("name", ["simona", "pi-h811"])
def test_platforms_balance_the_momentum_of_mujocos_bodies(name: str) -> None:
    platform = lw.load_platform(name)
    assert all(leg.joints == "UPS" for leg in platform.model.legs)
    legs = [replace(leg, rotor=0.0) for leg in platform.model.legs]
    platform = lw.Platform(replace(platform.model, legs=tuple(legs)))
    for pose, twist, rate in zip(*platform.random_states(3, seed=2), strict=True):
        found = platform.foundation_load(pose, twist, rate)
        ends = [momentum(platform, *moved(pose, twist, rate, side * H)) for side in (1, -1)]
        change = (ends[0] - ends[1]) / (2 * H)
        engine = MujocoPlatform(platform.model, pose)
        mujoco.mj_forward(engine.model, engine.data)
        weight = engine.model.body_subtreemass[0] * np.asarray(platform.model.gravity)
        expected = np.concatenate([weight, np.cross(engine.data.subtree_com[0], weight)]) - change
        scale = np.abs(expected).max()
        np.testing.assert_allclose(found, expected, atol=2e-6 * scale)


@pytest.mark.parametrize("name", ["ur5", "stanford"])
def test_arms_have_pinocchios_reaction_at_their_base(name: str) -> None:
    arm, wrench = lw.load_arm(name), np.array([3.0, -8.0, 5.0, 0.4, 0.2, -0.3])
    engine = PinocchioArm(arm.model)
    for q, qd, qdd in zip(*arm.random_states(4, seed=1), strict=True):
        engine.torque(q, qd, qdd, wrench)
        first = engine.data.liMi[1].act(engine.data.f[1])
        expected = -np.concatenate([first.linear, first.angular])
        found = arm.foundation_load(q, qd, qdd, wrench)
        np.testing.assert_allclose(found, expected, atol=1e-9 * np.abs(expected).max())


@pytest.mark.parametrize("name", representative(lw.bundled_names()))
def test_at_rest_it_is_the_weight_at_the_center_of_mass(name: str) -> None:
    """Whatever joints do to each other; the moment is that of the weight, by the change of energy."""
    robot = lw.load(name)
    model, still = robot.mechanism, np.zeros(robot.dof)
    if any(BASE in spring.joins for spring in model.springs):
        pytest.skip("a spring to the base has its own test")
    c = robot.home
    found = robot.foundation_load(c, still, still)
    gravity = np.asarray(model.gravity)
    scale = max(model.mass * np.linalg.norm(gravity), 1e-9)
    np.testing.assert_allclose(found[:3], model.mass * gravity, atol=1e-12 * scale)
    # Potential energies in fields along x, y, z tell the first moments of mass; springs cancel.
    fields = [robot.energy(c, still, gravity=row).potential for row in (*np.eye(3), np.zeros(3))]
    first = -np.array([field - fields[3] for field in fields[:3]])
    np.testing.assert_allclose(found[3:], np.cross(first, gravity), atol=1e-10 * scale * robot.size)


def test_a_spring_to_the_base_pulls_on_it() -> None:
    """A weight on a slide that a spring carries: the base feels all of the weight at rest."""
    text = {
        "kind": "mechanism",
        "name": "hung",
        "bodies": {"block": {"mass": 3, "center_of_mass": [0.2, 0, 0.5], "inertia": [0.1, 0.1, 0.1]}},
        "joints": {"slide": {"P": "z", "joins": ["base", "block"], "at": [0.2, 0, 0.5], "motor": True}},
        "springs": {"coil": {"joins": ["base", "block"], "from": [0.1, 0, 2], "to": [0.2, 0, 0.5],
                             "stiffness": 40.0, "free_length": 1.0}},
        "coordinates": ["slide"],
    }  # fmt: skip
    robot = lw.load(text)
    still = np.zeros(1)
    for z in (0.0, 0.3):
        found = robot.foundation_load(np.array([z]), still, still)
        weight = np.array([0.0, 0.0, -3 * 9.81])
        np.testing.assert_allclose(found[:3], weight, atol=1e-12)
        np.testing.assert_allclose(found[3:], np.cross([0.2, 0, 0.5 + z], weight), atol=1e-12)
