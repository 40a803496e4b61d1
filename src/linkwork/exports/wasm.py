"""WebAssembly: a module of all routines, and a JavaScript module that calls it with Float64Arrays."""

from __future__ import annotations

import json

from linkwork.exports.comments import block_comment
from linkwork.exports.job import ExportJob
from linkwork.exports.package import CHECK, Package, filled, json_bytes
from linkwork.exports.routines import Routine
from linkwork.kernels.wasm import wasm_module


def package(job: ExportJob) -> Package:
    """NAME.wasm, NAME.js, its types in NAME.d.ts, and a script for Node.js that compares."""
    module = wasm_module({routine.name: routine.kernel.graph for routine in job.routines})
    first = job.routines[0]
    methods = {
        routine.name: {
            "inputs": routine.kernel.inputs,
            "outputs": {name: list(shape) for name, shape in routine.kernel.outputs.items()},
        }
        for routine in job.routines
    }
    wrapper = filled(
        "wasm.js",
        HEADER="\n".join(job.header),
        FIRST=first.name,
        ARGUMENTS=", ".join(first.kernel.inputs),
        METHODS=json.dumps(methods, indent=2),
        NAME=job.name,
    )
    return Package(
        {
            f"{job.name}.wasm": module,
            f"{job.name}.js": wrapper.encode(),
            f"{job.name}.d.ts": _types(job).encode(),
            CHECK: json_bytes(job.check),
            "check.mjs": filled("wasm_check.mjs", NAME=job.name).encode(),
            # Node.js takes a .js file for a module of the other kind unless its folder says so.
            "package.json": b'{"type": "module"}\n',
        }
    )


def _types(job: ExportJob) -> str:
    """Declarations for TypeScript and editors, with what every array means."""
    kind = "".join(word.capitalize() for word in job.name.split("_"))
    methods = "\n".join(_declared(job, routine) for routine in job.routines)
    of_robot = f"Methods of {job.robot.name}; arrays with N times as many numbers are N states."
    return f"""{block_comment(job.header, begin="/**")}
{block_comment([of_robot], begin="/**")}export interface {kind} {{
{methods}
}}

/**
 * Load the module; by default {job.name}.wasm beside {job.name}.js.
 * @param source its address, its bytes, or an answer of fetch
 */
export function load(
  source?: URL | string | BufferSource | Response | Promise<Response>,
): Promise<Readonly<{kind}>>;
"""


def _declared(job: ExportJob, routine: Routine) -> str:
    kernel = routine.kernel
    said = block_comment(job.signature(routine), "  ", "/**")
    given = ", ".join(f"{name}: Float64Array" for name in kernel.inputs)
    back = "Float64Array"
    if len(kernel.outputs) > 1:
        back = "{ " + "; ".join(f"{name}: Float64Array" for name in kernel.outputs) + " }"
    return f"{said}  {routine.name}({given}): {back};"
