"""Every way in which an arm reaches a pose."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw

pytest.importorskip("eaik")


def away(q: np.ndarray, others: np.ndarray) -> float:
    """The smallest distance in joint angles, full turns aside."""
    return np.abs(np.mod(others - q + np.pi, 2 * np.pi) - np.pi).max(axis=1).min()


@pytest.mark.parametrize("name", ["ur5", "puma560"])
def test_all_solutions_of_six_joints(name) -> None:
    arm = lw.load(name)
    rng = np.random.default_rng(0)
    for q in rng.uniform(-2, 2, (8, 6)):
        T = arm.forward_kinematics(q)
        found = arm.all_solutions(T, limits=False)
        assert found.complete
        assert len(found.q) in (2, 4, 6, 8)
        assert away(q, found.q) < 1e-6
        assert np.abs(arm.forward_kinematics(found.q) - T).max() < 1e-11
        for k, row in enumerate(found.q):
            assert away(row, np.delete(found.q, k, axis=0)) > 1e-6
        low, high = arm.limits.position.T
        inside = arm.all_solutions(T)
        assert ((inside.q >= low) & (inside.q <= high)).all()
    assert "complete" in str(found)


def test_seven_joints_with_one_held() -> None:
    panda = lw.load("panda")
    q = np.array([0.1, -0.4, 0.2, -1.9, 0.1, 1.6, 0.3])
    T = panda.forward_kinematics(q)
    found = panda.all_solutions(T, fixed={6: 0.3}, limits=False)
    assert found.complete
    assert (found.q[:, 6] == 0.3).all()
    assert away(q, found.q) < 1e-6
    assert np.abs(panda.forward_kinematics(found.q) - T).max() < 1e-11


def test_what_has_no_list_of_solutions_says_so() -> None:
    with pytest.raises(lw.InputError, match="six revolute ones"):
        lw.load("panda").all_solutions(np.eye(4))
    with pytest.raises(lw.InputError, match="six revolute ones"):
        lw.load("stanford").all_solutions(np.eye(4))
    with pytest.raises(lw.InputError, match="one pose"):
        lw.load("ur5").all_solutions(np.tile(np.eye(4), (2, 1, 1)))


def test_a_singular_pose_has_a_short_list_that_is_not_called_complete() -> None:
    """With a straight wrist the joints 4 and 6 turn about parallel axes: any split of a turn will do."""
    arm = lw.load("ur5")
    target = arm.forward_kinematics([0.1, -1.2, 1.0, -0.7, 0.0, 0.2])
    found = arm.all_solutions(target)
    assert not found.complete
    assert "singular" in found.reason
    assert 1 <= len(found.q) <= 16
    np.testing.assert_allclose(
        arm.forward_kinematics(found.q), np.tile(target, (len(found.q), 1, 1)), atol=1e-11
    )
