"""CasADi: every routine as a serialised function, which `casadi.Function.load` reads in any language."""

from __future__ import annotations

import tempfile
import textwrap
from pathlib import Path

import casadi as ca

from linkwork.exports.job import ExportJob
from linkwork.exports.package import CHECK, Package, json_bytes

SCRIPT = '''"""{comment}

The operations above are those of Linkwork's kernels; CasADi evaluates the expressions before that
optimisation. Run this script where CasADi is installed: it compares with Linkwork's results.
"""

import json
import sys
from pathlib import Path

import casadi

TOLERANCE = 1e-9  # of a state's largest result
here = Path(__file__).parent
worst = 0.0
for name, samples in json.loads((here / "{check}").read_text())["routines"].items():
    function = casadi.Function.load(str(here / f"{prefix}_{{name}}.casadi"))
    for row, state in enumerate(zip(*samples["inputs"].values())):
        found = function.call([casadi.DM(values) for values in state])
        for value, wanted in zip(found, samples["outputs"].values()):
            scale = max(1e-300, *(abs(number) for number in wanted[row]))
            difference = casadi.norm_inf(value - casadi.DM(wanted[row]))
            worst = max(worst, float(difference) / scale)
print(f"largest relative difference {{worst:.1e}}")
sys.exit(not worst <= TOLERANCE)
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
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "function.casadi")
        function.save(str(file))
        return file.read_bytes()
