"""Motions written down in YAML: the kind of motion and its arguments, every fault at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from linkwork.errors import InputError, LinkworkError, MotionFileError
from linkwork.motion import motion_schema as fields
from linkwork.motion.densities import read_densities, written_densities
from linkwork.motion.excitation import Excitation, fourier
from linkwork.motion.excursions import Excursion, PoseExcursion, circle, sine, step, sweep
from linkwork.motion.header import Expected
from linkwork.motion.lines import Blend, Cubic, Quintic
from linkwork.motion.pose_lines import QuaternionLine, StraightLine
from linkwork.motion.random_vibration import random_vibration
from linkwork.motion.recorded import recorded, shifted
from linkwork.motion.tool_path import ToolPath
from linkwork.motion.trajectory import JointTrajectory, PoseTrajectory
from linkwork.motion.trapezoid import Trapezoid
from linkwork.motion.waypoints import PoseWaypoints, Waypoints, pick_and_place
from linkwork.robots.document import Document
from linkwork.robots.faults import Fault, FaultyError, listed, shown, suggestion, texts_of
from linkwork.robots.validation import Layout, fields_of, refuse_any
from linkwork.robots.yaml_lines import LARGEST_FILE, read_yaml

Motion = JointTrajectory | PoseTrajectory
EXCURSIONS: Mapping[str, tuple[type[fields.Fields], Callable[..., Motion]]] = {
    "sine": (fields.Sine, sine),
    "sweep": (fields.Sweep, sweep),
    "chirp": (fields.Sweep, sweep),
    "step": (fields.Step, step),
    "circle": (fields.Circle, circle),
}
OF_JOINTS = ("quintic", "cubic", "blend", "trapezoid")
KINDS: Mapping[str, tuple[type[fields.Fields], Callable[..., Motion]]] = {
    "quintic": (fields.JointLine, Quintic),
    "cubic": (fields.JointLine, Cubic),
    "blend": (fields.Blend, Blend),
    "trapezoid": (fields.Trapezoid, Trapezoid),
    "waypoints": (fields.Waypoints, Waypoints),
    "excitation": (fields.Excitation, Excitation),
    "fourier": (fields.Fourier, fourier),
    "straight-line": (fields.PoseLine, StraightLine),
    "quaternion-line": (fields.PoseLine, QuaternionLine),
    "pose-waypoints": (fields.PoseWaypoints, PoseWaypoints),
    "tool-path": (fields.ToolPath, ToolPath),
    "pick-and-place": (fields.PickAndPlace, pick_and_place),
    "recorded": (fields.Recorded, recorded),
    "psd": (fields.Psd, random_vibration),
    **EXCURSIONS,
}
# What `relative: home` adds the home configuration to.
PLACES = ("start", "end", "center", "points", "poses", "pick", "place")


def read_written(file: Path, expected: Expected) -> Motion:
    """The motion that a YAML file describes; MotionFileError with every fault."""
    with file.open("rb") as stream:
        raw = stream.read(LARGEST_FILE + 1)
    if not raw.strip():
        raise MotionFileError(str(file), ["is empty; a motion file begins with `kind: quintic`"])
    faults: list[Fault] = []
    try:
        document = read_yaml(raw)
        faults += document.faults
        kind, arguments = _motion(document)
        faults += _lengths(document, kind, arguments, expected)
    except FaultyError as error:
        faults += error.faults
    if faults:
        raise MotionFileError(str(file), texts_of(faults))
    try:
        with np.errstate(all="ignore"):  # what overflows is refused when it is evaluated
            motion = KINDS[kind][1](**_for_robot(kind, arguments, expected, file))
            motion.at(np.linspace(0.0, motion.duration, 3))
            return motion
    except LinkworkError as error:
        raise InputError(f"{file}: {error}") from error


def _motion(document: Document) -> tuple[str, dict[str, Any]]:
    data = document.data
    if not isinstance(data, Mapping):
        what = f"{shown(data)} is not a motion; a file is a mapping that begins with `kind: quintic`"
        raise FaultyError([document.fault((), what)])
    kind = data.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        what = (
            f"{shown(kind)} is not a kind of motion{suggestion(kind, KINDS)}; allowed: {listed(KINDS)}"
        )
        raise FaultyError([document.fault(("kind",), what)])
    schema = KINDS[kind][0]
    fields, found = fields_of(schema, data, Layout(lambda path: schema.model_fields))
    refuse_any(document, found)
    assert fields is not None
    return kind, {name: value for name, value in fields if name != "kind"}


def _lengths(
    document: Document, kind: str, arguments: dict[str, Any], expected: Expected
) -> Iterator[Fault]:
    """Ends of a motion of joints that have not one number for each."""
    if kind not in OF_JOINTS or expected.names is None or expected.moves_platform:
        return
    for name in ("start", "end"):
        if (found := len(arguments[name])) != (count := len(expected.names)):
            what = f"has {found} numbers; {expected.robot} has {count} joints: {listed(expected.names)}"
            yield document.fault((name,), what)


def _for_robot(kind: str, arguments: dict[str, Any], expected: Expected, file: Path) -> dict[str, Any]:
    """The arguments with what they need to know of the robot."""
    if kind == "recorded":
        path = file.parent / arguments.pop("file")
        return {"expected": expected, "path": path, **arguments}
    relative = arguments.pop("relative") is not None
    if kind == "psd":
        return _random(arguments, relative, expected, file)
    if kind in EXCURSIONS:
        arguments["kind"] = PoseExcursion if expected.moves_platform else Excursion
        if arguments["center"] is None:  # an excursion without a center is one from home
            arguments["center"] = shifted(np.zeros(len(arguments["amplitude"])), expected)
        elif relative:
            arguments["center"] = shifted(np.array(arguments["center"]), expected)
        return arguments
    if kind == "fourier":
        arguments["poses"] = expected.moves_platform
    if kind == "pick-and-place":
        arguments["kind"] = PoseWaypoints if expected.moves_platform else Waypoints
    if relative:
        for name in PLACES:
            if name in arguments:
                arguments[name] = shifted(np.array(arguments[name], dtype=np.float64), expected)
    return arguments


def _random(arguments: dict[str, Any], relative: bool, expected: Expected, file: Path) -> dict[str, Any]:
    """A density by coordinate, written in the motion file or in a table beside it."""
    quantity, written, beside = (arguments.pop(name) for name in ("of", "density", "file"))
    if (written is None) == (beside is None):
        raise InputError("a motion of kind psd takes either density: or file:, and one of them.")
    if not expected.home:
        raise InputError("kind: psd needs a robot, whose coordinates it names; read the motion for one.")
    if written is not None:
        densities = written_densities(written, quantity, expected)
    else:
        densities = read_densities(file.parent / beside, quantity, expected)
    center = arguments.pop("center")
    if center is None or relative:  # about home
        zero = np.zeros(len(expected.home))
        center = shifted(zero if center is None else np.array(center), expected)
    moved = PoseExcursion if expected.moves_platform else Excursion
    return {"kind": moved, "center": center, "densities": densities, **arguments}
