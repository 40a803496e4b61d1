"""How a command ends, as docs/command-line.md lists it."""

from __future__ import annotations

OK = 0
FAULT_FOUND = 1  # a check found a disagreement, a broken limit or a fault; a simulation had to stop
USAGE = 2  # wrong arguments or wrong input
NOT_WRITTEN = 3  # a file or the output could not be written
BUG = 70  # an error that nobody foresaw
INTERRUPTED = 130
CLOSED_PIPE = 141
TERMINATED = 143
