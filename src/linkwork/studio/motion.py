"""Motions to choose from, their clock, what plots and tables show along them, and closed loops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from linkwork.analysis.study import Study, study
from linkwork.control import ComputedTorque, TaskSpaceControl, pd_gains
from linkwork.control.base import Controller, State
from linkwork.core.errors import InputError
from linkwork.motion import PAPER_PATHS, PoseLine, PoseWaypoints, Quintic, QuinticProfile, Waypoints
from linkwork.motion.bundled import BUNDLED
from linkwork.motion.trajectory import Motion, moving
from linkwork.robot.limits import Quantity, quantity
from linkwork.robot.robot import Array, Robot
from linkwork.simulation import Simulation, simulate
from linkwork.studio.controls import controls_of, home_of, position_of, values_of
from linkwork.studio.units import Units

SPEEDS = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0)
STEPS = 100  # presses of an arrow key from start to end


@dataclass
class Playback:
    """Time along a motion of `duration` seconds."""

    duration: float
    time: float = 0.0
    speed: float = 1.0
    repeat: bool = True
    playing: bool = False

    def toggle(self) -> None:
        """Play or pause; at the end, play from the start."""
        if not self.playing and self.time >= self.duration:
            self.time = 0.0
        self.playing = not self.playing

    def seek(self, time: float) -> None:
        self.time = min(max(float(time), 0.0), self.duration)

    def step(self, count: int) -> None:
        """Pause, and move by hundredths of the motion."""
        self.playing = False
        self.seek(self.time + count * self.duration / STEPS)

    def advance(self, seconds: float) -> bool:
        """Let real time pass; tells whether anything moved."""
        if not self.playing:
            return False
        time = self.time + seconds * self.speed
        if time >= self.duration:
            if self.repeat:
                time %= self.duration
            else:
                time, self.playing = self.duration, False
        self.time = time
        return True


SHARE = 0.45  # of a slider's half travel that a tour uses
TOUR = "tour"


@dataclass(frozen=True)
class Choice:
    """A motion by name; made when it is chosen."""

    name: str
    make: Callable[[], Motion]


def bundled_motions(robot: Robot) -> tuple[Choice, ...]:
    """The bundled motions of this robot, and a tour of all its controls.

    The paths of the papers are places in the space of the papers' platform, so only that one has them.
    """
    names = [name for name in BUNDLED if _fits(robot, name)]
    return (*(_choice(robot, name) for name in names), Choice(TOUR, lambda: _tour(robot)))


def default_motion(choices: Sequence[Choice]) -> Choice:
    """What plays where nobody has chosen: the first path that goes somewhere and back."""
    wanted = ("dasgupta-I", TOUR)
    return next((each for name in wanted for each in choices if each.name == name), choices[0])


def _fits(robot: Robot, name: str) -> bool:
    if name in PAPER_PATHS:
        return robot.name in ("dasgupta1998", "pedrammehr2012")
    return BUNDLED[name].suits(robot) and (name != "lee1982" or robot.n == 6)


def _choice(robot: Robot, name: str) -> Choice:
    return Choice(name, lambda: BUNDLED[name].make(robot))


def between(robot: Robot, start: Array, end: Array, duration: float) -> Motion:
    """From rest to rest, with smooth acceleration: joints together, or straight and about one axis."""
    if np.allclose(start, end, atol=1e-9):
        raise InputError("start and end are the same; move the robot and set one of them anew.")
    if robot.coordinates.is_pose:
        return PoseLine(start, end, QuinticProfile(duration), turning="axis")
    angles = robot.coordinates.to_angles
    return moving(robot.coordinates, Quintic(angles(start), angles(end), duration))


def _tour(robot: Robot) -> Motion:
    """Each control in turn to one side and the other and back, one second each way."""
    home = values_of(robot, home_of(robot))
    stops = [home]
    for k, control in enumerate(controls_of(robot)):
        half = min(control.high - home[k], home[k] - control.low)
        for side in (1.0, -1.0):
            stop = home.copy()
            stop[k] += side * SHARE * half
            stops.append(stop)
    stops.append(home)
    points = np.array([position_of(robot, stop) for stop in stops])
    times = np.arange(len(points), dtype=np.float64)
    if robot.coordinates.is_pose:
        return PoseWaypoints(points, times)
    angles = np.array([robot.coordinates.to_angles(point) for point in points])
    return moving(robot.coordinates, Waypoints(angles, times))


SAMPLES = 301
SIMULATION_STEP = 1e-3
Report = Callable[[float], None]


@dataclass(frozen=True, eq=False)
class MotionSeries:
    """A study of a motion by one or two formulations, what the sliders show, condition numbers (N,)."""

    study: Study
    shown: Quantity
    condition: Array

    @property
    def efforts(self) -> dict[str, Array]:
        """By formulation, the reference first."""
        return dict(self.study.by_formulation)

    @property
    def difference(self) -> Array | None:
        """Compared minus reference, (N, n)."""
        first, *others = self.efforts.values()
        return others[0] - first if others else None

    @property
    def actuators(self) -> Quantity | None:
        """Where they are, if the sliders do not show it."""
        return None if self.study.robot.moved_by_motors else self.study.moving[0]

    def columns(self) -> dict[str, Array]:
        """Every column by name and unit, for tables."""
        efforts = self.study.robot.efforts
        tables = [("", self.shown.channels, self.shown.units, self.shown.values)]
        if (where := self.actuators) is not None:
            tables.append((f" {where.name}", where.channels, where.units, where.values))
        for formulation, values in self.efforts.items():
            tables.append((f" {formulation}", efforts.names, efforts.units, values))
        found = {"time [s]": self.study.time}
        for what, names, units, values in tables:
            for name, unit, column in zip(names, units, values.T, strict=True):
                found[f"{name}{what} [{unit}]"] = column
        return {**found, "condition number": self.condition}


def compute_series(
    robot: Robot,
    motion: Motion,
    formulations: Sequence[str],
    report: Report,
    units: Units | None = None,
) -> MotionSeries:
    """Along the motion, by the formulations given; impossible samples are NaN."""
    time = np.linspace(0.0, motion.duration, SAMPLES)
    report(0.1)
    carried = motion.payload_at(time)
    found = study(
        robot, "", time, motion.at(time), formulations=formulations, payload=carried, errors="nan"
    )
    report(0.7)
    controls = controls_of(robot, units)
    values = np.array([values_of(robot, row, units) for row in found.position])
    names, written = zip(*((each.name, each.unit) for each in controls), strict=True)
    shown = quantity("position", names, written, values)
    return MotionSeries(found, shown, robot.condition_number(found.position, errors="nan"))


class Watched(Controller):
    """A controller that tells how far the simulation has come, and stops it when asked to."""

    def __init__(self, inner: Controller, duration: float, report: Report) -> None:
        self.inner, self.duration, self.report = inner, duration, report
        self.trajectory, self.period = inner.trajectory, inner.period

    def start(self) -> None:
        self.inner.start()

    def effort(self, time: float, state: State) -> Array:
        self.report(time / self.duration)
        return self.inner.effort(time, state)


def closed_loop(
    robot: Robot,
    motion: Motion,
    bandwidth: float,
    payload: float,
    offset: Array,
    report: Report,
) -> Simulation:
    """The robot under control along the motion.

    Args:
        bandwidth: of the controller [Hz].
        payload: mass at the tip of an arm that the controller does not know [kg].
        offset: error at the start, of every number of the position [rad or m].
    """
    kp, kv = pd_gains(bandwidth)
    start = np.array(motion.at(0.0)[0])
    law = ComputedTorque if robot.coordinates.names == robot.efforts.names else TaskSpaceControl
    controller: Controller = law(robot, motion, kp=kp, kv=kv, period=SIMULATION_STEP)
    return simulate(
        robot,
        Watched(controller, motion.duration, report),
        start=(start + offset, motion.at(0.0)[1]),
        step=SIMULATION_STEP,
        payload=payload if payload else None,
    )
