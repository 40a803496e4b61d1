"""The one exception of the package and its special cases."""

from __future__ import annotations


class LinkworkError(Exception):
    """Base class of every error that Linkwork raises on purpose.

    The message says where, what was found, what is allowed and what to do.
    """


class FileError(LinkworkError):
    """A file is at fault; `faults` lists every fault that was found."""

    def __init__(self, source: str, faults: list[str]) -> None:
        self.source = source
        self.faults = tuple(faults)
        count = "1 fault" if len(faults) == 1 else f"{len(faults)} faults"
        super().__init__(f"{source}: {count}\n" + "\n".join(f"  {fault}" for fault in faults))


class RobotFileError(FileError):
    """A robot file is at fault."""


class InputError(LinkworkError):
    """An argument of a call is at fault: shape, name or a non-finite number."""


class MotionFileError(FileError, InputError):
    """A motion file is at fault."""


class KernelError(LinkworkError):
    """An expression cannot be turned into machine code, or the machine code cannot be had."""


class WriteError(LinkworkError):
    """A file cannot be written: no such folder, no right to, no space left."""
