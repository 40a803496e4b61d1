"""Inverse kinematics of arms, Jacobians of every frame and the motion of the links."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("pinocchio", reason="there is no Pinocchio for this system")

import pinocchio as pin

import linkwork as lw
from linkwork.core.rotations import quaternion_of
from linkwork.kernels import Kernel, Recipe
from linkwork.kernels.recipes import index_key
from linkwork.mechanics.chain.inverse_kinematics import bounds
from linkwork.model.joint import Limits
from tests.oracles.pinocchio_arm import PinocchioArm


@pytest.fixture(scope="module")
def ur5() -> lw.Arm:
    return lw.load_arm("ur5")


def reachable(arm: lw.Arm, count: int, seed: int = 0) -> np.ndarray:
    """Joint positions within the limits; prismatic and unlimited joints within one unit."""
    low, high = bounds(arm.model, True)
    low, high = np.where(np.isfinite(low), low, -1.0), np.where(np.isfinite(high), high, 1.0)
    return np.random.default_rng(seed).uniform(low, high, (count, arm.n))


def missed(arm: lw.Arm, q: np.ndarray, T: np.ndarray) -> np.ndarray:
    return np.abs(arm.forward_kinematics(q) - T).max(axis=(-2, -1))


@pytest.mark.parametrize(
    "name", ["ur5", "puma560", "panda", pytest.param("iiwa14", marks=pytest.mark.long)]
)
def test_reachable_poses_are_reached_from_random_starts(name) -> None:
    arm = lw.load(name)
    T = arm.forward_kinematics(reachable(arm, 1000))
    found = arm.inverse_kinematics(T, reachable(arm, 1000, seed=1))
    low, high = bounds(arm.model, True)
    assert found.converged.mean() >= 0.995
    assert (found.q >= low).all()
    assert (found.q <= high).all()
    assert missed(arm, found.q, T)[found.converged].max() < 5e-12
    assert found.error[found.converged].max() <= 1e-12 * 1.5


def test_a_near_guess_leads_to_the_near_solution(ur5) -> None:
    q = np.array([0.3, -1.2, 1.4, -0.8, 1.1, 0.2])
    T = ur5.forward_kinematics(q)
    found = ur5.inverse_kinematics(T, q + 0.1)
    np.testing.assert_allclose(found.q, q, rtol=0, atol=1e-11)
    quaternion = ur5.inverse_kinematics(np.concatenate([T[:3, 3], quaternion_of(T[:3, :3])]), q + 0.1)
    np.testing.assert_allclose(quaternion.q, q, rtol=0, atol=1e-11)
    assert found.error.shape == (2,)
    assert bool(found.converged)
    assert str(found) == "1 of 1 poses reached"


def test_every_shape_of_poses_and_guesses(ur5) -> None:
    q = reachable(ur5, 6).reshape(2, 3, 6) * 0.3
    T = ur5.forward_kinematics(q)
    found = ur5.inverse_kinematics(T, q[0, 0])
    assert found.q.shape == (2, 3, 6)
    assert found.error.shape == (2, 3, 2)
    assert found.converged.all()


def test_any_frame_is_a_target(ur5) -> None:
    q = reachable(ur5, 50)
    for k in (2, 4):
        T = ur5.link_frames(q)[:, k]
        mask = None if k == 4 else (True, True, True, False, False, False)
        found = ur5.inverse_kinematics(T, q + 0.05, frame=k, mask=mask)
        back = ur5.link_frames(found.q)[:, k]
        rows = slice(0, 3)
        assert np.abs(back[:, rows, 3] - T[:, rows, 3]).max() < 1e-11


def test_fewer_joints_than_directions_take_a_mask() -> None:
    arm = lw.load("planar-2r")
    q = np.random.default_rng(0).uniform(-2, 2, (100, 2))
    T = arm.forward_kinematics(q)
    found = arm.inverse_kinematics(T, mask=(True, True, False, False, False, False))
    assert found.converged.all()
    assert np.abs(arm.forward_kinematics(found.q)[:, :3, 3] - T[:, :3, 3]).max() < 1e-11


def test_a_free_turn_about_the_tool(ur5) -> None:
    """The turn about the pose's own z axis is left free: the z axes agree, the x axes need not."""
    q = reachable(ur5, 200)
    T = ur5.forward_kinematics(q)
    found = ur5.inverse_kinematics(T, mask=(True, True, True, True, True, False))
    assert found.converged.mean() > 0.99
    good = found.converged
    back = ur5.forward_kinematics(found.q[good])
    assert np.abs(back[:, :3, 2:] - T[good, :3, 2:]).max() < 1e-11


