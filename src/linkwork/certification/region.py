"""Regions as users give them: ranges of coordinates by name, round ones, and tubes around paths."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from linkwork.certification.areas import Area, BoxArea, RoundArea
from linkwork.certification.boxes import Array, Boxes
from linkwork.certification.paths import tube_around
from linkwork.core.arguments import one_of, path_of
from linkwork.core.errors import FileError, InputError, LinkworkError
from linkwork.core.input_files import read_bytes
from linkwork.files.faults import Document, FaultyError, shown, texts_of
from linkwork.files.quantities import angle, number
from linkwork.files.yaml_lines import LARGEST_FILE, read_yaml
from linkwork.motion.bundled import motion_for, unloaded
from linkwork.motion.trajectory import Trajectory
from linkwork.robot.robot import Robot

Ranges = Mapping[str, Any]
LARGEST_TURN = 7.0  # rad; more is probably meant in degrees
ROUND = {"cylinder": 2, "sphere": 3}  # and in how many coordinates
TUBE = ("path", "tube", "turn")
ASKED = ("condition", "leg_diameter", "wrench", "acceleration", "tolerances")  # may stand beside


class RegionFileError(FileError, InputError):
    """A region file is at fault."""


def region_of(
    robot: Robot, given: Ranges | Trajectory[Any] | str | os.PathLike[str]
) -> tuple[Area, dict[str, Any]]:
    """The area of a mapping, of a YAML file with one, or of a motion; and what else it asks.

    A mapping has ranges [low, high] by coordinate name, absolute; beside them a cylinder or a sphere, or
    instead of them a path with a tube around it.
    """
    source, folder = "", Path()
    if isinstance(given, Trajectory):
        document = Document({"path": given})
    elif isinstance(given, str | os.PathLike):
        source = str(path_of(given, "region"))
        document, folder = _read(source), Path(source).parent
    else:
        document = Document(given)
    faults = [*document.faults]
    asked: dict[str, Any] = {}
    if isinstance(document.data, Mapping):
        asked = {name: document.data[name] for name in ASKED if name in document.data}
        ranges = {name: value for name, value in document.data.items() if name not in asked}
        document = Document(ranges, document.lines)
    area: Area | None = None
    if not isinstance(document.data, Mapping) or not document.data:
        example = f"{{{robot.coordinates.by_angles.names[0]}: [low, high]}}"
        faults.append(document.fault((), f"expected ranges of coordinates by name, such as {example}"))
    elif "path" in document.data:
        area = _tube(robot, document, folder, faults)
    else:
        area = _ranges(robot, document, faults)
    if faults and source:
        raise RegionFileError(source, texts_of(faults))
    if faults or area is None:
        raise InputError("region: " + "; ".join(texts_of(faults)))
    return area, asked


def _read(source: str) -> Document:
    try:
        return read_yaml(read_bytes(source, LARGEST_FILE))
    except FaultyError as error:
        raise RegionFileError(source, texts_of(error.faults)) from None


def _ranges(robot: Robot, document: Document, faults: list[Any]) -> Area | None:
    low, high = _home(robot), _home(robot)
    found: tuple[tuple[int, ...], Array, float] | None = None
    data: Any = document.data
    written = {str(name) for name in data}
    for name, value in data.items():
        try:
            if name in ROUND:
                found = _round(robot, name, value)
                places, center, radius = found
                if doubled := [each for each in _names(robot, places) if each in written]:
                    raise ValueError(f"{doubled[0]} has a range beside it; the {name} bounds it already")
                for k, at in zip(places, center, strict=True):
                    low[k], high[k] = at - radius, at + radius
            else:
                k = _place(robot, str(name))
                low[k], high[k] = _range(robot, k, value)
        except (ValueError, LinkworkError) as error:
            faults.append(document.fault((str(name),), str(error)))
    if len(written & ROUND.keys()) > 1:
        faults.append(document.fault((), "expected a cylinder or a sphere, not both"))
    box = Boxes(low[None], high[None])
    if found is None:
        return BoxArea(box)
    return RoundArea(box, found[0], found[1], found[2])


def _names(robot: Robot, places: tuple[int, ...]) -> list[str]:
    return [robot.coordinates.by_angles.names[k] for k in places]


def _round(robot: Robot, kind: str, value: object) -> tuple[tuple[int, ...], Array, float]:
    """Which coordinates, center and radius; a ValueError says what is wrong."""
    names = robot.coordinates.by_angles.names
    example = "{center: {x: 0, y: 0" + (", z: 0" if ROUND[kind] == 3 else "") + "}, radius: 0.1}"
    if not isinstance(value, Mapping) or {*value} != {"center", "radius"}:
        raise ValueError(f"{shown(value)} is not a {kind}; expected {example}")
    center, radius = value["center"], float(number("m")(value["radius"]))
    if not isinstance(center, Mapping) or len(center) != ROUND[kind]:
        raise ValueError(f"{shown(center)} is not its center; expected {example}")
    places = tuple(_place(robot, str(name)) for name in center)
    for k in places:
        if robot.coordinates.by_angles.units[k] != "m":
            raise ValueError(f"{names[k]} is not a length; a {kind} is one of positions")
    if not radius > 0:
        raise ValueError(f"radius {radius:g} is not positive")
    return places, np.array([float(number("m")(each)) for each in center.values()]), radius


def _tube(robot: Robot, document: Document, folder: Path, faults: list[Any]) -> Area | None:
    data: Any = document.data
    for name in data:
        if name not in TUBE:
            told = f"not beside a path; expected {', '.join(TUBE)}"
            faults.append(document.fault((str(name),), told))
    around = [0.0, 0.0]
    for k, (name, read) in enumerate((("tube", number("m")), ("turn", angle))):
        try:
            around[k] = float(read(data.get(name, 0.0)))
            if not around[k] >= 0:
                raise ValueError(f"{shown(data[name])} is negative")
        except ValueError as error:
            faults.append(document.fault((name,), str(error)))
    try:
        motion = data["path"]
        if not isinstance(motion, Trajectory):
            if not isinstance(motion, str | os.PathLike):
                raise ValueError(f"{shown(motion)} is not a motion; expected a file or a name")
            there = folder / motion
            motion = motion_for(robot, str(there if there.exists() else motion))
        return tube_around(robot, unloaded(motion, "the path", "certify"), *around)
    except (ValueError, LinkworkError) as error:
        faults.append(document.fault(("path",), str(error)))
        return None


def _home(robot: Robot) -> Array:
    return np.array(robot.coordinates.to_angles(np.asarray(robot.home, dtype=float)))


def _place(robot: Robot, name: str) -> int:
    names = robot.coordinates.by_angles.names
    return names.index(one_of(name, names, f"coordinate of {robot.name}"))


def _range(robot: Robot, k: int, ends: object) -> tuple[float, float]:
    """Of one coordinate; a ValueError says what is wrong."""
    if isinstance(ends, np.ndarray):
        ends = ends.tolist()
    if not isinstance(ends, list | tuple) or len(ends) != 2:
        raise ValueError(f"{shown(ends)} is not a range; expected [low, high]")
    unit = robot.coordinates.by_angles.units[k]
    read = angle if unit == "rad" else number(unit)
    low, high = (float(read(end)) for end in ends)
    if not low <= high:
        raise ValueError(f"{shown(list(ends))} is not in order; expected low <= high")
    if unit == "rad" and max(abs(low), abs(high)) > LARGEST_TURN:
        raise ValueError(f"{shown(list(ends))} is in radians; did you mean degrees ({ends[1]} deg)?")
    return low, high


def positions_in(robot: Robot, region: Ranges | str | os.PathLike[str] | None, count: int) -> Array:
    """Home, then `count` positions spread evenly over a region (Halton); home alone without one."""
    home = np.asarray(robot.home, dtype=np.float64)[None]
    if region is None:
        return home
    from scipy.stats import qmc

    box = region_of(robot, region)[0].ranges
    shares = qmc.Halton(len(robot.velocities), seed=0).random(count)
    rows = robot.coordinates.from_angles(box.low + shares * (box.high - box.low))
    return np.concatenate([home, rows])


def described(robot: Robot, region: Boxes) -> dict[str, tuple[float, float]]:
    """Ranges of all coordinates by name."""
    names = robot.coordinates.by_angles.names
    ends = zip((region.low[0] + 0.0).tolist(), (region.high[0] + 0.0).tolist(), strict=True)
    return dict(zip(names, ends, strict=True))
