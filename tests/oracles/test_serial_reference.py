"""Twelve arms whose every quantity was computed by an independent engine (tests/data)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from linkwork.mechanics.chain.dynamics import NAMES
from linkwork.model.families.arm import ArmModel, dh_joint
from linkwork.model.geometry import Body, frozen
from linkwork.robot.arm import Arm

DATA = np.load(Path(__file__).parents[1] / "data" / "serial_reference.npz")
TOLERANCE = 1e-12


class Reference:
    def __init__(self, key: str) -> None:
        self.key = key

    def __getattr__(self, name: str) -> np.ndarray:
        return DATA[f"{self.key}_{name}"]

    def arm(self) -> Arm:
        joints = []
        for k, letter in enumerate("".join(np.atleast_1d(self.types))):
            revolute = letter == "R"
            joints.append(
                dh_joint(
                    "standard",
                    "revolute" if revolute else "prismatic",
                    theta=0.0 if revolute else self.theta[k],
                    d=self.d[k] if revolute else 0.0,
                    a=self.a[k],
                    alpha=self.alpha[k],
                    name=f"joint{k + 1}",
                    body=Body.of(self.m[k], self.rbar[k], self.I[k]),
                )
            )
        return Arm(ArmModel(self.key, tuple(joints), frozen(self.g)))


KEYS = sorted({name.split("_")[0] for name in DATA.files if name.startswith("arm")})


# Every second arm where much is compiled; the others with the long tests.
EVERY_SECOND = pytest.mark.parametrize(
    "reference",
    [pytest.param(key, marks=[pytest.mark.long] * (k % 2)) for k, key in enumerate(KEYS)],
    indirect=True,
)


@pytest.fixture(params=KEYS, scope="module")
def reference(request) -> Reference:
    return Reference(request.param)


@pytest.fixture(scope="module")
def arm(reference) -> Arm:
    return reference.arm()


def assert_close(ours, theirs) -> None:
    theirs = np.asarray(theirs)
    scale = max(float(np.abs(theirs).max()), 1.0)
    np.testing.assert_allclose(ours, theirs.reshape(np.shape(ours)), rtol=0, atol=TOLERANCE * scale)


def test_there_are_twelve() -> None:
    assert len(KEYS) == int(DATA["count"]) == 12


def test_torques(arm, reference) -> None:
    tip = np.concatenate([reference.ftip, reference.ntip])
    state = reference.q, reference.qd, reference.qdd
    assert_close(arm.inverse_dynamics(*state, tip_wrench=tip), reference.tau)


@EVERY_SECOND
def test_torques_by_every_formulation(arm, reference) -> None:
    tip = np.concatenate([reference.ftip, reference.ntip])
    state = reference.q, reference.qd, reference.qdd
    for name in NAMES:
        assert_close(arm.inverse_dynamics(*state, tip_wrench=tip, formulation=name), reference.tau)


@EVERY_SECOND
def test_parts_of_the_torque(arm, reference) -> None:
    q, qd = reference.q, reference.qd
    assert_close(arm.mass_matrix(q), reference.M)
    for name in ("strobing", "lagrange"):
        assert_close(arm.coriolis_matrices(q, formulation=name), reference.C)
    assert_close(arm.gravity_load(q), reference.G)
    assert_close(arm.bias(q, qd), reference.h + reference.G)


def test_forward_dynamics(arm, reference) -> None:
    tip = np.concatenate([reference.ftip, reference.ntip])
    ours = arm.forward_dynamics(reference.q, reference.qd, reference.fd_tau, tip_wrench=tip)
    assert_close(ours, reference.fd_qdd)


def test_joint_wrenches(arm, reference) -> None:
    tip = np.concatenate([reference.ftip, reference.ntip])
    wrenches = arm.joint_wrenches(reference.q, reference.qd, reference.qdd, tip_wrench=tip)
    assert_close(wrenches[:, :3], reference.f)
    assert_close(wrenches[:, 3:], reference.n_)


def test_frames_and_energy(arm, reference) -> None:
    assert_close(arm.link_frames(reference.q), reference.T0i)
    assert_close(arm.forward_kinematics(reference.q), reference.T0i[-1])
    energy = arm.energy(reference.q, reference.qd)
    assert_close(energy.kinetic, reference.KE)
    assert_close(energy.potential, reference.PE)


@EVERY_SECOND
def test_natural_complement(arm, reference) -> None:
    tip = np.concatenate([reference.ftip, reference.ntip])
    state = reference.q, reference.qd, reference.qdd
    parts = arm.natural_complement(*state, tip_wrench=tip)
    assert_close(parts.T, reference.noc_T)
    assert_close(parts.T_rate, reference.noc_Td)
    assert_close(parts.K, reference.noc_K)
    assert_close(parts.actuator_wrench, reference.noc_wA)
    assert_close(parts.constraint_wrench, reference.noc_wC)
    assert_close(parts.inertia, reference.M)
    assert np.abs(parts.K @ parts.T).max() < 1e-13
    assert np.abs(parts.T.T @ parts.constraint_wrench).max() < 1e-11
    assert np.linalg.matrix_rank(parts.K) == 5 * arm.n
