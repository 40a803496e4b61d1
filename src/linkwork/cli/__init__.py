"""The command line: one file per command."""

from __future__ import annotations


def main() -> None:
    """Run the command that the command line asks for, and end with its exit status."""
    import gc
    import sys

    # Modules make many objects that all stay: looking for garbage among them takes a tenth of a second.
    gc.set_threshold(100_000)
    try:
        from linkwork.cli.running import run
    except KeyboardInterrupt:  # before anything else could catch it
        sys.exit(130)
    sys.exit(run(sys.argv[1:]))
