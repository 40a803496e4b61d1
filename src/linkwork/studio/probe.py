"""Everything about a robot in one state: efforts, reactions, limits, singularities."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.analysis.conditioning import condition_number
from linkwork.analysis.skeleton import body_frames
from linkwork.errors import LinkworkError
from linkwork.formatting import shown
from linkwork.interface.limits import LimitBreak, limit_report
from linkwork.interface.mechanism_names import only_body
from linkwork.interface.modes import Modes
from linkwork.interface.quantity import Quantity
from linkwork.interface.results import MechanismReactions
from linkwork.interface.robot import Array, Robot
from linkwork.interface.tool_placing import tool_pose
from linkwork.robots.mechanism import BASE, POSE
from linkwork.studio.reading import BrokenLimit, Reaction, Reading, State
from linkwork.studio.singularity import singularities

NAMES = {"N m": "torques", "N": "forces"}
LOADED = {
    "tip_wrench": "Of the tip on its surroundings, at the tip and in its axes.",
    "wrench": "On the tool, at its origin and in its axes.",
}
INDETERMINATE = "left out: what depends on the elasticity of links (overconstrained robot)"


class Probe:
    """Reads a robot in one state.

    `length` [m] is typical of the robot: a turn counts as the way at this distance.
    """

    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        self.freedom = len(robot.velocities)
        self.efforts = robot.efforts
        self.allowed = robot.limits.effort
        self.length = robot.length_scale
        still = np.zeros((1, self.freedom))
        at_home = robot.quantities(robot.home[None], still, np.zeros((1, robot.n)))
        self.has_limits = any(what.bounded for what in at_home)
        self._points = _reaction_points(robot)

    # What a page calls things

    @property
    def carrier(self) -> str:
        """What the efforts act on."""
        return self.robot.noun.capitalize()

    @property
    def effort_title(self) -> str:
        return f"{self.carrier} {NAMES.get(self.efforts.unit, 'efforts')}"

    @property
    def moved(self) -> str:
        """What sliders move."""
        body = only_body(self.robot.mechanism)
        if body is not None:
            return f"Pose of the {body}"
        return "Joints" if self.robot.moved_by_motors else "Coordinates"

    @property
    def loaded(self) -> str:
        """Where a load acts."""
        return LOADED[self.robot.wrench_option]

    @property
    def remark(self) -> str:
        """About the reactions."""
        return "" if self.robot.determinate else INDETERMINATE

    @property
    def has_workspace(self) -> bool:
        """Whether a surface can show where it ends: the tool's body is placed by coordinates."""
        return {*POSE[:3]} <= {*self.robot.coordinates.names}

    # What it tells

    def read(self, state: State, wrench: Array | None = None) -> Reading:
        """Everything about one state."""
        effort, reactions, fault = self.dynamics(state, wrench)
        measured = self.measured(state, effort)
        try:
            frames = body_frames(self.robot, state.position[None])[0]
        except LinkworkError:  # out of reach: the fault tells
            frames = None
        first, *others = singularities(self.robot, state.position)
        return Reading(
            state=state,
            effort=effort,
            singularity=first,
            others=tuple(others),
            broken_limits=self.broken(measured),
            reactions=() if frames is None or reactions is None else self._reactions(reactions, frames),
            fault=fault,
            measured=measured,
            frames=frames,
        )

    def conditions(self, positions: Array) -> Array:
        """Condition numbers along a motion (N,); NaN where there is none."""
        return condition_number(self.robot, positions)

    def handle(self, position: Array) -> Array:
        """The pose (4, 4) of what a person drags: the tool."""
        return tool_pose(self.robot, position)

    def dragged(self, position: Array, target: Array, turn: bool) -> Array:
        """The position that brings what is dragged to a pose (4, 4), as near as it can."""
        return self.robot.placed(position, target, turn)

    def modes(self, position: Array, wrench: Array) -> Modes:
        """Small vibrations under a load; NaN where there are none."""
        robot: Any = self.robot  # one that has a `stiffness_field`
        load = {robot.wrench_option: wrench}
        found: Modes = robot.natural_frequencies(position, **load, errors="nan")
        return found

    def dynamics(
        self, state: State, wrench: Array | None
    ) -> tuple[Array, MechanismReactions | None, str | None]:
        """Efforts, reactions, and why there are none."""
        motion = (state.position, state.velocity, state.acceleration)
        options: dict[str, Any] = {} if wrench is None else {self.robot.wrench_option: wrench}
        try:
            effort = self.robot.inverse_dynamics(*motion, **options)
            return effort, self.robot.reactions(*motion, wrench), None
        except LinkworkError as error:
            return np.full(self.robot.n, np.nan), None, str(error)

    def measured(self, state: State, effort: Array) -> tuple[Quantity, ...]:
        """Positions, velocities, efforts and angles with their limits, (1, n) each."""
        given = effort[None] if np.isfinite(effort).all() else None
        try:
            return self.robot.quantities(state.position[None], state.velocity[None], given)
        except LinkworkError:  # no such position: the fault of the reading tells
            return ()

    def broken(self, measured: tuple[Quantity, ...]) -> tuple[BrokenLimit, ...]:
        """Limits that the state breaks."""
        if not measured:
            return ()
        return tuple(self._sentence(found) for found in limit_report(measured, (1,), None).breaks)

    def _sentence(self, found: LimitBreak) -> BrokenLimit:
        side = "below" if found.value < found.allowed else "above"
        what = found.limit.replace("_", " ").replace("rate", "velocity")
        value, allowed = (
            shown(x, found.unit, self.robot.angle_unit) for x in (found.value, found.allowed)
        )
        text = f"{found.name}: {what} {value}, {side} {allowed}"
        # A passive joint has no effort of its own.
        names = self.efforts.names
        number = names.index(found.name) if found.name in names else -1
        return BrokenLimit(number, found.limit, text)

    def _reactions(self, found: MechanismReactions, frames: Array) -> tuple[Reaction, ...]:
        """Those that statics determines, at their points."""
        result = []
        for name, force, moment in zip(found.names, found.force, found.moment, strict=True):
            if not np.isfinite([force, moment]).any():
                continue
            kind, owner, ends = self._points[name]
            places = [frames[body, :, :3] @ at + frames[body, :, 3] for body, at in ends]
            force, moment = np.nan_to_num(force), np.nan_to_num(moment)
            place = np.mean(places, axis=0)
            moment = moment - np.cross(place - places[0], force)  # about where its arrow stands
            result.append(Reaction(kind, owner, place, force, moment))
        return tuple(result)


Ends = tuple[tuple[int, Array], ...]


def _reaction_points(robot: Robot) -> dict[str, tuple[str, str, Ends]]:
    """What a reaction is in words, whose it is, and one or two points of bodies, at home, that it is
    between; the moment is given about the first."""
    model = robot.mechanism
    number = {BASE: 0, **{name: k for k, name in enumerate(robot.bodies, 1)}}
    found: dict[str, tuple[str, str, Ends]] = {
        each.name: ("joint", each.name, ((number[each.joins[1]], each.at),)) for each in model.joints
    }
    for word, struts in (("rod", model.rods), ("cylinder", model.cylinders)):
        for strut in struts:
            a, b = (number[body] for body in strut.joins)
            start, end = (a, strut.start), (b, strut.end)
            found[f"{strut.name} start"] = f"{word} start", strut.name, (start,)
            found[f"{strut.name} end"] = f"{word} end", strut.name, (end,)
            found[f"{strut.name} slide"] = "slide", strut.name, (start, end)
    return found
