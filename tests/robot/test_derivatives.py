"""Derivatives of both dynamics against differences along the motions that they are by."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import linkwork as lw
from linkwork.core.rotations import from_vector, multiply, with_quaternion
from tests.random_platforms import random_platform, random_state

# Central differences of order eight: this step leaves rounding errors only.
STENCIL = {1: 4 / 5, 2: -1 / 5, 3: 4 / 105, 4: -1 / 280}
STEP = 2e-3


def differences(function: Callable[[np.ndarray], np.ndarray], size: int = 6) -> np.ndarray:
    """Columns: derivatives of a function at zero by each of its arguments."""
    columns = []
    for unit in np.eye(size):
        found = [
            weight * (function(k * STEP * unit) - function(-k * STEP * unit)) / STEP
            for k, weight in STENCIL.items()
        ]
        columns.append(sum(found))
    return np.stack(columns, axis=-1)


def assert_close(ours: np.ndarray, differences: np.ndarray, tolerance: float = 1e-9) -> None:
    assert np.abs(ours - differences).max() <= tolerance * np.abs(differences).max()


def moved(pose: np.ndarray, by: np.ndarray) -> np.ndarray:
    """A pose moved by three translations and a rotation vector, in base axes."""
    return np.concatenate([pose[:3] + by[:3], multiply(from_vector(by[3:]), pose[3:])])


def compare_platform(platform: lw.Platform, seed: int) -> None:
    pose, twist, acceleration, wrench = random_state(seed)

    def force(by=np.zeros(6), faster=0.0, more=0.0):  # noqa: B008
        return platform.inverse_dynamics(moved(pose, by), twist + faster, acceleration + more, wrench)

    found = platform.inverse_dynamics_derivatives(pose, twist, acceleration, wrench)
    assert_close(found.dq, differences(lambda x: force(x)))
    assert_close(found.dqd, differences(lambda x: force(faster=x)))
    assert_close(found.dqdd, differences(lambda x: force(more=x)))
    F = force()

    def response(by=np.zeros(6), faster=0.0, more=0.0):  # noqa: B008
        return platform.forward_dynamics(moved(pose, by), twist + faster, F + more, wrench)

    back = platform.forward_dynamics_derivatives(pose, twist, F, wrench)
    assert_close(back.dq, differences(lambda x: response(x)))
    assert_close(back.dqd, differences(lambda x: response(faster=x)))
    assert_close(back.dtau, differences(lambda x: response(more=x)))
    J = differences(lambda x: platform.jacobian(moved(pose, x)))
    assert_close(platform.jacobian_dot(pose, twist), J @ twist)


@pytest.fixture(scope="module")
def platform() -> lw.Platform:
    return lw.Platform(random_platform(3, friction=True))


def test_platform(platform: lw.Platform) -> None:
    compare_platform(platform, 0)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(100))
def test_many_platforms(seed: int) -> None:
    compare_platform(lw.Platform(random_platform(seed, friction=True)), seed)


def test_poses_of_six_numbers(platform: lw.Platform) -> None:
    angles = [0.1, 0, 1.0, 0.2, -0.1, 0.3]
    motion, wrench = np.random.default_rng(0).normal(size=(2, 6)), np.ones(6)
    ours = platform.inverse_dynamics_derivatives(angles, *motion, wrench)
    same = platform.inverse_dynamics_derivatives(with_quaternion(angles), *motion, wrench)
    np.testing.assert_array_equal(ours.dq, same.dq)


def test_friction_and_rotors_of_an_arm() -> None:
    """Away from rest, where Coulomb friction jumps; viscous friction stands on the diagonal."""
    arm = lw.load_arm("puma560")
    q, qd, qdd = np.random.default_rng(1).uniform(0.5, 1.5, (3, 6))
    found = arm.inverse_dynamics_derivatives(q, qd, qdd)
    assert_close(found.dqd, differences(lambda x: arm.inverse_dynamics(q, qd + x, qdd)))
    assert_close(found.dqdd, differences(lambda x: arm.inverse_dynamics(q, qd, qdd + x)))
    smooth = arm.inverse_dynamics_derivatives(q, qd, qdd, friction=False)
    viscous = [joint.friction.viscous for joint in arm.model.joints]
    np.testing.assert_allclose(found.dqd - smooth.dqd, np.diag(viscous), atol=1e-12)
    at_rest = arm.inverse_dynamics_derivatives(q, np.zeros(6), qdd)
    np.testing.assert_allclose(np.diag(at_rest.dqd), viscous, atol=1e-12)


def test_batches_gravity_and_formulations() -> None:
    arm = lw.load_arm("puma560")
    q, qd, qdd = np.random.default_rng(2).uniform(-1, 1, (3, 2, 3, 6))
    found = arm.inverse_dynamics_derivatives(q, qd, qdd, gravity=[0, 1, 2])
    assert found.dq.shape == (2, 3, 6, 6)
    other = arm.inverse_dynamics_derivatives(q, qd, qdd, gravity=[0, 1, 2], formulation="newton-euler")
    np.testing.assert_allclose(found.dq, other.dq, atol=1e-11)
    tau = arm.inverse_dynamics(q, qd, qdd, gravity=[0, 1, 2])
    back = arm.forward_dynamics_derivatives(q, qd, tau, gravity=[0, 1, 2])
    np.testing.assert_allclose(
        back.dtau @ found.dqdd, np.broadcast_to(np.eye(6), (2, 3, 6, 6)), atol=1e-9
    )


def test_second_derivatives_by_casadi() -> None:
    """The kernel's CasADi function differentiates further: d2 tau / dq2 against differences of dq."""
    import casadi as ca

    arm = lw.load_arm("planar-2r")
    function = arm.kernel("inverse_dynamics_derivatives").casadi
    q, qd, qdd = (ca.SX.sym(name, 2) for name in ("q", "qd", "qdd"))
    second = ca.Function("second", [q, qd, qdd], [ca.jacobian(function(q, qd, qdd)[0], q)])
    at = np.random.default_rng(3).uniform(-1, 1, (3, 2))

    def first(x: np.ndarray) -> np.ndarray:
        return arm.inverse_dynamics_derivatives(at[0] + x, at[1], at[2]).dq.ravel()

    assert_close(np.asarray(second(*at)), differences(first, 2))
