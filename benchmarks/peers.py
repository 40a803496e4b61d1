"""The same arm in the engines that users know."""

from __future__ import annotations

import mujoco
import numpy as np
import pinocchio as pin
from roboticstoolbox import DHRobot, PrismaticDH, RevoluteDH

from linkwork.model.families.arm import ArmModel
from tests.oracles.mujoco_arm import mujoco_model
from tests.oracles.pinocchio_arm import PinocchioArm


class Peers:
    """Pinocchio, MuJoCo and Robotics Toolbox models of one arm, and a batch of states for them."""

    def __init__(self, model: ArmModel, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> None:
        self.pinocchio = PinocchioArm(model)
        self.columns = [np.asfortranarray(x.T) for x in (q, qd, qdd)]
        self.result = np.zeros((model.n, len(q)), order="F")
        self.mujoco = mujoco_model(model)
        self.mujoco_data = mujoco.MjData(self.mujoco)
        self.rows = q, qd, qdd
        self.pools: dict[int, pin.ModelPool] = {}

    def pool(self, threads: int) -> pin.ModelPool:
        if threads not in self.pools:
            self.pools[threads] = pin.ModelPool(self.pinocchio.model, threads)
        return self.pools[threads]

    def rnea_in_parallel(self, threads: int) -> None:
        pin.rneaInParallel(threads, self.pool(threads), *self.columns, self.result)

    def aba_in_parallel(self, threads: int) -> None:
        pin.abaInParallel(threads, self.pool(threads), *self.columns, self.result)

    def pin_loop(self, function) -> None:
        for state in zip(*self.rows, strict=True):
            function(self.pinocchio.model, self.pinocchio.data, *state)

    def crba_loop(self) -> None:
        for q in self.rows[0]:
            pin.crba(self.pinocchio.model, self.pinocchio.data, q)

    def mujoco_loop(self, function, acceleration: bool) -> None:
        data = self.mujoco_data
        last = data.qacc if acceleration else data.qfrc_applied
        for q, qd, x in zip(*self.rows, strict=True):
            data.qpos[:] = q
            data.qvel[:] = qd
            last[:] = x
            function(self.mujoco, data)


def toolbox_arm(model: ArmModel) -> DHRobot:
    """Robotics Toolbox arm from standard Denavit-Hartenberg joints."""
    links = []
    for joint in model.joints:
        after = joint.after
        common = {
            "a": after.p[0],
            "alpha": np.arctan2(after.R[2, 1], after.R[2, 2]),
            "m": joint.body.mass,
            "r": joint.body.center_of_mass,
            "I": joint.body.inertia,
            "Jm": 0,
            "G": 1,
        }
        if joint.is_revolute:
            links.append(RevoluteDH(d=after.p[2], **common))
        else:
            links.append(PrismaticDH(theta=0, **common))
    return DHRobot(links, gravity=-np.array(model.gravity))
