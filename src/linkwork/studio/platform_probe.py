"""Everything about a Stewart platform in one state."""

from __future__ import annotations

import numpy as np

from linkwork.errors import LinkworkError
from linkwork.interface.limits import LimitBreak
from linkwork.interface.platform import Platform
from linkwork.interface.platform_diagnosis import columns_of
from linkwork.interface.results import JointReactions
from linkwork.interface.robot import Array
from linkwork.rotations import rotation_of
from linkwork.studio.reading import PlatformReading, Reaction, Singularity, State, Trouble
from linkwork.studio.singularity import platform_singularity

KINDS = ("platform joint", "base joint", "slider")


class PlatformProbe:
    """Reads forces, reactions, limits and conditioning of a platform."""

    def __init__(self, robot: Platform) -> None:
        self.robot = robot
        self.freedom = 6
        points = robot.model.points()[1]
        self.length = float(np.sqrt((points**2).sum(axis=1).mean()))
        self.effort_names = robot.leg_names
        self.effort_units = ("N",) * 6
        self.is_limited = any(
            bound is not None for leg in robot.model.legs for bound in vars(leg.limits).values()
        )
        self.allowed = np.array(
            [np.inf if leg.limits.force is None else leg.limits.force for leg in robot.model.legs]
        )

    def read(self, state: State, wrench: Array | None = None) -> PlatformReading:
        model, robot = self.robot.model, self.robot
        H, lengths, _ = columns_of(model, state.position)
        rotation = rotation_of(state.position)
        lower, points = model.points()
        upper = points @ rotation.T + state.position[:3]
        fault: str | None = None
        effort = np.full(6, np.nan)
        reactions: tuple[Reaction, ...] = ()
        motion = (state.position, state.rate, state.acceleration)
        try:
            effort = robot.inverse_dynamics(*motion, wrench)
            reactions = self._reactions(robot.joint_reactions(*motion, wrench), lower, upper)
        except LinkworkError as error:
            fault = str(error)
        return PlatformReading(
            state=state,
            effort=effort,
            singularity=self.singularity(H.T),
            troubles=self._troubles(state, effort),
            reactions=reactions,
            fault=fault,
            lengths=lengths,
            lower=lower,
            upper=upper,
            rotation=rotation,
        )

    def singularity(self, J: Array) -> Singularity:
        return platform_singularity(J, self.length)

    def _troubles(self, state: State, effort: Array) -> tuple[Trouble, ...]:
        if not self.is_limited:
            return ()
        force = effort if np.isfinite(effort).all() else None
        try:
            report = self.robot.check_limits(state.position, state.rate, effort=force)
        except LinkworkError:  # no such pose: the fault of the reading tells
            return ()
        return tuple(self._trouble(found) for found in report.breaks)

    def _trouble(self, found: LimitBreak) -> Trouble:
        index = self.robot.leg_names.index(found.name)
        side = "below" if found.value < found.allowed else "above"
        unit = found.unit
        value, allowed = found.value, found.allowed
        if unit == "rad":
            unit, value, allowed = "deg", np.degrees(value), np.degrees(allowed)
        what = found.limit.replace("_", " ")
        text = f"{found.name}: {what} {value:.4g} {unit}, {side} {allowed:.4g} {unit}"
        return Trouble(index, found.limit, text)

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