def test_out_of_reach_is_the_nearest_pose_and_says_by_how_much(ur5) -> None:
    T = np.eye(4)
    T[:3, 3] = [3.0, 0.0, 0.0]
    mask = (True, True, True, False, False, False)
    found = ur5.inverse_kinematics(T, mask=mask)
    assert not found.converged
    assert np.isfinite(found.q).all()
    # The nearest point of the workspace: further along the same line nothing is reached.
    nudged = ur5.forward_kinematics(found.q + np.random.default_rng(0).normal(0, 1e-3, (1000, 6)))
    distances = np.linalg.norm(nudged[:, :3, 3] - T[:3, 3], axis=1)
    assert distances.min() >= found.error[0] - 1e-9
    assert "missed by" in str(found)


def test_the_limit_that_holds_a_target_back_is_named() -> None:
    model = lw.load("planar-2r").model
    elbow = replace(model.joints[1], limits=Limits(position=(0.0, 1.0)))
    arm = lw.Arm(replace(model, joints=(model.joints[0], elbow)))
    T = arm.forward_kinematics([0.4, 1.5])
    found = arm.inverse_kinematics(T, mask=(True, True, False, False, False, False))
    assert not found.converged
    np.testing.assert_array_equal(found.held, [False, True])
    assert found.q[1] == 1.0
    reach = np.linalg.norm(arm.forward_kinematics([0.0, 1.0])[:3, 3])
    assert found.error[0] == pytest.approx(reach - np.linalg.norm(T[:3, 3]), abs=1e-9)
    assert f"the limit of {elbow.name} holds it back" in str(found)
    free = arm.inverse_kinematics(T, limits=False, mask=(True, True, False, False, False, False))
    assert free.converged


def test_singular_targets_are_reached_and_told(ur5) -> None:
    """Within reach a singular pose is a pose like others, found more slowly: converged, and said so."""
    straight = np.zeros(6)
    found = ur5.inverse_kinematics(ur5.forward_kinematics(straight), straight + 0.2)
    assert np.isfinite(found.q).all()
    assert found.error.max() < 1e-12
    assert found.converged
    assert found.near_singular
    assert "reached, in a singular position (condition number" in found.explain()
    q = reachable(ur5, 100)
    q[:, 4] = 0  # the wrist stretched
    found = ur5.inverse_kinematics(ur5.forward_kinematics(q), reachable(ur5, 100, seed=1))
    assert found.converged.all()
    reached = ur5.forward_kinematics(found.q)
    np.testing.assert_allclose(reached, ur5.forward_kinematics(q), atol=1e-11)
    regular = ur5.inverse_kinematics(ur5.forward_kinematics([0.3, -1.2, 1.4, -0.8, 1.1, 0.2]))
    assert regular.condition == pytest.approx(float(ur5.manipulability(regular.q).condition), rel=1e-9)
    assert not regular.near_singular
    half_turn = np.diag([1.0, -1.0, -1.0, 1.0])  # as far as a turn can be
    T = ur5.forward_kinematics(straight) @ half_turn
    assert np.isfinite(ur5.inverse_kinematics(T, straight).q).all()


@pytest.mark.parametrize("name", ["ur5", "puma560", "panda", "iiwa14", "stanford"])
def test_targets_outside_reach_are_missed_with_finite_numbers(name) -> None:
    arm = lw.load_arm(name)
    T = arm.forward_kinematics(reachable(arm, 20))
    T[:, :3, 3] += [4.0, 0, 0]
    found = arm.inverse_kinematics(T)
    assert not found.converged.any()
    assert np.isfinite(found.q).all()
    assert np.isfinite(found.error).all()
    reached = arm.forward_kinematics(found.q)
    np.testing.assert_allclose(
        np.linalg.norm(reached[:, :3, 3] - T[:, :3, 3], axis=1), found.error[:, 0], atol=1e-12
    )
    low, high = arm.limits.position.T
    assert ((found.q >= low) & (found.q <= high)).all()


def test_a_redundant_arm_stays_near_a_posture() -> None:
    arm = lw.load("iiwa14")
    q = reachable(arm, 100) * 0.6
    T = arm.forward_kinematics(q)
    plain = arm.inverse_kinematics(T, q + 0.2)
    posture = q + 0.3
    drawn = arm.inverse_kinematics(T, q + 0.2, posture=posture)
    assert drawn.converged.all()
    away = [np.linalg.norm(result.q - posture, axis=1) for result in (drawn, plain)]
    assert (away[0] <= away[1] + 1e-9).all()
    # What remains of the way to the posture is across the self-motion of the arm.
    J = arm.jacobian(drawn.q)
    self_motion = np.linalg.svd(J)[2][:, 6]
    rest = np.einsum("ni,ni->n", self_motion, posture - drawn.q)
    assert np.median(np.abs(rest)) < 1e-6


