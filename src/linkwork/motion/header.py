"""What one name in the header of a motion file means, for a robot whose names are known or not."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from linkwork.errors import InputError
from linkwork.interface.platform_diagnosis import pose_labels
from linkwork.motion.units import UNITS, listed_units, split_brackets, split_suffix

POSITION = ("x", "y", "z")
ANGLES = ("roll", "pitch", "yaw")
QUATERNION = ("qw", "qx", "qy", "qz")
TWIST = pose_labels()["twist"]
ACCELERATION = pose_labels()["acceleration"]
TIME = ("t", "time")
LONGEST = 200  # characters of a name
ALIASES = {"surge": "x", "sway": "y", "heave": "z"}
# What is added to the name of a joint or leg, and the order of the derivative that it means.
DERIVATIVES = {
    f"{sign}{word}": order
    for sign in "._"
    for word, order in (("rate", 1), ("velocity", 1), ("acceleration", 2))
}
JOINTS = re.compile(r"(q|joint|j|axis|qd|dq|qdd|ddq)_?([1-9][0-9]{0,3})")
LEGS = re.compile(r"(leg|l|length)_?([1-9][0-9]{0,3})")
EFFORTS = re.compile(r"(?:effort|torque|force|tau)_?([1-9][0-9]{0,3})")
EFFORT_ENDINGS = tuple(f"{sign}{word}" for sign in "._" for word in ("effort", "torque", "force"))
EFFORT_UNITS = {"n m": 1.0, "nm": 1.0, "n": 1.0, "kn m": 1e3, "knm": 1e3, "kn": 1e3, "n mm": 1e-3}
ORDERS = {"qd": 1, "dq": 1, "qdd": 2, "ddq": 2}
TABLES = {"joint": ("q", "qd", "qdd"), "pose": ("pose", "twist", "acceleration")}


class Meaning(NamedTuple):
    """One column: kind of motion, order of the derivative, its place there, and what it measures.

    The place is the number of a joint or leg, or the name of a coordinate of a pose. `measures` is
    empty where both angles and lengths may stand. Kind "time" has no more to say.
    """

    kind: str
    order: int
    place: int | str
    measures: str


@dataclass(frozen=True)
class Expected:
    """What a motion file of a robot may hold; without a robot, whatever has names of its own.

    `names` are those of joints or legs, and `measures` says for each "angle" or "length"; None is
    unknown.
    """

    robot: str = "a motion"
    names: tuple[str, ...] | None = None
    measures: tuple[str, ...] | None = None
    joints: bool = True
    poses: bool = True
    legs: bool = True
    home: tuple[float, ...] = ()  # of the joints, or x y z roll pitch yaw of a platform
    # Names of the actuators, for a log with their measured efforts; what else it holds is passed over.
    efforts: tuple[str, ...] = ()

    @property
    def moves_platform(self) -> bool:
        """Whether six numbers are a pose."""
        return self.names is not None and self.poses and self.legs

    @staticmethod
    def of_joints(
        names: Sequence[str],
        robot: str,
        measures: Sequence[str] | None = None,
        poses: bool = False,
    ) -> Expected:
        """Joints, and poses of the tool if inverse kinematics may find the joints for them."""
        if isinstance(names, str) or not all(isinstance(name, str) for name in _listed(names)):
            raise InputError(f"joint_names = {names!r}: allowed are the names of the joints, in a list.")
        kinds = None if measures is None else tuple(measures)
        return Expected(robot, tuple(names), kinds, poses=poses, legs=False)

    @staticmethod
    def of_poses(leg_names: Sequence[str], robot: str) -> Expected:
        return Expected(robot, tuple(leg_names), ("length",) * len(leg_names))

    def __str__(self) -> str:
        """In words for an error."""
        several = []
        if self.poses:
            several.append(
                "x, y, z (or surge, sway, heave) with roll, pitch, yaw or qw, qx, qy, qz, and for "
                "velocities vx ... wz, ax ... alphaz"
            )
        if self.names is None:
            several += ["q1, q2, ... (qd1 ..., qdd1 ...)", "leg1, leg2, ..."]
            several += ["names of joints, if they are given: read_motion(file, arm.joint_names)"]
        else:
            shown = ", ".join(self.names[:8]) + (", ..." if len(self.names) > 8 else "")
            numbered = "leg1, leg2, ..." if self.legs else "q1, q2, ... (qd1 ..., qdd1 ...)"
            own = [] if self.names[0] in ("q1", "leg1") else [shown]
            several += [" or ".join([*own, numbered])]
        return f"{self.robot} takes t and {'; or '.join(several)}; units as q1 [deg] or pitch_deg"

    def meaning(self, word: str) -> Meaning | None:
        """What a name without a unit means, or nothing."""
        lowered = word.strip().lower().replace(" ", "_").replace("-", "_")
        if self.efforts and (place := self._effort(lowered)) is not None:
            return Meaning("effort", 0, place, "effort")
        own = self._own(word.strip(), lowered)
        if own is not None:
            return own
        if lowered in TIME:
            return Meaning("time", 0, 0, "time")
        if self.poses and (found := _pose(lowered)) is not None:
            return found
        return self._numbered(lowered)

    def _own(self, word: str, lowered: str) -> Meaning | None:
        """By the names of the robot's joints or legs, as written or else in any case."""
        if self.names is None:
            return None
        folded = [name.lower().replace(" ", "_").replace("-", "_") for name in self.names]
        for given, names in ((word, list(self.names)), (lowered, folded)):
            for ending, order in (("", 0), *DERIVATIVES.items()):
                stem = given.removesuffix(ending)
                if given.endswith(ending) and names.count(stem) == 1:
                    return self._place(names.index(stem), order)
        return None

    def _effort(self, lowered: str) -> int | None:
        """Whose effort a name means: `effort_waist`, `waist.torque`, `tau1`, `force_2`."""
        match = EFFORTS.fullmatch(lowered)
        if match is not None and int(match[1]) <= len(self.efforts):
            return int(match[1]) - 1
        stems = [lowered.removeprefix("effort_")] if lowered.startswith("effort_") else []
        stems += [lowered.removesuffix(end) for end in EFFORT_ENDINGS if lowered.endswith(end)]
        names = [name.lower().replace(" ", "_").replace("-", "_") for name in self.efforts]
        return next((names.index(stem) for stem in stems if names.count(stem) == 1), None)

    def _numbered(self, lowered: str) -> Meaning | None:
        stem, order = lowered, 0
        for ending, power in DERIVATIVES.items():
            if lowered.endswith(ending):
                stem, order = lowered.removesuffix(ending), power
        match = LEGS.fullmatch(stem) if self.legs else None
        match = match or (JOINTS.fullmatch(stem) if self.joints else None)
        if match is None:
            return None
        number, more = int(match[2]) - 1, ORDERS.get(match[1], 0)
        if (order and more) or (self.names is not None and number >= len(self.names)):
            return None
        return self._place(number, order + more)

    def _place(self, number: int, order: int) -> Meaning:
        return Meaning("joint", order, number, "" if self.measures is None else self.measures[number])


