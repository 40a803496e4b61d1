"""The Delta, whose file gives one rod for two, against a Delta with all six rods in Pinocchio.

Arms turn in the base and each carries two rods on universal joints, half a width apart; their six tips
are tied to a platform that is free to move and turn. Only real parallelograms keep it from turning.
"""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("pinocchio", reason="there is no Pinocchio for this system")

import pinocchio as pin

import linkwork as lw
from linkwork.analysis.agreement import random_states
from linkwork.model.robot_files import load_model, robot_document
from linkwork.studio.design import interpreted
from tests.oracles.placed_legs import placed

WIDTH = 0.131  # between the two rods of a parallelogram [m]
TOLERANCE = 1e-11


class SixRods:
    """Built at a configuration, where all joints stand at zero and all frames have base axes."""

    def __init__(self, robot: lw.ParallelRobot, c: np.ndarray) -> None:
        self.robot, still = robot, np.zeros(3)
        motion = robot.joints(c, still, still)
        at = placed(robot.model, motion.q, motion.pose)
        model = self.model = pin.Model()
        model.gravity.linear = np.array(robot.model.gravity)
        one = np.eye(3)
        top = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3(one, at.origin), "platform")
        body = at.platform
        model.appendBodyToJoint(
            top, pin.Inertia(body.mass, body.center_of_mass, body.inertia), pin.SE3.Identity()
        )
        self.arms, self.ties = [], []
        for k, leg in enumerate(at.legs):
            arm, cross, rod = leg.joints[:3]
            turning = self._body(0, np.zeros(3), arm.axis, arm.point, arm, f"arm {k}")
            self.arms.append(model.idx_vs[turning])
            along = leg.tip - rod.point
            for side in (-1, 1):
                shift = side * WIDTH / 2 * arm.axis
                knee, name = rod.point + shift, f"rod {k} {side}"
                yoke = model.addJoint(
                    turning,
                    pin.JointModelRevoluteUnaligned(cross.axis),
                    pin.SE3(one, knee - arm.point),
                    f"{name} cross",
                )
                half = pin.Inertia(rod.mass / 2, along / 2, rod.inertia / 2)
                other = np.cross(along, cross.axis)
                tilt = model.addJoint(
                    yoke,
                    pin.JointModelRevoluteUnaligned(other / np.linalg.norm(other)),
                    pin.SE3.Identity(),
                    name,
                )
                model.appendBodyToJoint(tilt, half, pin.SE3.Identity())
                self.ties.append(self._tie(tilt, along, top, leg.tip + shift - at.origin, name))
        self.data, self.q = model.createData(), pin.neutral(model)
        pin.computeJointJacobians(model, self.data, self.q)
        pin.updateFramePlacements(model, self.data)
        jacobians = [[self._jacobian(frame) for frame in tie] for tie in self.ties]
        self.C = np.vstack([tip - socket for tip, socket in jacobians])
        _, s, vt = np.linalg.svd(self.C)
        self.N = vt[int((s > 1e-9 * s[0]).sum()) :].T

    def _body(self, parent, before, axis, point, source, name) -> int:
        joint = self.model.addJoint(
            parent, pin.JointModelRevoluteUnaligned(axis), pin.SE3(np.eye(3), point - before), name
        )
        inertia = pin.Inertia(source.mass, source.center - point, source.inertia)
        self.model.appendBodyToJoint(joint, inertia, pin.SE3.Identity())
        return int(joint)

    def _tie(self, rod, tip, top, socket, name) -> tuple[int, int]:
        kind = pin.FrameType.OP_FRAME
        return tuple(
            self.model.addFrame(pin.Frame(f"{name} {word}", joint, pin.SE3(np.eye(3), place), kind))
            for word, joint, place in (("tip", rod, tip), ("socket", top, socket))
        )

    def _jacobian(self, frame: int) -> np.ndarray:
        return pin.getFrameJacobian(self.model, self.data, frame, pin.LOCAL_WORLD_ALIGNED)[:3]

    def _spread(self, top: np.ndarray, drift: np.ndarray) -> np.ndarray:
        """All velocities or accelerations from those of the platform."""
        rest, *_ = np.linalg.lstsq(self.C[:, 6:], -self.C[:, :6] @ top - drift, rcond=1e-12)
        found = np.concatenate([top, rest])
        assert np.abs(self.C @ found + drift).max() < 1e-9 * max(1.0, np.abs(found).max())
        return found

    def inverse(self, cd: np.ndarray, cdd: np.ndarray) -> np.ndarray:
        """Torques of the arms without friction; rotors as in the robot's file."""
        still = np.zeros(3)
        v = self._spread(np.concatenate([cd, still]), np.zeros(len(self.C)))
        pin.forwardKinematics(self.model, self.data, self.q, v, np.zeros(self.model.nv))
        classical = [
            [
                pin.getFrameClassicalAcceleration(
                    self.model, self.data, frame, pin.LOCAL_WORLD_ALIGNED
                ).linear
                for frame in tie
            ]
            for tie in self.ties
        ]
        drift = np.concatenate([tip - socket for tip, socket in classical])
        a = self._spread(np.concatenate([cdd, still]), drift)
        need = pin.rnea(self.model, self.data, self.q, v, a)
        need[self.arms] += [joint.rotor for joint in self.robot.model.actuators] * a[self.arms]
        S = np.eye(self.model.nv)[:, self.arms]
        return np.linalg.solve(self.N.T @ S, self.N.T @ need)


@pytest.mark.parametrize("seed", range(5))
def test_rods_side_by_side_and_one_for_both_are_exact(seed: int) -> None:
    robot, rng = lw.load_parallel("delta"), np.random.default_rng(seed)
    assert len(robot.mechanism.rods) == 6
    c = random_states(robot, 1, seed)[0][0]
    cd, cdd = rng.normal(size=3), 20 * rng.normal(size=3)
    oracle = SixRods(robot, c)
    assert oracle.N.shape[1] == 3  # the parallelograms leave x, y, z
    theirs = oracle.inverse(cd, cdd)
    ours = robot.inverse_dynamics(c, cd, cdd, friction=False)
    assert np.abs(ours - theirs).max() < TOLERANCE * np.abs(theirs).max()
    description = robot_document(robot.model)
    for leg in description["legs"]:
        del leg["joints"][1]["apart"]
    one = interpreted(load_model(description))
    assert len(one.mechanism.rods) == 3
    ours = one.inverse_dynamics(c, cd, cdd, friction=False)
    assert np.abs(ours - theirs).max() < TOLERANCE * np.abs(theirs).max()
