"""Many rows, as LLVM assembly around the code of `lowering` that runs a few.

Twice the lanes: whole blocks of rows, then the rest.

Threads take chunks of rows from a counter until none are left.

Stepping: rows are worked on until each is done. Lanes of finished rows take the next from those that
are left.

Large results go past the caches. A processor that stores to memory beyond its caches first reads what
stands there, only to overwrite it. Non-temporal stores spare that reading if they fill whole cache
lines. Rows seldom begin where a line does, but the distance between every eighth is a number of lines
whatever their length: `@stream` lets `@rows` fill eight rows of scratch memory, which stay in the cache,
and copies them line by line. What a block has begun of its last line waits in front of the next block.
Results that the caches hold are better off there, since somebody is going to read them.
"""

from __future__ import annotations

from collections.abc import Sequence

from linkwork.kernels.machine import Processor
from linkwork.kernels.reals import DOUBLE

ROWS = 8  # of a block
LINE = 64  # bytes
DOUBLES = LINE // 8
# Of all results together. With 32 MiB of cache, derivatives gain from 12 MB on, regressors from 25.
WORTHWHILE_BYTES = 16 << 20
WIDE = 64  # doubles in a row; a kernel of fewer spends its time on arithmetic
MOST_SCRATCH = 1 << 17  # bytes of stack

COPY = f"""define internal void @copy_doubles(ptr %from, ptr %to, i64 %first, i64 %end) nounwind {{
entry:
  %any = icmp slt i64 %first, %end
  br i1 %any, label %copy, label %done
copy:
  %k = phi i64 [ %first, %entry ], [ %k.next, %copy ]
  %source = getelementptr double, ptr %from, i64 %k
  %number = load double, ptr %source
  %place = getelementptr double, ptr %to, i64 %k
  store double %number, ptr %place
  %k.next = add i64 %k, 1
  %more = icmp slt i64 %k.next, %end
  br i1 %more, label %copy, label %done
done:
  ret void
}}

; Lines of %scratch, %doubles of them in all, to the line that %address is in and the next ones. The
; first line of the first block holds numbers of ours from %address on only.
define internal void @copy_block(ptr %scratch, i64 %address, i64 %doubles, i1 %is.first) nounwind {{
entry:
  %offset = and i64 %address, {LINE - 1}
  %start = and i64 %address, -{LINE}
  %to = inttoptr i64 %start to ptr
  %before = ashr i64 %offset, 3
  %shared = icmp ne i64 %before, 0
  %partial = and i1 %is.first, %shared
  %skip = select i1 %partial, i64 {DOUBLES}, i64 0
  %from = select i1 %partial, i64 %before, i64 {DOUBLES}
  call void @copy_doubles(ptr %scratch, ptr %to, i64 %from, i64 {DOUBLES})
  br label %line
line:
  %k = phi i64 [ %skip, %entry ], [ %k.next, %line ]
  %source = getelementptr double, ptr %scratch, i64 %k
  %numbers = load <{DOUBLES} x double>, ptr %source, align {LINE}
  %place = getelementptr double, ptr %to, i64 %k
  store <{DOUBLES} x double> %numbers, ptr %place, align {LINE}, !nontemporal !1
  %k.next = add i64 %k, {DOUBLES}
  %more = icmp slt i64 %k.next, %doubles
  br i1 %more, label %line, label %keep
keep:
  %rest.at = getelementptr double, ptr %scratch, i64 %doubles
  %rest = load <{DOUBLES} x double>, ptr %rest.at, align {LINE}
  store <{DOUBLES} x double> %rest, ptr %scratch, align {LINE}
  ret void
}}

; The numbers of the last line, which waited for a next block, to the line that ends before %address.
define internal void @copy_rest(ptr %scratch, i64 %address) nounwind {{
  %offset = and i64 %address, {LINE - 1}
  %start = and i64 %address, -{LINE}
  %to = inttoptr i64 %start to ptr
  %count = ashr i64 %offset, 3
  call void @copy_doubles(ptr %scratch, ptr %to, i64 0, i64 %count)
  ret void
}}"""

