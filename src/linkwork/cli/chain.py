"""--tip, --base and --fix: what to read of a URDF, for every command that takes a robot."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, get_type_hints

import typer

from linkwork.cli.arguments import numbers_of
from linkwork.errors import InputError

if TYPE_CHECKING:
    from linkwork.robots.urdf_chain import Chain

Command = TypeVar("Command", bound=Callable[..., None])
OPTIONS: dict[str, Any] = {
    "tip": Annotated[
        str | None, typer.Option("--tip", metavar="LINK", help="Of a URDF: the link at the arm's tip.")
    ],
    "base": Annotated[
        str | None, typer.Option("--base", metavar="LINK", help="Of a URDF: the link the arm stands on.")
    ],
    "fix": Annotated[
        list[str] | None,
        typer.Option(
            "--fix",
            metavar="JOINT=POSITION",
            help="Of a URDF: hold a joint still, as finger=0.02 or wrist=90deg; several times for "
            "several.",
        ),
    ],
}


def with_chain(command: Command) -> Command:
    """A command whose argument `chain` is given by --tip, --base and --fix; others are as they are."""
    signature = inspect.signature(command)
    if "chain" not in signature.parameters:
        return command

    @functools.wraps(command)
    def run(*arguments: Any, tip: Any = None, base: Any = None, fix: Any = None, **options: Any) -> None:
        command(*arguments, chain=chain_of(tip, base, fix), **options)

    hints = get_type_hints(command, localns={"Chain": object}, include_extras=True)
    parameters = []
    for name, parameter in signature.parameters.items():
        if name == "chain":
            for option, hint in OPTIONS.items():
                kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
                parameters.append(inspect.Parameter(option, kind, default=None, annotation=hint))
        else:
            parameters.append(parameter.replace(annotation=hints[name]))
    run.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run  # type: ignore[return-value]


def chain_of(tip: str | None, base: str | None, fix: list[str] | None) -> Chain:
    """What to read of a URDF."""
    from linkwork.robots.urdf_chain import Chain

    held = {}
    for text in fix or ():
        joint, equals, position = text.partition("=")
        if not joint or not equals:
            raise InputError(f"--fix {text!r}: allowed is JOINT=POSITION, such as finger=0.02.")
        held[joint] = float(numbers_of(position, f"--fix {joint}", 1, angles=True)[0])
    return Chain(tip, base, held)
