"""An entry point of kernels that XLA calls by itself: a typed handler of its foreign function interface.

XLA hands over a call frame: buffers with address, type and shape, all dense. The handler counts rows,
writes a packet and runs `@batch`: no Python, no copies. Asked for metadata, it says for which version of
the interface it was made. An attribute, whatever its name, makes non-finite numbers an error.

Places of fields are those of XLA's C interface (`c_api.h`), which begins every structure with its size
and promises that fields keep their places within a major version.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from linkwork.core.errors import LinkworkError
from linkwork.kernels.graph import Graph
from linkwork.kernels.kernel import Lowering
from linkwork.kernels.lowering import assembly
from linkwork.kernels.machine import Processor

MAJOR = 0
HANDLER = "xla_handler"
# Bytes from the beginning of XLA_FFI_CallFrame.
EXTENSION, API, ARGUMENTS, RESULTS, ATTRIBUTES_COUNT = 8, 16, 72, 112, 136
DATA, RANK, DIMENSIONS = 24, 32, 40  # of XLA_FFI_Buffer
EXTENSION_KIND, METADATA = 8, 24  # of XLA_FFI_Metadata_Extension
VERSION = 24  # of XLA_FFI_Metadata: major and minor
METADATA_KIND, INVALID_ARGUMENT = 1, 3
ERROR_CREATE, ERROR_SIZE = 48, 28  # of XLA_FFI_Api; the size of XLA_FFI_Error_Create_Args


def interface_version(include: str) -> int:
    """The minor version of the interface in XLA's headers."""
    text = Path(include, "xla", "ffi", "api", "c_api.h").read_text()
    found = dict(re.findall(r"#define XLA_FFI_API_(MAJOR|MINOR) (\d+)", text))
    if found.get("MAJOR") != str(MAJOR) or "MINOR" not in found:
        raise LinkworkError(
            f"this jaxlib has version {found.get('MAJOR')} of XLA's foreign function interface; "
            f"Linkwork knows version {MAJOR}. Use an earlier jaxlib."
        )
    return int(found["MINOR"])


@cache
def handled_by_xla(minor: int) -> Lowering:
    """A lowering whose code has the handler besides what all kernels have."""

    def text(graph: Graph, target: Processor) -> str:
        return assembly(graph, target, [_handler(graph, minor)])

    return Lowering(f"xla {MAJOR}.{minor}", text)


COUNT = f"""define internal i64 @xla_rows(ptr %buffer, i64 %size) nounwind {{
entry:
  %rank.at = getelementptr i8, ptr %buffer, i64 {RANK}
  %rank = load i64, ptr %rank.at
  %dims.at = getelementptr i8, ptr %buffer, i64 {DIMENSIONS}
  %dims = load ptr, ptr %dims.at
  br label %test
test:
  %k = phi i64 [ 0, %entry ], [ %k.next, %axis ]
  %product = phi i64 [ 1, %entry ], [ %product.next, %axis ]
  %more = icmp slt i64 %k, %rank
  br i1 %more, label %axis, label %done
axis:
  %at = getelementptr i64, ptr %dims, i64 %k
  %length = load i64, ptr %at
  %product.next = mul i64 %product, %length
  %k.next = add i64 %k, 1
  br label %test
done:
  %rows = sdiv i64 %product, %size
  ret i64 %rows
}}"""


def _load(name: str, base: str, offset: int, kind: str = "ptr") -> str:
    return (
        f"  %{name}.at = getelementptr i8, ptr {base}, i64 {offset}\n"
        f"  %{name} = load {kind}, ptr %{name}.at"
    )


def _handler(graph: Graph, minor: int) -> str:
    inputs, lengths = graph.input_sizes, [len(column) for column in graph.outputs]
    message = "Linkwork: an input or a result is not finite; errors='nan' lets that through."
    lines = [
        COUNT,
        f'@xla_message = private constant [{len(message) + 1} x i8] c"{message}\\00"',
        f"define ptr @{HANDLER}(ptr %frame) nounwind {{",
        "entry:",
        f"  %packet = alloca [{2 * len(inputs) + len(lengths)} x i64], align 8",
        "  %error = alloca [4 x i64], align 8",
        _load("extension", "%frame", EXTENSION),
        "  %asked = icmp ne ptr %extension, null",
        "  br i1 %asked, label %extended, label %run",
        "extended:",
        _load("kind", "%extension", EXTENSION_KIND, "i32"),
        f"  %is.metadata = icmp eq i32 %kind, {METADATA_KIND}",
        "  br i1 %is.metadata, label %tell, label %run",
        "tell:",
        _load("metadata", "%extension", METADATA),
        f"  %major = getelementptr i8, ptr %metadata, i64 {VERSION}",
        f"  store i32 {MAJOR}, ptr %major",
        f"  %minor = getelementptr i8, ptr %metadata, i64 {VERSION + 4}",
        f"  store i32 {minor}, ptr %minor",
        f"  %traits = getelementptr i8, ptr %metadata, i64 {VERSION + 8}",
        "  store i32 0, ptr %traits",
        "  ret ptr null",
        "run:",
        _load("arguments", "%frame", ARGUMENTS),
        _load("results", "%frame", RESULTS),
    ]
    for k in range(len(lengths)):
        lines += [
            _load(f"result{k}", "%results", 8 * k),
            _load(f"place{k}", f"%result{k}", DATA),
            f"  %word{k} = getelementptr i64, ptr %packet, i64 {2 * len(inputs) + k}",
            f"  store ptr %place{k}, ptr %word{k}",
        ]
    lines.append(f"  %rows = call i64 @xla_rows(ptr %result0, i64 {lengths[0]})")
    for k, size in enumerate(inputs):
        lines += [
            _load(f"argument{k}", "%arguments", 8 * k),
            _load(f"data{k}", f"%argument{k}", DATA),
            f"  %address{k} = getelementptr i64, ptr %packet, i64 {2 * k}",
            f"  store ptr %data{k}, ptr %address{k}",
            f"  %stride{k} = getelementptr i64, ptr %packet, i64 {2 * k + 1}",
            f"  store i64 {size}, ptr %stride{k}",
        ]
    lines += [
        "  %some = icmp sgt i64 %rows, 0",
        "  br i1 %some, label %compute, label %fine",
        "compute:",
        "  %flag = call i32 @batch(ptr %packet, i64 0, i64 %rows)",
        _load("count", "%frame", ATTRIBUTES_COUNT, "i64"),
        "  %strict = icmp ne i64 %count, 0",
        "  %met = icmp ne i32 %flag, 0",
        "  %wrong = and i1 %strict, %met",
        "  br i1 %wrong, label %refuse, label %fine",
        "fine:",
        "  ret ptr null",
        "refuse:",
        f"  store i64 {ERROR_SIZE}, ptr %error",
        "  %none = getelementptr i64, ptr %error, i64 1",
        "  store ptr null, ptr %none",
        "  %text = getelementptr i64, ptr %error, i64 2",
        "  store ptr @xla_message, ptr %text",
        "  %code = getelementptr i64, ptr %error, i64 3",
        f"  store i64 {INVALID_ARGUMENT}, ptr %code",
        _load("api", "%frame", API),
        _load("create", "%api", ERROR_CREATE),
        "  %made = call ptr %create(ptr %error)",
        "  ret ptr %made",
        "}",
    ]
    return "\n".join(lines)
