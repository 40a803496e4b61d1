"""Momenta, their rates and the wrenches of pushes against Pinocchio and MuJoCo."""

from __future__ import annotations

import casadi as ca
import mujoco
import numpy as np
import pytest

import linkwork as lw
from linkwork.kernels import Kernel
from linkwork.mechanics.expressions import SX, named_function
from linkwork.mechanics.momentum import momentum_and_force
from tests.oracles.mujoco_arm import mujoco_model
from tests.oracles.pinocchio_arm import PinocchioArm, pin
from tests.random_arms import random_arm

BENT = np.array([0.3, -1.0, 1.2, -0.7, 0.8, 0.2])


def momentum(robot: lw.Robot, q, qd):
    plant = robot.plant(friction=False, rotors=False)
    x = SX.sym("x", plant.state_size)
    p, b = momentum_and_force(plant, x, {})
    function = named_function("momentum", {"x": x}, {"p": p, "b": ca.densify(b)})
    return Kernel(function, ((robot.n,), (robot.n,)))(np.concatenate([q, qd], axis=-1))


@pytest.mark.parametrize("arm", ["ur5", "panda", "stanford", 0, 1, 2])
def test_momentum_and_its_rate_are_those_of_pinocchio(arm) -> None:
    """p = M qd of crba and b = C' qd - g of getCoriolisMatrix, of which M_dot - C - C' = 0."""
    robot = lw.load(arm) if isinstance(arm, str) else lw.Arm(random_arm(arm, 5, "modified"))
    other = PinocchioArm(robot.model)
    q, qd, _ = robot.random_states(4, 3)
    p, b = momentum(robot, q, qd)
    for k in range(4):
        M = other.mass_matrix(q[k])
        place = other.position(q[k])
        C = pin.computeCoriolisMatrix(other.model, other.data, place, qd[k])
        g = pin.computeGeneralizedGravity(other.model, other.data, place)
        np.testing.assert_allclose(p[k], M @ qd[k], atol=1e-11 * np.abs(M @ qd[k]).max())
        wanted = C.T @ qd[k] - g
        np.testing.assert_allclose(b[k], wanted, atol=1e-10 * np.abs(wanted).max())
        solved = pin.computeMinverse(other.model, other.data, place)
        inverse = np.triu(solved) + np.triu(solved, 1).T
        np.testing.assert_allclose(inverse @ p[k], qd[k], atol=1e-9 * np.abs(qd[k]).max())


def test_a_moving_arm_pushed_in_mujoco() -> None:
    """xfrc_applied on the last link: the residual is the low-pass of its generalized force as MuJoCo has
    it, and the wrench at the tool that of the push when the arm rests."""
    robot = lw.load("ur5")
    model = mujoco_model(robot.model)
    model.opt.timestep, model.opt.integrator = 5e-4, mujoco.mjtIntegrator.mjINT_RK4
    data = mujoco.MjData(model)
    period, bandwidth, w = 1e-3, 8.0, 2 * np.pi * np.linspace(0.3, 0.6, 6)
    observer = lw.MomentumObserver(robot, period, bandwidth=bandwidth)
    data.qpos[:], data.qvel[:] = BENT, 0.2 * w
    memory, effort = observer.start(), np.zeros(6)
    share, expected = 1 - np.exp(-2 * np.pi * bandwidth * period), np.zeros(6)
    kept, wanted = [], []
    for k in range(2000):
        t = k * period
        memory, found = observer.update(memory, data.qpos, data.qvel, effort)
        kept.append(found.residual)
        wanted.append(expected)
        moving = t < 1.0
        q = BENT + moving * 0.2 * np.sin(w * t) + (not moving) * 0.2 * np.sin(w)
        qd, qdd = moving * 0.2 * w * np.cos(w * t), -moving * 0.2 * w**2 * np.sin(w * t)
        feedback = qdd + 60 * (qd - data.qvel) + 900 * (q - data.qpos)
        effort = robot.inverse_dynamics(data.qpos, data.qvel, feedback)
        data.qfrc_applied[:] = effort
        data.xfrc_applied[-1] = [15.0, -8.0, 10.0, 0.7, -1.5, 0.4] if t >= 0.3 else 0.0
        applied = []
        for _ in range(2):
            before = _generalized(model, data)
            mujoco.mj_step(model, data)
            mujoco.mj_kinematics(model, data)
            mujoco.mj_comPos(model, data)
            applied.append((before + _generalized(model, data)) / 2)
        expected = expected + share * (np.mean(applied, axis=0) - expected)
    size = np.abs(wanted).max()
    assert np.abs(np.array(kept) - np.array(wanted)).max() < 2e-5 * size
    R, push = data.xmat[-1].reshape(3, 3), data.xfrc_applied[-1]
    tool = robot.forward_kinematics(data.qpos)
    lever = data.xipos[-1] - tool[:3, 3]
    moment = push[3:] + np.cross(lever, push[:3])
    wrench = np.concatenate([tool[:3, :3].T @ push[:3], tool[:3, :3].T @ moment])
    assert R.shape == (3, 3)
    np.testing.assert_allclose(found.wrench, wrench, atol=1e-6 * np.abs(push).max())


def _generalized(model, data) -> np.ndarray:
    found, push = np.zeros(model.nv), data.xfrc_applied[-1]
    mujoco.mj_applyFT(model, data, push[:3], push[3:], data.xipos[-1], model.nbody - 1, found)
    return found


def test_a_hexapod_pushed_in_mujoco(tmp_path) -> None:
    """The exported model, whose constraints are soft: the wrench on the platform to their accuracy."""
    robot = lw.load("small-hexapod")
    lw.export(robot, "mjcf", tmp_path / "hexapod.xml")
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "hexapod.xml"))
    model.opt.timestep = period = 5e-4
    data = mujoco.MjData(model)
    observer = lw.MomentumObserver(robot, period, bandwidth=10)
    platform, memory, force = model.body("platform").id, observer.start(), np.zeros(6)
    push = np.array([10.0, -6.0, 15.0, 0.6, -0.4, 0.3])
    for k in range(3000):
        turned = np.zeros(9)
        mujoco.mju_quat2Mat(turned, data.qpos[3:7])
        R = turned.reshape(3, 3)
        pose = data.qpos[:7].copy()
        twist = np.concatenate([data.qvel[:3], R @ data.qvel[3:6]])  # MuJoCo turns in body axes
        memory, found = observer.update(memory, pose, twist, force)
        error = robot.coordinates.difference(robot.home, pose)
        force = robot.inverse_dynamics(pose, twist, 400 * error - 40 * twist, friction=False)
        data.ctrl[:] = force
        data.xfrc_applied[platform] = push if k > 200 else 0.0
        if k == 200:
            assert np.abs(found.wrench).max() < 0.05 * np.abs(push).max()
        mujoco.mj_step(model, data)
    wrench = np.concatenate([R.T @ push[:3], R.T @ push[3:]])
    np.testing.assert_allclose(found.wrench, wrench, atol=1e-3 * np.abs(push).max())
