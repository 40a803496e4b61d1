"""From assembly to machine code in memory, by way of the object cache."""

from __future__ import annotations

import ctypes
import hashlib
import os
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import llvmlite
import llvmlite.binding as llvm

from linkwork.errors import KernelError
from linkwork.kernels import cache
from linkwork.kernels.builtin import Builtin, builtin, layout_fits, layout_name
from linkwork.kernels.target import Target, initialise_llvm

# LLVM's effort by lines of assembly, so that even the Coriolis matrices of eight joints answer within
# seconds. Effort 0 keeps no value in a register: such code runs seven times longer.
EFFORT_BY_LINES = ((12_000, 2), (100_000, 1))
# First bytes of ELF, Mach-O (64 bit), COFF (x86-64, ARM64); LLVM does not check what it is given.
OBJECT_MAGIC = (b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\x64\x86", b"\x64\xaa")

_lock = threading.RLock()


def _renew_lock() -> None:
    global _lock
    _lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_lock)  # another thread may have held it


@dataclass(frozen=True)
class MachineCode:
    """The entry points of a loaded kernel. `engine` owns the memory that they stand in."""

    batch: Callable[[int, int, int], int]
    share: Callable[[int, int, int, int], int]
    engine: llvm.ExecutionEngine

    def builtin(self, name: str, flags: int, *keep: Any, **words: int) -> Builtin | None:
        """An entry point as a builtin function of Python; None if there is none."""
        address = self.engine.get_function_address(name) if layout_fits() else 0
        return builtin(name, address, flags, (self.engine, *keep), **words) if address else None


def machine_name(target: Target) -> str:
    """Everything but the assembly that object code depends on."""
    parts = [target.triple, target.cpu, target.features, str(target.lanes), str(target.fma)]
    parts += [str(target.doubled), layout_name()]
    return "\0".join([*parts, llvmlite.__version__, str(llvm.llvm_version_info)])


def object_key(text: str, target: Target) -> str:
    """The name of an assembly module's object code in the cache."""
    return hashlib.sha256(f"{text}\0{machine_name(target)}".encode()).hexdigest()


def _target_machine(target: Target, effort: int) -> llvm.TargetMachine:
    return llvm.Target.from_triple(target.triple).create_target_machine(
        cpu=target.cpu, features=target.features, opt=effort, reloc="pic", codemodel="small"
    )


def compile_object(text: str, target: Target) -> bytes:
    """Object code of an assembly module."""
    initialise_llvm()
    lines = text.count("\n")
    effort = next((effort for limit, effort in EFFORT_BY_LINES if lines < limit), 0)
    try:
        module = llvm.parse_assembly(text)
        module.verify()
    except RuntimeError as error:
        raise KernelError(f"LLVM refuses a generated kernel: {error}. Please report this.") from error
    return _target_machine(target, effort).emit_object(module)


def _engine(code: bytes, target: Target) -> llvm.ExecutionEngine:
    if not code.startswith(OBJECT_MAGIC):
        raise KernelError("not object code")
    backing = llvm.parse_assembly(f'target triple = "{target.triple}"')
    engine = llvm.create_mcjit_compiler(backing, _target_machine(target, 0))
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return engine


def load_functions(
    text: str, target: Target, names: Sequence[str]
) -> tuple[llvm.ExecutionEngine, list[int]]:
    """Functions of an assembly module by name: what owns their memory, and their addresses."""
    with _lock:
        engine = _engine(compile_object(text, target), target)
        return engine, [engine.get_function_address(name) for name in names]


def _load(code: bytes, target: Target) -> MachineCode:
    engine = _engine(code, target)
    batch, share = (engine.get_function_address(name) for name in ("batch", "share"))
    if not (batch and share):
        raise KernelError("object code lacks its entry points")
    word, pointer = ctypes.c_int64, ctypes.c_void_p
    return MachineCode(
        ctypes.CFUNCTYPE(ctypes.c_int, pointer, word, word)(batch),
        ctypes.CFUNCTYPE(ctypes.c_int, pointer, pointer, word, word)(share),
        engine,
    )


def stored_code(key: str, target: Target) -> MachineCode | None:
    """Machine code from the cache; None if it has no sound entry."""
    with _lock:  # LLVM's global context is not made for several threads
        initialise_llvm()
        stored = cache.read(key)
        if stored is None:
            return None
        try:
            return _load(stored, target)
        except (RuntimeError, KernelError):
            cache.discard(key)
            return None


def machine_code(text: str, target: Target) -> MachineCode:
    """Compile an assembly module, or fetch it from the cache, and load it."""
    with _lock:
        key = object_key(text, target)
        ready = stored_code(key, target)
        if ready is not None:
            return ready
        code = compile_object(text, target)
        cache.write(key, code)
        return _load(code, target)
