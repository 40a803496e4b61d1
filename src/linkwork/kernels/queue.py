"""Rows that are worked on until each is done: lanes of finished rows take the next from a queue.

A step is a kernel from a row to its next; one column is its status, zero as long as it goes on. The
driver is machine code around the step's: it steps the first rows, as many as a vector has lanes,
exchanges those that are done with the last that are not, and goes on until none is left. Rows change
places; a column that numbers them tells which is which.
"""

from __future__ import annotations

import ctypes
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from linkwork.kernels.graph import graph_of
from linkwork.kernels.lowering import assembly
from linkwork.kernels.machine import (
    MachineCode,
    machine_code,
    machine_name,
    object_key,
    stored_code,
)
from linkwork.kernels.recipes import Entry, Recipe, index_key, read_entry, write_entry
from linkwork.kernels.target import Target, host_target

Array = NDArray[np.float64]

DRIVER = """
define i32 @batch(ptr %packet, i64 %begin, i64 %end) nounwind {{
entry:
  %word = load i64, ptr %packet
  %base = inttoptr i64 %word to ptr
  br label %outer
outer:
  %live = phi i64 [ %end, %entry ], [ %left, %checked ]
  %more = icmp sgt i64 %live, %begin
  br i1 %more, label %work, label %exit
work:
  %window = add i64 %begin, {lanes}
  %top = call i64 @llvm.smin.i64(i64 %window, i64 %live)
  %ignored = call i32 @step(ptr %packet, i64 %begin, i64 %top)
  br label %check
check:
  %above = phi i64 [ %top, %work ], [ %i, %kept ]
  %l = phi i64 [ %live, %work ], [ %l_next, %kept ]
  %again = icmp sgt i64 %above, %begin
  br i1 %again, label %look, label %checked
look:
  %i = sub i64 %above, 1
  %offset = mul i64 %i, {width}
  %row = getelementptr double, ptr %base, i64 %offset
  %status_at = getelementptr double, ptr %row, i64 {status}
  %status = load double, ptr %status_at
  %running = fcmp oeq double %status, 0.0
  br i1 %running, label %kept, label %retire
retire:
  %l_less = sub i64 %l, 1
  %other_offset = mul i64 %l_less, {width}
  %other = getelementptr double, ptr %base, i64 %other_offset
  br label %swap
swap:
  %k = phi i64 [ 0, %retire ], [ %k_next, %swap ]
  %a_at = getelementptr double, ptr %row, i64 %k
  %b_at = getelementptr double, ptr %other, i64 %k
  %a = load double, ptr %a_at
  %b = load double, ptr %b_at
  store double %b, ptr %a_at
  store double %a, ptr %b_at
  %k_next = add i64 %k, 1
  %swapped = icmp eq i64 %k_next, {width}
  br i1 %swapped, label %kept, label %swap
kept:
  %l_next = phi i64 [ %l, %look ], [ %l_less, %swap ]
  br label %check
checked:
  %left = phi i64 [ %l, %check ]
  br label %outer
exit:
  ret i32 0
}}
"""


class Queue:
    """Machine code that steps rows until all are done.

    Args:
        recipe: of the step: a row and parameters to the next row.
        width: numbers of a row.
        status: the column that is zero as long as a row goes on.
    """

    def __init__(self, recipe: Recipe, width: int, status: int, target: Target | None = None) -> None:
        self.recipe, self.width, self.status = recipe, width, status
        self.target = target or host_target()

    @cached_property
    def _code(self) -> MachineCode:
        key = index_key(self.recipe, machine_name(self.target) + f"\0queue {self.width} {self.status}")
        entry = read_entry(key) if key else None
        ready = stored_code(entry.object_key, self.target) if entry else None
        if ready is not None:
            return ready
        text = self.llvm_ir()
        code = machine_code(text, self.target)
        if key:
            write_entry(key, Entry("queue", {}, {}, object_key(text, self.target), 0))
        return code

    def llvm_ir(self) -> str:
        """The step's assembly with the driver around it."""
        text = assembly(graph_of(*self.recipe.traced()), self.target).replace("@batch(", "@step(")
        return text + DRIVER.format(lanes=self.target.lanes, width=self.width, status=self.status)

    def run(self, rows: Array, *parameters: Array) -> None:
        """Step `rows` (N, width) in place until all are done; parameters are the same for all rows."""
        words = [_address(rows), self.width]
        for parameter in parameters:
            words += [_address(parameter), 0]
        words.append(_address(rows))
        packet = (ctypes.c_int64 * len(words))(*words)
        self._code.batch(ctypes.addressof(packet), 0, len(rows))


def _address(array: Array) -> int:
    if array.dtype != np.float64 or not array.flags.c_contiguous:
        raise TypeError("a queue takes dense arrays of float64")
    return int(array.ctypes.data)
