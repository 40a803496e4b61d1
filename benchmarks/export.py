"""Exported C beside the C that CasADi writes for the same expression.

Programs in C call the function for 64 states in turn and keep the shortest of many rounds, so that
nothing of Python is measured. `recursion` is CasADi's C for the textbook's Newton-Euler recursion, which
is what one gets without the fewest-operations formulation.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import casadi as ca
import numpy as np

import linkwork as lw
from benchmarks.results import Result
from linkwork.exports.routines import Routine
from linkwork.exports.states import sampled
from linkwork.kernels import Kernel

STATES = 64
CASES = (
    ("ur5", "inverse_dynamics"),
    ("ur5", "forward_dynamics"),
    ("puma560", "inverse_dynamics"),
    ("puma560", "gravity_load"),
    ("iiwa14", "forward_dynamics"),
    ("dasgupta1998", "inverse_dynamics"),
    ("delta", "inverse_dynamics"),
)
FLAGS = (("-O3",), ("-O3", "-march=native"))
PROGRAM = """#include <stdio.h>
#include <time.h>
{tables}
{prototype}
static double now(void) {{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}}
int main(void) {{
    double best = 1e300, sum = 0, out[{size}];
    for (int round = 0; round < 1000; round++) {{
        const double start = now();
        for (int i = 0; i < {states}; i++) {{
            {call}
            sum += out[0];
        }}
        const double time = (now() - start) / {states};
        if (time < best) best = time;
    }}
    printf("%.2f %g\\n", best, sum);
    return 0;
}}
"""


def _tables(inputs: dict[str, np.ndarray]) -> str:
    lines = []
    for key, values in inputs.items():
        rows = ", ".join("{" + ", ".join(map(repr, row)) + "}" for row in values.tolist())
        lines.append(f"static const double in_{key}[{len(values)}][{values.shape[1]}] = {{{rows}}};")
    return "\n".join(lines)


def _casadi_source(kernel: Kernel) -> str:
    generator = ca.CodeGenerator("casadi.c", {"with_header": False})
    generator.add(kernel.casadi)
    return str(generator.dump())


def _variants(
    kernel: Kernel, textbook: Kernel | None, inputs: list[str]
) -> dict[str, tuple[str, str, str]]:
    """Source, prototype and call by name."""
    pointers = ", ".join(["const double *"] * len(inputs))
    listed = ", ".join(f"in_{key}[i]" for key in inputs)
    ours = (f"int {kernel.name}({pointers}, double *);", f"{kernel.name}({listed}, out);")
    theirs = (
        f"int {kernel.name}(const double **, double **, long long int *, double *, int);",
        f"const double *given[] = {{{listed}}}; double *found[] = {{out}}; "
        f"{kernel.name}(given, found, 0, 0, 0);",
    )
    found = {
        "ours": (kernel.c_source(), *ours),
        "ours, libm": (kernel.c_source(libm=True), *ours),
        "CasADi": (_casadi_source(kernel), *theirs),
    }
    return found if textbook is None else {**found, "recursion": (_casadi_source(textbook), *theirs)}


def _nanoseconds(variant: tuple[str, str, str], tables: str, size: int, flags: tuple[str, ...]) -> float:
    source, prototype, call = variant
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "code.c").write_text(source)
        text = PROGRAM.format(tables=tables, prototype=prototype, size=size, states=STATES, call=call)
        (folder / "main.c").write_text(text)
        command = ["gcc", *flags, "code.c", "main.c", "-o", "program", "-lm"]
        subprocess.run(command, cwd=folder, check=True)
        runs = [
            subprocess.run([str(folder / "program")], capture_output=True, text=True, check=True).stdout
            for _ in range(3)
        ]
    return min(float(run.split()[0]) for run in runs)


def compared(name: str, method: str) -> Iterator[Result]:
    robot = lw.load(name)
    kernel = robot.kernel(method)
    arm = isinstance(robot, lw.Arm) and method == "inverse_dynamics"
    textbook = robot.kernel(method, formulation="newton-euler") if arm else None
    samples = sampled(robot, Routine(method, kernel), STATES)
    size = sum(int(np.prod(shape)) for shape in kernel.outputs.values())
    variants = _variants(kernel, textbook, list(samples.inputs))
    tables = _tables(samples.inputs)
    for flags in FLAGS:
        times = {key: _nanoseconds(each, tables, size, flags) for key, each in variants.items()}
        ours = times.pop("ours")
        for peer, theirs in times.items():
            what = f"{method} in C, gcc {' '.join(flags)}"
            yield Result(name, what, theirs / ours, f"x {peer}", ours=ours, theirs=theirs)


def results() -> Iterator[Result]:
    if shutil.which("gcc") is None:
        raise SystemExit("gcc is needed (Debian: apt install gcc)")
    for case in CASES:
        yield from compared(*case)
