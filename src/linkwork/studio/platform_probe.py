"""Everything about a Stewart platform in one state."""

from __future__ import annotations

import numpy as np

from linkwork.interface.modes import Modes
from linkwork.interface.platform import Platform
from linkwork.interface.platform_diagnosis import columns_of
from linkwork.interface.results import JointReactions
from linkwork.interface.robot import Array
from linkwork.rotations import quaternion_of, rotation_of
from linkwork.studio.probe import Probe
from linkwork.studio.reading import PlatformReading, Reaction, Singularity, State
from linkwork.studio.singularity import platform_singularity

KINDS = ("platform joint", "base joint", "slider")


class PlatformProbe(Probe):
    """Reads forces, reactions, limits and conditioning of a platform."""

    stiffness_field = "legs.stiffness"
    has_workspace = True

    def __init__(self, robot: Platform) -> None:
        super().__init__(robot)
        self.robot: Platform = robot
        points = robot.model.points()[1]
        self.length = float(np.sqrt((points**2).sum(axis=1).mean()))

    def read(self, state: State, wrench: Array | None = None) -> PlatformReading:
        model = self.robot.model
        H, lengths, _ = columns_of(model, state.position)
        rotation = rotation_of(state.position)
        lower, points = model.points()
        upper = points @ rotation.T + state.position[:3]
        effort, reactions, fault = self.dynamics(state, wrench)
        measured = self.measured(state, effort)
        return PlatformReading(
            state=state,
            effort=effort,
            singularity=self.singularity(H.T),
            broken_limits=self.broken(measured),
            reactions=() if reactions is None else self._reactions(reactions, lower, upper),
            fault=fault,
            measured=measured,
            lengths=lengths,
            lower=lower,
            upper=upper,
            rotation=rotation,
        )

    def conditions(self, positions: Array) -> Array:
        matrices = self.robot.jacobian(positions, errors="nan")
        return np.array([self.singularity(J).condition for J in matrices])

    def modes(self, position: Array, wrench: Array) -> Modes:
        return self.robot.natural_frequencies(position, wrench, errors="nan")

    def handle(self, position: Array) -> Array:
        result = np.eye(4)
        result[:3, :3] = rotation_of(position)
        result[:3, 3] = position[:3]
        return result

    def dragged(self, position: Array, target: Array, turn: bool) -> Array:
        return np.concatenate([target[:3, 3], quaternion_of(target[:3, :3])])

    def singularity(self, J: Array) -> Singularity:
        return platform_singularity(J, self.length)

    def _reactions(self, found: JointReactions, lower: Array, upper: Array) -> tuple[Reaction, ...]:
        # Of the leg on platform and base, so that the arrows of a pushing leg stand clear of it; in the
        # slider, of the lower part on the upper one.
        none = np.zeros(3)
        middle = (lower + upper) / 2
        # About the base point as computed; about the point where the arrow stands as shown.
        sliding = found.prismatic_moment - np.cross(middle - lower, found.prismatic_force)
        result = []
        for k, name in enumerate(self.robot.leg_names):
            result += [
                Reaction(KINDS[0], name, upper[k], -found.spherical_force[k], none),
                Reaction(
                    KINDS[1], name, lower[k], -found.universal_force[k], -found.universal_moment[k]
                ),
                Reaction(KINDS[2], name, middle[k], found.prismatic_force[k], sliding[k]),
            ]
        return tuple(result)
