"""Runs commands with faults: started with the shim, it forks a process for each fault of each command.

A line of JSON on standard input is a command with a fault; so is the answer.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
from pathlib import Path

from linkwork.cli.running import run as command

KINDS = {"none": 0, "kill": 1, "fail": 2, "vanish": 3}


def run(job: dict) -> dict:
    """The exit status of a command (negative: the signal that ended it), its messages and operations."""
    said, counted = Path(job["messages"]), Path(job["messages"] + ".count")
    counted.unlink(missing_ok=True)
    child = os.fork()
    if child == 0:
        shim = ctypes.CDLL(None)
        shim.fault_count.restype = ctypes.c_long
        out = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(out, 1)
        os.dup2(out, 2)
        os.environ |= job.get("environment", {})
        shim.fault_arm(
            job["folder"].encode(), KINDS[job["kind"]], ctypes.c_long(job["at"]), job["errno"]
        )
        status = 70
        try:
            status = command(job["words"])
            sys.stdout.flush()
        finally:
            count = shim.fault_count()
            shim.fault_arm(b"", 0, ctypes.c_long(0), 0)
            counted.write_text(str(count))
            os._exit(status)
    _, status = os.waitpid(child, 0)
    return {
        "status": os.waitstatus_to_exitcode(status),
        "messages": said.read_text(errors="replace"),
        "operations": int(counted.read_text()) if counted.exists() else None,
    }


def main() -> None:
    for line in sys.stdin:
        job = json.loads(line)
        print(json.dumps(run(job)), flush=True)


if __name__ == "__main__":
    main()