# Rows of a batch of %all rows, by the one way or the other.
PART = f"""define internal i32 @part(ptr %packet, i64 %begin, i64 %end, i64 %all) nounwind {{{{
entry:
  %rows = sub i64 %end, %begin
  %whole = and i64 %rows, -{ROWS}
  %large = icmp sge i64 %all, {{least}}
  %some = icmp sgt i64 %whole, 0
  %both = and i1 %large, %some
  br i1 %both, label %blocks, label %plain
blocks:
  %middle = add i64 %begin, %whole
  %flag = call i32 @stream(ptr %packet, i64 %begin, i64 %middle)
  %left = icmp slt i64 %middle, %end
  br i1 %left, label %tail, label %done
tail:
  %tail.flag = call i32 @rows(ptr %packet, i64 %middle, i64 %end)
  %either = or i32 %flag, %tail.flag
  ret i32 %either
done:
  ret i32 %flag
plain:
  %plain.flag = call i32 @rows(ptr %packet, i64 %begin, i64 %end)
  ret i32 %plain.flag
}}}}

define i32 @batch(ptr %packet, i64 %begin, i64 %end) nounwind {{{{
  %all = sub i64 %end, %begin
  %flag = call i32 @part(ptr %packet, i64 %begin, i64 %end, i64 %all)
  ret i32 %flag
}}}}

!1 = !{{{{i32 1}}}}"""


def streams(lengths: Sequence[int], target: Processor) -> bool:
    """Whether a kernel with outputs of these lengths writes large results in this way."""
    # On other systems a frame of this size must be probed by a function that is not at hand.
    linux = "linux" in target.triple
    whole = target.real == DOUBLE  # rows of floats are not whole lines
    return linux and whole and sum(lengths) >= WIDE and 8 * ROWS * sum(lengths) <= MOST_SCRATCH


def _stream(inputs: int, lengths: Sequence[int]) -> str:
    """Whole blocks of rows, %begin to %end - 1: a packet of its own has scratch memory for results."""
    words = 2 * inputs + len(lengths)
    results = list(enumerate(lengths, 2 * inputs))
    lines = [
        "define internal i32 @stream(ptr %packet, i64 %begin, i64 %end) nounwind {",
        "entry:",
        f"  %inner = alloca [{words} x i64], align 8",
    ]
    for k in range(words):
        lines += [
            f"  %at{k} = getelementptr i64, ptr %packet, i64 {k}",
            f"  %word{k} = load i64, ptr %at{k}",
            f"  %inner{k} = getelementptr i64, ptr %inner, i64 {k}",
            f"  store i64 %word{k}, ptr %inner{k}",
        ]
    for k, length in results:
        lines += [
            f"  %scratch{k} = alloca [{ROWS * length + DOUBLES} x double], align {LINE}",
            f"  %offset{k} = and i64 %word{k}, {LINE - 1}",
            f"  %first{k} = getelementptr i8, ptr %scratch{k}, i64 %offset{k}",
            f"  store ptr %first{k}, ptr %inner{k}",
        ]
    lines += [
        "  br label %block",
        "block:",
        "  %row = phi i64 [ %begin, %entry ], [ %next, %block ]",
        "  %flag = phi i32 [ 0, %entry ], [ %flag.now, %block ]",
    ]
    for k in range(0, 2 * inputs, 2):
        lines += [
            f"  %doubles{k} = mul i64 %row, %word{k + 1}",
            f"  %bytes{k} = shl i64 %doubles{k}, 3",
            f"  %here{k} = add i64 %word{k}, %bytes{k}",
            f"  store i64 %here{k}, ptr %inner{k}",
        ]
    lines += [
        f"  %met = call i32 @rows(ptr %inner, i64 0, i64 {ROWS})",
        "  %flag.now = or i32 %flag, %met",
        "  %is.first = icmp eq i64 %row, %begin",
    ]
    for k, length in results:
        lines += [
            f"  %done{k} = mul i64 %row, {8 * length}",
            f"  %place{k} = add i64 %word{k}, %done{k}",
            f"  call void @copy_block(ptr %scratch{k}, i64 %place{k}, i64 {ROWS * length}, "
            "i1 %is.first)",
        ]
    lines += [
        f"  %next = add i64 %row, {ROWS}",
        "  %more = icmp slt i64 %next, %end",
        "  br i1 %more, label %block, label %exit",
        "exit:",
    ]
    for k, length in results:
        lines += [
            f"  %all{k} = mul i64 %end, {8 * length}",
            f"  %end{k} = add i64 %word{k}, %all{k}",
            f"  call void @copy_rest(ptr %scratch{k}, i64 %end{k})",
        ]
    # Other threads may see non-temporal stores later than those after them, until a fence.
    lines += ["  fence seq_cst", "  ret i32 %flag.now", "}"]
    return "\n".join(lines)


