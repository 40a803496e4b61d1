"""Motions by name: those of the papers, and some that fit any robot."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import singledispatch
from pathlib import Path
from typing import Any

import numpy as np

from linkwork.errors import InputError, LinkworkError
from linkwork.interface.arm import Arm
from linkwork.interface.kinds import WORDS
from linkwork.interface.platform import Platform
from linkwork.interface.robot import Array, Mechanism
from linkwork.interface.singularity import USABLE
from linkwork.motion.cartesian import CartesianMotion
from linkwork.motion.coordinate_path import CoordinatePath, moving
from linkwork.motion.excitation import Excitation
from linkwork.motion.excursions import PoseExcursion
from linkwork.motion.header import Expected
from linkwork.motion.leg_path import LegPath
from linkwork.motion.lines import Quintic
from linkwork.motion.paper_paths import PAPER_PATHS, paper_path
from linkwork.motion.pose_lines import PoseLine
from linkwork.motion.profiles import QuinticProfile
from linkwork.motion.reading import SAMPLED, WRITTEN, read_motion
from linkwork.motion.signals import Turns
from linkwork.motion.trajectory import JointTrajectory, PoseTrajectory
from linkwork.names import one_of
from linkwork.rotations import from_vector, multiply

Robot = Arm | Platform | Mechanism
Motion = JointTrajectory | PoseTrajectory

# Lee, Chung, Mudge and Turney 1982, section 5: from and to these joint angles [deg]; our duration [s].
# They are angles of Lee's own frames, those of `puma560-lee`; the frames of `puma560` are turned.
_LEE = (90, 0, 90, 0, 0, 0), (45, 30, 0, 45, 60, 90), 3.0
_FROM_LEES_FRAMES = {"puma560": (0, 180, -180, 0, 0, 0)}
FREE_ANGLE, FREE_LENGTH = np.pi, 0.5  # half the range of a joint without limits [rad], [m]
QUINTIC_PEAK = 1.875  # greatest rate of a quintic of unit way and duration
SHRINKING = 12  # halvings before an excursion is given up


@dataclass(frozen=True)
class BundledMotion:
    """A motion that comes with the package; `robots` says in words which robots it is for."""

    name: str
    what: str
    robots: str
    motion: Callable[[Any], Motion]
    kinds: tuple[type, ...] = ()  # of robots; empty is any

    def make(self, robot: Robot) -> Motion:
        """The motion for a robot, or an error if it is not for this kind."""
        if not self.suits(robot):
            kind = WORDS.get(type(robot).__name__, "robot of another kind")
            raise InputError(f"{self.name} is a motion of {self.robots}; {robot.name} is a {kind}.")
        return self.motion(robot)

    def suits(self, robot: object) -> bool:
        """Whether it is for robots of this kind."""
        return not self.kinds or isinstance(robot, self.kinds)


def _paper(name: str) -> Callable[[Platform], Motion]:
    return lambda platform: paper_path(name)


def _lee(arm: Arm) -> Motion:
    if arm.n != 6:
        raise InputError(f"lee1982 is a motion of arms with six joints; {arm.name} has {arm.n}.")
    start, end, duration = _LEE
    turned = np.array(_FROM_LEES_FRAMES.get(arm.name, (0,) * 6))
    return Quintic(np.radians(start + turned), np.radians(end + turned), duration)


def middle_and_range(arm: Arm) -> tuple[Array, Array]:
    """Where an arm rests, zero if its limits allow it, and how far each joint may go from there."""
    middle, reach = [], []
    for joint in arm.model.joints:
        free = FREE_ANGLE if joint.is_revolute else FREE_LENGTH
        low, high = joint.limits.position or (-free, free)
        rest = 0.0 if low <= -0.1 * free and high >= 0.1 * free else (low + high) / 2
        middle.append(rest)
        reach.append(min(high - rest, rest - low, free))
    return np.array(middle), np.array(reach)


def _slowness(arm: Arm, rates: Array) -> float:
    """How many times slower a motion with these greatest rates must be to keep the limits."""
    limits = [joint.limits.velocity or np.inf for joint in arm.model.joints]
    return max(1.0, float((rates / np.array(limits)).max()))


@singledispatch
def _home_quintic(robot: Any) -> Motion:
    """Of any mechanism; arms and platforms, which have other limits, are registered below."""
    if robot.coordinates.is_pose:
        return _short_line(robot, robot.size)
    home, way = robot.coordinates.to_angles(robot.home), _reach(robot)

    def line(share: float) -> Motion:
        return moving(robot.coordinates, Quintic(home, home + share * way, 2.0))

    return _largest(robot, line)


@_home_quintic.register
def _(robot: Arm) -> Motion:
    middle, reach = middle_and_range(robot)
    way, duration = reach / 4, 2.0
    duration *= _slowness(robot, QUINTIC_PEAK * way / duration)
    return Quintic(middle, middle + way, duration)


@_home_quintic.register
def _(robot: Platform) -> Motion:
    return _short_line(robot, float(np.mean(robot.leg_lengths(robot.home))))


def _short_line(robot: Robot, size: float) -> Motion:
    """From home a little up and round, by a share of the robot's size."""
    lift = np.array([0.02, 0.02, 0.08]) * size
    turn = np.radians([2.0, 2.0, 8.0])

    def line(share: float) -> PoseLine:
        way = np.concatenate([share * lift, np.zeros(4)])
        start = robot.home
        end = start + way
        end[3:] = multiply(from_vector(share * turn), start[3:])
        return PoseLine(start, end, QuinticProfile(2.0), turning="axis")

    return _largest(robot, line)


