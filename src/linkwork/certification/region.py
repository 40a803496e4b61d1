"""Regions of positions: ranges of coordinates by name; the others stay at home."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from linkwork.certification.boxes import Array, Boxes
from linkwork.core.arguments import one_of, path_of
from linkwork.core.errors import FileError, InputError
from linkwork.core.input_files import read_bytes
from linkwork.files.faults import Document, FaultyError, shown, texts_of
from linkwork.files.quantities import angle, number
from linkwork.files.yaml_lines import LARGEST_FILE, read_yaml
from linkwork.robot.robot import Robot

Ranges = Mapping[str, Any]
LARGEST_TURN = 7.0  # rad; more is probably meant in degrees


class RegionFileError(FileError, InputError):
    """A region file is at fault."""


def region_of(robot: Robot, given: Ranges | str | os.PathLike[str]) -> Boxes:
    """The box of a mapping of coordinate names to [low, high], absolute, or of a YAML file with one."""
    if not isinstance(given, str | os.PathLike):
        document, source = Document(given), ""
    else:
        source = str(path_of(given, "region"))
        document = _read(source)
    low, high, faults = _home(robot), _home(robot), [*document.faults]
    if not isinstance(document.data, Mapping) or not document.data:
        example = f"{{{robot.coordinates.by_angles.names[0]}: [low, high]}}"
        faults.append(document.fault((), f"expected ranges of coordinates by name, such as {example}"))
    else:
        for name, ends in document.data.items():
            try:
                k = _place(robot, str(name))
                low[k], high[k] = _range(robot, k, ends)
            except (ValueError, InputError) as error:
                faults.append(document.fault((str(name),), str(error)))
    if faults and source:
        raise RegionFileError(source, texts_of(faults))
    if faults:
        raise InputError("region: " + "; ".join(texts_of(faults)))
    return Boxes(low[None], high[None])


def _read(source: str) -> Document:
    try:
        return read_yaml(read_bytes(source, LARGEST_FILE))
    except FaultyError as error:
        raise RegionFileError(source, texts_of(error.faults)) from None


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

    box = region_of(robot, region)
    shares = qmc.Halton(len(robot.velocities), seed=0).random(count)
    rows = robot.coordinates.from_angles(box.low + shares * (box.high - box.low))
    return np.concatenate([home, rows])


def described(robot: Robot, region: Boxes) -> dict[str, tuple[float, float]]:
    """Ranges of all coordinates by name."""
    names = robot.coordinates.by_angles.names
    ends = zip((region.low[0] + 0.0).tolist(), (region.high[0] + 0.0).tolist(), strict=True)
    return dict(zip(names, ends, strict=True))
