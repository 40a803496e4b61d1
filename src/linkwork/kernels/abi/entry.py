"""Entry points of a kernel that CPython calls directly, as LLVM assembly beside the rows' code.

`call(self, args, count)` takes the input arrays and returns fresh results, a tuple if there are several.
`fill(self, args, count)` takes inputs, then C-ordered arrays for the results, and returns True, or False
if a non-finite number met the code. `run(self, unused)` runs one row on the buffers of a packet and
returns True if a non-finite number met the code.

The first two return None for whatever is unusual (other types, shapes, byte orders, more rows than
agreed, results in the memory of inputs; `call` for non-finite numbers too): then Python takes the
careful way and explains. Nothing is kept between calls, so calls may nest in signal handlers and run in
several threads.

Arguments are NumPy arrays, looked at by their fields; `layout` says where these lie. Addresses of the
process come in the memory of `self`, so object code can be stored.
"""

from __future__ import annotations

from linkwork.kernels.abi.layout import (
    ALIGNED,
    BYTE_ORDER,
    C_ORDER,
    DATA,
    DESCRIPTION,
    DIMENSIONS,
    DIMENSIONS_COUNT,
    FLAGS,
    NATIVE,
    STRIDES,
    TYPE_NUMBER,
    WRITEABLE,
    header_size,
    layout_fits,
)
from linkwork.kernels.graph import Graph
from linkwork.kernels.reals import DOUBLE, Real

# Names of the 64-bit words in the memory of `self`, in order.
TABLE = (
    "ndarray", "array_new", "none", "true", "false", "increase", "decrease", "tuple_pack", "save_thread",
    "restore_thread", "max_rows", "packet",
)  # fmt: skip
# Numbers of all inputs together: they must fit on the stack, in a part that needs no probing on Windows.
MOST_INPUTS = 400
# Another thread may run meanwhile from this many rows on; handing the interpreter over costs some 50 ns.
SHARED_ROWS = 64


def _word(name: str, field: str, kind: str = "ptr") -> str:
    """Instructions that load a word of the table as %name."""
    return (
        f"  %{name}.at = getelementptr i64, ptr %table, i64 {TABLE.index(field)}\n"
        f"  %{name} = load {kind}, ptr %{name}.at"
    )


def _array_check(header: int, real: Real, flags: int, refuse: str) -> str:
    """Whether %object is an array of these numbers with these flags; defines %count, %dimensions
    and %strides."""

    def load(name: str, kind: str, offset: int, base: str = "%object") -> str:
        return (
            f"  %{name}.at = getelementptr i8, ptr {base}, i64 {header + offset}\n"
            f"  %{name} = load {kind}, ptr %{name}.at\n"
        )

    return (
        f"  %type.at = getelementptr i8, ptr %object, i64 {header - 8}\n"
        "  %type = load ptr, ptr %type.at\n"
        f"{_word('ndarray', 'ndarray')}\n"
        "  %is.array = icmp eq ptr %type, %ndarray\n"
        f"  br i1 %is.array, label %array, label %{refuse}\n"
        "array:\n"
        + load("description", "ptr", DESCRIPTION)
        + load("number", "i32", TYPE_NUMBER, "%description")
        + load("order", "i8", BYTE_ORDER, "%description")
        + load("flags", "i32", FLAGS)
        + load("count", "i32", DIMENSIONS_COUNT)
        + load("dimensions", "ptr", DIMENSIONS)
        + load("strides", "ptr", STRIDES)
        + load("data", "ptr", DATA)
        + f"  %is.real = icmp eq i32 %number, {real.dtype.num}\n"
        f"  %is.native = icmp eq i8 %order, {NATIVE}\n"
        f"  %wanted = and i32 %flags, {flags}\n"
        f"  %has.flags = icmp eq i32 %wanted, {flags}\n"
        "  %a = and i1 %is.real, %is.native\n"
        "  %plain = and i1 %a, %has.flags\n"
        f"  br i1 %plain, label %numbers, label %{refuse}\n"
        "numbers:\n"
    )


