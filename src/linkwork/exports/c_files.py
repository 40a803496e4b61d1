"""C99 for controllers: a header, a source, and a program that compares with our results."""

from __future__ import annotations

from collections.abc import Iterable

from linkwork.exports.c_check import check_header, check_program, check_sketch
from linkwork.exports.c_projects import cmake_lists, library_properties
from linkwork.exports.job import Job
from linkwork.exports.package import Package
from linkwork.interface.options import flag
from linkwork.kernels.c_code import (
    Style,
    declaration,
    function_source,
    sincos_source,
    uses_library,
    uses_own_sine,
)


def package(job: Job) -> Package:
    """NAME.h, NAME.c and the check; the layout of a CMake project or an Arduino library if asked for."""
    single, libm, cmake, arduino = (
        flag(job.options[key], key) for key in ("single", "libm", "cmake", "arduino")
    )
    style = Style(single, libm)
    name = job.name
    code = {f"{name}.h": header(job, style), f"{name}.c": source(job, style)}
    states = {f"{name}_check.h": check_header(job, style)}
    if arduino:
        example = f"examples/{name}_check"
        files = {f"src/{path}": text for path, text in code.items()}
        files |= {f"{example}/{path}": text for path, text in states.items()}
        files[f"{example}/{name}_check.ino"] = check_sketch(job)
        files["library.properties"] = library_properties(job)
    else:
        files = {**code, **states, f"{name}_check.c": check_program(job, style)}
    if cmake:
        files["CMakeLists.txt"] = cmake_lists(job, "src/" if arduino else "", not arduino)
    return Package({path: text.encode() for path, text in files.items()}, tuple(_remarks(job, style)))


def _remarks(job: Job, style: Style) -> list[str]:
    if any(uses_library(routine.kernel.graph, style) for routine in job.routines):
        return ["the code calls functions of math.h: link with -lm"]
    return []


def comment(lines: Iterable[str]) -> str:
    """A block of lines as a comment."""
    return "\n".join(["/*", *(f" * {line}".rstrip() for line in lines), " */"]) + "\n"


def header(job: Job, style: Style) -> str:
    """Declarations, with what a caller has to know."""
    guard = f"{job.name.upper()}_H"
    parts = [
        comment(job.header),
        f'#ifndef {guard}\n#define {guard}\n\n#ifdef __cplusplus\nextern "C" {{\n#endif\n',
        "/* Every function returns 0, or 1 if an input or a result is not finite: then do not use the",
        "   results. There is no memory of earlier calls, and several threads may call at once. */",
    ]
    for routine in job.routines:
        lines = "\n   ".join([routine.name.replace("_", " "), *job.signature(routine)])
        parts.append(f"\n/* {lines} */")
        parts.append(f"{declaration(routine.kernel.graph, routine_name(job, routine.name), style)};")
    parts.append("\n#ifdef __cplusplus\n}\n#endif\n\n#endif")
    return "\n".join(parts) + "\n"


def routine_name(job: Job, routine: str) -> str:
    """What a routine is called in C."""
    return f"{job.name}_{routine}"


def source(job: Job, style: Style) -> str:
    """Definitions; sine and cosine are a function of the file's own."""
    graphs = [(routine_name(job, routine.name), routine.kernel.graph) for routine in job.routines]
    sincos = f"{job.name}_sincos"
    parts = [comment(job.header), f'#include "{job.name}.h"']
    if any(uses_library(graph, style) for _, graph in graphs):
        parts.append("#include <math.h>")
    if any(uses_own_sine(graph, style) for _, graph in graphs):
        parts.append(sincos_source(sincos, style))
    parts += ["\n" + function_source(graph, name, sincos, style) for name, graph in graphs]
    return "\n".join(parts)
