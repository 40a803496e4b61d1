"""From assembly to machine code in memory, by way of the object cache, for one kind of processor."""

from __future__ import annotations

import ctypes
import hashlib
import os
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import count

import llvmlite
import llvmlite.binding as llvm

from linkwork.core.errors import KernelError
from linkwork.kernels import cache as disk
from linkwork.kernels.reals import DOUBLE, Real
from linkwork.kernels.settings import switched_off

LANES_VARIABLE = "LINKWORK_LANES"
INSTRUCTIONS_VARIABLE = "LINKWORK_INSTRUCTIONS"
FMA_VARIABLE = "LINKWORK_FMA"
ALLOWED_LANES = (1, 2, 4, 8)
# Instruction sets of x86-64, the least first: what each adds, of which a processor must have the first.
INSTRUCTION_SETS = {
    "sse2": ("sse2",),
    "avx2": ("avx2", "avx", "fma"),
    "avx512": ("avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"),
}
# LLVM's effort by lines of assembly, so that even the Coriolis matrices of eight joints answer within
# seconds. Effort 0 keeps no value in a register: such code runs seven times longer.
EFFORT_BY_LINES = ((12_000, 2), (100_000, 1))
# First bytes of ELF, Mach-O (64 bit), COFF (x86-64, ARM64); LLVM does not check what it is given.
OBJECT_MAGIC = (b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\x64\x86", b"\x64\xaa")

ENTRY_POINTS = ("share", "call", "fill", "run", "xla_handler")  # that kernels may have beside "batch"

_library_names = map("kernel {}".format, count())
_lock = threading.RLock()  # LLVM's global context is not made for several threads


def _renew_locks() -> None:
    global _lock
    _lock = threading.RLock()
    _linker.cache_clear()  # it has locks of its own


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_locks)  # another thread may have held them


@dataclass(frozen=True)
class Processor:
    """What the generated code may use.

    `lanes`: numbers worked on at once. `fma`: a product and a sum may become one fused multiply-add.
    `doubled`: small kernels run on twice the lanes. `real`: the precision of numbers.
    """

    triple: str
    cpu: str
    features: str
    lanes: int
    fma: bool
    doubled: bool = False
    real: Real = DOUBLE

    @property
    def name(self) -> str:
        """Everything but the assembly that object code depends on."""
        parts = [self.triple, self.cpu, self.features, str(self.lanes), str(self.fma), str(self.doubled)]
        parts.append(self.real.name)
        return "\0".join([*parts, llvmlite.__version__, str(llvm.llvm_version_info)])

    def in_precision(self, real: Real) -> Processor:
        """The same for numbers of this precision: registers hold twice as many floats as doubles."""
        lanes = self.lanes * self.real.bytes // real.bytes
        return replace(self, real=real, lanes=lanes, doubled=self.doubled and real == DOUBLE)


def _forced_lanes() -> int | None:
    text = os.environ.get(LANES_VARIABLE)
    if not text:
        return None
    if text not in {str(lanes) for lanes in ALLOWED_LANES}:
        raise KernelError(
            f"{LANES_VARIABLE} = {text!r}: expected {', '.join(map(str, ALLOWED_LANES))}. "
            "Unset it to let Linkwork choose the width of this processor."
        )
    return int(text)


def natural_lanes(features: dict[str, bool]) -> int:
    """Doubles in the widest vector register; SSE2 and NEON, the least there is, hold two."""
    if features.get("avx512f"):
        return 8
    return 4 if features.get("avx") else 2


@cache
def instruction_sets() -> tuple[str, ...]:
    """Names of those that this processor has, the least first; empty if it is not an x86-64."""
    features = dict(llvm.get_host_cpu_features())
    here = llvm.get_process_triple().startswith("x86_64")
    return tuple(name for name, parts in INSTRUCTION_SETS.items() if here and features.get(parts[0]))


@cache
def processor(instructions: str = "", fma: bool = True, forced_lanes: int | None = None) -> Processor:
    """The processor of this process, or as much of it as an instruction set of it allows."""
    triple, cpu, found = (
        llvm.get_process_triple(),
        llvm.get_host_cpu_name(),
        llvm.get_host_cpu_features(),
    )
    features, flat = dict(found), found.flatten()
    if instructions:
        sets = instruction_sets()
        if instructions not in sets:
            raise KernelError(
                f"{INSTRUCTIONS_VARIABLE} = {instructions!r}: allowed on this processor are "
                f"{', '.join(sets) or 'none'}. Unset it to let Linkwork use all that it has."
            )
        allowed = [
            part for name in sets[: sets.index(instructions) + 1] for part in INSTRUCTION_SETS[name]
        ]
        features = {part: True for part in allowed if features[part]}
        cpu, flat = "x86-64", ",".join(f"+{part}" for part in features)
    lanes = natural_lanes(features)
    is_arm = triple.startswith(("aarch64", "arm64"))
    return Processor(
        triple=triple,
        cpu=cpu,
        features=flat,
        lanes=forced_lanes or lanes,
        fma=fma and (is_arm or bool(features.get("fma"))),
        doubled=forced_lanes is None and lanes == 4,
    )


