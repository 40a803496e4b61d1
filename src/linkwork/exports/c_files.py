"""C99 for controllers: a header, a source, a program that compares with our results; around them a CMake
project or an Arduino library if asked for.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

import linkwork
from linkwork.core.arguments import flag
from linkwork.core.errors import InputError
from linkwork.exports.comments import block_comment
from linkwork.exports.job import ExportJob
from linkwork.exports.package import Package
from linkwork.exports.rounding import SINGLE
from linkwork.exports.routines import Routine
from linkwork.exports.states import CheckedStates, spread_of
from linkwork.kernels.c_code import (
    Style,
    declaration,
    function_source,
    sincos_source,
    uses_library,
    uses_own_sine,
)
from linkwork.robot.robot import Array

CMAKE = """# {name}: a static library from Linkwork{and_check}.
cmake_minimum_required(VERSION 3.10)
project({name} C)

add_library({name} STATIC {folder}{name}.c)
target_include_directories({name} PUBLIC ${{CMAKE_CURRENT_SOURCE_DIR}}/{folder_or_here})
set_target_properties({name} PROPERTIES C_STANDARD 99 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF)
if(UNIX)
  target_link_libraries({name} PUBLIC m)
endif()
"""
CHECK = """
enable_testing()
add_executable({name}_check {name}_check.c)
set_target_properties({name}_check PROPERTIES C_STANDARD 99 C_EXTENSIONS OFF)
target_link_libraries({name}_check PRIVATE {name})
add_test(NAME {name}_check COMMAND {name}_check)
"""
PROPERTIES = """name={name}
version={version}
author=Linkwork
maintainer=Linkwork
sentence={robot}: {routines}.
paragraph=Written by linkwork export; the header says robot, conventions, units and operations.
category=Device Control
url=
architectures=*
includes={name}.h
"""


def cmake_lists(job: ExportJob, folder: str, with_check: bool) -> str:
    """A project with the library and, as a test, the check."""
    words = {"name": job.name, "folder": folder, "folder_or_here": folder or "."}
    text = CMAKE.format(and_check=", and its check as a test" if with_check else "", **words)
    return text + (CHECK.format(**words) if with_check else "")


def library_properties(job: ExportJob) -> str:
    """What the Arduino tools want to know of a library."""
    routines = ", ".join(routine.name.replace("_", " ") for routine in job.routines)
    return PROPERTIES.format(
        name=job.name, version=linkwork.__version__, robot=job.name, routines=routines
    )


FEW_DIGITS = 1e-2  # of a state's largest result, tolerance in single precision: told at export

COMPARISON = """
static {real} {name}_larger({real} a, {real} b) {{
    const {real} size = b < {zero} ? -b : b;
    return size <= a ? a : size; /* NaN counts as larger */
}}
"""

PROGRAM = """/* Compares {name}.c with Linkwork's own results. Exit status 0: they agree. */
#include "{name}_check.h"

#include <stdio.h>

int main(void) {{
    int fault = 0;
{calls}
    return fault;
}}
"""
CALL = """    {{
        const {real} worst = {name}_check_{routine}();
        if (!(worst <= {tolerance})) fault = 1;
        printf("{routine}: largest relative difference %.1e\\n", (double)worst);
    }}"""

SKETCH = """// Compares with Linkwork's own results and prints the largest relative differences.
#include "{name}_check.h"

void setup() {{
  Serial.begin(115200);
  while (!Serial) {{
  }}
{calls}
}}

void loop() {{
}}
"""


def checked_states(job: ExportJob, routine: Routine, style: Style) -> CheckedStates:
    """Those of the job; in single precision, the kernel's results for the rounded inputs."""
    samples = job.samples[routine.name]
    if not style.single:
        return samples
    inputs = {key: x.astype(np.float32).astype(np.float64) for key, x in samples.inputs.items()}
    found, _ = routine.kernel.evaluate(tuple(inputs.values()))
    outputs = dict(zip(samples.outputs, found if isinstance(found, tuple) else (found,), strict=True))
    apart = spread_of(routine, inputs, tuple(outputs.values()), slice(None), SINGLE)
    kept = np.flatnonzero(np.isfinite(apart))
    if not len(kept):
        raise InputError(
            f"{routine.name} of {job.robot.name} has no finite results in single precision: export it "
            "in double precision, or name other methods (--method)."
        )
    return CheckedStates(
        {key: values[kept] for key, values in inputs.items()},
        {key: values[kept] for key, values in outputs.items()},
        float(apart[kept].max()),
        SINGLE,
    )


def _table(name: str, values: Array, style: Style) -> str:
    rows = values.reshape(len(values), -1)
    text = ",\n    ".join("{" + ", ".join(style.number(x) for x in row) + "}" for row in rows.tolist())
    return f"static const {style.real} {name}[{len(rows)}][{rows.shape[1]}] = {{\n    {text}}};\n"


