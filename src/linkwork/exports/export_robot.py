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

from linkwork.core.arguments import one_of, path_of
from linkwork.core.checked import checked
from linkwork.core.errors import InputError
from linkwork.core.whole_files import write_bytes, write_together
from linkwork.exports.job import ExportJob, identifier
from linkwork.exports.package import Package, check_file, check_folder
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
        ending: of the one file that tools read, where that alone is enough.
    """

    name: str
    summary: str
    module: str
    options: CallOptions = field(default_factory=dict)
    methods: tuple[str, ...] = DEFAULT_METHODS
    ending: str = ""

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
            ending=".fmu",
        ),
        ExportTarget("mjcf", "MuJoCo's XML", "mjcf", methods=(), ending=".xml"),
        ExportTarget("urdf", "URDF of arms", "urdf", methods=(), ending=".urdf"),
        ExportTarget("wasm", "WebAssembly and a JavaScript module, for browsers and Node.js", "wasm"),
        ExportTarget("opencl", "OpenCL C and a helper for pyopencl", "gpu_files", {"single": False}),
        ExportTarget("cuda", "CUDA C++, kernels over batches", "gpu_files", {"single": False}),
        ExportTarget("casadi", "serialized CasADi functions, for optimizers", "casadi_functions"),
    )
}


# Of what exports write; a folder of such a name is hardly meant.
FILE_ENDINGS = {
    ".c",
    ".h",
    ".cl",
    ".cu",
    ".ino",
    ".js",
    ".ts",
    ".wasm",
    ".casadi",
    ".zip",
    ".json",
    ".py",
    ".mjs",
}
FILE_ENDINGS |= {target.ending for target in TARGETS.values() if target.ending}


class Exported(NamedTuple):
    """What was written."""

    folder: Path
    files: tuple[str, ...]
    remarks: tuple[str, ...]


@checked
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
    """Write a robot for another tool, whole or not at all: into a folder, with a check of its own, or
    as one file.

    Args:
        target: the tool, such as "c" or "fmu"; `linkwork export --list` shows all.
        path: the folder; or, with the ending .fmu, .xml (mjcf) or .urdf of its target, that file alone.
            It must be new, or an empty folder, unless `force`.
        methods: methods of the robot, such as "inverse_dynamics", and control laws: "computed_torque"
            and "gravity_compensation" of robots whose coordinates have no quaternion,
            "task_space_control" of those whose coordinates are not their motors; and "momentum_observer"
            and "payload_observer".
        name: prefix of exported names, a C identifier; the robot's name if None.
        force: replace the file, or write into a folder that is not empty, where files of the same names
            are replaced.
        options: of the target, such as single=True of "c", and of the methods as `robot.kernel` takes
            them, such as friction=False or gravity="input".
    """
    Robot.expect(robot, "export")
    chosen = TARGETS[one_of(target, TARGETS, "target")]
    place = path_of(path)
    alone = _is_file(chosen, place)
    (check_file if alone else check_folder)(place, force)
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
    if alone:
        (content,) = (file for name, file in package.files.items() if name.endswith(chosen.ending))
        write_bytes(place, content)
        return Exported(place.parent, (place.name,), package.remarks)
    left = write_together(place, package.files)
    return Exported(place, tuple(package.files), (*package.remarks, *left))


def _is_file(target: ExportTarget, place: Path) -> bool:
    """Whether a path means the one file of a target; what is a folder stays one, whatever its name."""
    ending = place.suffix.lower()
    if place.is_dir() or ending not in FILE_ENDINGS:
        return False
    if ending != target.ending:
        also = f", or one file with the ending {target.ending}" if target.ending else ""
        raise InputError(
            f"{place}: target {target.name!r} writes a folder{also}; give a name without {ending}."
        )
    return True
