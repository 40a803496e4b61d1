"""FMU: the robot as a component of Simulink, Modelica tools and other importers of FMI 2.0 and 3.0."""

from __future__ import annotations

import hashlib
import io
import os
import platform
import shutil
import subprocess
import zipfile
from importlib import resources

import numpy as np

from linkwork.core.arguments import flag, one_of
from linkwork.core.errors import InputError
from linkwork.core.whole_files import scratch_folder
from linkwork.exports.comments import block_comment
from linkwork.exports.fmu_description import build_description, description
from linkwork.exports.fmu_equations import (
    STATES,
    FmuEquations,
    FmuVariable,
    equations,
    variables,
)
from linkwork.exports.job import ExportJob, counted
from linkwork.exports.package import Package, filled, with_check
from linkwork.exports.routines import Routine
from linkwork.exports.states import sampled
from linkwork.kernels import Kernel
from linkwork.kernels.c_code import Style, declaration, function_source, sincos_source, uses_own_sine

VERSIONS = ("3.0", "2.0")
MODELS = ("forward", "inverse", "observer")
TITLES = {name: f"{name}_dynamics" for name in MODELS} | {"observer": "momentum_observer"}
SOURCES = ("model.c", "core.c")
STYLE = Style()
COMPILERS = ("cc", "gcc", "clang")
PATIENCE = 600  # seconds for a compiler
SYSTEMS = {"Linux": ("linux", "so"), "Darwin": ("darwin", "dylib"), "Windows": ("windows", "dll")}
# Names of processors in FMI 3.0; those of FMI 2.0 are linux64, win64, darwin64.
PROCESSORS = {"x86_64": "x86_64", "AMD64": "x86_64", "aarch64": "aarch64", "arm64": "aarch64"}


def package(job: ExportJob) -> Package:
    """NAME_forward_dynamics.fmu or NAME_momentum_observer.fmu, states with results, and a script that
    compares."""
    version = one_of(str(job.options["fmi"]), VERSIONS, "FMI version")
    model = one_of(str(job.options["model"]), MODELS, "model")
    friction, rotors = (flag(job.options[key], key) for key in ("friction", "rotors"))
    found = equations(job.robot, model, friction, rotors)
    listed = variables(job.robot, found)
    check = _check(job, found, listed)  # of a singular robot there is none
    title = f"{job.name}_{TITLES[model]}"
    sources = _sources(job, found, listed, version)
    token = hashlib.sha256(b"".join(sources.values())).hexdigest()[:32]
    sources["model.h"] = sources["model.h"].replace(b"@TOKEN@", token.encode())
    compiled = [*SOURCES, f"fmi{version[0]}.c"]
    files = {f"sources/{name}": content for name, content in sources.items()}
    files["modelDescription.xml"] = description(job, version, title, token, listed, compiled)
    if version == "3.0":
        files["sources/buildDescription.xml"] = build_description(title, compiled)
    files["documentation/README.txt"] = ("\n".join(_header(job, found)) + "\n").encode()
    binary, remarks = _binary(sources, compiled, title, version)
    files |= binary
    remarks += _left_out(job, found, friction)
    name = f"{title}.fmu"
    script = filled("fmu_sources/check.py.txt", FMU=name)
    return Package(with_check(name, _zipped(files), check, script), tuple(remarks))


def _header(job: ExportJob, found: FmuEquations) -> list[str]:
    """The common header, and the operations of the robot's functions."""
    kernels = {"rates": found.rate, "outputs": found.output, "directional derivative": found.tangent}
    said = [
        f"{name}: {counted(kernel.counts)}" for name, kernel in kernels.items() if kernel is not None
    ]
    return [*job.header, "", *said]


def _left_out(job: ExportJob, found: FmuEquations, friction: bool) -> list[str]:
    remarks = []
    plant = job.robot.plant(friction=friction)
    if plant.coulomb:
        remarks.append(
            "Coulomb friction follows the sign of the velocity, without sticking: at rest it chatters. "
            "linkwork simulate finds stick and slip; friction=False (--option friction=no) leaves it out"
        )
    if found.outputs.keys() <= {"effort"}:
        remarks.append("statics does not determine the reactions of this robot: they are no outputs")
    return remarks


