"""Bundled robots by kind, for type checkers; `python -m tools.bundled_types` writes it."""

from typing import Literal

ArmName = Literal[
    "iiwa14",
    "panda",
    "planar-2r",
    "puma560",
    "puma560-akb",
    "puma560-lee",
    "stanford",
    "ur10",
    "ur5",
]

PlatformName = Literal[
    "dasgupta1998",
    "pedrammehr2012",
    "pi-h811",
    "simona",
    "small-hexapod",
]

ParallelName = Literal[
    "3-rps",
    "4-puu",
    "agile-eye",
    "delta",
    "five-bar",
    "hexaglide",
    "planar-3rrr",
    "rotary-hexapod",
    "tricept",
]
