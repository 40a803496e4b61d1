"""Everything about a serial arm in one state."""

from __future__ import annotations

import numpy as np

from linkwork.interface.arm import Arm
from linkwork.interface.modes import Modes
from linkwork.interface.results import JointWrenches
from linkwork.interface.robot import Array
from linkwork.studio.probe import Probe
from linkwork.studio.reading import ArmReading, Reaction, Singularity, State
from linkwork.studio.singularity import arm_singularity

KINDS = ("joint",)


class ArmProbe(Probe):
    """Reads torques, reactions, limits and conditioning of an arm."""

    is_arm = True
    carrier = "Joint"
    effort_title = "Joint torques"
    moved = "Joints"
    loaded = "Of the tip on its surroundings, at the tip and in its axes."
    stiffness_field = "links.stiffness"

    def __init__(self, robot: Arm) -> None:
        super().__init__(robot)
        self.robot: Arm = robot
        joints = robot.model.joints
        self._before = np.array([joint.before.matrix() for joint in joints])
        self._axes = np.array([joint.axis for joint in joints])
        self.length = self._reach()

    def _reach(self) -> float:
        """Half the way along the links of the stretched arm [m]."""
        joints = self.robot.model.joints
        way = sum(float(np.linalg.norm(j.before.p) + np.linalg.norm(j.after.p)) for j in joints)
        slides = sum(abs(x) for j in joints if not j.is_revolute for x in j.limits.position or (0.0,))
        return max((way + slides) / 2, 1e-3)

    def read(self, state: State, wrench: Array | None = None) -> ArmReading:
        robot, q = self.robot, state.position
        frames = robot.link_frames(q)
        previous = np.concatenate([np.eye(4)[None], frames[:-1]])
        seats = previous @ self._before
        effort, reactions, fault = self.dynamics(state, wrench)
        measured = self.measured(state, effort)
        return ArmReading(
            state=state,
            effort=effort,
            singularity=self.singularity(robot.jacobian(q)),
            broken_limits=self.broken(measured),
            reactions=() if reactions is None else self._reactions(reactions, frames, seats),
            fault=fault,
            measured=measured,
            frames=frames,
            origins=seats[:, :3, 3],
            axes=np.einsum("kij,kj->ki", seats[:, :3, :3], self._axes),
        )

    def conditions(self, positions: Array) -> Array:
        matrices = self.robot.jacobian(positions, errors="nan")
        return np.array([self.singularity(J).condition for J in matrices])

    def modes(self, position: Array, wrench: Array) -> Modes:
        return self.robot.natural_frequencies(position, tip_wrench=wrench, errors="nan")

    def handle(self, position: Array) -> Array:
        return self.robot.forward_kinematics(position)

    def dragged(self, position: Array, target: Array, turn: bool) -> Array:
        mask = None if turn else (True, True, True, False, False, False)
        return self.robot.inverse_kinematics(target, position, mask=mask, restarts=0).q

    def singularity(self, J: Array) -> Singularity:
        return arm_singularity(J, self.robot.joint_names, self.length)

    def _reactions(self, found: JointWrenches, frames: Array, seats: Array) -> tuple[Reaction, ...]:
        forces, moments = (np.einsum("kij,kj->ki", frames[:, :3, :3], part) for part in found)
        return tuple(
            Reaction(KINDS[0], name, seats[k, :3, 3], forces[k], moments[k])
            for k, name in enumerate(self.robot.joint_names)
        )
