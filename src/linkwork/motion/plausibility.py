"""Whether a motion from a file is one that its robot could be meant to make.

The usual causes of what looks wrong: degrees, millimeters, excursions taken for positions, an angle that
jumps by a turn, milliseconds, a recording that begins or ends in motion.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from linkwork.core.input_files import read_bytes
from linkwork.core.rotations import inverse, multiply
from linkwork.files.faults import Document
from linkwork.files.yaml_lines import LARGEST_FILE, read_yaml
from linkwork.model.plausibility import FASTEST_TURN, FASTEST_WAY, Diagnostic, angle, length
from linkwork.motion.splines import SampledMotion
from linkwork.motion.tables import SAMPLED, WRITTEN, line_of_row
from linkwork.motion.trajectory import Motion, PoseTrajectory
from linkwork.robot.robot import Array, Robot

POINTS = 401  # at which a motion that is no table is looked at
BEYOND = 1.5  # of a limit: a motion that goes further was written in another unit
FAR = 5.0  # from home, in sizes of the machine
WIDEST_TILT = math.radians(100)
JUMP = 20.0  # a step beside the usual steps
LEAST_JUMP = 0.3  # [rad or m]
LONG, CREEPING = 100.0, 5e-3  # [s], [rad/s or m/s]: together they are milliseconds taken for seconds
FROM_REST = 1e-2  # of the greatest velocity
JOINT_FIELDS, POSE_FIELDS = (
    ("start", "end", "center", "points", "low", "high"),
    ("start", "end", "poses"),
)


def motion_findings(robot: Robot, motion: Motion, source: str) -> list[Diagnostic]:
    """Suspicious values in a motion read from the file `source`; nothing for bundled motions."""
    ending = Path(source).suffix.lower()
    if ending not in (*SAMPLED, *WRITTEN):
        return []
    written = list(_written(robot, source)) if ending in WRITTEN else []
    return written or [
        Diagnostic(subject, where, what, _line(source, where, row), source)
        for subject, where, what, row in _judged(robot, motion)
    ]


Found = tuple[str, str, str, int | None]  # subject, where, what, row of the table


def _judged(robot: Robot, motion: Motion) -> Iterator[Found]:
    table = isinstance(motion, SampledMotion)
    time = motion.time if isinstance(motion, SampledMotion) else np.linspace(0, motion.duration, POINTS)
    position, velocity, _ = motion.at(time)
    names, units = robot.coordinates.names, robot.coordinates.units
    if isinstance(motion, PoseTrajectory):
        found = list(_far_pose(robot, position))
        names, units = names[:3], units[:3]
        steps, velocities = position[:, :3], velocity
    else:
        found = list(_far_joints(robot, position))
        steps, velocities = position, velocity
    yield from found
    if not found:
        if table:
            yield from _jumps(steps, names, units)
        yield from _slow(velocities, motion.duration, table)
        yield from _fast(velocities, robot.velocities.names, robot.velocities.units)
        yield from _ends(velocities, robot.velocities.names, robot.velocities.units)


def _far_joints(robot: Robot, q: Array) -> Iterator[Found]:
    limits = dict(zip(robot.efforts.names, robot.limits.position, strict=True))
    for k, (name, unit) in enumerate(zip(robot.coordinates.names, robot.coordinates.units, strict=True)):
        row = int(np.argmax(np.abs(q[:, k])))
        most = float(q[row, k])
        own = limits.get(name, np.array([math.inf]))  # a coordinate without a motor has none
        bound = float(np.abs(own).max()) if np.isfinite(own).all() else math.inf
        if unit == "rad" and abs(most) > max(BEYOND * min(bound, 2 * math.pi), math.pi):
            what = f"{most:g} rad is {abs(most) / (2 * math.pi):.1f} turns; did you mean {most:g} deg?"
            yield "angle", name, f"{what} Then name the column `{name} [deg]`", row
        elif unit == "m" and abs(most) > min(FAR * bound, FASTEST_WAY):
            what = f"{most:g} m is far; did you mean {most:g} mm? Then name the column `{name} [mm]`"
            yield "length", name, what, row


def _far_pose(robot: Robot, pose: Array) -> Iterator[Found]:
    home, size = robot.home, robot.size
    away = np.linalg.norm(pose[:, :3] - home[:3], axis=1)
    row = int(np.argmax(away))
    k = int(np.argmax(np.abs(pose[row, :3] - home[:3])))
    if away[row] > FAR * size:
        name, most = "xyz"[k], float(pose[row, k])
        what = f"{most:g} m is {away[row]:.3g} m from home, of a machine of {size:.3g} m"
        if np.linalg.norm(pose[row, :3] / 1e3 - home[:3]) <= FAR * size:
            what += f"; did you mean {most:g} mm? Then name the column `{name} [mm]`"
        yield "length", name, what, row
    elif np.linalg.norm(pose[0, :3]) < 0.2 * away[0] and away[0] > 0.5 * size:
        what = (
            f"starts at the base's own origin, {away[0]:.3g} m from home; did you mean excursions from "
            "home? Then write a .yaml with kind: recorded, file: ... and relative: home"
        )
        yield "home", "x, y, z", what, 0
    turned = multiply(pose[:, 3:], inverse(np.broadcast_to(home[3:], (len(pose), 4))))
    tilt = 2 * np.arccos(np.clip(np.abs(turned[:, 0]), 0.0, 1.0))
    row = int(np.argmax(tilt))
    if tilt[row] > WIDEST_TILT:
        what = (
            f"turned by {np.degrees(tilt[row]):.0f} deg from home; did you mean degrees? Then name the "
            "columns `roll [deg]`, `pitch [deg]`, `yaw [deg]`"
        )
        yield "angle", "roll, pitch, yaw", what, row


def _jumps(steps: Array, names: tuple[str, ...], units: tuple[str, ...]) -> Iterator[Found]:
    for k, name in enumerate(names):
        sizes = np.abs(np.diff(steps[:, k]))
        usual = float(np.median(sizes[sizes > 0])) if (sizes > 0).any() else 0.0
        jumps = sizes > max(JUMP * usual, LEAST_JUMP)
        if jumps.any():
            row = int(np.argmax(jumps))
            turn = abs(sizes[row] - 2 * math.pi) < 0.2 and units[k] == "rad"
            guess = "did you mean it without turns (unwrapped)?" if turn else "is a sample wrong there?"
            what = f"jumps by {sizes[row]:.3g} {units[k]} from one sample to the next; {guess}"
            yield "jump", name, what, row + 1


def _fast(velocity: Array, names: tuple[str, ...], units: tuple[str, ...]) -> Iterator[Found]:
    for k, (name, unit) in enumerate(zip(names, units, strict=True)):
        row = int(np.argmax(np.abs(velocity[:, k])))
        most = abs(float(velocity[row, k]))
        if most > (FASTEST_TURN if unit.startswith("rad") else FASTEST_WAY):
            what = f"moves at {most:.3g} {unit}; did you mean other units of position or time?"
            yield "velocity", name, what, row


def _slow(velocity: Array, duration: float, table: bool) -> Iterator[Found]:
    """A motion that hardly moves for minutes; one that stands still may last as long as it likes."""
    most = float(np.abs(velocity).max())
    if duration >= LONG and 1e-9 < most < CREEPING:
        what = f"{duration:g} s, and nowhere faster than {most:.2g} rad/s or m/s; "
        what += f"did you mean {duration:g} ms? Then "
        what += "name the column `t [ms]`" if table else f"write {duration / 1000:g}"
        yield "duration", "duration", what, None


def _ends(velocity: Array, names: tuple[str, ...], units: tuple[str, ...]) -> Iterator[Found]:
    greatest = np.abs(velocity).max(axis=0)
    for row, what in ((0, "starts"), (-1, "ends")):
        moving = np.abs(velocity[row]) > np.maximum(FROM_REST * greatest, 1e-6)
        if moving.any():
            k = int(np.argmax(np.abs(velocity[row]) * moving))
            text = (
                f"{what} at {velocity[row, k]:.3g} {units[k]}, not at rest; did you mean ends: rest, or "
                "a part of a longer motion?"
            )
            yield "ends", names[k], text, row % len(velocity)


def _line(source: str, where: str, row: int | None) -> int | None:
    """The line of a row of a table, or of a field of a YAML file."""
    if Path(source).suffix.lower() in WRITTEN:
        return read_yaml(read_bytes(source, LARGEST_FILE)).lines.get((where,))
    return line_of_row(source, row)


def _written(robot: Robot, source: str) -> Iterator[Diagnostic]:
    """Angles of a YAML file that are whole turns, and lengths beyond any machine, with their lines."""
    document = read_yaml(read_bytes(source, LARGEST_FILE))
    data = document.data
    if not isinstance(data, Mapping):
        return
    poses, units = robot.coordinates.is_pose, robot.coordinates.by_angles.units
    for field in POSE_FIELDS if poses else JOINT_FIELDS:
        rows = data.get(field)
        if not isinstance(rows, list) or not rows:
            continue
        nested = isinstance(rows[0], list)
        for k, values in enumerate(rows if nested else [rows]):
            place = (field, k) if nested else (field,)
            yield from _row(document, place, values, units, source)


def _row(
    document: Document, place: tuple[str | int, ...], values: object, units: tuple[str, ...], source: str
) -> Iterator[Diagnostic]:
    if not isinstance(values, list) or len(values) != len(units):
        return
    for k, (value, unit) in enumerate(zip(values, units, strict=True)):
        if isinstance(value, bool) or not isinstance(value, int | float):
            continue
        found = angle((*place, k), value) if unit == "rad" else length((*place, k), value)
        for finding in found:
            fault = document.fault(finding.path, finding.what)
            yield Diagnostic(finding.subject, fault.where, finding.what, fault.line, source)
