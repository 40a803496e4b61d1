"""What docs/coming-from.md says of the names, signs and orders of Pinocchio and the Robotics Toolbox."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pinocchio", reason="there is no Pinocchio for this system")

import pinocchio as pin

import linkwork as lw
from tests.oracles.test_urdf_arms import ROBOTS

STATE = np.random.default_rng(0).uniform(-1, 1, (3, 6))
TIP = "tool0"  # the fixed end of the file, at which Linkwork has its tip
WRENCH = np.array([3.0, -2.0, 5.0, 0.4, -0.3, 0.2])


def close(ours, theirs) -> None:
    np.testing.assert_allclose(ours, theirs, rtol=1e-11, atol=1e-11)


@pytest.fixture(scope="module")
def ur5() -> tuple[lw.Arm, pin.Model, pin.Data]:
    path = Path(str(ROBOTS["ur5_robot.urdf"]))
    model = pin.buildModelFromUrdf(str(path))
    return lw.load_arm(path), model, model.createData()


def test_dynamics_of_pinocchio(ur5) -> None:
    arm, model, data = ur5
    q, qd, qdd = STATE
    tau = arm.inverse_dynamics(q, qd, qdd, friction=False, rotors=False)
    close(tau, pin.rnea(model, data, q, qd, qdd))
    close(
        arm.forward_dynamics(q, qd, tau, friction=False, rotors=False), pin.aba(model, data, q, qd, tau)
    )
    close(arm.mass_matrix(q, rotors=False), pin.crba(model, data, q))
    close(arm.bias(q, qd), pin.nonLinearEffects(model, data, q, qd))
    close(arm.gravity_load(q), pin.computeGeneralizedGravity(model, data, q))
    close(
        np.einsum("j,ijk->ik", qd, arm.coriolis_matrices(q)),
        pin.computeCoriolisMatrix(model, data, q, qd),
    )
    assert arm.energy(q, qd).kinetic == pytest.approx(pin.computeKineticEnergy(model, data, q, qd))
    assert arm.energy(q, qd).potential == pytest.approx(pin.computePotentialEnergy(model, data, q))


def test_kinematics_of_pinocchio(ur5) -> None:
    arm, model, data = ur5
    q = STATE[0]
    tip = model.getFrameId(TIP)
    jacobian = pin.computeFrameJacobian(model, data, q, tip, pin.LOCAL_WORLD_ALIGNED)
    pin.framesForwardKinematics(model, data, q)
    close(arm.forward_kinematics(q), data.oMf[tip].homogeneous)
    close(arm.jacobian(q), jacobian)


def test_an_external_force_of_pinocchio_is_minus_the_tip_wrench(ur5) -> None:
    arm, model, data = ur5
    q, qd, qdd = STATE
    forces = pin.StdVec_Force()
    place = model.frames[model.getFrameId(TIP)].placement
    forces.extend([pin.Force.Zero()] * 6 + [place.act(pin.Force(-WRENCH[:3], -WRENCH[3:]))])
    tau = arm.inverse_dynamics(q, qd, qdd, tip_wrench=WRENCH, friction=False, rotors=False)
    close(tau, pin.rnea(model, data, q, qd, qdd, forces))


def test_orders_of_pinocchio() -> None:
    turn = pin.rpy.rpyToMatrix(0.1, 0.2, 0.3)
    x, y, z, w = pin.SE3ToXYZQUAT(pin.SE3(turn, np.zeros(3)))[3:]
    hexapod = lw.load("simona")
    place = hexapod.home[:3]
    close(
        hexapod.leg_lengths([*place, w, x, y, z]),
        hexapod.leg_lengths([*place, 0.1, 0.2, 0.3]),
    )


@pytest.fixture(scope="module")
def puma():
    toolbox = pytest.importorskip("roboticstoolbox", reason="roboticstoolbox-python is not installed")
    return toolbox.models.DH.Puma560()


def test_dynamics_of_the_robotics_toolbox(puma) -> None:
    arm = lw.load("puma560")
    q, qd, qdd = STATE
    tau = arm.inverse_dynamics(q, qd, qdd)  # both with friction and rotors
    close(tau, puma.rne(q, qd, qdd))
    close(arm.inverse_dynamics(q, qd, qdd, tip_wrench=WRENCH), puma.rne(q, qd, qdd, fext=WRENCH))
    close(arm.forward_dynamics(q, qd, tau), puma.accel(q, qd, tau))
    close(arm.mass_matrix(q), puma.inertia(q))
    close(arm.gravity_load(q), puma.gravload(q))
    close(np.einsum("j,ijk->ik", qd, arm.coriolis_matrices(q)), puma.coriolis(q, qd))
    close(puma.gravity, arm.model.gravity)


def test_kinematics_of_the_robotics_toolbox(puma) -> None:
    arm = lw.load("puma560")
    q = STATE[0]
    close(arm.jacobian(q), puma.jacob0(q))
    pose = arm.forward_kinematics(q)
    pose[2, 3] += puma.links[0].d  # the toolbox counts from the floor, the bundled arm from its shoulder
    close(pose, puma.fkine(q).A)
