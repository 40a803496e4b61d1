"""Arguments that must be robots: of any kind, or of one."""

from __future__ import annotations

from typing import Any, TypeVar

from linkwork.errors import InputError
from linkwork.interface.robot import Robot

Kind = TypeVar("Kind")
WORDS = {
    "Arm": "serial arm",
    "Platform": "Stewart platform",
    "ParallelRobot": "parallel robot",
    "Robot": "robot",
}


def of_kind(value: Any, kind: type[Kind], asked_by: str) -> Kind:
    """`value` if it is a robot of this kind; else an InputError that says who asks for one."""
    if isinstance(value, kind):
        return value
    word = WORDS[kind.__name__]
    raise InputError(f"{value!r} is no {word}, as {asked_by} takes; lw.load returns every kind.")


def any_robot(value: Any, asked_by: str) -> Robot:
    """`value` if it is a robot of any kind; else an InputError that says who asks for one."""
    if isinstance(value, Robot):
        return value
    raise InputError(f"{asked_by} takes a robot from lw.load, not {type(value).__name__}.")
