"""The one function: a robot into a folder for another tool."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from linkwork.errors import InputError
from linkwork.exports.identifiers import identifier
from linkwork.exports.job import Job
from linkwork.exports.package import check_folder, put
from linkwork.exports.routines import routines_of
from linkwork.exports.targets import TARGETS
from linkwork.interface.robot import Robot
from linkwork.names import one_of


class Exported(NamedTuple):
    """What was written."""

    folder: Path
    files: tuple[str, ...]
    remarks: tuple[str, ...]


def export(
    robot: Robot,
    target: str,
    path: str | os.PathLike[str],
    methods: Sequence[str] | None = None,
    *,
    name: str | None = None,
    force: bool = False,
    **options: Any,
) -> Exported:
    """Write a robot for another tool into a folder, whole or not at all, with a check of its own.

    Args:
        target: the tool, such as "c" or "fmu"; `linkwork export --list` shows all.
        path: the folder; it must be new or empty unless `force`.
        methods: methods of the robot, such as "inverse_dynamics", and control laws: "computed_torque"
            and "gravity_compensation" of robots whose coordinates have no quaternion,
            "task_space_control" of those whose coordinates are not their motors.
        name: prefix of exported names, a C identifier; the robot's name if None.
        force: write into a folder that is not empty; files of the same names are replaced.
        options: of the target, such as single=True of "c", and of the methods as `robot.kernel` takes
            them, such as friction=False or gravity="input".
    """
    if not isinstance(robot, Robot):
        raise InputError(f"{robot!r} is not a robot; export takes what lw.load returns.")
    chosen = TARGETS[one_of(target, TARGETS, "target")]
    folder = Path(path)
    check_folder(folder, force)
    own = {key: options.get(key, default) for key, default in chosen.options.items()}
    rest = {key: value for key, value in options.items() if key not in chosen.options}
    if chosen.methods:
        routines = routines_of(robot, chosen.methods if methods is None else methods, rest)
    else:
        if methods is not None:
            raise InputError(f"target {target!r} takes the whole mechanism; methods are not for it.")
        for key in rest:
            one_of(key, chosen.options, f"option of target {target!r}")
        routines = ()
    job = Job(robot, target, identifier(name, robot.name), routines, own, rest)
    package = chosen.package(job)
    left = put(package, folder)
    return Exported(folder, tuple(package.files), (*package.remarks, *left))
