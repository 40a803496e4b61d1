"""Everything about a parallel robot in one state."""

from __future__ import annotations

import numpy as np

from linkwork.analysis.leg_places import Places, places_of
from linkwork.errors import LinkworkError
from linkwork.interface.parallel import ParallelRobot
from linkwork.interface.parallel_conditioning import condition, radius, scaled
from linkwork.interface.results import ParallelReactions
from linkwork.interface.robot import Array
from linkwork.interface.singularity import grade_of
from linkwork.robots.parallel import COORDINATES
from linkwork.rotations import angles_rpy, quaternion_of, rotation_of, rotation_rpy
from linkwork.studio.probe import Probe
from linkwork.studio.reading import ParallelReading, Reaction, Singularity, State
from linkwork.studio.singularity import PARALLEL, mechanism_singularities

KINDS = ("joint", "platform joint")


class ParallelProbe(Probe):
    """Reads efforts, reactions, limits and all singularities of a parallel robot."""

    carrier = "Actuator"
    effort_title = "Actuator efforts"

    def __init__(self, robot: ParallelRobot) -> None:
        super().__init__(robot)
        self.robot: ParallelRobot = robot
        self.length = radius(robot)
        self._owner = self._owners()
        if not robot.determinate:
            self.remark = "left out: what depends on the elasticity of links (overconstrained robot)"

    def _owners(self) -> dict[str, int]:
        """Which effort is coloured for a joint: its own, or that of the first motor of its leg."""
        numbers: dict[str, int] = {}
        first = 0
        for leg in self.robot.model.legs:
            driven = [joint.name for joint in leg.joints if joint.actuated]
            numbers |= {joint.name: first if driven else -1 for joint in leg.joints}
            numbers |= {name: first + k for k, name in enumerate(driven)}
            first += len(driven)
        return {**numbers, **{name: k for k, name in enumerate(self.efforts.names)}}

    def number(self, name: str) -> int:
        return self._owner[name]

    def read(self, state: State, wrench: Array | None = None) -> ParallelReading:
        effort, reactions, fault = self.dynamics(state, wrench)
        measured = self.measured(state, effort)
        try:
            places = places_of(self.robot, state.position[None])
        except LinkworkError:  # out of reach: the fault tells
            places = None
        first, *others = mechanism_singularities(self.robot, state.position)
        return ParallelReading(
            state=state,
            effort=effort,
            singularity=first,
            others=tuple(others),
            broken_limits=self.broken(measured),
            reactions=() if places is None or reactions is None else self._reactions(reactions, places),
            fault=fault,
            measured=measured,
            places=places,
        )

    def jacobians(self, positions: Array) -> Array:
        return self.robot.jacobians(positions, errors="nan").Jx

    def singularity(self, J: Array) -> Singularity:
        found = float(condition(scaled(self.robot, J, None)))
        return Singularity(found, grade_of(found), "", PARALLEL)

    def handle(self, position: Array) -> Array:
        """Of an impossible position: where the platform would be, parasitic coordinates as at home."""
        still = np.zeros(self.freedom)
        pose = self.robot.joints(position, still, still, errors="nan").pose
        result = np.eye(4)
        if np.isfinite(pose).all():
            result[:3, :3], result[:3, 3] = rotation_of(pose), pose[:3]
        elif self.robot.coordinates.is_pose:
            result[:3, :3], result[:3, 3] = rotation_of(position), position[:3]
        else:
            six = self.robot.model.home.copy()
            six[list(self.robot.model.independent)] = position
            result[:3, :3], result[:3, 3] = rotation_rpy(*six[3:]), six[:3]
        return result

    def dragged(self, position: Array, target: Array, turn: bool) -> Array:
        """The coordinates of the target; what the robot cannot follow is left alone."""
        if self.robot.coordinates.is_pose:
            return np.concatenate([target[:3, 3], quaternion_of(target[:3, :3])])
        six = np.concatenate([target[:3, 3], angles_rpy(target[:3, :3])])
        return np.array([six[COORDINATES.index(name)] for name in self.robot.model.coordinates])

    def _reactions(self, found: ParallelReactions, places: Places) -> tuple[Reaction, ...]:
        """Those that statics determines. At the platform: of the leg on it."""
        joints = np.concatenate([leg.points[0, :-1] for leg in places.legs])
        tips = np.array([self._tip(k, places) for k in range(len(places.legs))])
        given = [
            (KINDS[0], self.robot.joint_names, joints, found.joint_force, found.joint_moment),
            (KINDS[1], self.robot.leg_names, tips, -found.closure_force, -found.closure_moment),
        ]
        result = []
        for kind, names, points, forces, moments in given:
            for name, point, force, moment in zip(names, points, forces, moments, strict=True):
                if np.isfinite([force, moment]).any():
                    result.append(Reaction(kind, name, point, _known(force), _known(moment)))
        return tuple(result)

    def _tip(self, k: int, places: Places) -> Array:
        """Where the wrench of a leg on the platform is given."""
        rigid = self.robot.model.legs[k].frame
        return np.asarray(places.pose[0, :3] if rigid else places.legs[k].points[0, -1])


def _known(vector: Array) -> Array:
    """The components that statics determines; the others are left out."""
    return np.nan_to_num(vector)
