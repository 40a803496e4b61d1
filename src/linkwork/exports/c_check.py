"""The check that goes with C: states and results as constant tables, and a program that compares."""

from __future__ import annotations

import numpy as np

from linkwork.exports.job import Job
from linkwork.exports.routines import Routine
from linkwork.exports.states import Samples
from linkwork.interface.robot import Array
from linkwork.kernels.c_code import Style

SINGLE_TOLERANCE = 2e-5  # of a state's largest result

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


def _samples(job: Job, routine: Routine, style: Style) -> Samples:
    """Those of the job; in single precision, the kernel's results for the rounded inputs."""
    samples = job.samples[routine.name]
    if not style.single:
        return samples
    inputs = {key: x.astype(np.float32).astype(np.float64) for key, x in samples.inputs.items()}
    found = routine.kernel(*inputs.values())
    outputs = found if isinstance(found, tuple) else (found,)
    return Samples(inputs, dict(zip(samples.outputs, outputs, strict=True)))


def _table(name: str, values: Array, style: Style) -> str:
    rows = values.reshape(len(values), -1)
    text = ",\n    ".join("{" + ", ".join(style.number(x) for x in row) + "}" for row in rows.tolist())
    return f"static const {style.real} {name}[{len(rows)}][{rows.shape[1]}] = {{\n    {text}}};\n"


def check_header(job: Job, style: Style) -> str:
    """Tables and a function per routine that returns the largest relative difference."""
    zero = style.number(0.0)
    guard = f"{job.name.upper()}_CHECK_H"
    parts = [f'#ifndef {guard}\n#define {guard}\n\n#include "{job.name}.h"\n']
    parts.append(COMPARISON.format(real=style.real, name=job.name, zero=zero))
    for routine in job.routines:
        samples = _samples(job, routine, style)
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


def check_program(job: Job, style: Style) -> str:
    """A program whose exit status tells whether all routines agree."""
    calls = []
    for routine in job.routines:
        allowed = SINGLE_TOLERANCE if style.single else job.samples[routine.name].tolerance
        number = style.number(allowed)
        calls.append(CALL.format(real=style.real, name=job.name, routine=routine.name, tolerance=number))
    return PROGRAM.format(name=job.name, calls="\n".join(calls))


def check_sketch(job: Job) -> str:
    """The same for an Arduino."""
    calls = []
    for routine in job.routines:
        calls.append(f'  Serial.print("{routine.name} ");')
        calls.append(f"  Serial.print({job.name}_check_{routine.name}() * 1e15, 1);")
        calls.append('  Serial.println("e-15");')
    return SKETCH.format(name=job.name, calls="\n".join(calls))