def _argument(header: int, real: Real) -> str:
    """One input: its address and row stride into the packet; rows and batch axes into the state.

    One dimension, or one row, serves all states and has stride 0. Elements that do not stand side by
    side are gathered.
    """
    return (
        "define internal i1 @argument(ptr %table, ptr %object, i64 %size, ptr %words, ptr %scratch, "
        "ptr %state) nounwind {\nentry:\n"
        + _array_check(header, real, ALIGNED, "refuse")
        + f"""  %stride.word = getelementptr i64, ptr %words, i64 1
  switch i32 %count, label %refuse [ i32 1, label %single i32 2, label %table2 ]
single:
  %length = load i64, ptr %dimensions
  %fits = icmp eq i64 %length, %size
  br i1 %fits, label %vector, label %refuse
vector:
  %step = load i64, ptr %strides
  store i64 0, ptr %stride.word
  %dense = icmp eq i64 %step, {real.bytes}
  br i1 %dense, label %direct, label %gather
direct:
  store ptr %data, ptr %words
  ret i1 true
gather:
  store ptr %scratch, ptr %words
  br label %element
element:
  %k = phi i64 [ 0, %gather ], [ %k.next, %element ]
  %offset = mul i64 %k, %step
  %from = getelementptr i8, ptr %data, i64 %offset
  %value = load {real.llvm}, ptr %from
  %to = getelementptr {real.llvm}, ptr %scratch, i64 %k
  store {real.llvm} %value, ptr %to
  %k.next = add i64 %k, 1
  %more = icmp slt i64 %k.next, %size
  br i1 %more, label %element, label %done
done:
  ret i1 true
table2:
  %columns.at = getelementptr i64, ptr %dimensions, i64 1
  %columns = load i64, ptr %columns.at
  %column.step.at = getelementptr i64, ptr %strides, i64 1
  %column.step = load i64, ptr %column.step.at
  %row.step = load i64, ptr %strides
  %rows = load i64, ptr %dimensions
  %known = load i64, ptr %state
  %size.fits = icmp eq i64 %columns, %size
  %side.by.side = icmp eq i64 %column.step, {real.bytes}
  %one.column = icmp eq i64 %size, 1
  %close = or i1 %side.by.side, %one.column
  %rest = and i64 %row.step, {real.bytes - 1}
  %whole = icmp eq i64 %rest, 0
  %b = and i1 %size.fits, %close
  %c = and i1 %b, %whole
  br i1 %c, label %batch.axis, label %refuse
batch.axis:
  %batched.at = getelementptr i64, ptr %state, i64 1
  store i64 1, ptr %batched.at
  store ptr %data, ptr %words
  %is.one = icmp eq i64 %rows, 1
  br i1 %is.one, label %one.row, label %many
one.row:
  store i64 0, ptr %stride.word
  ret i1 true
many:
  %row.numbers = sdiv i64 %row.step, {real.bytes}
  store i64 %row.numbers, ptr %stride.word
  %empty = icmp eq i64 %rows, 0
  %same = icmp eq i64 %rows, %known
  %first = icmp eq i64 %known, 1
  %agree = or i1 %same, %first
  %nonempty = xor i1 %empty, true
  %good = and i1 %agree, %nonempty
  br i1 %good, label %accept, label %refuse
accept:
  store i64 %rows, ptr %state
  ret i1 true
refuse:
  ret i1 false
}}"""
    )


def _result(header: int, real: Real) -> str:
    """One array for results: its address into the packet if its shape fits and it may be written."""
    return (
        "define internal i1 @result(ptr %table, ptr %object, ptr %shape, i64 %axes, ptr %word, "
        "ptr %state) nounwind {\nentry:\n"
        + _array_check(header, real, C_ORDER | ALIGNED | WRITEABLE, "refuse")
        + """  store ptr %data, ptr %word
  %rows = load i64, ptr %state
  %batched.at = getelementptr i64, ptr %state, i64 1
  %batched = load i64, ptr %batched.at
  %wanted.count = add i64 %batched, %axes
  %wide = sext i32 %count to i64
  %count.fits = icmp eq i64 %wide, %wanted.count
  br i1 %count.fits, label %batch.axis, label %refuse
batch.axis:
  %has.rows = icmp eq i64 %batched, 1
  br i1 %has.rows, label %check.rows, label %check.axes
check.rows:
  %given = load i64, ptr %dimensions
  %rows.fit = icmp eq i64 %given, %rows
  br i1 %rows.fit, label %check.axes, label %refuse
check.axes:
  %k = phi i64 [ 0, %batch.axis ], [ 0, %check.rows ], [ %k.next, %next ]
  %left = icmp slt i64 %k, %axes
  br i1 %left, label %axis, label %accept
axis:
  %place = add i64 %batched, %k
  %is.at = getelementptr i64, ptr %dimensions, i64 %place
  %is = load i64, ptr %is.at
  %must.at = getelementptr i64, ptr %shape, i64 %k
  %must = load i64, ptr %must.at
  %axis.fits = icmp eq i64 %is, %must
  br i1 %axis.fits, label %next, label %refuse
next:
  %k.next = add i64 %k, 1
  br label %check.axes
accept:
  ret i1 true
refuse:
  ret i1 false
}"""
    )


