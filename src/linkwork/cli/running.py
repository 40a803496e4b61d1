"""From a command line to an exit status: every way in which a command can end, never a traceback."""

from __future__ import annotations

import _thread
import errno
import functools
import json
import os
import signal
import sys
import traceback
import warnings
from collections.abc import Callable, Sequence
from enum import IntEnum
from typing import ParamSpec

import typer

from linkwork.core.errors import FileError, LinkworkError, WriteError

DEBUG_VARIABLE = "LINKWORK_DEBUG"
# What the loader of shared libraries, C++ and NumPy say.
NO_MEMORY = ("failed to map segment", "annot allocate memory", "bad_alloc", "Unable to allocate")
Arguments = ParamSpec("Arguments")


class ExitStatus(IntEnum):
    """How a command ends, as docs/command-line.md lists it."""

    OK = 0
    FAULT_FOUND = 1  # a check found a disagreement, a broken limit or a fault; a simulation had to stop
    USAGE = 2  # wrong arguments or wrong input
    NOT_WRITTEN = 3  # a file or the output could not be written
    BUG = 70  # an error that nobody foresaw
    INTERRUPTED = 130
    CLOSED_PIPE = 141
    TERMINATED = 143


class FaultFound(LinkworkError):
    """The work was done as asked, and what it found is a fault."""


def run(arguments: Sequence[str]) -> int:
    """Run a command; its exit status."""
    _prepare()
    try:
        from linkwork.cli.app import app

        return int(app(list(arguments), prog_name="linkwork", standalone_mode=False) or 0)
    except SystemExit as end:
        if isinstance(end.__context__, BrokenPipeError):  # while Typer printed a help
            return _end(end.__context__)
        return end.code if isinstance(end.code, int) else ExitStatus.USAGE
    except typer.TyperException as error:
        return _complain(_usage(error), ExitStatus.USAGE, "--json" in arguments)
    except BaseException as error:
        return _end(error, "--json" in arguments)


def guarded(command: Callable[Arguments, None]) -> Callable[Arguments, None]:
    """A command whose end, good or bad, is an exit status; its output is out before it ends."""

    @functools.wraps(command)
    def run_and_flush(*arguments: Arguments.args, **options: Arguments.kwargs) -> None:
        try:
            command(*arguments, **options)
            sys.stdout.flush()
        except (typer.Exit, typer.TyperException, SystemExit):
            _flush()
            raise
        except BaseException as error:
            raise typer.Exit(_end(error, bool(options.get("json")))) from None

    return run_and_flush


def _flush() -> None:
    try:
        sys.stdout.flush()
    except OSError as error:
        raise typer.Exit(_end(error)) from None


def _end(error: BaseException, as_json: bool = False) -> int:
    """What to say about an error, and the exit status it means; with `as_json` a program is told too."""
    if os.environ.get(DEBUG_VARIABLE):
        traceback.print_exception(error)
    if _out_of_memory(error):
        return _complain(
            "not enough memory; take fewer samples, or allow the process more (ulimit -v).",
            ExitStatus.USAGE,
            as_json,
        )
    match error:
        case KeyboardInterrupt() | typer.Abort():
            return _complain("interrupted", ExitStatus.INTERRUPTED, what="linkwork")
        case FaultFound():
            return _complain(str(error), ExitStatus.FAULT_FOUND, as_json)
        case FileError():
            return _complain(str(error), ExitStatus.USAGE, as_json, error.faults)
        case BrokenPipeError():
            _drop_output()
            return ExitStatus.CLOSED_PIPE
        case WriteError():
            return _complain(str(error), ExitStatus.NOT_WRITTEN, as_json)
        case LinkworkError():
            return _complain(str(error), ExitStatus.USAGE, as_json)
        case OSError() if error.errno is not None:
            _drop_output()
            name = error.filename or "standard output"
            return _complain(f"{name}: {error.strerror or error}.", ExitStatus.NOT_WRITTEN)
    words = (str(error).splitlines() or ["no message"])[0]
    if isinstance(error, ImportError | OSError):  # the loader of libraries gives no number
        line = (
            f"a library cannot be loaded: {words} There may be too little memory (ulimit -v), or the"
            " installation is damaged (pip check)."
        )
        return _complain(line, ExitStatus.BUG, as_json)
    line = (
        f"{type(error).__name__}: {words}. This is a fault of Linkwork, please report it with the "
        f"command and the traceback that {DEBUG_VARIABLE}=1 shows."
    )
    return _complain(line, ExitStatus.BUG, as_json)


def _out_of_memory(error: BaseException) -> bool:
    """Whether this is the reason, or the reason of the reason, in the words of whoever met it."""
    met: BaseException | None = error
    while met is not None:
        if isinstance(met, MemoryError) or getattr(met, "errno", None) == errno.ENOMEM:
            return True
        if any(words in str(met) for words in NO_MEMORY):
            return True
        met = met.__cause__ or met.__context__
    return False


def _complain(
    message: str, code: int, as_json: bool = False, faults: Sequence[str] = (), what: str = "error"
) -> int:
    try:
        print(f"{what}: {message}", file=sys.stderr, flush=True)
        if as_json:
            facts = {"error": message, "exit_code": code, "faults": list(faults)}
            print(json.dumps(facts, indent=2), flush=True)
    except OSError:  # nobody listens
        _drop_output()
    return code


def _usage(error: typer.TyperException) -> str:
    context = getattr(error, "ctx", None)
    hint = f"\ntry: {context.command_path} --help" if context is not None else ""
    return f"{error.format_message()}{hint}"


def _prepare() -> None:
    if sys.stdout is None:  # closed by whoever started us
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):  # a name that the terminal cannot show is no reason to stop
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    warnings.showwarning = _show_warning
    sys.unraisablehook = _raise_again
    # Ended from outside, a command tidies up: no half files stay behind.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(ExitStatus.TERMINATED))


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    print(f"warning: {message}", file=sys.stderr)


def _raise_again(event: sys.UnraisableHookArgs) -> None:
    """Ctrl-C in the middle of a callback, as of an import, would be printed and lost."""
    if isinstance(event.exc_value, KeyboardInterrupt):
        _thread.interrupt_main()
    else:
        sys.__unraisablehook__(event)


def _drop_output() -> None:
    """Let nothing more be written where nothing can be: not even by Python at its end."""
    empty = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            os.dup2(empty, stream.fileno())
    os.close(empty)
