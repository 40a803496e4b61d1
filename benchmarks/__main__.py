"""All benchmarks, each in a process of its own; what fails is reported and stops no other.

    python -m benchmarks [NAME ...] [--seconds 1] [-o benchmarks.json]

Ends with a table of all goals and writes every number as JSON. The exit status is 1 if a benchmark did
not run; a goal that is missed is shown and no failure. `--seconds` is the time of one comparison: a
tenth is enough to see that all run.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from rich.console import Console

from benchmarks.results import Result, outcome, stored_result, table_of
from benchmarks.timing import ROUND
from linkwork.core.whole_files import write_bytes
from linkwork.kernels.machine import host

BENCHMARKS = (
    "arms",
    "urdf_arms",
    "long_chains",
    "platforms",
    "parallel",
    "mechanisms",
    "derivatives",
    "gradients",
    "design",
    "kinematics",
    "certification",
    "simulation",
    "time_optimal",
    "optimizer",
    "kernel_abi",
    "export",
    "live",
    "command_line",
    "studio",
)
COMPARED = (
    "linkwork",
    "pin",
    "mujoco",
    "toppra",
    "roboticstoolbox-python",
    "adam-robotics",
    "torch",
    "jax",
    "casadi",
    "llvmlite",
    "numpy",
)
PATIENCE = 1200  # seconds that one benchmark may take
console = Console(width=150)


def machine() -> dict[str, Any]:
    """What the figures belong to; `load`: processes that other work kept running when it began."""
    return {
        "date": datetime.date.today().isoformat(),
        "processor": processor(),
        "vectors": f"{64 * host().lanes} bits",
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None,
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "versions": {name: found for name in COMPARED if (found := version_of(name))},
    }


def processor() -> str:
    """Its name as sold; elsewhere than on Linux the name of its kind."""
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{names[0]} ({host().cpu})" if names else host().cpu


def version_of(distribution: str) -> str | None:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return None


def measured(module: str, folder: Path) -> tuple[list[Result], str]:
    """Results of a benchmark, and why it stopped if it did."""
    file = folder / f"{module}.jsonl"
    command = [sys.executable, "-m", "benchmarks.measure", module, str(file)]
    try:
        done = subprocess.run(command, stderr=subprocess.PIPE, text=True, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        failure = f"stopped after {PATIENCE} s"
    else:
        said = done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
        failure = said[-1] if done.returncode else ""
    lines = file.read_text("utf-8").splitlines() if file.exists() else []
    return [stored_result(json.loads(line)) for line in lines], failure


def run(modules: list[str], output: Path) -> int:
    """Measures, shows and writes; the exit status."""
    found: dict[str, Any] = {}
    goals: list[Result] = []
    begun_on = machine()
    with tempfile.TemporaryDirectory() as folder:
        for module in modules:
            name = module.rpartition(".")[2]
            begun = time.perf_counter()
            results, failure = measured(module, Path(folder))
            seconds = round(time.perf_counter() - begun, 1)
            goals += [each for each in results if each.kept is not None]
            entries = [each.entry() for each in results]
            found[name] = {"seconds": seconds, "failure": failure, "results": entries}
            console.print(table_of(f"{name}, {seconds:.0f} s", results))
            if failure:
                console.print(f"{name} did not run to its end: {failure}", style="red", markup=False)
    stored = {"machine": begun_on, "benchmarks": found}
    write_bytes(output, f"{json.dumps(stored, indent=1, ensure_ascii=False)}\n".encode())
    whole = sum(one["seconds"] for one in found.values())
    console.print(table_of(f"All goals; {processor()}, {whole:.0f} s", goals))
    console.print(f"{outcome(found)}; every number: {output}", markup=False)
    return int(any(one["failure"] for one in found.values()))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks")
    parser.add_argument("names", nargs="*", choices=[[], *BENCHMARKS], metavar="NAME")
    parser.add_argument("--seconds", type=float, default=1.0, help="of one comparison")
    parser.add_argument("-o", "--output", type=Path, default=Path("benchmarks.json"))
    options = parser.parse_args()
    os.environ[ROUND] = str(options.seconds)
    return run([f"benchmarks.{name}" for name in options.names or BENCHMARKS], options.output)


if __name__ == "__main__":
    sys.exit(main())
