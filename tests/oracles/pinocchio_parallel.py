"""A parallel robot in Pinocchio: legs and a floating platform, tied together as frames.

Built at the present configuration, so that all joints stand at zero and all frames have base axes. The
equations of motion are projected on what the ties allow, so that redundant ties are no difficulty.
"""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("pinocchio", reason="there is no Pinocchio for this system")

import pinocchio as pin

from linkwork.model.families.parallel import ParallelModel
from tests.oracles.placed_legs import placed

ALIGNED = pin.LOCAL_WORLD_ALIGNED


class PinocchioParallel:
    def __init__(
        self, robot: ParallelModel, q: np.ndarray, pose: np.ndarray, twist: np.ndarray, point: bool
    ) -> None:
        self.robot, self.twist = robot, twist
        at = self.at = placed(robot, q, pose)
        model = self.model = pin.Model()
        model.gravity.linear = np.array(robot.gravity)
        one = np.eye(3)
        top = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3(one, at.origin), "platform")
        body = at.platform
        inertia = at.R @ body.inertia @ at.R.T
        model.appendBodyToJoint(
            top, pin.Inertia(body.mass, at.R @ body.center_of_mass, inertia), pin.SE3.Identity()
        )
        self.tips, self.sockets, self.columns, self.own = [], [], [], []
        for index, leg in enumerate(at.legs):
            parent, before, columns = 0, np.zeros(3), []
            for k, joint in enumerate(leg.joints):
                kind = (
                    pin.JointModelRevoluteUnaligned
                    if joint.revolute
                    else pin.JointModelPrismaticUnaligned
                )
                place = pin.SE3(one, joint.point - before)
                parent = model.addJoint(parent, kind(joint.axis), place, f"{index} {k}")
                model.appendBodyToJoint(
                    parent,
                    pin.Inertia(joint.mass, joint.center - joint.point, joint.inertia),
                    pin.SE3.Identity(),
                )
                before = joint.point
                columns.append(model.idx_vs[parent])
            frame = pin.FrameType.OP_FRAME
            tip = pin.Frame(f"tip {index}", parent, pin.SE3(one, leg.tip - before), frame)
            socket = pin.Frame(f"socket {index}", top, pin.SE3(one, leg.tip - at.origin), frame)
            self.tips.append(model.addFrame(tip))
            self.sockets.append(model.addFrame(socket))
            self.columns.append(columns)
            self.own += columns[: leg.count]
        self.data = model.createData()
        self.q = pin.neutral(model)
        pin.computeJointJacobians(model, self.data, self.q)
        pin.updateFramePlacements(model, self.data)
        rows = []
        for tip, socket in zip(self.tips, self.sockets, strict=True):
            rows.append(self._jacobian(tip) - self._jacobian(socket))
        self.C = np.vstack(rows)
        # The rotation of a platform that is a point is nobody's business.
        self.locked = np.eye(model.nv)[3:6] if point else np.zeros((0, model.nv))
        self.v = self._spread(twist, np.zeros(len(self.C)))
        zero = np.zeros(model.nv)
        pin.forwardKinematics(model, self.data, self.q, self.v, zero)
        drift = []
        for tip, socket in zip(self.tips, self.sockets, strict=True):
            one_way, other = self._acceleration(tip), self._acceleration(socket)
            drift.append(one_way - other)
        self.drift = np.concatenate(drift)
        everything = np.vstack([self.C, self.locked])
        _, s, vt = np.linalg.svd(everything)
        rank = int((s > 1e-9 * s[0]).sum())
        self.N = vt[rank:].T

    def _jacobian(self, frame: int) -> np.ndarray:
        return pin.getFrameJacobian(self.model, self.data, frame, ALIGNED)

    def _acceleration(self, frame: int) -> np.ndarray:
        return pin.getFrameClassicalAcceleration(self.model, self.data, frame, ALIGNED).vector

    def _spread(self, top: np.ndarray, drift: np.ndarray) -> np.ndarray:
        """All velocities (or accelerations) from those of the platform, leg by leg."""
        result = np.zeros(self.model.nv)
        result[:6] = top
        self.residual = 0.0
        for k, columns in enumerate(self.columns):
            rows = slice(6 * k, 6 * k + 6)
            right = -self.C[rows, :6] @ top - drift[rows]
            found = np.linalg.lstsq(self.C[rows][:, columns], right, rcond=1e-10)[0]
            self.residual = max(
                self.residual, float(np.abs(self.C[rows][:, columns] @ found - right).max())
            )
            result[columns] = found
        return result

    def _top(self, acceleration: np.ndarray) -> np.ndarray:
        """Spatial acceleration of the platform's joint from the classical one."""
        linear = acceleration[:3] - np.cross(self.twist[3:], self.twist[:3])
        return np.concatenate([linear, acceleration[3:]])

    def _friction(self) -> np.ndarray:
        """Generalized forces of friction and of S joints at the platform, against the motion."""
        result = np.zeros(self.model.nv)
        w = self.twist[3:]
        for k, leg in enumerate(self.robot.legs):
            turning = np.zeros(3)
            for column, joint in zip(self.columns[k], leg.joints, strict=False):
                rate, friction = self.v[column], joint.friction
                result[column] -= friction.viscous * rate
                result[column] -= friction.coulomb_forward if rate > 0 else friction.coulomb_backward
            own = self.columns[k][: len(leg.joints)]
            for column, there in zip(own, self.at.legs[k].joints, strict=False):
                turning = turning + there.axis * self.v[column] * there.revolute
            drag = leg.end.viscous * (turning - w)
            for column, there in zip(own, self.at.legs[k].joints, strict=False):
                result[column] -= drag @ there.axis * there.revolute
            result[3:6] += drag
        return result

    def _rotors(self) -> np.ndarray:
        armature = np.zeros(self.model.nv)
        armature[self.own] = [joint.rotor for joint in self.robot.joints]
        return armature

    def _actuators(self) -> np.ndarray:
        chosen = [c for c, joint in zip(self.own, self.robot.joints, strict=True) if joint.actuated]
        return np.eye(self.model.nv)[:, chosen]

    def inverse(self, acceleration: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Efforts, and accelerations of the legs' own joints."""
        a = self._spread(self._top(acceleration), self.drift)
        need = pin.rnea(self.model, self.data, self.q, self.v, a)
        need = need + self._rotors() * a - self._friction()
        tau = np.linalg.lstsq(self.N.T @ self._actuators(), self.N.T @ need, rcond=None)[0]
        return tau, a[self.own]

    def forward(self, tau: np.ndarray) -> np.ndarray:
        """Acceleration of the platform."""
        M = pin.crba(self.model, self.data, self.q)
        M = np.triu(M) + np.triu(M, 1).T + np.diag(self._rotors())
        bias = pin.nonLinearEffects(self.model, self.data, self.q, self.v) - self._friction()
        everything = np.vstack([self.C, self.locked])
        right = np.concatenate([-self.drift, np.zeros(len(self.locked))])
        particular = np.linalg.lstsq(everything, right, rcond=1e-10)[0]
        reduced = self.N.T @ M @ self.N
        force = self.N.T @ (self._actuators() @ tau - bias - M @ particular)
        a = particular + self.N @ np.linalg.solve(reduced, force)
        linear = a[:3] + np.cross(self.twist[3:], self.twist[:3])
        return np.concatenate([linear, a[3:6]])
