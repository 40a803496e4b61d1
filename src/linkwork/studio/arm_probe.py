"""Everything about a serial arm in one state."""

from __future__ import annotations

import numpy as np

from linkwork.errors import LinkworkError
from linkwork.interface.arm import Arm
from linkwork.interface.robot import Array
from linkwork.robots.arm import Joint
from linkwork.studio.reading import ArmReading, Reaction, Singularity, State, Trouble
from linkwork.studio.singularity import arm_singularity

KINDS = ("joint",)


class ArmProbe:
    """Reads torques, reactions, limits and conditioning of an arm."""

    def __init__(self, robot: Arm) -> None:
        self.robot = robot
        self.freedom = robot.n
        self.effort_names = robot.joint_names
        joints = robot.model.joints
        self.effort_units = tuple("N m" if joint.is_revolute else "N" for joint in joints)
        self.allowed = np.array(
            [np.inf if joint.limits.effort is None else joint.limits.effort for joint in joints]
        )
        self._before = np.array([joint.before.matrix() for joint in joints])
        self._axes = np.array([joint.axis for joint in joints])
        self.length = self._reach()

    def _reach(self) -> float:
        """A length typical of the arm: half the way along its links when stretched [m]."""
        joints = self.robot.model.joints
        way = sum(float(np.linalg.norm(j.before.p) + np.linalg.norm(j.after.p)) for j in joints)
        slides = sum(abs(x) for j in joints if not j.is_revolute for x in j.limits.position or (0.0,))
        return max((way + slides) / 2, 1e-3)

    def read(self, state: State, wrench: Array | None = None) -> ArmReading:
        robot, q = self.robot, state.position
        frames = robot.link_frames(q)
        previous = np.concatenate([np.eye(4)[None], frames[:-1]])
        seats = previous @ self._before
        motion = (q, state.rate, state.acceleration)
        fault: str | None = None
        effort = np.full(robot.n, np.nan)
        reactions: tuple[Reaction, ...] = ()
        try:
            effort = robot.inverse_dynamics(*motion, tip_wrench=wrench)
            wrenches = robot.joint_wrenches(*motion, tip_wrench=wrench)
            reactions = self._reactions(wrenches, frames, seats)
        except LinkworkError as error:
            fault = str(error)
        return ArmReading(
            state=state,
            effort=effort,
            singularity=self.singularity(robot.jacobian(q)),
            troubles=self._troubles(state, effort),
            reactions=reactions,
            fault=fault,
            frames=frames,
            origins=seats[:, :3, 3],
            axes=np.einsum("kij,kj->ki", seats[:, :3, :3], self._axes),
        )

    def singularity(self, J: Array) -> Singularity:
        return arm_singularity(J, self.robot.joint_names, self.length)

    def _reactions(self, wrenches: Array, frames: Array, seats: Array) -> tuple[Reaction, ...]:
        forces = np.einsum("kij,kj->ki", frames[:, :3, :3], wrenches[:, :3])
        moments = np.einsum("kij,kj->ki", frames[:, :3, :3], wrenches[:, 3:])
        return tuple(
            Reaction(KINDS[0], name, seats[k, :3, 3], forces[k], moments[k])
            for k, name in enumerate(self.robot.joint_names)
        )

    def _troubles(self, state: State, effort: Array) -> tuple[Trouble, ...]:
        found = []
        for k, joint in enumerate(self.robot.model.joints):
            for limit, value, low, high in _measured(joint, state, effort, k):
                if not low <= value <= high and np.isfinite(value):
                    found.append(Trouble(k, limit, _sentence(joint, limit, value, low, high)))
        return tuple(found)


def _measured(
    joint: Joint, state: State, effort: Array, k: int
) -> list[tuple[str, float, float, float]]:
    limits = joint.limits
    low, high = limits.position or (-np.inf, np.inf)
    fast, strong = limits.velocity or np.inf, limits.effort or np.inf
    return [
        ("position", float(state.position[k]), low, high),
        ("velocity", abs(float(state.rate[k])), 0.0, fast),
        ("effort", abs(float(effort[k])), 0.0, strong),
    ]


def _sentence(joint: Joint, limit: str, value: float, low: float, high: float) -> str:
    side, allowed = ("below", low) if value < low else ("above", high)
    turns = joint.is_revolute
    unit = {
        "position": "deg" if turns else "m",
        "velocity": "deg/s" if turns else "m/s",
        "effort": "N m" if turns else "N",
    }[limit]
    if unit.startswith("deg"):
        value, allowed = np.degrees(value), np.degrees(allowed)
    return f"{joint.name}: {limit} {value:.4g} {unit}, {side} {allowed:.4g} {unit}"