def host() -> Processor:
    """The machine this process runs on, as LINKWORK_INSTRUCTIONS, _FMA and _LANES restrict it."""
    instructions = os.environ.get(INSTRUCTIONS_VARIABLE, "")
    return processor(instructions, not switched_off(FMA_VARIABLE), _forced_lanes())


@cache
def initialize_llvm() -> None:
    """Register the host's code generator, once per process."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()


@dataclass(frozen=True)
class MachineCode:
    """Loaded functions. Who calls one keeps this: it owns the memory that they stand in."""

    library: tuple[llvm.ResourceTracker, ...]  # the first that goes frees all
    addresses: Mapping[str, int]

    def address(self, name: str) -> int:
        """Of a function; 0 if there is none of this name."""
        return self.addresses.get(name, 0)

    @cached_property
    def batch(self) -> Callable[[int, int, int], int]:
        """(packet, begin, end): run rows, 1 if a non-finite number was met; see `lowering`."""
        word, pointer = ctypes.c_int64, ctypes.c_void_p
        return ctypes.CFUNCTYPE(ctypes.c_int, pointer, word, word)(self.address("batch"))

    @cached_property
    def share(self) -> Callable[[int, int, int, int], int]:
        """(packet, control, chunk, rows): take chunks of rows until none are left; see `row_loops`."""
        word, pointer = ctypes.c_int64, ctypes.c_void_p
        return ctypes.CFUNCTYPE(ctypes.c_int, pointer, pointer, word, word)(self.address("share"))


def object_key(text: str, target: Processor) -> str:
    """The name of an assembly module's object code in the cache."""
    return hashlib.sha256(f"{text}\0{target.name}".encode()).hexdigest()


def _target_machine(target: Processor, effort: int) -> llvm.TargetMachine:
    return llvm.Target.from_triple(target.triple).create_target_machine(
        cpu=target.cpu, features=target.features, opt=effort, reloc="pic", codemodel="small"
    )


def compile_object(text: str, target: Processor) -> bytes:
    """Object code of an assembly module."""
    initialize_llvm()
    lines = text.count("\n")
    effort = next((effort for limit, effort in EFFORT_BY_LINES if lines < limit), 0)
    try:
        module = llvm.parse_assembly(text)
        module.verify()
    except RuntimeError as error:
        raise KernelError(f"LLVM refuses a generated kernel: {error}. Please report this.") from error
    return _target_machine(target, effort).emit_object(module)


@cache
def _linker() -> llvm.LLJIT:
    """Puts code and constants of an object into one block of memory.

    Code reaches its constants within 2 GiB. LLVM's older linker asks for memory section by section, and
    in a process with large libraries or arrays the system may put sections further apart. (JITLink does
    not know Windows' object files well.)
    """
    initialize_llvm()
    return llvm.create_lljit_compiler(use_jit_link=sys.platform != "win32", suppress_errors=True)


def _load(code: bytes, functions: Sequence[str]) -> MachineCode:
    """All functions are looked up here, under the lock: what looks one up owns the library with others,
    so a later look-up that another thread repeats or a signal interrupts would free code in use.
    """
    if not code.startswith(OBJECT_MAGIC):
        raise KernelError("not object code")
    linker, builder = _linker(), llvm.JITLibraryBuilder().add_object_img(code).add_current_process()
    for name in functions:
        builder.export_symbol(name)
    library = [builder.link(linker, next(_library_names))]
    addresses = {name: int(library[0][name]) for name in functions}
    for name in ENTRY_POINTS:
        if name not in addresses and name.encode() in code:
            with suppress(RuntimeError):
                library.append(linker.lookup(library[0].name, name))
                addresses[name] = int(library[-1][name])
    return MachineCode(tuple(library), addresses)


def stored_code(
    key: str, target: Processor, functions: Sequence[str] = ("batch",)
) -> MachineCode | None:
    """Machine code from the cache; None if it has no sound entry with these functions."""
    with _lock:
        initialize_llvm()
        stored = disk.read(key)
        if stored is None:
            return None
        try:
            return _load(stored, functions)
        except (RuntimeError, KernelError):
            disk.discard(key)
            return None


def machine_code(text: str, target: Processor, functions: Sequence[str] = ("batch",)) -> MachineCode:
    """Compile an assembly module that has these functions, or fetch it from the cache, and load it."""
    with _lock:
        key = object_key(text, target)
        ready = stored_code(key, target, functions)
        if ready is not None:
            return ready
        code = compile_object(text, target)
        disk.write(key, code)
        return _load(code, functions)
