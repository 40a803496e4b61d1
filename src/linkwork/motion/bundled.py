"""Motions by name: those of the papers, and some that fit any robot."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from linkwork.core.arguments import one_of
from linkwork.core.errors import InputError, LinkworkError
from linkwork.core.rotations import from_vector, multiply
from linkwork.kinematics.singularity import USABLE
from linkwork.model.bundled import KIND_WORDS
from linkwork.model.mechanism import is_tree
from linkwork.motion.column_maps import column_map
from linkwork.motion.excitation import Excitation
from linkwork.motion.excursions import PoseExcursion
from linkwork.motion.header import Expected
from linkwork.motion.point_to_point import PAPER_PATHS, PoseLine, Quintic, published_path
from linkwork.motion.profiles import QuinticProfile, Turns
from linkwork.motion.robot_paths import (
    CartesianMotion,
    LegLengthTrajectory,
    follows_poses,
    takes_lengths,
)
from linkwork.motion.tables import SAMPLED, WRITTEN, read_motion
from linkwork.motion.trajectory import Motion, PoseTrajectory, moving
from linkwork.robot.robot import Array, Robot

# Lee, Chung, Mudge and Turney 1982, section 5: from and to these joint angles [deg]; our duration [s].
# They are angles of Lee's own frames, those of `puma560-lee`; the frames of `puma560` are turned.
_LEE = (90, 0, 90, 0, 0, 0), (45, 30, 0, 45, 60, 90), 3.0
_FROM_LEES_FRAMES = {"puma560": (0, 180, -180, 0, 0, 0)}
FREE_ANGLE, FREE_LENGTH = np.pi, 0.5  # half the range of a joint without limits [rad], [m]
QUINTIC_PEAK = 1.875  # greatest rate of a quintic of unit way and duration
SHRINKING = 12  # halvings before an excursion is given up


def _anything(robot: Any) -> bool:
    return True


@dataclass(frozen=True)
class BundledMotion:
    """A motion that comes with the package; `robots` says in words which robots it suits."""

    name: str
    what: str
    robots: str
    motion: Callable[[Any], Motion]
    suits: Callable[[Any], bool] = _anything

    def make(self, robot: Robot) -> Motion:
        """The motion for a robot, or an error if it is not for such a one."""
        if not self.suits(robot):
            kind = KIND_WORDS[robot.model.kind]
            raise InputError(f"{self.name} is a motion of {self.robots}; {robot.name} is a {kind}.")
        return self.motion(robot)


def _is_posed(robot: Robot) -> bool:
    return robot.coordinates.is_pose


def _is_jointed(robot: Robot) -> bool:
    """Whether its coordinates are joints of a tree with motors of their own: they obey limits only."""
    return is_tree(robot.mechanism) and robot.coordinates.names == robot.efforts.names


def _paper(name: str) -> Callable[[Robot], Motion]:
    return lambda platform: published_path(name)


def _lee(arm: Robot) -> Motion:
    if arm.n != 6:
        raise InputError(f"lee1982 is a motion of arms with six joints; {arm.name} has {arm.n}.")
    start, end, duration = _LEE
    turned = np.array(_FROM_LEES_FRAMES.get(arm.name, (0,) * 6))
    return Quintic(np.radians(start + turned), np.radians(end + turned), duration)


def middle_and_range(robot: Robot) -> tuple[Array, Array]:
    """Where joints rest, at zero if their limits allow it, and how far each may go from there."""
    middle, reach = [], []
    for unit, (low, high) in zip(robot.coordinates.units, robot.limits.position, strict=True):
        free = FREE_ANGLE if unit == "rad" else FREE_LENGTH
        if not (np.isfinite(low) and np.isfinite(high)):
            low, high = -free, free
        rest = 0.0 if low <= -0.1 * free and high >= 0.1 * free else (low + high) / 2
        middle.append(rest)
        reach.append(min(high - rest, rest - low, free))
    return np.array(middle), np.array(reach)


def _slowness(robot: Robot, rates: Array) -> float:
    """How many times slower a motion with these greatest rates must be to keep the limits."""
    return max(1.0, float((rates / robot.limits.velocity).max()))


def _home_quintic(robot: Robot) -> Motion:
    """Joints with motors of their own go by their limits; where loops must close, the largest share of
    a way from home is looked for."""
    if _is_jointed(robot):
        middle, reach = middle_and_range(robot)
        way, duration = reach / 4, 2.0
        duration *= _slowness(robot, QUINTIC_PEAK * way / duration)
        return Quintic(middle, middle + way, duration)
    if robot.coordinates.is_pose:
        return _short_line(robot)
    home, way = robot.coordinates.to_angles(robot.home), _reach(robot)

    def line(share: float) -> Motion:
        return moving(robot.coordinates, Quintic(home, home + share * way, 2.0))

    return _largest(robot, line)


def _extent(robot: Robot) -> float:
    """The mean length of the legs, if cylinders carry the robot, else its size [m]."""
    lengths = [each.length for each in robot.mechanism.cylinders]
    return float(np.mean(lengths)) if lengths else robot.size


def _short_line(robot: Robot) -> Motion:
    """From home a little up and round, by a share of the robot's size."""
    lift = np.array([0.02, 0.02, 0.08]) * _extent(robot)
    turn = np.radians([2.0, 2.0, 8.0])

    def line(share: float) -> PoseLine:
        way = np.concatenate([share * lift, np.zeros(4)])
        start = robot.home
        end = start + way
        end[3:] = multiply(from_vector(share * turn), start[3:])
        return PoseLine(start, end, QuinticProfile(2.0), turning="axis")

    return _largest(robot, line)


