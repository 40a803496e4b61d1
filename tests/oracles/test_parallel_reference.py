"""Parallel robots against Pinocchio's constrained dynamics of nine mechanisms."""

from __future__ import annotations

import numpy as np
import pytest

from tests.parallel_reference import MECHANISMS, error, reference, robot

TOLERANCE = 1e-11
INDETERMINATE = ("agile-eye", "planar-3rrr", "five-bar")


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_dynamics(mechanism: str) -> None:
    given, subject = reference(mechanism), robot(mechanism)
    c, cd, cdd = given["c"], given["cd"], given["cdd"]
    assert error(subject.inverse_dynamics(c, cd, cdd), given["tau"]) < TOLERANCE
    assert error(subject.forward_dynamics(c, cd, given["tau"]), cdd) < TOLERANCE
    other = subject.forward_dynamics(c, cd, given["tau_forward"])
    moved = subject.joints(c, cd, other)
    assert error(moved.acceleration, given["acceleration_forward"]) < TOLERANCE
    if "qdd_forward" in given and mechanism != "dasgupta1998":
        assert error(moved.qdd, given["qdd_forward"]) < TOLERANCE
    M, h, actuation = subject.task_space(c, cd)
    generalized = np.einsum("nad,na->nd", actuation, given["tau"])
    assert error(np.einsum("nij,nj->ni", M, cdd) + h, generalized) < TOLERANCE


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_joints(mechanism: str) -> None:
    given, subject = reference(mechanism), robot(mechanism)
    found = subject.joints(given["c"], given["cd"], given["cdd"])
    assert error(found.twist, given["twist"]) < TOLERANCE
    assert error(found.acceleration, given["acceleration"]) < TOLERANCE
    assert np.abs(found.pose[:, :3] - given["pose"][:, :3]).max() < TOLERANCE
    turned = np.abs(np.einsum("ni,ni->n", found.pose[:, 3:], given["pose"][:, 3:]))
    assert np.abs(turned - 1).max() < TOLERANCE
    if mechanism == "dasgupta1998":
        slides = [k for k, joint in enumerate(subject.model.joints) if joint.actuated]
        assert error(found.q[:, slides], given["slide"]) < TOLERANCE
        return
    for name in ("q", "qd", "qdd"):
        assert error(getattr(found, name), given[name]) < TOLERANCE


@pytest.mark.parametrize("mechanism", [name for name in MECHANISMS if name != "dasgupta1998"])
def test_wrenches(mechanism: str) -> None:
    given, subject = reference(mechanism), robot(mechanism)
    found = subject.joint_reactions(given["c"], given["cd"], given["cdd"])
    joints = np.concatenate([found.joint_force, found.joint_moment], axis=-1)
    closures = np.concatenate([found.closure_force, found.closure_moment], axis=-1)
    assert subject.determinate == (mechanism not in INDETERMINATE)
    for ours, name in ((joints, "joint_wrench"), (closures, "closure_wrench")):
        theirs = given[name]
        known = np.isfinite(ours)
        assert known.all() == subject.determinate
        if mechanism in ("planar-3rrr", "five-bar"):
            assert known[..., [0, 1, 5]].all()  # in the plane
        if mechanism != "agile-eye":
            assert np.abs(ours - theirs)[known].max() < TOLERANCE * np.abs(theirs).max()
