"""The data sheet of a machine: how it meets what a customer asked, in numbers, each from the one place
that computes it: margins and peaks from studies and sizing, excursions from the workspace."""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from pathlib import Path

import numpy as np

from linkwork.analysis.capability import (
    DIGITS,
    AxisCapability,
    Reach,
    capabilities,
    margins_of_states,
    rounded,
    share_of,
)
from linkwork.analysis.compliance import MARGIN, ComplianceLine, Sense, yes
from linkwork.analysis.requirements import (
    RequiredStates,
    Requirements,
    axes_of,
    is_elastic,
    read_requirements,
)
from linkwork.analysis.sizing import Sizing, size_actuators
from linkwork.analysis.stops import Stops, path_stops
from linkwork.analysis.study import Study
from linkwork.core.checked import checked
from linkwork.core.text import number
from linkwork.model.geometry import Body
from linkwork.model.mechanism import BASE
from linkwork.model.payloads import unloaded
from linkwork.motion.trajectory import Motion
from linkwork.robot.limits import LeastMargin
from linkwork.robot.loading import robot_of
from linkwork.robot.robot import Array, Robot


@dataclass(frozen=True, eq=False)
class FoundationLoad:
    """What acts on the foundation in one case: greatest magnitudes, and the greatest of every component,
    about the base's origin, base axes."""

    case: str
    force: float
    moment: float
    components: Array  # (6,) magnitudes
    where: str

    @classmethod
    def of(cls, case: str, loads: Array, where: str) -> FoundationLoad:
        """From loads (N, 6)."""
        force, moment = (
            float(np.linalg.norm(part, axis=1).max()) for part in np.split(loads, 2, axis=1)
        )
        return cls(case, force, moment, np.abs(loads).max(axis=0), where)


@dataclass(frozen=True, eq=False)
class Frequencies:
    """Natural frequencies [Hz] with motors held: at home (m,), and the lowest of all motions and
    required states (m,) by their order, with where the first is lowest."""

    home: Array
    lowest: Array
    where: str


@dataclass(frozen=True, eq=False)
class JointRange:
    """How far a joint without a motor goes over motions and required states [rad or m]: from home, or
    from its mounting axis."""

    name: str
    unit: str
    lowest: float
    highest: float
    limit: float | None


