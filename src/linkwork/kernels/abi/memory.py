"""Memory of large results, kept for the next ones: a fresh page costs more than the numbers on it.

The operating system hands out memory as zeroed pages at first touch, some microseconds for every 4 KiB:
more time than most kernels take to fill them. NumPy lets an array have an allocator of its own (NEP 49).
Ours keeps blocks that NumPy has freed, up to 128 MiB, and gives them to later results of their size.

A block is either owned by one array or kept, never both: NumPy frees it when the array that owns it
dies, and an array lives as long as any view of it. Results are arrays like any others, with data of
their own. Blocks carry their size in front, so whatever NumPy calls the size when it frees them does not
matter. Kept blocks stand in slots that change by atomic exchange: threads may allocate and free at once.
"""

from __future__ import annotations

import ctypes
import math
import sys
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwork.core.errors import KernelError
from linkwork.kernels.abi.layout import ABI_VARIABLE, SET_MEMORY_HANDLER, array_function
from linkwork.kernels.machine import host, machine_code
from linkwork.kernels.reals import DOUBLE
from linkwork.kernels.settings import switched_off

LARGE = 1 << 20  # bytes from which on an array comes from here
MOST_KEPT = 128 << 20  # bytes
SLOTS = 16
HEADER = 64  # bytes in front of the data; the first word is the size of the block
FINE, HUGE_PAGE = 1 << 16, 1 << 21  # sizes are multiples of the first, above twice the second of that
MADV_HUGEPAGE = 14  # Linux

