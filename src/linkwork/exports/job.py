"""One export: a robot, what of it, under which C name and with which options; its header and check."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property

import linkwork
from linkwork.core.errors import InputError
from linkwork.core.table_files import Plain
from linkwork.exports.comments import harmless
from linkwork.exports.routines import FORMULAS, Routine
from linkwork.exports.states import CheckedStates, meaning, sampled
from linkwork.kernels import Counts
from linkwork.model.robot_files import robot_digest
from linkwork.robot.compiled import CallOptions
from linkwork.robot.robot import Robot

IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
LONGEST = 63  # significant characters that C99 promises for an internal name
KEYWORDS = """
    auto break case char const continue default do double else enum extern float for goto if inline int
    long main register restrict return short signed sizeof static struct switch typedef union unsigned
    void volatile while
"""


def is_identifier(name: str) -> bool:
    """Whether C takes it as a name of something new."""
    return bool(IDENTIFIER.fullmatch(name)) and len(name) <= LONGEST and name not in KEYWORDS.split()


def identifier(name: str | None, robot: str) -> str:
    """The name that prefixes everything exported: as given, or the robot's with _ for - and spaces."""
    if name is not None:
        if not is_identifier(name):
            raise InputError(
                f"name = {name!r} is not a C identifier; expected letters, digits and _, a letter "
                f"first, at most {LONGEST} of them, and no keyword of C."
            )
        return name
    derived = re.sub(r"[-. ]", "_", robot)
    if not is_identifier(derived):
        raise InputError(
            f"the robot's name {robot!r} gives no C identifier; say what to call it, such as "
            f'name="{_suggested(derived)}" (--name {_suggested(derived)}).'
        )
    return derived


def _suggested(name: str) -> str:
    words = re.sub(r"\W", "_", name, flags=re.ASCII)[:40].strip("_")
    return f"robot_{words}" if words else "robot"


CONVENTIONS = (
    "SI units and radians. Vectors are in base axes unless said otherwise; a pose is x y z and the unit",
    "quaternion w x y z; twists are linear, then angular. Matrices are stored row by row.",
)


@dataclass(frozen=True)
class ExportJob:
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
    options: CallOptions = field(default_factory=dict)
    chosen: CallOptions = field(default_factory=dict)

    @cached_property
    def samples(self) -> dict[str, CheckedStates]:
        """States and results of every routine, for the check that goes along."""
        return {each.name: sampled(self.robot, each) for each in self.routines}

    @property
    def check(self) -> Plain:
        """States and results of every routine, and how far others may be from them."""
        return {
            "robot": self.robot.name,
            "name": self.name,
            "routines": {name: samples.data for name, samples in self.samples.items()},
        }

    @cached_property
    def header(self) -> tuple[str, ...]:
        """Lines for a comment: robot, digest of its file, conventions, routines and their operations."""
        lines = [
            f"{self.robot.name}, exported to {self.target} by Linkwork {linkwork.__version__}.",
            f"Robot file, normal form (linkwork convert), SHA-256: {robot_digest(self.robot.model)}",
            "",
            *CONVENTIONS,
        ]
        if self.chosen:
            said = ", ".join(f"{name}={value!r}" for name, value in self.chosen.items())
            lines += ["", f"Options: {said}"]
        for routine in self.routines:
            lines += ["", f"{routine.name}: {counted(routine.kernel.counts)}"]
        return tuple(harmless(line) for line in lines)

    def signature(self, routine: Routine) -> list[str]:
        """Lines for a comment: what a control law computes, and every input and output of a routine."""
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
        return [harmless(line) for line in lines]


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
