"""OpenCL and CUDA: a kernel per routine, one work-item per state.

Arrays are interleaved: number k of state i of N stands at k N + i, so that neighboring work-items read
neighboring numbers. The functions are those of the C export.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from linkwork.core.arguments import flag
from linkwork.exports.c_files import checked_states, definitions, routine_name
from linkwork.exports.comments import block_comment
from linkwork.exports.job import ExportJob
from linkwork.exports.package import CHECK, Package, filled, json_bytes
from linkwork.exports.routines import Routine
from linkwork.kernels.c_code import CUDA, OPENCL, Language, Style, output_name


@dataclass(frozen=True)
class Device:
    """How kernels of a language are written."""

    language: Language
    ending: str
    kernel: str  # before a kernel
    memory: str  # before a pointer to memory of the device
    index: str  # of a work-item
    size: str  # the type of indices
    begin: str = ""
    double: str = ""


DEVICES = {
    "opencl": Device(
        OPENCL,
        "cl",
        "__kernel void",
        "__global ",
        "get_global_id(0)",
        "size_t",
        "#pragma OPENCL FP_CONTRACT OFF\n",
        "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n",
    ),
    "cuda": Device(
        CUDA,
        "cu",
        'extern "C" __global__ void',
        "",
        "blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x",
        "unsigned long long",
    ),
}
LAYOUT = (
    "Kernels NAME_batch take the number of states, inputs, outputs and a status, one work-item per",
    "state. Arrays are interleaved: number k of state i of N stands at k * N + i. The status of a state",
    "is 0, or 1 if an input or a result is not finite: then do not use its results.",
)


def package(job: ExportJob) -> Package:
    """NAME.cl with a module for pyopencl, or NAME.cu; and states with results to check either by."""
    device = DEVICES[job.target]
    style = Style(single=flag(job.options["single"], "single"), language=device.language)
    routines = {}
    for routine in job.routines:
        states = checked_states(job, routine, style).data
        kernel = routine.kernel
        shapes = {"inputs": {k: [n] for k, n in kernel.inputs.items()}, "outputs": kernel.outputs}
        routines[routine.name] = {"shapes": shapes, **states}
    files = {
        f"{job.name}.{device.ending}": source(job, style, device).encode(),
        CHECK: json_bytes({"robot": job.robot.name, "name": job.name, "routines": routines}),
    }
    if job.target == "opencl":
        methods = {name: each["shapes"] for name, each in routines.items()}
        files[f"{job.name}_opencl.py"] = filled(
            "opencl_batch.py.txt",
            NAME=job.name,
            METHODS=json.dumps(methods, indent=4),
            REAL="float32" if style.single else "float64",
        ).encode()
    return Package(files)


def source(job: ExportJob, style: Style, device: Device) -> str:
    """The whole file."""
    parts = [block_comment((*job.header, "", *LAYOUT))]
    parts.append(device.begin + ("" if style.single else device.double))
    parts += definitions(job, style)
    parts += [_kernel(job, routine, style, device) for routine in job.routines]
    return "\n".join(parts)


def _kernel(job: ExportJob, routine: Routine, style: Style, device: Device) -> str:
    graph, real, memory = routine.kernel.graph, style.real, device.memory
    name = routine_name(job, routine.name)
    taken = set(graph.input_names)
    sizes = dict(zip(graph.input_names, graph.input_sizes, strict=True))
    results = {
        output_name(key, taken): len(column)
        for key, column in zip(graph.output_names, graph.outputs, strict=True)
    }
    restrict = device.language.restrict
    arguments = [f"const {memory}{real} *{restrict} {key}" for key in sizes]
    arguments += [f"{memory}{real} *{restrict} {key}" for key in results]
    arguments.append(f"{memory}int *{restrict} status")
    lines = [
        f"const {device.size} i = {device.index}, n = ({device.size})count;",
        "if (i >= n) return;",
    ]
    lines += [f"{real} own_{key}[{size or 1}];" for key, size in {**sizes, **results}.items()]
    lines += [
        f"for (int k = 0; k < {size}; k++) own_{key}[k] = {key}[k * n + i];"
        for key, size in sizes.items()
    ]
    own = ", ".join(f"own_{key}" for key in (*sizes, *results))
    lines.append(f"status[i] = {name}({own});")
    lines += [
        f"for (int k = 0; k < {size}; k++) {key}[k * n + i] = own_{key}[k];"
        for key, size in results.items()
    ]
    body = "\n".join(f"    {line}" for line in lines)
    said = block_comment([routine.name.replace("_", " "), *job.signature(routine)])
    given = ",\n    ".join([f"{device.kernel} {name}_batch(int count", *arguments])
    return f"\n{said}{given}) {{\n{body}\n}}\n"