ALLOCATOR = f"""
@slots = internal global [{SLOTS} x ptr] zeroinitializer, align 8
@total = internal global i64 0, align 8
@turn = internal global i64 0, align 8
declare ptr @aligned_alloc(i64, i64)
declare void @free(ptr)
declare i32 @madvise(ptr, i64, i32)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare i64 @llvm.umin.i64(i64, i64)

define i64 @kept() nounwind {{
  %bytes = load atomic i64, ptr @total seq_cst, align 8
  ret i64 %bytes
}}

define internal void @drop(ptr %block) nounwind {{
  %size = load i64, ptr %block
  %before = atomicrmw sub ptr @total, i64 %size seq_cst
  call void @free(ptr %block)
  ret void
}}

; A kept block of this size, or null. A block of another size goes back to its slot.
define internal ptr @take(i64 %size) nounwind {{
entry:
  br label %look
look:
  %k = phi i64 [ 0, %entry ], [ %k.next, %next ]
  %slot = getelementptr ptr, ptr @slots, i64 %k
  %word = atomicrmw xchg ptr %slot, i64 0 seq_cst
  %some = icmp ne i64 %word, 0
  br i1 %some, label %compare, label %next
compare:
  %block = inttoptr i64 %word to ptr
  %is = load i64, ptr %block
  %fits = icmp eq i64 %is, %size
  br i1 %fits, label %found, label %back
found:
  %before = atomicrmw sub ptr @total, i64 %size seq_cst
  ret ptr %block
back:
  %pair = cmpxchg ptr %slot, i64 0, i64 %word seq_cst seq_cst
  %stored = extractvalue {{ i64, i1 }} %pair, 1
  br i1 %stored, label %next, label %lost
lost:
  call void @drop(ptr %block)
  br label %next
next:
  %k.next = add i64 %k, 1
  %more = icmp ult i64 %k.next, {SLOTS}
  br i1 %more, label %look, label %none
none:
  ret ptr null
}}

; Keep a block; others make room for it.
define internal void @keep(ptr %block) nounwind {{
entry:
  %size = load i64, ptr %block
  %word = ptrtoint ptr %block to i64
  %before = atomicrmw add ptr @total, i64 %size seq_cst
  %with = add i64 %before, %size
  br label %room
room:
  %k = phi i64 [ 0, %entry ], [ %k.next, %evicted ]
  %now = phi i64 [ %with, %entry ], [ %left, %evicted ]
  %enough = icmp ule i64 %now, {MOST_KEPT}
  %tried = icmp uge i64 %k, {SLOTS}
  %done = or i1 %enough, %tried
  br i1 %done, label %decide, label %evict
evict:
  %old.slot = getelementptr ptr, ptr @slots, i64 %k
  %old.word = atomicrmw xchg ptr %old.slot, i64 0 seq_cst
  %old.some = icmp ne i64 %old.word, 0
  br i1 %old.some, label %release, label %evicted
release:
  %old = inttoptr i64 %old.word to ptr
  call void @drop(ptr %old)
  br label %evicted
evicted:
  %left = load atomic i64, ptr @total seq_cst, align 8
  %k.next = add i64 %k, 1
  br label %room
decide:
  br i1 %enough, label %store, label %refuse
store:
  %j = phi i64 [ 0, %decide ], [ %j.next, %taken ]
  %slot = getelementptr ptr, ptr @slots, i64 %j
  %pair = cmpxchg ptr %slot, i64 0, i64 %word seq_cst seq_cst
  %stored = extractvalue {{ i64, i1 }} %pair, 1
  br i1 %stored, label %end, label %taken
taken:
  %j.next = add i64 %j, 1
  %more = icmp ult i64 %j.next, {SLOTS}
  br i1 %more, label %store, label %replace
replace: ; all slots hold something: sizes that nobody asks for any more must not stay for ever
  %turn = atomicrmw add ptr @turn, i64 1 seq_cst
  %i = urem i64 %turn, {SLOTS}
  %its.slot = getelementptr ptr, ptr @slots, i64 %i
  %its.word = atomicrmw xchg ptr %its.slot, i64 %word seq_cst
  %its.some = icmp ne i64 %its.word, 0
  br i1 %its.some, label %forget, label %end
forget:
  %its = inttoptr i64 %its.word to ptr
  call void @drop(ptr %its)
  ret void
refuse:
  call void @drop(ptr %block)
  ret void
end:
  ret void
}}

define ptr @handler_malloc(ptr %context, i64 %bytes) nounwind {{
entry:
  %wanted = add i64 %bytes, {HEADER}
  %is.huge = icmp uge i64 %wanted, {2 * HUGE_PAGE}
  %unit = select i1 %is.huge, i64 {HUGE_PAGE}, i64 {FINE}
  %above = add i64 %wanted, %unit
  %top = sub i64 %above, 1
  %rest = urem i64 %top, %unit
  %size = sub i64 %top, %rest
  %overflow = icmp ult i64 %size, %bytes
  br i1 %overflow, label %fail, label %reuse
reuse:
  %known = call ptr @take(i64 %size)
  %is.known = icmp ne ptr %known, null
  br i1 %is.known, label %answer, label %make
make:
  %alignment = select i1 %is.huge, i64 {HUGE_PAGE}, i64 {HEADER}
  %made = call ptr @aligned_alloc(i64 %alignment, i64 %size)
  %failed = icmp eq ptr %made, null
  br i1 %failed, label %fail, label %advise
advise:
  br i1 %is.huge, label %huge, label %mark
huge:
  %ignored = call i32 @madvise(ptr %made, i64 %size, i32 {MADV_HUGEPAGE})
  br label %mark
mark:
  store i64 %size, ptr %made
  br label %answer
answer:
  %block = phi ptr [ %known, %reuse ], [ %made, %mark ]
  %data = getelementptr i8, ptr %block, i64 {HEADER}
  ret ptr %data
fail:
  ret ptr null
}}

define ptr @handler_calloc(ptr %context, i64 %count, i64 %each) nounwind {{
entry:
  %bytes = mul i64 %count, %each
  %data = call ptr @handler_malloc(ptr %context, i64 %bytes)
  %failed = icmp eq ptr %data, null
  br i1 %failed, label %end, label %clear
clear:
  call void @llvm.memset.p0.i64(ptr %data, i8 0, i64 %bytes, i1 false)
  br label %end
end:
  ret ptr %data
}}

define void @handler_free(ptr %context, ptr %data, i64 %unused) nounwind {{
entry:
  %nothing = icmp eq ptr %data, null
  br i1 %nothing, label %end, label %look
look:
  %block = getelementptr i8, ptr %data, i64 -{HEADER}
  %size = load i64, ptr %block
  %large = icmp uge i64 %size, {LARGE}
  br i1 %large, label %save, label %release
save:
  call void @keep(ptr %block)
  ret void
release:
  call void @free(ptr %block)
  ret void
end:
  ret void
}}

define ptr @handler_realloc(ptr %context, ptr %data, i64 %bytes) nounwind {{
entry:
  %new = call ptr @handler_malloc(ptr %context, i64 %bytes)
  %failed = icmp eq ptr %new, null
  %nothing = icmp eq ptr %data, null
  %stop = or i1 %failed, %nothing
  br i1 %stop, label %end, label %copy
copy:
  %block = getelementptr i8, ptr %data, i64 -{HEADER}
  %size = load i64, ptr %block
  %had = sub i64 %size, {HEADER}
  %shared = call i64 @llvm.umin.i64(i64 %had, i64 %bytes)
  call void @llvm.memcpy.p0.p0.i64(ptr %new, ptr %data, i64 %shared, i1 false)
  call void @handler_free(ptr %context, ptr %data, i64 0)
  br label %end
end:
  ret ptr %new
}}
"""