@dataclass(frozen=True, eq=False)
class DataSheet:
    """How a robot, with its payload, meets requirements. `of_file` is the robot without the payload."""

    of_file: Robot
    requirements: Requirements

    @cached_property
    def robot(self) -> Robot:
        """With the payload."""
        return self.requirements.loaded(self.of_file)

    @cached_property
    def bare(self) -> Robot:
        """Without the payload of its file too."""
        return robot_of(unloaded(self.of_file.model))

    @property
    def loads(self) -> dict[str, Body]:
        """Payloads, of the machine's file and of the requirements, in the axes of the tool."""
        own, asked = self.of_file.model.payload, self.requirements.payload
        found = {} if own is None else {"payload of the machine's file": own.body}
        if asked is not None:
            found["payload"] = Body.of(asked.mass, asked.center_of_mass, np.zeros((3, 3)))
        return found

    @cached_property
    def date(self) -> str:
        """Of the document."""
        return self.requirements.date or date.today().isoformat()

    @cached_property
    def title(self) -> str:
        return self.requirements.title or self.of_file.name

    @cached_property
    def motions(self) -> dict[str, Motion]:
        """All that must be followed, by their names; those of files without the ending."""
        asked = self.requirements
        stems = [Path(name).stem for name in asked.motions]
        names = stems if len({*stems}) == len(stems) else asked.motions
        motions = [asked.motion(self.robot, name) for name in asked.motions]
        return dict(zip(names, motions, strict=True))

    @cached_property
    def sizing(self) -> Sizing | None:
        """Actuators along the motions; None without motions."""
        if not self.motions:
            return None
        asked = self.requirements
        return size_actuators(self.robot, self.motions, period=asked.period, duty=asked.duty)

    @property
    def studies(self) -> tuple[Study, ...]:
        """Of the motions."""
        return () if self.sizing is None else self.sizing.studies

    @cached_property
    def states(self) -> RequiredStates:
        """That must be taken beside the motions, as far as the machine reaches them."""
        return self._required[0]

    @property
    def out_of_reach(self) -> tuple[str, ...]:
        """Required states that the machine does not reach, or in which it is singular."""
        return self._required[1]

    @cached_property
    def _required(self) -> tuple[RequiredStates, tuple[str, ...]]:
        asked, still = self.requirements.states(self.robot), np.zeros(self.robot.dof)
        found = self.robot.joint_motion(asked.position, still, still, errors="nan")
        state = (asked.position, asked.velocity, asked.acceleration)
        effort = self.robot.inverse_dynamics(*state, errors="nan")
        reached = np.asarray(np.isfinite(found.q).all(axis=-1) & np.isfinite(effort).all(axis=-1))
        return asked.chosen(reached), asked.chosen(~reached).labels

    @cached_property
    def capabilities(self) -> tuple[AxisCapability, ...]:
        """Of every axis alone, from home."""
        asked = self.requirements
        return capabilities(self.robot, asked.clearance, asked.leg_diameter)

    # The least of all, over motions and required states.

    @cached_property
    def state_margin(self) -> LeastMargin | None:
        """The least margin of all limits in the required states; `name` has which state it is."""
        if self.out_of_reach:
            return LeastMargin(-1.0, "reach", self.out_of_reach[0], 0)
        found = self.states
        margins, names = margins_of_states(
            self.robot, found.position, found.velocity, found.acceleration
        )
        if not margins.size or np.isinf(margins.min()):
            return None
        row, k = np.unravel_index(int(rounded(margins).argmin()), margins.shape)
        limit, _, name = names[k].partition(" of ")
        return LeastMargin(float(margins[row, k]), limit.replace(" ", "_"), name, int(row))

    @cached_property
    def margin(self) -> LeastMargin | None:
        """The least margin of all limits over all motions and required states."""
        found = [self.state_margin, None if self.sizing is None else self.sizing.margin]
        return min(
            (each for each in found if each is not None), key=lambda each: each.value, default=None
        )

    @cached_property
    def _all(self) -> tuple[Array, list[str]]:
        """Positions of all samples and required states, with where they are."""
        positions, places = [self.states.position], list(self.states.labels)
        for one in self.studies:
            positions.append(one.position)
            places += [f"{one.motion_name}, t = {number(time)} s" for time in one.time]
        return np.concatenate(positions), places

    @cached_property
    def condition(self) -> tuple[float, str]:
        """The greatest condition number, and where."""
        positions, places = self._all
        values = self.robot.condition_number(positions, errors="nan")
        k = int(np.nanargmax(values))
        return float(values[k]), places[k]

    def _least(self, measure: str) -> tuple[float, str]:
        """The least of a measure of a platform's poses, as sweeps have it, and where."""
        positions, places = self._all
        values, _ = self.robot.sweep_kernel(measure, ()).evaluate((positions,))
        k = int(np.asarray(values).argmin())
        return float(values[k]), places[k]

    @cached_property
    def frequencies(self) -> Frequencies | None:
        """None where a motor has no stiffness in the robot file."""
        if not is_elastic(self.robot):
            return None
        positions, places = self._all
        found = self.robot.vibration_modes(positions).frequencies  # type: ignore[attr-defined]
        at_home = self.robot.vibration_modes(self.robot.home).frequencies  # type: ignore[attr-defined]
        found = np.where(np.isnan(found), 0.0, found)  # an unstable direction does not swing
        return Frequencies(at_home, found.min(axis=0), places[int(found[:, 0].argmin())])

    @cached_property
    def actuators(self) -> tuple[tuple[float, float], ...]:
        """Lowest and highest position of every actuator over motions and required states."""
        found = self.robot.actuator_motion(self._all[0]).position
        return tuple(zip(found.min(axis=0).tolist(), found.max(axis=0).tolist(), strict=True))

    @cached_property
    def stroke(self) -> tuple[float, str]:
        """Of an actuator that serves everywhere: of legs, which are alike, from the shortest of all to
        the longest; of other robots that of the motor that goes farthest."""
        ends, names = np.array(self.actuators), self.robot.efforts.names
        if "leg_lengths" in self.robot.kernel_methods:
            low, high = int(ends[:, 0].round(DIGITS).argmin()), int(ends[:, 1].round(DIGITS).argmax())
            where = f"{names[low]} shortest, {names[high]} longest"
            return float(ends[high, 1] - ends[low, 0]), where
        k = int((ends[:, 1] - ends[:, 0]).round(DIGITS).argmax())
        return float(ends[k, 1] - ends[k, 0]), names[k]

    @cached_property
    def footprint(self) -> float:
        """Distance of the farthest joint of the base from its middle, seen from above [m]."""
        model = self.robot.mechanism
        at = [joint.at for joint in model.joints if BASE in joint.joins]
        for strut in model.struts:
            at += [
                end
                for end, body in ((strut.start, strut.joins[0]), (strut.end, strut.joins[1]))
                if body == BASE
            ]
        return float(np.linalg.norm(np.array(at)[:, :2], axis=1).max())

    @cached_property
    def joint_ranges(self) -> tuple[JointRange, ...]:
        """Angles of the legs of a platform from home, or how far joints without motors go."""
        robot, (positions, _) = self.robot, self._all
        if "leg_lengths" in robot.kernel_methods:
            found = robot.joint_angles(positions)  # type: ignore[attr-defined]
            rows = []
            for word in ("universal", "spherical"):
                values, limits = getattr(found, word), getattr(found, f"{word}_limit")
                for name, angles, limit in zip(robot.efforts.names, values.T, limits, strict=True):
                    bound = float(limit) if np.isfinite(limit) else None
                    ends = float(angles.min()), float(angles.max())
                    rows.append(JointRange(f"{name} {word}", "rad", *ends, bound))
            return tuple(rows)
        still = np.zeros(robot.dof)
        motion = robot.joint_motion(positions, still, still)
        ranges = []
        for k, each in enumerate(robot.elements):
            if not each.motor:
                turns = getattr(each, "is_revolute", False)
                values = motion.q[:, k]
                most = None if each.limits.position is None else max(map(abs, each.limits.position))
                ends = float(values.min()), float(values.max())
                ranges.append(JointRange(each.name, "rad" if turns else "m", *ends, most))
        for cone, angles in zip(robot.mechanism.cones, robot.cone_angles(positions).T, strict=True):
            tilted = f"{cone.name} from its mounting axis"
            ranges.append(
                JointRange(tilted, "rad", float(angles.min()), float(angles.max()), cone.angle)
            )
        return tuple(ranges)

    # Stops and the foundation.

    @cached_property
    def stops(self) -> Stops | None:
        """Simulated stops; None without motions."""
        if not self.studies:
            return None
        asked = self.requirements.stops
        return Stops(self.robot, asked, self.studies, tuple(self.motions.values()))

    @cached_property
    def foundation(self) -> tuple[FoundationLoad, ...]:
        """At rest in all required positions, along every motion, in stops along the path that begin
        anywhere in a motion, and in simulated stops."""
        still = np.zeros_like(self.states.velocity)
        rest = self.robot.foundation_load(self.states.position, still, still)
        found = [FoundationLoad.of("at rest", rest, "required positions")]
        for one in self.studies:
            state = (one.position, one.velocity, one.acceleration)
            found.append(
                FoundationLoad.of("motion", self.robot.foundation_load(*state), one.motion_name)
            )
        for case, duration in (
            ("normal stop", self.requirements.stops.normal),
            ("emergency stop", self.requirements.stops.emergency),
        ):
            for name, motion in self.motions.items():
                loads = self.robot.foundation_load(*path_stops(motion, duration))
                where = f"{name}, stopped in {number(duration)} s"
                found.append(FoundationLoad.of(case, loads, where))
        for stop in self.stops.simulated if self.stops is not None else ():
            where = f"{stop.onset.motion_name}, t = {number(stop.onset.time)} s"
            found.append(FoundationLoad.of(stop.case, stop.load, where))
        return tuple(found)

    # The matrix.

    @cached_property
    def compliance(self) -> tuple[ComplianceLine, ...]:
        """Every requirement, in the order of the file."""
        lines = [*self._of_axes(), *self._of_combinations(), *self._of_limits(), *self._of_bounds()]
        return (*lines, *self._of_stops(), *self._of_foundation())

    @property
    def met(self) -> bool:
        """Whether every requirement is."""
        return all(line.met for line in self.compliance)

    def _of_axes(self) -> list[ComplianceLine]:
        asked, units = self.requirements, axes_of(self.robot)
        of = {each.axis: each for each in self.capabilities}
        found = []
        for axis, ends in asked.excursions.items():
            sides = [
                _reached(f"excursion {axis}", abs(end), reach, units[axis], sign)
                for sign, end, reach in zip("−+", ends, of[axis].excursion, strict=True)
                if end
            ]
            found.append(min(sides, key=lambda line: round(line.margin, DIGITS)))
        for order, wanted in ((1, asked.velocities), (2, asked.accelerations)):
            word = ("velocity", "acceleration")[order - 1]
            for axis, most in wanted.items():
                reach = min(getattr(of[axis], word), key=lambda each: round(abs(each.value), DIGITS))
                unit = units[axis] + ("/s", "/s^2")[order - 1]
                sign = "−" if reach.value < 0 else "+"
                found.append(_reached(f"{word} {axis}", most, reach, unit, sign))
        return found

    def _of_combinations(self) -> list[ComplianceLine]:
        """Which share of the way to the corner that is nearest to a limit can be gone."""
        asked, found = self.requirements, []
        for combination in asked.combined:
            alone = Requirements(combined=(combination,))
            ways = [
                (share_of(self.robot, corner, asked.clearance, asked.leg_diameter), corner)
                for corner in alone.corners
            ]
            reach, corner = min(ways, key=lambda each: round(each[0].value, DIGITS))
            words = ", ".join(f"{axis} {self._shown(axis, far)}" for axis, far in corner.items())
            name = f"excursions {', '.join(combination)} combined"
            where = f"{reach.limit or 'no limit'} toward {words}"
            found.append(ComplianceLine(name, "at least", 1.0, reach.value, "", where))
        return found

    def _shown(self, axis: str, value: float) -> str:
        return self.requirements.shown(axis, value, self.robot)

    def _of_limits(self) -> list[ComplianceLine]:
        least, wanted = self.margin, self.requirements.margin
        found = []
        if least is not None:
            found.append(
                _margin_line("least margin of all limits", wanted, least, self._place_of(least))
            )
        for one in self.studies:
            if one.margin is not None:
                place = f"t = {number(one.margin.time)} s"
                found.append(_margin_line(f"margin along {one.motion_name}", wanted, one.margin, place))
        if self.sizing is not None:
            drives = [each for each in self.sizing.drives.demands if np.isfinite(each.margin)]
            if drives:
                worst = min(drives, key=lambda each: round(each.margin, DIGITS))
                motion = worst.margins[worst.limited_by][1]
                where = f"{worst.limited_by} of {worst.name}; {motion}"
                name = "least margin of all drives"
                found.append(_line(name, "at least", wanted, worst.margin, MARGIN, where))
        return found

    def _place_of(self, least: LeastMargin) -> str:
        """Where the least margin of all is."""
        if self.out_of_reach and least is self.state_margin:
            return "not reached, or singular"
        if least is self.state_margin:
            return self.states.labels[least.sample]
        name = next(one.motion_name for one in self.studies if one.margin is least)
        return f"{name}, t = {number(least.time)} s"

    def _of_bounds(self) -> list[ComplianceLine]:
        asked, found = self.requirements, []
        if asked.frequency is not None and self.frequencies is not None:
            lowest = float(self.frequencies.lowest[0])
            found.append(
                _line(
                    "lowest natural frequency",
                    "at least",
                    asked.frequency,
                    lowest,
                    "Hz",
                    self.frequencies.where,
                )
            )
        if asked.condition is not None:
            found.append(
                _line(
                    "condition number",
                    "at most",
                    asked.condition,
                    self.condition[0],
                    "",
                    self.condition[1],
                )
            )
        if asked.stroke is not None:
            unit = "m" if self.robot.efforts.units[0] == "N" else "rad"
            found.append(_line("stroke", "at most", asked.stroke, self.stroke[0], unit, self.stroke[1]))
        if asked.footprint is not None:
            found.append(
                _line("footprint radius", "at most", asked.footprint, self.footprint, "m", "base joints")
            )
        if asked.leg_diameter:
            nearest, where = self._least("leg_distance")
            found.append(
                _line("distance between legs", "at least", asked.leg_diameter, nearest, "m", where)
            )
        if asked.joint_spacing is not None:
            nearest, _ = self._least("joint_spacing")
            where = "base or platform"
            found.append(
                _line("distance between joints", "at least", asked.joint_spacing, nearest, "m", where)
            )
        return found

    def _of_stops(self) -> list[ComplianceLine]:
        asked = self.requirements.stops
        if self.stops is None:
            return []
        found = []
        stopped = [each for each in self.stops.simulated if each.case == "emergency stop"]
        for word, wanted in (("distance", asked.distance), ("time", asked.time)):
            if wanted is not None:
                pairs = [
                    (
                        each.distance
                        if word == "distance"
                        else np.inf
                        if each.rest is None
                        else each.rest,
                        each,
                    )
                    for each in stopped
                ]
                value, worst = max(pairs, key=lambda pair: pair[0])
                where = f"{worst.onset.motion_name}, t = {number(worst.onset.time)} s"
                unit = "m" if word == "distance" else "s"
                found.append(
                    _line(f"emergency stop, {word}", "at most", wanted, float(value), unit, where)
                )
        if asked.holds:
            powerless = [each for each in self.stops.simulated if each.case == "loss of power"]
            worst = next((each for each in powerless if not each.holds), powerless[0])
            found.append(yes("holds without power", worst.holds, worst.ended))
        return found

    def _of_foundation(self) -> list[ComplianceLine]:
        asked, found = self.requirements.foundation, []
        for word, unit in (("force", "N"), ("moment", "N m")):
            wanted = getattr(asked, word)
            if wanted is not None:
                worst = max(self.foundation, key=lambda each: getattr(each, word))
                where = f"{worst.case}, {worst.where}"
                found.append(
                    _line(
                        f"{word} on the foundation", "at most", wanted, getattr(worst, word), unit, where
                    )
                )
        return found


def _line(
    name: str, sense: Sense, required: float, achieved: float, unit: str, where: str
) -> ComplianceLine:
    return ComplianceLine(name, sense, required, achieved, unit, where)


def _reached(name: str, wanted: float, reach: Reach, unit: str, sign: str) -> ComplianceLine:
    where = f"{reach.limit or 'no limit'}, to {sign}"
    return _line(name, "at least", wanted, abs(reach.value), unit, where)


def _margin_line(name: str, wanted: float, least: LeastMargin, place: str) -> ComplianceLine:
    where = f"{least.limit.replace('_', ' ')} of {least.name}; {place}"
    return _line(name, "at least", wanted, least.value, MARGIN, where)


@checked
def datasheet(robot: Robot, requirements: Requirements | str | os.PathLike[str]) -> DataSheet:
    """The data sheet of a robot for requirements, or for the path of their file."""
    found = Robot.expect(robot, "datasheet")
    if not isinstance(requirements, Requirements):
        requirements = read_requirements(requirements, found)
    return DataSheet(found, requirements)
