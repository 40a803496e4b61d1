"""One export: a robot, what of it, under which name and with which options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import linkwork
from linkwork.exports.control_laws import FORMULAS
from linkwork.exports.digest import robot_digest
from linkwork.exports.routines import Routine
from linkwork.exports.signals import meaning
from linkwork.exports.states import Samples, all_sampled
from linkwork.interface.robot import Robot
from linkwork.kernels import Counts

CONVENTIONS = (
    "SI units and radians. Vectors are in base axes unless said otherwise; a pose is x y z and the unit",
    "quaternion w x y z; twists are linear, then angular. Matrices are stored row by row.",
)


@dataclass(frozen=True)
class Job:
    """What a target is given.

    Attributes:
        name: a C identifier that stands before everything exported.
        routines: methods and control laws with their kernels; empty for targets that take none.
        options: the target's own, all of them, with defaults filled in.
        chosen: options of the routines that were asked for, as `robot.kernel` takes them.
    """

    robot: Robot
    target: str
    name: str
    routines: tuple[Routine, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    chosen: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def samples(self) -> dict[str, Samples]:
        """States and results of every routine, for the check that goes along."""
        return all_sampled(self.robot, self.routines)

    @cached_property
    def header(self) -> tuple[str, ...]:
        """Lines for a comment: robot, digest of its file, conventions, routines and their operations."""
        lines = [
            f"{self.robot.name}, written by Linkwork {linkwork.__version__} (linkwork export --to "
            f"{self.target}).",
            f"Robot file, normal form (linkwork convert), SHA-256: {robot_digest(self.robot.model)}",
            "",
            *CONVENTIONS,
        ]
        if self.chosen:
            said = ", ".join(f"{name}={value!r}" for name, value in self.chosen.items())
            lines += ["", f"Options: {said}"]
        for routine in self.routines:
            lines += ["", f"{routine.name}: {counted(routine.kernel.counts)}"]
        return tuple(_harmless(line) for line in lines)

    def signature(self, routine: Routine) -> list[str]:
        """What a control law computes, and a line for every input and output of a routine."""
        kernel = routine.kernel
        lines = [FORMULAS[routine.name]] if routine.name in FORMULAS else []
        lines += [
            f"in   {name}[{size}]  {meaning(self.robot, name, (size,))}"
            for name, size in kernel.inputs.items()
        ]
        lines += [
            f"out  {name}{list(shape) or '[1]'}  {meaning(self.robot, name, shape)}"
            for name, shape in kernel.outputs.items()
        ]
        return lines


def counted(counts: Counts) -> str:
    """Operations of a routine in words."""
    parts = {
        "multiplications": counts.multiplications,
        "additions": counts.additions,
        "divisions": counts.divisions,
        "square roots": counts.square_roots,
        "sines and cosines": counts.sine_cosines,
    }
    said = [f"{count} {name}" for name, count in parts.items() if count]
    return ", ".join(said) or "no operations"


def _harmless(line: str) -> str:
    """A line that ends no comment of C or Python, whatever the robot's names are."""
    return line.replace("*/", "* /").replace("\\", "/").replace('"""', "'").replace("\n", " ")