def test_wrong_arguments_are_named(ur5) -> None:
    good = ur5.forward_kinematics(np.zeros(6))
    with pytest.raises(lw.InputError, match="norm 2"):
        ur5.inverse_kinematics([0.3, 0.2, 0.1, 2.0, 0, 0, 0])
    with pytest.raises(lw.InputError, match="is not a rotation"):
        ur5.inverse_kinematics(good * 2)
    with pytest.raises(lw.InputError, match="has shape"):
        ur5.inverse_kinematics(np.zeros(5))
    with pytest.raises(lw.InputError, match="six flags"):
        ur5.inverse_kinematics(good, mask=[True])
    with pytest.raises(lw.InputError, match="shoulder"):
        ur5.jacobian(np.zeros(6), frame="nowhere")
    with pytest.raises(lw.InputError, match="finite"):
        ur5.inverse_kinematics(good * np.nan)


@pytest.mark.parametrize("name", ["puma560", "stanford", pytest.param("panda", marks=pytest.mark.long)])
def test_kinematics_agree_with_pinocchio(name) -> None:
    """Jacobian of every frame, its derivative, and velocities and accelerations of every link."""
    arm = lw.load(name)
    peer = PinocchioArm(arm.model)
    rng = np.random.default_rng(3)
    q, qd, qdd = rng.normal(size=(3, arm.n))
    motion = arm.link_motion(q, qd, qdd)
    frames = [
        peer.model.addFrame(
            pin.Frame(
                f"link{k}",
                k + 1,
                pin.SE3(np.array(joint.after.R), np.array(joint.after.p)),
                pin.FrameType.OP_FRAME,
            )
        )
        for k, joint in enumerate(arm.model.joints)
    ]
    data = peer.model.createData()
    pin.forwardKinematics(peer.model, data, peer.position(q), qd, qdd)
    pin.computeJointJacobiansTimeVariation(peer.model, data, peer.position(q), qd)
    pin.updateFramePlacements(peer.model, data)
    pin.centerOfMass(peer.model, data, peer.position(q), qd, qdd)
    axes = pin.LOCAL_WORLD_ALIGNED
    for k, frame in enumerate(frames):
        J = pin.getFrameJacobian(peer.model, data, frame, axes)
        rate = pin.getFrameJacobianTimeVariation(peer.model, data, frame, axes)
        np.testing.assert_allclose(arm.jacobian(q, frame=k), J, rtol=0, atol=1e-12)
        np.testing.assert_allclose(arm.jacobian_dot(q, qd, k), rate, rtol=0, atol=1e-11)
        velocity = pin.getFrameVelocity(peer.model, data, frame, axes).vector
        acceleration = pin.getFrameClassicalAcceleration(peer.model, data, frame, axes).vector
        np.testing.assert_allclose(motion.velocity[k], velocity, rtol=0, atol=1e-12)
        np.testing.assert_allclose(motion.acceleration[k], acceleration, rtol=0, atol=1e-11)
    masses = np.array([joint.body.mass for joint in arm.model.joints])
    for own, theirs in (
        (motion.center_velocity, data.vcom[0]),
        (motion.center_acceleration, data.acom[0]),
    ):
        np.testing.assert_allclose(masses @ own / masses.sum(), theirs, rtol=0, atol=1e-11)


def test_manipulability_and_its_ellipsoids(ur5) -> None:
    q = reachable(ur5, 5)
    found = ur5.manipulability(q)
    J = ur5.jacobian(q)
    np.testing.assert_allclose(
        found.measure, np.sqrt(np.linalg.det(J @ np.swapaxes(J, 1, 2))), rtol=1e-9
    )
    for rows, radii, axes in (
        (J[:, :3], found.linear_radii, found.linear_axes),
        (J[:, 3:], found.angular_radii, found.angular_axes),
    ):
        shape = np.einsum("nik,nk,njk->nij", axes, radii**2, axes)
        np.testing.assert_allclose(shape, rows @ np.swapaxes(rows, 1, 2), rtol=0, atol=1e-12)
    assert ur5.manipulability(np.zeros(6)).condition > 1e6


