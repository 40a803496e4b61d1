"""A Stewart platform in Pinocchio: a tree of 24 velocities closed by 18 constraint forces.

The tree is built at the present configuration, so that all joints stand at zero and all frames have
base axes. Legs: two revolute joints of the universal joint, one prismatic joint; the platform floats
free; six cut spherical joints tie them together.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

pytest.importorskip("pinocchio", reason="there is no Pinocchio for this system")

import pinocchio as pin

from linkwork.core.rotations import rotation_of
from linkwork.model.families.stewart import PlatformModel


@dataclass
class Solution:
    force: np.ndarray  # actuators
    spherical: np.ndarray  # platform on legs
    base_wrench: np.ndarray  # base on lower parts, about the base points, (6, 6)
    slider_wrench: np.ndarray  # lower on upper parts, about the base points, (6, 6)


class PinocchioPlatform:
    def __init__(self, platform: PlatformModel, pose: np.ndarray, twist: np.ndarray) -> None:
        self.platform, self.twist = platform, twist
        self.R, self.t = rotation_of(pose), pose[:3]
        model = self.model = pin.Model()
        model.gravity.linear = np.array(platform.gravity)
        one = np.eye(3)
        top = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3(one, self.t), "platform")
        body = platform.platform
        inertia = self.R @ body.inertia @ self.R.T
        model.appendBodyToJoint(
            top, pin.Inertia(body.mass, self.R @ body.center_of_mass, inertia), pin.SE3.Identity()
        )
        self.joints, self.tips, self.sockets, self.axes = [], [], [], []
        for leg in platform.legs:
            q = self.R @ leg.platform_point
            S = q + self.t - leg.base_point
            s = S / np.linalg.norm(S)
            y = np.cross(leg.fixed_axis, s)
            y /= np.linalg.norm(y)
            T = np.column_stack([s, y, np.cross(s, y)])
            first = model.addJoint(
                0,
                pin.JointModelRevoluteUnaligned(np.array(leg.fixed_axis)),
                pin.SE3(one, np.array(leg.base_point)),
                f"{leg.name} k",
            )
            second = model.addJoint(
                first, pin.JointModelRevoluteUnaligned(y), pin.SE3.Identity(), f"{leg.name} y"
            )
            slider = model.addJoint(
                second, pin.JointModelPrismaticUnaligned(s), pin.SE3.Identity(), f"{leg.name} s"
            )
            for joint, part, origin in ((second, leg.lower, np.zeros(3)), (slider, leg.upper, S)):
                inertia = pin.Inertia(
                    part.mass, origin + T @ part.center_of_mass, T @ part.inertia @ T.T
                )
                model.appendBodyToJoint(joint, inertia, pin.SE3.Identity())
            kind = pin.FrameType.OP_FRAME
            tip = pin.Frame(f"{leg.name} tip", slider, pin.SE3(one, S), kind)
            socket = pin.Frame(f"{leg.name} socket", top, pin.SE3(one, q), kind)
            self.tips.append(model.addFrame(tip))
            self.sockets.append(model.addFrame(socket))
            self.joints.append((first, second, slider))
            self.axes.append((np.array(leg.fixed_axis), y, s))
        self.data = model.createData()
        self.q = pin.neutral(model)
        pin.computeJointJacobians(model, self.data, self.q)
        pin.updateFramePlacements(model, self.data)
        self.J_tips = [self._jacobian(frame) for frame in self.tips]
        self.J_sockets = [self._jacobian(frame) for frame in self.sockets]
        self.v = self._velocity()
        self.drift = self._drift()

    def _jacobian(self, frame: int) -> np.ndarray:
        return pin.getFrameJacobian(self.model, self.data, frame, pin.LOCAL_WORLD_ALIGNED)[:3]

    def _columns(self, k: int) -> list[int]:
        return [self.model.idx_vs[joint] for joint in self.joints[k]]

    def _spread(self, top: np.ndarray, at_tips: list[np.ndarray]) -> np.ndarray:
        """All 24 rates from those of the platform and of the legs' tips."""
        result = np.zeros(self.model.nv)
        result[:6] = top
        for k, value in enumerate(at_tips):
            columns = self._columns(k)
            result[columns] = np.linalg.solve(self.J_tips[k][:, columns], value)
        return result

    def _velocity(self) -> np.ndarray:
        return self._spread(self.twist, [J[:, :6] @ self.twist for J in self.J_sockets])

    def _drift(self) -> np.ndarray:
        """What is missing between sockets and tips when nothing accelerates."""
        zero = np.zeros(self.model.nv)
        pin.forwardKinematics(self.model, self.data, self.q, self.v, zero)
        frames = zip(self.tips, self.sockets, strict=True)
        return np.array([self._point(tip) - self._point(socket) for tip, socket in frames])

    def _point(self, frame: int) -> np.ndarray:
        aligned = pin.LOCAL_WORLD_ALIGNED
        return pin.getFrameClassicalAcceleration(self.model, self.data, frame, aligned).linear

    def _free_flyer(self, acceleration: np.ndarray) -> np.ndarray:
        """Spatial acceleration of the platform joint from the classical one."""
        linear = acceleration[:3] - np.cross(self.twist[3:], self.twist[:3])
        return np.concatenate([linear, acceleration[3:]])

    def _constraints(self) -> np.ndarray:
        pairs = zip(self.J_tips, self.J_sockets, strict=True)
        return np.concatenate([tip - socket for tip, socket in pairs])

    def _actuators(self) -> np.ndarray:
        result = np.zeros((self.model.nv, 6))
        for k in range(6):
            result[self._columns(k)[2], k] = 1.0
        return result

    def _other_forces(self, wrench: np.ndarray) -> np.ndarray:
        """Generalized forces of the external wrench and of friction."""
        result = np.zeros(self.model.nv)
        result[:3] = self.R @ wrench[:3]
        result[3:6] = self.R @ wrench[3:]
        for k, leg in enumerate(self.platform.legs):
            columns = self._columns(k)
            first, second, _ = self.axes[k]
            w = first * self.v[columns[0]] + second * self.v[columns[1]]
            drag = leg.friction.spherical * (w - self.twist[3:])
            on_leg = -leg.friction.universal * w - drag
            result[columns[0]] += on_leg @ first
            result[columns[1]] += on_leg @ second
            result[columns[2]] -= leg.friction.prismatic * self.v[columns[2]]
            result[3:6] += drag
        return result

    def inverse(self, acceleration: np.ndarray, wrench: np.ndarray) -> Solution:
        top = self._free_flyer(acceleration)
        tips = [J[:, :6] @ top - self.drift[k] for k, J in enumerate(self.J_sockets)]
        a = self._spread(top, tips)
        need = pin.rnea(self.model, self.data, self.q, self.v, a) - self._other_forces(wrench)
        system = np.column_stack([self._constraints().T, self._actuators()])
        unknown = np.linalg.solve(system, need)
        spherical = unknown[:18].reshape(6, 3)
        return Solution(unknown[18:], spherical, *self._transmitted(a, spherical))

    def _transmitted(self, a: np.ndarray, spherical: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Wrenches through the first joint and through the slider of every leg."""
        forces = pin.StdVec_Force()
        for _ in range(self.model.njoints):
            forces.append(pin.Force.Zero())
        for k, leg in enumerate(self.platform.legs):
            S = self.model.frames[self.tips[k]].placement.translation
            columns = self._columns(k)
            first, second, _ = self.axes[k]
            w = first * self.v[columns[0]] + second * self.v[columns[1]]
            drag = leg.friction.spherical * (w - self.twist[3:])
            forces[self.joints[k][2]] = pin.Force(spherical[k], np.cross(S, spherical[k]) - drag)
        pin.rnea(self.model, self.data, self.q, self.v, a, forces)
        base = np.array([self.data.f[first].vector for first, _, _ in self.joints])
        slider = np.array([self.data.f[slider].vector for _, _, slider in self.joints])
        return base, slider

    def forward(self, force: np.ndarray, wrench: np.ndarray) -> np.ndarray:
        """Acceleration of the platform from the constrained equations of motion."""
        M = pin.crba(self.model, self.data, self.q)
        M = np.triu(M) + np.triu(M, 1).T
        bias = pin.nonLinearEffects(self.model, self.data, self.q, self.v)
        C = self._constraints()
        n = self.model.nv
        system = np.block([[M, -C.T], [C, np.zeros((18, 18))]])
        applied = self._actuators() @ force + self._other_forces(wrench) - bias
        right = np.concatenate([applied, -self.drift.ravel()])
        top = np.linalg.solve(system, right)[:n][:6]
        linear = top[:3] + np.cross(self.twist[3:], self.twist[:3])
        return np.concatenate([linear, top[3:]])
