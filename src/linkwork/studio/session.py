"""What one person has before them: a robot, its state, a motion and a clock. Knows nothing of a page."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from linkwork.checks import numbers
from linkwork.errors import InputError
from linkwork.interface.robot import Array
from linkwork.interface.robot import Robot as Shown
from linkwork.motion.bundled import Motion
from linkwork.simulation import Simulation
from linkwork.studio.controls import Control, controls_of, home_of, position_of, values_of
from linkwork.studio.design import Design
from linkwork.studio.interpreted import interpreted
from linkwork.studio.links import View
from linkwork.studio.motions import bundled_motions
from linkwork.studio.playback import Playback
from linkwork.studio.probe import Probe
from linkwork.studio.reading import Reading, State
from linkwork.studio.series import Series
from linkwork.studio.source import RobotSource
from linkwork.studio.vibration import Vibration


class Session:
    """State and computed forces of one robot, moved by sliders, by hand or along a motion."""

    def __init__(self, source: RobotSource) -> None:
        self.source = source
        self.load = np.zeros(6)
        self.series: Series | None = None
        self.simulation: Simulation | None = None
        self._take(source.robot)
        self.state = State.at_rest(home_of(self.robot), self.probe.freedom)
        self.forget_motion()

    def _take(self, robot: Shown) -> None:
        self.design = Design(robot)
        self.version = self.source.version
        self.probe = Probe(robot)
        self.controls: tuple[Control, ...] = controls_of(robot)
        self.choices = bundled_motions(robot)
        self.vibration: Vibration | None = None

    @property
    def robot(self) -> Shown:
        return self.design.robot

    @property
    def has_limits(self) -> bool:
        """Whether the robot file gives any limit at all."""
        return self.probe.has_limits

    @property
    def moves_joints(self) -> bool:
        """Whether sliders are those of the motors, and the tool follows."""
        return self.robot.moved_by_motors

    # The robot

    def reload(self) -> None:
        """Take the robot of the file anew; keep the pose if it still fits."""
        position = self.state.position
        self._take(self.source.robot)
        if len(position) != len(home_of(self.robot)):
            position = home_of(self.robot)
        self.state = State.at_rest(position, self.probe.freedom)
        self.forget_motion()

    def design_changed(self) -> None:
        """After an edit: the same state with the new numbers. Plots of the old ones are gone."""
        self.probe = Probe(self.design.robot)
        self.series = None
        self.simulation = None
        self.vibration = None

    # The state

    def read(self) -> Reading:
        """Forces, reactions, limits and conditioning now."""
        return self.probe.read(self.state, self.load if self.load.any() else None)

    @property
    def values(self) -> Array:
        """What the sliders show."""
        return values_of(self.robot, self.state.position)

    def move(self, values: ArrayLike) -> None:
        """To the values of the sliders, at rest."""
        wanted = numbers(values, "values")
        if wanted.shape != (len(self.controls),):
            raise InputError(f"{wanted.size} values are given; {len(self.controls)} are needed.")
        self.place(position_of(self.robot, wanted))

    def place(self, position: Array) -> None:
        self.state = State.at_rest(position, self.probe.freedom)

    def go_home(self) -> None:
        self.place(home_of(self.robot))

    @property
    def handle(self) -> Array:
        """The pose (4, 4) of what a person drags: the platform, or the tip of the arm."""
        return self.probe.handle(self.state.position)

    def drag(self, target: Array, turn: bool = True) -> None:
        """Bring what is dragged to a pose (4, 4); an arm as near as its joints and limits allow."""
        self.place(self.probe.dragged(self.state.position, target, turn))

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
        self.vibration = Vibration(Probe(interpreted(stiff.model)))
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

    def drawn(self, reading: Reading) -> Reading:
        """The robot where a vibration has brought it, with the efforts of where it stands."""
        if self.vibration is None or self.vibration.mode is None or self.playback.playing:
            return reading
        place = self.vibration.displaced(self.state.position, self.load)
        there = self.probe.read(State.at_rest(place, self.probe.freedom))
        return replace(there, effort=reading.effort, broken_limits=reading.broken_limits)

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
            self.state = State(*(np.array(part) for part in self.motion.at(self.playback.time)))

    @property
    def ghost(self) -> Array | None:
        """Where the reference is while a simulation is shown."""
        if self.motion is None or self.simulation is None:
            return None
        return np.array(self.motion.at(self.playback.time)[0])

    def _simulated(self) -> State:
        run = self.simulation
        assert run is not None
        k = min(int(np.searchsorted(run.time, self.playback.time)), len(run.time) - 1)
        position, velocity = run.position[k], run.velocity[k]
        acceleration = self.robot.forward_dynamics(position, velocity, run.effort[k], errors="nan")
        if not np.isfinite(acceleration).all():
            acceleration = np.zeros(self.probe.freedom)
        return State(position, velocity, acceleration)

    def present(self) -> dict[str, Array]:
        """The present state as a table of one row."""
        reading, probe = self.read(), self.probe
        table = {"time [s]": np.array([self.playback.time if self.motion is not None else 0.0])}
        for control, value in zip(self.controls, self.values, strict=True):
            table[control.label] = np.array([value])
        efforts = probe.efforts
        for name, unit, value in zip(efforts.names, efforts.units, reading.effort, strict=True):
            table[f"{name} effort [{unit}]"] = np.array([value])
        return {**table, "condition number": np.array([reading.singularity.condition])}

    # Links

    def view(self, camera: tuple[float, ...] | None, dark: bool) -> View:
        return View(
            robot=self.source.name,
            position=tuple(float(x) for x in self.state.position),
            motion=self.motion_name,
            time=None if self.motion is None else self.playback.time,
            camera=camera,
            dark=dark,
        )

    def restore(self, view: View) -> None:
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
            unit = self.robot.coordinates.normalised(position)
            if np.abs(unit - position).max() > 1e-3:
                raise InputError("the link gives an orientation that is none; copy it again.")
            self.place(unit)
