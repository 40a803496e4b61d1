"""The same arm in Pinocchio, built joint by joint from its description."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("pinocchio", reason="there is no Pinocchio for this system")

import pinocchio as pin

from linkwork.model.families.arm import ArmModel
from linkwork.model.geometry import Transform

NO_WRENCH = np.zeros(6)


def _se3(transform: Transform) -> pin.SE3:
    return pin.SE3(np.array(transform.R), np.array(transform.p))


class PinocchioArm:
    """Pinocchio's model of an arm; `moving_base` puts it on a free body without mass."""

    def __init__(self, arm: ArmModel, moving_base: bool = False) -> None:
        self.arm = arm
        self.moving_base = moving_base
        self.model = pin.Model()
        self.model.gravity.linear = np.array(arm.gravity)
        parent, placement = 0, pin.SE3.Identity()
        if moving_base:
            parent = self.model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "base")
        for joint in arm.joints:
            kind = (
                pin.JointModelRevoluteUnaligned
                if joint.is_revolute
                else pin.JointModelPrismaticUnaligned
            )
            place = placement * _se3(joint.before)
            parent = self.model.addJoint(parent, kind(np.array(joint.axis)), place, joint.name)
            placement = _se3(joint.after)
            body = joint.body
            inertia = pin.Inertia(body.mass, np.array(body.center_of_mass), np.array(body.inertia))
            self.model.appendBodyToJoint(parent, inertia, placement)
        self.tip = placement
        self.data = self.model.createData()
        self.offsets = np.array([joint.offset for joint in arm.joints])

    def position(self, q: np.ndarray) -> np.ndarray:
        if not self.moving_base:
            return q + self.offsets
        return np.concatenate([np.zeros(6), [1.0], q + self.offsets])

    def external(self, tip_wrench: np.ndarray) -> pin.StdVec_Force:
        """Forces on every joint: the surroundings push the last link with minus the tip wrench."""
        forces = pin.StdVec_Force()
        for _ in range(self.model.njoints - 1):
            forces.append(pin.Force.Zero())
        forces.append(self.tip.act(pin.Force(-tip_wrench[:3], -tip_wrench[3:])))
        return forces

    def torque(self, q, qd, qdd, tip_wrench=NO_WRENCH, base_motion=None) -> np.ndarray:
        if self.moving_base:
            w, al, a = base_motion[:3], base_motion[3:6], base_motion[6:]
            qd = np.concatenate([np.zeros(3), w, qd])
            qdd = np.concatenate([a, al, qdd])
        args = (self.model, self.data, self.position(q), qd, qdd, self.external(tip_wrench))
        return pin.rnea(*args)[-self.arm.n :]

    def acceleration(self, q, qd, tau, tip_wrench=NO_WRENCH) -> np.ndarray:
        args = (self.model, self.data, self.position(q), qd, tau, self.external(tip_wrench))
        return pin.aba(*args)

    def mass_matrix(self, q) -> np.ndarray:
        M = pin.crba(self.model, self.data, self.position(q))
        return np.triu(M) + np.triu(M, 1).T

    def tip_pose(self, q) -> np.ndarray:
        pin.forwardKinematics(self.model, self.data, self.position(q))
        return (self.data.oMi[self.model.njoints - 1] * self.tip).homogeneous

    def jacobian(self, q) -> np.ndarray:
        frame = self.model.addFrame(
            pin.Frame(
                f"tip{self.model.nframes}", self.model.njoints - 1, self.tip, pin.FrameType.OP_FRAME
            )
        )
        data = self.model.createData()
        return pin.computeFrameJacobian(
            self.model, data, self.position(q), frame, pin.LOCAL_WORLD_ALIGNED
        )

    def energies(self, q, qd) -> tuple[float, float]:
        kinetic = pin.computeKineticEnergy(self.model, self.data, self.position(q), qd)
        potential = pin.computePotentialEnergy(self.model, self.data, self.position(q))
        return kinetic, potential