def _overlap(real: Real) -> str:
    """Whether rows of an input (its two words in the packet) and of a result share memory."""
    return f"""define internal i1 @overlap(
  ptr %words, i64 %size, i64 %rows, ptr %result, i64 %length
) nounwind {{
  %first = load i64, ptr %words
  %stride.at = getelementptr i64, ptr %words, i64 1
  %stride = load i64, ptr %stride.at
  %below = sub i64 %rows, 1
  %numbers = mul i64 %below, %stride
  %span = mul i64 %numbers, {real.bytes}
  %last = add i64 %first, %span
  %low = call i64 @llvm.smin.i64(i64 %first, i64 %last)
  %high.row = call i64 @llvm.smax.i64(i64 %first, i64 %last)
  %bytes = mul i64 %size, {real.bytes}
  %high = add i64 %high.row, %bytes
  %from = ptrtoint ptr %result to i64
  %all = mul i64 %rows, %length
  %all.bytes = mul i64 %all, {real.bytes}
  %to = add i64 %from, %all.bytes
  %a = icmp slt i64 %low, %to
  %b = icmp slt i64 %from, %high
  %both = and i1 %a, %b
  ret i1 %both
}}"""


# `@batch`, with the interpreter handed over to other threads when there are many rows.
SHARED_BATCH = f"""define internal i32 @run_rows(ptr %table, ptr %packet, i64 %rows) nounwind {{
entry:
  %few = icmp slt i64 %rows, {SHARED_ROWS}
  br i1 %few, label %keep, label %release
keep:
  %flag = call i32 @batch(ptr %packet, i64 0, i64 %rows)
  ret i32 %flag
release:
{_word("save", "save_thread")}
{_word("restore", "restore_thread")}
  %thread = call ptr %save()
  %shared.flag = call i32 @batch(ptr %packet, i64 0, i64 %rows)
  call void %restore(ptr %thread)
  ret i32 %shared.flag
}}"""

GIVE = f"""define internal ptr @give(ptr %table, i64 %place) nounwind {{
  %at = getelementptr ptr, ptr %table, i64 %place
  %object = load ptr, ptr %at
{_word("increase", "increase")}
  call void %increase(ptr %object)
  ret ptr %object
}}"""

TRUTH = f"""define internal ptr @truth(ptr %table, i32 %flag) nounwind {{
  %finite = icmp eq i32 %flag, 0
  %place = select i1 %finite, i64 {TABLE.index("true")}, i64 {TABLE.index("false")}
  %object = call ptr @give(ptr %table, i64 %place)
  ret ptr %object
}}"""


def _table_of_self(header: int) -> str:
    """The memory of a ctypes structure: its address stands right after the object header."""
    return f"  %table.at = getelementptr i8, ptr %self, i64 {header}\n  %table = load ptr, ptr %table.at"


def _shapes(graph: Graph) -> str:
    """Constants: the shape of every output, after one word that stands for the rows."""
    lines = []
    for k, shape in enumerate(graph.output_shapes):
        numbers = ", ".join(f"i64 {size}" for size in shape)
        lines.append(f"@shape{k} = private constant [{len(shape)} x i64] [{numbers}]")
    return "\n".join(lines)


