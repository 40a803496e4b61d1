"""Derivatives of both dynamics against Pinocchio's analytical ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pinocchio", reason="there is no Pinocchio for this system")

import pinocchio as pin
from hypothesis import given, settings
from hypothesis import strategies as st

import linkwork as lw
from linkwork.robot.arm import Arm
from tests.oracles.pinocchio_arm import PinocchioArm
from tests.oracles.test_pinocchio_random_arms import arms, assert_close
from tests.oracles.test_urdf_arms import ARMS, ROBOTS
from tests.random_arms import random_state


def symmetric(upper: np.ndarray) -> np.ndarray:
    return np.triu(upper) + np.triu(upper, 1).T


def compare(arm: Arm, model: pin.Model, position, q, qd, qdd, external=None) -> None:
    data, options = model.createData(), {"friction": False, "rotors": False}
    tip = {} if external is None else {"tip_wrench": external[1]}
    forces = () if external is None else (external[0],)
    tau = arm.inverse_dynamics(q, qd, qdd, **tip, **options)
    pin.computeRNEADerivatives(model, data, position, qd, qdd, *forces)
    ours = arm.inverse_dynamics_derivatives(q, qd, qdd, **tip, **options)
    for mine, theirs in zip(ours, (data.dtau_dq, data.dtau_dv, symmetric(data.M)), strict=True):
        assert_close(mine, theirs)
    pin.computeABADerivatives(model, data, position, qd, tau, *forces)
    ours = arm.forward_dynamics_derivatives(q, qd, tau, **tip, **options)
    for mine, theirs in zip(ours, (data.ddq_dq, data.ddq_dv, symmetric(data.Minv)), strict=True):
        assert_close(mine, theirs)


def compare_random(model, seed: int) -> None:
    oracle = PinocchioArm(model)
    q, qd, qdd = random_state(seed, (model.n,))
    tip = np.random.default_rng(seed).normal(size=6)
    external = (oracle.external(tip), tip)
    compare(Arm(model), oracle.model, oracle.position(q), q, qd, qdd, external)


@settings(max_examples=3)
@given(arms, st.integers(0, 100))
def test_random_arms(model, seed) -> None:
    compare_random(model, seed)


@pytest.mark.long
@settings(max_examples=300)
@given(arms, st.integers(0, 100))
def test_many_random_arms(model, seed) -> None:
    compare_random(model, seed)


@pytest.mark.parametrize(
    "name",
    [
        name if name in ("ur5_robot.urdf", "kinova.urdf") else pytest.param(name, marks=pytest.mark.long)
        for name in ARMS
    ],
)
def test_urdf_arms(name) -> None:
    path = Path(str(ROBOTS[name]))
    model, arm = pin.buildModelFromUrdf(str(path)), lw.load_arm(path)
    q, qd, qdd = np.random.default_rng(0).uniform(-2, 2, (3, arm.n))
    position = pin.integrate(model, pin.neutral(model), q)
    compare(arm, model, position, q, qd, qdd)