class _Handler(ctypes.Structure):
    """NumPy's PyDataMem_Handler, version 1."""

    _fields_ = [
        ("name", ctypes.c_char * 127),
        ("version", ctypes.c_uint8),
        ("context", ctypes.c_void_p),
        *((name, ctypes.c_void_p) for name in ("malloc", "calloc", "realloc", "free")),
    ]


class _Pool:
    """The allocator in this process."""

    def __init__(self) -> None:
        target = host()
        text = f'target triple = "{target.triple}"\n{ALLOCATOR}'
        functions = [f"handler_{name}" for name in ("malloc", "calloc", "realloc", "free")]
        code = machine_code(text, target, (*functions, "kept"))
        handler = _Handler(b"linkwork", 1, None, *map(code.address, functions))
        make = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(
            ("PyCapsule_New", ctypes.pythonapi)
        )
        self.capsule = make(ctypes.addressof(handler), b"mem_handler", None)
        self.kept = ctypes.CFUNCTYPE(ctypes.c_int64)(code.address("kept"))
        prototype = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object)
        self._set = prototype(array_function(SET_MEMORY_HANDLER))
        # Arrays may outlive this module when the interpreter ends; what frees them must outlive all.
        for each in (code, handler):
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(each))

    def empty(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> NDArray[Any]:
        before = self._set(self.capsule)
        try:
            return np.empty(shape, dtype)
        finally:
            self._set(before)


@cache
def _pool() -> _Pool | None:
    """None where NumPy or the system lack what it takes: there results are NumPy's own."""
    if sys.platform != "linux" or switched_off(ABI_VARIABLE):
        return None
    try:
        pool = _Pool()
        first, second = (pool.empty((LARGE // 8,), DOUBLE.dtype) for _ in range(2))
        sound = first.flags.owndata and second.flags.owndata and not np.shares_memory(first, second)
    except (KernelError, RuntimeError, AttributeError, OSError):
        return None
    return pool if sound else None


def empty(shape: tuple[int, ...], dtype: np.dtype[Any] = DOUBLE.dtype) -> NDArray[Any]:
    """An array for results, not filled."""
    pool: Any = _pool() if dtype.itemsize * math.prod(shape) >= LARGE else None
    return np.empty(shape, dtype) if pool is None else pool.empty(shape, dtype)


def kept_bytes() -> int:
    """How much memory is kept for later results."""
    pool = _pool()
    return 0 if pool is None else int(pool.kept())