FREQUENCY, HARMONICS = 0.1, 5  # of an excitation


def _excitation(robot: Robot) -> Motion:
    """A Fourier series: of joints within their limits, of a platform's leg lengths, or in every
    coordinate about home."""
    if _is_jointed(robot):
        middle, reach = middle_and_range(robot)
        motion = Excitation(middle, reach / 4, FREQUENCY, HARMONICS)
        _, velocity, _ = motion.at(np.linspace(0, motion.duration, 500))
        slow = _slowness(robot, np.abs(velocity).max(axis=0))
        return Excitation(middle, reach / 4, FREQUENCY / slow, HARMONICS)
    home, way = robot.coordinates.to_angles(robot.home), _reach(robot)

    def excited(share: float) -> Motion:
        if takes_lengths(robot):
            lengths = robot.actuator_motion(robot.home).position
            return LegLengthTrajectory(
                robot, Excitation(lengths, 0.05 * share * lengths, FREQUENCY, HARMONICS)
            )
        return moving(robot.coordinates, Excitation(home, share * way, FREQUENCY, HARMONICS))

    return _largest(robot, excited)


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
    if robot.moved_by_motors:
        return True
    found = robot.condition_number(np.concatenate([[robot.home], position]))
    return bool(found[1:].max() < (USABLE if found[0] < USABLE else 2 * found[0]))


AXES = ("surge", "sway", "heave", "roll", "pitch", "yaw")
EXCURSION_TIME = 6.0  # [s] there, to the other side and back


def _along(axis: int) -> Callable[[Robot], Motion]:
    """One axis of a motion simulator: out, to the other side and back, from rest to rest."""

    def make(robot: Robot) -> Motion:
        amplitude = np.eye(6)[axis] * (0.15 * _extent(robot) if axis < 3 else np.radians(15))

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
            BundledMotion(name, _ABOUT_PAPERS[name], "platforms", _paper(name), _is_posed)
            for name in PAPER_PATHS
        ),
        BundledMotion(
            "lee1982", "Lee 1982, section 5: PUMA from rest to rest", "six-joint arms", _lee, _is_jointed
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
                _is_posed,
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
    poses = follows_poses(robot)
    found = Expected.of_joints(by_angles.names, robot.name, measures, poses=poses)
    return replace(found, home=home)


def motion_for(robot: Robot, source: str, columns: Mapping[str, str] | None = None) -> Motion:
    """The motion that a name or a file gives for a robot, checked to be one of this robot; `columns`
    are what those of a .csv are called there."""
    endings = (*SAMPLED, *WRITTEN)
    if Path(source).suffix.lower() not in endings and Path(source).name == source:
        files = f", or a file that ends in {', '.join(endings)}"
        return BUNDLED[one_of(source, MOTION_NAMES, "motion", files)].make(robot)
    expected = expected_of(robot)
    if columns is not None:
        expected = replace(expected, columns=column_map(columns))
    motion = read_motion(source, expected=expected)
    if isinstance(motion, PoseTrajectory):
        if robot.coordinates.is_pose:
            return motion
        if follows_poses(robot):
            return CartesianMotion(robot, motion)
        raise _misfit(robot, source, "poses")
    if takes_lengths(robot) and motion.n == robot.n:
        return LegLengthTrajectory(robot, motion)
    if robot.coordinates.is_pose or motion.n != len(robot.velocities):
        raise _misfit(robot, source, f"{motion.n} joints")
    return moving(robot.coordinates, motion)


def unloaded(motion: Motion, source: str, what: str) -> Motion:
    """The motion, or an error if it carries a payload, which `what` does not take up and put down."""
    if motion.payload_changes:
        raise InputError(
            f"{source} carries a payload between pick and place, which {what} does not; leave payload "
            "out of the motion, and give the robot one, or take linkwork inverse, size or simulate."
        )
    return motion


def _misfit(robot: Robot, source: str, moved: str) -> InputError:
    names = "poses" if robot.coordinates.is_pose else ", ".join(robot.coordinates.by_angles.names)
    lengths = " or six lengths" if takes_lengths(robot) else ""
    return InputError(f"{source} is a motion of {moved}; {robot.name} takes {names}{lengths}.")
