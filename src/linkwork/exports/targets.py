"""The targets there are. A new one is a module with `package(job)`, and a line here."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from linkwork.exports.job import Job
from linkwork.exports.package import Package
from linkwork.exports.routines import DEFAULT_METHODS


@dataclass(frozen=True)
class Target:
    """Where a robot can go.

    Attributes:
        module: within this package; its `package(job)` makes the files. Loaded when it is needed.
        options: the target's own options and their defaults.
        methods: routines that are exported if none are named; empty for a target that takes the whole
            mechanism and no methods.
    """

    name: str
    summary: str
    module: str
    options: Mapping[str, Any] = field(default_factory=dict)
    methods: tuple[str, ...] = DEFAULT_METHODS

    def package(self, job: Job) -> Package:
        """The files of an export."""
        found: Package = importlib.import_module(f"linkwork.exports.{self.module}").package(job)
        return found


TARGETS = {
    target.name: target
    for target in (
        Target(
            "c",
            "C99 for controllers: .h, .c, check",
            "c_files",
            {"single": False, "libm": False, "cmake": False, "arduino": False},
        ),
        Target(
            "fmu",
            "FMI 2.0 or 3.0 for Simulink and Modelica tools",
            "fmu",
            {"fmi": "3.0", "model": "forward", "friction": True, "rotors": True},
            methods=(),
        ),
        Target("mjcf", "MuJoCo's XML", "mjcf", methods=()),
        Target("urdf", "URDF of arms", "urdf", methods=()),
        Target("wasm", "WebAssembly and a JavaScript module, for browsers and Node.js", "wasm"),
        Target("casadi", "serialised CasADi functions, for optimisers", "casadi_functions"),
    )
}