def _take_inputs(graph: Graph, given: int, real: Real) -> str:
    """Allocate packet and state, and read all inputs; %rows and %batched are known afterward."""
    words = 2 * len(graph.input_sizes) + len(graph.outputs)
    lines = [
        f"  %packet = alloca [{words} x i64], align 8",
        f"  %scratch = alloca [{sum(graph.input_sizes)} x {real.llvm}], align 8",
        "  %state = alloca [2 x i64], align 8",
        "  store i64 1, ptr %state",
        "  %batched.at = getelementptr i64, ptr %state, i64 1",
        "  store i64 0, ptr %batched.at",
        f"  %all.given = icmp eq i64 %given, {given}",
        "  br i1 %all.given, label %input0, label %refuse",
    ]
    start = 0
    for k, size in enumerate(graph.input_sizes):
        following = f"input{k + 1}" if k + 1 < len(graph.input_sizes) else "inputs.read"
        lines += [
            f"input{k}:",
            f"  %arg{k}.at = getelementptr ptr, ptr %args, i64 {k}",
            f"  %arg{k} = load ptr, ptr %arg{k}.at",
            f"  %words{k} = getelementptr i64, ptr %packet, i64 {2 * k}",
            f"  %scratch{k} = getelementptr {real.llvm}, ptr %scratch, i64 {start}",
            f"  %took{k} = call i1 @argument(ptr %table, ptr %arg{k}, i64 {size}, ptr %words{k}, "
            f"ptr %scratch{k}, ptr %state)",
            f"  br i1 %took{k}, label %{following}, label %refuse",
        ]
        start += size
    lines += [
        "inputs.read:",
        "  %rows = load i64, ptr %state",
        "  %batched = load i64, ptr %batched.at",
    ]
    return "\n".join(lines)


REFUSE = f"""refuse:
  %nothing = call ptr @give(ptr %table, i64 {TABLE.index("none")})
  ret ptr %nothing"""


def _call(graph: Graph, header: int, real: Real) -> str:
    inputs, outputs = len(graph.input_sizes), len(graph.outputs)
    axes = max((len(shape) for shape in graph.output_shapes), default=0)
    lines = [
        "define ptr @call(ptr %self, ptr %args, i64 %given) nounwind {",
        "entry:",
        _table_of_self(header),
        f"  %dims = alloca [{1 + axes} x i64], align 8",
        _take_inputs(graph, inputs, real),
        _word("most", "max_rows", "i64"),
        "  %small = icmp sle i64 %rows, %most",
        "  br i1 %small, label %make, label %refuse",
        "make:",
        _word("new", "array_new"),
        _word("drop", "decrease"),
        _word("kind", "ndarray"),
        "  store i64 %rows, ptr %dims",
        "  %unbatched = sub i64 1, %batched",
        "  %first.dim = getelementptr i64, ptr %dims, i64 %unbatched",
        "  br label %output0",
    ]
    for k, shape in enumerate(graph.output_shapes):
        lines.append(f"output{k}:")
        for axis, size in enumerate(shape):
            lines += [
                f"  %dim{k}.{axis} = getelementptr i64, ptr %dims, i64 {1 + axis}",
                f"  store i64 {size}, ptr %dim{k}.{axis}",
            ]
        following = f"output{k + 1}" if k + 1 < outputs else "compute"
        lines += [
            f"  %count{k}.wide = add i64 %batched, {len(shape)}",
            f"  %count{k} = trunc i64 %count{k}.wide to i32",
            f"  %result{k} = call ptr %new(ptr %kind, i32 %count{k}, ptr %first.dim, "
            f"i32 {real.dtype.num}, ptr null, ptr null, i32 0, i32 0, ptr null)",
            f"  %failed{k} = icmp eq ptr %result{k}, null",
            f"  br i1 %failed{k}, label %without{k}, label %made{k}",
            f"made{k}:",
            f"  %memory{k}.at = getelementptr i8, ptr %result{k}, i64 {header + DATA}",
            f"  %memory{k} = load ptr, ptr %memory{k}.at",
            f"  %word{k} = getelementptr i64, ptr %packet, i64 {2 * inputs + k}",
            f"  store ptr %memory{k}, ptr %word{k}",
            f"  br label %{following}",
        ]
    lines += [
        "compute:",
        "  %flag = call i32 @run_rows(ptr %table, ptr %packet, i64 %rows)",
        "  %finite = icmp eq i32 %flag, 0",
        "  br i1 %finite, label %answer, label %release",
        "release:",
        *[f"  call void %drop(ptr %result{k})" for k in range(outputs)],
        "  br label %refuse",
        "answer:",
    ]
    if outputs == 1:
        lines.append("  ret ptr %result0")
    else:
        listed = ", ".join(f"ptr %result{k}" for k in range(outputs))
        lines += [
            _word("pack", "tuple_pack"),
            f"  %tuple = call ptr (i64, ...) %pack(i64 {outputs}, {listed})",
            *[f"  call void %drop(ptr %result{k})" for k in range(outputs)],
            "  ret ptr %tuple",
        ]
    for k in range(outputs):  # no memory: release what was made; the exception is set
        lines.append(f"without{k}:")
        lines += [f"  call void %drop(ptr %result{j})" for j in range(k)]
        lines.append("  ret ptr null")
    return "\n".join([*lines, REFUSE, "}"])


