"""The one function, a robot into a folder for another tool, and the targets there are.

A new target is a module with `package(job)`, and a line in `TARGETS`.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from linkwork.core.arguments import one_of
from linkwork.core.errors import InputError
from linkwork.exports.job import ExportJob, identifier
from linkwork.exports.package import Package, check_folder, put
from linkwork.exports.routines import DEFAULT_METHODS, routines_of
from linkwork.robot.compiled import CallOptions
from linkwork.robot.robot import Robot


@dataclass(frozen=True)
class ExportTarget:
    """Where a robot can go.

    Attributes:
        module: within this package; its `package(job)` makes the files. Loaded when it is needed.
        options: the target's own options and their defaults.
        methods: routines that are exported if none are named; empty for a target that takes the whole
            mechanism and no methods.
    """

    name: str
    summary: str
    module: str
    options: CallOptions = field(default_factory=dict)
    methods: tuple[str, ...] = DEFAULT_METHODS

    def package(self, job: ExportJob) -> Package:
        """The files of an export."""
        found: Package = importlib.import_module(f"linkwork.exports.{self.module}").package(job)
        return found


TARGETS = {
    target.name: target
    for target in (
        ExportTarget(
            "c",
            "C99 for controllers: .h, .c, check",
            "c_files",
            {"single": False, "libm": False, "cmake": False, "arduino": False},
        ),
        ExportTarget(
            "fmu",
            "FMI 2.0 or 3.0 for Simulink and Modelica tools",
            "fmu",
            {"fmi": "3.0", "model": "forward", "friction": True, "rotors": True},
            methods=(),
        ),
        ExportTarget("mjcf", "MuJoCo's XML", "mjcf", methods=()),
        ExportTarget("urdf", "URDF of arms", "urdf", methods=()),
        ExportTarget("wasm", "WebAssembly and a JavaScript module, for browsers and Node.js", "wasm"),
        ExportTarget("casadi", "serialised CasADi functions, for optimisers", "casadi_functions"),
    )
}


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
    **options: object,
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
    Robot.expect(robot, "export")
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
    job = ExportJob(robot, target, identifier(name, robot.name), routines, own, rest)
    package = chosen.package(job)
    left = put(package, folder)
    return Exported(folder, tuple(package.files), (*package.remarks, *left))