FREQUENCY, HARMONICS = 0.1, 5  # of an excitation


@singledispatch
def _excitation(robot: Any) -> Motion:
    """Of any mechanism: a Fourier series in every coordinate about home."""
    home, way = robot.coordinates.to_angles(robot.home), _reach(robot)

    def excited(share: float) -> Motion:
        return moving(robot.coordinates, Excitation(home, share * way, FREQUENCY, HARMONICS))

    return _largest(robot, excited)


@_excitation.register
def _(robot: Arm) -> Motion:
    middle, reach = middle_and_range(robot)
    motion = Excitation(middle, reach / 4, FREQUENCY, HARMONICS)
    _, velocity, _ = motion.at(np.linspace(0, motion.duration, 500))
    slow = _slowness(robot, np.abs(velocity).max(axis=0))
    return Excitation(middle, reach / 4, FREQUENCY / slow, HARMONICS)


@_excitation.register
def _(robot: Platform) -> Motion:
    lengths = robot.leg_lengths(robot.home)

    def legs(share: float) -> LegPath:
        return LegPath(robot, Excitation(lengths, 0.05 * share * lengths, FREQUENCY, HARMONICS))

    return _largest(robot, legs)


def _reach(robot: Robot) -> Array:
    """How far coordinates go from home at first: a quarter of the way to a motor's limits, a share of
    the machine's size, or a small angle."""
    spans = dict(zip(robot.efforts.names, np.abs(robot.limits.position).min(axis=1), strict=True))
    reach = []
    for name, unit in zip(robot.coordinates.by_angles.names, robot.velocities.units, strict=True):
        free = np.radians(8.0) if unit.startswith("rad") else 0.08 * robot.size
        span = float(spans.get(name, np.inf))
        reach.append(span / 4 if np.isfinite(span) and span > 0 else free)
    return np.array(reach)


def _largest(robot: Robot, make: Callable[[float], Motion]) -> Motion:
    """The motion of the largest share (1, 1/2, 1/4, ...) that keeps the limits and stands well."""
    for k in range(SHRINKING):
        try:
            motion = make(0.5**k)
            moved = motion.at(np.linspace(0, motion.duration, 201))
            if _stands(robot, *moved):
                return motion
        except LinkworkError:  # out of reach: a smaller share
            continue
    raise InputError(f"{robot.name} leaves its limits next to its home pose; give a motion file.")


def _stands(robot: Robot, position: Array, velocity: Array, acceleration: Array) -> bool:
    """Whether a motion keeps the limits and clear of singularities; efforts if motors carry it."""
    if robot.n < len(robot.velocities):
        return robot.check_limits(position, velocity).ok
    if not robot.check_limits(position, velocity, acceleration).ok:
        return False
    if isinstance(robot, Platform):
        return bool(robot.condition_number(position, "platform").max() < USABLE)
    assert not isinstance(robot, Arm)
    usable = max(USABLE, 2 * float(robot.singularities(robot.home).parallel))
    return bool(robot.singularities(position).parallel.max() < usable)


AXES = ("surge", "sway", "heave", "roll", "pitch", "yaw")
EXCURSION_TIME = 6.0  # [s] there, to the other side and back


