"""Earlier names of commands and options, which keep working and are not shown."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand

from linkwork.cli.output import RUNNING

EARLIER_COMMANDS = {"poses": "assembly-modes", "count": "operations"}
EARLIER_OPTIONS = {  # by command
    "bandwidth": {"--period": "--controller-period"},
    "demo": {"-o": "--report"},
    "design": {"-o": "--directory", "--output": "--directory"},
    "excite": {"--period": "--base-period"},
    "export": {"--float": "--single"},
    "paper": {"--out": "--directory"},
    "simulate": {"--period": "--controller-period"},
    "size": {"--catalogue": "--catalog"},
    "sweep": {"-o": "--directory", "--output": "--directory"},
}


class Command(TyperCommand):
    """A command that also takes its earlier options."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        earlier = EARLIER_OPTIONS.get(self.name or "", {})
        return super().parse_args(ctx, [_renamed(word, earlier) for word in args])

    def invoke(self, ctx: Any) -> Any:
        """The command runs; its report tells the settings."""
        token = RUNNING.set(ctx)
        try:
            return super().invoke(ctx)
        finally:
            RUNNING.reset(token)


def _renamed(word: str, earlier: dict[str, str]) -> str:
    name, equals, value = word.partition("=")
    return f"{earlier[name]}{equals}{value}" if name in earlier else word
