"""How a machine stops: normal and emergency stops along its path, with one dead drive, without power.

A stop along the path goes on the way that the motion would have gone, ever slower: the rate at which the
motion's time passes falls smoothly from one to nothing within the duration of the stop.

Simulated stops have drives that give no more than the limits of the robot file. Each actuator has a
position loop, critically damped, of the bandwidth asked for, with the efforts of the model fed forward.
A dead drive gives nothing; the others make the emergency stop after the reaction time. Without power no
motor gives anything. Where drives have brakes these close in both cases, after the reaction time and
their delay: they are dry friction on the motors' shafts, and the motors give nothing any more. What no
friction or brake holds goes on until an actuator reaches its end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from linkwork.analysis.requirement_parts import RequiredStops
from linkwork.analysis.study import Study
from linkwork.control.base import Controller, Reference, State
from linkwork.core.rotations import inverse, multiply, to_vector
from linkwork.core.text import AngleUnit, shown
from linkwork.model.drive import Drive, ShaftFriction
from linkwork.motion.trajectory import Motion
from linkwork.robot.limits import Quantity
from linkwork.robot.robot import Array, Robot
from linkwork.simulation.results import SimulationError
from linkwork.simulation.simulate import simulate

STEP = 1e-3  # [s] of simulations, and period of the position loops
LONGER = 1.5  # [s] that is simulated at most after a stop should have ended
PIECE = 0.1  # [s] after which limits and rest are looked at
STILL = 0.01  # of the greatest actuator speed of all motions: slower is rest
SLOWEST = 1e-4  # [m/s, rad/s]: the same where nothing moves
ALONG = 25  # instants of a stop whose loads are told, and
ONSETS = 60  # instants of a motion at which it may begin


@dataclass(frozen=True, eq=False)
class PathStop:
    """A motion that is stopped along its path from an instant on, as a reference to follow; it goes on
    as before for a `reaction` time."""

    motion: Reference
    onset: float
    duration: float
    reaction: float = 0.0

    @property
    def end(self) -> float:
        """[s] from the onset until rest."""
        return self.reaction + self.duration

    def at(self, t: Array) -> tuple[Array, Array, Array]:
        """Positions, velocities, accelerations at times (N,) from the onset on, at last at rest."""
        u = np.clip((t - self.reaction) / self.duration, 0.0, 1.0)
        rate = 1 - u**2 * (3 - 2 * u)
        change = -6 * u * (1 - u) / self.duration
        gone = np.minimum(t, self.reaction) + self.duration * (u - u**3 + u**4 / 2)
        c, cd, cdd = self.motion.at(np.minimum(self.onset + gone, self.motion.duration))
        rate, change = rate[:, None], change[:, None]
        return c, cd * rate, cdd * rate**2 + cd * change


def path_stops(motion: Motion, duration: float) -> tuple[Array, Array, Array]:
    """States (N, ...) of stops that begin at any of many instants of a motion."""
    onsets = np.linspace(0.0, motion.duration, ONSETS)
    times = np.linspace(0.0, duration, ALONG)
    parts = [PathStop(motion, float(onset), duration).at(times) for onset in onsets]
    c, cd, cdd = (np.concatenate(rows) for rows in zip(*parts, strict=True))
    return c, cd, cdd


@dataclass(frozen=True)
class Onset:
    """Where a simulated stop begins: an instant of a motion."""

    motion_name: str
    time: float
    motion: Reference


@dataclass(frozen=True, eq=False)
class SimulatedStop:
    """What a simulation of a stop tells.

    `rest` [s] passes until all actuators are at rest, None if they do not come to rest; `distance` [m]
    and `turn` [rad] are the farthest that the tool went from where it was. `effort` (n,) is the greatest
    that drive, brake and friction of each actuator gave. `ended` says how it ends: at rest, or what
    was reached at `limit_speed` of the fastest actuator. `time`, `position` and `velocity` are the
    record.
    """

    case: str
    onset: Onset
    rest: float | None
    distance: float
    turn: float
    effort: Array
    load: Array  # force and moment on the foundation (N, 6), between the samples
    ended: str
    limit_speed: float | None
    time: Array
    position: Array
    velocity: Array

    @property
    def holds(self) -> bool:
        """Whether it comes to rest and stays there within all limits of position."""
        return self.rest is not None


class ActuatorLoops(Controller):
    """A position loop for each actuator that follows a reference, with the model's efforts fed forward;
    one of them may be dead. Simulations of pieces begin at `begin` of the reference."""

    def __init__(self, robot: Robot, reference: PathStop, bandwidth: float, dead: int | None) -> None:
        self.robot, self.period, self.dead, self.begin = robot, STEP, dead, 0.0
        self._bound = robot.limits.effort
        c, cd, cdd = reference.at(np.arange(0.0, reference.end + STEP, STEP))
        self._forward = robot.inverse_dynamics(c, cd, cdd)
        moved = robot.actuator_motion(c, cd)
        assert moved.velocity is not None
        self._place, self._speed = moved.position, moved.velocity
        w = 2 * np.pi * bandwidth
        self._kp, self._kv = (gain * felt_inertia(robot, c[0]) for gain in (w**2, 2 * w))

    def effort(self, time: float, state: State) -> Array:
        k = min(round((self.begin + time) / STEP), len(self._forward) - 1)
        seen = self.robot.actuator_motion(state.position[None], state.velocity[None])
        assert seen.velocity is not None
        behind, slower = self._place[k] - seen.position[0], self._speed[k] - seen.velocity[0]
        wanted = self._forward[k] + self._kp * behind + self._kv * slower
        if self.dead is not None:
            wanted[self.dead] = 0.0
        return np.clip(wanted, -self._bound, self._bound)


def felt_inertia(robot: Robot, c: Array) -> Array:
    """What each actuator moves (n,) if all others are free [kg or kg m^2]."""
    per_velocity = robot.actuator_motion(c, np.eye(robot.dof)).velocity
    assert per_velocity is not None
    G = np.asarray(per_velocity).T
    return np.asarray(1 / np.einsum("ij,ji->i", G, np.linalg.solve(robot.mass_matrix(c), G.T)))


@dataclass(eq=False)
class _Record:
    """A simulation in pieces, that ends at rest or where a limit of position is reached."""

    still: float
    times: list[Array]
    positions: list[Array]
    velocities: list[Array]
    ended: str = ""
    rested: bool = False

    @classmethod
    def begin(cls, still: float, c: Array, cd: Array) -> _Record:
        return cls(still, [np.zeros(1)], [c[None]], [cd[None]])

    @property
    def now(self) -> float:
        return float(self.times[-1][-1])

    def go(self, robot: Robot, loops: ActuatorLoops | None, until: float, busy: float) -> None:
        """On to a time; earlier if it is at rest after `busy`, or a limit is reached."""
        while self.now < until - STEP / 2 and not self.ended and not self.rested:
            if loops is not None:
                loops.begin = self.now
            start, length = (self.positions[-1][-1], self.velocities[-1][-1]), until - self.now
            options = {"duration": min(PIECE, length), "start": start, "step": STEP, "progress": False}
            try:
                found = simulate(robot, loops, **options)  # type: ignore[arg-type]
            except SimulationError as error:
                found, self.ended = error.result, error.message
            speed = robot.actuator_motion(found.position, found.velocity).velocity
            assert speed is not None
            self._take(robot, found.time, found.position, found.velocity)
            self.rested = self.now > busy and bool((np.abs(speed) <= self.still).all())

    def _take(self, robot: Robot, time: Array, c: Array, cd: Array) -> None:
        bounded = [each for each in robot.quantities(c) if each.bounded]
        broken, last = np.zeros(len(time), dtype=bool), len(time)
        for each in bounded:
            broken |= each.broken.any(axis=1)
        if broken.any():
            first = int(np.argmax(broken))
            last, self.ended = first + 1, _reached(bounded, first, robot.angle_unit)
        self.times.append(self.now + time[1:last])
        self.positions.append(c[1:last])
        self.velocities.append(cd[1:last])

    def arrays(self) -> tuple[Array, Array, Array]:
        return tuple(map(np.concatenate, (self.times, self.positions, self.velocities)))  # type: ignore[return-value]


@dataclass(frozen=True, eq=False)
class Stops:
    """Stops of a robot, with the studies of its motions and the motions themselves."""

    robot: Robot
    asked: RequiredStops
    studies: tuple[Study, ...]
    motions: tuple[Motion, ...]

    @cached_property
    def onsets(self) -> tuple[Onset, ...]:
        """The fastest instant of all motions and that of the greatest effort, as shares of their limits
        where all actuators have one."""
        found: dict[tuple[str, float], Onset] = {}
        for which, bound in ((1, self.robot.limits.velocity), (0, self.robot.limits.effort)):
            scale = bound if np.isfinite(bound).all() else np.ones(self.robot.n)
            shares = [(np.abs(_values(one, which)) / scale).max(axis=1) for one in self.studies]
            most = int(np.argmax([each.max() for each in shares]))
            one = self.studies[most]
            time = float(one.time[int(shares[most].argmax())])
            found[one.motion_name, time] = Onset(one.motion_name, time, self.motions[most])
        return tuple(found.values())

    @cached_property
    def still(self) -> float:
        """The actuator speed below which the machine is at rest."""
        fastest = [float(np.abs(_values(one, 1)).max()) for one in self.studies]
        return max(STILL * max(fastest), SLOWEST)

    @cached_property
    def simulated(self) -> tuple[SimulatedStop, ...]:
        """The emergency stop, every dead drive and the loss of power, from every onset."""
        dead = list(enumerate(self.robot.efforts.names))
        found = []
        for onset in self.onsets:
            found.append(self._stopped("emergency stop", onset, None))
            found += [self._stopped(f"{name} dead", onset, k) for k, name in dead]
            found.append(self._powerless(onset))
        return tuple(found)

    @cached_property
    def braked(self) -> Robot | None:
        """The robot with its brakes closed; None if no drive has one."""
        drives = dict(zip(self.robot.efforts.names, self.robot.drives, strict=True))
        if not any(each and each.motor.brake for each in drives.values()):
            return None
        return self.robot.with_drives({name: each and _braked(each) for name, each in drives.items()})

    def _stopped(self, case: str, onset: Onset, dead: int | None) -> SimulatedStop:
        reaction = 0.0 if dead is None else self.asked.reaction
        reference = PathStop(onset.motion, onset.time, self.asked.emergency, reaction)
        loops = ActuatorLoops(self.robot, reference, self.asked.bandwidth, dead)
        record = self._begun(onset)
        end = reference.end + LONGER
        if dead is not None and self.braked is not None:
            record.go(self.robot, loops, reaction + self.asked.brake_delay, np.inf)
            record.go(self.braked, None, end, 0.0)
        else:
            record.go(self.robot, loops, end, reference.end)
        return self._told(case, onset, record)

    def _powerless(self, onset: Onset) -> SimulatedStop:
        record = self._begun(onset)
        if self.braked is not None:
            record.go(self.robot, None, self.asked.brake_delay, np.inf)
        record.go(self.braked or self.robot, None, self.asked.brake_delay + LONGER, 0.0)
        return self._told("loss of power", onset, record)

    def _begun(self, onset: Onset) -> _Record:
        c, cd, _ = onset.motion.at(np.array([onset.time]))
        return _Record.begin(self.still, c[0], cd[0])

    def _told(self, case: str, onset: Onset, record: _Record) -> SimulatedStop:
        robot, (time, c, cd) = self.robot, record.arrays()
        speed = robot.actuator_motion(c, cd).velocity
        assert speed is not None
        moving = np.flatnonzero(np.abs(speed).max(axis=1) > self.still)
        rest = None
        if record.rested and not record.ended:
            rest = float(time[moving[-1] + 1]) if len(moving) else 0.0
        place = robot.joint_motion(c, cd, np.zeros_like(cd)).pose
        turned = to_vector(multiply(place[:, 3:], inverse(place[:1, 3:])))
        middle, velocity, acceleration = _between(robot, time, c, cd)
        effort = robot.inverse_dynamics(middle, velocity, acceleration)
        load = robot.foundation_load(middle, velocity, acceleration)
        end = "at rest" if rest is not None else record.ended or "still moves"
        return SimulatedStop(
            case=case,
            onset=onset,
            rest=rest,
            distance=float(np.linalg.norm(place[:, :3] - place[0, :3], axis=1).max()),
            turn=float(np.linalg.norm(turned, axis=1).max()),
            effort=np.abs(effort).max(axis=0),
            load=load,
            ended=end if rest is not None else f"{end} after {time[-1]:.3g} s",
            limit_speed=float(np.abs(speed[-1]).max()) if record.ended else None,
            time=time,
            position=c,
            velocity=cd,
        )


def _reached(bounded: Sequence[Quantity], row: int, angles: AngleUnit) -> str:
    """Which joint or leg has come to which end."""
    worst = min(bounded, key=lambda each: float(each.distance[row].min()))
    k = int(np.argmin(worst.distance[row]))
    end = worst.low[k] if worst.values[row, k] < worst.low[k] else worst.high[k]
    return f"{worst.channels[k]} reaches its limit of {shown(float(end), worst.units[k], angles)}"


def _values(one: Study, which: int) -> Array:
    """Efforts (0) or speeds (1) of the actuators along a motion."""
    return one.effort.values if which == 0 else one.moving[1].values


def _braked(drive: Drive) -> Drive:
    """A drive whose brake has closed: its torque is dry friction of the motor's shaft."""
    brake, friction = drive.motor.brake_torque or 0.0, drive.motor.friction
    held = ShaftFriction(friction.viscous, friction.coulomb + brake)
    return replace(drive, motor=replace(drive.motor, friction=held))


def _between(robot: Robot, time: Array, c: Array, cd: Array) -> tuple[Array, Array, Array]:
    """Positions, velocities and accelerations in the middle between samples."""
    if len(time) == 1:
        return c, cd, np.zeros_like(cd)
    middle = robot.coordinates.normalized((c[1:] + c[:-1]) / 2)
    return middle, (cd[1:] + cd[:-1]) / 2, np.diff(cd, axis=0) / np.diff(time)[:, None]
