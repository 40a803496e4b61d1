"""CasADi: every routine as a serialized function, which `casadi.Function.load` reads in any language."""

from __future__ import annotations

import textwrap

import casadi as ca

from linkwork.core.whole_files import scratch_folder
from linkwork.exports.job import ExportJob
from linkwork.exports.package import CHECK, Package, json_bytes

SCRIPT = '''"""{comment}

The operations above are those of Linkwork's kernels; CasADi evaluates the expressions before that
optimization. Run this script where CasADi is installed: it compares with Linkwork's results.
"""

import json
import sys
from pathlib import Path

import casadi

TOLERANCE = 1e-9  # of a state's largest result: the order of operations differs
here = Path(__file__).parent
worst, fault = 0.0, False
for name, samples in json.loads((here / "{check}").read_text())["routines"].items():
    function = casadi.Function.load(str(here / f"{prefix}_{{name}}.casadi"))
    for row, state in enumerate(zip(*samples["inputs"].values())):
        found = function.call([casadi.DM(values) for values in state])
        outputs = [rows[row] for rows in samples["outputs"].values()]
        scale = max(abs(number) for wanted in outputs for number in wanted) or 1.0
        for value, wanted in zip(found, outputs):
            # Matrices are row by row there, and column by column in CasADi.
            difference = casadi.norm_inf(casadi.vec(value.T) - casadi.DM(wanted))
            share = float(difference) / scale
            worst, fault = max(worst, share), fault or not share <= max(TOLERANCE, samples["tolerance"])
print(f"largest relative difference {{worst:.1e}}")
sys.exit(fault)
'''


def package(job: ExportJob) -> Package:
    """One .casadi file per routine, and a script that compares."""
    script = SCRIPT.format(
        comment="\n".join(textwrap.fill(line, 100) for line in job.header), prefix=job.name, check=CHECK
    )
    files = {
        f"{job.name}_{routine.name}.casadi": _saved(routine.kernel.casadi) for routine in job.routines
    }
    return Package({**files, CHECK: json_bytes(job.check), "check.py": script.encode()})


def _saved(function: ca.Function) -> bytes:
    """The content of a file that `casadi.Function.load` reads, which differs from `serialize()`."""
    with scratch_folder() as folder:
        file = folder / "function.casadi"
        function.save(str(file))
        return file.read_bytes()
