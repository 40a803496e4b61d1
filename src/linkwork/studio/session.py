"""What one person has before them: robot, state, motion, clock, vibration. Knows nothing of a page."""

from __future__ import annotations

import copy
import time
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkwork.core.arguments import numbers
from linkwork.core.errors import InputError
from linkwork.kinematics.tool_placing import tool_pose
from linkwork.kinematics.user_frames import UserFrames
from linkwork.motion.trajectory import Motion
from linkwork.robot.results import Modes
from linkwork.robot.robot import Array, Robot
from linkwork.simulation import Simulation
from linkwork.studio.controls import (
    Control,
    controls_of,
    handle_freedoms,
    home_of,
    position_of,
    values_of,
)
from linkwork.studio.design import EditedRobot, interpreted
from linkwork.studio.links import LinkedView
from linkwork.studio.motion import MotionSeries, Playback, bundled_motions
from linkwork.studio.reading import MotionState, StateReading, read
from linkwork.studio.robot_file import RobotSource
from linkwork.studio.units import Units

AMPLITUDE = 0.06  # greatest way of a mode, of the robot's size
WAY = 201  # places of the tool on its way
STEPS_BACK = 100  # that can be undone
QUICK = 1.0  # seconds between moves of one drag
PERIOD = 1.0  # seconds, whatever the true frequency


class Vibration:
    """Modes of a robot with stiffness; `mode` is the one that moves, None for none."""

    def __init__(self, robot: Robot) -> None:
        self.robot: Any = robot  # one that has a `stiffness_field`
        self.mode: int | None = None
        self.time = 0.0
        self._known: tuple[Array, Array, Modes] | None = None

    def advance(self, seconds: float) -> bool:
        """Let real time pass; tells whether anything moved."""
        if self.mode is None:
            return False
        self.time = (self.time + seconds) % PERIOD
        return True

    def modes(self, position: Array, load: Array) -> Modes:
        """Where the robot stands, under its load; NaN where it is singular."""
        if self._known is None or self._known[0] is not position or self._known[1] is not load:
            under = {self.robot.wrench_option: load, "errors": "nan"}
            self._known = (position, load, self.robot.vibration_modes(position, **under))
        return self._known[2]

    def displaced(self, position: Array, load: Array) -> Array:
        """Where the mode has brought the robot by now."""
        if self.mode is None:
            return position
        shape = self.modes(position, load).shapes[:, self.mode]
        # A turn counts as the way at a typical distance.
        turning = ["rad" in unit for unit in self.robot.velocities.units]
        ways = np.abs(shape) * np.where(turning, self.robot.length_scale, 1.0)
        if not ways.max() > 0:
            return position
        way = AMPLITUDE * self.robot.size / ways.max() * np.sin(2 * np.pi * self.time / PERIOD)
        return self.robot.coordinates.moved(position, way * shape)