def check_header(job: ExportJob, style: Style, states: Mapping[str, CheckedStates]) -> str:
    """Tables and a function per routine that returns the largest relative difference."""
    zero = style.number(0.0)
    guard = f"{job.name.upper()}_CHECK_H"
    parts = [f'#ifndef {guard}\n#define {guard}\n\n#include "{job.name}.h"\n']
    parts.append(COMPARISON.format(real=style.real, name=job.name, zero=zero))
    for routine in job.routines:
        samples = states[routine.name]
        name = f"{job.name}_{routine.name}"
        for kind, arrays in (("in", samples.inputs), ("out", samples.outputs)):
            parts += [_table(f"{name}_{kind}_{key}", values, style) for key, values in arrays.items()]
        count = len(next(iter(samples.inputs.values())))
        sizes = {key: values[0].size for key, values in samples.outputs.items()}
        arguments = [f"{name}_in_{key}[i]" for key in samples.inputs] + [f"found_{k}" for k in sizes]
        lines = [f"{style.real} found_{key}[{size}];" for key, size in sizes.items()]
        lines.append(f"{style.real} largest = {zero}, difference = {zero};")
        lines.append(f"if ({name}({', '.join(arguments)}) != 0) return {style.number(1e30)};")
        for key, size in sizes.items():
            wanted = f"{name}_out_{key}[i][k]"
            lines += [
                f"for (int k = 0; k < {size}; k++) {{",
                f"    largest = {job.name}_larger(largest, {wanted});",
                f"    difference = {job.name}_larger(difference, found_{key}[k] - {wanted});",
                "}",
            ]
        lines.append(f"if (largest > {zero}) difference = difference / largest;")
        lines.append(f"worst = {job.name}_larger(worst, difference);")
        body = "\n        ".join(lines)
        parts.append(
            f"static {style.real} {job.name}_check_{routine.name}(void) {{\n"
            f"    {style.real} worst = {zero};\n"
            f"    for (int i = 0; i < {count}; i++) {{\n        {body}\n    }}\n    return worst;\n}}\n"
        )
    return "\n".join(parts) + "\n#endif\n"


def check_program(job: ExportJob, style: Style, states: Mapping[str, CheckedStates]) -> str:
    """A program whose exit status tells whether all routines agree."""
    calls = []
    for routine in job.routines:
        number = style.number(states[routine.name].tolerance)
        calls.append(CALL.format(real=style.real, name=job.name, routine=routine.name, tolerance=number))
    return PROGRAM.format(name=job.name, calls="\n".join(calls))


def check_sketch(job: ExportJob) -> str:
    """The same for an Arduino."""
    calls = []
    for routine in job.routines:
        calls.append(f'  Serial.print("{routine.name} ");')
        calls.append(f"  Serial.print({job.name}_check_{routine.name}() * 1e15, 1);")
        calls.append('  Serial.println("e-15");')
    return SKETCH.format(name=job.name, calls="\n".join(calls))


def package(job: ExportJob) -> Package:
    """NAME.h, NAME.c and the check; the layout of a CMake project or an Arduino library if asked for."""
    single, libm, cmake, arduino = (
        flag(job.options[key], key) for key in ("single", "libm", "cmake", "arduino")
    )
    style = Style(single, libm)
    name = job.name
    code = {f"{name}.h": header(job, style), f"{name}.c": source(job, style)}
    states = {routine.name: checked_states(job, routine, style) for routine in job.routines}
    tables = {f"{name}_check.h": check_header(job, style, states)}
    if arduino:
        example = f"examples/{name}_check"
        files = {f"src/{path}": text for path, text in code.items()}
        files |= {f"{example}/{path}": text for path, text in tables.items()}
        files[f"{example}/{name}_check.ino"] = check_sketch(job)
        files["library.properties"] = library_properties(job)
    else:
        files = {**code, **tables, f"{name}_check.c": check_program(job, style, states)}
    if cmake:
        files["CMakeLists.txt"] = cmake_lists(job, "src/" if arduino else "", not arduino)
    return Package(
        {path: text.encode() for path, text in files.items()}, tuple(_remarks(job, style, states))
    )


def _remarks(job: ExportJob, style: Style, states: Mapping[str, CheckedStates]) -> list[str]:
    found = [
        f"{name}: single precision changes results by up to {100 * each.spread:.2g} % of the largest; "
        "use double precision where that matters"
        for name, each in states.items()
        if each.tolerance > FEW_DIGITS
    ]
    if any(uses_library(routine.kernel.graph, style) for routine in job.routines):
        found.append("the code calls functions of math.h: link with -lm")
    return found


def header(job: ExportJob, style: Style) -> str:
    """Declarations, with what a caller has to know."""
    guard = f"{job.name.upper()}_H"
    parts = [
        block_comment(job.header),
        f'#ifndef {guard}\n#define {guard}\n\n#ifdef __cplusplus\nextern "C" {{\n#endif\n',
        "/* Every function returns 0, or 1 if an input or a result is not finite: then do not use the",
        "   results. There is no memory of earlier calls, and several threads may call at once. */",
    ]
    for routine in job.routines:
        said = block_comment([routine.name.replace("_", " "), *job.signature(routine)])
        declared = declaration(routine.kernel.graph, routine_name(job, routine.name), style)
        parts.append(f"\n{said}{declared};")
    parts.append("\n#ifdef __cplusplus\n}\n#endif\n\n#endif")
    return "\n".join(parts) + "\n"


def routine_name(job: ExportJob, routine: str) -> str:
    """What a routine is called in C."""
    return f"{job.name}_{routine}"


def source(job: ExportJob, style: Style) -> str:
    """The file: header, libraries, definitions."""
    parts = [block_comment(job.header), f'#include "{job.name}.h"']
    if any(uses_library(routine.kernel.graph, style) for routine in job.routines):
        parts.append("#include <math.h>")
    return "\n".join(parts + definitions(job, style))


def definitions(job: ExportJob, style: Style) -> list[str]:
    """A function per routine; sine and cosine are a function of the file's own."""
    graphs = [(routine_name(job, routine.name), routine.kernel.graph) for routine in job.routines]
    sincos = f"{job.name}_sincos"
    own = any(uses_own_sine(graph, style) for _, graph in graphs)
    parts = [sincos_source(sincos, style)] if own else []
    return parts + ["\n" + function_source(graph, name, sincos, style) for name, graph in graphs]