def line(arm: lw.Arm, q: np.ndarray, way: np.ndarray, count: int) -> np.ndarray:
    """The tool's pose at q, moved straight along `way`."""
    T = np.repeat(arm.forward_kinematics(q)[None], count, axis=0)
    T[:, :3, 3] += np.linspace(0, 1, count)[:, None] * way
    return T


def test_a_path_is_followed_on_one_branch(ur5) -> None:
    q = np.array([0.3, -1.2, 1.4, -0.8, 1.1, 0.2])
    T = line(ur5, q, np.array([0.1, 0.2, -0.1]), 50)
    time = np.linspace(0, 2, 50)
    path = ur5.follow(T, q + 0.05, time=time)
    assert missed(ur5, path.q, T).max() < 1e-11
    assert np.abs(np.diff(path.q, axis=0)).max() < 0.05
    twist = np.einsum("nij,nj->ni", ur5.jacobian(path.q), path.velocity)
    np.testing.assert_allclose(twist[2:-2, :3], np.tile([0.05, 0.1, -0.05], (46, 1)), atol=1e-4)
    coarse = ur5.follow(T[[0, -1]], q)
    np.testing.assert_allclose(coarse.q[-1], path.q[-1], atol=1e-9)
    assert path.near_singular == ()
    assert "50 poses followed" in str(path)


def test_a_path_near_a_singularity_says_so(ur5) -> None:
    """Past the wrist's singularity q5 = 0, at a small distance."""
    end = np.array([0.0, -1.2, 1.5, -0.6, 0.005, 0.0])
    start = np.array([0.0, -1.2, 1.5, -0.6, 0.4, 0.0])
    T = ur5.forward_kinematics(np.linspace(start, end, 60))
    path = ur5.follow(T, start, time=np.linspace(0, 1, 60))
    assert path.near_singular[-1].last == 59
    assert "near a singularity" in str(path)


def test_a_path_beyond_reach_ends_with_the_reason(ur5) -> None:
    q = np.array([0.3, -1.2, 1.4, -0.8, 1.1, 0.2])
    with pytest.raises(lw.LinkworkError, match="edge of its reach"):
        ur5.follow(line(ur5, q, np.array([2.0, 0.0, 0.0]), 20), q)
    with pytest.raises(lw.InputError, match="N >= 1"):
        ur5.follow(np.zeros(6), q)


@pytest.mark.parametrize("count", [3, pytest.param(60, marks=pytest.mark.long)], ids=["a few", "many"])
def test_a_path_through_a_singularity_is_refused(ur5, count) -> None:
    """However few samples there are: beyond it the branch is not determined."""
    random, refused = np.random.default_rng(5), 0
    while refused < count:
        start, way = random.uniform(-2, 2, 6), random.uniform(-1, 1, 6)
        signs = np.sign(np.linalg.det(ur5.jacobian(start + np.linspace(0, 1, 400)[:, None] * way)))
        crossings = np.flatnonzero(signs[1:] != signs[:-1])
        if len(crossings) != 1 or not 40 < crossings[0] < 360:
            continue
        T = ur5.forward_kinematics(start + np.linspace(0, 1, 20)[:, None] * way)
        with pytest.raises(lw.LinkworkError, match="singularity"):
            ur5.follow(T, start, limits=False)
        refused += 1


def test_a_sparse_path_that_crosses_nothing_is_followed(ur5) -> None:
    random, followed = np.random.default_rng(9), 0
    while followed < 3:
        start, way = random.uniform(-2, 2, 6), random.uniform(-1, 1, 6)
        signs = np.sign(np.linalg.det(ur5.jacobian(start + np.linspace(0, 1, 400)[:, None] * way)))
        if len(set(signs)) == 1:
            q = start + np.linspace(0, 1, 20)[:, None] * way
            found = ur5.follow(ur5.forward_kinematics(q), start, limits=False)
            np.testing.assert_allclose(found.q, q, atol=1e-9)
            followed += 1


def test_another_mass_needs_no_other_kernel(ur5) -> None:
    keys = []
    for mass in (3.0, 5.0):
        arm = lw.Arm(ur5.with_fields({"links.mass": mass}).model)

        def kept(recipe: Recipe, arm: lw.Arm = arm) -> Kernel:
            keys.append(index_key(recipe, "any"))
            return Kernel.from_recipe(recipe)

        arm.make_kernel = kept
        arm.inverse_kinematics(ur5.forward_kinematics(np.full(6, 0.4)), np.full(6, 0.5))
    assert keys[0] is not None
    assert keys[0] == keys[1]
