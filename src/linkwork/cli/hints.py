"""What a person at a terminal may want next."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable
from typing import TypeVar

from linkwork.cli.output import say

Command = TypeVar("Command", bound=Callable[..., None])


def with_hint(command: Command) -> Command:
    """A command that can write a report ends with how to get one, if nothing else was asked for."""
    if "report" not in inspect.signature(command).parameters:
        return command

    @functools.wraps(command)
    def run(*arguments: object, **options: object) -> None:
        command(*arguments, **options)
        asked = any(options.get(name) for name in ("report", "output", "plot", "json", "directory"))
        if not asked and sys.stdout.isatty() and sys.stderr.isatty():
            say("hint: add --report page.html for a page with figures")

    return run  # type: ignore[return-value]
