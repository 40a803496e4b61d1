"""What is exported: methods of a robot and control laws, each a kernel with named inputs and outputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from linkwork.errors import InputError
from linkwork.exports.control_laws import laws_of
from linkwork.interface.robot import Robot
from linkwork.kernels import Kernel
from linkwork.names import one_of

DEFAULT_METHODS = ("inverse_dynamics", "forward_dynamics", "gravity_load")


@dataclass(frozen=True)
class Routine:
    """A method or a control law under its name, compiled."""

    name: str
    kernel: Kernel


def routine_names(robot: Robot) -> tuple[str, ...]:
    """Everything of a robot that can be exported."""
    return (*robot.kernel_methods, *laws_of(robot))


def routines_of(robot: Robot, methods: Sequence[str], options: Mapping[str, Any]) -> tuple[Routine, ...]:
    """Kernels of methods and laws; an option goes to each of them that knows it.

    Args:
        options: as `robot.kernel` takes them, such as friction=False or gravity="input".
    """
    if isinstance(methods, str) or not methods:
        raise InputError(
            f"methods = {methods!r}: allowed is a list of names, such as {DEFAULT_METHODS}."
        )
    laws = laws_of(robot)
    names = routine_names(robot)
    known = {
        name: laws[name].options if name in laws else robot.kernel_options(name)
        for name in dict.fromkeys(one_of(method, names, f"method of {robot.name}") for method in methods)
    }
    every = sorted({option for allowed in known.values() for option in allowed})
    for option in options:
        one_of(option, every, f"option of {', '.join(known)}")
    found = []
    for name, allowed in known.items():
        chosen = {key: value for key, value in options.items() if key in allowed}
        kernel = laws[name].kernel(**chosen) if name in laws else robot.kernel(name, **chosen)
        found.append(Routine(name, kernel))
    return tuple(found)
