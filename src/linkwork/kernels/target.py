"""The processor that kernels are made for: its name, its features and how many lanes a vector has."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cache

import llvmlite.binding as llvm

from linkwork.errors import KernelError

LANES_VARIABLE = "LINKWORK_LANES"
ALLOWED_LANES = (1, 2, 4, 8)


@dataclass(frozen=True)
class Target:
    """What the generated code may use.

    `fma`: the processor has a fused multiply-add. `doubled`: small kernels run on twice the lanes.
    """

    triple: str
    cpu: str
    features: str
    lanes: int
    fma: bool
    doubled: bool = False


@cache
def initialise_llvm() -> None:
    """Register the host's code generator, once per process."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()


def _forced_lanes() -> int | None:
    text = os.environ.get(LANES_VARIABLE)
    if not text:
        return None
    if text not in {str(lanes) for lanes in ALLOWED_LANES}:
        raise KernelError(
            f"{LANES_VARIABLE} = {text!r}: allowed are {', '.join(map(str, ALLOWED_LANES))}. "
            "Unset it to let Linkwork choose the width of this processor."
        )
    return int(text)


def natural_lanes(features: dict[str, bool]) -> int:
    """Doubles in the widest vector register; SSE2 and NEON, the least there is, hold two."""
    if features.get("avx512f"):
        return 8
    return 4 if features.get("avx") else 2


@cache
def _host(forced_lanes: int | None) -> Target:
    triple = llvm.get_process_triple()
    features = dict(llvm.get_host_cpu_features())
    lanes = natural_lanes(features)
    is_arm = triple.startswith(("aarch64", "arm64"))
    return Target(
        triple=triple,
        cpu=llvm.get_host_cpu_name(),
        features=llvm.get_host_cpu_features().flatten(),
        lanes=forced_lanes or lanes,
        fma=is_arm or bool(features.get("fma")),
        doubled=forced_lanes is None and lanes == 4,
    )


def host_target() -> Target:
    """The machine this process runs on, with the width of LINKWORK_LANES if that is set."""
    return _host(_forced_lanes())