def _sources(
    job: ExportJob, found: FmuEquations, listed: list[FmuVariable], version: str
) -> dict[str, bytes]:
    """The robot's own functions, and the fixed files around them."""
    kernels = {"rate": found.rate, "output": found.output, "tangent": found.tangent}
    kernels["projected"] = found.projected
    there = {name: kernel for name, kernel in kernels.items() if kernel is not None}
    arguments = {
        "rate": ("x", "u", "p", "rate"),
        "output": ("x", "u", "p", "y"),
        "tangent": ("x", "u", "p", "dx", "du", "drate", "dy"),
        "projected": ("x", "unit"),
    }
    instead = {"projected": "memcpy(unit, x, NX * sizeof(double))"}
    sizes = {"NX": found.states, "NU": found.inputs, "NY": sum(found.outputs.values())}
    sizes["NP"] = found.parameters
    lines = [
        block_comment(_header(job, found)),
        "#ifndef MODEL_H",
        "#define MODEL_H",
        '#define TOKEN "@TOKEN@"',
    ]
    lines += [f"#define {name} {size}" for name, size in sizes.items()]
    starts = ", ".join(STYLE.number(v.start or 0.0) for v in listed)
    lines.append(f"#define START {{{starts}}}")
    for name, kernel in there.items():
        lines.append(f"{declaration(kernel.graph, f'model_{name}', STYLE)};")
    for name, order in arguments.items():
        head = f"#define MODEL_{name.upper()}({', '.join(order)})"
        call = instead.get(name, "0") if name not in there else _call(name, there[name], order)
        lines.append(f"{head} {call}")
    lines.append("#endif")
    code = [block_comment(_header(job, found)), '#include "model.h"', "#include <math.h>"]
    if any(uses_own_sine(kernel.graph, STYLE) for kernel in there.values()):
        code.append(sincos_source("model_sincos", STYLE))
    code += [
        function_source(kernel.graph, f"model_{name}", "model_sincos", STYLE)
        for name, kernel in there.items()
    ]
    folder = resources.files("linkwork.exports").joinpath("fmu_sources")
    around = ("core.h", "core.c", "fmi.h", f"fmi{version[0]}.c")
    fixed = {name: folder.joinpath(name).read_bytes() for name in around}
    return {"model.h": ("\n".join(lines) + "\n").encode(), "model.c": "\n".join(code).encode(), **fixed}


def _call(name: str, kernel: Kernel, order: tuple[str, ...]) -> str:
    """A call with those arguments that have elements."""
    given = [argument for argument in order if argument in kernel.inputs or argument in kernel.outputs]
    return f"model_{name}({', '.join(given)})"


def _binary(
    sources: dict[str, bytes], compiled: list[str], title: str, version: str
) -> tuple[dict[str, bytes], list[str]]:
    """A shared library for this machine, or a remark that there is none."""
    system, ending = SYSTEMS.get(platform.system(), ("linux", "so"))
    processor = PROCESSORS.get(platform.machine(), platform.machine())
    own = os.environ.get("CC")
    compiler = next((path for name in (own, *COMPILERS) if name and (path := shutil.which(name))), None)
    if compiler is None:
        said = "no C compiler was found (set CC): the FMU holds sources and no binary"
        return {}, [f"{said}; importers that compile sources take it"]
    short = {"linux": "linux64", "darwin": "darwin64", "windows": "win64"}[system]
    place = f"{processor}-{system}" if version == "3.0" else short
    with scratch_folder() as folder:
        for name, content in sources.items():
            (folder / name).write_bytes(content)
        library = folder / f"{title}.{ending}"
        options = ["-std=c99", "-O2", "-shared", "-fPIC", "-fvisibility=hidden", "-ffp-contract=off"]
        command = [compiler, *options, *compiled, "-o", str(library), "-lm"]
        try:
            done = subprocess.run(
                command, cwd=folder, capture_output=True, text=True, timeout=PATIENCE, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return {}, [f"{compiler} could not be run ({error}): the FMU holds sources and no binary"]
        if done.returncode != 0:
            reason = (done.stderr.strip().splitlines() or ["no message"])[0]
            return {}, [f"{compiler} failed ({reason}): the FMU holds sources and no binary"]
        return {f"binaries/{place}/{title}.{ending}": library.read_bytes()}, []


def _zipped(files: dict[str, bytes]) -> bytes:
    """A zip whose bytes depend on its files alone."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name)
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    return buffer.getvalue()


def _check(job: ExportJob, found: FmuEquations, listed: list[FmuVariable]) -> dict[str, object]:
    """Values to set and values to get, by name, for several states, payloads and gravities."""
    robot = job.robot
    method = STATES[found.model]
    routine = Routine(method, robot.kernel(method))
    samples = list(sampled(robot, routine).inputs.values())
    count = len(samples[0])
    if found.model == "forward":
        x, u = np.concatenate(samples[:2], axis=1), samples[2]
    else:
        u = np.concatenate(samples, axis=1)
        x = np.random.default_rng(1).normal(size=(count, found.states))
    p = np.tile([v.start or 0.0 for v in listed[-found.parameters :]], (count, 1))
    p[1::2, :10] = [0.5, 0.01, 0.02, 0.03, 0.02, 0.02, 0.03, 0.0, 0.001, 0.0]
    p[2::3, 10:13] = [1.0, -2.0, -9.0]
    given = {"x": x, "u": u, "p": p}
    parts = [np.zeros((count, 1)), x]
    for kernel, size in ((found.rate, found.states), (found.output, sum(found.outputs.values()))):
        if kernel is None:
            parts.append(np.zeros((count, size)))
        else:
            values, nonfinite = kernel.evaluate(tuple(given[key] for key in kernel.inputs))
            if nonfinite:
                raise InputError(
                    f"{robot.name} with a payload is singular about its home configuration."
                )
            parts.append(np.asarray(values))
    table = np.concatenate([*parts[:3], u, *parts[3:], p], axis=1)
    names = [v.name for v in listed]
    calculated = [k for k, v in enumerate(listed) if v.initial == "calculated"]
    set_ = [k for k, v in enumerate(listed) if v.start is not None]
    return {
        "set": {names[k]: table[:, k].tolist() for k in set_},
        "get": {names[k]: table[:, k].tolist() for k in calculated},
    }