class Session:
    """State and computed forces of one robot, moved by sliders, by hand or along a motion."""

    def __init__(self, source: RobotSource) -> None:
        self.source = source
        self._before: list[tuple[MotionState, EditedRobot, str, float]] = []
        self._way: tuple[tuple[Motion | None, Simulation | None], Array] | None = None
        self.units = Units.of(source.robot)
        self.load = np.zeros(6)
        self.frames = UserFrames()
        self.series: MotionSeries | None = None
        self.simulation: Simulation | None = None
        self._take(source.robot)
        self.state = MotionState.at_rest(home_of(self.robot), self.robot.dof)
        self.forget_motion()

    def _take(self, robot: Robot) -> None:
        self.design = EditedRobot(robot)
        self.version, self._before = self.source.version, []
        self.measure_in(self.units)
        self.choices = bundled_motions(robot)
        self.vibration: Vibration | None = None
        still = np.zeros((1, robot.dof))
        at_home = robot.quantities(robot.home[None], still, np.zeros((1, robot.n)))
        self.has_limits = any(what.bounded for what in at_home)

    def measure_in(self, units: Units) -> None:
        """Show sliders and readings in these units."""
        self.units = units
        self.controls: tuple[Control, ...] = controls_of(self.robot, units)
        self.series = None

    @property
    def robot(self) -> Robot:
        return self.design.robot

    @property
    def moves_joints(self) -> bool:
        """Whether sliders are those of the motors, and the tool follows."""
        return self.robot.moved_by_motors

    @property
    def turns_tool(self) -> bool:
        """Whether the tool has a rotation of its own to be dragged by."""
        return any(handle_freedoms(self.robot).turns)

    # The robot

    def reload(self) -> None:
        """Take the robot of the file anew; keep the pose if it still fits."""
        position = self.state.position
        self._take(self.source.robot)
        if len(position) != len(home_of(self.robot)):
            position = home_of(self.robot)
        self.state = MotionState.at_rest(position, self.robot.dof)
        self.forget_motion()

    def design_changed(self) -> None:
        """After an edit: the same state with the new numbers. Plots of the old ones are gone."""
        self.series = None
        self.simulation = None
        self.vibration = None

    # The state

    def read(self) -> StateReading:
        """Forces, reactions, limits and conditioning now."""
        return read(self.robot, self.state, self.load if self.load.any() else None)

    @property
    def values(self) -> Array:
        """What the sliders show."""
        return values_of(self.robot, self.state.position, self.units)

    def move(self, values: ArrayLike) -> None:
        """To the values of the sliders, at rest."""
        wanted = numbers(values, "values")
        if wanted.shape != (len(self.controls),):
            raise InputError(f"{wanted.size} values are given; {len(self.controls)} are needed.")
        self.place(position_of(self.robot, wanted, self.units))

    def place(self, position: Array) -> None:
        self.remember("place")
        self.state = MotionState.at_rest(position, self.robot.dof)

    def go_home(self) -> None:
        self.place(home_of(self.robot))

    @property
    def handle(self) -> Array:
        """The pose (4, 4) of what a person drags: the platform, or the tip of the arm."""
        return tool_pose(self.robot, self.state.position)

    def drag(self, target: Array, turn: bool = True) -> None:
        """Bring what is dragged to a pose (4, 4); an arm as near as its joints and limits allow."""
        self.place(self.robot.placed(self.state.position, target, turn))

    # Undoing

    def remember(self, what: str) -> None:
        """What is about to change can be undone; changes of one thing in quick succession are one."""
        now = time.monotonic()
        quick = self._before and self._before[-1][2] == what and now - self._before[-1][3] < QUICK
        state, design, *_ = self._before.pop() if quick else (self.state, copy.copy(self.design))
        self._before = [*self._before[1 - STEPS_BACK :], (state, design, what, now)]

    def undo(self) -> bool:
        """Back to before the last change; tells whether the design is another one."""
        if not self._before:
            raise InputError("there is nothing to undo.")
        state, design, *_ = self._before.pop()
        changed = design.robot is not self.robot
        self.state, self.design = state, design
        self.playback.playing = False
        if changed:
            self.design_changed()
        return changed

    # Vibration

    @property
    def has_stiffness(self) -> bool:
        """Whether the robot file gives the stiffness of every leg or joint."""
        name = self.robot.stiffness_field
        return name is not None and bool(np.isfinite(self.robot.field(name)).all())

    def find_vibration(self, stiffness: float | None) -> None:
        """Look at small vibrations; with one stiffness for all legs or joints, or that of the file."""
        name, before = self.robot.stiffness_field, self.vibration
        stiff = (
            self.robot
            if stiffness is None or name is None
            else self.robot.with_fields({name: stiffness})
        )
        self.vibration = Vibration(interpreted(stiff.model))
        if before is not None:
            self.vibration.mode = before.mode

    @property
    def moving(self) -> bool:
        return self.playback.playing or (self.vibration is not None and self.vibration.mode is not None)

    def advance(self, seconds: float) -> bool:
        """Let real time pass; tells whether anything moved."""
        if self.playback.advance(seconds):
            self.follow()
            return True
        return self.vibration is not None and self.vibration.advance(seconds)

    def drawn(self, reading: StateReading) -> StateReading:
        """The robot where a vibration has brought it, with the efforts of where it stands."""
        if self.vibration is None or self.vibration.mode is None or self.playback.playing:
            return reading
        place = self.vibration.displaced(self.state.position, self.load)
        there = read(self.robot, MotionState.at_rest(place, self.robot.dof))
        kept = {name: getattr(reading, name) for name in ("effort", "broken_limits", "margin")}
        return replace(there, **kept)

    # The motion

    def forget_motion(self) -> None:
        self.motion: Motion | None = None
        self.motion_name: str | None = None
        self.playback = Playback(1.0)
        self.series = None
        self.simulation = None

    def choose(self, motion: Motion, name: str) -> None:
        """Take a motion and stand at its start; its series are computed by whoever asks for them."""
        playback = replace(self.playback, duration=motion.duration, time=0.0, playing=False)
        self.forget_motion()
        self.motion, self.motion_name, self.playback = motion, name, playback
        self.follow()

    def follow(self) -> None:
        """Stand where the motion is now; with a simulation, where the simulated robot is."""
        if self.motion is None:
            return
        if self.simulation is not None:
            self.state = self._simulated()
        else:
            self.state = MotionState(*(np.array(part) for part in self.motion.at(self.playback.time)))

    @property
    def way(self) -> Array | None:
        """Positions along the motion, or its simulation; the same array until there is another."""
        key = (self.motion, self.simulation)
        if self.motion is None:
            return None
        if self._way is None or self._way[0] != key:
            if self.simulation is not None:
                few = np.linspace(0, len(self.simulation.time) - 1, WAY).astype(int)
                places = self.simulation.position[few]
            else:
                places = self.motion.at(np.linspace(0.0, self.motion.duration, WAY))[0]
            self._way = (key, np.asarray(places))
        return self._way[1]

    @property
    def ghost(self) -> Array | None:
        """Where the reference is while a simulation is shown."""
        if self.motion is None or self.simulation is None:
            return None
        return np.array(self.motion.at(self.playback.time)[0])

    def _simulated(self) -> MotionState:
        run = self.simulation
        assert run is not None
        k = min(int(np.searchsorted(run.time, self.playback.time)), len(run.time) - 1)
        position, velocity = run.position[k], run.velocity[k]
        acceleration = self.robot.forward_dynamics(position, velocity, run.effort[k], errors="nan")
        if not np.isfinite(acceleration).all():
            acceleration = np.zeros(self.robot.dof)
        return MotionState(position, velocity, acceleration)

    def present(self) -> dict[str, Array]:
        """The present state as a table of one row."""
        reading, efforts = self.read(), self.robot.efforts
        table = {"time [s]": np.array([self.playback.time if self.motion is not None else 0.0])}
        for control, value in zip(self.controls, self.values, strict=True):
            table[control.label] = np.array([value])
        for name, unit, value in zip(efforts.names, efforts.units, reading.effort, strict=True):
            table[f"{name} effort [{unit}]"] = np.array([value])
        return {**table, "condition number": np.array([reading.singularity.condition])}

    # Links

    def view(self, camera: tuple[float, ...] | None, dark: bool) -> LinkedView:
        return LinkedView(
            robot=self.source.name,
            position=tuple(float(x) for x in self.state.position),
            motion=self.motion_name,
            time=None if self.motion is None else self.playback.time,
            camera=camera,
            dark=dark,
        )

    def restore(self, view: LinkedView) -> None:
        """Position, motion and time of a link; an InputError if they are not of this robot."""
        if view.motion is not None:
            for choice in self.choices:
                if choice.name == view.motion:
                    self.choose(choice.make(), choice.name)
                    self.playback.seek(view.time or 0.0)
                    self.follow()
                    return
        if view.position is not None:
            position = np.array(view.position)
            if position.shape != self.state.position.shape:
                raise InputError(
                    f"the link gives {len(position)} numbers for the position of {self.robot.name}; "
                    f"it has {len(self.state.position)}."
                )
            unit = self.robot.coordinates.normalized(position)
            if np.abs(unit - position).max() > 1e-3:
                raise InputError("the link gives an orientation that is none; copy it again.")
            self.place(unit)