def _listed(names: object) -> Sequence[object]:
    return names if isinstance(names, list | tuple) else [None]


def _pose(word: str) -> Meaning | None:
    name = ALIASES.get(word, word)
    for order, names in enumerate(((*POSITION, *ANGLES, *QUATERNION), TWIST, ACCELERATION)):
        if name in names:
            at = names.index(name)
            turning = at >= 3
            measures = "ratio" if name in QUATERNION else "angle" if turning else "length"
            return Meaning("pose", order, name, measures)
    return None


def understood(header: str, expected: Expected, where: str) -> tuple[Meaning, float] | None:
    """The meaning of a column and the size of its unit in SI; nothing if the name is not known."""
    if len(header) > LONGEST:
        return None
    name, unit = split_brackets(header.strip())
    meaning = expected.meaning(name)
    if meaning is None and unit is None and (parts := split_suffix(name)) is not None:
        name, unit = parts
        meaning = expected.meaning(name)
    if meaning is None:
        return None
    if unit is None:
        return meaning, 1.0
    if meaning.kind == "effort":
        if unit not in EFFORT_UNITS:
            raise InputError(f"{where}: {unit!r} is not a unit of {name!r}; allowed: N m, N, kN.")
        return meaning, EFFORT_UNITS[unit]
    known = UNITS.get(unit)
    allowed = listed_units(meaning.measures, meaning.order)
    if known is None or known.order != meaning.order or meaning.measures not in ("", known.measures):
        raise InputError(f"{where}: {unit!r} is not a unit of {name!r}; allowed: {allowed}.")
    return meaning, known.factor