def streaming(inputs: int, lengths: Sequence[int]) -> list[str]:
    """Parts of a module whose rows are the work of `@rows`; among them `@batch`."""
    least = -(-WORTHWHILE_BYTES // (8 * sum(lengths)))
    return [COPY, _stream(inputs, lengths), PART.format(least=least)]


def doubling(lanes: int) -> str:
    """`@batch` by `@wide`, of this many lanes, and `@narrow`: a few rows cost no more than with that."""
    return f"""define i32 @batch(ptr %packet, i64 %begin, i64 %end) nounwind {{
entry:
  %rows = sub i64 %end, %begin
  %whole = and i64 %rows, -{lanes}
  %middle = add i64 %begin, %whole
  %any = icmp ne i64 %whole, 0
  br i1 %any, label %blocks, label %rest
blocks:
  %flag = call i32 @wide(ptr %packet, i64 %begin, i64 %middle)
  br label %rest
rest:
  %before = phi i32 [ 0, %entry ], [ %flag, %blocks ]
  %left = icmp slt i64 %middle, %end
  br i1 %left, label %tail, label %done
tail:
  %tail.flag = call i32 @narrow(ptr %packet, i64 %middle, i64 %end)
  %both = or i32 %before, %tail.flag
  ret i32 %both
done:
  ret i32 %before
}}"""


def share(part: str = "@batch", rows: str = "") -> str:
    """`@share`, which takes chunks of rows and runs each by `part`, with `rows` as its last argument.

    Words of %control: the next row, rows that are done, whether a non-finite number was met, threads at
    work. The result is 1 if this call did the last chunk.
    """
    last = f", {rows}" if rows else ""
    return f"""define i32 @share(ptr %packet, ptr %control, i64 %chunk, i64 %rows) nounwind {{
entry:
  %done.at = getelementptr i64, ptr %control, i64 1
  %flag.at = getelementptr i64, ptr %control, i64 2
  %working.at = getelementptr i64, ptr %control, i64 3
  %entered = atomicrmw add ptr %working.at, i64 1 seq_cst
  br label %take
take:
  %begin = atomicrmw add ptr %control, i64 %chunk seq_cst
  %some = icmp slt i64 %begin, %rows
  br i1 %some, label %work, label %leave
work:
  %limit = add i64 %begin, %chunk
  %end = call i64 @llvm.smin.i64(i64 %limit, i64 %rows)
  %flag = call i32 {part}(ptr %packet, i64 %begin, i64 %end{last})
  %wide.flag = zext i32 %flag to i64
  %flags = atomicrmw or ptr %flag.at, i64 %wide.flag seq_cst
  %count = sub i64 %end, %begin
  %before = atomicrmw add ptr %done.at, i64 %count seq_cst
  %now = add i64 %before, %count
  %last = icmp eq i64 %now, %rows
  br i1 %last, label %leave, label %take
leave:
  %ended = phi i32 [ 0, %take ], [ 1, %work ]
  %left = atomicrmw sub ptr %working.at, i64 1 seq_cst
  ret i32 %ended
}}"""


def stepping(lanes: int, width: int, status: int) -> str:
    """`@batch` by `@step`, which takes a row to its next in place; column `status` is zero as long as a
    row of `width` numbers goes on.

    The first rows, as many as there are lanes, are stepped; those that are done are exchanged with the
    last that are not, until none is left. Rows change places.
    """
    return f"""define i32 @batch(ptr %packet, i64 %begin, i64 %end) nounwind {{
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
}}"""