def _fill(graph: Graph, header: int, real: Real) -> str:
    inputs, outputs = len(graph.input_sizes), len(graph.outputs)
    lines = [
        "define ptr @fill(ptr %self, ptr %args, i64 %given) nounwind {",
        "entry:",
        _table_of_self(header),
        _take_inputs(graph, inputs + outputs, real),
        "  br label %output0",
    ]
    for k, shape in enumerate(graph.output_shapes):
        following = f"output{k + 1}" if k + 1 < outputs else "compute"
        lines += [
            f"output{k}:",
            f"  %out{k}.at = getelementptr ptr, ptr %args, i64 {inputs + k}",
            f"  %out{k} = load ptr, ptr %out{k}.at",
            f"  %word{k} = getelementptr i64, ptr %packet, i64 {2 * inputs + k}",
            f"  %fits{k} = call i1 @result(ptr %table, ptr %out{k}, ptr @shape{k}, i64 {len(shape)}, "
            f"ptr %word{k}, ptr %state)",
            f"  br i1 %fits{k}, label %{following}, label %refuse",
        ]
    # One row is read before it is written; of several, later ones must not be written too early.
    lines += ["compute:", "  %single = icmp eq i64 %rows, 1", "  br i1 %single, label %go, label %pair0"]
    pairs = [(k, j) for k in range(inputs) for j in range(outputs)]
    for place, (k, j) in enumerate(pairs):
        following = f"pair{place + 1}" if place + 1 < len(pairs) else "go"
        length = len(graph.outputs[j])
        lines += [
            f"pair{place}:",
            f"  %memory{place} = load ptr, ptr %word{j}",
            f"  %shared{place} = call i1 @overlap(ptr %words{k}, i64 {graph.input_sizes[k]}, i64 %rows, "
            f"ptr %memory{place}, i64 {length})",
            f"  br i1 %shared{place}, label %refuse, label %{following}",
        ]
    lines += [
        "go:",
        "  %flag = call i32 @run_rows(ptr %table, ptr %packet, i64 %rows)",
        "  %answer = call ptr @truth(ptr %table, i32 %flag)",
        "  ret ptr %answer",
    ]
    return "\n".join([*lines, REFUSE, "}"])


def _run(header: int) -> str:
    return f"""define ptr @run(ptr %self, ptr %unused) nounwind {{
{_table_of_self(header)}
{_word("packet", "packet")}
  %flag = call i32 @batch(ptr %packet, i64 0, i64 1)
  %finite = xor i32 %flag, 1
  %answer = call ptr @truth(ptr %table, i32 %finite)
  ret ptr %answer
}}"""


def entry_points(graph: Graph, real: Real = DOUBLE) -> list[str]:
    """Functions for the assembly of a kernel; none where they do not fit this process.

    A kernel with very many inputs or an empty array gets none: it takes the careful way always.
    """
    sizes = (*graph.input_sizes, *map(len, graph.outputs))
    if not layout_fits() or not 0 < sum(graph.input_sizes) <= MOST_INPUTS or not all(sizes):
        return []
    header = header_size()
    helpers = [_shapes(graph), _argument(header, real), _result(header, real), _overlap(real)]
    entries = [_call(graph, header, real), _fill(graph, header, real), _run(header)]
    return [*helpers, SHARED_BATCH, GIVE, TRUTH, *entries]