def _along(axis: int) -> Callable[[Platform], Motion]:
    """One axis of a motion simulator: out, to the other side and back, from rest to rest."""

    def make(robot: Platform) -> Motion:
        size = float(np.mean(robot.leg_lengths(robot.home)))
        amplitude = np.eye(6)[axis] * (0.15 * size if axis < 3 else np.radians(15))

        def excursion(share: float) -> PoseTrajectory:
            return PoseExcursion(robot.home, (share * amplitude, Turns(EXCURSION_TIME)))

        return _largest(robot, excursion)

    return make


_ABOUT_PAPERS = {
    "dasgupta-I": "Dasgupta 1998, Path I: 0.28 m and 0.4 rad in 6 s",
    "dasgupta-II": "Dasgupta 1998, Path II: the same way in 0.6 s",
    "dasgupta-III": "Dasgupta 1998, Path III: 0.83 m in 6 s, past a singularity",
    "pedrammehr-1": "Pedrammehr 2012, Path 1: 0.5 m in 6 s, constant speed",
    "pedrammehr-2": "Pedrammehr 2012, Path 2: Dasgupta's Path I",
    "pedrammehr-3": "Pedrammehr 2012, Path 3: Dasgupta's Path II",
}
BUNDLED = {
    motion.name: motion
    for motion in (
        *(
            BundledMotion(name, _ABOUT_PAPERS[name], "platforms", _paper(name), (Platform,))
            for name in PAPER_PATHS
        ),
        BundledMotion(
            "lee1982", "Lee 1982, section 5: PUMA from rest to rest", "six-joint arms", _lee, (Arm,)
        ),
        BundledMotion(
            "home-quintic", "from rest to rest, a quarter of the way to the limits", "all", _home_quintic
        ),
        *(
            BundledMotion(
                name,
                f"{name} out and back, the largest that the limits allow",
                "platforms",
                _along(k),
                (Platform,),
            )
            for k, name in enumerate(AXES)
        ),
        BundledMotion("excitation", "Fourier series for identification, 10 s", "all", _excitation),
    )
}
MOTION_NAMES = tuple(BUNDLED)


def expected_of(robot: Robot) -> Expected:
    """What the columns of a motion file of this robot may be."""
    by_angles = robot.coordinates.by_angles
    home = tuple(map(float, robot.coordinates.to_angles(robot.home)))
    if robot.coordinates.is_pose:
        return replace(Expected.of_poses(robot.efforts.names, robot.name), home=home)
    measures = ["angle" if unit == "rad" else "length" for unit in by_angles.units]
    follows_poses = isinstance(robot, Arm) and robot.n >= 6
    found = Expected.of_joints(by_angles.names, robot.name, measures, poses=follows_poses)
    return replace(found, home=home)


def motion_for(robot: Robot, source: str) -> Motion:
    """The motion that a name or a file gives for a robot, checked to be one of this robot."""
    is_file = Path(source).suffix.lower() in (*SAMPLED, *WRITTEN) or Path(source).name != source
    if is_file:
        motion = read_motion(source, expected=expected_of(robot))
    else:
        files = f", or a file that ends in {', '.join((*SAMPLED, *WRITTEN))}"
        motion = BUNDLED[one_of(source, MOTION_NAMES, "motion", files)].make(robot)
    if isinstance(robot, Platform):
        if isinstance(motion, JointTrajectory) and motion.n == 6:
            return LegPath(robot, motion)
        if not isinstance(motion, PoseTrajectory):
            raise InputError(
                f"{source} moves {motion.n} joints; {robot.name} takes poses or six lengths."
            )
    elif isinstance(robot, Arm):
        if isinstance(motion, PoseTrajectory) and robot.n >= 6 and is_file:
            return CartesianMotion(robot, motion)
        if not isinstance(motion, JointTrajectory) or motion.n != robot.n:
            moved = f"{motion.n} joints" if isinstance(motion, JointTrajectory) else "a platform"
            raise InputError(f"{source} is a motion of {moved}; {robot.name} has {robot.n} joints.")
    elif robot.coordinates.is_pose != isinstance(motion, PoseTrajectory) or (
        isinstance(motion, JointTrajectory) and motion.n != robot.freedoms
    ):
        names = "poses" if robot.coordinates.is_pose else ", ".join(robot.coordinates.by_angles.names)
        raise InputError(f"{source} does not fit {robot.name}, which takes {names}.")
    elif isinstance(motion, JointTrajectory) and not isinstance(motion, CoordinatePath):
        return moving(robot.coordinates, motion)
    return motion
