"""The command line: one file per command."""

from __future__ import annotations


def main() -> None:
    """Run the command that the command line asks for, and end with its exit status."""
    try:
        status = _run()
    except KeyboardInterrupt:  # before or after anything else could catch it
        status = 130
    raise SystemExit(status)


def _run() -> int:
    import gc
    import os
    import signal
    import sys

    # Modules make many objects that all stay: looking for garbage among them takes a tenth of a second.
    gc.set_threshold(100_000)
    interrupt = signal.getsignal(signal.SIGINT)
    heard = interrupt is signal.default_int_handler  # a shell may have it ignored
    if heard:  # nothing has begun that would have to be tidied up
        signal.signal(signal.SIGINT, lambda number, frame: os._exit(130))
    from linkwork.cli.running import run

    signal.signal(signal.SIGINT, interrupt)
    status = run(sys.argv[1:])
    if heard:  # all is written: nor may a traceback come while Python ends
        signal.signal(signal.SIGINT, lambda number, frame: os._exit(status))
    return status
