"""Rows of the caller's (N, k) arrays to lanes and back.

A vector holds one column of several rows. Rows are loaded as short vectors and transposed in
registers; columns that do not fill a block are covered by a second block that overlaps the first.
"""

from __future__ import annotations

from linkwork.kernels.text import Assembly


def _transpose_square(asm: Assembly, rows: list[str]) -> list[str]:
    """Transpose w vectors of w doubles by swapping off-diagonal blocks of growing size (Eklundh)."""
    width = len(rows)
    step = 1
    while step < width:
        result = list(rows)
        low = [j if not j & step else width + j - step for j in range(width)]
        high = [j + step if not j & step else width + j for j in range(width)]
        for i in range(width):
            if not i & step:
                a, b = rows[i], rows[i + step]
                result[i] = asm.shuffle(width, a, b, low)
                result[i + step] = asm.shuffle(width, a, b, high)
        rows = result
        step *= 2
    return rows


def _concatenate(asm: Assembly, parts: list[str], width: int) -> str:
    while len(parts) > 1:
        both = range(2 * width)
        pairs = zip(parts[::2], parts[1::2], strict=True)
        parts = [asm.shuffle(width, a, b, both) for a, b in pairs]
        width *= 2
    return parts[0]


def _blocks(columns: int, lanes: int) -> tuple[int, list[int]]:
    """Block width and the first column of each block; the last may overlap the one before."""
    width = lanes
    while width > columns:
        width //= 2
    starts = list(range(0, columns - width + 1, width))
    if starts[-1] + width < columns:
        starts.append(columns - width)
    return width, starts


def _element(asm: Assembly, row: str, column: int) -> str:
    return asm.let(f"getelementptr double, ptr {row}, i64 {column}") if column else row


def load_columns(asm: Assembly, rows: list[str], columns: int) -> list[str]:
    """Vectors of the `columns` columns, one lane per row pointer in `rows`."""
    width, starts = _blocks(columns, asm.lanes)
    result = [""] * columns
    for start in starts:
        parts: list[list[str]] = []
        for first in range(0, asm.lanes, width):
            square = [
                asm.let(f"load <{width} x double>, ptr {_element(asm, row, start)}, align 8")
                for row in rows[first : first + width]
            ]
            parts.append(_transpose_square(asm, square))
        for j in range(width):
            if not result[start + j]:
                result[start + j] = _concatenate(asm, [part[j] for part in parts], width)
    return result


def store_columns(asm: Assembly, rows: list[str], values: list[str]) -> None:
    """Write the vectors `values`, one per column, to the row pointers in `rows`."""
    width, starts = _blocks(len(values), asm.lanes)
    for start in starts:
        for first in range(0, asm.lanes, width):
            picks = range(first, first + width)
            square = [
                asm.shuffle(asm.lanes, value, "poison", picks) if width < asm.lanes else value
                for value in values[start : start + width]
            ]
            square = _transpose_square(asm, square)
            for row, part in zip(rows[first : first + width], square, strict=True):
                asm.do(f"store <{width} x double> {part}, ptr {_element(asm, row, start)}, align 8")
